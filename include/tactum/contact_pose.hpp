// SPDX-License-Identifier: BSD-2-Clause
// The pose that brings two given surface points into contact: the problem of eq. (30) of Montaut et
// al. 2023.
//
// Given      a point of A and a point of B, each in the frame of its own shape, and a first guess
//            X_AB of the pose of B in the frame of A.
// Sought     the pose X_AB for which these two points are the witness points of the pair and
//            coincide.
// Cost       1/2 |p_A - target_a|^2 + 1/2 |p_B - target_b|^2 + 1/2 |p_A - p_B|^2, in m^2, where p_A
//            and p_B are the points that distance() returns. It never increases. Targets need not
//            lie on the surfaces: the cost then has no zero, and the best pose found is returned.
// Rotation   a rotation about the normal does not change the cost, so the search leaves that angle
//            as it is at the start.
// Local      the search is a descent, and a point on the far side of a flat shape can end it early.
//            Status and cost say so; start from another pose.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "tactum/batch.hpp"
#include "tactum/distance_derivative.hpp"

namespace tactum {

/// How a search for a contact pose ended.
enum class ContactPoseStatus : std::uint8_t {
  converged,       ///< the cost is at most the tolerance times the squared size of the pair
  max_iterations,  ///< the budget is spent
  stalled,         ///< no step decreases the cost: a local minimum, or rounding
  invalid_input,   ///< only in batches: this row could not be computed
};

/// Lower-case name of a status, as it is written in Python.
std::string_view to_string(ContactPoseStatus status);

struct ContactPoseOptions {
  /// Source of the Jacobian. None: the exact derivative with adaptive smoothing, which spreads the
  /// curvature of edges and vertices over more or less of their surroundings whenever steps stop
  /// decreasing the cost.
  std::optional<Estimator> estimator = std::nullopt;
  int max_iterations = 50;   ///< Jacobians, 0 to 100000
  double tolerance = 1e-24;  ///< of the cost, relative to the squared size of the pair; >= 0
  double damping = 1e-5;  ///< of the steps (Levenberg), relative to the largest diagonal entry of
                          ///< J'J; 1e-12 to 1
  DistanceOptions query = {};  ///< of the queries that are made; their warm starts come from the
                               ///< search itself
};

struct ContactPose {
  Pose pose;                             ///< X_AB: B in the frame of A
  double cost = 0.0;                     ///< m^2
  Vector3 residual_a = Vector3::Zero();  ///< point_a - target_a, in the frame of A
  Vector3 residual_b = Vector3::Zero();  ///< point_b - target_b, in the frame of B
  Vector3 separation = Vector3::Zero();  ///< point_b - point_a, in the frame of A
  ContactPoseStatus status = ContactPoseStatus::max_iterations;
  int iterations = 0;  ///< Jacobians that were computed
  int queries = 0;     ///< poses at which the cost was computed; those inside estimators are not
                       ///< counted
};

/// Sum of the bounding radii of both shapes about their origins, in m; a half-space counts as zero.
double contact_pose_size(const Shape& a, const Shape& b);

/// Finds the pose for one problem. `history` receives the cost at the start and after each
/// iteration, the last one repeated to its end; an empty span receives nothing. Throws InvalidInput
/// that names the argument: targets that are not finite, a start that is not a pose, bad options, a
/// pair of half-spaces.
ContactPose contact_pose(const Shape& a, const Shape& b, const Vector3& target_a,
                         const Vector3& target_b, const Pose& start,
                         const ContactPoseOptions& options = {}, std::span<double> history = {});

/// The shapes A or B of many problems and the points on them. Nothing is copied: the memory stays
/// the caller's.
struct ContactPoseSide {
  std::span<const Shape> shapes = {};        ///< a ShapeTable, or one shape: {&shape, 1}
  std::span<const std::int32_t> index = {};  ///< into `shapes`, one for each problem; empty:
                                             ///< shapes[0] for all
  std::span<const Vector3> targets = {};     ///< in the frame of the shape: one for all problems or
                                             ///< one for each
};

struct ContactPoseBatch {
  std::size_t size = 0;  ///< how many problems
  ContactPoseSide a;
  ContactPoseSide b;
  PoseSpan start;  ///< X_AB: one for all problems or one for each
};

/// Columns for the answers; an empty one is not written. `history` has max_iterations + 1 numbers
/// for each problem.
struct ContactPoseColumns {
  std::span<ContactPose> answer = {};
  std::span<double> history = {};
};

struct ContactPosesOptions : ContactPoseOptions {
  int num_threads = 0;                     ///< at most; 0: all that the machine has
  std::function<bool()> interrupted = {};  ///< asked about 100 times a second, on the calling
                                           ///< thread; true ends the call early
};

/// Solves many problems on all cores. Row i has the bits of contact_pose(), for any number of
/// threads; a row that contact_pose() would refuse because of its numbers has the status
/// invalid_input and cost 0. Returns false when it was interrupted: some rows are then not written.
/// Throws InvalidInput, before anything is written, on bad options, on an index out of range and on
/// spans of the wrong size.
bool contact_poses(const ContactPoseBatch& problems, const ContactPosesOptions& options,
                   BatchWorkspace& work, const ContactPoseColumns& out);

}  // namespace tactum
