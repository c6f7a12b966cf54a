// SPDX-License-Identifier: BSD-2-Clause
// Jacobians of normals and points as a lane computes them, on the host, against the library's:
// every ordered pair of kinds, from the library's answers and from those of the lane itself.
#include "gpu/witness_jacobian.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "gpu/distance_pair.hpp"
#include "gpu/packed_shapes.hpp"
#include "support/random_shapes.hpp"
#include "support/repetitions.hpp"
#include "tactum/distance.hpp"
#include "tactum/distance_derivative.hpp"

namespace tactum::gpu {
namespace witness_jacobian_tests {

Vector<double> plain(const Vector3& v) { return {v.x(), v.y(), v.z()}; }

struct TwoShapes {
  TwoShapes(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB)
      : shapes{a, b},
        packed(pack_shapes(shapes)),
        numbers_a(pose_xyz_xyzw(X_WA)),
        numbers_b(pose_xyz_xyzw(X_WB)) {}

  TableView<1> table() const {
    return {packed.single.data(),
            packed.exact.data(),
            {packed.blocks.data(), packed.vertices.data(), 0}};
  }
  WitnessPoses poses() const { return {read_pose(numbers_a.data()), read_pose(numbers_b.data())}; }
  Pose X_WA() const { return pose_from_xyz_xyzw(numbers_a); }
  Pose X_WB() const { return pose_from_xyz_xyzw(numbers_b); }
  PreparedWitness prepared(const WitnessAnswer& answer, double tolerance) const {
    return prepared_witness<kAllKinds>(packed.exact[0], packed.exact[1], table().vertices, poses(),
                                       poses(), answer, tolerance);
  }
  /// The answer of the lane, in the world.
  WitnessAnswer lane_answer(double tolerance, Status& status) const {
    const WitnessPoses at = poses();
    const PairAnswer found = distance_of_pair<kAllKinds>(table(), 0, at.X_WA, 1, at.X_WB,
                                                         tolerance);
    status = found.status;
    const auto moved = [&](Vector<double> p) {
      return rotated(at.X_WA.rotation, p) + at.X_WA.translation;
    };
    return {found.distance, rotated(at.X_WA.rotation, found.normal), moved(found.point_a),
            moved(found.point_b)};
  }

  std::vector<Shape> shapes;
  PackedShapes packed;
  Vector7 numbers_a, numbers_b;
};

template <WitnessValue kValue>
Matrix3x12 jacobian(const PreparedWitness& witness) {
  Matrix3x12 result;
  for (int k = 0; k < 12; ++k) {
    const Vector<double> column = witness_column<kValue>(witness.pair, witness.response, k);
    result.col(k) = Vector3(column.x, column.y, column.z);
  }
  return result;
}

/// Largest difference of two Jacobians, relative to the size of the second.
double relative_difference(const Matrix3x12& a, const Matrix3x12& b) {
  return (a - b).cwiseAbs().maxCoeff() / (1.0 + b.cwiseAbs().maxCoeff());
}

/// Largest difference from the library's Jacobians, relative to their size.
double worst_error(const PreparedWitness& found, const DistanceDerivative& expected) {
  return std::max(
      {relative_difference(jacobian<WitnessValue::normal>(found), expected.normal_jacobian),
       relative_difference(jacobian<WitnessValue::point_a>(found), expected.point_a_jacobian),
       relative_difference(jacobian<WitnessValue::point_b>(found), expected.point_b_jacobian)});
}

/// Whether a shape is thicker than 1e-3 of the scale of the pair. The lane takes points as known to
/// 1e-9 of the scale, so that a shape not much thicker than that has no features for it.
bool is_thick(const Shape& shape, double scale) {
  if (shape.kind() == ShapeKind::half_space) return true;
  testing::Random random(7);
  for (int i = 0; i < 100; ++i) {
    const Vector3 u = random.direction();
    if (u.dot(shape.support(u) - shape.support(-u)) < 1e-3 * scale) return false;
  }
  return true;
}

/// Whether both shapes are thick, are not a thousand scales away from the origin, and the library's
/// Jacobians stay what they are when B moves by 1e-8 of the scale and turns by 1e-8 rad. The lane
/// takes features that are level to 1e-9 as one, and its answer near such a tie is that of the tie.
bool is_decided(const testing::PairSample& sample, const Pose& X_WA, const Pose& X_WB,
                const DistanceDerivative& expected) {
  testing::Random random(7);
  const double scale = pair_scale(sample.a, X_WA, sample.b, X_WB);
  const double farthest = std::max(expected.value.point_a.norm(), expected.value.point_b.norm());
  if (!is_thick(sample.a, scale) || !is_thick(sample.b, scale) || farthest > 1e3 * scale)
    return false;
  for (int i = 0; i < 6; ++i) {
    const Vector3 axis = random.direction();
    Pose moved = X_WB;
    moved.translation += 1e-8 * scale * random.direction();
    moved.rotation = Eigen::AngleAxisd(1e-8, axis).toRotationMatrix() * X_WB.rotation;
    const DistanceDerivative nearby = distance_derivative(sample.a, X_WA, sample.b, moved);
    if (!nearby.smooth ||
        relative_difference(nearby.normal_jacobian, expected.normal_jacobian) > 1e-6 ||
        relative_difference(nearby.point_a_jacobian, expected.point_a_jacobian) > 1e-6 ||
        relative_difference(nearby.point_b_jacobian, expected.point_b_jacobian) > 1e-6)
      return false;
  }
  return true;
}

struct KindPair {
  ShapeKind a, b;
};

class GpuJacobianOfEveryPair : public ::testing::TestWithParam<KindPair> {};

TEST_P(GpuJacobianOfEveryPair, IsThatOfTheLibrary) {
  const auto [kind_a, kind_b] = GetParam();
  const testing::PairSampler sampler(kind_a, kind_b, 1618);
  constexpr int num_samples = testing::repetitions(300);
  int compared = 0;
  for (int i = 0; i < num_samples; ++i) {
    const testing::PairSample sample = sampler.sample(static_cast<std::uint64_t>(i));
    const TwoShapes pair(sample.a, sample.X_WA, sample.b, sample.X_WB);
    const DistanceDerivative expected = distance_derivative(sample.a, pair.X_WA(), sample.b,
                                                            pair.X_WB());
    const Distance& value = expected.value;
    const PreparedWitness found = pair.prepared(
        {value.distance, plain(value.normal), plain(value.point_a), plain(value.point_b)}, 1e-10);
    ASSERT_TRUE(jacobian<WitnessValue::normal>(found).allFinite()) << sample.describe();
    ASSERT_TRUE(jacobian<WitnessValue::point_b>(found).allFinite()) << sample.describe();
    if (!expected.smooth || !is_decided(sample, pair.X_WA(), pair.X_WB(), expected)) continue;
    ++compared;
    EXPECT_LT(worst_error(found, expected), 1e-6) << sample.describe();
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GE(compared, num_samples / 5);
}

std::vector<KindPair> all_pairs() {
  std::vector<KindPair> pairs;
  for (const ShapeKind a : testing::kGpuKinds) {
    for (const ShapeKind b : testing::kGpuKinds) {
      if (a != ShapeKind::half_space || b != ShapeKind::half_space) pairs.push_back({a, b});
    }
  }
  return pairs;
}

INSTANTIATE_TEST_SUITE_P(AllKinds, GpuJacobianOfEveryPair, ::testing::ValuesIn(all_pairs()),
                         [](const auto& pair) {
                           return std::string(to_string(pair.param.a)) + "_" +
                                  std::string(to_string(pair.param.b));
                         });

Shape random_hull(testing::Random& random, int num_vertices) {
  Points points(3, num_vertices);
  for (int i = 0; i < num_vertices; ++i) points.col(i) = random.direction();
  return Convex::from_points(points);
}

TEST(GpuWitnessJacobian, AnswersOfTheLaneServeHullsAndBoxes) {
  testing::Random random(31);
  int compared = 0;
  for (int i = 0; i < 400; ++i) {
    const Shape a = random_hull(random, 27), b = i % 2 == 0
                                                     ? Shape(Box{.half_extents = {0.4, 0.5, 0.6}})
                                                     : random_hull(random, 12);
    const double far = i % 4 < 2 ? 2.2 : 0.8;  // half of them overlap
    const TwoShapes pair(a, {random.rotation(), random.in_box(0.5)}, b,
                         {random.rotation(), far * random.direction()});
    const DistanceDerivative expected = distance_derivative(a, pair.X_WA(), b, pair.X_WB());
    Status status = Status::not_converged;
    const WitnessAnswer answer = pair.lane_answer(1e-6, status);
    if (!expected.smooth || status == Status::not_converged) continue;
    ++compared;
    EXPECT_LT(worst_error(pair.prepared(answer, 1e-6), expected), 1e-6) << i;
  }
  EXPECT_GT(compared, 320);
}

TEST(GpuWitnessJacobian, AnswersOfTheLaneServeCurvedShapes) {
  // the normal of a curved pair is right to the root of the tolerance, and so are its derivatives
  testing::Random random(32);
  const std::vector<Shape> curved = {
      Ellipsoid{.semi_axes = {0.3, 0.4, 0.6}}, Cylinder{.radius = 0.3, .half_length = 0.5},
      Cone{.radius = 0.4, .half_length = 0.5}, Capsule{.radius = 0.2, .half_length = 0.4}};
  std::vector<double> errors;
  for (int i = 0; i < 400; ++i) {
    const Shape &a = curved[static_cast<std::size_t>(i) % 4],
                &b = curved[static_cast<std::size_t>(i / 4) % 4];
    const TwoShapes pair(a, {random.rotation(), random.in_box(0.5)}, b,
                         {random.rotation(), 2.0 * random.direction()});
    const DistanceDerivative expected = distance_derivative(a, pair.X_WA(), b, pair.X_WB());
    Status status = Status::not_converged;
    const WitnessAnswer answer = pair.lane_answer(1e-10, status);
    if (!expected.smooth || status != Status::separated) continue;
    errors.push_back(worst_error(pair.prepared(answer, 1e-10), expected));
  }
  ASSERT_GT(errors.size(), 200U);
  std::sort(errors.begin(), errors.end());
  EXPECT_LT(errors[errors.size() * 95 / 100], 1e-3);
}

/// A compound of one part moves as the part does, whatever the pose of the part in it.
TEST(GpuWitnessJacobian, MotionsAreThoseOfTheObject) {
  testing::Random random(33);
  for (int i = 0; i < 100; ++i) {
    const Shape a = random_hull(random, 20), b = random_hull(random, 20);
    const Pose X_WA{random.rotation(), random.in_box(0.5)},
        X_WB{random.rotation(), 2.6 * random.direction()},
        X_AP{random.rotation(), random.in_box(0.3)};
    const Pose X_WP{X_WA.rotation * X_AP.rotation, X_WA * X_AP.translation};
    const TwoShapes pair(a, X_WP, b, X_WB);
    const DistanceDerivative expected = distance_derivative(a, pair.X_WA(), b, pair.X_WB());
    const Distance& value = expected.value;
    if (!expected.smooth) continue;
    WitnessPoses moving = pair.poses();
    const Vector7 numbers = pose_xyz_xyzw(X_WA);
    moving.X_WA = read_pose(numbers.data());
    const PreparedWitness found = prepared_witness<kAllKinds>(
        pair.packed.exact[0], pair.packed.exact[1], pair.table().vertices, pair.poses(), moving,
        {value.distance, plain(value.normal), plain(value.point_a), plain(value.point_b)}, 1e-10);
    // a motion of the object in its frame is one of the part in its own: by the adjoint
    Eigen::Matrix<double, 12, 12> adjoint = Eigen::Matrix<double, 12, 12>::Identity();
    const Matrix3 R = X_AP.rotation.transpose();
    const Vector3& t = X_AP.translation;
    Matrix3 skew;
    skew << 0, -t.z(), t.y(), t.z(), 0, -t.x(), -t.y(), t.x(), 0;
    adjoint.block<3, 3>(0, 0) = R;
    adjoint.block<3, 3>(0, 3) = -R * skew;
    adjoint.block<3, 3>(3, 3) = R;
    const Matrix3x12 wanted = expected.point_a_jacobian * adjoint;
    EXPECT_LT((jacobian<WitnessValue::point_a>(found) - wanted).cwiseAbs().maxCoeff(), 1e-6);
  }
}

}  // namespace witness_jacobian_tests
}  // namespace tactum::gpu
