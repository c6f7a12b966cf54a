// SPDX-License-Identifier: BSD-2-Clause
// Meshes: checks of what comes in, and the plain questions.
#include "tactum/mesh.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>

#include "math/epsilon.hpp"
#include "mesh/surface/edge_table.hpp"
#include "mesh/surface/hull_fill.hpp"
#include "mesh/surface/mesh_tree.hpp"
#include "mesh/surface/triangle_moments.hpp"
#include "mesh/surface/vertex_rings.hpp"
#include "shape/check/shape_checks.hpp"

namespace tactum {
namespace {

std::string item(const char* field, Eigen::Index index) {
  return std::string("Mesh.") + field + "[" + std::to_string(index) + "]";
}

void check_triangles(const Triangles& triangles, Eigen::Index num_vertices) {
  if (triangles.cols() == 0)
    throw InvalidInput("Mesh.triangles", "no triangles", "give at least one triangle");
  if (triangles.cols() > kLargestCount)
    throw InvalidInput("Mesh.triangles", std::to_string(triangles.cols()) + " triangles",
                       "give at most " + std::to_string(kLargestCount));
  for (Eigen::Index t = 0; t < triangles.cols(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const std::int32_t index = triangles(k, t);
      if (index >= 0 && index < num_vertices) continue;
      throw InvalidInput(item("triangles", t), "vertex " + std::to_string(index),
                         "give indices from 0 to " + std::to_string(num_vertices - 1));
    }
  }
}

[[noreturn]] void refuse_solid(const char* field, const MeshReport& report) {
  const auto [from, to] = report.first_offending_edge;
  const std::string edge = "; the first is from vertex " + std::to_string(from) + " to " +
                           std::to_string(to);
  if (!report.closed)
    throw InvalidInput(field,
                       "a mesh that is not closed: " + std::to_string(report.num_boundary_edges) +
                           " edges have an odd number of triangles" + edge,
                       "close the holes, or take the mesh as a surface");
  if (!report.oriented)
    throw InvalidInput(field,
                       "a mesh that is not oriented: at " +
                           std::to_string(report.num_misoriented_edges) +
                           " edges the triangles run the same way" + edge,
                       "turn triangles so that all run counter-clockwise seen from outside");
  throw InvalidInput(field, "a mesh of volume " + exact_text(report.volume) + " m^3",
                     "give triangles that run counter-clockwise seen from outside");
}

bool is_filled(const MeshReport& report) {
  return report.closed && report.oriented && report.volume > 0.0;
}

std::vector<std::int32_t> component_vertices_of(const Triangles& triangles,
                                                Eigen::Index num_vertices) {
  UnionFind sets(static_cast<std::size_t>(num_vertices));
  for (Eigen::Index t = 0; t < triangles.cols(); ++t) {
    sets.join(triangles(0, t), triangles(1, t));
    sets.join(triangles(0, t), triangles(2, t));
  }
  std::vector<char> known(static_cast<std::size_t>(num_vertices), 0);
  std::vector<std::int32_t> found;
  for (Eigen::Index t = 0; t < triangles.cols(); ++t) {
    const std::int32_t root = sets.find(triangles(0, t));
    if (known[static_cast<std::size_t>(root)] == 0) found.push_back(root);
    known[static_cast<std::size_t>(root)] = 1;
  }
  return found;
}

double largest_norm(const Points& vertices) {
  const double square = vertices.colwise().squaredNorm().maxCoeff();
  if (square > 1e-200) return std::sqrt(square);
  double largest = 0.0;  // squares would lose digits
  for (const auto& vertex : vertices.colwise()) largest = std::max(largest, vertex.stableNorm());
  return largest;
}

/// The vertex of a triangle that is farthest along n.
std::int32_t farthest_vertex(const Mesh& mesh, const Vector3& n) {
  const Double3 unit = to_double3(n), positive = to_double3(Vector3(n.cwiseAbs()));
  double height = -std::numeric_limits<double>::infinity();
  std::int32_t best = 0;
  mesh.tree().least(
      std::numeric_limits<double>::infinity(),
      [&](const MeshTree::Node& node) {
        return -(dot(unit, node.center()) + dot(positive, node.half()) * (1.0 + 1e-14));
      },
      [&](std::int32_t triangle) {
        for (const std::int32_t vertex : mesh.triangles().col(triangle)) {
          const double along = n.dot(mesh.vertices().col(vertex));
          if (along > height) height = along, best = vertex;
        }
        return -height;
      });
  return best;
}

}  // namespace

struct Mesh::Data {
  Data(Points vertices_, Triangles triangles_, bool solid_, double reach_)
      : vertices(std::move(vertices_)),
        triangles(std::move(triangles_)),
        solid(solid_),
        reach(reach_),
        tree(vertices, triangles),
        components(component_vertices_of(triangles, vertices.cols())) {}
  const Points vertices;
  const Triangles triangles;
  const bool solid;
  const double reach;
  const MeshTree tree;
  const std::vector<std::int32_t> components;
  mutable std::once_flag looked_inside;
  mutable bool inside = false;
  mutable std::once_flag made_rings;
  mutable std::optional<VertexRings> rings;
  mutable std::once_flag made_hull;
  mutable std::optional<Shape> hull;
  mutable std::once_flag compared_hull;
  mutable bool fills_hull = false;
};

Mesh::Mesh(Points vertices, Triangles triangles, bool solid) {
  check_points(vertices, "Mesh.vertices");
  check_triangles(triangles, vertices.cols());
  const double reach = largest_norm(vertices);
  data_ = std::make_shared<const Data>(std::move(vertices), std::move(triangles), solid,
                                       reach * (1.0 + 4.0 * kEpsilon));
  if (!solid) return;
  const MeshReport found = report();
  if (!is_filled(found)) refuse_solid("Mesh.solid", found);
  std::call_once(data_->looked_inside, [this] { data_->inside = true; });
}

const Points& Mesh::vertices() const { return data_->vertices; }
const Triangles& Mesh::triangles() const { return data_->triangles; }
bool Mesh::is_solid() const { return data_->solid; }
double Mesh::reach() const { return data_->reach; }
const MeshTree& Mesh::tree() const { return data_->tree; }

std::span<const std::int32_t> Mesh::component_vertices() const { return data_->components; }

const VertexRings& Mesh::vertex_rings() const {
  std::call_once(data_->made_rings, [this] { data_->rings.emplace(vertices(), triangles()); });
  return *data_->rings;
}

bool Mesh::has_inside() const {
  std::call_once(data_->looked_inside, [this] { data_->inside = is_filled(report()); });
  return data_->inside;
}

const Shape* Mesh::hull() const {
  std::call_once(data_->made_hull, [this] {
    try {
      data_->hull.emplace(convex_hull());
    } catch (const InvalidInput&) {
      // queries do without it
    }
  });
  return data_->hull ? &*data_->hull : nullptr;
}

bool Mesh::fills_hull() const {
  std::call_once(data_->compared_hull, [this] {
    data_->fills_hull = is_solid() && hull() != nullptr && is_its_own_hull(*this, *hull());
  });
  return data_->fills_hull;
}

Convex Mesh::convex_hull(double margin) const { return Convex::from_points(vertices(), margin); }

Vector3 Mesh::support(const Vector3& direction) const {
  return vertices().col(farthest_vertex(*this, checked_direction(direction, "direction")));
}

Aabb Mesh::aabb(const Pose& X) const {
  const Pose pose = check_pose(X, "X").pose;
  const auto height = [&](const Vector3& n) {
    return n.dot(vertices().col(farthest_vertex(*this, n)));
  };
  Aabb box;
  for (int i = 0; i < 3; ++i) {
    const Vector3 axis = pose.rotation.row(i);
    box.upper[i] = pose.translation[i] + height(axis);
    box.lower[i] = pose.translation[i] - height(-axis);
  }
  if (pose.rotation.isIdentity(0.0) && pose.translation.isZero(0.0)) return box;
  // what the product of a pose can round by
  const MeshTree::Node& root = tree().node(0);
  const Vector3 largest =
      to_vector3(root.low()).cwiseAbs().cwiseMax(to_vector3(root.high()).cwiseAbs());
  const Vector3 rounding = 4.0 * kEpsilon *
                           (pose.rotation.cwiseAbs() * largest + pose.translation.cwiseAbs());
  return {box.lower - rounding, box.upper + rounding};
}

double Mesh::area() const {
  return shell_moments(vertices(), triangles(), vertices().col(0)).volume;
}

double Mesh::volume() const {
  const MeshReport found = report();
  if (!is_filled(found)) refuse_solid("Mesh", found);
  return found.volume;
}

MassProperties Mesh::mass_properties(double density, MassOf what) const {
  if (!std::isfinite(density) || density <= 0.0)
    throw InvalidInput("density", exact_text(density),
                       what == MassOf::solid ? "give a finite density above zero, in kg/m^3"
                                             : "give a finite density above zero, in kg/m^2");
  if (what == MassOf::solid) volume();  // throws where there is none
  const Vector3 reference = box_middle(vertices());
  const Moments moments = what == MassOf::solid ? solid_moments(vertices(), triangles(), reference)
                                                : shell_moments(vertices(), triangles(), reference);
  MassProperties result;
  result.center_of_mass = reference;
  if (moments.volume <= 0.0) return result;
  const Vector3 offset = moments.first / moments.volume;
  const Matrix3 central = moments.second - moments.volume * offset * offset.transpose();
  const Matrix3 inertia = density * (central.trace() * Matrix3::Identity() - central);
  result.mass = density * moments.volume;
  result.center_of_mass = reference + offset;
  result.inertia = 0.5 * (inertia + inertia.transpose());  // symmetric to the last bit
  return result;
}

std::size_t Mesh::nbytes() const {
  return sizeof(*this) + sizeof(Data) +
         static_cast<std::size_t>(vertices().size()) * sizeof(double) +
         static_cast<std::size_t>(triangles().size()) * sizeof(std::int32_t) +
         tree().nodes().size_bytes() + component_vertices().size_bytes();
}

std::string Mesh::to_string() const {
  return "Mesh(vertices=" + std::to_string(vertices().cols()) +
         ", triangles=" + std::to_string(triangles().cols()) +
         ", solid=" + (is_solid() ? "True)" : "False)");
}

std::size_t Mesh::hash() const {
  std::size_t state = is_solid() ? 1 : 0;
  const auto mix = [&](std::size_t value) {
    state = std::rotl(state, 9) * 0x9e3779b97f4a7c15U + value;
  };
  for (const double coordinate : vertices().reshaped()) mix(std::hash<double>{}(coordinate));
  for (const std::int32_t index : triangles().reshaped()) mix(static_cast<std::size_t>(index));
  return state;
}

bool operator==(const Mesh& a, const Mesh& b) {
  if (a.data_ == b.data_) return true;
  return a.is_solid() == b.is_solid() && a.vertices().cols() == b.vertices().cols() &&
         a.triangles().cols() == b.triangles().cols() && a.vertices() == b.vertices() &&
         a.triangles() == b.triangles();
}

}  // namespace tactum
