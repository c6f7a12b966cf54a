// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/depth/epa_polyhedral.hpp"

#include <bit>
#include <cassert>

#include "math/epsilon.hpp"
#include "narrow/depth/facet.hpp"
#include "narrow/depth/plane_kernels.hpp"
#include "narrow/gjk/warm_polytope.hpp"

namespace tactum {
namespace {

constexpr int kMostVertices = 64;
constexpr int kMostFaces = 128;
constexpr int kWords = kMostFaces / 64;
constexpr int kNoTriangle = -1;
constexpr int kLargeHull = 500;  ///< number of vertices above which the memory that a support reads
                                 ///< is often not in a near cache

using Triangle = WarmPolytope::Triangle;
using FaceMask = std::array<std::uint64_t, kWords>;

constexpr std::array<Triangle, 4> kTetrahedron = {{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}};

std::uint64_t bit(int i) { return std::uint64_t{1} << i; }

template <class Visit>
void for_each(const FaceMask& mask, Visit&& visit) {
  for (int word = 0; word < kWords; ++word) {
    for (std::uint64_t rest = mask[word]; rest != 0; rest &= rest - 1)
      visit(64 * word + std::countr_zero(rest));
  }
}

class SmallPolytope {
 public:
  explicit SmallPolytope(const CorePair& pair)
      : pair_(pair),
        rounding_(4.0 * kEpsilon * pair.scale()),
        passes_(face_passes()),
        triangle_passes_(triangle_passes()) {}

  bool start(const Simplex& tetrahedron);
  bool resume(const WarmPolytope& last, const PackedPoint* points);
  bool insert(const MinkowskiPoint& point);
  int nearest() const { return nearest_; }
  int second() const { return second_; }
  bool is_rough(int f) const { return rough_[f]; }
  bool is_refined(int f) const { return refined_[f]; }
  bool may_be_facet(int f) const;
  bool refine(int f);
  const Facet& facet(int f);
  Double3 normal(int f) const { return {planes_.x[f], planes_.y[f], planes_.z[f]}; }
  double value(int f) const { return planes_.value[f]; }
  Simplex simplex_of(int f);
  void record(WarmPolytope& result) const;

 private:
  bool is_visible(int f) const { return (visible_[f / 64] & bit(f % 64)) != 0; }
  bool set_planes(std::span<const Triangle> triangles);
  bool collect_horizon();
  void keep_connected();
  int take_slot(FaceMask& open);
  bool build_fan(const MinkowskiPoint& point);
  void set_free(int f);
  [[maybe_unused]] bool is_closed() const;

  const CorePair& pair_;
  double rounding_;
  const FacePasses& passes_;
  const TrianglePasses& triangle_passes_;
  int num_vertices_ = 0;
  int num_faces_ = 0;
  int num_slots_ = 0;           ///< a multiple of eight, so that passes may read whole vectors
  int num_visible_ = 0;         ///< faces that collect_horizon() has gone around
  int nearest_ = 0;             ///< the face with the largest value
  int second_ = kNoTriangle;    ///< a near face: the best new or the best old one, whichever is not
                                ///< the nearest
  int facet_of_ = kNoTriangle;  ///< the face that `facet_` belongs to
  FaceMask visible_ = {};
  FaceMask free_ = {};  ///< slots without a face, including those beyond the count
  FacePlanes planes_;
  std::array<bool, kMostFaces> rough_;    ///< the face is a sliver, its normal inexact
  std::array<bool, kMostFaces> refined_;  ///< the plane of the face is that of facet()
  std::array<Triangle, kMostFaces> faces_;
  Fan fan_;                                                   ///< edges around the visible faces
  std::array<std::uint64_t, kMostVertices> edges_from_ = {};  ///< one row of bits for each vertex:
                                                              ///< the vertices that edges lead to;
                                                              ///< zero between uses
  Facet facet_;
  std::array<PackedPoint, kMostVertices> points_;
  std::array<PiecePair, kMostVertices> names_;
};

void SmallPolytope::set_free(int f) {
  planes_.x[f] = planes_.y[f] = planes_.z[f] = 0.0;
  planes_.value[f] = planes_.bound[f] = -std::numeric_limits<double>::infinity();
}

/// Whether every edge of a face is run along once in each direction.
bool SmallPolytope::is_closed() const {
  static_assert(kMostVertices <= 64);
  std::array<std::uint64_t, kMostVertices> ahead = {}, back = {};
  for (int f = 0; f < num_slots_; ++f) {
    if ((free_[f / 64] & bit(f % 64)) != 0) continue;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint8_t from = faces_[f][i], to = faces_[f][i == 2 ? 0 : i + 1];
      if ((ahead[from] & bit(to)) != 0) return false;
      ahead[from] |= bit(to);
      back[to] |= bit(from);
    }
  }
  return ahead == back;
}

/// Sets the planes of all faces of a new polytope. False when one of them is too flat or does not
/// have the origin behind it.
bool SmallPolytope::set_planes(std::span<const Triangle> triangles) {
  num_faces_ = static_cast<int>(triangles.size());
  std::copy(triangles.begin(), triangles.end(), faces_.begin());
  std::fill_n(refined_.begin(), num_faces_, false);
  const bool around = triangle_passes_.set_planes(points_.data(), triangles, rounding_, planes_,
                                                  rough_.data());
  for (num_slots_ = num_faces_; num_slots_ % 8 != 0; ++num_slots_) set_free(num_slots_);
  // a polytope starts with at most 64 faces (WarmPolytope)
  free_ = {num_faces_ < 64 ? ~std::uint64_t{0} << num_faces_ : 0, ~std::uint64_t{0}};
  constexpr FaceMask none{};
  nearest_ = passes_.best_unmarked(planes_, num_slots_, none.data());
  return around;
}
static_assert(WarmPolytope::max_triangles <= 64 && kWords == 2);

bool SmallPolytope::start(const Simplex& tetrahedron) {
  for (std::size_t i = 0; i < 4; ++i) {
    const Vector3& w = tetrahedron.points[i].w;
    points_[i] = {w.x(), w.y(), w.z(), 0.0};
    names_[i] = tetrahedron.points[i].piece;
  }
  const Double3 p = points_[0].to_double3();
  if (dot(cross(points_[1].to_double3() - p, points_[2].to_double3() - p),
          points_[3].to_double3() - p) < 0.0) {
    std::swap(points_[1], points_[2]);
    std::swap(names_[1], names_[2]);
  }
  num_vertices_ = 4;
  return set_planes(kTetrahedron);
}

bool SmallPolytope::resume(const WarmPolytope& last, const PackedPoint* points) {
  for (const auto& vertices : last.vertices()) {
    points_[num_vertices_] = points[num_vertices_];
    names_[num_vertices_++] = {vertices[0], vertices[1]};
  }
  return set_planes(last.triangles());
}

/// The facet of a face, exact to rounding; valid until the next call.
const Facet& SmallPolytope::facet(int f) {
  if (f == facet_of_) return facet_;
  const auto& [i, j, k] = faces_[f];
  set_facet(pair_, {names_[i], names_[j], names_[k]},
            {points_[i].to_double3(), points_[j].to_double3(), points_[k].to_double3()}, facet_);
  facet_of_ = f;
  return facet_;
}

/// Whether the three corners can belong to one facet of M: a face and a vertex, or two edges, which
/// limits the number of different vertices of each core.
bool SmallPolytope::may_be_facet(int f) const {
  const PiecePair &p = names_[faces_[f][0]], &q = names_[faces_[f][1]], &r = names_[faces_[f][2]];
  int count = 2;
  for (std::size_t core = 0; core < 2; ++core) {
    count += q[core] != p[core] ? 1 : 0;
    count += r[core] != p[core] && r[core] != q[core] ? 1 : 0;
  }
  return count == 4;
}

/// Makes the plane of the nearest face exact to rounding; another may be the nearest afterwards.
bool SmallPolytope::refine(int f) {
  const Facet& exact = facet(f);
  const bool nearer = exact.value >= planes_.value[f];
  planes_.x[f] = exact.normal.x;
  planes_.y[f] = exact.normal.y;
  planes_.z[f] = exact.normal.z;
  planes_.value[f] = planes_.bound[f] = exact.value;
  rough_[f] = false;
  refined_[f] = true;
  constexpr FaceMask none{};
  if (!nearer) nearest_ = passes_.best_unmarked(planes_, num_slots_, none.data());
  return exact.value < -rounding_;
}

Simplex SmallPolytope::simplex_of(int f) {
  const Facet& exact = facet(f);
  Simplex simplex;
  for (std::size_t i = 0; i < 3; ++i) {
    simplex.push({to_vector3(points_[faces_[f][i]].to_double3()), to_vector3(exact.a[i]),
                  exact.vertices[i], to_vector3(exact.b_B[i])});
    simplex.weights[i] = exact.weights[i];
  }
  return simplex;
}

/// Unmarks all visible faces that are not connected to the nearest one.
void SmallPolytope::keep_connected() {
  FaceMask connected = {};
  const auto collect_face = [&](int f) {
    connected[f / 64] |= bit(f % 64);
    for (std::size_t i = 0; i < 3; ++i)
      edges_from_[faces_[f][i]] |= bit(faces_[f][i == 2 ? 0 : i + 1]);
  };
  collect_face(nearest_);
  for (bool grows = true; grows;) {
    grows = false;
    for_each(visible_, [&](int f) {
      if ((connected[f / 64] & bit(f % 64)) != 0) return;
      for (std::size_t i = 0; i < 3; ++i) {
        if ((edges_from_[faces_[f][i == 2 ? 0 : i + 1]] & bit(faces_[f][i])) == 0) continue;
        collect_face(f);
        grows = true;
        return;
      }
    });
  }
  visible_ = connected;
  edges_from_.fill(0);
}

/// Lists the edges around the visible faces: the directed edges whose reverse is not among them.
/// False where two of them begin at one vertex. More than one loop does no harm: the new faces have
/// the same boundary as the part of the closed surface that they replace, and nothing more is
/// needed.
bool SmallPolytope::collect_horizon() {
  std::uint64_t touched = 0;
  num_visible_ = 0;
  for_each(visible_, [&](int f) {
    ++num_visible_;
    for (std::size_t i = 0; i < 3; ++i) {
      const int from = faces_[f][i], to = faces_[f][i == 2 ? 0 : i + 1];
      const std::uint64_t back = edges_from_[to] >> from & 1U;
      edges_from_[to] &= ~bit(from);
      edges_from_[from] |= (back ^ 1U) << to;
      touched |= bit(from);
    }
  });
  int count = 0;
  std::uint64_t more = 0;  // vertices with more than one edge
  for (; touched != 0; touched &= touched - 1) {
    const int from = std::countr_zero(touched);
    const std::uint64_t edges = edges_from_[from];
    edges_from_[from] = 0;
    more |= edges & (edges - 1);
    fan_.from[count] = static_cast<std::uint8_t>(from);
    fan_.to[count] = static_cast<std::uint8_t>(std::countr_zero(edges));
    count += edges != 0 ? 1 : 0;
  }
  fan_.count = count;
  return more == 0 && count > 0;
}

/// Removes the first slot from the set of open ones and returns it; the set must not be empty.
int SmallPolytope::take_slot(FaceMask& open) {
  int f = 0;
  if (open[0] != 0) {
    f = std::countr_zero(open[0]);
    open[0] &= open[0] - 1;
  } else {
    f = 64 + std::countr_zero(open[1]);
    open[1] &= open[1] - 1;
  }
  if (f >= num_slots_) [[unlikely]] {
    for (int end = num_slots_ + 8; num_slots_ < end; ++num_slots_) set_free(num_slots_);
  }
  return f;
}

/// Replaces the visible faces by new ones from the horizon to the point.
bool SmallPolytope::build_fan(const MinkowskiPoint& point) {
  if (nearest_ == kNoTriangle) return false;
  FaceMask open = {free_[0] | visible_[0], free_[1] | visible_[1]};
  num_faces_ += fan_.count - num_visible_;
  if (num_faces_ > kMostFaces) return false;
  const auto apex = static_cast<std::uint8_t>(num_vertices_++);
  names_[apex] = point.piece;
  fan_.apex = to_double3(point.w);
  points_[apex] = {point.w.x(), point.w.y(), point.w.z(), 0.0};
  if (facet_of_ != kNoTriangle && is_visible(facet_of_)) facet_of_ = kNoTriangle;
  for (int e = 0; e < fan_.count; ++e) {
    const int f = take_slot(open);
    fan_.slot[e] = static_cast<std::uint8_t>(f);
    faces_[f] = {fan_.from[e], fan_.to[e], apex};
    refined_[f] = false;
  }
  free_ = open;
  for_each({open[0] & visible_[0], open[1] & visible_[1]}, [&](int f) { set_free(f); });
  for (int e = fan_.count; e % 4 != 0; ++e) {
    fan_.from[e] = fan_.from[e - 1];
    fan_.to[e] = fan_.to[e - 1];
    fan_.slot[e] = fan_.slot[e - 1];
  }
  const FanPlanes made = triangle_passes_.set_fan(points_.data(), fan_, rounding_, planes_,
                                                  rough_.data());
  second_ = fan_.slot[made.nearest];
  if (made.value > planes_.value[nearest_]) std::swap(nearest_, second_);
  assert(is_closed());
  return made.around;
}

/// Adds a point that the nearest face sees.
bool SmallPolytope::insert(const MinkowskiPoint& point) {
  if (num_vertices_ == kMostVertices) return false;
  const SeenFaces seen = passes_.see_point(planes_, num_slots_, point.w.data(), rounding_,
                                           visible_.data());
  if (!seen.clearly || !is_visible(nearest_)) return false;
  if (collect_horizon()) {
    nearest_ = seen.best;
  } else {
    keep_connected();
    if (!collect_horizon()) return false;
    nearest_ = passes_.best_unmarked(planes_, num_slots_, visible_.data());
  }
  return build_fan(point);
}

/// Records the polytope for the next query of this pair, the nearest face first; records nothing
/// where it is too large.
void SmallPolytope::record(WarmPolytope& result) const {
  std::array<WarmPolytope::VertexPair, WarmPolytope::max_vertices> vertices;
  std::array<Triangle, WarmPolytope::max_triangles> triangles;
  std::array<std::uint8_t, kMostVertices> place;
  place.fill(0xFF);
  std::size_t num_vertices = 0, num_triangles = 0;
  const auto record_face = [&](int f) {
    if (num_triangles == triangles.size()) return false;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint8_t v = faces_[f][i];
      if (place[v] == 0xFF) {
        if (num_vertices == vertices.size() ||
            std::max(names_[v][0], names_[v][1]) > WarmPolytope::largest_vertex)
          return false;
        place[v] = static_cast<std::uint8_t>(num_vertices);
        vertices[num_vertices++] = {static_cast<std::uint16_t>(names_[v][0]),
                                    static_cast<std::uint16_t>(names_[v][1])};
      }
      triangles[num_triangles][i] = place[v];
    }
    ++num_triangles;
    return true;
  };
  result.clear();
  if (!record_face(nearest_)) return;
  for (int f = 0; f < num_slots_; ++f) {
    const bool in_use = planes_.value[f] > -std::numeric_limits<double>::infinity();
    if (in_use && f != nearest_ && !record_face(f)) return;
  }
  result.assign({vertices.data(), num_vertices}, {triangles.data(), num_triangles});
}

/// Takes the optimum at the nearest face, whose plane is exact and proved.
void take_optimum(CorePair& pair, SmallPolytope& polytope, double lower, double gap,
                  SeparationOptimum& optimum) {
  const Facet& facet = polytope.facet(polytope.nearest());
  const SeparationOptimum found = optimum_at_projection(pair, facet, lower);
  if (contains_projection(facet) && found.residual <= gap) {
    optimum = found;
    return;
  }
  const Simplex simplex = polytope.simplex_of(polytope.nearest());
  optimum = optimum_of(simplex, to_vector3(facet.normal), lower);
  refine_by_newton(pair, simplex, to_vector3(facet.normal), optimum);
}

bool is_large(const CoreShape& core) {
  return core.kind == CoreShape::Kind::polytope && core.polytope->num_vertices() >= kLargeHull;
}

/// Prefetches the memory that the support along a unit vector will read.
void prefetch_support(const CorePair& pair, Double3 n) {
  const Double3 to_a = -transposed_product(pair.X_AB().rotation, n);
  if (is_large(pair.a())) pair.a().polytope->prefetch_support(&n.x);
  if (is_large(pair.b())) pair.b().polytope->prefetch_support(&to_a.x);
}

/// Expands the face nearest to the origin until its plane is proved to be that of M.
bool expand(CorePair& pair, SmallPolytope& polytope, double gap, SeparationOptimum& optimum,
            double& upper, int& iterations) {
  MinkowskiPoint point;
  const bool large = is_large(pair.a()) || is_large(pair.b());
  while (true) {
    const int nearest = polytope.nearest();
    // a face that may end the search is evaluated with its exact plane at once
    if (polytope.is_rough(nearest) ||
        (!polytope.is_refined(nearest) && polytope.may_be_facet(nearest))) {
      if (!polytope.refine(nearest)) return false;
      continue;
    }
    ++iterations;
    const double lower = pair.support(polytope.normal(nearest), point);
    const double open = polytope.value(nearest) - lower;
    // memory of the support that may come next is fetched while this point is inserted
    if (large && polytope.second() != kNoTriangle)
      prefetch_support(pair, polytope.normal(polytope.second()));
    if (open <= gap && polytope.is_refined(nearest)) {
      upper = std::min(upper, polytope.value(nearest));
      take_optimum(pair, polytope, lower, gap, optimum);
      if (pair.record != nullptr) polytope.record(*pair.record);
      return true;
    }
    // near the end the plane is needed to rounding
    if (open <= 8.0 * gap && !polytope.is_refined(nearest)) {
      if (!polytope.refine(nearest)) return false;
    } else if (!polytope.insert(point)) {
      return false;
    }
  }
}

}  // namespace

bool expand_small_polytope(CorePair& pair, const Simplex& tetrahedron, double gap,
                           SeparationOptimum& optimum, double& upper, int& iterations) {
  // products of six lengths must not overflow
  if (!(pair.scale() > 1e-40 && pair.scale() < 1e40)) return false;
  SmallPolytope polytope(pair);
  return polytope.start(tetrahedron) && expand(pair, polytope, gap, optimum, upper, iterations);
}

bool resume_small_polytope(CorePair& pair, const WarmPolytope& last, const PackedPoint* points,
                           double gap, SeparationOptimum& optimum, double& upper, int& iterations) {
  SmallPolytope polytope(pair);
  return polytope.resume(last, points) && expand(pair, polytope, gap, optimum, upper, iterations);
}

}  // namespace tactum
