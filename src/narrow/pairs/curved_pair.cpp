// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/pairs/curved_pair.hpp"

#if defined(__GNUC__) && !defined(__clang__)
// Without this option the compiler packs two of three numbers; where registers run out, packed
// numbers go through the stack and stall.
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

#include "math/epsilon.hpp"
#include "math/unit_vector.hpp"
#include "narrow/depth/core_distance.hpp"
#include "narrow/formula/primitive_projection.hpp"
#include "narrow/pair/tolerance.hpp"

namespace tactum {
namespace {

constexpr int kMostSteps = 12;
constexpr double kDeepest = 0.3;  ///< of r: deeper overlaps, after a few steps, are left to other
                                  ///< solvers
constexpr int kFewSteps = 5;
constexpr double kReach = 0.5;  ///< of the sum of the sizes: the distance r of the points from the
                                ///< primitives
constexpr double kFar = 0.5;    ///< of the sum of the sizes: beyond this distance a projection is a
                                ///< good point to begin with
constexpr double kLargestTurn = 0.5;  ///< of r: longest step
constexpr double kReversal = 0.25;    ///< of the last step: a next step that goes back by more than
                                      ///< this is halved
constexpr double kInside = 1e-3;    ///< of the first r: nearer to the primitive there is no normal
constexpr double kLastTurn = 3e-8;  ///< of r: the square of such a step is below rounding
constexpr double kSingular = 1e-6;  ///< determinants below this belong to directions along which
                                    ///< both primitives are flat
constexpr double kRegularization = 1e-3;  ///< number added to the diagonal there, so that nothing
                                          ///< moves along such directions
/// Scales in m within which no product overflows.
constexpr double kSmallestScale = 1e-20, kLargestScale = 1e20;

/// The first primitive seen from a point at a distance: the projection of the point, the normal
/// there, and how both move with the point.
struct NormalView {
  Double3 projection, out;  ///< out = r n goes from the projection to the point
  Double3 n;
  TangentBasis plane;
  double reach;      ///< r
  Symmetric2 moves;  ///< D of the header comment
  Symmetric2 turns;  ///< N of the header comment
};

/// A box, seen from the point x.
struct BoxView : BoxProjection {
  explicit BoxView(const CoreShape& core) : BoxProjection(to_double3(core.size)) {}
  [[gnu::always_inline]] NormalView view(Double3 x, double) const {
    NormalView view;
    view.projection = point(x);
    const Double3 out = x - view.projection;
    const double square = std::max(out.squared_norm(), 1e-200);
    view.out = out;
    view.reach = std::sqrt(square);
    view.n = (view.reach * (1.0 / square)) * out;
    view.plane = tangent_basis(view.n);
    const Double3 flat = {out.x == 0.0 ? 1.0 : 0.0, out.y == 0.0 ? 1.0 : 0.0,
                          out.z == 0.0 ? 1.0 : 0.0};
    const Double3 a = flat * view.plane.x, b = flat * view.plane.y;
    view.moves = {dot(a, view.plane.x), dot(a, view.plane.y), dot(b, view.plane.y)};
    view.turns = {1.0 - view.moves.xx, -view.moves.xy, 1.0 - view.moves.yy};
    return view;
  }
  Double3 moved(const NormalView& view, Double3 way) const {
    return view.projection + view.out + way;
  }
  Double3 moved_projection(const NormalView& view, Double3, Double2 step) const {
    return view.projection + view.plane.lift(view.moves * step);
  }
};

/// A cylinder or a cone seen from the point x. One direction of the tangent plane goes around the
/// axis, the other lies in the half plane of x.
template <class Section>
struct RoundView : RoundProjection<Section> {
  explicit RoundView(const CoreShape& core) : RoundProjection<Section>(to_double3(core.size)) {}
  [[gnu::always_inline]] NormalView view(Double3 x, double) const {
    const Meridian meridian(x);
    const HalfPlaneProjection projection = Section::in_half_plane(meridian.rho, x.z);
    const double out_r = meridian.rho - projection.radial, out_z = x.z - projection.axial;
    const double square = std::max(out_r * out_r + out_z * out_z, 1e-200);
    NormalView view;
    view.reach = std::sqrt(square);
    const double inverse = view.reach * (1.0 / square), n_r = inverse * out_r,
                 n_z = inverse * out_z;
    view.projection = meridian.turned(projection.radial, projection.axial);
    view.out = meridian.turned(out_r, out_z);
    view.n = meridian.turned(n_r, n_z);
    view.plane = {{-meridian.sine, meridian.cosine, 0.0}, meridian.turned(-n_z, n_r)};
    view.moves = {
        projection.radial * meridian.inverse, 0.0,
        projection.rr * n_z * n_z - 2.0 * projection.rz * n_r * n_z + projection.zz * n_r * n_r};
    view.turns = {1.0 - view.moves.xx, 0.0, 1.0 - view.moves.yy};
    return view;
  }
  Double3 moved(const NormalView& view, Double3 way) const {
    return view.projection + view.out + way;
  }
  Double3 moved_projection(const NormalView& view, Double3, Double2 step) const {
    return view.projection + view.plane.lift(view.moves * step);
  }
};

/// An ellipsoid without its inner radius, seen along the normal x of any length.
struct EllipsoidView {
  Double3 axes;
  double inner_radius;

  explicit EllipsoidView(const CoreShape& core)
      : axes(to_double3(core.size)), inner_radius(core.inner_radius) {}
  double support(Double3 n) const { return (axes * n).norm() - inner_radius; }
  double mean_size() const { return (1.0 / 3.0) * (axes.x + axes.y + axes.z); }

  [[gnu::always_inline]] NormalView view(Double3 x, double reach) const {
    NormalView view;
    view.n = unit(x);
    view.out = reach * view.n;
    view.reach = reach;
    view.plane = tangent_basis(view.n);
    const Double3 image = axes * view.n, image_x = axes * view.plane.x,
                  image_y = axes * view.plane.y;
    const double square = image.squared_norm(), inverse = std::sqrt(square) * (1.0 / square),
                 over_reach = 1.0 / reach;
    const double px = inverse * dot(image_x, image), py = inverse * dot(image_y, image);
    view.projection = inverse * (axes * image) - inner_radius * view.n;
    view.moves = {over_reach * (inverse * (dot(image_x, image_x) - px * px) - inner_radius),
                  over_reach * (inverse * (dot(image_x, image_y) - px * py)),
                  over_reach * (inverse * (dot(image_y, image_y) - py * py) - inner_radius)};
    view.turns = {1.0, 0.0, 1.0};
    return view;
  }
  Double3 moved(const NormalView& view, Double3 way) const { return view.out + way; }
  Double3 moved_projection(const NormalView&, Double3 n, Double2) const {
    const Double3 image = axes * n;
    return (1.0 / image.norm()) * (axes * image) - inner_radius * n;
  }
  bool holds(Double3, double) const { return true; }  // the point is a support point
};

/// The start of Newton: a point x (for an ellipsoid a normal) and l.
struct Start {
  Double3 x;
  double reach, l;
};

/// The change of the state by one step: V delta, and delta itself.
struct Step {
  Double2 delta, along;
};

/// The Newton step of the header comment.
[[gnu::always_inline]] inline Step newton_step(const NormalView& view, const Symmetric2& slope,
                                               double l, Double2 g) {
  const Symmetric2 &D = view.moves, &N = view.turns, &B = slope;
  const Symmetric2 V = {D.xx + l * N.xx, D.xy + l * N.xy, D.yy + l * N.yy};
  const Symmetric2 U = {V.xx - N.xx, V.xy - N.xy, V.yy - N.yy};
  double xx = V.xx - B.xx * U.xx - B.xy * U.xy, yy = V.yy - B.xy * U.xy - B.yy * U.yy;
  const double xy = V.xy - B.xx * U.xy - B.xy * U.yy, yx = V.xy - B.xy * U.xx - B.yy * U.xy;
  double determinant = xx * yy - xy * yx;
  if (std::abs(determinant) < kSingular) {
    xx += kRegularization;
    yy += kRegularization;
    determinant = xx * yy - xy * yx;
    if (std::abs(determinant) < kSingular) determinant = kSingular;
  }
  const double factor = 1.0 / determinant;
  Double2 delta = factor * Double2{yy * g.x - xy * g.y, xx * g.y - yx * g.x};
  const double square = dot(delta, delta), largest = kLargestTurn * view.reach;
  if (square > largest * largest) delta = (largest / std::sqrt(square)) * delta;
  return {delta, V * delta};
}

/// A pair of primitives, and the search for a stationary point of its separation.
template <class First, class Second>
class PairSearch {
 public:
  [[gnu::always_inline]] PairSearch(const First& first, const Second& second,
                                    const RelativePose& pose, double scale)
      : first_(first), second_(second), pose_(pose), rounding_(4.0 * kEpsilon * scale) {}

  [[gnu::always_inline]] bool solve(PrimitivePairAnswer& answer) const {
    Start start;
    if (!find_start(start)) return false;
    Double3 x = start.x;
    double l = start.l;
    Double3 last = {0.0, 0.0, 0.0};
    for (int i = 1; i <= kMostSteps; ++i) {
      const NormalView view = first_.view(x, start.reach);
      if (!(view.reach > kInside * start.reach)) return false;
      const TangentBasis plane = {pose_.to_second(view.plane.x), pose_.to_second(view.plane.y)};
      const PrimitiveProjection projection = second_.projection(
          pose_.to_second(view.projection + (l - 1.0) * view.out - pose_.center), plane);
      const Double3 point = pose_.from_second(projection.point) + pose_.center,
                    w = point - view.projection;
      const Double2 g = view.plane.project(w);
      l = dot(view.n, w) * (1.0 / view.reach);
      const Step step = newton_step(view, projection.slope, l, g);
      if (dot(step.delta, step.delta) <= kLastTurn * kLastTurn * view.reach * view.reach &&
          accept_step(view, point, g, step, answer)) {
        answer.iterations = i;
        return true;
      }
      // the steps alternate between two features: go half way, to what lies between them
      Double3 way = view.plane.lift(step.delta);
      if (dot(way, last) < -kReversal * last.squared_norm()) way = 0.5 * way;
      last = way;
      x = first_.moved(view, way);
      if (i > kFewSteps && l < -kDeepest) return false;
    }
    return false;
  }

 private:
  /// The projection of a point on the second primitive, all in the frame of the first.
  [[gnu::always_inline]] Double3 on_second(Double3 x) const {
    return pose_.from_second(second_.point(pose_.to_second(x - pose_.center))) + pose_.center;
  }

  /// Finds a start from two projections: that of the center of the second primitive on the first,
  /// and that of the result on the second. Far apart the latter is a good point itself, with y = a.
  /// Otherwise the point is set at the distance `reach` along the line between the two, where y
  /// needs the separation: beyond it there is no projection.
  [[gnu::always_inline]] bool find_start(Start& start) const {
    const double mean_size = first_.mean_size() + second_.mean_size();
    start.reach = kReach * mean_size;
    start.l = 1.0;
    Double3 along, from = {0.0, 0.0, 0.0};
    if constexpr (std::is_same_v<First, EllipsoidView>) {
      // with the mean of the axes in place of |A n| the condition of stationarity
      // (ellipsoid_pair.hpp) is linear in n
      const Double3 b = on_second(from);
      const double mean = first_.mean_size(), apart = std::max(0.0, b.norm() - mean);
      const Double3 m = first_.axes * first_.axes + (mean * apart) * Double3{1.0, 1.0, 1.0};
      along = start.x = b * Double3{m.y * m.z, m.z * m.x, m.x * m.y};
      if (!(along.squared_norm() > 1e-200)) return false;
      if (apart > kFar * mean_size) {
        start.reach = std::max(start.reach, 0.5 * apart);
        start.l = apart * (1.0 / start.reach);
        return true;
      }
    } else {
      from = first_.point(pose_.center);
      start.x = on_second(from);
      along = start.x - from;
      const double square = along.squared_norm();
      if (!(square > 1e-200)) return false;
      if (square > kFar * kFar * mean_size * mean_size) return true;
    }
    const Double3 n = unit(along);
    start.x = from + start.reach * n;
    start.l = separation(n) * (1.0 / start.reach);
    return true;
  }

  [[gnu::always_inline]] double separation(Double3 n) const {
    return dot(n, pose_.center) - first_.support(n) - second_.support(-pose_.to_second(n));
  }

  /// Takes the last step by the derivatives alone: B (V - N) delta = V delta - g. The proof covers
  /// the terms that this leaves out.
  [[gnu::always_inline]] bool accept_step(const NormalView& view, Double3 point, Double2 g,
                                          const Step& step, PrimitivePairAnswer& answer) const {
    const Double3 n = view.n + (1.0 / view.reach) * view.plane.lift(view.turns * step.delta);
    answer.lower = separation(n);
    const Double3 a = first_.moved_projection(view, n, step.delta);
    const Double3 b = point + view.plane.lift(step.along - g), w = b - a;
    answer.upper = w.norm();
    answer.normal = n;
    answer.point_first = a;
    answer.point_second = b;
    const Double3 rest = w - answer.lower * n;
    const double allowed = 4.0 * rounding_;
    return rest.squared_norm() <= allowed * allowed && first_.holds(a, rounding_) &&
           second_.holds(pose_.to_second(b - pose_.center), rounding_);
  }

  const First first_;
  const Second second_;
  const RelativePose& pose_;
  const double rounding_;
};

/// Whether the stationary point of overlapping cores is proved to be the global optimum.
bool prove_depth(const CoreShape& first, const CoreShape& second, const RelativePose& pose,
                 double scale, PrimitivePairAnswer& answer) {
  Pose X;
  X.rotation << to_vector3(pose.x), to_vector3(pose.y), to_vector3(pose.z);
  X.translation = to_vector3(pose.center);
  CorePair pair(first, second, X, scale);
  CoreDistance core;
  core.optimum = {
      .normal = to_vector3(answer.normal),
      .lower = answer.lower,
      .point_a = to_vector3(answer.point_first),
      .point_b = to_vector3(answer.point_second),
      .residual = (answer.point_second - answer.point_first - answer.lower * answer.normal).norm()};
  if (!prove_overlap(pair, core)) return false;
  answer.normal = to_double3(core.optimum.normal);
  answer.lower = core.optimum.lower;
  answer.upper = core.upper;
  answer.point_first = to_double3(core.optimum.point_a);
  answer.point_second = to_double3(core.optimum.point_b);
  return true;
}

template <class First, class Second>
[[gnu::always_inline]] inline bool solve(const CoreShape& first, const CoreShape& second,
                                         const RelativePose& pose, double scale,
                                         PrimitivePairAnswer& answer) {
  if (!(scale > kSmallestScale && scale < kLargestScale)) return false;
  if (!PairSearch<First, Second>(First(first), Second(to_double3(second.size)), pose, scale)
           .solve(answer))
    return false;
  // at contact the points are off the cores by as much as these are apart, and cores that overlap
  // by no more may be apart along another normal: thin ones are
  if (std::abs(answer.lower) <= kContactBand * scale) return false;
  if (answer.lower > 0.0) return answer.upper - answer.lower <= kRounding * scale;
  return prove_depth(first, second, pose, scale, answer);
}

}  // namespace

bool solve_box_cylinder(const CoreShape& first, const CoreShape& second, const RelativePose& pose,
                        double scale, PrimitivePairAnswer& answer) {
  return solve<BoxView, CylinderProjection>(first, second, pose, scale, answer);
}

bool solve_box_cone(const CoreShape& first, const CoreShape& second, const RelativePose& pose,
                    double scale, PrimitivePairAnswer& answer) {
  return solve<BoxView, ConeProjection>(first, second, pose, scale, answer);
}

bool solve_cylinders(const CoreShape& first, const CoreShape& second, const RelativePose& pose,
                     double scale, PrimitivePairAnswer& answer) {
  return solve<RoundView<CylinderSection>, CylinderProjection>(first, second, pose, scale, answer);
}

bool solve_cone_cylinder(const CoreShape& first, const CoreShape& second, const RelativePose& pose,
                         double scale, PrimitivePairAnswer& answer) {
  return solve<RoundView<ConeSection>, CylinderProjection>(first, second, pose, scale, answer);
}

bool solve_cones(const CoreShape& first, const CoreShape& second, const RelativePose& pose,
                 double scale, PrimitivePairAnswer& answer) {
  return solve<RoundView<ConeSection>, ConeProjection>(first, second, pose, scale, answer);
}

bool solve_ellipsoid_box(const CoreShape& first, const CoreShape& second, const RelativePose& pose,
                         double scale, PrimitivePairAnswer& answer) {
  return solve<EllipsoidView, BoxProjection>(first, second, pose, scale, answer);
}

bool solve_ellipsoid_cylinder(const CoreShape& first, const CoreShape& second,
                              const RelativePose& pose, double scale, PrimitivePairAnswer& answer) {
  return solve<EllipsoidView, CylinderProjection>(first, second, pose, scale, answer);
}

bool solve_ellipsoid_cone(const CoreShape& first, const CoreShape& second, const RelativePose& pose,
                          double scale, PrimitivePairAnswer& answer) {
  return solve<EllipsoidView, ConeProjection>(first, second, pose, scale, answer);
}

}  // namespace tactum
