// SPDX-License-Identifier: BSD-2-Clause
// Degenerate families, part 3: one shape inside the other, symmetries of the question, smooth
// shapes near tangency, bad first directions. Each test is one family of tests/data/hard_cases.txt
// and is named after it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "regression/family_shapes.hpp"
#include "regression/point_hull_oracle.hpp"
#include "regression/result_checks.hpp"
#include "support/random.hpp"

namespace tactum::regression::families_motion_test {
namespace {

using testing::Random;

// small boxes and hulls at every depth inside large ones; a pose change of 1e-12 must not flip the
// normal, except at ties
TEST(Families, DeepPenetration) {
  Random random(18);
  for (int sample = 0; sample < 240; ++sample) {
    const Vector3 half(random.uniform(0.8, 1.2), random.uniform(0.8, 1.2),
                       random.uniform(0.8, 1.2));
    const double size = random.log_uniform(1e-3, 0.5);
    const bool box_inside = sample % 2 == 0;
    const Vector3 small(size, size * random.uniform(0.3, 1), size * random.uniform(0.3, 1));
    const Points points = sphere_points(6, size, random);
    const Pose X_WA{random.rotation(), random.in_box(2)};
    const Pose X_WB{
        random.rotation(),
        X_WA.translation +
            X_WA.rotation * (half - Vector3::Constant(0.2)).cwiseProduct(random.in_box(1))};
    const HullTruth truth = box_inside ? box_box(small, X_WB, half, X_WA)
                                       : points_box(points, X_WB, half, X_WA);
    ASSERT_LT(truth.distance, 0);
    const Shape inner = box_inside ? Shape(Box{.half_extents = small})
                                   : Shape(Convex::from_points(points));
    const Pair pair{inner, X_WB, Box{.half_extents = half}, X_WA};
    expect_answer(pair, truth.distance, allowed_error(pair), truth.normal);
    if (truth.normal) {
      Pair moved = pair;
      moved.X_WA.translation += 1e-12 * random.direction();
      expect_normal(moved.distance(), pair.distance().normal);
    }
    if (HasFailure()) return;
  }
}

/// A bounded shape, three times in ten with a margin.
Shape any_rounded_shape(int kind, Random& random) {
  const double margin = random.chance(0.3) ? random.uniform(0, 0.2) : 0.0;
  return any_shape(kind, random, margin);
}

/// The mirror image of a shape in the plane x = 0 of its own frame; only a hull changes.
Shape mirrored(const Shape& shape) {
  const auto* hull = std::get_if<Convex>(&shape.parameters());
  if (hull == nullptr) return shape;
  Points points = hull->vertices();
  points.row(0) *= -1;
  return Convex::from_points(points, hull->margin);
}

Pose mirrored(const Pose& X) {
  const Matrix3 mirror = Vector3(-1, 1, 1).asDiagonal();
  return {mirror * X.rotation * mirror, mirror * X.translation};
}

Shape shuffled(const Shape& shape, Random& random) {
  const auto* hull = std::get_if<Convex>(&shape.parameters());
  if (hull == nullptr) return shape;
  Points points = hull->vertices();
  for (int i = static_cast<int>(points.cols()) - 1; i > 0; --i)
    points.col(i).swap(points.col(random.below(i + 1)));
  return Convex::from_points(points, hull->margin);
}

// swap, mirror, rigid motion and vertex order: the same distance; where the normal is well defined
// the same normal and points
TEST(Families, Symmetry) {
  Random random(19);
  for (int sample = 0; sample < 490; ++sample) {
    const Pair base{any_rounded_shape(sample % 7, random),
                    {random.rotation(), random.in_box(1)},
                    any_rounded_shape(sample / 7 % 7, random),
                    {random.rotation(), random.in_box(sample % 2 == 0 ? 1.0 : 2.5)}};
    SCOPED_TRACE(base.describe());
    const Distance r = base.distance();
    expect_sound(base, r);
    const double tolerance = 1e-12 * base.scale();
    const Distance swap = base.swapped().distance();
    expect_sound(base.swapped(), swap);
    EXPECT_NEAR(swap.distance, r.distance, tolerance);
    const bool clear = r.distance > 1e-3;  // apart: the normal is unique
    if (clear) {
      expect_normal(swap, -r.normal);
    }
    const Pair mirror{mirrored(base.a), mirrored(base.X_WA), mirrored(base.b), mirrored(base.X_WB)};
    const Distance reflected = mirror.distance();
    expect_sound(mirror, reflected);
    EXPECT_NEAR(reflected.distance, r.distance, tolerance);
    if (clear) {
      expect_normal(reflected, Vector3(-r.normal.x(), r.normal.y(), r.normal.z()));
    }
    const Pose X_NW{random.rotation(), random.in_box(1)};
    const Pair moved{base.a, X_NW * base.X_WA, base.b, X_NW * base.X_WB};
    const Distance carried = moved.distance();
    expect_sound(moved, carried);
    EXPECT_NEAR(carried.distance, r.distance, tolerance);
    if (clear) {
      expect_normal(carried, X_NW.rotation * r.normal);
    }
    const Distance reordered = distance(shuffled(base.a, random), base.X_WA,
                                        shuffled(base.b, random), base.X_WB);
    EXPECT_NEAR(reordered.distance, r.distance, tolerance);
    if (HasFailure()) return;
  }
}

// ellipsoids, cylinders (rim and side) and cones (rim, side and apex) within 1e-12 to 1e-3 of a
// plane face, apart and inside
TEST(Families, NearTangentQuadrics) {
  Random random(20);
  for (int sample = 0; sample < 300; ++sample) {
    const Shape shape = any_rounded_shape(sample % 3 == 0 ? 1 : sample % 3 == 1 ? 4 : 5, random);
    Pose X{random.rotation(), {random.uniform(-1, 1), random.uniform(-1, 1), 0}};
    if (sample % 5 == 0) {
      X.rotation = Random::turn(Vector3::UnitX(), 1.5707963267948966) *
                   Random::turn(Vector3::UnitZ(), random.uniform(0, 6));
    }
    const double gap = random.sign() * random.log_uniform(1e-12, 1e-3);
    X.translation.z() = 5 + gap - static_cast<double>(lowest(shape, X));
    const long double truth = lowest(shape, X) - 5;
    const Pair with_box{shape, X, Box{.half_extents = {5, 5, 5}}, Pose{}};
    const Pair with_ground{shape, X, HalfSpace{.offset = 5}, Pose{}};
    const Pair with_plate{shape, X, Convex::from_points(box_points({4, 4, 5})), Pose{}};
    for (const Pair* pair : {&with_box, &with_ground, &with_plate}) {
      expect_answer(*pair, truth, allowed_error(*pair), Vector3(-Vector3::UnitZ()));
      EXPECT_LT(pair->distance().iterations, DistanceOptions{}.max_iterations);
      EXPECT_LT(pair->distance({.method = Method::gjk}).iterations,
                DistanceOptions{}.max_iterations);
    }
    if (HasFailure()) return;
  }
}

// first directions that are zero, denormal, orthogonal to the answer or opposite to it; a NaN is
// refused by name
TEST(Families, SearchDirectionDegenerate) {
  Random random(14);
  const double tiny = 1e-320;
  for (int sample = 0; sample < 98; ++sample) {
    const Pair pair{any_rounded_shape(sample % 7, random),
                    {random.rotation(), random.in_box(1)},
                    any_rounded_shape(sample / 7 % 7, random),
                    {random.rotation(), random.in_box(2)}};
    SCOPED_TRACE(pair.describe());
    for (const Method method : {Method::automatic, Method::gjk}) {
      const Distance good = pair.distance({.method = method});
      const Vector3 n = good.normal, side = n.unitOrthogonal();
      for (const Vector3& start : {Vector3(0, 0, 0), Vector3(tiny, 0, 0), Vector3(0, -tiny, tiny),
                                   side, Vector3(n.cross(side)), Vector3(-n), n,
                                   Vector3(1e200 * side), Vector3(1e-200 * side)}) {
        const Distance r = pair.distance({.method = method, .initial_direction = start});
        expect_sound(pair, r);
        EXPECT_EQ(r.status, good.status);
        EXPECT_NEAR(r.distance, good.distance, 2 * allowed_error(pair))
            << "start " << start.transpose();
      }
    }
    if (HasFailure()) return;
  }
  // the reported case: two cubes stacked in z, started along x
  const Shape cube = Box{.half_extents = {1, 1, 1}};
  const Pair stacked{cube, Pose{}, cube, {Matrix3::Identity(), {0, 0, 1.9}}};
  for (const Method method : {Method::automatic, Method::gjk}) {
    const Distance r = stacked.distance({.method = method, .initial_direction = Vector3::UnitX()});
    expect_distance(stacked, r, static_cast<long double>(1.9) - 2, 64 * kEpsilon * stacked.scale());
    expect_normal(r, Vector3::UnitZ());
  }
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    try {
      stacked.distance({.initial_direction = {1, bad, 0}});
      FAIL() << "accepted a direction with " << bad;
    } catch (const InvalidInput& error) {
      EXPECT_NE(error.field().find("initial_direction"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace tactum::regression::families_motion_test
