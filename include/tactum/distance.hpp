// SPDX-License-Identifier: BSD-2-Clause
// Distance and collision of two convex shapes, with a certificate.
//
// Conventions: the signed distance d is positive apart and minus the depth in penetration; the unit
// normal points from A to B; point_b - point_a = d * normal; everything is in the world frame
// unless its name says otherwise. The scale of a pair is the largest of the distance between the
// origins of the two shapes and of both bounding radii about them (a half-space counts by the
// distance of its plane from its own origin): every tolerance is relative to it.
#pragma once

#include <cstdint>
#include <limits>

#include "tactum/pose.hpp"
#include "tactum/shape.hpp"
#include "tactum/status.hpp"
#include "tactum/warm_start.hpp"

namespace tactum {

/// How to search. Every method gives the same answer within the tolerance, and ends in the same
/// exact stage in penetration.
enum class Method : std::uint8_t {
  automatic,  ///< closed forms where they exist, else GJK with a second-order finish ("auto" in
              ///< Python)
  // the methods of the GJK++ paper: they search and count as the paper does, except for the weight
  // of Polyak's momentum
  gjk,                    ///< fully corrective Frank-Wolfe: Alg. 4
  polyak,                 ///< GJK with Polyak's momentum: Alg. 6, with the weight 1 / (k + 1)
  polyak_normalized,      ///< Polyak's momentum with directions made unit: Alg. 7
  nesterov,               ///< GJK with Nesterov's momentum: Alg. 6
  nesterov_normalized,    ///< Nesterov's momentum with directions made unit: Alg. 7
  frank_wolfe,            ///< no simplex, line search: Alg. 1
  frank_wolfe_open_loop,  ///< no simplex, steps fixed beforehand: eq. 12
  frank_wolfe_polyak,     ///< no simplex, Polyak's momentum: Alg. 5
  frank_wolfe_nesterov,   ///< no simplex, Nesterov's momentum: Alg. 5
  nesmino,  ///< projections on smoothed shapes (section IV-E); not for hulls of three or more
            ///< points
};

struct DistanceOptions {
  Method method = Method::automatic;
  double tolerance = 1e-10;  ///< upper - lower <= tolerance * scale on return; at least 64 eps
  int max_iterations = 128;  ///< of the main loop, 1 to 100000
  double cutoff = std::numeric_limits<double>::infinity();  ///< m, >= 0: stop as soon as the
                                                            ///< distance is proved larger
  Vector3 initial_direction = Vector3::Zero();  ///< world frame, from A to B; zero: chosen by the
                                                ///< library
  const WarmStart* warm_start = nullptr;        ///< read, never written
};

struct Distance {
  Status status = Status::not_converged;
  double distance = 0.0;                                    ///< m, signed
  Vector3 normal = Vector3::UnitZ();                        ///< unit, from A to B, world
  Vector3 point_a = Vector3::Zero();                        ///< on A, world
  Vector3 point_b = Vector3::Zero();                        ///< on B, world
  double lower = -std::numeric_limits<double>::infinity();  ///< m, proved: lower <= true distance
  double upper = std::numeric_limits<double>::infinity();   ///< m, proved: true distance <= upper
  int iterations = 0;
  int support_calls = 0;
  int vertices_visited = 0;
  bool pose_corrected = false;  ///< a rotation was off by 1e-12 to 1e-6 and was made orthonormal
  WarmStart warm_start;         ///< give it to the next query of this pair
};

struct CollideOptions {
  Method method = Method::automatic;
  double tolerance = 1e-10;
  int max_iterations = 128;
  Vector3 initial_direction = Vector3::Zero();
  const WarmStart* warm_start = nullptr;
};

/// Answer to whether two shapes collide. When they are apart, `lower` is a proved gap, along
/// `normal` where both shapes are convex. When they collide, lower <= 0, and for compounds
/// -infinity, because the search ends at the first parts that collide.
struct Collision {
  bool colliding = false;  ///< true when touching or penetrating
  Status status = Status::not_converged;
  Vector3 normal = Vector3::UnitZ();  ///< unit, from A to B, world
  double lower = -std::numeric_limits<double>::infinity();
  int iterations = 0;
  bool pose_corrected = false;
  WarmStart warm_start;
  explicit operator bool() const { return colliding; }
};

/// Signed distance, normal, witness points, status and bounds of a pair. Throws InvalidInput on bad
/// poses or options and for a pair of half-spaces; never allocates otherwise, never prints, keeps
/// no state; may be called from many threads.
Distance distance(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                  const DistanceOptions& options = {});

/// Whether the shapes share a point; stops at the first separating plane. Errors are those of
/// distance().
Collision collide(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                  const CollideOptions& options = {});

/// The scale of a pair, in metres. Tolerances and error bounds are relative to it.
double pair_scale(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB);

}  // namespace tactum
