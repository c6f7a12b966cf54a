// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/epa.hpp"

#include <Eigen/Geometry>

#include "math/tangent_basis.hpp"
#include "math/triangle_normal.hpp"

namespace tactum {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr int kMaxVertices = 256;
constexpr int kMaxFaces = 2 * kMaxVertices;
constexpr std::uint16_t kNone = 0xFFFF;

struct Face {
  Vector3 normal;  ///< unit, towards the inside
  double value;    ///< normal . w on the face; minus infinity marks a free slot
  std::array<std::uint16_t, 3> vertex;
  std::array<std::uint16_t, 3> neighbor;  ///< across the edge from vertex[i] to vertex[i + 1]
};

std::size_t next(std::size_t i) { return i == 2 ? 0 : i + 1; }

/// The growing polytope: fixed storage, free slots reused.
class Polytope {
 public:
  explicit Polytope(const CorePair& pair) : pair_(pair), rounding_(4.0 * kEpsilon * pair.scale()) {}

  bool start(const Simplex& tetrahedron);
  bool insert(const MinkowskiPoint& point);
  std::uint16_t best_face() const;
  const Face& face(std::uint16_t f) const { return faces_[f]; }
  Simplex simplex_of(const Face& face) const;
  bool full() const { return num_vertices_ >= kMaxVertices - 1; }

 private:
  struct HorizonEdge {
    std::uint16_t from, to, outside;
  };

  bool sees(const MinkowskiPoint& point, const Face& face) const { return face.normal.dot(point.w) < face.value + rounding_; }
  bool set_plane(Face& face) const;
  bool collect_visible(const MinkowskiPoint& point, std::uint16_t seed);
  bool build_fan(std::uint16_t apex);
  std::uint16_t take_slot();

  const CorePair& pair_;
  double rounding_;
  int num_vertices_ = 0;
  int num_slots_ = 0;
  int num_free_ = 0;
  int num_horizon_ = 0;
  std::array<MinkowskiPoint, kMaxVertices> vertices_;
  std::array<Face, kMaxFaces> faces_;
  std::array<std::uint16_t, kMaxFaces> free_;
  std::array<HorizonEdge, kMaxFaces> horizon_;
};

/// Plane through the three vertices, normal towards the inside for vertices that run counter-clockwise seen from outside.
bool Polytope::set_plane(Face& face) const {
  const MinkowskiPoint& p = vertices_[face.vertex[0]];
  const Vector3 e1 = pair_.edge(p, vertices_[face.vertex[1]]);
  const Vector3 e2 = pair_.edge(p, vertices_[face.vertex[2]]);
  face.normal = triangle_normal(e2, e1);
  if (face.normal.isZero(0.0)) return false;
  // the largest over the vertices: the normal of a sliver is inexact, and the value is an upper bound
  face.value = std::max(
      {face.normal.dot(p.w), face.normal.dot(vertices_[face.vertex[1]].w), face.normal.dot(vertices_[face.vertex[2]].w)});
  return true;
}

bool Polytope::start(const Simplex& tetrahedron) {
  for (std::size_t i = 0; i < 4; ++i) vertices_[i] = tetrahedron.points[i];
  const Vector3 e1 = vertices_[1].w - vertices_[0].w;
  const Vector3 e2 = vertices_[2].w - vertices_[0].w;
  const Vector3 e3 = vertices_[3].w - vertices_[0].w;
  if (e1.cross(e2).dot(e3) < 0.0) std::swap(vertices_[1], vertices_[2]);
  num_vertices_ = 4;
  num_slots_ = 4;
  // counter-clockwise seen from outside when the volume is positive
  faces_[0] = {{}, 0.0, {0, 2, 1}, {3, 2, 1}};
  faces_[1] = {{}, 0.0, {0, 1, 3}, {0, 2, 3}};
  faces_[2] = {{}, 0.0, {1, 2, 3}, {0, 3, 1}};
  faces_[3] = {{}, 0.0, {2, 0, 3}, {0, 1, 2}};
  for (std::size_t f = 0; f < 4; ++f) {
    if (!set_plane(faces_[f])) return false;
  }
  return true;
}

std::uint16_t Polytope::best_face() const {
  std::uint16_t best = 0;
  for (int f = 1; f < num_slots_; ++f) {
    if (faces_[static_cast<std::size_t>(f)].value > faces_[best].value) best = static_cast<std::uint16_t>(f);
  }
  return best;
}

/// The three points of a face, with the weights of the foot of the perpendicular from the origin (which may be negative).
Simplex Polytope::simplex_of(const Face& face) const {
  Simplex simplex;
  for (const std::uint16_t v : face.vertex) simplex.push(vertices_[v]);
  const Vector3& p = simplex.points[0].w;
  const Vector3 e1 = pair_.edge(simplex.points[0], simplex.points[1]);
  const Vector3 e2 = pair_.edge(simplex.points[0], simplex.points[2]);
  const Vector3 normal = e1.cross(e2);
  const double squared_area = normal.squaredNorm();
  simplex.weights[1] = normal.dot(e2.cross(p)) / squared_area;
  simplex.weights[2] = normal.dot(p.cross(e1)) / squared_area;
  simplex.weights[0] = 1.0 - simplex.weights[1] - simplex.weights[2];
  return simplex;
}

std::uint16_t Polytope::take_slot() {
  if (num_free_ > 0) return free_[static_cast<std::size_t>(--num_free_)];
  return num_slots_ < kMaxFaces ? static_cast<std::uint16_t>(num_slots_++) : kNone;
}

/// Frees every face connected to `seed` that sees the point, and lists the edges around them.
bool Polytope::collect_visible(const MinkowskiPoint& point, std::uint16_t seed) {
  std::array<std::uint16_t, kMaxFaces> stack;
  std::array<bool, kMaxFaces> visible{};
  int depth = 0;
  int removed = 0;
  stack[static_cast<std::size_t>(depth++)] = seed;
  visible[seed] = true;
  num_horizon_ = 0;
  while (depth > 0) {
    const std::uint16_t f = stack[static_cast<std::size_t>(--depth)];
    ++removed;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint16_t g = faces_[f].neighbor[i];
      if (visible[g]) continue;
      if (!sees(point, faces_[g])) continue;
      visible[g] = true;
      stack[static_cast<std::size_t>(depth++)] = g;
    }
  }
  int live = 0;
  for (int slot = 0; slot < num_slots_; ++slot) {
    const auto f = static_cast<std::uint16_t>(slot);
    if (!visible[f]) {
      live += faces_[f].value > -std::numeric_limits<double>::infinity() ? 1 : 0;
      continue;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint16_t g = faces_[f].neighbor[i];
      if (!visible[g]) horizon_[static_cast<std::size_t>(num_horizon_++)] = {faces_[f].vertex[i], faces_[f].vertex[next(i)], g};
    }
  }
  if (live == 0 || num_horizon_ < 3) return false;
  for (int slot = 0; slot < num_slots_; ++slot) {
    const auto f = static_cast<std::uint16_t>(slot);
    if (!visible[f]) continue;
    faces_[f].value = -std::numeric_limits<double>::infinity();
    free_[static_cast<std::size_t>(num_free_++)] = f;
  }
  return true;
}

/// New faces from the horizon to the apex. The horizon must be one closed loop: every vertex on it begins exactly one edge.
bool Polytope::build_fan(std::uint16_t apex) {
  std::array<std::uint16_t, kMaxVertices> face_from;
  face_from.fill(kNone);
  for (int e = 0; e < num_horizon_; ++e) {
    const HorizonEdge& edge = horizon_[static_cast<std::size_t>(e)];
    const std::uint16_t f = take_slot();
    if (f == kNone || face_from[edge.from] != kNone) return false;
    face_from[edge.from] = f;
    Face& face = faces_[f];
    face.vertex = {edge.from, edge.to, apex};
    face.neighbor = {edge.outside, kNone, kNone};
    if (!set_plane(face)) return false;
    Face& outside = faces_[edge.outside];
    for (std::size_t i = 0; i < 3; ++i) {
      if (outside.vertex[i] == edge.to && outside.vertex[next(i)] == edge.from) outside.neighbor[i] = f;
    }
  }
  for (int e = 0; e < num_horizon_; ++e) {
    const HorizonEdge& edge = horizon_[static_cast<std::size_t>(e)];
    const std::uint16_t f = face_from[edge.from];
    const std::uint16_t after = face_from[edge.to];
    if (after == kNone) return false;
    faces_[f].neighbor[1] = after;
    faces_[after].neighbor[2] = f;
  }
  return true;
}

/// Adds a point outside the polytope; `true` and nothing done when no face sees it clearly.
bool Polytope::insert(const MinkowskiPoint& point) {
  std::uint16_t seed = kNone;
  double most = rounding_;
  for (int slot = 0; slot < num_slots_; ++slot) {
    const Face& face = faces_[static_cast<std::size_t>(slot)];
    const double below = face.value - face.normal.dot(point.w);
    if (below > most) {
      most = below;
      seed = static_cast<std::uint16_t>(slot);
    }
  }
  if (seed == kNone) return true;
  if (full()) return false;
  const auto apex = static_cast<std::uint16_t>(num_vertices_);
  vertices_[apex] = point;
  ++num_vertices_;
  return collect_visible(point, seed) && build_fan(apex);
}

/// Collects the directions asked while the start is completed: any of them may already prove that the cores only touch.
struct Probe {
  CorePair& pair;
  Optimum& optimum;

  MinkowskiPoint operator()(const Vector3& n) {
    const MinkowskiPoint point = pair.support(n);
    const double lower = n.dot(point.w);
    if (lower > optimum.lower) {
      Simplex single;
      single.push(point);
      single.weights[0] = 1.0;
      optimum = optimum_of(single, n, lower);
    }
    return point;
  }
};

/// Distance of a point from the affine hull of the simplex, as a fraction that is zero when it adds no dimension.
double height_over(const Simplex& s, const Vector3& w) {
  const Vector3 r = w - s.points[0].w;
  if (s.size == 1) return r.norm();
  const Vector3 e1 = s.points[1].w - s.points[0].w;
  if (s.size == 2) return e1.cross(r).norm() / e1.norm();
  const Vector3 normal = e1.cross(s.points[2].w - s.points[0].w);
  return std::abs(normal.dot(r)) / normal.norm();
}

/// Adds points until there are four in general position. False when M is flat within rounding.
bool complete_tetrahedron(Probe& probe, double flat, Simplex& s) {
  while (s.size < 4) {
    std::array<Vector3, 8> directions;
    std::size_t count = 0;
    const auto both = [&](const Vector3& u) {
      directions[count++] = u;
      directions[count++] = -u;
    };
    if (s.size == 1) {
      for (int axis = 0; axis < 3; ++axis) both(Vector3::Unit(axis));
    } else if (s.size == 2) {
      const auto tangent = tangent_basis((s.points[1].w - s.points[0].w).normalized());
      for (const auto& [x, y] :
           {std::pair(1.0, 0.0), std::pair(0.0, 1.0), std::pair(M_SQRT1_2, M_SQRT1_2), std::pair(M_SQRT1_2, -M_SQRT1_2)})
        both(x * tangent.col(0) + y * tangent.col(1));
    } else {
      both((s.points[1].w - s.points[0].w).cross(s.points[2].w - s.points[0].w).normalized());
    }
    MinkowskiPoint best{};
    double best_height = flat;
    for (std::size_t i = 0; i < count; ++i) {
      const MinkowskiPoint point = probe(directions[i]);
      const double height = height_over(s, point.w);
      if (height > best_height) {
        best_height = height;
        best = point;
      }
    }
    if (!(best_height > flat)) return false;
    s.push(best);
  }
  return true;
}

/// Whether four points stand in general position, so that they can start a polytope.
bool is_tetrahedron(const Simplex& s, double flat) {
  if (s.size < 4) return false;
  Simplex base = s;
  base.size = 3;
  const Vector3 e1 = s.points[1].w - s.points[0].w;
  const Vector3 e2 = s.points[2].w - s.points[0].w;
  return e1.cross(e2).norm() > 64.0 * kEpsilon * e1.norm() * e2.norm() && height_over(base, s.points[3].w) > flat;
}

/// Drops points until the rest are affinely independent.
void keep_independent(double flat, Simplex& s) {
  Simplex kept;
  for (int i = 0; i < s.size; ++i) {
    const MinkowskiPoint& point = s.points[static_cast<std::size_t>(i)];
    if (kept.size == 0 || height_over(kept, point.w) > flat) kept.push(point);
  }
  s = kept;
}

}  // namespace

bool expand_polytope(CorePair& pair, const Simplex& start, double gap, Optimum& optimum, double& upper, int& iterations) {
  const double flat = 16.0 * kEpsilon * pair.scale();
  Probe probe{pair, optimum};
  Simplex tetrahedron = start;
  if (!is_tetrahedron(tetrahedron, flat)) {
    keep_independent(flat, tetrahedron);
    // a flat M has no inside: a direction that proves the cores touch has been found on the way
    if (!complete_tetrahedron(probe, flat, tetrahedron)) return upper - optimum.lower <= gap;
  }
  Polytope polytope(pair);
  if (!polytope.start(tetrahedron)) return false;

  const bool smooth = !pair.polyhedral();
  int next_finish = 4;
  while (!polytope.full()) {
    ++iterations;
    const Face face = polytope.face(polytope.best_face());
    const MinkowskiPoint point = pair.support(face.normal);
    const double lower = face.normal.dot(point.w);
    if (lower > optimum.lower) optimum = optimum_of(polytope.simplex_of(face), face.normal, lower);
    if (std::min(upper, face.value) - optimum.lower <= gap) {
      upper = std::min(upper, face.value);
      newton_finish(pair, polytope.simplex_of(face), face.normal, optimum);
      return true;
    }
    if (!polytope.insert(point)) return false;
    if (smooth && iterations >= next_finish) {
      next_finish = 2 * iterations;
      const Face best = polytope.face(polytope.best_face());
      if (newton_finish(pair, polytope.simplex_of(best), best.normal, optimum) && !polytope.insert(pair.support(optimum.normal)))
        return false;
    }
  }
  // full, but sound: its bound holds
  upper = std::min(upper, polytope.face(polytope.best_face()).value);
  return false;
}

}  // namespace tactum
