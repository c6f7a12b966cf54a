// SPDX-License-Identifier: BSD-2-Clause
// Bases of planes and 2 x 2 matrices against Eigen.
#include "math/tangent_plane.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace tactum::tangent_plane_test {
namespace {

using testing::Random;

TEST(TangentPlane, IsRightHandedAndOrthonormalForEveryNormal) {
  Random random(2);
  for (int k = 0; k < 300; ++k) {
    const Vector3 n = k < 6 ? Vector3(Vector3::Unit(k % 3) * (k < 3 ? 1.0 : -1.0))
                            : random.direction();
    const TangentPlane plane(to_double3(n));
    Matrix3 frame;
    frame << to_vector3(plane.x), to_vector3(plane.y), n;
    EXPECT_LE((frame.transpose() * frame - Matrix3::Identity()).norm(), 4e-15);
    EXPECT_NEAR(frame.determinant(), 1.0, 4e-15);
    const Vector3 v = random.in_box(1.0);
    const Vector3 flat = v - n * n.dot(v);
    EXPECT_LE((to_vector3(plane.lift(plane.project(to_double3(v)))) - flat).norm(), 4e-15);
    const Eigen::Matrix<double, 3, 2> columns = tangent_basis(n);
    EXPECT_EQ(columns.col(0), to_vector3(plane.x));
    EXPECT_EQ(columns.col(1), to_vector3(plane.y));
    const Matrix3 R = random.rotation();
    const TangentPlane seen = plane.in_frame(R);
    EXPECT_LE((to_vector3(seen.x) - R.transpose() * to_vector3(plane.x)).norm(), 1e-15);
    EXPECT_LE((to_vector3(seen.normal) - R.transpose() * n).norm(), 1e-15);
  }
}

TEST(TangentPlane, MatricesAreThoseOfEigen) {
  Random random(3);
  const auto wide = [](const Matrix22& m) {
    Eigen::Matrix2d e;
    e << m.xx, m.xy, m.yx, m.yy;
    return e;
  };
  const auto draw = [&] { return random.uniform(-1.0, 1.0); };
  for (int k = 0; k < 100; ++k) {
    const Matrix22 a{draw(), draw(), draw(), draw()}, b{draw(), draw(), draw(), draw()};
    const Double2 v{draw(), draw()}, u{draw(), draw()};
    const Eigen::Vector2d wide_v(v.x, v.y), wide_u(u.x, u.y);
    EXPECT_LE((wide(a * b) - wide(a) * wide(b)).norm(), 1e-15);
    EXPECT_LE((wide(a + b) - wide(a) - wide(b)).norm(), 1e-15);
    EXPECT_LE((wide(a - 0.5 * b) - wide(a) + 0.5 * wide(b)).norm(), 1e-15);
    EXPECT_EQ(wide(a.transposed()), wide(a).transpose());
    EXPECT_EQ(wide(Matrix22::outer(u, v)), wide_u * wide_v.transpose());
    EXPECT_EQ(wide(Matrix22::zero() + Matrix22::scaled_identity(2.0)),
              2.0 * Eigen::Matrix2d::Identity());
    const Double2 image = a * v;
    EXPECT_LE((Eigen::Vector2d(image.x, image.y) - wide(a) * wide_v).norm(), 1e-15);
    EXPECT_NEAR(dot(u, v), wide_u.dot(wide_v), 1e-15);
    EXPECT_NEAR(cross(u, v), wide_u.x() * wide_v.y() - wide_u.y() * wide_v.x(), 1e-15);
    const Symmetric2 s{a.xx, a.xy, a.yy};
    const Double2 of_s = s * v;
    Eigen::Matrix2d wide_s;
    wide_s << a.xx, a.xy, a.xy, a.yy;
    EXPECT_LE((Eigen::Vector2d(of_s.x, of_s.y) - wide_s * wide_v).norm(), 1e-15);
    EXPECT_NEAR(s.trace(), wide_s.trace(), 1e-15);
    EXPECT_NEAR(s.determinant(), wide_s.determinant(), 1e-15);
  }
}

}  // namespace
}  // namespace tactum::tangent_plane_test
