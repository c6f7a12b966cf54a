// SPDX-License-Identifier: BSD-2-Clause
// How distance, normal and witness points of two convex shapes move when either shape moves.
//
// Tangent    a small motion of a shape is [v; w], linear first. `local`: X exp([v; w]), in the axes
//            of the shape; `world`: exp([v; w]) X; `local_world_aligned`: v moves the origin of the
//            shape, w turns it about that origin, both in world axes. Pinocchio has the same
//            convention.
// Columns    there are six for A, then six for B. Rows are in the world frame.
// Unique     `smooth` says whether the exact derivative exists here and is unique. Where it is not
//            (parallel faces, an edge on a face, a kink, a deep pose with two best normals) a
//            finite derivative is returned all the same; docs/theory/02-derivatives.md says which.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tactum/distance.hpp"

namespace tactum {

/// The frame in which the small motions are expressed.
enum class TangentFrame : std::uint8_t { local, world, local_world_aligned };

/// The vector that the first-order estimators perturb: the unit normal, so that scales are angles,
/// or the separation vector, so that they are lengths (the form of Montaut et al. 2023).
enum class RelativeTo : std::uint8_t { direction, separation };

/// The exact derivative, from the support Hessians and the active features.
struct Exact {
  friend bool operator==(const Exact&, const Exact&) = default;
};

/// Central differences on the group, 12 queries.
struct FiniteDifference {
  double step = 1e-6;  ///< m and rad
  friend bool operator==(const FiniteDifference&, const FiniteDifference&) = default;
};

/// Derivative of the answer averaged over Gaussian motions of B relative to A: one query a sample.
struct ZerothOrder {
  int samples = 50;
  double scale = 1e-2;  ///< standard deviation of the motions, m and rad
  std::uint64_t seed = 0;
  bool variance_reduction = true;  ///< subtract the unperturbed answer, and draw motions in
                                   ///< opposite pairs
  friend bool operator==(const ZerothOrder&, const ZerothOrder&) = default;
};

/// Exact derivative with the Hessian of each support function averaged over Gaussian directions:
/// one support point a sample and shape.
struct Gaussian {
  int samples = 20;
  double scale = 1e-3;  ///< standard deviation: rad, or m where it is relative to the separation
  std::uint64_t seed = 0;
  bool variance_reduction = true;
  RelativeTo relative_to = RelativeTo::direction;
  friend bool operator==(const Gaussian&, const Gaussian&) = default;
};

/// Exact derivative with the Hessian of a soft maximum over the vertices within `rings` edges of
/// the support vertex. Boxes, capsules and hulls; a half-space beside one of them stays as it is.
struct Gumbel {
  int rings = 1;
  std::optional<double> temperature = std::nullopt;  ///< m (m^2 where relative to the separation);
                                                     ///< none: from the edges met
  RelativeTo relative_to = RelativeTo::direction;
  friend bool operator==(const Gumbel&, const Gumbel&) = default;
};

using Estimator = std::variant<Exact, FiniteDifference, ZerothOrder, Gaussian, Gumbel>;

using RowVector12 = Eigen::Matrix<double, 1, 12>;
using Matrix3x12 = Eigen::Matrix<double, 3, 12>;

/// One column for each of the twelve small motions.
struct DistanceJacobians {
  RowVector12 distance_jacobian;
  Matrix3x12 normal_jacobian;
  Matrix3x12 point_a_jacobian;
  Matrix3x12 point_b_jacobian;
  Matrix3x12 separation_jacobian;  ///< of point_b - point_a
};

struct DistanceDerivative : DistanceJacobians {
  Distance value;
  bool smooth = false;
  Estimator estimator;
  std::optional<DistanceJacobians> standard_error;  ///< entry by entry, of the sampled estimators
};

struct DistanceDerivativeOptions {
  Estimator estimator = Exact{};
  const Distance* value = nullptr;  ///< of this very pair, if it is known; else it is computed
  TangentFrame frame = TangentFrame::local;
  DistanceOptions query = {};  ///< of the queries that are made
};

/// All Jacobians of a pair. Throws InvalidInput as distance() does, on a bad estimator, and on a
/// `value` that is not of this pair. Never allocates otherwise, never returns a NaN.
DistanceDerivative distance_derivative(const Shape& a, const Pose& X_WA, const Shape& b,
                                       const Pose& X_WB,
                                       const DistanceDerivativeOptions& options = {});

/// Derivative of the distance alone. It needs no curvature, only the normal and the points of
/// `value`, which is not checked.
RowVector12 distance_jacobian(const Pose& X_WA, const Pose& X_WB, const Distance& value,
                              TangentFrame frame = TangentFrame::local);

/// Derivatives with respect to the sizes of one shape: one column a name, rows in the world frame.
struct ParameterDerivative {
  std::vector<std::string> names;  ///< "radius", "half_extents[1]", "vertices[7][2]", "margin": as
                                   ///< the shape calls them
  Eigen::RowVectorXd distance_jacobian;
  Eigen::Matrix3Xd normal_jacobian;
  Eigen::Matrix3Xd point_a_jacobian;
  Eigen::Matrix3Xd point_b_jacobian;
  Eigen::Matrix3Xd separation_jacobian;
};

/// How the answer moves when A or B changes its size, by the exact derivative. A radius, half
/// length or margin of 0 can only grow: the derivative with respect to it is one-sided. `smooth` is
/// that of distance_derivative, and false where a vertex of a face with more than three corners
/// would fold the face, and beside a capsule of half length 0.
struct DistanceParameterDerivative {
  ParameterDerivative a, b;
  bool smooth = false;
};

/// Derivative with respect to all sizes: radius, half extents, semi axes, half length, margin,
/// offset, each coordinate of each vertex. Errors are those of distance_derivative.
DistanceParameterDerivative parameter_derivative(const Shape& a, const Pose& X_WA, const Shape& b,
                                                 const Pose& X_WB, const Distance* value = nullptr,
                                                 const DistanceOptions& query = {});

}  // namespace tactum
