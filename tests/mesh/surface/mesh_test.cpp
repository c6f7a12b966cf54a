// SPDX-License-Identifier: BSD-2-Clause
// Meshes: what they hold, bad input, mass against closed forms.
#include "tactum/mesh.hpp"

#include <gtest/gtest.h>

#include "mesh/mesh_fixtures.hpp"
#include "tactum/status.hpp"

namespace tactum::mesh_test {
namespace {

using testing::box_mesh;
using testing::Random;
using testing::RawMesh;

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(Mesh, KeepsWhatItIsGiven) {
  const RawMesh raw = box_mesh({1, 2, 3});
  const Mesh mesh = raw.solid();
  EXPECT_EQ(mesh.vertices(), raw.vertices);
  EXPECT_EQ(mesh.triangles(), raw.triangles);
  EXPECT_TRUE(mesh.is_solid());
  EXPECT_EQ(mesh.to_string(), "Mesh(vertices=8, triangles=12, solid=True)");
  EXPECT_EQ(mesh, raw.solid());
  EXPECT_EQ(mesh.hash(), raw.solid().hash());
  EXPECT_FALSE(mesh == raw.surface());
  EXPECT_FALSE(mesh == box_mesh({1, 2, 4}).solid());
  EXPECT_GE(mesh.nbytes(), 8 * 24 + 12 * 12);
  EXPECT_NEAR(mesh.reach(), std::sqrt(14.0), 1e-14);
}

TEST(Mesh, RefusesBadInputByName) {
  RawMesh raw = box_mesh({1, 1, 1});
  const auto make = [&raw] { Mesh(raw.vertices, raw.triangles); };
  raw.vertices(1, 3) = std::nan("");
  EXPECT_EQ(message_of(make).find("Mesh.vertices[3]: got nan"), 0U) << message_of(make);
  raw.vertices(1, 3) = 1e31;
  EXPECT_EQ(message_of(make).find("Mesh.vertices[3]: got 1e+31"), 0U);
  raw = box_mesh({1, 1, 1});
  raw.triangles(2, 5) = 8;
  EXPECT_EQ(message_of(make), "Mesh.triangles[5]: got vertex 8; give indices from 0 to 7");
  raw.triangles(2, 5) = -1;
  EXPECT_EQ(message_of(make), "Mesh.triangles[5]: got vertex -1; give indices from 0 to 7");
  EXPECT_NE(message_of([] { Mesh(Points(3, 0), Triangles(3, 0)); }), "");
  EXPECT_EQ(message_of([] { Mesh(Points::Zero(3, 1), Triangles(3, 0)); }),
            "Mesh.triangles: got no triangles; give at least one triangle");
}

TEST(Mesh, OnlyClosedOutwardMeshesAreSolid) {
  RawMesh raw = box_mesh({1, 1, 1});
  const auto make = [&raw] { raw.solid(); };
  EXPECT_EQ(message_of(make), "");
  raw.triangles.col(0).swap(raw.triangles.col(11));
  EXPECT_EQ(message_of(make), "");
  raw.triangles.row(0).swap(raw.triangles.row(1));
  EXPECT_EQ(message_of(make).find("Mesh.solid: got a mesh of volume -8"), 0U) << message_of(make);
  raw = box_mesh({1, 1, 1});
  std::swap(raw.triangles(0, 4), raw.triangles(1, 4));
  EXPECT_NE(message_of(make).find("not oriented"), std::string::npos);
  raw = box_mesh({1, 1, 1});
  raw.triangles.conservativeResize(3, 11);
  EXPECT_NE(message_of(make).find("not closed: 3 edges have an odd number of triangles"),
            std::string::npos)
      << message_of(make);
  EXPECT_THROW(raw.surface().volume(), InvalidInput);
  EXPECT_THROW(raw.surface().mass_properties(1.0), InvalidInput);
}

TEST(Mesh, WeighsAsTheBox) {
  Random random(1);
  for (int i = 0; i < 20; ++i) {
    const Vector3 half = random.in_box(1.0).cwiseAbs() + Vector3::Constant(0.1);
    const Pose X = testing::pose_near(random, 100.0);
    RawMesh raw = box_mesh(half);
    raw.vertices = (X.rotation * raw.vertices).colwise() + X.translation;
    const MassProperties expected = Shape(Box{.half_extents = half}).mass_properties(700.0);
    const MassProperties mass = raw.solid().mass_properties(700.0);
    const Matrix3 inertia = X.rotation * expected.inertia * X.rotation.transpose();
    EXPECT_NEAR(mass.mass, expected.mass, 1e-11 * expected.mass);
    EXPECT_LE((mass.center_of_mass - X.translation).norm(), 1e-12);
    EXPECT_LE((mass.inertia - inertia).norm(), 1e-10 * inertia.norm());
    EXPECT_EQ(mass.inertia, mass.inertia.transpose());
  }
}

TEST(Mesh, TheShellOfABoxIsSixPlates) {
  const Vector3 half(0.5, 1.0, 1.5);
  const double density = 3.0;
  const MassProperties shell = box_mesh(half).surface().mass_properties(density, MassOf::shell);
  double mass = 0.0;
  Matrix3 inertia = Matrix3::Zero();
  for (int axis = 0; axis < 3; ++axis) {
    Vector3 plate = half;
    plate[axis] = 0.0;
    const double area = 4.0 * half[(axis + 1) % 3] * half[(axis + 2) % 3];
    Vector3 squares = plate.cwiseProduct(plate) / 3.0;  // mean squares over the plate
    squares[axis] = half[axis] * half[axis];
    mass += 2.0 * density * area;
    inertia += 2.0 * density * area *
               Vector3(squares.sum() - squares.x(), squares.sum() - squares.y(),
                       squares.sum() - squares.z())
                   .asDiagonal()
                   .toDenseMatrix();
  }
  EXPECT_NEAR(shell.mass, mass, 1e-13 * mass);
  EXPECT_LE(shell.center_of_mass.norm(), 1e-14);
  EXPECT_LE((shell.inertia - inertia).norm(), 1e-13 * inertia.norm());
  EXPECT_NEAR(box_mesh(half).surface().area(), mass / density, 1e-13);
}

TEST(Mesh, BoxAndSupportAreThoseOfTheVertices) {
  Random random(2);
  for (int i = 0; i < 50; ++i) {
    const RawMesh raw = testing::triangle_soup(random, 5, 2.0, 1.0);
    const Pose X = testing::pose_near(random, 3.0);
    const Aabb box = raw.surface().aabb(X);
    const Points placed = (X.rotation * raw.vertices).colwise() + X.translation;
    EXPECT_LE((box.lower - placed.rowwise().minCoeff()).norm(), 1e-13);
    EXPECT_LE((box.upper - placed.rowwise().maxCoeff()).norm(), 1e-13);
    EXPECT_TRUE((box.lower.array() <= placed.rowwise().minCoeff().array()).all());
    const Vector3 direction = random.in_box(1.0);
    EXPECT_EQ(direction.dot(raw.surface().support(direction)),
              (direction.transpose() * raw.vertices).maxCoeff());
  }
  EXPECT_THROW(box_mesh({1, 1, 1}).surface().support(Vector3::Zero()), InvalidInput);
  EXPECT_EQ(box_mesh({1, 2, 3}).surface().aabb().lower, Vector3(-1, -2, -3));
}

TEST(Mesh, HullOfATorusHasItsOuterVertices) {
  const Convex hull = testing::torus_mesh(2.0, 0.5, 12, 8).surface().convex_hull(0.1);
  EXPECT_EQ(hull.margin, 0.1);
  EXPECT_EQ(hull.dimension(), 3);
  EXPECT_EQ(hull.num_vertices(), 12 * 5);
}

}  // namespace
}  // namespace tactum::mesh_test
