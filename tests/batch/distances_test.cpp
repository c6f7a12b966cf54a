// SPDX-License-Identifier: BSD-2-Clause
// Every row of a batch against the single query, bit by bit: all kinds, all forms of poses, any
// number of threads.
#include "tactum/distances.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "geometry/geometry_fixtures.hpp"
#include "mesh/mesh_fixtures.hpp"
#include "support/allocation_guard.hpp"
#include "support/random_shapes.hpp"

namespace tactum {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Memory for all columns, filled with bytes that no answer has.
struct Columns {
  explicit Columns(std::size_t size)
      : status(size, static_cast<Status>(99)),
        distance(size, -7.0),
        lower(size, -7.0),
        upper(size, -7.0),
        normal(size, Vector3::Constant(-7.0)),
        point_a(normal),
        point_b(normal),
        iterations(size, -7),
        support_calls(size, -7),
        vertices_visited(size, -7),
        corrected(new bool[size]()),
        warm_start(size) {}

  DistanceColumns all() {
    return {status,
            distance,
            normal,
            point_a,
            point_b,
            lower,
            upper,
            iterations,
            support_calls,
            vertices_visited,
            {corrected.get(), status.size()},
            warm_start};
  }
  Distance row(std::size_t i) const {
    return {status[i],    distance[i],  normal[i],     point_a[i],       point_b[i],
            lower[i],     upper[i],     iterations[i], support_calls[i], vertices_visited[i],
            corrected[i], warm_start[i]};
  }

  std::vector<Status> status;
  std::vector<double> distance, lower, upper;
  std::vector<Vector3> normal, point_a, point_b;
  std::vector<std::int32_t> iterations, support_calls, vertices_visited;
  std::unique_ptr<bool[]> corrected;
  std::vector<WarmStart> warm_start;
};

bool same(const Vector3& a, const Vector3& b) {
  return std::memcmp(a.data(), b.data(), sizeof(Vector3)) == 0;
}

void expect_same_row(const Distance& row, const Distance& expected, std::size_t i) {
  EXPECT_EQ(row.status, expected.status) << i;
  EXPECT_EQ(row.distance, expected.distance) << i;
  EXPECT_TRUE(same(row.normal, expected.normal)) << i;
  EXPECT_TRUE(same(row.point_a, expected.point_a)) << i;
  EXPECT_TRUE(same(row.point_b, expected.point_b)) << i;
  EXPECT_EQ(row.lower, expected.lower) << i;
  EXPECT_EQ(row.upper, expected.upper) << i;
  EXPECT_EQ(row.iterations, expected.iterations) << i;
  EXPECT_EQ(row.support_calls, expected.support_calls) << i;
  EXPECT_EQ(row.vertices_visited, expected.vertices_visited) << i;
  EXPECT_EQ(row.pose_corrected, expected.pose_corrected) << i;
  EXPECT_EQ(row.warm_start, expected.warm_start) << i;
}

/// Pairs of all kinds at random, in the three forms of poses.
struct Mixed {
  explicit Mixed(std::size_t size, std::uint64_t seed = 1) {
    testing::Random random(seed);
    for (const ShapeKind kind : testing::kAllKinds)
      for (int i = 0; i < 3; ++i) shapes.push_back(testing::random_shape(kind, random));
    for (std::size_t i = 0; i < size; ++i) {
      index_a.push_back(random.below(static_cast<int>(shapes.size())));
      index_b.push_back(random.below(static_cast<int>(shapes.size())));
      // no row of two half-spaces: those are a test of their own
      while (flat(index_a.back()) && flat(index_b.back()))
        index_b.back() = random.below(static_cast<int>(shapes.size()));
      add_pose(poses_a, matrices_a, seven_a, {random.rotation(), random.in_box(1.0)});
      add_pose(poses_b, matrices_b, seven_b, {random.rotation(), random.in_box(1.0)});
    }
  }
  bool flat(std::int32_t i) const {
    return shapes[static_cast<std::size_t>(i)].kind() == ShapeKind::half_space;
  }
  static void add_pose(std::vector<Pose>& poses, std::vector<double>& matrices,
                       std::vector<double>& seven, const Pose& X) {
    poses.push_back(X);
    const Matrix4 matrix = pose_matrix(X);
    for (int k = 0; k < 16; ++k) matrices.push_back(matrix(k / 4, k % 4));
    const Vector7 numbers = pose_xyz_xyzw(X);
    seven.insert(seven.end(), numbers.begin(), numbers.end());
  }
  PairBatch batch() const {
    return {.size = poses_a.size(),
            .a = {.shapes = shapes, .index = index_a, .poses = poses_a},
            .b = {.shapes = shapes, .index = index_b, .poses = poses_b}};
  }
  Distance single(std::size_t i, const Pose& X_WA, const Pose& X_WB,
                  const DistanceOptions& options = {}) const {
    return distance(shapes[static_cast<std::size_t>(index_a[i])], X_WA,
                    shapes[static_cast<std::size_t>(index_b[i])], X_WB, options);
  }

  std::vector<Shape> shapes;
  std::vector<std::int32_t> index_a, index_b;
  std::vector<Pose> poses_a, poses_b;
  std::vector<double> matrices_a, matrices_b, seven_a, seven_b;
};

TEST(Distances, EveryRowIsTheSingleQuery) {
  const Mixed input(1500);
  BatchWorkspace work;
  Columns out(1500);
  ASSERT_TRUE(distances(input.batch(), {}, work, out.all()));
  for (std::size_t i = 0; i < 1500; ++i)
    expect_same_row(out.row(i), input.single(i, input.poses_a[i], input.poses_b[i]), i);
}

TEST(Distances, FormsOfPoses) {
  const Mixed input(300, 2);
  BatchWorkspace work;
  Columns by_matrix(300), by_seven(300);
  PairBatch batch = input.batch();
  batch.a.poses = PoseSpan::from_matrices(input.matrices_a);
  batch.b.poses = PoseSpan::from_matrices(input.matrices_b);
  ASSERT_TRUE(distances(batch, {}, work, by_matrix.all()));
  batch.a.poses = PoseSpan::from_xyz_xyzw(input.seven_a);
  ASSERT_TRUE(distances(batch, {}, work, by_seven.all()));
  for (std::size_t i = 0; i < 300; ++i) {
    expect_same_row(by_matrix.row(i), input.single(i, input.poses_a[i], input.poses_b[i]), i);
    const Pose X_WA = pose_from_xyz_xyzw(Eigen::Map<const Vector7>(&input.seven_a[7 * i]));
    expect_same_row(by_seven.row(i), input.single(i, X_WA, input.poses_b[i]), i);
  }
}

TEST(Distances, OneOfAnythingCountsForAll) {
  const Mixed input(64, 3);
  BatchWorkspace work;
  const Shape box = Box{.half_extents = {0.1, 0.2, 0.3}};
  PairBatch batch = input.batch();
  batch.a = {.shapes = {&box, 1}, .poses = input.poses_a[5]};
  Columns out(64);
  ASSERT_TRUE(distances(batch, {}, work, out.all()));
  for (std::size_t i = 0; i < 64; ++i) {
    const Shape& b = input.shapes[static_cast<std::size_t>(input.index_b[i])];
    expect_same_row(out.row(i), distance(box, input.poses_a[5], b, input.poses_b[i]), i);
  }
  // both sides single: a batch of many equal rows, and an empty one
  batch.b = {.shapes = {&box, 1}, .poses = input.poses_b[6]};
  ASSERT_TRUE(distances(batch, {}, work, out.all()));
  for (std::size_t i = 0; i < 64; ++i)
    expect_same_row(out.row(i), distance(box, input.poses_a[5], box, input.poses_b[6]), i);
  batch.size = 0;
  EXPECT_TRUE(distances(batch, {}, work, {}));
}

TEST(Distances, SameBitsForAnyNumberOfThreads) {
  const Mixed input(3000, 4);
  BatchWorkspace work;
  Columns one(3000);
  ASSERT_TRUE(distances(input.batch(), {.num_threads = 1}, work, one.all()));
  for (const int num_threads : {0, 2, 3, 7}) {
    Columns many(3000);
    ASSERT_TRUE(distances(input.batch(), {.num_threads = num_threads}, work, many.all()));
    for (std::size_t i = 0; i < 3000; ++i) expect_same_row(many.row(i), one.row(i), i);
  }
}

TEST(Distances, OptionsReachEveryRow) {
  const Mixed input(300, 5);
  BatchWorkspace work;
  for (const DistancesOptions& options :
       {DistancesOptions{.method = Method::gjk, .tolerance = 1e-6},
        DistancesOptions{.max_iterations = 2}, DistancesOptions{.cutoff = 0.2}}) {
    Columns out(300);
    ASSERT_TRUE(distances(input.batch(), options, work, out.all()));
    const DistanceOptions each{.method = options.method,
                               .tolerance = options.tolerance,
                               .max_iterations = options.max_iterations,
                               .cutoff = options.cutoff};
    for (std::size_t i = 0; i < 300; ++i)
      expect_same_row(out.row(i), input.single(i, input.poses_a[i], input.poses_b[i], each), i);
  }
}

TEST(Distances, WarmStartsInPlace) {
  const Mixed input(300, 6);
  BatchWorkspace work;
  Columns out(300);
  PairBatch batch = input.batch();
  ASSERT_TRUE(distances(batch, {}, work, out.all()));
  const std::vector<WarmStart> before = out.warm_start;
  batch.warm_start = out.warm_start;  // read and written by the same call
  ASSERT_TRUE(distances(batch, {}, work, out.all()));
  for (std::size_t i = 0; i < 300; ++i)
    expect_same_row(out.row(i),
                    input.single(i, input.poses_a[i], input.poses_b[i], {.warm_start = &before[i]}),
                    i);
}

void expect_invalid(const Distance& row, std::size_t i) {
  Distance expected;
  expected.status = Status::invalid_input;
  expect_same_row(row, expected, i);
  EXPECT_EQ(row.distance, 0.0);
  EXPECT_EQ(row.lower, -kInfinity);
  EXPECT_EQ(row.upper, kInfinity);
}

TEST(Distances, BadRowsAreStatusesAndLeaveTheOthersAlone) {
  Mixed input(200, 7);
  const Mixed good = input;
  const double bad[] = {std::numeric_limits<double>::quiet_NaN(), kInfinity, 1e200, 3.0};
  for (std::size_t i = 0; i < 200; i += 10) {
    input.poses_a[i].rotation.data()[i % 9] = bad[i / 10 % 4];
    input.poses_b[i + 1].translation[static_cast<int>(i % 3)] = i % 20 == 0 ? bad[0] : -kInfinity;
    input.poses_b[i + 2].rotation *= -1.0;
    input.index_a[i + 3] = input.index_b[i + 3] = 18;  // half-spaces
  }
  ASSERT_TRUE(input.flat(18));
  BatchWorkspace work;
  std::vector<WarmStart> starts(200);
  starts[4].direction_A.x() = bad[0];
  PairBatch batch = input.batch();
  batch.warm_start = starts;
  for (const int num_threads : {1, 3}) {
    Columns out(200);
    ASSERT_TRUE(distances(batch, {.num_threads = num_threads}, work, out.all()));
    for (std::size_t i = 0; i < 200; ++i) {
      if (i % 10 <= 3 || i == 4)
        expect_invalid(out.row(i), i);
      else
        expect_same_row(
            out.row(i),
            good.single(i, good.poses_a[i], good.poses_b[i], {.warm_start = &starts[i]}), i);
    }
  }
  // the other forms, and a bad pose for all
  input.matrices_a[12] = 1e-3;
  input.seven_b[7 + 3] = 5.0;
  batch = input.batch();
  batch.a.poses = PoseSpan::from_matrices(input.matrices_a);
  batch.b.poses = PoseSpan::from_xyz_xyzw(input.seven_b);
  Columns out(200);
  ASSERT_TRUE(distances(batch, {}, work, out.all()));
  expect_invalid(out.row(0), 0);
  expect_invalid(out.row(1), 1);
  EXPECT_NE(out.status[5], Status::invalid_input);
  batch.a.poses = input.poses_a[0];
  ASSERT_TRUE(distances(batch, {}, work, out.all()));
  for (std::size_t i = 0; i < 200; ++i) expect_invalid(out.row(i), i);
}

TEST(Distances, CorrectedPosesSaySo) {
  Mixed input(40, 8);
  for (std::size_t i = 0; i < 40; i += 2) {
    input.poses_a[i].rotation *= 1.0 + 1e-8;
    for (int k = 3; k < 7; ++k)
      input.seven_b[7 * (i + 1) + static_cast<std::size_t>(k)] *= 1.0 + 1e-8;
  }
  BatchWorkspace work;
  Columns out(40);
  PairBatch batch = input.batch();
  batch.b.poses = PoseSpan::from_xyz_xyzw(input.seven_b);
  ASSERT_TRUE(distances(batch, {}, work, out.all()));
  EXPECT_TRUE(std::all_of(out.corrected.get(), out.corrected.get() + 40,
                          [](bool corrected) { return corrected; }));
}

TEST(Distances, OnlyWantedColumnsAreNeeded) {
  const Mixed input(100, 9);
  BatchWorkspace work;
  Columns all(100), some(100);
  ASSERT_TRUE(distances(input.batch(), {}, work, all.all()));
  ASSERT_TRUE(distances(input.batch(), {}, work, {.status = some.status, .upper = some.upper}));
  EXPECT_EQ(some.status, all.status);
  EXPECT_EQ(some.upper, all.upper);
  EXPECT_EQ(some.distance, std::vector<double>(100, -7.0));
}

TEST(Distances, ErrorsComeBeforeAnythingIsWritten) {
  const Mixed input(20, 10);
  BatchWorkspace work;
  Columns out(20);
  const auto field_of = [&](const PairBatch& batch, const DistancesOptions& options,
                            const DistanceColumns& columns) {
    try {
      distances(batch, options, work, columns);
    } catch (const InvalidInput& error) {
      EXPECT_FALSE(error.remedy().empty());
      return error.field();
    }
    return std::string("nothing");
  };
  const PairBatch good = input.batch();
  EXPECT_EQ(field_of(good, {.tolerance = 0.0}, out.all()), "tolerance");
  EXPECT_EQ(field_of(good, {.max_iterations = 0}, out.all()), "max_iterations");
  EXPECT_EQ(field_of(good, {.cutoff = -1.0}, out.all()), "cutoff");
  EXPECT_EQ(field_of(good, {.num_threads = -1}, out.all()), "num_threads");
  PairBatch bad = good;
  bad.a.poses = std::span(input.poses_a).first(19);
  EXPECT_EQ(field_of(bad, {}, out.all()), "a.poses");
  bad = good;
  bad.b.index = std::span(input.index_b).first(19);
  EXPECT_EQ(field_of(bad, {}, out.all()), "b.index");
  bad = good;
  bad.b.index = {};
  EXPECT_EQ(field_of(bad, {}, out.all()), "b.index");
  bad = good;
  bad.b = {.shapes = {}, .poses = input.poses_b};
  EXPECT_EQ(field_of(bad, {}, out.all()), "b.shapes");
  for (const std::int32_t wrong : {-1, static_cast<std::int32_t>(input.shapes.size())}) {
    std::vector<std::int32_t> index = input.index_a;
    index[7] = wrong;
    bad = good;
    bad.a.index = index;
    EXPECT_EQ(field_of(bad, {}, out.all()), "a.index[7]");
  }
  bad = good;
  const std::vector<WarmStart> starts(19);
  bad.warm_start = starts;
  EXPECT_EQ(field_of(bad, {}, out.all()), "warm_start");
  DistanceColumns shorter = out.all();
  shorter.upper = shorter.upper.first(3);
  EXPECT_EQ(field_of(good, {}, shorter), "out.upper");
  EXPECT_EQ(out.distance, std::vector<double>(20, -7.0));
}

TEST(Distances, CanBeInterrupted) {
  const Mixed input(200, 11);
  // the same rows again and again, so that the batch takes long enough to be asked
  const std::size_t size = 400000;
  std::vector<std::int32_t> index_a(size), index_b(size);
  std::vector<Pose> poses_a(size), poses_b(size);
  for (std::size_t i = 0; i < size; ++i) {
    index_a[i] = input.index_a[i % 200];
    index_b[i] = input.index_b[i % 200];
    poses_a[i] = input.poses_a[i % 200];
    poses_b[i] = input.poses_b[i % 200];
  }
  BatchWorkspace work;
  std::vector<Status> status(size, static_cast<Status>(99));
  const PairBatch batch{.size = size,
                        .a = {.shapes = input.shapes, .index = index_a, .poses = poses_a},
                        .b = {.shapes = input.shapes, .index = index_b, .poses = poses_b}};
  int asked = 0;
  const auto interrupted = [&asked] { return ++asked == 2; };
  EXPECT_FALSE(
      distances(batch, {.num_threads = 2, .interrupted = interrupted}, work, {.status = status}));
  EXPECT_EQ(asked, 2);
  const auto written = std::count_if(status.begin(), status.end(),
                                     [](Status s) { return s != static_cast<Status>(99); });
  EXPECT_GT(written, 0);
  EXPECT_LT(written, static_cast<std::ptrdiff_t>(size));
}

TEST(Distances, NothingIsAllocatedWhenTheWorkspaceIsUsedAgain) {
  const Mixed input(2000, 12);
  BatchWorkspace work;
  Columns out(2000);
  const PairBatch batch = input.batch();
  const DistanceColumns columns = out.all();
  for (const int num_threads : {1, 2}) {
    const DistancesOptions options{.num_threads = num_threads};
    distances(batch, options, work, columns);
    const testing::AllocationGuard guard;
    distances(batch, options, work, columns);
    EXPECT_EQ(guard.count(), 0U);
  }
}

TEST(Distances, OfCompoundsAndMeshesAreThoseOfTheSingleQuery) {
  testing::Random random(77);
  const std::vector<Geometry> geometries = {
      testing::random_compound(random, 4), Geometry(testing::torus_mesh(0.6, 0.2, 8, 6).solid()),
      Geometry(testing::bounded_shape(random)),
      Geometry(testing::hull_mesh(random, 14, 0.5).surface())};
  constexpr std::size_t size = 200;
  std::vector<std::int32_t> index_a(size), index_b(size);
  std::vector<Pose> poses_a(size), poses_b(size);
  for (std::size_t i = 0; i < size; ++i) {
    index_a[i] = random.below(4);
    index_b[i] = random.below(4);
    poses_a[i] = testing::pose_near(random, 1.0);
    poses_b[i] = testing::pose_near(random, 2.0);
  }
  poses_a[5].rotation *= 2.0;  // a row that is no pair
  const PairBatch pairs{.size = size,
                        .a = {.index = index_a, .poses = poses_a, .geometries = geometries},
                        .b = {.index = index_b, .poses = poses_b, .geometries = geometries}};
  Columns out(size);
  DistanceColumns columns = out.all();
  std::vector<PackedRow12> jacobian(size);
  std::vector<Packed3x12> normal_jacobian(size);
  columns.jacobian.distance_jacobian = jacobian;
  columns.jacobian.normal_jacobian = normal_jacobian;
  BatchWorkspace work;
  ASSERT_TRUE(distances(pairs, {}, work, columns));
  for (std::size_t i = 0; i < size; ++i) {
    SCOPED_TRACE(i);
    if (i == 5) {
      EXPECT_EQ(out.status[i], Status::invalid_input);
      continue;
    }
    const auto a = static_cast<std::size_t>(index_a[i]), b = static_cast<std::size_t>(index_b[i]);
    const DistanceDerivative expected = distance_derivative(geometries[a], poses_a[i],
                                                            geometries[b], poses_b[i]);
    ASSERT_EQ(out.distance[i], expected.value.distance);
    ASSERT_EQ(out.status[i], expected.value.status);
    ASSERT_EQ(out.point_b[i], expected.value.point_b);
    ASSERT_TRUE(jacobian[i] == expected.distance_jacobian);
    ASSERT_TRUE(normal_jacobian[i] == expected.normal_jacobian);
  }
  // the distance alone, on two threads, has the same bits
  Columns again(size);
  ASSERT_TRUE(distances(pairs, {.num_threads = 2}, work, {.distance = again.distance}));
  for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(again.distance[i], out.distance[i]);
  std::vector<double> parameters(size);
  EXPECT_THROW(distances(pairs, {}, work, {.parameter = {.distance_jacobian = parameters}}),
               InvalidInput);
}

}  // namespace
}  // namespace tactum
