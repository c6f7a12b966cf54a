// SPDX-License-Identifier: BSD-2-Clause
// Derivatives of the distances of a scene, pair by pair.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

#include "tactum/batch.hpp"
#include "tactum/distance_derivative.hpp"
#include "tactum/scene.hpp"

namespace tactum::python {

struct SceneJacobians {
  std::vector<DistanceJacobians> rows;
  std::vector<std::uint8_t> smooth;  ///< 0 or 1, each a byte of its own for the threads
};

/// Jacobians of all rows by the motions of A and B in `frame`. Compounds move as a whole, and their
/// row is that of the two parts that are nearest. A row without an answer has zeros. Every row is
/// computed by itself: the bits are the same for any number of threads. Throws the error of the
/// first row that has one.
SceneJacobians scene_jacobians(const Scene& scene, const SceneDistances& found,
                               const Estimator& estimator, TangentFrame frame, int num_threads,
                               BatchWorkspace& work);

/// Arrays by the names of the fields, read-only.
nanobind::object jacobians_dict(const SceneJacobians& jacobians);

}  // namespace tactum::python
