// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/pairs/stp_pair.hpp"

#include <numbers>

#include "math/constants.hpp"
#include "math/epsilon.hpp"
#include "math/tangent_plane.hpp"
#include "math/unit_vector.hpp"
#include "narrow/gjk/simplex.hpp"
#include "shape/stp/stp_surface.hpp"

namespace tactum {
namespace {

using Kind = CoreShape::Kind;
using PatchKind = StpSurface::Kind;
using Curvature = StpSurface::Curvature;

constexpr int kMaxSteps = 48;          ///< most evaluations of both supports
constexpr int kMaxEdgeSteps = 8;       ///< most steps of Newton on two edges
constexpr double kSame = 1.0 - 1e-12;  ///< cosine of a turn that counts as none
constexpr double kRound = 6.0;  ///< volumes with a smaller ratio of alpha to their size are round:
                                ///< their vertices say little
// Limits that choose the next normal. A turn of the normal, since the last query or evaluation, is
// 1 - cosine as a fraction of the squared angle between vertices.
constexpr double kSmallGap = 0.09;  ///< the patches of the simplex are tried first where the gap is
                                    ///< below this fraction of the gap that the angle between
                                    ///< vertices makes on a ball as large as the shapes
constexpr double kSmallTurn = 0.05;  ///< the patches of the simplex are tried first below this turn
constexpr double kTinyTurn = 0.002;  ///< the patches of the last query are kept even where their
                                     ///< vertices are no longer the nearest
constexpr double kLargeTurn = 0.5;   ///< many vertices have been passed, as if the shapes were
                                     ///< smooth
constexpr double kLongWay = 0.7;  ///< too far to walk from patch to patch: the direction table is
                                  ///< nearer

/// The patch where a walk over patches begins: the present one, one of its vertices, or one from
/// the direction table.
enum class WalkStart { patch, corner, table };

/// Up to three vertices, each named once.
struct VertexSet {
  std::array<std::int32_t, 3> names;
  int size = 0;

  void insert(std::int32_t name) {
    for (int i = 0; i < size; ++i) {
      if (names[static_cast<std::size_t>(i)] == name) return;
    }
    names[static_cast<std::size_t>(size++)] = name;
  }
};

/// One shape of the pair, in its own frame, and its present patch. A point is a volume of one
/// vertex.
class Side {
 public:
  explicit Side(const CoreShape& core)
      : surface_(core.stp), point_(to_double3(core.center)), center_(&point_) {}
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  /// Goes to the patch of an earlier query; false where the volume has no patch of that number.
  bool resume(std::int32_t number) {
    if (surface_ == nullptr) return true;
    const std::size_t patches = surface_->vertices().size() + surface_->edges().size() +
                                surface_->faces().size();
    if (number < 0 || static_cast<std::size_t>(number) >= patches) return false;
    go_to(surface_->patch_of_number(number));
    return true;
  }
  bool is_volume() const { return surface_ != nullptr; }
  /// The walk to the patch whose normals contain the unit vector u. It begins at the present patch,
  /// at one of its vertices or, where that is far, at a patch from the direction table.
  StpSurface::Walk walk_to(const Double3& u, WalkStart start) const {
    const StpSurface::Patch from = start == WalkStart::patch ? patch_
                                   : start == WalkStart::corner
                                       ? StpSurface::Patch{PatchKind::vertex, farthest_corner(u)}
                                       : surface_->patch_nearby(u);
    return {*surface_, from, u};
  }
  /// Moves to the patch at the end of a walk. Returns whether that was the present patch already.
  bool set_patch(StpSurface::Patch patch) {
    if (patch.kind == patch_.kind && patch.index == patch_.index) return true;
    go_to(patch);
    return false;
  }
  /// Walks to the patch whose normals contain u, for one volume alone (StpSurface::walk_both()
  /// serves two). Returns whether the patch is unchanged.
  bool walk_to_patch_of(const Double3& u, WalkStart start, int& visited) {
    if (surface_ == nullptr) return true;
    const StpSurface::Walk walk = walk_to(u, start);
    return set_patch(surface_->patch_from(walk.at, u, visited));
  }
  /// Goes to the patch that these vertices span; false where there is none.
  bool go_to_patch_of(const VertexSet& set) {
    StpSurface::Patch patch{PatchKind::vertex, set.names[0]};
    if (set.size > 1 && !surface_->carried_patch(set.names.data(), set.size, patch)) return false;
    if (surface_ != nullptr) go_to(patch);
    return true;
  }

  std::int32_t number() const { return surface_ == nullptr ? 0 : surface_->number(patch_); }
  bool is_curved() const { return patch_.kind != PatchKind::vertex; }
  /// Center of the points c of the patch: they lie there, or on the circle of an edge about it.
  const Double3& center() const { return *center_; }
  const StpSurface::Edge* edge() const { return edge_; }
  double alpha() const { return surface_->alpha(); }
  bool is_round(double size) const {
    return surface_ != nullptr && surface_->alpha() < kRound * size;
  }
  double squared_spacing() const {
    return surface_ == nullptr ? 4.0 * std::numbers::pi : surface_->squared_spacing();
  }
  /// Whether the normals of the patch contain the unit vector u.
  bool holds(const Double3& u) const { return surface_ == nullptr || surface_->holds(patch_, u); }
  /// Computes the support point along u, a normal of the patch, with its derivative.
  void curvature(const Double3& u, Curvature& result) const {
    if (surface_ != nullptr) return surface_->curvature(patch_, u, result);
    result = {point_, 0.0, 0.0, {0.0, 0.0, 0.0}};
  }

  /// The vertices that span the patch: one for a vertex, two for an edge, three for a face.
  VertexSet corners() const {
    if (patch_.kind == PatchKind::vertex) return {{patch_.index}, 1};
    if (edge_ != nullptr) return {{edge_->vertices[0], edge_->vertices[1]}, 2};
    return {surface_->faces()[static_cast<std::size_t>(patch_.index)].vertices, 3};
  }
  const Double3& vertex(std::int32_t i) const {
    return surface_ == nullptr ? point_ : surface_->vertices()[static_cast<std::size_t>(i)].point;
  }
  /// The vertex farthest along u of those that span the patch.
  std::int32_t farthest_corner(const Double3& u) const {
    if (patch_.kind == PatchKind::vertex) return patch_.index;
    const VertexSet set = corners();
    std::int32_t best = set.names[0];
    double height = dot(u, vertex(best));
    for (int i = 1; i < set.size; ++i) {
      const std::int32_t other = set.names[static_cast<std::size_t>(i)];
      const double found = dot(u, vertex(other));
      if (found > height) height = found, best = other;
    }
    return best;
  }

 private:
  void go_to(StpSurface::Patch patch) {
    const auto index = static_cast<std::size_t>(patch.index);
    patch_ = patch;
    edge_ = patch.kind == PatchKind::edge ? &surface_->edges()[index] : nullptr;
    center_ = patch.kind == PatchKind::vertex ? &surface_->vertices()[index].point
              : edge_ != nullptr              ? &edge_->middle
                                              : &surface_->faces()[index].center;
  }

  const StpSurface* surface_;
  Double3 point_;
  StpSurface::Patch patch_{PatchKind::vertex, 0};
  const Double3* center_;
  const StpSurface::Edge* edge_ = nullptr;
};

/// Hessian of a support function in the plane orthogonal to n.
Matrix22 hessian_in(const TangentPlane& plane, const Curvature& curvature, Double3 direction) {
  const Double2 across = plane.project(direction);
  return Matrix22::scaled_identity(curvature.radius) +
         (curvature.across_radius - curvature.radius) * Matrix22::outer(across, across);
}

/// Solves J x = g for a symmetric matrix J.
Double2 solved(const Matrix22& J, Double2 g) {
  const double inverse = 1.0 / (J.xx * J.yy - J.xy * J.yx);
  return inverse * Double2{J.yy * g.x - J.xy * g.y, J.xx * g.y - J.yx * g.x};
}

/// Sets n along v + rho u, with u along the part of v across the axis; false where there is no such
/// part.
bool farthest_on(Double3 axis, double radius, Double3 v, Double3& n) {
  const Double3 across = v - dot(v, axis) * axis;
  const double length = across.norm();
  if (!(length > kShortest)) return false;
  n = unit(length * v + radius * across);  // scaled by its length to avoid waiting for a division
  return true;
}

/// Two edges: their axes and the vector from middle to middle, in the frame of A.
struct EdgePair {
  const StpSurface::Edge &a, &b;
  Double3 axis_a, axis_b, v;
};

/// Sets the start of Newton on two edges: the common normal of their lines, turned so that the
/// support points are where it meets the lines, at t along an edge where n.axis = t / alpha. Of the
/// two opposite normals it takes the one on the side of n; n stays where the edges are nearly
/// parallel.
void turn_towards_common_normal(const EdgePair& edges, double alpha_a, double alpha_b, Double3& n) {
  const Double3 c = cross(edges.axis_a, edges.axis_b);
  const double squared = c.squared_norm();
  if (!(squared > 0.01)) return;
  const double inverse = 1.0 / squared,
               length = std::copysign(std::sqrt(squared) * inverse, dot(c, n));
  const Double3 along_a = inverse * cross(edges.axis_b, c),
                along_b = inverse * cross(c, edges.axis_a);
  const double lean_a = clamped(dot(edges.v, along_a), edges.a.half_length) * (1.0 / alpha_a);
  const double lean_b = clamped(dot(edges.v, along_b), edges.b.half_length) * (1.0 / alpha_b);
  n = unit(length * c + lean_a * along_a + lean_b * along_b);
}

/// The part of n across an edge: its direction u, and its length, which is the sine of the angle
/// between n and the edge.
struct AcrossEdge {
  Double3 u;
  double sine, inverse;

  AcrossEdge(Double3 axis, Double3 n) : u(n - dot(n, axis) * axis) {
    const double square = std::max(u.squared_norm(), kShortest * kShortest);
    sine = std::sqrt(square);
    inverse = sine * (1.0 / square);
    u = inverse * u;
  }
};

/// The unit vector along n + y, y orthogonal to the unit vector n with the given squared length. A
/// small y needs neither a square root nor a division.
Double3 turned(Double3 n, Double3 y, double square) {
  return square < 1e-5 ? (1.0 - square * (0.5 - 0.375 * square)) * (n + y) : unit(n + y);
}

/// Newton for n along F = v + rho_A u_A(n) + rho_B u_B(n): in the plane orthogonal to n, with
/// t = axis x u, one step solves (n.F I - rho_A / sine_A t_A t_A' - rho_B / sine_B t_B t_B') y = F.
bool stationary_between(const EdgePair& edges, Double3& n) {
  const double radius_a = edges.a.radius, radius_b = edges.b.radius;
  for (int step = 0; step < kMaxEdgeSteps; ++step) {
    const AcrossEdge of_a(edges.axis_a, n), of_b(edges.axis_b, n);
    if (!(of_a.sine > 0.1 && of_b.sine > 0.1)) return false;  // far from both patches
    const Double3 F = edges.v + radius_a * of_a.u + radius_b * of_b.u;
    const TangentPlane plane(n);
    const Double2 t_a = plane.project(cross(edges.axis_a, of_a.u)),
                  t_b = plane.project(cross(edges.axis_b, of_b.u));
    const Matrix22 J = Matrix22::scaled_identity(dot(n, F)) -
                       (radius_a * of_a.inverse) * Matrix22::outer(t_a, t_a) -
                       (radius_b * of_b.inverse) * Matrix22::outer(t_b, t_b);
    if (!(J.xx + J.yy > 0.0 && J.xx * J.yy - J.xy * J.yx > 0.0)) return false;
    const Double2 y = solved(J, plane.project(F));
    const double square = dot(y, y);
    if (!(square < 1.0)) return false;
    n = turned(n, plane.lift(y), square);
    if (square < 1e-18) return true;
  }
  return true;
}

/// The search of the header comment. Vectors stay in place and are passed by reference: a copy in
/// packed form would stall right after its numbers were written one by one.
class PatchSearch {
 public:
  PatchSearch(CorePair& pair, int max_steps)
      : pair_(pair),
        max_steps_(std::min(max_steps, kMaxSteps)),
        a_(pair.a()),
        b_(pair.b()),
        rounding_(16.0 * kEpsilon * pair.scale()),
        round_(a_.is_round(pair.a().bounding_radius) || b_.is_round(pair.b().bounding_radius)),
        spacing_(std::min(a_.squared_spacing(), b_.squared_spacing())),
        near_cosine_(1.0 - kLongWay * spacing_),
        near_(kSmallGap * (pair.a().bounding_radius * a_.squared_spacing() +
                           pair.b().bounding_radius * b_.squared_spacing())) {}

  bool run(const WarmStart* warm_start, Vector3& direction, CoreDistance& answer) {
    if (warm_start != nullptr && resume(*warm_start) ? begin_at_patches(direction, answer)
                                                     : begin_along(direction, answer))
      return true;
    for (bool stuck = false; pair_.support_calls < max_steps_ && !projection_.contains_origin;) {
      const bool followed = follows_ && (carried_ || go_to_carried_patches()) &&
                            set_normal_of_patches(projection_.normal);
      carried_ = false;
      if (!followed) set_normal(projection_.normal);
      if (is_found(followed, direction, answer)) return true;
      if (insert_support_point()) {
        stuck = false;
        follows_ = !round_ && projection_.distance - best_ < near_;
      } else {
        // tries the other direction once: the normal of the simplex, or that of its patches
        if (stuck || round_) return false;
        stuck = true;
        follows_ = !followed;
      }
    }
    return false;
  }

 private:
  bool resume(const WarmStart& last) {
    return !last.direction_A.isZero(0.0) && a_.resume(last.vertices[0]) &&
           b_.resume(last.vertices[1]);
  }

  bool begin_along(Vector3& direction, CoreDistance& answer) {
    set_normal(to_double3(direction));
    if (is_found(false, direction, answer)) return true;
    insert_support_point();
    return false;
  }

  /// Begins at the patches of the last query. Their vertices form the first simplex. The patches of
  /// round volumes are tried before that.
  bool begin_at_patches(Vector3& direction, CoreDistance& answer) {
    const VertexSet of_a = a_.corners(), of_b = b_.corners();
    const Double3 last = seen_ = to_double3(direction);
    const bool tries_patches = round_ && set_normal_of_patches(last);
    if (tries_patches && is_found(true, direction, answer)) return true;
    const bool kept = insert_corners(of_a, of_b);
    if (tries_patches) insert_support_point();
    const double turned = 1.0 - dot(projection_.normal, last);
    follows_ = !round_ && turned < kSmallTurn * spacing_;
    carried_ = follows_ && (kept || turned < kTinyTurn * spacing_);
    if (round_ || !(turned > kLargeTurn * spacing_ && turned < 1.0) || projection_.contains_origin)
      return false;
    // a direction between the last normal and that of the simplex, as two balls of half the size
    // would have turned
    set_normal(unit(projection_.point +
                    (0.5 * (pair_.a().bounding_radius + pair_.b().bounding_radius)) * last));
    if (is_found(false, direction, answer)) return true;
    insert_support_point();
    return false;
  }

  const Matrix3& R_AB() const { return pair_.X_AB().rotation; }
  Double3 from_b(Double3 p) const {
    return product(R_AB(), p) + to_double3(pair_.X_AB().translation);
  }

  /// Sets the normal, in the frames of both sides.
  void set_normal(Double3 n) {
    n_ = n;
    n_b_ = -transposed_product(R_AB(), n);
  }

  /// Moves both sides to the patches whose normals contain the normal. Returns whether both were
  /// there already.
  bool walk_to_patches(bool followed) {
    if (followed && patches_hold_normal()) return true;
    const WalkStart start = followed                        ? WalkStart::patch
                            : dot(n_, seen_) < near_cosine_ ? WalkStart::table
                                                            : WalkStart::corner;
    seen_ = n_;
    if (a_.is_volume() && b_.is_volume()) {
      StpSurface::Walk a = a_.walk_to(n_, start), b = b_.walk_to(n_b_, start);
      StpSurface::walk_both(a, b, pair_.vertices_visited);
      const bool stays = a_.set_patch(a.at);
      return b_.set_patch(b.at) && stays;
    }
    const bool stays = a_.walk_to_patch_of(n_, start, pair_.vertices_visited);
    return b_.walk_to_patch_of(n_b_, start, pair_.vertices_visited) && stays;
  }

  /// Computes the support points along the normal, which belong to the present patches.
  void evaluate() {
    ++pair_.support_calls;
    a_.curvature(n_, curvature_a_);
    b_.curvature(n_b_, curvature_b_);
    point_b_ = from_b(curvature_b_.point);
    w_ = point_b_ - curvature_a_.point;
    lower_ = dot(n_, w_);
  }

  bool patches_hold_normal() const { return a_.holds(n_) && b_.holds(n_b_); }

  /// Evaluates the normal and returns whether it is the answer. `followed` says that the normal
  /// comes from the present patches.
  bool is_found(bool followed, Vector3& direction, CoreDistance& answer) {
    const bool solved_for_normal = walk_to_patches(followed) && followed && solve_for_normal();
    evaluate();
    return solved_for_normal ? accept_normal(direction, answer) : is_answered(direction, answer);
  }

  /// Whether the present normal is the answer, or the normal of its patches if it lies on them.
  bool is_answered(Vector3& direction, CoreDistance& answer) {
    if (accept_normal(direction, answer)) return true;
    // two vertices have no other normal than that of the simplex
    if (!(a_.is_curved() || b_.is_curved())) return false;
    const Double3 n = n_;
    // on the border of two patches the normal of each may belong to the other
    if (set_normal_of_patches(n) && solve_for_normal() &&
        (dot(n_, n) > kSame || patches_hold_normal())) {
      walk_to_patches(true);
      evaluate();
      return accept_normal(direction, answer);
    }
    set_normal(n);
    return false;
  }

  EdgePair edges() const {
    return {*a_.edge(), *b_.edge(), a_.edge()->axis, product(R_AB(), b_.edge()->axis),
            from_b(b_.center()) - a_.center()};
  }

  /// Sets the normal to that of the present patches, even beyond their borders; for two edges, to a
  /// direction near it. `n` selects the side.
  bool set_normal_of_patches(Double3 n) {
    const bool edge_a = a_.edge() != nullptr, edge_b = b_.edge() != nullptr;
    if (edge_a && edge_b) {
      if (!round_) turn_towards_common_normal(edges(), a_.alpha(), b_.alpha(), n);
    } else {
      const Double3 v = from_b(b_.center()) - a_.center();
      if (edge_a) {
        if (!farthest_on(a_.edge()->axis, a_.edge()->radius, v, n)) return false;
      } else if (edge_b) {
        if (!farthest_on(product(R_AB(), b_.edge()->axis), b_.edge()->radius, v, n)) return false;
      } else {
        if (!(v.squared_norm() > 0.0)) return false;
        n = unit(v);
      }
    }
    set_normal(n);
    return true;
  }

  /// Solves for the normal of two edges, from the direction of set_normal_of_patches(). False, with
  /// the normal as it was, where the patches do not contain the solution.
  bool solve_for_normal() {
    if (a_.edge() == nullptr || b_.edge() == nullptr) return true;
    const Double3 before = n_;
    Double3 n = n_;
    if (stationary_between(edges(), n)) {
      set_normal(n);
      if (patches_hold_normal()) return true;
    }
    set_normal(before);
    return false;
  }

  // -----------------------------------------------------------------------------------------------
  // simplex

  /// Adds a point of B - A to the simplex. `names` are its vertices, negative for other points.
  void push(Double3 w, const PiecePair& names) {
    MinkowskiPoint& point = simplex_.points[static_cast<std::size_t>(simplex_.size++)];
    point.w = to_vector3(w);
    point.piece = names;
  }

  /// Projects the origin on the simplex. False where the simplex contains the origin, or is no
  /// nearer to it than before.
  bool project() {
    find_nearest(simplex_, pair_.scale(), projection_);
    simplex_.keep(projection_);
    const bool nearer = projection_.distance < nearest_;
    nearest_ = std::min(nearest_, projection_.distance);
    return nearer && !projection_.contains_origin;
  }

  /// Makes a first simplex of the vertices that span the patches of the last query. It takes three
  /// at most, so that the simplex cannot contain the origin. Returns whether all of them are
  /// needed.
  bool insert_corners(VertexSet of_a, VertexSet of_b) {
    if (of_a.size == 2 && of_b.size == 2) order_by_common_normal(of_a, of_b);
    const Double3 b = from_b(b_.vertex(of_b.names[0]));
    for (int i = 0; i < of_a.size; ++i) {
      const std::int32_t name = of_a.names[static_cast<std::size_t>(i)];
      push(b - a_.vertex(name), {name, of_b.names[0]});
    }
    for (int j = 1; j < of_b.size && simplex_.size < 3; ++j) {
      const std::int32_t name = of_b.names[static_cast<std::size_t>(j)];
      push(from_b(b_.vertex(name)) - a_.vertex(of_a.names[0]), {of_a.names[0], name});
    }
    const int count = simplex_.size;
    project();
    return simplex_.size == count;
  }

  /// Orders the vertices of two edges so that the three of their four points that are kept are
  /// those around the point nearest to the common normal of the two lines.
  void order_by_common_normal(VertexSet& of_a, VertexSet& of_b) const {
    const Double3 a = a_.vertex(of_a.names[0]), b = from_b(b_.vertex(of_b.names[0]));
    const Double3 along_a = a_.vertex(of_a.names[1]) - a,
                  along_b = from_b(b_.vertex(of_b.names[1])) - b;
    const Double3 c = cross(along_a, along_b),
                  v = b - a + 0.5 * (along_b - along_a);  // from middle to middle
    if (dot(v, cross(along_b, c)) > 0.0) std::swap(of_a.names[0], of_a.names[1]);
    if (dot(v, cross(c, along_a)) < 0.0) std::swap(of_b.names[0], of_b.names[1]);
  }

  /// Goes to the patches that the vertices of the simplex span; false where there are none.
  bool go_to_carried_patches() {
    VertexSet of_a, of_b;
    for (int i = 0; i < simplex_.size; ++i) {
      const PiecePair& names = simplex_.points[static_cast<std::size_t>(i)].piece;
      if (names[0] < 0) return false;
      of_a.insert(names[0]);
      of_b.insert(names[1]);
    }
    seen_ = projection_.normal;
    return of_a.size + of_b.size > 2 && a_.go_to_patch_of(of_a) && b_.go_to_patch_of(of_b);
  }

  /// Whether a point brings the simplex nearer to the origin.
  bool is_nearer(Double3 w) const {
    return simplex_.size == 0 || dot(projection_.normal, w) < projection_.distance - rounding_;
  }

  /// Adds to the simplex the vertices farthest along the normal, or the support points themselves
  /// where the vertices bring no progress or the volumes are round. False where the simplex comes
  /// no nearer to the origin, or contains it.
  bool insert_support_point() {
    PiecePair names = {a_.farthest_corner(n_), b_.farthest_corner(n_b_)};
    if (a_.is_curved() || b_.is_curved()) {
      const Double3 w = from_b(b_.vertex(names[1])) - a_.vertex(names[0]);
      if (!round_ && is_nearer(w)) {
        push(w, names);
        return project();
      }
      names = {-1, -1};
    }
    if (!is_nearer(w_)) return false;
    push(w_, names);
    return project();
  }

  // -----------------------------------------------------------------------------------------------
  // answer

  /// Whether the present normal gives the answer to rounding. `direction` becomes the best normal
  /// so far.
  bool accept_normal(Vector3& direction, CoreDistance& answer) {
    if (lower_ > best_) {
      best_ = lower_;
      direction = to_vector3(n_);
    }
    const double most = lower_ + 4.0 * rounding_;  // the upper bound |w| may be this large at most
    return lower_ > 0.0 && w_.squared_norm() <= most * most && is_proved(answer);
  }

  bool is_proved(CoreDistance& answer) {
    const TangentPlane plane(n_);
    const Matrix22 H_a = hessian_in(plane, curvature_a_, curvature_a_.across);
    const Matrix22 H_b = hessian_in(plane, curvature_b_, product(R_AB(), curvature_b_.across));
    const Double2 y = solved(H_a + H_b + Matrix22::scaled_identity(lower_), plane.project(w_));
    if (!(lower_ * lower_ * dot(y, y) <= rounding_ * rounding_)) return false;
    const Double3 point_a = curvature_a_.point + plane.lift(H_a * y),
                  point_b = point_b_ - plane.lift(H_b * y);
    const Double3 between = point_b - point_a;
    answer.optimum.normal = to_vector3(n_);
    answer.optimum.lower = lower_;
    answer.optimum.point_a = to_vector3(point_a);
    answer.optimum.point_b = to_vector3(point_b);
    answer.optimum.residual = (between - lower_ * n_).norm();
    answer.upper = between.norm();
    answer.iterations = pair_.support_calls;
    pair_.hints = {a_.number(), b_.number()};
    return answer.optimum.residual <= rounding_ && answer.upper - lower_ <= rounding_;
  }

  CorePair& pair_;
  int max_steps_;
  Side a_, b_;
  double rounding_;
  bool round_;                           // most normals are those of edges and faces
  double spacing_, near_cosine_, near_;  // squared angle between vertices, rad^2; cosine of a long
                                         // way; gap in m that counts as small
  bool follows_ = true;   // next normal: that of the patches that the simplex spans; false: that of
                          // the simplex
  bool carried_ = false;  // the sides are at the patches that the simplex spans
  Double3 n_, n_b_;       // the normal in the frame of A, and its opposite in the frame of B
  Double3 seen_{0.0, 0.0, 0.0};          // frame of A: a normal near those of the present patches
  Curvature curvature_a_, curvature_b_;  // support points along the normal, each in its own frame
  Double3 point_b_, w_;                  // frame of A
  double lower_;
  Simplex simplex_;
  SimplexProjection projection_;
  double nearest_ = kInfinity;
  double best_ = -kInfinity;
};

}  // namespace

bool solve_stp_pair(CorePair& pair, const WarmStart* warm_start, int max_iterations,
                    Vector3& direction, CoreDistance& answer) {
  return PatchSearch(pair, max_iterations).run(warm_start, direction, answer);
}

}  // namespace tactum
