// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/depth/depth_bound_point.hpp"

#include <limits>

#include "math/constants.hpp"
#include "math/epsilon.hpp"
#include "narrow/formula/point_primitive.hpp"
#include "shape/stp/stp_surface.hpp"

namespace tactum {
namespace {

using Kind = CoreShape::Kind;

constexpr std::size_t kFewEdges = 64;  ///< STP volumes with at most this many edges have all of
                                       ///< them tested

/// Bound for a point p in an ellipsoid with semi axes a_i, by the S-lemma: any mu <= min a_i^2
/// proves that the ball of radius R about p is inside,
///     R^2 = mu - sum_i p_i^2 mu / (a_i^2 - mu),
/// and the best one is mu = R |D n|, n the normal at the nearest point of the surface. The radius
/// swept around the core does not count.
double bound_in_ellipsoid(const CoreShape& core, const Vector3& p, const Vector3& n, double lower) {
  const Vector3 squares = core.size.cwiseAbs2();
  const double mu = std::min((core.inner_radius - lower) * core.size.cwiseProduct(n).norm(),
                             (1.0 - 4.0 * kEpsilon) * squares.minCoeff());
  if (!(mu > 0.0)) return kInfinity;
  const double square = mu -
                        mu * p.cwiseAbs2().cwiseQuotient((squares.array() - mu).matrix()).sum();
  return square > 0.0 ? core.inner_radius - std::sqrt(square) : kInfinity;
}

/// Whether the arc of an edge has a point in the direction -across from the middle of its circle.
bool reaches(const StpSurface::Edge& edge, Double3 across) {
  if (edge.faces[0] < 0) return true;
  const double first = dot(across, edge.inward[0]), second = dot(across, edge.inward[1]);
  return (edge.wide ? std::min(first, second) : std::max(first, second)) <= 0.0 &&
         dot(across, edge.outward) >= 0.0;
}

/// Signed distance of a point inside an STP volume: the largest |x - c| - alpha over the points c
/// of C (shape/stp/stp_surface.hpp), which is attained at a corner or on an arc of C. The formula
/// for |x - c|^2 - alpha^2 contains no differences of large numbers.
double distance_in_volume(const StpSurface& volume, Double3 x) {
  if (volume.edges().empty() || volume.edges().size() > kFewEdges) return kInfinity;
  const double alpha = volume.alpha();
  double excess = -alpha * alpha;
  for (const StpSurface::Face& face : volume.faces()) {
    const Double3 w = x - face.circumcenter;
    excess = std::max(
        excess, w.squared_norm() - face.squared_radius + 2.0 * face.height * dot(w, face.normal));
  }
  for (const StpSurface::Edge& edge : volume.edges()) {
    const Double3 w = x - edge.middle, across = w - dot(w, edge.axis) * edge.axis;
    if (!reaches(edge, across)) continue;
    excess = std::max(excess, w.squared_norm() - edge.half_length * edge.half_length +
                                  2.0 * edge.radius * across.norm());
  }
  return excess / (alpha + std::sqrt(alpha * alpha + excess));
}

/// Upper bound of the signed distance of a point from a core that it should leave along n.
double upper_distance_of(const CoreShape& core, const Vector3& point, const Vector3& n,
                         double lower) {
  switch (core.kind) {
    case Kind::box: return point_box(core.size, point).distance;
    case Kind::cylinder: return point_cylinder(core.size.x(), core.size.y(), point).distance;
    case Kind::cone: return point_cone(core.size.x(), core.size.y(), point).distance;
    case Kind::ellipsoid: return bound_in_ellipsoid(core, point, n, lower);
    case Kind::stp: return distance_in_volume(*core.stp, to_double3(point));
    default: return kInfinity;
  }
}

}  // namespace

double upper_bound_by_points(const CorePair& pair, const SeparationOptimum& optimum) {
  const Matrix3& R = pair.X_AB().rotation;
  const Vector3 point_a_B = R.transpose() * (optimum.point_a - pair.X_AB().translation);
  const double of_b = upper_distance_of(pair.a(), optimum.point_b, optimum.normal, optimum.lower);
  const double of_a = upper_distance_of(pair.b(), point_a_B, R.transpose() * optimum.normal,
                                        optimum.lower);
  return std::min(of_a, of_b) + 16.0 * kEpsilon * pair.scale();
}

}  // namespace tactum
