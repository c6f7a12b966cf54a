// SPDX-License-Identifier: BSD-2-Clause
// Whether triangles are the boundary of the convex hull of their vertices.
//
// Order      indices, corners that differ, every vertex used; each edge run once in each direction
//            (closed and oriented); one sphere (V - E + F = 2); a positive volume (outward); every
//            vertex behind every face.
// Tolerance  1e-9 of the extent, as a movement of the corners: the plane of a sliver is checked as
//            loosely as that movement would turn it.
#include "shape/hull/convex_mesh_check.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "core/format_number.hpp"
#include "shape/check/affine_frame.hpp"
#include "shape/check/triangle_plane.hpp"
#include "tactum/interrupt.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

constexpr double kRelativeTolerance = 1e-9;
constexpr Eigen::Index kMostVisits = 500'000'000;  // vertices in front of faces; a second or less

std::string face_name(Eigen::Index face) { return "Convex.faces[" + std::to_string(face) + "]"; }

void check_indices(const Points& vertices, const Triangles& faces) {
  if (vertices.cols() < 4 || faces.cols() < 4) {
    throw InvalidInput("Convex",
                       std::to_string(vertices.cols()) + " vertices and " +
                           std::to_string(faces.cols()) + " faces",
                       "give a solid with at least 4 of each, or call Convex.from_points");
  }
  std::vector<char> used(static_cast<std::size_t>(vertices.cols()), 0);
  for (Eigen::Index f = 0; f < faces.cols(); ++f) {
    for (int k = 0; k < 3; ++k) {
      const std::int32_t index = faces(k, f);
      if (index < 0 || index >= vertices.cols()) {
        throw InvalidInput(face_name(f), "vertex index " + std::to_string(index),
                           "give indices from 0 to " + std::to_string(vertices.cols() - 1));
      }
      if (index == faces((k + 1) % 3, f)) {
        throw InvalidInput(face_name(f), "vertex " + std::to_string(index) + " twice",
                           "give three different corners");
      }
      used[index] = 1;
    }
  }
  const auto unused = std::find(used.begin(), used.end(), 0);
  if (unused != used.end()) {
    throw InvalidInput("Convex.vertices[" + std::to_string(unused - used.begin()) + "]",
                       "a vertex that no face uses", "drop it, or call Convex.from_points");
  }
}

void check_closed(const Points& vertices, const Triangles& faces) {
  struct Directed {
    std::int32_t from, to;
    Eigen::Index face;
    auto operator<=>(const Directed&) const = default;
  };
  std::vector<Directed> edges;
  for (Eigen::Index f = 0; f < faces.cols(); ++f) {
    for (int k = 0; k < 3; ++k) edges.push_back({faces(k, f), faces((k + 1) % 3, f), f});
  }
  std::sort(edges.begin(), edges.end());
  const auto edge_name = [](const Directed& edge) {
    return "edge (" + std::to_string(edge.from) + ", " + std::to_string(edge.to) + ")";
  };
  const auto same = [](const Directed& a, const Directed& b) {
    return a.from == b.from && a.to == b.to;
  };
  if (const auto twice = std::adjacent_find(edges.begin(), edges.end(), same);
      twice != edges.end()) {
    throw InvalidInput(
        face_name((twice + 1)->face),
        edge_name(*twice) + " in the same direction as face " + std::to_string(twice->face),
        "turn all faces counter-clockwise seen from outside, with two faces at each edge");
  }
  for (const Directed& edge : edges) {
    const auto back = std::lower_bound(edges.begin(), edges.end(), Directed{edge.to, edge.from, 0});
    if (back == edges.end() || back->from != edge.to || back->to != edge.from) {
      throw InvalidInput(face_name(edge.face),
                         edge_name(edge) + " without a face on its other side",
                         "close the surface, or call Convex.from_points");
    }
  }
  const Eigen::Index euler = vertices.cols() - static_cast<Eigen::Index>(edges.size() / 2) +
                             faces.cols();
  if (euler != 2) {
    throw InvalidInput("Convex.faces", "V - E + F = " + std::to_string(euler),
                       "give one closed surface without holes or handles");
  }
}

// Whether the volume is positive, in the coordinates of a frame scaled to the points, where the
// sign is right for the thinnest plate that counts as a solid.
void check_outward(const Points& vertices, const Triangles& faces) {
  std::vector<std::int32_t> columns(static_cast<std::size_t>(vertices.cols()));
  std::iota(columns.begin(), columns.end(), 0);
  const AffineFrame frame = affine_frame(vertices, columns, 0.0);
  double six_volumes = 0.0;
  for (Eigen::Index f = 0; f < faces.cols(); ++f) {
    Matrix3 corners;
    for (int k = 0; k < 3; ++k) corners.col(k) = frame.coordinates(vertices.col(faces(k, f)));
    six_volumes += corners.determinant();
  }
  if (frame.dimension < 3 || six_volumes <= 0.0) {
    throw InvalidInput("Convex.faces",
                       "volume " + exact_text(six_volumes / 6.0 * frame.reach.prod()),
                       "turn the faces counter-clockwise seen from outside");
  }
}

void check_behind_face(const Points& vertices, Eigen::Index face, const TrianglePlane& plane,
                       double slack) {
  for (Eigen::Index i = 0; i < vertices.cols(); ++i) {
    const Vector3 v = vertices.col(i) - plane.corner;
    const double ahead = plane.normal.dot(v);
    if (ahead > slack && ahead > slack * (1.0 + v.norm() / plane.height)) {
      throw InvalidInput(
          face_name(face),
          "vertex " + std::to_string(i) + " in front of it by " + exact_text(ahead) + " m",
          "give the boundary of a convex solid, or call Convex.from_points for the hull");
    }
  }
}

}  // namespace

void check_closed_mesh(const Points& vertices, const Triangles& faces) {
  check_indices(vertices, faces);
  check_closed(vertices, faces);
  check_outward(vertices, faces);
}

void check_mesh_is_convex(const Points& vertices, const Triangles& faces,
                          const std::function<int(const Vector3&)>& farthest) {
  const double slack = kRelativeTolerance *
                       (vertices.rowwise().maxCoeff() - vertices.rowwise().minCoeff()).maxCoeff();
  Eigen::Index looks = 0;
  for (Eigen::Index f = 0; f < faces.cols(); ++f) {
    check_interrupt();
    const TrianglePlane plane = triangle_plane(vertices.col(faces(0, f)), vertices.col(faces(1, f)),
                                               vertices.col(faces(2, f)));
    if (plane.height <= slack) continue;  // no plane of its own; its neighbors are looked at
    if (plane.normal.dot(vertices.col(farthest(plane.normal)) - plane.corner) <= slack) continue;
    // a thin face may be in front of this one by more than it is in front of another
    looks += vertices.cols();
    if (looks > kMostVisits) {
      throw InvalidInput("Convex.faces",
                         "too many faces that vertices are in front of by about 1e-9 of the extent",
                         "call Convex.from_points for the hull");
    }
    check_behind_face(vertices, f, plane, slack);
  }
}

}  // namespace tactum
