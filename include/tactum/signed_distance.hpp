// SPDX-License-Identifier: BSD-2-Clause
// Signed distance of many points from one geometry, with its gradient.
//
// The value is the distance from the surface, negative inside; a margin belongs to the shape. Of a
// compound it is the smallest over the parts. A mesh has an inside, by its winding number, where it
// is closed and oriented; of any other the distance is never negative. The gradient is with respect
// to the point: a unit vector in the world frame, outward. Where it is not unique (in the middle of
// a ball) any optimal one is returned.
#pragma once

#include <functional>
#include <span>

#include "tactum/batch.hpp"
#include "tactum/geometry.hpp"
#include "tactum/shape.hpp"
#include "tactum/status.hpp"

namespace tactum {

struct SignedDistanceOptions {
  int num_threads = 0;                     ///< at most; 0: all that the machine has
  std::function<bool()> interrupted = {};  ///< asked about 100 times a second, on the calling
                                           ///< thread; true ends the call early
};

/// Columns for the answers, one row for each point; an empty one is not written. Columns must not
/// overlap.
struct SignedDistanceColumns {
  std::span<double> distance = {};   ///< m
  std::span<Vector3> gradient = {};  ///< unit, world
  std::span<Status> status = {};     ///< invalid_input, with distance 0, for a point that is not
                                     ///< finite or beyond 1e30 m
};

/// Signed distances of points in the world, in metres. Returns false when it was interrupted: some
/// rows are then not written.
///
/// Throws InvalidInput, before anything is written, on a bad pose and on columns of the wrong size.
/// Same bits for any number of threads. Allocates nothing once the workspace has been used with as
/// many threads.
bool signed_distance(const Geometry& geometry, const Pose& X, std::span<const Vector3> points,
                     const SignedDistanceOptions& options, BatchWorkspace& work,
                     const SignedDistanceColumns& out);

/// Signed distance of one point. The query throws InvalidInput when the point is not finite.
struct SignedDistance {
  double distance = 0.0;                ///< m
  Vector3 gradient = Vector3::UnitZ();  ///< unit, world
  Status status = Status::not_converged;
};
SignedDistance signed_distance(const Geometry& geometry, const Pose& X, const Vector3& point);

}  // namespace tactum
