// SPDX-License-Identifier: BSD-2-Clause
#include "tactum/collision_network.hpp"

#include <cmath>
#include <fstream>
#include <utility>

#include "neural/encoder.hpp"
#include "neural/network_weights.hpp"
#include "neural/predictor.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

constexpr double kLargestCoordinate = 1e6;  // m

void check_columns(const Points& values, const char* field) {
  if (values.cols() == 0) throw InvalidInput(field, "none", "give one point at least");
  for (Eigen::Index i = 0; i < values.cols(); ++i) {
    for (const double value : values.col(i)) {
      if (std::isfinite(value) && std::abs(value) <= kLargestCoordinate) continue;
      throw InvalidInput(std::string(field) + "[" + std::to_string(i) + "]",
                         "a coordinate that is not finite or beyond 1e6 m", "give metres");
    }
  }
}

void check_code(const CollisionNetworkSize& size, const ObjectCode& code, const char* field) {
  const bool fits = code.features.rows() == size.features &&
                    code.features.cols() == code.centers.cols() &&
                    code.field.size() == kFieldNodes * kFieldNodes * kFieldNodes &&
                    code.cell_size > 0.0 && code.half_side > 0.0;
  if (!fits) throw InvalidInput(field, "a code of another network", "encode it with this network");
}

}  // namespace

CollisionNetwork::CollisionNetwork(std::shared_ptr<const NetworkWeights> weights)
    : weights_(std::move(weights)) {}

CollisionNetwork CollisionNetwork::parse(std::string_view bytes, const std::string& name) {
  return CollisionNetwork(std::make_shared<const NetworkWeights>(
      make_network_weights(parse_tensor_file(bytes, name), name)));
}

CollisionNetwork CollisionNetwork::read(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) throw InvalidInput(path.string(), error.message(), "give a file of weights");
  if (size > kLargestTensorFile) {
    throw InvalidInput(path.string(), std::to_string(size) + " bytes",
                       "give a file of at most 64 MiB");
  }
  std::ifstream file(path, std::ios::binary);
  std::string bytes(size, '\0');
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size)))
    throw InvalidInput(path.string(), "a file that cannot be read", "give a file of weights");
  return parse(bytes, path.string());
}

const CollisionNetworkSize& CollisionNetwork::size() const { return weights_->size; }

ObjectCode CollisionNetwork::encode(const Mesh& mesh) const {
  const MeshSamples samples = mesh.sample(weights_->size.points);
  return encode(samples.points, samples.normals);
}

ObjectCode CollisionNetwork::encode(const Points& points, const Points& normals) const {
  check_columns(points, "points");
  check_columns(normals, "normals");
  if (points.cols() != normals.cols()) {
    throw InvalidInput("normals", std::to_string(normals.cols()),
                       "give as many as there are points");
  }
  return encode_points(*weights_, points, normals);
}

CollisionPrediction CollisionNetwork::predict(const ObjectCode& a, const ObjectCode& b,
                                              const Pose& X_AB) const {
  check_code(weights_->size, a, "code_a");
  check_code(weights_->size, b, "code_b");
  return predict_pair(*weights_, a, b, check_pose(X_AB, "X_AB").pose);
}

CollisionPredictionDerivative CollisionNetwork::predict_derivative(const ObjectCode& a,
                                                                   const ObjectCode& b,
                                                                   const Pose& X_AB) const {
  check_code(weights_->size, a, "code_a");
  check_code(weights_->size, b, "code_b");
  return predict_pair_derivative(*weights_, a, b, check_pose(X_AB, "X_AB").pose);
}

}  // namespace tactum
