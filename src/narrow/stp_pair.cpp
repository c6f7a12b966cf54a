// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/stp_pair.hpp"

#include "math/tangent_plane.hpp"
#include "shape/stp_surface.hpp"

namespace tactum {
namespace {

using Kind = CoreShape::Kind;
using PatchKind = StpSurface::Kind;
using Bend = StpSurface::Bend;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr int kMaxSteps = 48;      ///< evaluations of both supports
constexpr int kMaxEdgeSteps = 8;   ///< of Newton on two edges
constexpr double kNearby = 0.998;  ///< cosine of a turn beyond which a walk from the last patch is longer than one from the table
constexpr double kSame = 1.0 - 1e-12;  ///< cosine of a turn that is next to none
constexpr Double3 kNone = {0.0, 0.0, 0.0};

Double3 unit(Double3 v) {
  const double square = v.squared_norm();
  return (std::sqrt(square) * (1.0 / square)) * v;
}

/// Where the points c of a patch lie: at the centre, or on a circle about it.
struct Circle {
  Double3 center;
  Double3 axis;
  double radius;  ///< zero for all patches but edges

  bool is_edge() const { return radius > 0.0; }
};

/// One shape of the pair, in its own frame, and the patch it is at. A point is a volume of one vertex.
class Side {
 public:
  explicit Side(const CoreShape& core) : surface_(core.stp), point_(plain(core.center)) {}

  /// Takes the patch of an earlier query; false where there is none of that number.
  bool resume(std::int32_t number) {
    if (surface_ == nullptr) return true;
    const std::size_t patches = surface_->vertices().size() + surface_->edges().size() + surface_->faces().size();
    if (number < 0 || static_cast<std::size_t>(number) >= patches) return false;
    patch_ = surface_->patch_of_number(number);
    return true;
  }
  std::int32_t number() const { return surface_ == nullptr ? 0 : surface_->number(patch_); }
  bool is_curved() const { return patch_.kind != PatchKind::vertex; }

  /// Support point along the unit vector u. `nearby` says that u is close to the last direction.
  Double3 support(Double3 u, bool nearby, int& visited) {
    if (surface_ == nullptr) return point_;
    patch_ = nearby ? surface_->patch_from(patch_, u, visited) : surface_->patch(u, visited);
    return surface_->point(patch_, u);
  }
  /// Whether the patch that it is at holds the unit vector u.
  bool stays(Double3 u, int& visited) const {
    if (surface_ == nullptr) return true;
    const StpSurface::Patch found = surface_->patch_from(patch_, u, visited);
    return found.kind == patch_.kind && found.index == patch_.index;
  }
  /// The same on the patch that it is at, with its derivative.
  Bend bend(Double3 u) const { return surface_ == nullptr ? Bend{point_, 0.0, 0.0, kNone} : surface_->bend(patch_, u); }

  Circle circle() const {
    if (surface_ == nullptr) return {point_, kNone, 0.0};
    const auto index = static_cast<std::size_t>(patch_.index);
    if (patch_.kind == PatchKind::vertex) return {surface_->vertices()[index].point, kNone, 0.0};
    if (patch_.kind == PatchKind::face) return {surface_->face_center(surface_->faces()[index]), kNone, 0.0};
    const StpSurface::Edge& edge = surface_->edges()[index];
    return {edge.middle, edge.axis, edge.radius};
  }

  /// Points that carry the patch: one of a vertex, two of an edge, three of a face.
  int corners(std::array<Double3, 3>& points) const {
    if (surface_ == nullptr) {
      points[0] = point_;
      return 1;
    }
    const auto index = static_cast<std::size_t>(patch_.index);
    const auto put = [&](const auto& vertices) {
      for (std::size_t k = 0; k < vertices.size(); ++k)
        points[k] = surface_->vertices()[static_cast<std::size_t>(vertices[k])].point;
      return static_cast<int>(vertices.size());
    };
    if (patch_.kind == PatchKind::vertex) return put(std::array{patch_.index});
    return patch_.kind == PatchKind::edge ? put(surface_->edges()[index].vertices) : put(surface_->faces()[index].vertices);
  }

 private:
  const StpSurface* surface_;
  Double3 point_;
  StpSurface::Patch patch_{PatchKind::vertex, 0};
};

/// Both support points along a normal, frame of A.
struct View {
  Double3 n, a, b, w;
  double lower, upper;

  double gap() const { return upper - lower; }
};

/// H of a support in the plane orthogonal to n.
Matrix22 hessian_in(const TangentPlane& plane, const Bend& bend) {
  const Double2 across = plane.coordinates(bend.across);
  return Matrix22::scaled_identity(bend.radius) + (bend.across_radius - bend.radius) * Matrix22::outer(across, across);
}

/// J^-1 g for a symmetric matrix.
Double2 solved(const Matrix22& J, Double2 g) {
  const double inverse = 1.0 / (J.xx * J.yy - J.xy * J.yx);
  return inverse * Double2{J.yy * g.x - J.xy * g.y, J.xx * g.y - J.yx * g.x};
}

/// n along v + rho u, u along the part of v across the axis; false where there is no such part.
bool farthest_on(const Circle& circle, Double3 v, Double3& n) {
  const Double3 across = v - dot(v, circle.axis) * circle.axis;
  const double length = across.norm();
  if (!(length > 0.0)) return false;
  n = unit(v + (circle.radius / length) * across);
  return true;
}

/// The part of n across an edge: its direction u, and its length, the sine of the angle between n and the edge.
struct AcrossEdge {
  Double3 u;
  double sine;

  AcrossEdge(const Circle& circle, Double3 n) : u(n - dot(n, circle.axis) * circle.axis), sine(u.norm()) {
    if (sine > 0.0) u = (1.0 / sine) * u;
  }
};

/// Newton for n along F = v + rho_A u_A(n) + rho_B u_B(n): in the plane orthogonal to n, with t = axis x u,
/// (n.F I - rho_A / sine_A t_A t_A' - rho_B / sine_B t_B t_B') y = F.
bool stationary_between(const Circle& a, const Circle& b, Double3 v, Double3& n) {
  for (int step = 0; step < kMaxEdgeSteps; ++step) {
    const AcrossEdge of_a(a, n), of_b(b, n);
    if (!(of_a.sine > 0.1 && of_b.sine > 0.1)) return false;  // far from both patches
    const Double3 F = v + a.radius * of_a.u + b.radius * of_b.u;
    const TangentPlane plane(n);
    const Double2 t_a = plane.coordinates(cross(a.axis, of_a.u)), t_b = plane.coordinates(cross(b.axis, of_b.u));
    const Matrix22 J = Matrix22::scaled_identity(dot(n, F)) - (a.radius / of_a.sine) * Matrix22::outer(t_a, t_a) -
                       (b.radius / of_b.sine) * Matrix22::outer(t_b, t_b);
    if (!(J.xx + J.yy > 0.0 && J.xx * J.yy - J.xy * J.yx > 0.0)) return false;
    const Double2 y = solved(J, plane.coordinates(F));
    const double square = dot(y, y);
    if (!(square < 1.0)) return false;
    n = unit(n + plane.vector(y));
    if (square < 1e-18) return true;
  }
  return true;
}

class PatchSearch {
 public:
  PatchSearch(CorePair& pair, int max_steps)
      : pair_(pair),
        max_steps_(std::min(max_steps, kMaxSteps)),
        a_(pair.a()),
        b_(pair.b()),
        rounding_(16.0 * kEpsilon * pair.scale()) {}

  bool run(const WarmStart* warm_start, Vector3& direction, CoreAnswer& answer) {
    Double3 n = plain(direction);
    const bool resumed = warm_start != nullptr && resume(*warm_start) && next_normal(n);
    const Side last_a = a_, last_b = b_;
    View view = resumed ? look(n, dot(n, plain(warm_start->direction_A)) > kNearby) : look(plain(direction), false);
    if (is_answered(view, direction, answer)) return true;
    if (resumed) take_in_corners(last_a, last_b);
    if (is_nearer(view) && !take_in(view)) return false;
    while (pair_.support_calls < max_steps_ && !projection_.contains_origin) {
      view = look(projection_.normal, dot(projection_.normal, view.n) > kNearby);
      if (is_answered(view, direction, answer)) return true;
      if (!is_nearer(view) || !take_in(view)) return false;
    }
    return false;
  }

 private:
  bool resume(const WarmStart& last) {
    return !last.direction_A.isZero(0.0) && a_.resume(last.vertices[0]) && b_.resume(last.vertices[1]);
  }

  Double3 from_b(Double3 p) const { return product(pair_.X_AB().rotation, p) + plain(pair_.X_AB().translation); }

  View look(Double3 n, bool nearby) {
    ++pair_.support_calls;
    const Double3 a = a_.support(n, nearby, pair_.vertices_visited);
    const Double3 b = from_b(b_.support(-transposed_product(pair_.X_AB().rotation, n), nearby, pair_.vertices_visited));
    const Double3 w = b - a;
    return {n, a, b, w, dot(n, w), w.norm()};
  }

  /// Whether the view, or the normal of its patches if it lies on them, is the answer.
  bool is_answered(const View& view, Vector3& direction, CoreAnswer& answer) {
    if (finish(view, direction, answer)) return true;
    // two vertices have no other normal than that of the simplex
    Double3 n = view.n;
    if (!(a_.is_curved() || b_.is_curved()) || !next_normal(n)) return false;
    // on the border of two patches each normal may lie on the other one
    if (dot(n, view.n) < kSame && !stay(n)) return false;
    return finish(look(n, true), direction, answer);
  }

  bool stay(Double3 n) {
    return a_.stays(n, pair_.vertices_visited) && b_.stays(-transposed_product(pair_.X_AB().rotation, n), pair_.vertices_visited);
  }

  /// The normal of the patches that the sides are at, beyond their borders where need be.
  bool next_normal(Double3& n) const {
    const Circle a = a_.circle();
    Circle b = b_.circle();
    const Double3 v = from_b(b.center) - a.center;
    if (b.is_edge()) b.axis = product(pair_.X_AB().rotation, b.axis);
    if (a.is_edge()) return b.is_edge() ? stationary_between(a, b, v, n) : farthest_on(a, v, n);
    if (b.is_edge()) return farthest_on(b, v, n);
    if (!(v.squared_norm() > 0.0)) return false;
    n = unit(v);
    return true;
  }

  void push(Double3 a, Double3 b) {
    // of the simplex only its differences are used: the names and the frame of B are not
    simplex_.push({eigen(b - a), eigen(a), {0, 0}, eigen(b)});
  }

  bool project() {
    projection_ = project_origin(simplex_, pair_.scale());
    const bool nearer = projection_.distance < nearest_;
    nearest_ = std::min(nearest_, projection_.distance);
    return nearer && !projection_.contains_origin;
  }

  /// A first simplex: the points that carry the patches of the last query. Three at most, so that it does not come to hold the origin.
  void take_in_corners(const Side& side_a, const Side& side_b) {
    std::array<Double3, 3> of_a, of_b;
    const int count_a = side_a.corners(of_a), count_b = side_b.corners(of_b);
    const Double3 b = from_b(of_b[0]);
    for (int i = 0; i < count_a; ++i) push(of_a[static_cast<std::size_t>(i)], b);
    for (int j = 1; j < count_b && simplex_.size < 3; ++j) push(of_a[0], from_b(of_b[static_cast<std::size_t>(j)]));
    project();
  }

  bool is_nearer(const View& view) const {
    return simplex_.size == 0 || dot(projection_.normal, view.w) < projection_.distance - rounding_;
  }

  /// Adds the point of a view to the simplex of GJK; false where it comes to hold the origin, or no nearer to it.
  bool take_in(const View& view) {
    push(view.a, view.b);
    return project();
  }

  /// Whether the view is the answer, to rounding. `direction` becomes the best normal seen.
  bool finish(const View& view, Vector3& direction, CoreAnswer& answer) {
    if (view.lower > best_) {
      best_ = view.lower;
      direction = eigen(view.n);
    }
    if (!(view.lower > 0.0 && view.gap() <= 4.0 * rounding_)) return false;
    const TangentPlane plane(view.n);
    const Matrix3& R = pair_.X_AB().rotation;
    const Bend bend_a = a_.bend(view.n);
    Bend bend_b = b_.bend(-transposed_product(R, view.n));
    bend_b.across = product(R, bend_b.across);
    const Matrix22 H_a = hessian_in(plane, bend_a), H_b = hessian_in(plane, bend_b);
    const Double2 y = solved(H_a + H_b + Matrix22::scaled_identity(view.lower), plane.coordinates(view.w));
    if (!(view.lower * y.norm() <= rounding_)) return false;
    const Double3 point_a = view.a + plane.vector(H_a * y), point_b = view.b - plane.vector(H_b * y);
    const Double3 between = point_b - point_a;
    answer.optimum = {eigen(view.n), view.lower, eigen(point_a), eigen(point_b), (between - view.lower * view.n).norm()};
    answer.upper = between.norm();
    answer.iterations = pair_.support_calls;
    pair_.hints = {a_.number(), b_.number()};
    return answer.optimum.residual <= rounding_ && answer.upper - view.lower <= rounding_;
  }

  CorePair& pair_;
  int max_steps_;
  Side a_, b_;
  double rounding_;
  Simplex simplex_;
  SimplexProjection projection_;
  double nearest_ = std::numeric_limits<double>::infinity();
  double best_ = -std::numeric_limits<double>::infinity();
};

}  // namespace

bool is_stp_pair(const CorePair& pair) {
  const auto fits = [](const CoreShape& core) { return core.kind == Kind::stp || core.kind == Kind::point; };
  return fits(pair.a()) && fits(pair.b()) && (pair.a().kind == Kind::stp || pair.b().kind == Kind::stp);
}

bool solve_stp_pair(CorePair& pair, const WarmStart* warm_start, int max_iterations, Vector3& direction, CoreAnswer& answer) {
  return PatchSearch(pair, max_iterations).run(warm_start, direction, answer);
}

}  // namespace tactum
