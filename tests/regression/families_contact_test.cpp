// SPDX-License-Identifier: BSD-2-Clause
// Degenerate families, part 1: faces, edges and centers that coincide, and how the answer scales
// and moves. Each test is one family of tests/data/hard_cases.txt and is named after it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "regression/family_shapes.hpp"
#include "regression/point_hull_oracle.hpp"
#include "regression/result_checks.hpp"
#include "support/random.hpp"

namespace tactum::regression::families_contact_test {
namespace {

using testing::Random;

// boxes whose face, edge or corner touches, in common rotations of every size
TEST(Families, TouchingFaces) {
  Random random(1);
  for (const double h : {1e-6, 1e-3, 1.0, 1e3, 1e6}) {
    for (int sample = 0; sample < 120; ++sample) {
      const int axes = 1 + sample % 3;  // face, edge, corner
      Vector3 shift = Vector3::Zero();
      for (int k = 0; k < 3; ++k)
        shift[(k + sample) % 3] = k < axes ? 2 * h * random.sign()
                                           : 2 * h * random.uniform(-0.9, 0.9);
      Matrix3 turn = Matrix3::Identity();
      if (sample % 4 == 1) turn = Random::turn(random.direction(), random.log_uniform(1e-8, 1e-1));
      if (sample % 4 >= 2) turn = random.rotation();
      const Shape box = Box{.half_extents = {h, h, h}};
      const Pair pair{box, {turn, Vector3::Zero()}, box, {turn, turn * shift}};
      SCOPED_TRACE(pair.describe());
      for (const Method method : {Method::automatic, Method::gjk}) {
        const Distance r = pair.distance({.method = method});
        expect_sound(pair, r);
        EXPECT_EQ(r.status, Status::touching);
        EXPECT_LE(std::abs(r.distance), 8 * kEpsilon * pair.scale());
        // the normal lies in the cone spanned by the touching axes
        const Vector3 n = turn.transpose() * r.normal;
        for (int k = 0; k < 3; ++k) {
          const int axis = (k + sample) % 3;
          if (k < axes) {
            EXPECT_GE(n[axis] * shift[axis], -1e-6 * h);
          } else {
            EXPECT_NEAR(n[axis], 0, 1e-6);
          }
        }
      }
      EXPECT_NE(collide(pair.a, pair.X_WA, pair.b, pair.X_WB).status, Status::not_converged);
      if (HasFailure()) return;
    }
  }
}

/// Support of a shape that is symmetric about its axes, along sin(t) e_side + cos(t) e_z; a hull
/// counts as its bounding box.
long double reach(const Shape& shape, int side, long double s, long double c) {
  if (const auto* p = std::get_if<Sphere>(&shape.parameters())) return p->radius;
  if (const auto* p = std::get_if<Ellipsoid>(&shape.parameters()))
    return std::hypot(p->semi_axes[side] * s, p->semi_axes[2] * c);
  if (const auto* p = std::get_if<Box>(&shape.parameters())) {
    return p->half_extents[side] * std::abs(s) + p->half_extents[2] * std::abs(c);
  }
  if (const auto* p = std::get_if<Capsule>(&shape.parameters()))
    return p->radius + p->half_length * std::abs(c);
  if (const auto* p = std::get_if<Cylinder>(&shape.parameters()))
    return p->radius * std::abs(s) + p->half_length * std::abs(c);
  if (const auto* p = std::get_if<Cone>(&shape.parameters())) {
    return std::max(p->half_length * c, p->radius * std::abs(s) - p->half_length * c);
  }
  const Aabb box = shape.aabb();
  return box.upper[side] * std::abs(s) + box.upper[2] * std::abs(c);
}

/// Least width of A - B for equal centers and axes. Supports are concave functions of (n_x^2,
/// n_y^2) at a fixed n_z, so the best direction lies over the x or the y axis and one angle is
/// left: a scan, then golden section.
long double concentric_depth(const Shape& a, const Shape& b) {
  long double best = 1e30L;
  for (const int side : {0, 1}) {
    const auto width = [&](long double t) {
      return reach(a, side, std::sin(t), std::cos(t)) + reach(b, side, std::sin(t), -std::cos(t));
    };
    constexpr int steps = 400;
    constexpr long double pi = 3.141592653589793238462643383279503L;
    for (int k = 0; k <= steps; ++k) {
      const long double here = width(pi * k / steps);
      best = std::min(best, here);
      if (here > width(pi * (k - 1) / steps) || here > width(pi * (k + 1) / steps)) continue;
      long double low = pi * (k - 1) / steps, high = pi * (k + 1) / steps;
      for (int i = 0; i < 90; ++i) {
        const long double x = low + 0.381966011250105151795L * (high - low),
                          y = high - 0.381966011250105151795L * (high - low);
        (width(x) < width(y) ? high : low) = width(x) < width(y) ? y : x;
      }
      best = std::min(best, width((low + high) / 2));
    }
  }
  return best;
}

std::vector<Shape> centered_shapes(Random& random) {
  const auto size = [&] { return random.uniform(0.2, 2.0); };
  const Vector3 half(size(), size(), size());
  return {Sphere{.radius = size()},
          Ellipsoid{.semi_axes = {size(), size(), size()}},
          Box{.half_extents = {size(), size(), size()}},
          Capsule{.radius = size(), .half_length = size()},
          Cylinder{.radius = size(), .half_length = size()},
          Cone{.radius = size(), .half_length = size()},
          Convex::from_points(box_points(half))};
}

// every pair of kinds at the same center with the same axes, equal shapes among them
TEST(Families, CoincidentCenters) {
  Random random(2);
  for (int round = 0; round < 6; ++round) {
    const std::vector<Shape> first = centered_shapes(random);
    const std::vector<Shape> second = round % 2 == 0 ? first : centered_shapes(random);
    for (const Shape& a : first) {
      for (const Shape& b : second) {
        const Pose X{round < 2 ? Matrix3(Matrix3::Identity()) : random.rotation(),
                     round < 4 ? Vector3(Vector3::Zero()) : random.in_box(3)};
        const Pair pair{a, X, b, X};
        expect_answer(pair, -concentric_depth(a, b), allowed_error(pair));
        if (HasFailure()) return;
      }
    }
  }
}

Shape scaled(const Shape& shape, double s) {
  if (const auto* p = std::get_if<Sphere>(&shape.parameters()))
    return Sphere{.radius = p->radius * s};
  if (const auto* p = std::get_if<Ellipsoid>(&shape.parameters()))
    return Ellipsoid{.semi_axes = p->semi_axes * s};
  if (const auto* p = std::get_if<Box>(&shape.parameters()))
    return Box{.half_extents = p->half_extents * s};
  if (const auto* p = std::get_if<Capsule>(&shape.parameters())) {
    return Capsule{.radius = p->radius * s, .half_length = p->half_length * s};
  }
  if (const auto* p = std::get_if<Cylinder>(&shape.parameters())) {
    return Cylinder{.radius = p->radius * s, .half_length = p->half_length * s};
  }
  if (const auto* p = std::get_if<Cone>(&shape.parameters())) {
    return Cone{.radius = p->radius * s, .half_length = p->half_length * s};
  }
  return Convex::from_points(std::get<Convex>(shape.parameters()).vertices() * s);
}

// a small shape over or just inside the top face of a large box: the lowest point of the small one
// tells
TEST(Families, ScaleRatio) {
  Random random(4);
  for (const double ratio : {1.0, 1e2, 1e4, 1e6}) {
    const Vector3 half(ratio * 4, ratio * 4, ratio * 4);
    for (int sample = 0; sample < 140; ++sample) {
      const Shape small = any_shape(sample % kNumBoundedKinds, random);
      const double gap = random.sign() * random.log_uniform(1e-4, 0.5);
      Pose X{random.rotation(), {random.uniform(-2, 2) * ratio, random.uniform(-2, 2) * ratio, 0}};
      X.translation.z() = half.z() + gap - static_cast<double>(lowest(small, X));
      const long double truth = lowest(small, X) - half.z();
      const Pair pair{small, X, Box{.half_extents = half}, Pose{}};
      const double family = 1e-6 * std::max(1.0, ratio * kEpsilon / 1e-10);
      expect_answer(pair, truth, std::min(allowed_error(pair), family), Vector3(-Vector3::UnitZ()));
      if (HasFailure()) return;
    }
  }
}

/// Two small shapes near contact at a random relative pose.
Pair near_pair(int kind_a, int kind_b, Random& random) {
  return {any_shape(kind_a, random),
          {random.rotation(), random.in_box(1)},
          any_shape(kind_b, random),
          {random.rotation(), random.in_box(2)}};
}

// powers of two scale every product, sum and square root exactly, so with relative tolerances the
// formulas of polytopes give the same bits; Newton's method may order its pivots differently
TEST(Families, GlobalScale) {
  Random random(5);
  for (int sample = 0; sample < 98; ++sample) {
    const Pair base = near_pair(sample % 7, sample / 7 % 7, random);
    const Distance r = base.distance();
    expect_sound(base, r);
    for (const double s : {0x1p-20, 0x1p-10, 0x1p20, 1e-6, 1e-3, 1e3, 1e6}) {
      const Pair pair{scaled(base.a, s),
                      {base.X_WA.rotation, base.X_WA.translation * s},
                      scaled(base.b, s),
                      {base.X_WB.rotation, base.X_WB.translation * s}};
      SCOPED_TRACE(pair.describe());
      const Distance q = pair.distance();
      expect_sound(pair, q);
      EXPECT_EQ(q.status, r.status);
      EXPECT_NEAR(q.distance / s, r.distance, 2 * allowed_error(base));
      const bool power_of_two = s == 0x1p-20 || s == 0x1p-10 || s == 0x1p20;
      if (power_of_two && !is_smooth(base.a) && !is_smooth(base.b)) {
        EXPECT_EQ(q.distance, r.distance * s) << "a tolerance is not relative";
        EXPECT_EQ(q.normal, r.normal);
        EXPECT_EQ(q.iterations, r.iterations);
      }
    }
    if (HasFailure()) return;
  }
}

// both shapes moved by the same vector; coordinates on a grid, so that the relative pose stays the
// same to the last bit
TEST(Families, FarFromOrigin) {
  Random random(6);
  const auto on_grid = [](const Vector3& v) {
    return Vector3((v * 0x1p20).array().round() * 0x1p-20);
  };
  for (int sample = 0; sample < 98; ++sample) {
    Pair base = near_pair(sample % 7, sample / 7 % 7, random);
    base.X_WA.translation = on_grid(base.X_WA.translation);
    base.X_WB.translation = on_grid(base.X_WB.translation);
    const Distance r = base.distance();
    for (const double length : {1.0, 1e2, 1e4, 1e6}) {
      const Vector3 t = on_grid(random.direction() * length);
      Pair pair = base;
      pair.X_WA.translation += t;
      pair.X_WB.translation += t;
      const Distance q = pair.distance();
      SCOPED_TRACE(pair.describe());
      expect_sound(pair, q);
      EXPECT_EQ(q.distance, r.distance);
      EXPECT_EQ(q.normal, r.normal);
      EXPECT_LE((q.point_a - t - r.point_a).cwiseAbs().maxCoeff(), 4 * kEpsilon * (length + 4));
      EXPECT_LE((q.point_b - t - r.point_b).cwiseAbs().maxCoeff(), 4 * kEpsilon * (length + 4));
    }
    if (HasFailure()) return;
  }
}

const std::vector<double> kSmallAngles = {0,    1e-16, 1e-15, 1e-14, 1e-12, 1e-10,
                                          1e-8, 1e-7,  1e-6,  1e-5,  1e-4,  1e-3};

// edges of boxes and axes of capsules that are parallel or nearly so, apart and overlapping; the
// distance is continuous in the angle
TEST(Families, ParallelEdges) {
  Random random(7);
  const Matrix3 diagonal = Random::turn(Vector3::UnitZ(), 0.7853981633974483);
  for (int sample = 0; sample < 24; ++sample) {
    const Vector3 half_a(1, 1, random.uniform(0.5, 2)), half_b(0.7, 0.7, random.uniform(0.5, 2));
    const double gap = sample % 2 == 0 ? random.log_uniform(1e-9, 0.1)
                                       : -random.log_uniform(1e-9, 0.1);
    const Vector3 shift((half_a.x() + half_b.x()) * 1.4142135623730951 + gap, 0,
                        sample % 3 == 0 ? 0.0 : random.uniform(-1, 1));
    const double length_a = random.uniform(0.5, 2), length_b = random.uniform(0.5, 2);
    long double at_zero = 0, axes_at_zero = 0;
    for (const double angle : kSmallAngles) {
      const Matrix3 tilt = Random::turn(Vector3::UnitX(), angle);
      const Pair boxes{Box{.half_extents = half_a},
                       {diagonal, Vector3::Zero()},
                       Box{.half_extents = half_b},
                       {tilt * diagonal, shift}};
      const HullTruth truth = box_box(half_a, boxes.X_WA, half_b, boxes.X_WB);
      expect_answer(boxes, truth.distance, allowed_error(boxes), truth.normal);
      // capsules: the same for their axes
      const Pair capsules{Capsule{.radius = 0.3, .half_length = length_a},
                          Pose{},
                          Capsule{.radius = 0.2, .half_length = length_b},
                          {tilt, {0.5 + gap, 0, shift.z()}}};
      Points axis_a(3, 2), axis_b(3, 2);
      axis_a << 0, 0, 0, 0, -length_a, length_a;
      axis_b << 0, 0, 0, 0, -length_b, length_b;
      const HullTruth axes = points_points(axis_a, capsules.X_WA, axis_b, capsules.X_WB);
      const long double capsule_truth = axes.distance - static_cast<long double>(0.3) -
                                        static_cast<long double>(0.2);
      expect_answer(capsules, capsule_truth, allowed_error(capsules));
      if (angle == 0) at_zero = truth.distance, axes_at_zero = capsule_truth;
      const long double bound = 4.0L * angle + 128 * kEpsilon * boxes.scale();
      EXPECT_LE(std::abs(boxes.distance().distance - at_zero), bound);
      EXPECT_LE(std::abs(capsules.distance().distance - axes_at_zero), bound);
      if (HasFailure()) return;
    }
  }
}

// stacked boxes, faces parallel up to 1e-3 rad, gaps from +-1e-3 down to a few eps
TEST(Families, ParallelFaces) {
  Random random(8);
  for (const double angle : kSmallAngles) {
    for (const double gap :
         {0.0, kEpsilon, -kEpsilon, 8 * kEpsilon, -8 * kEpsilon, 200 * kEpsilon, -200 * kEpsilon,
          1e-12, -1e-12, 1e-9, -1e-9, 1e-6, -1e-6, 1e-3, -1e-3}) {
      const Vector3 half_a(random.uniform(0.5, 2), random.uniform(0.5, 2), random.uniform(0.5, 2));
      const Vector3 half_b(random.uniform(0.2, 1), random.uniform(0.2, 1), random.uniform(0.2, 1));
      const Matrix3 common = random.chance(0.5) ? Matrix3(Matrix3::Identity()) : random.rotation();
      const Matrix3 tilt = Random::turn(
          Random::turn(Vector3::UnitZ(), random.uniform(0, 6.28)).col(0), angle);
      const Vector3 shift(random.uniform(-0.4, 0.4), random.uniform(-0.4, 0.4),
                          half_a.z() + half_b.z() + gap);
      const Pair pair{Box{.half_extents = half_a},
                      {common, Vector3::Zero()},
                      Box{.half_extents = half_b},
                      {common * tilt, common * shift}};
      const HullTruth truth = box_box(half_a, pair.X_WA, half_b, pair.X_WB);
      expect_answer(pair, truth.distance, allowed_error(pair), truth.normal);
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace tactum::regression::families_contact_test
