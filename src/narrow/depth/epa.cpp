// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/depth/epa.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <bit>
#include <cassert>

#include "math/epsilon.hpp"
#include "math/tangent_plane.hpp"
#include "math/triangle_normal.hpp"
#include "narrow/depth/depth_bound_cone.hpp"
#include "narrow/depth/depth_bound_point.hpp"
#include "narrow/depth/epa_polyhedral.hpp"
#include "narrow/depth/plane_kernels.hpp"
#include "narrow/depth/triangle_kernels.hpp"

namespace tactum {
namespace {

constexpr int kMaxVertices = 256;
constexpr int kMaxFaces = kMaxPolytopeFaces;
constexpr std::uint16_t kNone = 0xFFFF;
constexpr int kNoFace = -1;
constexpr double kRefinementGap = 0.03;  ///< of the depth: Newton is tried where a face is this
                                         ///< near to the surface beyond it
constexpr double kSliverSlack = 1e-10;   ///< of the scale: more than the error of planes whose sine
                                         ///< lies between kFlatSine and kExactSine

struct Face {
  std::array<std::uint16_t, 3> vertex;  ///< counter-clockwise seen from outside
  std::array<std::uint16_t, 3> across;  ///< 4 * face + edge on the other side of the edge from
                                        ///< vertex[i] to vertex[i + 1]
};

std::size_t next(std::size_t i) { return i == 2 ? 0 : i + 1; }

/// The growing polytope, in fixed storage; free slots are used again.
class Polytope {
 public:
  explicit Polytope(const CorePair& pair)
      : pair_(pair), rounding_(4.0 * kEpsilon * pair.scale()), passes_(face_passes()) {
    edge_from_.fill(kNone);
  }

  bool start(const Simplex& tetrahedron);
  bool insert(const MinkowskiPoint& point);
  int best_face();
  bool pass_over(int f);
  Vector3 normal(int f) const { return {planes_.x[f], planes_.y[f], planes_.z[f]}; }
  double value(int f) const { return planes_.value[f]; }
  Simplex simplex_of(int f) const;
  bool full() const { return num_vertices_ >= kMaxVertices - 1; }

 private:
  struct HorizonEdge {
    std::uint16_t from, to, across;
  };

  bool visible(int f) const { return (visible_[f / 64] >> (f % 64) & 1U) != 0; }
  void keep_connected(const Vector3& w);
  bool collect_horizon();
  bool build_fan(std::uint16_t apex);
  bool set_plane(int f, Double3 to_from, Double3 to_to);
  Double3 edge_from_apex(int apex, int vertex) const {
    return to_double3(pair_.edge(vertices_[apex], vertices_[vertex]));
  }
  bool make_exact(int f);
  void set_free(int f);
  [[maybe_unused]] bool is_closed() const;
  int take_slot();

  const CorePair& pair_;
  double rounding_;
  const FacePasses& passes_;
  int num_vertices_ = 0;
  int num_slots_ = 0;
  int num_free_ = 0;
  int num_horizon_ = 0;
  int best_ = 0;  ///< the face with the largest bound
  FacePlanes planes_;
  std::array<bool, kMaxFaces> exact_;
  std::array<std::uint64_t, kMaxFaces / 64> visible_;
  std::array<Face, kMaxFaces> faces_;
  std::array<std::uint16_t, kMaxFaces> free_;
  std::array<HorizonEdge, kMaxFaces> horizon_;
  std::array<std::uint16_t, kMaxFaces> made_;          ///< the new face at each horizon edge
  std::array<std::uint16_t, kMaxVertices> edge_from_;  ///< the horizon edge that begins at a vertex
  std::array<MinkowskiPoint, kMaxVertices> vertices_;
};

/// Makes the plane of a sliver exact, with a normal that is orthogonal to its edges. The value is
/// the largest over the vertices.
bool Polytope::make_exact(int f) {
  const MinkowskiPoint& p = vertices_[faces_[f].vertex[0]];
  const MinkowskiPoint& q = vertices_[faces_[f].vertex[1]];
  const MinkowskiPoint& r = vertices_[faces_[f].vertex[2]];
  const Vector3 n = triangle_normal(pair_.edge(p, r), pair_.edge(p, q));
  planes_.x[f] = n.x();
  planes_.y[f] = n.y();
  planes_.z[f] = n.z();
  planes_.value[f] = planes_.bound[f] = std::max(n.dot(p.w), std::max(n.dot(q.w), n.dot(r.w)));
  exact_[f] = true;
  return !n.isZero(0.0);
}

void Polytope::set_free(int f) {
  planes_.x[f] = planes_.y[f] = planes_.z[f] = 0.0;
  planes_.value[f] = planes_.bound[f] = -std::numeric_limits<double>::infinity();
}

/// Whether every face and the one across each of its edges name each other, with the edge run along
/// in opposite directions.
bool Polytope::is_closed() const {
  for (int f = 0; f < num_slots_; ++f) {
    const bool is_free = planes_.x[f] == 0.0 && planes_.y[f] == 0.0 && planes_.z[f] == 0.0;
    for (std::size_t i = 0; !is_free && i < 3; ++i) {
      const std::size_t other = faces_[f].across[i] / 4U, edge = faces_[f].across[i] % 4U;
      const Face& beyond = faces_[other];
      if (beyond.across[edge] != 4U * static_cast<unsigned>(f) + i) return false;
      if (beyond.vertex[edge] != faces_[f].vertex[next(i)]) return false;
      if (beyond.vertex[next(edge)] != faces_[f].vertex[i]) return false;
    }
  }
  return true;
}

/// Finds a slot for a new face. Slots come in blocks of eight, so that passes may read whole
/// vectors.
int Polytope::take_slot() {
  if (num_free_ > 0) return free_[--num_free_];
  if (num_slots_ % 8 == 0) {
    for (int f = num_slots_; f < num_slots_ + 8; ++f) set_free(f);
  }
  return num_slots_++;
}

bool Polytope::start(const Simplex& tetrahedron) {
  for (std::size_t i = 0; i < 4; ++i) vertices_[i] = tetrahedron.points[i];
  const Vector3 e1 = vertices_[1].w - vertices_[0].w;
  const Vector3 e2 = vertices_[2].w - vertices_[0].w;
  const Vector3 e3 = vertices_[3].w - vertices_[0].w;
  if (e1.cross(e2).dot(e3) < 0.0) std::swap(vertices_[1], vertices_[2]);
  num_vertices_ = 4;
  for (int f = 0; f < 4; ++f) take_slot();
  // counter-clockwise seen from outside when the volume is positive
  faces_[0] = {{0, 2, 1}, {4 * 3 + 0, 4 * 2 + 0, 4 * 1 + 0}};
  faces_[1] = {{0, 1, 3}, {4 * 0 + 2, 4 * 2 + 2, 4 * 3 + 1}};
  faces_[2] = {{1, 2, 3}, {4 * 0 + 1, 4 * 3 + 2, 4 * 1 + 1}};
  faces_[3] = {{2, 0, 3}, {4 * 0 + 0, 4 * 1 + 2, 4 * 2 + 1}};
  best_ = 0;
  for (int f = 0; f < 4; ++f) {
    const auto& corner = faces_[f].vertex;
    if (!set_plane(f, edge_from_apex(corner[2], corner[0]), edge_from_apex(corner[2], corner[1])))
      return false;
    if (planes_.bound[f] > planes_.bound[best_]) best_ = f;
  }
  return true;
}

/// The face nearest to the origin, with its plane made exact; kNoFace when that face is too flat to
/// have a plane.
int Polytope::best_face() {
  while (!exact_[best_]) {
    if (!make_exact(best_)) return kNoFace;
    constexpr std::array<std::uint64_t, kMaxFaces / 64> none_marked{};
    best_ = passes_.best_unmarked(planes_, num_slots_, none_marked.data());
  }
  return best_;
}

/// Excludes a face from the choice of the best one, because something else proves the depth beyond
/// it. False when no face is left.
bool Polytope::pass_over(int f) {
  planes_.bound[f] = -std::numeric_limits<double>::infinity();
  constexpr std::array<std::uint64_t, kMaxFaces / 64> none_marked{};
  best_ = passes_.best_unmarked(planes_, num_slots_, none_marked.data());
  return planes_.bound[best_] > -std::numeric_limits<double>::infinity();
}

/// The three points of a face, with the weights of the projection of the origin on its plane, which
/// may be negative.
Simplex Polytope::simplex_of(int f) const {
  Simplex simplex;
  for (const std::uint16_t v : faces_[f].vertex) simplex.push(vertices_[v]);
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

/// Unmarks all visible faces that are not connected to the one that sees the point best.
void Polytope::keep_connected(const Vector3& w) {
  std::array<std::uint64_t, kMaxFaces / 64> connected{};
  std::array<std::uint16_t, kMaxFaces> stack;
  int depth = 0;
  const auto push_face = [&](int f) {
    stack[depth++] = static_cast<std::uint16_t>(f);
    connected[f / 64] |= std::uint64_t{1} << (f % 64);
  };
  const auto below = [&](int f) { return planes_.value[f] - normal(f).dot(w); };
  int seed = 0;
  for (int f = 1; f < num_slots_; ++f) seed = below(f) > below(seed) ? f : seed;
  push_face(seed);
  while (depth > 0) {
    const Face& face = faces_[stack[--depth]];
    for (const std::uint16_t across : face.across) {
      const int g = across / 4;
      if (visible(g) && (connected[g / 64] >> (g % 64) & 1U) == 0) push_face(g);
    }
  }
  visible_ = connected;
}

/// Lists the edges around the visible faces in order. False, and nothing changed, unless they form
/// one closed loop.
bool Polytope::collect_horizon() {
  std::array<HorizonEdge, kMaxFaces> found;
  num_horizon_ = 0;
  for (int word = 0; 64 * word < num_slots_; ++word) {
    for (std::uint64_t rest = visible_[word]; rest != 0; rest &= rest - 1) {
      const Face& face = faces_[64 * word + std::countr_zero(rest)];
      for (std::size_t i = 0; i < 3; ++i) {
        if (visible(face.across[i] / 4)) continue;
        edge_from_[face.vertex[i]] = static_cast<std::uint16_t>(num_horizon_);
        found[num_horizon_++] = {face.vertex[i], face.vertex[next(i)], face.across[i]};
      }
    }
  }
  if (num_horizon_ < 3) return false;
  int at = 0;
  for (int e = 0; e < num_horizon_; ++e) {
    horizon_[e] = found[at];
    const std::uint16_t follower = edge_from_[found[at].to];
    if (follower >= num_horizon_ || found[follower].from != found[at].to) return false;
    at = follower;
    if (at == 0) return e == num_horizon_ - 1;
  }
  return false;
}

/// Sets the plane of the triangle (from, to, apex), given its edges from the apex. The normal of a
/// sliver is inexact: its bound allows for the error until make_exact() is needed.
bool Polytope::set_plane(int f, Double3 to_from, Double3 to_to) {
  const Face& face = faces_[f];
  const Double3 area = cross(to_to, to_from);
  const double squared = area.squared_norm(), edges = to_from.squared_norm() * to_to.squared_norm();
  exact_[f] = squared > kExactSine * kExactSine * edges;
  if (!(squared > kFlatSine * kFlatSine * edges)) return make_exact(f);
  const Double3 n = (1.0 / std::sqrt(squared)) * area;
  const double value = std::max(dot(n, to_double3(vertices_[face.vertex[0]].w)),
                                std::max(dot(n, to_double3(vertices_[face.vertex[1]].w)),
                                         dot(n, to_double3(vertices_[face.vertex[2]].w))));
  planes_.x[f] = n.x;
  planes_.y[f] = n.y;
  planes_.z[f] = n.z;
  planes_.value[f] = value;
  planes_.bound[f] = value + (exact_[f] ? 0.0 : kSliverSlack * pair_.scale());
  return true;
}

/// Replaces the visible faces by new ones from the horizon to the apex.
bool Polytope::build_fan(std::uint16_t apex) {
  if (visible(best_)) best_ = passes_.best_unmarked(planes_, num_slots_, visible_.data());
  if (best_ < 0) return false;
  for (int word = 0; 64 * word < num_slots_; ++word) {
    for (std::uint64_t rest = visible_[word]; rest != 0; rest &= rest - 1) {
      const int f = 64 * word + std::countr_zero(rest);
      set_free(f);
      free_[num_free_++] = static_cast<std::uint16_t>(f);
    }
  }
  if (num_horizon_ > num_free_ + kMaxFaces - num_slots_) return false;
  for (int e = 0; e < num_horizon_; ++e) made_[e] = static_cast<std::uint16_t>(take_slot());
  for (int e = 0; e < num_horizon_; ++e) {
    const HorizonEdge& edge = horizon_[e];
    const int before = made_[e == 0 ? num_horizon_ - 1 : e - 1];
    const int after = made_[e == num_horizon_ - 1 ? 0 : e + 1];
    faces_[made_[e]] = {{edge.from, edge.to, apex},
                        {edge.across, static_cast<std::uint16_t>(4 * after + 2),
                         static_cast<std::uint16_t>(4 * before + 1)}};
    faces_[edge.across / 4].across[edge.across % 4] = static_cast<std::uint16_t>(4 * made_[e]);
  }
  // planes are set together with the choice of the best: written as numbers and read back as
  // vectors they would stall
  Double3 to_from = edge_from_apex(apex, horizon_[0].from);
  for (int e = 0; e < num_horizon_; ++e) {
    const Double3 to_to = edge_from_apex(apex, horizon_[e].to);
    if (!set_plane(made_[e], to_from, to_to)) return false;
    to_from = to_to;
    if (planes_.bound[made_[e]] > planes_.bound[best_]) best_ = made_[e];
  }
  assert(is_closed());
  return true;
}

/// Adds a point outside the polytope. Returns true without a change when no face sees the point
/// clearly.
bool Polytope::insert(const MinkowskiPoint& point) {
  if (!passes_.mark_visible(planes_, num_slots_, point.w.data(), rounding_, visible_.data()))
    return true;
  if (full()) return false;
  if (!collect_horizon()) {
    // rounding has marked faces that are not connected with the rest
    keep_connected(point.w);
    if (!collect_horizon()) return false;
  }
  const auto apex = static_cast<std::uint16_t>(num_vertices_++);
  vertices_[apex] = point;
  return build_fan(apex);
}

/// Records the directions that are evaluated while the start is completed: each of them may already
/// prove that the cores only touch.
struct Probe {
  CorePair& pair;
  SeparationOptimum& optimum;

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

/// Distance of a point from the affine hull of the simplex, as a fraction that is zero when the
/// point adds no dimension.
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
      for (const auto& [x, y] : {std::pair(1.0, 0.0), std::pair(0.0, 1.0),
                                 std::pair(M_SQRT1_2, M_SQRT1_2), std::pair(M_SQRT1_2, -M_SQRT1_2)})
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
  return e1.cross(e2).norm() > 64.0 * kEpsilon * e1.norm() * e2.norm() &&
         height_over(base, s.points[3].w) > flat;
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

/// Cones about the local optima of smooth cores. The polytope need not grow beyond a face inside
/// one of them.
class DepthBoundCones {
 public:
  DepthBoundCones(const CorePair& pair, double gap) : pair_(pair), gap_(gap) {}

  void add(const SeparationOptimum& optimum) {
    if (count_ == kMost) return;
    DepthBoundCone& cone = cones_[count_++];
    cone = prove_cone(pair_, optimum);
    if (cone.upper - optimum.lower > 0.75 * gap_) cone.cosine = 2.0;
  }
  /// Whether the optimum along this normal has been tried for a cone.
  bool has_tried(const Vector3& normal) const {
    return std::any_of(cones_.begin(), cones_.begin() + count_, [&](const DepthBoundCone& cone) {
      return dot(cone.axis, to_double3(normal)) > 1.0 - 1e-9;
    });
  }
  /// Whether a cone contains every direction better than `lower` beyond the given plane
  /// (DepthBoundCone::holds). If so, upper() accounts for that cone.
  bool cover_part_beyond(const Vector3& normal, double value, double lower) {
    for (int i = 0; i < count_; ++i) {
      if (!cones_[i].holds(to_double3(normal), value, lower)) continue;
      upper_ = std::max(upper_, cones_[i].upper);
      return true;
    }
    return false;
  }
  double upper() const { return upper_; }  ///< upper bound that the cones used so far have proved

 private:
  static constexpr int kMost = 16;
  const CorePair& pair_;
  double gap_;
  int count_ = 0;
  double upper_ = -std::numeric_limits<double>::infinity();
  std::array<DepthBoundCone, kMost> cones_;
};

/// Whether `lower` is better than the optimum. If the points of the optimum are exact, it must be
/// better by more than rounding, so that they are not lost for rounding.
bool is_better(double lower, const SeparationOptimum& optimum, double flat) {
  return lower > optimum.lower + (optimum.residual <= flat ? flat : 0.0);
}

/// Grows the polytope around its best face until the bounds meet.
class Expansion {
 public:
  Expansion(CorePair& pair, Polytope& polytope, double gap, SeparationOptimum& optimum,
            double& upper, int& iterations)
      : pair_(pair),
        polytope_(polytope),
        gap_(gap),
        flat_(16.0 * kEpsilon * pair.scale()),
        smooth_(!pair.polyhedral()),
        optimum_(optimum),
        upper_(upper),
        iterations_(iterations),
        next_refinement_(iterations + 2),
        cones_(pair, gap) {}

  bool run() {
    // an optimum that is exact already only has to be proved
    Progress progress = smooth_ && optimum_.residual <= flat_ ? insert_optimum(optimum_)
                                                              : Progress::open;
    while (progress == Progress::open && !polytope_.full()) progress = step();
    if (progress == Progress::open) {
      // the polytope is full but sound, so its bound holds
      const int best = polytope_.best_face();
      if (best != kNoFace) upper_ = bound_of(best);
    }
    return progress == Progress::proved;
  }

 private:
  enum class Progress : std::uint8_t { open, proved, broken };

  Progress step() {
    const int best = polytope_.best_face();
    if (best == kNoFace) return Progress::broken;
    const Vector3 normal = polytope_.normal(best);
    if (cones_.cover_part_beyond(normal, polytope_.value(best), optimum_.lower)) {
      if (polytope_.pass_over(best)) return Progress::open;
      upper_ = std::min(upper_, std::max(cones_.upper(), optimum_.lower));
      return Progress::proved;
    }
    ++iterations_;
    const MinkowskiPoint point = pair_.support(normal);
    const double lower = normal.dot(point.w), bound = bound_of(best);
    // witness points are computed only for the face that is returned
    if (is_better(lower, optimum_, smooth_ ? flat_ : -1.0))
      optimum_ = {normal, lower, Vector3::Zero(), Vector3::Zero(),
                  std::numeric_limits<double>::infinity()};
    if (bound - std::max(lower, optimum_.lower) <= gap_) {
      end_at(best, lower, bound);
      return Progress::proved;
    }
    const bool near_surface = polytope_.value(best) - lower <= -kRefinementGap * lower;
    if (!(smooth_ && near_surface && iterations_ >= next_refinement_))
      return polytope_.insert(point) ? Progress::open : Progress::broken;
    const Simplex face = polytope_.simplex_of(best);
    return polytope_.insert(point) ? refine_face(face, normal) : Progress::broken;
  }

  double bound_of(int face) const {
    return std::min(upper_, std::max(polytope_.value(face), cones_.upper()));
  }

  void end_at(int best, double lower, double bound) {
    upper_ = bound;
    const Simplex simplex = polytope_.simplex_of(best);
    const Vector3 normal = polytope_.normal(best);
    const SeparationOptimum found = optimum_of(simplex, normal, lower);
    if (bound - lower <= gap_ && found.residual < optimum_.residual) optimum_ = found;
    if (optimum_.residual > gap_) refine_by_newton(pair_, simplex, normal, optimum_);
  }

  /// Runs Newton from a face that is close to the surface beyond it. Every local optimum counts,
  /// not only the best one, because it may have a cone.
  Progress refine_face(const Simplex& face, const Vector3& normal) {
    SeparationOptimum local{.lower = -std::numeric_limits<double>::infinity()};
    const bool found = refine_by_newton(pair_, face, normal, local);
    next_refinement_ = iterations_ + (found ? 2 : 4);
    if (is_better(local.lower, optimum_, flat_) ||
        (found && local.lower >= optimum_.lower - flat_ && !optimum_.stationary))
      optimum_ = local;
    if (!found) return Progress::open;
    const double global = std::max(upper_bound_by_points(pair_, local), local.lower);
    if (global - optimum_.lower <= gap_) {
      upper_ = std::min(upper_, global);
      return Progress::proved;
    }
    return cones_.has_tried(local.normal) ? Progress::open : insert_optimum(local);
  }

  Progress insert_optimum(const SeparationOptimum& exact) {
    if (!polytope_.insert(pair_.support(exact.normal))) return Progress::broken;
    cones_.add(exact);
    return Progress::open;
  }

  CorePair& pair_;
  Polytope& polytope_;
  double gap_;
  double flat_;
  bool smooth_;
  SeparationOptimum& optimum_;
  double& upper_;
  int& iterations_;
  int next_refinement_;  ///< iteration from which on Newton may be tried again
  DepthBoundCones cones_;
};

}  // namespace

bool expand_polytope(CorePair& pair, const Simplex& start, double gap, SeparationOptimum& optimum,
                     double& upper, int& iterations) {
  const double flat = 16.0 * kEpsilon * pair.scale();
  Probe probe{pair, optimum};
  Simplex tetrahedron = start;
  if (!is_tetrahedron(tetrahedron, flat)) {
    keep_independent(flat, tetrahedron);
    // a flat M has no inside: one of the directions on the way has proved that the cores touch
    if (!complete_tetrahedron(probe, flat, tetrahedron)) return upper - optimum.lower <= gap;
  }
  if (pair.polyhedral() &&
      expand_small_polytope(pair, tetrahedron, gap, optimum, upper, iterations))
    return true;
  Polytope polytope(pair);
  return polytope.start(tetrahedron) &&
         Expansion(pair, polytope, gap, optimum, upper, iterations).run();
}

}  // namespace tactum
