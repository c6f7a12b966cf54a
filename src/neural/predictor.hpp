// SPDX-License-Identifier: BSD-2-Clause
// From two codes and a relative pose to a logit of collision and a signed distance, with the
// derivative of the logit.
//
// Weights    a cell of one object counts the more the nearer its center is to the surface of the
//            other, by that one's distance field: once widely, for the first half of the features,
//            once narrowly, for the second. The features of each object are averaged so.
// Views      each object sees the other in its own frame: both averages, the vectors among those of
//            the other turned, the sizes, the pose. Both views pass through the same layers and are
//            added, so that the order of the objects does not matter.
#pragma once

#include "neural/network_weights.hpp"

namespace tactum {

/// X_AB is the pose of the frame of object B in that of A.
CollisionPrediction predict_pair(const NetworkWeights& weights, const ObjectCode& a,
                                 const ObjectCode& b, const Pose& X_AB);

CollisionPredictionDerivative predict_pair_derivative(const NetworkWeights& weights,
                                                      const ObjectCode& a, const ObjectCode& b,
                                                      const Pose& X_AB);

}  // namespace tactum
