// SPDX-License-Identifier: BSD-2-Clause
// The weights of a collision network as matrices, checked against the sizes that its file states.
#pragma once

#include <Eigen/Core>

#include <array>
#include <string>

#include "neural/tensor_file.hpp"
#include "tactum/collision_network.hpp"

namespace tactum {

/// y = W x + b
struct LinearLayer {
  Eigen::MatrixXd weight;  // outputs x inputs
  Eigen::VectorXd bias;
};

/// LayerNorm: subtracts the mean, divides by the standard deviation, then scales and shifts.
struct NormLayer {
  Eigen::VectorXd scale, shift;
};

/// A linear layer, ReLU and LayerNorm.
struct DenseLayer {
  LinearLayer linear;
  NormLayer norm;
};

/// A 3 x 3 x 3 convolution, ReLU, and LayerNorm over the channels of each cell.
struct GridLayer {
  std::array<Eigen::MatrixXd, 27> weight;  // outputs x inputs, one for each offset, z fastest
  Eigen::VectorXd bias;
  NormLayer norm;
};

struct NetworkWeights {
  CollisionNetworkSize size;
  LinearLayer point1, point2, point3;
  GridLayer down1, down2, down3, up3, up2, up1;
  LinearLayer cell;
  DenseLayer first, second, third, joint;
  LinearLayer out;
};

/// Constants of the network that are not learned; the Python package has the same ones.
inline constexpr double kNetworkUnit = 0.1;   // m: the length that is 1 inside the network
inline constexpr double kBoxGrowth = 0.01;    // m: added to the bounding box on every side
inline constexpr double kNormEpsilon = 1e-5;  // added to the variance by LayerNorm
inline constexpr int kFieldNodes = 12;        // of the distance field along an axis
inline constexpr int kViewInputs = 38;  // of the predictor, besides the features of two objects

/// Throws InvalidInput, with `name` as field, unless every array is there with its shape and the
/// sizes are within limits.
NetworkWeights make_network_weights(const TensorFile& file, const std::string& name);

}  // namespace tactum
