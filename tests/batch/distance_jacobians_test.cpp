// SPDX-License-Identifier: BSD-2-Clause
// Derivatives of a batch against single calls, bit by bit: all estimators and frames, any number of
// threads, whichever columns are asked for; bad rows, and errors before anything is written.
#include "batch/distance_jacobians.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "support/allocation_guard.hpp"
#include "support/random_shapes.hpp"

namespace tactum {
namespace {

constexpr TangentFrame all_frames[] = {TangentFrame::local, TangentFrame::world,
                                       TangentFrame::local_world_aligned};

/// Memory for one set of Jacobians, filled with what no answer has.
struct Jacobians {
  explicit Jacobians(std::size_t size)
      : distance(size, PackedRow12::Constant(-7.0)),
        normal(size, Packed3x12::Constant(-7.0)),
        a(normal),
        b(normal),
        gap(normal) {}
  JacobianColumns all() { return {distance, normal, a, b, gap}; }
  void expect_row(std::size_t i, const DistanceJacobians& single) const {
    EXPECT_TRUE(same(distance[i], single.distance_jacobian)) << i;
    EXPECT_TRUE(same(normal[i], single.normal_jacobian)) << i;
    EXPECT_TRUE(same(a[i], single.point_a_jacobian)) << i;
    EXPECT_TRUE(same(b[i], single.point_b_jacobian)) << i;
    EXPECT_TRUE(same(gap[i], single.separation_jacobian)) << i;
  }
  void expect_zeros(std::size_t i) const {
    DistanceJacobians zeros;
    zeros.distance_jacobian.setZero();
    zeros.normal_jacobian.setZero();
    zeros.point_a_jacobian = zeros.point_b_jacobian = zeros.separation_jacobian =
        zeros.normal_jacobian;
    expect_row(i, zeros);
  }
  template <class Packed, class Matrix>
  static bool same(const Packed& packed, const Matrix& matrix) {
    const Matrix copy = packed;
    return std::memcmp(copy.data(), matrix.data(),
                       sizeof(double) * static_cast<std::size_t>(matrix.size())) == 0;
  }
  std::vector<PackedRow12> distance;
  std::vector<Packed3x12> normal, a, b, gap;
};

/// Random pairs; `kinds` says of which shapes.
struct Pairs {
  Pairs(std::size_t size, std::span<const ShapeKind> kinds, std::uint64_t seed) {
    testing::Random random(seed);
    for (const ShapeKind kind : kinds)
      for (int i = 0; i < 3; ++i) shapes.push_back(testing::random_shape(kind, random));
    const int count = static_cast<int>(shapes.size());
    for (std::size_t i = 0; i < size; ++i) {
      index_a.push_back(random.below(count));
      do index_b.push_back(random.below(count));
      while (a(i).kind() == ShapeKind::half_space && b(i).kind() == ShapeKind::half_space &&
             (index_b.pop_back(), true));
      poses_a.push_back({random.rotation(), random.in_box(0.8)});
      poses_b.push_back({random.rotation(), random.in_box(0.8)});
    }
  }
  std::size_t size() const { return poses_a.size(); }
  const Shape& a(std::size_t i) const { return shapes[static_cast<std::size_t>(index_a[i])]; }
  const Shape& b(std::size_t i) const { return shapes[static_cast<std::size_t>(index_b[i])]; }
  PairBatch batch() const {
    return {.size = size(),
            .a = {.shapes = shapes, .index = index_a, .poses = poses_a},
            .b = {.shapes = shapes, .index = index_b, .poses = poses_b}};
  }
  DistanceDerivative single(std::size_t i, const Estimator& estimator, TangentFrame frame,
                            const DistanceOptions& query = {}) const {
    return distance_derivative(a(i), poses_a[i], b(i), poses_b[i],
                               {.estimator = estimator, .frame = frame, .query = query});
  }
  std::vector<Shape> shapes;
  std::vector<std::int32_t> index_a, index_b;
  std::vector<Pose> poses_a, poses_b;
};

constexpr ShapeKind with_vertices[] = {ShapeKind::box, ShapeKind::capsule, ShapeKind::half_space,
                                       ShapeKind::convex};

Pairs pairs_for(const Estimator& estimator, std::size_t size, std::uint64_t seed) {
  if (std::holds_alternative<Gumbel>(estimator)) return {size, with_vertices, seed};
  return {size, testing::kAllKinds, seed};
}

const std::vector<Estimator>& estimators() {
  static const std::vector<Estimator> all = {
      Exact{}, FiniteDifference{.step = 1e-5}, ZerothOrder{.samples = 5, .seed = 3},
      Gaussian{.samples = 5, .scale = 0.05, .seed = 9}, Gumbel{.rings = 2}};
  return all;
}

TEST(DistanceJacobians, EveryRowIsTheSingleCall) {
  BatchWorkspace work;
  for (const Estimator& estimator : estimators()) {
    const std::size_t size = 120;
    const Pairs input = pairs_for(estimator, size, 1 + estimator.index());
    const TangentFrame frame = all_frames[estimator.index() % 3];
    const bool sampled = std::holds_alternative<ZerothOrder>(estimator) ||
                         std::holds_alternative<Gaussian>(estimator);
    Jacobians jacobians(size), errors(size);
    const auto smooth = std::make_unique<bool[]>(size);
    std::vector<double> distance(size);
    const DistanceColumns out{.distance = distance,
                              .smooth = {smooth.get(), size},
                              .jacobian = jacobians.all(),
                              .standard_error = sampled ? errors.all() : JacobianColumns{}};
    ASSERT_TRUE(distances(input.batch(),
                          {.derivative = estimator, .frame = frame, .num_threads = 3}, work, out));
    for (std::size_t i = 0; i < size; ++i) {
      const DistanceDerivative single = input.single(i, estimator, frame);
      EXPECT_EQ(distance[i], single.value.distance);
      EXPECT_EQ(smooth[i], single.smooth);
      jacobians.expect_row(i, single);
      if (sampled) errors.expect_row(i, *single.standard_error);
    }
    EXPECT_GT(std::count(smooth.get(), smooth.get() + size, true),
              static_cast<std::ptrdiff_t>(size / 4));
  }
}

TEST(DistanceJacobians, TheDistanceAloneHasTheSameBits) {
  const std::size_t size = 300;
  Pairs input(size, testing::kAllKinds, 20);
  for (std::size_t i = 0; i < size; i += 5) input.poses_a[i].rotation *= 1.0 + 1e-8;
  BatchWorkspace work;
  for (const TangentFrame frame : all_frames) {
    for (const Estimator& estimator :
         {Estimator{Exact{}}, Estimator{Gaussian{}}, Estimator{ZerothOrder{.samples = 4}}}) {
      std::vector<PackedRow12> row(size);
      ASSERT_TRUE(distances(input.batch(), {.derivative = estimator, .frame = frame}, work,
                            {.jacobian = {.distance_jacobian = row}}));
      for (std::size_t i = 0; i < size; ++i)
        EXPECT_TRUE(Jacobians::same(row[i], input.single(i, estimator, frame).distance_jacobian))
            << i;
    }
  }
}

TEST(DistanceJacobians, SameBitsForAnyNumberOfThreads) {
  const std::size_t size = 2000;
  const Pairs input(size, testing::kAllKinds, 21);
  BatchWorkspace work;
  Jacobians one(size);
  const Estimator estimator = Gaussian{.samples = 4, .scale = 0.02};
  ASSERT_TRUE(distances(input.batch(), {.derivative = estimator, .num_threads = 1}, work,
                        {.jacobian = one.all()}));
  for (const int num_threads : {0, 2, 7}) {
    Jacobians many(size);
    ASSERT_TRUE(distances(input.batch(), {.derivative = estimator, .num_threads = num_threads},
                          work, {.jacobian = many.all()}));
    EXPECT_EQ(std::memcmp(one.normal.data(), many.normal.data(), size * sizeof(Packed3x12)), 0);
    EXPECT_EQ(std::memcmp(one.b.data(), many.b.data(), size * sizeof(Packed3x12)), 0);
  }
}

TEST(DistanceJacobians, BadRowsAreZerosAndNotSmooth) {
  const std::size_t size = 60;
  Pairs input(size, testing::kAllKinds, 22);
  const Pairs good = input;
  for (std::size_t i = 0; i < size; i += 10) {
    input.poses_a[i].rotation(1, 2) = std::numeric_limits<double>::quiet_NaN();
    input.poses_b[i + 1].translation[0] = std::numeric_limits<double>::infinity();
    input.index_a[i + 2] = input.index_b[i + 2] = 18;  // half-spaces
  }
  ASSERT_EQ(input.shapes[18].kind(), ShapeKind::half_space);
  std::vector<WarmStart> starts(size);
  starts[3].direction_A.x() = std::numeric_limits<double>::quiet_NaN();
  PairBatch batch = input.batch();
  batch.warm_start = starts;
  BatchWorkspace work;
  for (const Estimator& estimator : {Estimator{Exact{}}, Estimator{ZerothOrder{.samples = 4}}}) {
    Jacobians jacobians(size), alone(size);
    std::vector<Status> status(size);
    const auto smooth = std::make_unique<bool[]>(size);
    const DistanceColumns out{
        .status = status, .smooth = {smooth.get(), size}, .jacobian = jacobians.all()};
    ASSERT_TRUE(distances(batch, {.derivative = estimator}, work, out));
    ASSERT_TRUE(distances(batch, {.derivative = estimator}, work,
                          {.jacobian = {.distance_jacobian = alone.distance}}));
    for (std::size_t i = 0; i < size; ++i) {
      const bool bad = i % 10 <= 2 || i == 3;
      EXPECT_EQ(status[i] == Status::invalid_input, bad) << i;
      EXPECT_TRUE(Jacobians::same(alone.distance[i], RowVector12(jacobians.distance[i]))) << i;
      if (!bad) {
        jacobians.expect_row(
            i, good.single(i, estimator, TangentFrame::local, {.warm_start = &starts[i]}));
        continue;
      }
      EXPECT_FALSE(smooth[i]);
      jacobians.expect_zeros(i);
    }
  }
}

TEST(DistanceJacobians, QueriesThatProveTooLittleAreFlagged) {
  const std::size_t size = 400;
  const Shape ellipsoid{Ellipsoid{.semi_axes = {0.5, 0.9, 0.3}}}, point{Sphere{}};
  testing::Random random(23);
  const Pose identity;
  std::vector<Pose> poses(size);
  // in the plane where both ways out are the same, rounding keeps the bounds from being as narrow
  // as asked for
  for (Pose& pose : poses)
    pose.translation = {random.uniform(-0.2, 0.2), random.uniform(-0.3, 0.3), 0.0};
  for (std::size_t i = 0; i < size / 2; ++i) poses[i].translation.z() = 1.0;
  const PairBatch batch{.size = size,
                        .a = {.shapes = {&ellipsoid, 1}, .poses = identity},
                        .b = {.shapes = {&point, 1}, .poses = poses}};
  BatchWorkspace work;
  Jacobians jacobians(size);
  std::vector<Status> status(size);
  const auto smooth = std::make_unique<bool[]>(size);
  const DistanceColumns out{
      .status = status, .smooth = {smooth.get(), size}, .jacobian = jacobians.all()};
  ASSERT_TRUE(distances(batch, {.tolerance = 1.43e-14, .cutoff = 0.1}, work, out));
  for (std::size_t i = 0; i < size; ++i) {
    EXPECT_TRUE(jacobians.normal[i].allFinite() && jacobians.a[i].allFinite() &&
                jacobians.b[i].allFinite());
    EXPECT_FALSE(smooth[i]);
  }
  EXPECT_EQ(std::count(status.begin(), status.end(), Status::beyond_cutoff),
            static_cast<std::ptrdiff_t>(size / 2));
  EXPECT_GT(std::count(status.begin(), status.end(), Status::not_converged), 0);
}

TEST(DistanceJacobians, WhichEstimatorsHaveStandardErrors) {
  const Shape box{Box{.half_extents = {0.1, 0.2, 0.3}}};
  const Pose apart{.translation = {1.0, 0.1, 0.2}};
  std::vector<Estimator> all = estimators();
  for (int samples = 1; samples <= 4; ++samples) {
    for (const bool reduced : {false, true}) {
      all.push_back(ZerothOrder{.samples = samples, .variance_reduction = reduced});
      all.push_back(Gaussian{.samples = samples, .variance_reduction = reduced});
    }
  }
  for (const Estimator& estimator : all) {
    const auto single = distance_derivative(box, {}, box, apart, {.estimator = estimator});
    EXPECT_EQ(has_standard_error(estimator), single.standard_error.has_value());
  }
}

TEST(DistanceJacobians, SizesOfShapes) {
  const std::size_t size = 40;
  constexpr ShapeKind cones[] = {ShapeKind::cone};
  Pairs input(size, cones, 24);
  const Shape ball{Sphere{.radius = 0.2}};
  PairBatch batch = input.batch();
  batch.b = {.shapes = {&ball, 1}, .poses = input.poses_b};
  EXPECT_EQ(parameter_names(batch.a),
            (std::vector<std::string>{"radius", "half_length", "margin"}));
  EXPECT_EQ(parameter_names(batch.b), (std::vector<std::string>{"radius", "margin"}));
  const Eigen::Index count = 5;
  input.poses_a[7].translation.setConstant(std::numeric_limits<double>::quiet_NaN());
  std::vector<double> distance(5 * size, -7.0), points(15 * size, -7.0);
  const auto smooth = std::make_unique<bool[]>(size);
  const DistanceColumns out{
      .smooth = {smooth.get(), size},
      .parameter = {.distance_jacobian = distance, .point_b_jacobian = points}};
  BatchWorkspace work;
  ASSERT_TRUE(distances(batch, {}, work, out));
  for (std::size_t i = 0; i < size; ++i) {
    const Eigen::Map<const Eigen::RowVectorXd> row(&distance[5 * i], count);
    const Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>> point(
        &points[15 * i], 3, count);
    if (i == 7) {
      EXPECT_TRUE(row.isZero(0.0) && point.isZero(0.0) && !smooth[i]);
      continue;
    }
    const auto single = parameter_derivative(input.a(i), input.poses_a[i], ball, input.poses_b[i]);
    EXPECT_EQ(row.head(3), single.a.distance_jacobian);
    EXPECT_EQ(row.tail(2), single.b.distance_jacobian);
    EXPECT_EQ(point.leftCols(3), single.a.point_b_jacobian);
    EXPECT_EQ(point.rightCols(2), single.b.point_b_jacobian);
    EXPECT_EQ(smooth[i], single.smooth);
  }
}

/// By sizes of shapes whose core is a point, from the support function: -a_i u_i^2 / |a * u| of an
/// ellipsoid, -|u_z| of a capsule.
TEST(DistanceJacobians, SizesOfBallsOfOtherKinds) {
  const std::size_t size = 60;
  constexpr ShapeKind boxes[] = {ShapeKind::box};
  const Pairs input(size, boxes, 26);
  const Shape ellipsoid{Ellipsoid{.semi_axes = {0.3, 0.3, 0.3}}},
      capsule{Capsule{.radius = 0.3, .half_length = 0.0}};
  PairBatch batch = input.batch();
  batch.b = {.shapes = {&ellipsoid, 1}, .poses = input.poses_b};
  const std::size_t others = parameter_names(batch.a).size();
  std::vector<double> by_axes((others + 4) * size), by_length((others + 3) * size);
  std::vector<Vector3> normals(size);
  BatchWorkspace work;
  ASSERT_TRUE(
      distances(batch, {}, work, {.normal = normals, .parameter = {.distance_jacobian = by_axes}}));
  batch.b.shapes = {&capsule, 1};
  ASSERT_TRUE(distances(batch, {}, work, {.parameter = {.distance_jacobian = by_length}}));
  for (std::size_t i = 0; i < size; ++i) {
    const Vector3 u = -input.poses_b[i].rotation.transpose() * normals[i];
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(by_axes[(others + 4) * i + others + static_cast<std::size_t>(k)], -u[k] * u[k],
                  1e-9);
    EXPECT_NEAR(by_length[(others + 3) * i + others], -1.0, 1e-12);
    EXPECT_NEAR(by_length[(others + 3) * i + others + 1], -std::abs(u.z()), 1e-9);
  }
}

TEST(DistanceJacobians, ErrorsComeBeforeAnythingIsWritten) {
  const std::size_t size = 20;
  const Pairs input(size, testing::kAllKinds, 25);
  BatchWorkspace work;
  Jacobians jacobians(size);
  std::vector<double> numbers(7 * size, -7.0);
  const auto field_of = [&](const DistancesOptions& options, DistanceColumns columns) {
    columns.distance = std::span(numbers).first(size);
    try {
      distances(input.batch(), options, work, columns);
    } catch (const InvalidInput& error) {
      EXPECT_FALSE(error.remedy().empty());
      return error.field();
    }
    return std::string("nothing");
  };
  const DistanceColumns all{.jacobian = jacobians.all()};
  EXPECT_EQ(field_of({.derivative = FiniteDifference{.step = -1.0}}, all), "FiniteDifference.step");
  EXPECT_EQ(field_of({.derivative = ZerothOrder{.samples = 0}}, all), "ZerothOrder.samples");
  EXPECT_EQ(field_of({.derivative = Gaussian{.scale = 0.0}},
                     {.jacobian = {.distance_jacobian = jacobians.distance}}),
            "Gaussian.scale");
  EXPECT_EQ(field_of({.derivative = Gumbel{}}, all), "Gumbel.rings");  // there are spheres
  EXPECT_EQ(field_of({.frame = static_cast<TangentFrame>(7)}, all), "frame");
  EXPECT_EQ(field_of({}, {.standard_error = jacobians.all()}), "out.standard_error");
  EXPECT_EQ(field_of({.derivative = Gaussian{.samples = 1}}, {.standard_error = jacobians.all()}),
            "out.standard_error");
  EXPECT_EQ(field_of({}, {.jacobian = {.normal_jacobian = std::span(jacobians.normal).first(3)}}),
            "out.normal_jacobian");
  EXPECT_EQ(field_of({.derivative = Gaussian{}},
                     {.standard_error = {.point_b_jacobian = std::span(jacobians.b).first(3)}}),
            "out.standard_error.point_b_jacobian");
  EXPECT_EQ(field_of({}, {.parameter = {.distance_jacobian = numbers}}), "a.index");
  EXPECT_EQ(numbers, std::vector<double>(7 * size, -7.0));
  EXPECT_EQ(jacobians.distance[0], PackedRow12::Constant(-7.0));
}

TEST(DistanceJacobians, NothingIsAllocatedWhenTheWorkspaceIsUsedAgain) {
  const std::size_t size = 500;
  BatchWorkspace work;
  Jacobians jacobians(size);
  for (const Estimator& estimator : estimators()) {
    Pairs input = pairs_for(estimator, size, 26);
    input.poses_a[5].rotation(0, 0) = 3.0;
    const PairBatch batch = input.batch();
    for (const int num_threads : {1, 2}) {
      const DistancesOptions options{.derivative = estimator, .num_threads = num_threads};
      distances(batch, options, work, {.jacobian = jacobians.all()});
      const testing::AllocationGuard guard;
      distances(batch, options, work, {.jacobian = jacobians.all()});
      EXPECT_EQ(guard.count(), 0U);
    }
  }
}

}  // namespace
}  // namespace tactum
