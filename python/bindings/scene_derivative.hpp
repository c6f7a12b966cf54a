// SPDX-License-Identifier: BSD-2-Clause
// Derivatives of the distances of a scene, pair by pair.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "tactum/distance_derivative.hpp"
#include "tactum/scene.hpp"

namespace tactum::python {

struct SceneJacobians {
  std::vector<DistanceJacobians> rows;
  std::vector<bool> smooth;
};

/// Jacobians of all rows by the motions of A and B in `frame`. Compounds move as a whole, and their
/// row is that of the two parts that are nearest. A row without an answer has zeros.
SceneJacobians scene_jacobians(const Scene& scene, const SceneDistances& found,
                               const Estimator& estimator, TangentFrame frame);

/// Arrays by the names of the fields, read-only.
nanobind::object jacobians_dict(const SceneJacobians& jacobians);

}  // namespace tactum::python
