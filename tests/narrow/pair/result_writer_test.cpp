// SPDX-License-Identifier: BSD-2-Clause
// Results written number by number and as whole vectors: against their definition and against each
// other.
#include "narrow/pair/result_writer.hpp"

#include <gtest/gtest.h>

#include "narrow/narrow_fixtures.hpp"

namespace tactum::result_writer_test {
namespace {

using namespace tactum::testing;

template <Axes pair_axes, Base pair_base>
struct Pair {
  static constexpr Axes kAxes = pair_axes;
  static constexpr Base kBaseA = pair_base, kBaseB = pair_base;
};

PairAnswer random_answer(Random& random) {
  PairAnswer answer{};
  answer.along = to_double3(random.in_box(1.0));
  answer.inverse = 1.0 / answer.along.norm();
  answer.on_axis_a = random.uniform(-1.0, 1.0);
  answer.on_axis_b = random.uniform(-1.0, 1.0);
  answer.base_a = to_double3(random.in_box(1.0));
  answer.base_b = to_double3(random.in_box(1.0));
  answer.step_a = random.uniform(-1.0, 1.0);
  answer.step_b = random.uniform(-1.0, 1.0);
  return answer;
}

Vector3 expected_base(Base base, const Pose& X_WA, const Pose& X_WB, double on_axis,
                      const Vector3& in_frame) {
  const bool of_b = base == Base::center_b || base == Base::axis_b || base == Base::frame_b;
  const Pose& X = of_b ? X_WB : X_WA;
  if (base == Base::center_a || base == Base::center_b) return X.translation;
  if (base == Base::axis_a || base == Base::axis_b) return X * Vector3(0.0, 0.0, on_axis);
  return X * in_frame;
}

template <class Kind>
void expect_vectors(Random& random) {
  const Pose X_WA = random_pose(random, 1.0), X_WB = random_pose(random, 1.0);
  PairAnswer answer = random_answer(random);
  if (Kind::kAxes == Axes::centers)
    answer.inverse = 1.0 / (X_WB.translation - X_WA.translation).norm();
  Distance result;
  ScalarWriter::write_vectors<Kind>(answer, X_WA, X_WB, result);
  Vector3 along = to_vector3(answer.along);
  if (Kind::kAxes == Axes::centers) along = X_WB.translation - X_WA.translation;
  if (Kind::kAxes == Axes::frame_a) along = X_WA.rotation * along;
  if (Kind::kAxes == Axes::frame_b) along = X_WB.rotation * along;
  const Vector3 n = along.normalized();
  const auto base = [&](double on_axis, Double3 in_frame) {
    return expected_base(Kind::kBaseA, X_WA, X_WB, on_axis, to_vector3(in_frame));
  };
  EXPECT_LE((result.normal - n).norm(), 4e-15);
  EXPECT_LE((result.point_a - base(answer.on_axis_a, answer.base_a) - answer.step_a * n).norm(),
            8e-15);
  EXPECT_LE((result.point_b - base(answer.on_axis_b, answer.base_b) - answer.step_b * n).norm(),
            8e-15);
  EXPECT_LE((result.warm_start.direction_A - X_WA.rotation.transpose() * n).norm(), 8e-15);
}

TEST(ResultWriter, WritesTheVectorsOfEveryFormOfAnAnswer) {
  Random random(18);
  for (int k = 0; k < 50; ++k) {
    expect_vectors<Pair<Axes::centers, Base::center_a>>(random);
    expect_vectors<Pair<Axes::world, Base::axis_a>>(random);
    expect_vectors<Pair<Axes::world, Base::center_b>>(random);
    expect_vectors<Pair<Axes::frame_a, Base::frame_a>>(random);
    expect_vectors<Pair<Axes::frame_b, Base::frame_b>>(random);
    expect_vectors<Pair<Axes::frame_b, Base::axis_b>>(random);
  }
}

TEST(ResultWriter, NumbersLoseTheRadiiAndGainTheRounding) {
  PairAnswer answer{};
  answer.distance = answer.lower = answer.upper = 1.0;
  answer.radius = 0.25;
  answer.scale = 1.0;
  answer.iterations = 3;
  answer.support_calls = 4;
  answer.vertices_visited = 5;
  Distance result;
  write_numbers(answer, 0.0, kInfinity, result);
  EXPECT_EQ(result.status, Status::separated);
  EXPECT_EQ(result.distance, 0.75);
  EXPECT_NEAR(result.lower, 0.75, 16.0 * kEps);
  EXPECT_LT(result.lower, 0.75);
  EXPECT_GT(result.upper, 0.75);
  EXPECT_EQ(result.iterations, 3);
  EXPECT_EQ(result.support_calls, 4);
  EXPECT_EQ(result.vertices_visited, 5);
}

TEST(ResultWriter, OneNewtonStepMakesAUnitVector) {
  for (const double off : {-1e-9, 0.0, 1e-9})
    EXPECT_NEAR(length_correction((1.0 + off) * (1.0 + off)) * (1.0 + off), 1.0, 4e-16);
}

}  // namespace
}  // namespace tactum::result_writer_test
