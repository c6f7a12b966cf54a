// SPDX-License-Identifier: BSD-2-Clause
// Winding numbers against solid angles in extended precision, near edges and vertices too.
#include <gtest/gtest.h>

#include "mesh/mesh_fixtures.hpp"
#include "support/extended.hpp"
#include "support/repetitions.hpp"
#include "tactum/mesh.hpp"

namespace tactum::winding_number_test {
namespace {

using testing::Random;
using testing::Real;
using testing::Vec3;

Real solid_angles(const Mesh& mesh, const Vector3& point) {
  Real sum = 0;
  for (const auto& t : mesh.triangles().colwise()) {
    const Vec3 p = testing::widen(point);
    const Vec3 a = testing::widen(Vector3(mesh.vertices().col(t[0]))) - p,
               b = testing::widen(Vector3(mesh.vertices().col(t[1]))) - p,
               c = testing::widen(Vector3(mesh.vertices().col(t[2]))) - p;
    const Real la = a.norm(), lb = b.norm(), lc = c.norm();
    sum += 2 * std::atan2(a.dot(b.cross(c)),
                          la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return sum / (4 * std::numbers::pi_v<Real>);
}

/// A point next to a vertex, an edge or a face.
Vector3 near_surface(Random& random, const Mesh& mesh, double distance) {
  const auto t = mesh.triangles().col(random.below(static_cast<int>(mesh.triangles().cols())));
  const Vector3 a = mesh.vertices().col(t[0]), b = mesh.vertices().col(t[1]),
                c = mesh.vertices().col(t[2]);
  const double u = random.chance(0.3) ? 0.0 : random.uniform(),
               v = random.chance(0.5) ? 0.0 : random.uniform(0.0, 1.0 - u);
  return a + u * (b - a) + v * (c - a) + distance * random.direction();
}

class WindingNumberNear : public ::testing::TestWithParam<std::array<int, 3>> {};

TEST_P(WindingNumberNear, EdgesAndVerticesOfATorus) {
  Random random(51);
  const auto [n, m, count] = GetParam();
  const Mesh mesh = testing::torus_mesh(2.0, 0.5, n, m).surface();
  const int num_points = testing::repetitions(count);
  int unsure = 0;
  for (int i = 0; i < num_points; ++i) {
    const Vector3 point = near_surface(random, mesh, random.log_uniform(1e-9, 1.0));
    const Real expected = solid_angles(mesh, point);
    const auto whole = static_cast<int>(std::lround(expected));
    if (std::abs(expected - static_cast<Real>(whole)) > 1e-6) {
      ++unsure;  // the oracle is
      continue;
    }
    ASSERT_EQ(winding_number(mesh, point), whole) << point.transpose();
  }
  EXPECT_LT(unsure, num_points / 100);
}

// coarse and sharp, 1e5 points in all
INSTANTIATE_TEST_SUITE_P(Torus, WindingNumberNear,
                         ::testing::Values(std::array<int, 3>{12, 8, 20000},
                                           std::array<int, 3>{3, 3, 80000}));

TEST(WindingNumber, InsideABoxIsInsideTheBox) {
  Random random(52);
  const Vector3 half(1, 2, 3);
  const Mesh mesh = testing::box_mesh(half).surface();
  for (int i = 0; i < 100000; ++i) {
    Vector3 point = random.in_box(3.5);
    for (int k = 0; k < 3; ++k)
      if (random.chance(0.4))
        point[k] = random.sign() * half[k] + random.sign() * random.log_uniform(1e-12, 1e-2);
    const bool inside = (point.cwiseAbs().array() < half.array()).all();
    ASSERT_EQ(winding_number(mesh, point), inside ? 1 : 0) << point.transpose();
  }
}

TEST(WindingNumber, CountsLayersAndCavities) {
  const testing::RawMesh outer = testing::box_mesh({2, 2, 2}), inner = testing::box_mesh({1, 1, 1});
  testing::RawMesh both{Points(3, 16), Triangles(3, 24)};
  both.vertices << outer.vertices, inner.vertices;
  both.triangles << outer.triangles, (inner.triangles.array() + 8).matrix();
  EXPECT_EQ(winding_number(both.surface(), Vector3(0.1, 0.2, 0.3)), 2);
  EXPECT_EQ(winding_number(both.surface(), Vector3(1.5, 0.2, 0.3)), 1);
  both.triangles.rightCols(12).row(0).swap(both.triangles.rightCols(12).row(1));
  EXPECT_EQ(winding_number(both.surface(), Vector3(0.1, 0.2, 0.3)), 0);
  EXPECT_EQ(winding_number(both.surface(), Vector3(1.5, 0.2, 0.3)), 1);
}

TEST(WindingNumber, OfAnOpenMeshIsRounded) {
  testing::RawMesh raw = testing::box_mesh({1, 1, 1});
  raw.triangles.conservativeResize(3, 11);
  EXPECT_EQ(winding_number(raw.surface(), Vector3::Zero()), 1);
  EXPECT_EQ(winding_number(raw.surface(), Vector3(5, 5, 5)), 0);
  EXPECT_THROW(winding_number(raw.surface(), Vector3(0, 0, std::nan(""))), std::invalid_argument);
}

}  // namespace
}  // namespace tactum::winding_number_test
