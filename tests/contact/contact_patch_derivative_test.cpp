// SPDX-License-Identifier: BSD-2-Clause
// Derivatives of patches against central differences on the group: points are matched by their ids.
// Where `smooth` is claimed, both sides of the pose must have the same ids and the quotients must
// agree.
#include "contact/patch_fixtures.hpp"
#include "support/allocation_guard.hpp"

namespace tactum::contact_patch_derivative_test {
namespace {

using namespace tactum::testing;

/// Largest difference between a column of the derivative and its central difference; infinite where
/// the points are not the same.
double column_error(const Stack& stack, const ContactPatchDerivative& d, int column, double step,
                    TangentFrame frame) {
  const ContactPatch ahead = stack.moved(column, step, frame),
                     behind = stack.moved(column, -step, frame);
  const auto here = by_id(d.value), front = by_id(ahead), back = by_id(behind);
  const auto same = [](const auto& x, const auto& y) { return x.first == y.first; };
  if (!std::equal(here.begin(), here.end(), front.begin(), front.end(), same)) return kInfinity;
  if (!std::equal(here.begin(), here.end(), back.begin(), back.end(), same)) return kInfinity;
  double error = ((ahead.normal - behind.normal) / (2.0 * step) - d.normal_jacobian.col(column))
                     .cwiseAbs()
                     .maxCoeff();
  for (const auto& [id, index] : here) {
    const auto i = static_cast<std::size_t>(index), f = static_cast<std::size_t>(front.at(id)),
               b = static_cast<std::size_t>(back.at(id));
    const Vector3 d_a = (ahead.points_a[f] - behind.points_a[b]) / (2.0 * step);
    const Vector3 d_b = (ahead.points_b[f] - behind.points_b[b]) / (2.0 * step);
    const double d_distance = (ahead.distances[f] - behind.distances[b]) / (2.0 * step);
    error = std::max({error, (d_a - d.points_a_jacobian[i].col(column)).cwiseAbs().maxCoeff(),
                      (d_b - d.points_b_jacobian[i].col(column)).cwiseAbs().maxCoeff(),
                      std::abs(d_distance - d.distances_jacobian[i][column])});
  }
  return error;
}

/// Worst column, each at the better of two steps, relative to the size of the Jacobians.
double worst_error(const Stack& stack, const ContactPatchDerivative& d, TangentFrame frame) {
  double size = std::max(1.0, d.normal_jacobian.cwiseAbs().maxCoeff()), worst = 0.0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(d.value.count); ++i)
    size = std::max(size, d.points_a_jacobian[i].cwiseAbs().maxCoeff());
  for (int column = 0; column < 12; ++column) {
    double error = kInfinity;
    for (const double step : {1e-6, 1e-5, 1e-4})
      error = std::min(error, column_error(stack, d, column, step, frame) / size);
    worst = std::max(worst, error);
  }
  return worst;
}

void expect_smooth(const Stack& stack, int least_points, const char* name) {
  for (const TangentFrame frame :
       {TangentFrame::local, TangentFrame::world, TangentFrame::local_world_aligned}) {
    const ContactPatchDerivative d = stack.derivative(frame);
    EXPECT_TRUE(d.smooth) << name;
    EXPECT_GE(d.value.count, least_points) << name;
    EXPECT_LE(worst_error(stack, d, frame), 1e-6) << name;
  }
}

TEST(ContactPatchDerivative, FlatFeaturesThatStay) {
  const Shape box = Box{.half_extents = {0.2, 0.3, 0.25}, .margin = 0.02},
              wall = HalfSpace{.normal = {0.1, -0.2, 1.0}};
  const Shape hull = hull_of(
      {{-0.3, -0.2, 0}, {0.3, -0.25, 0}, {0.2, 0.3, 0}, {-0.2, 0.2, 0}, {0.05, 0.02, 0.4}});
  const Shape cylinder = Cylinder{.radius = 0.2, .half_length = 0.3},
              cone = Cone{.radius = 0.2, .half_length = 0.3, .margin = 0.01};
  // parallel faces: a half-space decides the normal, and so does the face that holds the other
  const Pose on_wall{Eigen::Quaterniond::FromTwoVectors(Vector3::UnitZ(), Vector3(0.1, -0.2, 1.0))
                         .toRotationMatrix(),
                     {0.2, 0.1, 0}};
  expect_smooth(stacked(wall, box, on_wall, kWorld), 4, "box on half-space");
  expect_smooth(stacked(wall, hull, on_wall, kWorld), 4, "hull on half-space");
  expect_smooth(stacked(kTable, box, tilted(0.0, 0.1, 0.2), kWorld), 4, "box on table");
  expect_smooth(stacked(kTable, hull, tilted(0.0, 0.1, 0.2), kWorld, -1e-3), 4, "hull above table");
  expect_smooth(stacked(hull, kTable, turned(Vector3::UnitX(), M_PI, {0.1, 0.2, 0.0}), kWorld), 1,
                "table on the tip of a hull");
  // nearly parallel: crossings of edges, corners on both sides
  expect_smooth(stacked(kTable, box, tilted(0.02, 0.95, 1.1), kWorld), 4,
                "tilted box across a corner");
  expect_smooth(stacked(kTable, box, tilted(0.02, 0.95, 1.1), kWorld, -0.05), 4,
                "tilted box above a corner");
  expect_smooth(stacked(kTable, hull, tilted(-0.03, 0.9, 0.3), kWorld), 3,
                "tilted hull across an edge");
  expect_smooth(stacked(wall, box, tilted(0.02, 0.3, 0.4), kWorld), 1, "box turned on half-space");
  // generators, whose place follows the normal
  const Matrix3 lying = Random::turn(Vector3::UnitX(), M_PI / 2.0);
  expect_smooth(
      stacked(kTable, cylinder, {tilted(0.01, 0, 0).rotation * lying, {0.9, 0.3, 0.0}}, kWorld), 2,
      "cylinder on its side");
  expect_smooth(stacked(HalfSpace{}, cylinder,
                        {Random::turn(Vector3::UnitZ(), 0.3) * lying, {0.9, 0.3, 0.0}}, kWorld),
                2, "on a wall");
  const Matrix3 on_side = Random::turn(Vector3::UnitX(), M_PI / 2.0 + std::atan2(0.2, 0.6) + 0.01);
  expect_smooth(stacked(HalfSpace{}, cone,
                        {Random::turn(Vector3::UnitZ(), 0.3) * on_side, {0.9, 0.3, 0.0}}, kWorld),
                2, "cone on its side");
  expect_smooth(stacked(kTable, Capsule{.radius = 0.1, .half_length = 0.3},
                        {tilted(0.0, 0, 0).rotation * lying, {0.8, 0.3, 0.0}}, kWorld),
                2, "capsule on table");
  // a tilted cap: corners of its polygon and the witness on the rim
  Stack on_rim = stacked(kTable, cylinder, tilted(0.03, 0.1, 0.1), kWorld);
  on_rim.options.max_points = 32;
  expect_smooth(on_rim, 17, "tilted cylinder");
  expect_smooth(
      {Ellipsoid{.semi_axes = {0.3, 0.2, 0.1}}, Sphere{.radius = 0.1}, {}, at(0.3, 0.2, 0.1)}, 1,
      "curved");
}

TEST(ContactPatchDerivative, NotSmooth) {
  const Shape box = Box{.half_extents = {0.2, 0.3, 0.25}},
              capsule = Capsule{.radius = 0.1, .half_length = 0.3};
  const auto smooth = [](const Stack& stack) {
    const ContactPatchDerivative d = stack.derivative(TangentFrame::local);
    EXPECT_TRUE(d.normal_jacobian.allFinite());
    for (std::size_t i = 0; i < static_cast<std::size_t>(d.value.count); ++i) {
      EXPECT_TRUE(d.points_a_jacobian[i].allFinite() && d.points_b_jacobian[i].allFinite() &&
                  d.distances_jacobian[i].allFinite());
    }
    return d.smooth;
  };
  // corner on corner
  EXPECT_FALSE(smooth(stacked(box, box, at(0, 0, 0), kWorld)));
  // outlines cross: either face may decide
  EXPECT_FALSE(smooth(stacked(kTable, box, tilted(0.0, 0.95, 0.0), kWorld)));
  EXPECT_FALSE(smooth(stacked(kTable, box, at(0.8, 0.0, 0), kWorld)));            // edge above edge
  EXPECT_FALSE(smooth({capsule, capsule, kWorld, kWorld * at(0.19, 0.0, 0.1)}));  // parallel lines
  // flat cap
  EXPECT_FALSE(smooth(
      stacked(HalfSpace{}, Cylinder{.radius = 0.2, .half_length = 0.3}, at(0, 0, 0), kWorld)));
  // another normal
  EXPECT_FALSE(smooth({box, Sphere{.radius = 0.05}, {}, at(0, 0, 0)}));
  Stack standing = stacked(HalfSpace{}, Cylinder{.radius = 0.2, .half_length = 0.3}, at(0, 0, 0),
                           kWorld);
  standing.options.max_points = 32;  // so that no choice among points is the reason
  EXPECT_FALSE(smooth(standing));
  // limits: a point at the cutoff, a feature at the angle, four corners of which two are alike
  Stack tilt = stacked(HalfSpace{}, box, turned({2.0, 1.0, 0.0}, 0.02, {0, 0, 0}), kWorld);
  EXPECT_TRUE(smooth(tilt));
  const ContactPatch patch = tilt.patch(tilt.X_WA, tilt.X_WB);
  for (int i = 0; i < patch.count; ++i) {
    if (patch.distances[static_cast<std::size_t>(i)] > 0.0)
      tilt.options.cutoff = patch.distances[static_cast<std::size_t>(i)];
  }
  EXPECT_FALSE(smooth(tilt));
  // the only point of a curved contact at the cutoff
  EXPECT_TRUE(
      smooth({Sphere{.radius = 1.0}, Sphere{.radius = 1.0}, {}, at(2.5, 0, 0), {.cutoff = 0.6}}));
  EXPECT_FALSE(
      smooth({Sphere{.radius = 1.0}, Sphere{.radius = 1.0}, {}, at(2.5, 0, 0), {.cutoff = 0.5}}));
  tilt.options = {.max_angle = 0.02};
  EXPECT_FALSE(smooth(tilt));
  EXPECT_FALSE(smooth({HalfSpace{}, box, {}, at(0, 0, 0.25), {.max_points = 3}}));
}

/// The derivative of every pair at random poses is finite, and agrees with differences where it
/// says that it is unique.
TEST(ContactPatchDerivative, NotSmoothWhereTwoNormalsAreBest) {
  const Shape capsule = Capsule{.radius = 0.5, .half_length = 1.0},
              disc = Ellipsoid{.semi_axes = {1.0, 1.0, 0.3}};
  const Pose crossed = turned({0.0, 1.0, 0.0}, 0.5 * std::acos(-1.0), {0.0, 0.0, 0.2});
  EXPECT_FALSE(contact_patch_derivative(capsule, {}, capsule, crossed).smooth);
  EXPECT_FALSE(contact_patch_derivative(disc, {}, Sphere{.radius = 0.1}, at(0.5, 0.0, 0.0)).smooth);
  EXPECT_TRUE(contact_patch_derivative(disc, {}, Sphere{.radius = 0.1}, at(0.5, 0.0, 1e-6)).smooth);
}

TEST(ContactPatchDerivative, AllPairsAtRandomPoses) {
  Random random(8);
  int checked = 0;
  for (int i = 0; i < repetitions(400); ++i) {
    const TestPair pair = random_solids(random, 0.5);
    const Stack stack{pair.a, pair.b, kWorld, kWorld * pair.X_AB, {.max_angle = 0.2}};
    const ContactPatchDerivative d = stack.derivative(TangentFrame::local);
    ASSERT_TRUE(d.normal_jacobian.allFinite());
    if (!d.smooth) continue;
    const double error = worst_error(stack, d, TangentFrame::local);
    if (error == kInfinity) continue;  // a kink within the step
    ++checked;
    EXPECT_LE(error, 1e-5) << pair.a.to_string() << pair.b.to_string() << i;
  }
  EXPECT_GT(checked, repetitions(400) / 2);
}

/// Outlines of rounded hulls are chords below the surface; vertices that are apart meet vertices,
/// edges and creases.
TEST(ContactPatchDerivative, RoundedHullsInContact) {
  Random random(9);
  int checked = 0, smooth = 0;
  for (int i = 0; i < repetitions(300); ++i) {
    const Shape a = random_hull(random, 40), b = random_hull(random, 60);
    Pose X{random.rotation(), random.in_box(1.0)};
    const Distance apart = distance(a, {}, b, X);
    X.translation += ((i % 2 == 0 ? random.uniform(-2e-3, -1e-3) : random.uniform(0.01, 0.02)) -
                      apart.distance) *
                     apart.normal;
    const Stack stack{a, b, kWorld, kWorld * X, {.max_points = 32, .max_angle = 0.3}};
    const ContactPatchDerivative d = stack.derivative(TangentFrame::local);
    smooth += d.smooth ? 1 : 0;
    if (!d.smooth || d.value.count < 3) continue;
    const double error = worst_error(stack, d, TangentFrame::local);
    if (error == kInfinity) continue;  // a kink within the step
    ++checked;
    EXPECT_LE(error, 1e-5) << i;
  }
  EXPECT_GT(smooth, repetitions(300) * 9 / 10);
  EXPECT_GT(checked, repetitions(300) / 3);
}

TEST(ContactPatchDerivative, SameAsDistanceForOnePoint) {
  const Shape ball = Sphere{.radius = 0.2}, box = Box{.half_extents = {0.3, 0.2, 0.1}};
  const Pose X = at(0.1, 0.05, 0.28);
  const DistanceDerivative d = distance_derivative(box, {}, ball, X);
  const AllocationGuard guard;
  const ContactPatchDerivative p = contact_patch_derivative(box, {}, ball, X);
  EXPECT_EQ(guard.count(), 0U);
  ASSERT_EQ(p.value.count, 1);
  EXPECT_TRUE(p.points_a_jacobian[0] == d.point_a_jacobian &&
              p.distances_jacobian[0] == d.distance_jacobian);
  EXPECT_TRUE(p.normal_jacobian == d.normal_jacobian && p.smooth);
}

TEST(ContactPatchDerivative, BadInputIsNamed) {
  const Shape ball = Sphere{.radius = 0.2}, box = Box{.half_extents = {0.3, 0.2, 0.1}};
  const Distance other = distance(box, {}, ball, at(0, 0, 1));
  const auto call = [&](const ContactPatchDerivativeOptions& options) {
    return rejected_field([&] { contact_patch_derivative(box, {}, ball, at(0, 0, 0.4), options); });
  };
  EXPECT_EQ(call({.value = &other}), "value");
  EXPECT_EQ(call({.frame = static_cast<TangentFrame>(9)}), "frame");
  EXPECT_EQ(call({.patch = {.max_points = 0}}), "max_points");
}

}  // namespace
}  // namespace tactum::contact_patch_derivative_test
