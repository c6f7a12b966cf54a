// SPDX-License-Identifier: BSD-2-Clause
// Supports of cores, their pieces, their faces and their minorants, against sampling and finite
// differences.
#include "shape/support/core_support.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "shape/support/face_support.hpp"
#include "shape/support/support_minorant.hpp"
#include "support/random.hpp"

namespace tactum::core_support_test {
namespace {

using Kind = CoreShape::Kind;
using testing::Random;

CoreShape core_of(Kind kind, const Vector3& size) {
  CoreShape core;
  core.kind = kind;
  core.size = size;
  return core;
}

std::vector<CoreShape> cores() {
  return {core_of(Kind::segment, {0.1, -0.2, 0.4}),  core_of(Kind::ellipsoid, {0.3, 0.2, 0.5}),
          core_of(Kind::ellipsoid, {0.3, 0.3, 0.5}), core_of(Kind::ellipsoid, {0.2, 0.5, 0.5}),
          core_of(Kind::box, {0.3, 0.2, 0.5}),       core_of(Kind::cylinder, {0.3, 0.4, 0.0}),
          core_of(Kind::cone, {0.3, 0.4, 0.0})};
}

Vector3 support_point(const CoreShape& core, const Vector3& u) {
  int visited = 0;
  return core_support(core, u, visited).point;
}

TEST(CoreSupport, NoOtherPointOfTheCoreIsFarther) {
  Random random(1);
  for (const CoreShape& core : cores()) {
    for (int i = 0; i < 300; ++i) {
      const Vector3 u = random.in_box(1.0).normalized(), v = random.in_box(1.0).normalized();
      EXPECT_LE(support_point(core, v).dot(u), support_point(core, u).dot(u) + 1e-15);
    }
  }
}

TEST(CoreSupport, EllipsoidWithItsRollingBallIsTheEllipsoid) {
  Random random(2);
  const CoreShape core = core_of(Kind::ellipsoid, {0.3, 0.2, 0.5});
  for (int i = 0; i < 200; ++i) {
    const Vector3 u = random.in_box(1.0).normalized();
    EXPECT_NEAR(support_point(core, u).dot(u) + core.inner_radius, core.size.cwiseProduct(u).norm(),
                1e-15);
  }
}

TEST(CoreSupport, PiecesPassThroughTheirSupportPointAndTheirHessianIsTheDerivative) {
  Random random(3);
  for (const CoreShape& core : cores()) {
    for (int i = 0; i < 200; ++i) {
      const Vector3 u = random.in_box(1.0).normalized();
      int visited = 0;
      const CorePoint support = core_support(core, u, visited);
      const CorePiece piece = core_piece(core, support.piece, u);
      EXPECT_LE((piece.point - support.point).norm(), 1e-15);
      EXPECT_LE((piece.hessian * u).norm(), 1e-14);
      const Vector3 t = u.cross(random.in_box(1.0)).normalized();
      const double h = 1e-6;
      const Vector3 plus = core_piece(core, support.piece, (u + h * t).normalized()).point;
      const Vector3 minus = core_piece(core, support.piece, (u - h * t).normalized()).point;
      EXPECT_LE(((plus - minus) / (2 * h) - piece.hessian * t).norm(),
                1e-6 / std::max(0.01, std::hypot(u.x(), u.y())));
    }
  }
}

TEST(FaceSupport, IsOnTheSupportFaceAndFarthestAlongTheSecondDirection) {
  const Vector3 z = Vector3::UnitZ(), x = Vector3::UnitX();
  EXPECT_EQ(face_support(core_of(Kind::box, {0.3, 0.2, 0.5}), z, Vector3(-1.0, 1.0, 0.0), 1e-12),
            Vector3(-0.3, 0.2, 0.5));
  EXPECT_EQ(face_support(core_of(Kind::cylinder, {0.3, 0.4, 0.0}), -z, x, 1e-12),
            Vector3(0.3, 0.0, -0.4));
  EXPECT_EQ(face_support(core_of(Kind::cylinder, {0.3, 0.4, 0.0}), x, -z, 1e-12),
            Vector3(0.3, 0.0, -0.4));
  EXPECT_EQ(face_support(core_of(Kind::segment, {0.0, 0.0, 0.4}), x, -z, 1e-12),
            Vector3(0.0, 0.0, -0.4));
  // the side of a cone as a whole: apex or rim by the second direction
  const CoreShape cone = core_of(Kind::cone, {0.3, 0.4, 0.0});
  const Vector3 side = Vector3(0.8, 0.0, 0.3).normalized();
  EXPECT_EQ(face_support(cone, side, z, 1e-12), Vector3(0.0, 0.0, 0.4));
  EXPECT_EQ(face_support(cone, side, -z, 1e-12), Vector3(0.3, 0.0, -0.4));
  // away from faces it is the support point
  Random random(4);
  for (const CoreShape& core : cores()) {
    const Vector3 u = random.in_box(1.0).normalized();
    EXPECT_LE((face_support(core, u, random.in_box(1.0), 1e-13) - support_point(core, u)).norm(),
              1e-15);
  }
}

TEST(SupportMinorant, StaysBelowTheSupportFunctionOnItsRange) {
  Random random(5);
  for (const CoreShape& core : cores()) {
    const int axis = minorant_axis(core);
    for (int i = 0; i < 200; ++i) {
      const double s0 = random.uniform(-1.0, 1.0), s1 = random.uniform(-1.0, 1.0);
      const double low = std::min(s0, s1), high = std::max(s0, s1);
      int visited = 0;
      const CorePoint point = core_support(core, Vector3(random.in_box(1.0).normalized()), visited);
      const SupportMinorant minorant = support_minorant(core, point, low, high);
      for (int k = 0; k < 20; ++k) {
        Vector3 u = random.in_box(1.0).normalized();
        if (axis >= 0) {
          const double s = random.uniform(low, high);
          u[axis] = 0.0;
          u = std::sqrt(1.0 - s * s) * u.normalized();
          u[axis] = s;
        }
        EXPECT_LE(minorant.constant + minorant.linear.dot(u),
                  support_point(core, u).dot(u) + 1e-15);
      }
    }
  }
}

}  // namespace
}  // namespace tactum::core_support_test
