// SPDX-License-Identifier: BSD-2-Clause
// A learned collision check of non-convex objects: a network that looks at the parts of two objects
// that can touch.
//
// Code       an object is encoded once, from points of its surface, into a code: a grid of cells,
//            each with a few numbers that the network has learned.
// Prediction two codes and the pose of B in A give a logit of collision and an estimate of the
//            signed distance. Nothing about them is proved: NeuralFilter of the Python package
//            chooses a threshold with a stated miss rate and puts an exact check behind it.
// Symmetry   a common motion of both objects changes nothing, and neither does their order, apart
//            from rounding.
// Gradient   the prediction is continuous in the pose, and the weights that choose cells have
//            continuous derivatives by it. The gradient of the prediction has jumps: the layers of
//            the predictor end in max(x, 0), and where one of their units switches on or off, its
//            share of the gradient comes or goes at once.
//
// This is the reference: plain double precision on one core. Training is in Python (tactum.neural).
#pragma once

#include <Eigen/Core>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "tactum/mesh.hpp"
#include "tactum/pose.hpp"

namespace tactum {

/// Sizes of a network, which decide the shapes of its weights. The metadata of its file has them.
struct CollisionNetworkSize {
  int cells = 6;      ///< of the grid along an axis
  int width = 128;    ///< numbers of a point
  int channels = 64;  ///< of the convolutions
  int features = 96;  ///< numbers of a cell
  int vectors = 16;   ///< how many triples of these are vectors, which turn with their object
  int hidden = 192;   ///< width of the predictor
  int points = 1500;  ///< of the surface of an object
};

/// The code of one object: all that a network knows about it. Lengths are in metres, in axes
/// parallel to those of the object, from the center of the bounding box of its points.
struct ObjectCode {
  Eigen::MatrixXd features;           ///< one column for each cell that has points
  Points centers;                     ///< mean of the points of each of these cells
  Vector3 origin = Vector3::Zero();   ///< the center, in the frame of the object
  Vector3 extents = Vector3::Ones();  ///< half sizes of the grown bounding box
  double half_side = 1.0;             ///< half the side of the grid
  double cell_size = 1.0;
  Eigen::VectorXd field;  ///< estimated signed distances at the nodes of a coarse grid
};

struct CollisionPrediction {
  double logit = 0.0;     ///< positive: the network expects a collision
  double distance = 0.0;  ///< estimated signed distance, m
};

/// A prediction and its derivatives by [v; w], a small motion of B in its own frame: metres,
/// radians.
struct CollisionPredictionDerivative {
  CollisionPrediction value;
  Eigen::Matrix<double, 6, 1> logit_gradient = Eigen::Matrix<double, 6, 1>::Zero();
};

struct NetworkWeights;  // src/neural/network_weights.hpp

/// An immutable network: cheap to copy, safe to use from many threads.
class CollisionNetwork {
 public:
  /// From a safetensors file, which is not trusted. Throws InvalidInput.
  static CollisionNetwork read(const std::filesystem::path& path);
  /// From the bytes of such a file; `name` stands for it in messages.
  static CollisionNetwork parse(std::string_view bytes, const std::string& name);

  const CollisionNetworkSize& size() const;
  const NetworkWeights& weights() const { return *weights_; }  ///< for inference on a GPU

  /// Samples points of the surface, always the same ones, and encodes them. Throws InvalidInput for
  /// a mesh without area.
  ObjectCode encode(const Mesh& mesh) const;
  /// From points of the surface and their outward unit normals, equally many. Throws InvalidInput
  /// where there is none, or one is not finite or beyond 1e6 m.
  ObjectCode encode(const Points& points, const Points& normals) const;

  /// The collision of A and B, whose pose in A is X_AB. Throws InvalidInput for a bad pose, and for
  /// a code of another network size.
  CollisionPrediction predict(const ObjectCode& a, const ObjectCode& b, const Pose& X_AB) const;
  CollisionPredictionDerivative predict_derivative(const ObjectCode& a, const ObjectCode& b,
                                                   const Pose& X_AB) const;

 private:
  explicit CollisionNetwork(std::shared_ptr<const NetworkWeights> weights);
  std::shared_ptr<const NetworkWeights> weights_;
};

}  // namespace tactum
