// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/small_polytope.hpp"

#include <bit>

#include "narrow/face_planes.hpp"
#include "narrow/facet.hpp"
#include "narrow/warm_start.hpp"

namespace tactum {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr int kMaxVertices = 64;
constexpr int kMaxFaces = 128;
constexpr int kWords = kMaxFaces / 64;

using Triangle = WarmPolytope::Triangle;
using FaceMask = std::array<std::uint64_t, kWords>;

std::uint64_t bit(int i) { return std::uint64_t{1} << i; }

template <class Visit>
void for_each(const FaceMask& mask, Visit&& visit) {
  for (int word = 0; word < kWords; ++word) {
    for (std::uint64_t rest = mask[word]; rest != 0; rest &= rest - 1) visit(64 * word + std::countr_zero(rest));
  }
}

class SmallPolytope {
 public:
  explicit SmallPolytope(const CorePair& pair) : pair_(pair), rounding_(4.0 * kEpsilon * pair.scale()), passes_(face_passes()) {}

  bool start(const Simplex& tetrahedron);
  bool resume(const WarmPolytope& last, const PackedPoint* points);
  bool insert(const MinkowskiPoint& point);
  int nearest() const { return nearest_; }
  bool is_rough(int f) const { return rough_[f]; }
  bool is_refined(int f) const { return refined_[f]; }
  bool may_be_facet(int f) const;
  bool refine(int f);
  Facet facet(int f) const;
  Double3 normal(int f) const { return {planes_.x[f], planes_.y[f], planes_.z[f]}; }
  double value(int f) const { return planes_.value[f]; }
  Simplex simplex_of(int f) const;
  void record(WarmPolytope& result) const;

 private:
  bool is_visible(int f) const { return (visible_[f / 64] & bit(f % 64)) != 0; }
  bool set_plane(int f, Double3 to_from, Double3 to_to);
  bool collect_horizon();
  void keep_connected();
  bool build_fan(int apex);
  void set_free(int f);
  int take_slot();

  const CorePair& pair_;
  double rounding_;
  const FacePasses& passes_;
  int num_vertices_ = 0;
  int num_slots_ = 0;
  int num_free_ = 0;
  int num_horizon_ = 0;
  int nearest_ = 0;  ///< the face with the largest value
  FaceMask visible_ = {};
  FacePlanes planes_;
  std::array<bool, kMaxFaces> rough_;    ///< a sliver, its normal inexact
  std::array<bool, kMaxFaces> refined_;  ///< its plane is that of facet()
  std::array<Triangle, kMaxFaces> faces_;
  std::array<std::uint8_t, kMaxFaces> free_;
  std::array<std::uint8_t, kMaxVertices> horizon_;      ///< the loop around the visible faces
  std::array<std::uint64_t, kMaxVertices> edges_from_;  ///< a row of bits for each vertex of visible faces: where edges go
  std::array<PackedPoint, kMaxVertices> points_;
  std::array<PiecePair, kMaxVertices> names_;
};

void SmallPolytope::set_free(int f) {
  planes_.x[f] = planes_.y[f] = planes_.z[f] = 0.0;
  planes_.value[f] = planes_.bound[f] = -std::numeric_limits<double>::infinity();
}

/// A slot for a new face. Slots come in blocks of eight, so that passes may read whole vectors.
int SmallPolytope::take_slot() {
  if (num_free_ > 0) return free_[--num_free_];
  if (num_slots_ % 8 == 0) {
    for (int f = num_slots_; f < num_slots_ + 8; ++f) set_free(f);
  }
  return num_slots_++;
}

/// Plane of a triangle whose edges from the last corner are given. False when it is too flat or does not have the origin behind it.
bool SmallPolytope::set_plane(int f, Double3 to_from, Double3 to_to) {
  const Double3 area = cross(to_to, to_from);
  const double squared = area.squared_norm(), edges = to_from.squared_norm() * to_to.squared_norm();
  if (!(squared > kFlatSine * kFlatSine * edges)) return false;
  const Double3 n = (1.0 / std::sqrt(squared)) * area;
  const auto& [i, j, k] = faces_[f];
  const double value = std::max(dot(n, points_[i].plain()), std::max(dot(n, points_[j].plain()), dot(n, points_[k].plain())));
  planes_.x[f] = n.x;
  planes_.y[f] = n.y;
  planes_.z[f] = n.z;
  planes_.value[f] = planes_.bound[f] = value;
  rough_[f] = squared <= kExactSine * kExactSine * edges;
  refined_[f] = false;
  return value < -rounding_;
}

bool SmallPolytope::start(const Simplex& tetrahedron) {
  for (std::size_t i = 0; i < 4; ++i) {
    const Vector3& w = tetrahedron.points[i].w;
    points_[i] = {w.x(), w.y(), w.z(), 0.0};
    names_[i] = tetrahedron.points[i].piece;
  }
  const Double3 p = points_[0].plain();
  if (dot(cross(points_[1].plain() - p, points_[2].plain() - p), points_[3].plain() - p) < 0.0) {
    std::swap(points_[1], points_[2]);
    std::swap(names_[1], names_[2]);
  }
  num_vertices_ = 4;
  constexpr std::array<Triangle, 4> triangles = {{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}};
  for (int f = 0; f < 4; ++f) {
    faces_[take_slot()] = triangles[f];
    const Double3 apex = points_[triangles[f][2]].plain();
    if (!set_plane(f, points_[triangles[f][0]].plain() - apex, points_[triangles[f][1]].plain() - apex)) return false;
    if (planes_.value[f] > planes_.value[nearest_]) nearest_ = f;
  }
  return true;
}

bool SmallPolytope::resume(const WarmPolytope& last, const PackedPoint* points) {
  for (const auto& vertices : last.vertices()) {
    points_[num_vertices_] = points[num_vertices_];
    names_[num_vertices_++] = {vertices[0], vertices[1]};
  }
  for (const Triangle& triangle : last.triangles()) faces_[num_slots_++] = triangle;
  refined_.fill(false);
  const bool around = triangle_passes().set_planes(points_.data(), last.triangles(), rounding_, planes_, rough_.data());
  for (int f = num_slots_; f % 8 != 0; ++f) set_free(f);
  constexpr FaceMask none{};
  nearest_ = passes_.best_unmarked(planes_, num_slots_, none.data());
  return around;
}

Facet SmallPolytope::facet(int f) const {
  const auto& [i, j, k] = faces_[f];
  return facet_of(pair_, {names_[i], names_[j], names_[k]}, {points_[i].plain(), points_[j].plain(), points_[k].plain()});
}

/// Whether the three vertices of each core that make the corners are few enough for a facet of M: a face and a vertex, or two edges.
bool SmallPolytope::may_be_facet(int f) const {
  const PiecePair &p = names_[faces_[f][0]], &q = names_[faces_[f][1]], &r = names_[faces_[f][2]];
  int count = 2;
  for (std::size_t core = 0; core < 2; ++core) {
    count += q[core] != p[core] ? 1 : 0;
    count += r[core] != p[core] && r[core] != q[core] ? 1 : 0;
  }
  return count == 4;
}

/// Makes the plane of a face exact to rounding; another may be the nearest afterwards.
bool SmallPolytope::refine(int f) {
  const Facet exact = facet(f);
  planes_.x[f] = exact.normal.x;
  planes_.y[f] = exact.normal.y;
  planes_.z[f] = exact.normal.z;
  planes_.value[f] = planes_.bound[f] = exact.value;
  rough_[f] = false;
  refined_[f] = true;
  constexpr FaceMask none{};
  nearest_ = passes_.best_unmarked(planes_, num_slots_, none.data());
  return exact.value < -rounding_;
}

Simplex SmallPolytope::simplex_of(int f) const {
  const Facet exact = facet(f);
  Simplex simplex;
  for (std::size_t i = 0; i < 3; ++i) {
    simplex.push({eigen(points_[faces_[f][i]].plain()), eigen(exact.a[i]), exact.vertices[i], eigen(exact.b_B[i])});
    simplex.weights[i] = exact.weights[i];
  }
  return simplex;
}

/// Leaves only the visible faces that are connected to the nearest one.
void SmallPolytope::keep_connected() {
  FaceMask connected = {};
  const auto take = [&](int f) {
    connected[f / 64] |= bit(f % 64);
    for (std::size_t i = 0; i < 3; ++i) edges_from_[faces_[f][i]] |= bit(faces_[f][i == 2 ? 0 : i + 1]);
  };
  for_each(visible_, [&](int f) {
    for (const std::uint8_t v : faces_[f]) edges_from_[v] = 0;
  });
  take(nearest_);
  for (bool grows = true; grows;) {
    grows = false;
    for_each(visible_, [&](int f) {
      if ((connected[f / 64] & bit(f % 64)) != 0) return;
      for (std::size_t i = 0; i < 3; ++i) {
        if ((edges_from_[faces_[f][i == 2 ? 0 : i + 1]] & bit(faces_[f][i])) == 0) continue;
        take(f);
        grows = true;
        return;
      }
    });
  }
  visible_ = connected;
}

/// Lists the vertices around the visible faces in order. False unless they are one simple loop: then nothing has been changed.
bool SmallPolytope::collect_horizon() {
  for_each(visible_, [&](int f) {
    for (const std::uint8_t v : faces_[f]) edges_from_[v] = 0;
  });
  int count = 0;
  for_each(visible_, [&](int f) {
    for (std::size_t i = 0; i < 3; ++i) {
      const int from = faces_[f][i], to = faces_[f][i == 2 ? 0 : i + 1];
      const std::uint64_t back = edges_from_[to] >> from & 1U;
      edges_from_[to] &= ~bit(from);
      edges_from_[from] |= (back ^ 1U) << to;
      count += back != 0 ? -1 : 1;
    }
  });
  int first = -1;
  for_each(visible_, [&](int f) {
    for (const std::uint8_t v : faces_[f]) first = first < 0 && edges_from_[v] != 0 ? v : first;
  });
  if (count < 3 || count > kMaxVertices || first < 0) return false;
  num_horizon_ = 0;
  for (int at = first; num_horizon_ < count;) {
    const std::uint64_t next = edges_from_[at];
    if (next == 0 || (next & (next - 1)) != 0) return false;
    horizon_[num_horizon_++] = static_cast<std::uint8_t>(at);
    at = std::countr_zero(next);
    if (at == first) return num_horizon_ == count;
  }
  return false;
}

/// Replaces the visible faces by new ones from the horizon to the apex.
bool SmallPolytope::build_fan(int apex) {
  nearest_ = passes_.best_unmarked(planes_, num_slots_, visible_.data());
  if (nearest_ < 0) return false;
  for_each(visible_, [&](int f) {
    set_free(f);
    free_[num_free_++] = static_cast<std::uint8_t>(f);
  });
  if (num_horizon_ > num_free_ + kMaxFaces - num_slots_) return false;
  const Double3 w = points_[apex].plain();
  const auto edge_to = [&](int e) { return points_[horizon_[e]].plain() - w; };
  Double3 to_from = edge_to(0);
  for (int e = 0; e < num_horizon_; ++e) {
    const int after = e == num_horizon_ - 1 ? 0 : e + 1;
    const Double3 to_to = edge_to(after);
    const int f = take_slot();
    faces_[f] = {horizon_[e], horizon_[after], static_cast<std::uint8_t>(apex)};
    if (!set_plane(f, to_from, to_to)) return false;
    to_from = to_to;
    if (planes_.value[f] > planes_.value[nearest_]) nearest_ = f;
  }
  return true;
}

/// Adds a point that the nearest face sees.
bool SmallPolytope::insert(const MinkowskiPoint& point) {
  if (num_vertices_ == kMaxVertices) return false;
  if (!passes_.mark_visible(planes_, num_slots_, point.w.data(), rounding_, visible_.data())) return false;
  if (!is_visible(nearest_)) return false;
  if (!collect_horizon()) {
    keep_connected();
    if (!collect_horizon()) return false;
  }
  const int apex = num_vertices_++;
  points_[apex] = {point.w.x(), point.w.y(), point.w.z(), 0.0};
  names_[apex] = point.piece;
  return build_fan(apex);
}

/// Leaves the polytope for the next query of this pair, or nothing where it is too large; the nearest face comes first.
void SmallPolytope::record(WarmPolytope& result) const {
  std::array<WarmPolytope::VertexPair, WarmPolytope::max_vertices> vertices;
  std::array<Triangle, WarmPolytope::max_triangles> triangles;
  std::array<std::uint8_t, kMaxVertices> place;
  place.fill(0xFF);
  std::size_t num_vertices = 0, num_triangles = 0;
  const auto put = [&](int f) {
    if (num_triangles == triangles.size()) return false;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint8_t v = faces_[f][i];
      if (place[v] == 0xFF) {
        if (num_vertices == vertices.size() || std::max(names_[v][0], names_[v][1]) > WarmPolytope::largest_vertex) return false;
        place[v] = static_cast<std::uint8_t>(num_vertices);
        vertices[num_vertices++] = {static_cast<std::uint16_t>(names_[v][0]), static_cast<std::uint16_t>(names_[v][1])};
      }
      triangles[num_triangles][i] = place[v];
    }
    ++num_triangles;
    return true;
  };
  result.clear();
  if (!put(nearest_)) return;
  for (int f = 0; f < num_slots_; ++f) {
    const bool in_use = planes_.value[f] > -std::numeric_limits<double>::infinity();
    if (in_use && f != nearest_ && !put(f)) return;
  }
  result.assign({vertices.data(), num_vertices}, {triangles.data(), num_triangles});
}

/// The answer at the nearest face, whose plane is exact and proved.
void take_optimum(CorePair& pair, const SmallPolytope& polytope, double lower, double gap, Optimum& optimum) {
  const Facet facet = polytope.facet(polytope.nearest());
  const Optimum found = optimum_at_foot(pair, facet, lower);
  if (has_foot(facet) && found.residual <= gap) {
    optimum = found;
    return;
  }
  const Simplex simplex = polytope.simplex_of(polytope.nearest());
  optimum = optimum_of(simplex, eigen(facet.normal), lower);
  newton_finish(pair, simplex, eigen(facet.normal), optimum);
}

/// Expands the face nearest to the origin until its plane is proved to be that of M.
bool expand(CorePair& pair, SmallPolytope& polytope, double gap, Optimum& optimum, double& upper, int& iterations) {
  MinkowskiPoint point;
  while (true) {
    const int nearest = polytope.nearest();
    // what may be the end is asked for with its exact plane at once
    if (polytope.is_rough(nearest) || (!polytope.is_refined(nearest) && polytope.may_be_facet(nearest))) {
      if (!polytope.refine(nearest)) return false;
      continue;
    }
    ++iterations;
    const double lower = pair.support(polytope.normal(nearest), point);
    const double open = polytope.value(nearest) - lower;
    if (open <= gap && polytope.is_refined(nearest)) {
      upper = std::min(upper, polytope.value(nearest));
      take_optimum(pair, polytope, lower, gap, optimum);
      if (pair.record != nullptr) polytope.record(*pair.record);
      return true;
    }
    // the end: from here on with the plane to rounding
    if (open <= 8.0 * gap && !polytope.is_refined(nearest)) {
      if (!polytope.refine(nearest)) return false;
    } else if (!polytope.insert(point)) {
      return false;
    }
  }
}

}  // namespace

bool expand_small_polytope(CorePair& pair, const Simplex& tetrahedron, double gap, Optimum& optimum, double& upper,
                           int& iterations) {
  SmallPolytope polytope(pair);
  return polytope.start(tetrahedron) && expand(pair, polytope, gap, optimum, upper, iterations);
}

bool resume_small_polytope(CorePair& pair, const WarmPolytope& last, const PackedPoint* points, double gap, Optimum& optimum,
                           double& upper, int& iterations) {
  SmallPolytope polytope(pair);
  return polytope.resume(last, points) && expand(pair, polytope, gap, optimum, upper, iterations);
}

}  // namespace tactum
