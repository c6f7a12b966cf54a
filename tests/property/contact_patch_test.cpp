// SPDX-License-Identifier: BSD-2-Clause
// Guarantees of contact patches, over all kinds, proportions up to 1e4 and all angles: every point
// belongs to both shapes, none is deeper than the proved bound, and nothing depends on where the
// two shapes are together.
//
// TACTUM_ORACLE_POSES sets how many contacts each test makes (default 10000).
#include "tactum/contact_patch.hpp"
#include "math/epsilon.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "math/epsilon.hpp"
#include "support/random_shapes.hpp"
#include "tactum/scene.hpp"

namespace tactum::testing::contact_patch_property_test {
namespace {

int num_contacts() {
  const char* text = std::getenv("TACTUM_ORACLE_POSES");
  return text != nullptr ? std::atoi(text) : 10000;
}

/// A length from `least` to 1, each decade as likely.
double length(Random& random, double least) { return std::exp(std::log(least) * random.uniform()); }

Vector3 proportions(Random& random) {
  return {length(random, 1e-4), length(random, 1e-4), length(random, 1e-4)};
}

/// Points in a box or on an ellipsoid of any proportions; or a few on a rough grid, so that many
/// lie on common planes.
Shape thin_hull(Random& random) {
  const Vector3 size = proportions(random);
  const int count = 4 + random.below(random.chance(0.2) ? 200 : 12), form = random.below(3);
  Points points(3, count);
  for (int i = 0; i < count; ++i) {
    Vector3 p = form == 0 ? random.direction() : random.in_box(1.0);
    if (form == 2) p = (2.0 * p).array().round() / 2.0;
    points.col(i) = size.cwiseProduct(p);
  }
  return Convex::from_points(points);
}

Shape any_shape(Random& random) {
  const Vector3 size = proportions(random);
  switch (random.below(8)) {
    case 0: return Box{.half_extents = size};
    case 1: return Cylinder{.radius = size.x(), .half_length = size.y()};
    case 2: return Cone{.radius = size.x(), .half_length = size.y()};
    case 3: return Capsule{.radius = size.x(), .half_length = size.y()};
    case 4: return Box{.half_extents = size, .margin = 0.1 * size.x()};
    case 5: return Ellipsoid{.semi_axes = Vector3::Constant(0.01) + size};
    default: return thin_hull(random);
  }
}

struct Contact {
  Shape a, b;
  Pose X_WA, X_WB;

  std::string describe() const {
    return PairSample{a, b, X_WA, X_WB, PoseClass::shallow}.describe();
  }
};

enum class Turns : std::uint8_t { any, also_parallel };

/// Two shapes brought to a small distance or depth along their normal: at most a thousandth of the
/// smaller one.
Contact random_contact(Random& random, const Shape& a, const Shape& b,
                       Turns turns = Turns::also_parallel) {
  Contact contact{
      a, b, {random.rotation(), random.in_box(1.0)}, {random.rotation(), random.in_box(1.0)}};
  if (turns == Turns::also_parallel && random.chance(0.3))
    contact.X_WB.rotation = contact.X_WA.rotation;
  const double small = std::min(a.core().bounding_radius, b.core().bounding_radius);
  const Distance apart = distance(contact.a, contact.X_WA, contact.b, contact.X_WB);
  contact.X_WB.translation += (1e-3 * small * random.uniform(-1.0, 1.0) - apart.distance) *
                              apart.normal;
  return contact;
}

ContactPatchOptions random_options(Random& random) {
  ContactPatchOptions options{.max_points = 1 + random.below(32),
                              .max_angle = std::exp(random.uniform(std::log(1e-6), std::log(0.5)))};
  if (random.chance(0.5)) options.cutoff = 0.01 * random.uniform();
  return options;
}

/// Two lines that are parallel within 1e-3 share points half way between them, off each by half of
/// that times the length that they share. Every other point lies on both shapes to rounding.
double off_its_lines(const ContactPatch& patch) {
  return patch.count == 2 ? 0.5e-3 * (patch.points_a[1] - patch.points_a[0]).norm() : 0.0;
}

void expect_true_points(const Contact& contact, const ContactPatch& patch) {
  const double scale = pair_scale(contact.a, contact.X_WA, contact.b, contact.X_WB);
  const double rounding = 64.0 * kEpsilon *
                          (scale + contact.X_WA.translation.norm() +
                           contact.X_WB.translation.norm());
  const double off = off_its_lines(patch) + 2e-10 * scale + rounding;
  const auto outside = [&](const Shape& shape, const Pose& X, const Vector3& p, double sign) {
    if (shape.kind() == ShapeKind::ellipsoid) return 0.0;
    const Vec3 core = widen(p) - widen(patch.normal) * Real(sign * shape.core().radius);
    return static_cast<double>(ConvexBody(shape, X).distance_to_core(core));
  };
  for (std::size_t i = 0; i < static_cast<std::size_t>(patch.count); ++i) {
    ASSERT_TRUE(patch.points_a[i].allFinite() && patch.points_b[i].allFinite() &&
                std::isfinite(patch.distances[i]));
    ASSERT_GE(patch.distances[i], patch.distance.lower - rounding) << contact.describe();
    ASSERT_LE(outside(contact.a, contact.X_WA, patch.points_a[i], 1.0), off) << contact.describe();
    ASSERT_LE(outside(contact.b, contact.X_WB, patch.points_b[i], -1.0), off) << contact.describe();
  }
}

TEST(ContactPatchProperty, PointsBelongToBothShapesAndNoneIsTooDeep) {
  Random random(7001);
  int several = 0;
  for (int i = 0; i < num_contacts(); ++i) {
    const Contact contact = random_contact(random, any_shape(random), any_shape(random));
    const ContactPatch patch = contact_patch(contact.a, contact.X_WA, contact.b, contact.X_WB,
                                             random_options(random));
    several += patch.count > 1 ? 1 : 0;
    expect_true_points(contact, patch);
    if (HasFatalFailure()) return;
  }
  // one in thirty, less four standard deviations of that count
  const double expected = num_contacts() / 30.0;
  EXPECT_GT(several, expected - 4.0 * std::sqrt(expected));
}

/// 35 micrometres deep, and points of millimetres were reported: the strip of steel of an attack
/// from outside.
TEST(ContactPatchProperty, AStripAgainstABoxHasNoPointsBesideIt) {
  const double rows[11][3] = {{0, 1.23, -65.41},  {.01, .7, 73.11},     {-.03, -.94, -40.87},
                              {.03, .07, 62.28},  {-.02, 1.11, -55.71}, {.02, -.78, -60.89},
                              {.04, -.63, 27.21}, {-.03, -1.68, 23.26}, {-.01, -2.01, 30.41},
                              {-.03, 1.83, -.83}, {0, -.69, 73.67}};
  Points points(3, 11);
  for (int i = 0; i < 11; ++i) points.col(i) = 0.01 * Vector3(rows[i][0], rows[i][1], rows[i][2]);
  const Vector3 low(-.03, 1.72, -20.47), high(0, 5.15, -12.29);
  const Contact contact{Convex::from_points(points),
                        Box{.half_extents = 0.005 * (high - low)},
                        {},
                        {Matrix3::Identity(), 0.005 * (low + high)}};
  const ContactPatch patch = contact_patch(contact.a, contact.X_WA, contact.b, contact.X_WB);
  expect_true_points(contact, patch);
  Scene scene;
  scene.add({.geometry = contact.a, .X = contact.X_WA});
  scene.add({.geometry = contact.b, .X = contact.X_WB});
  SceneContacts found;
  ASSERT_TRUE(scene.contacts({.margin = 1e-4}, found));
  ASSERT_FALSE(found.contacts.empty());
  for (const SceneContact& point : found.contacts)
    EXPECT_GE(point.distance, patch.distance.lower - 1e-12);
}

// -------------------------------------------------------------------------------------------------
// common motions
std::set<std::uint64_t> names(const ContactPatch& patch) {
  return {patch.feature_ids.begin(), patch.feature_ids.begin() + patch.count};
}

/// Hulls like those of scanned objects: many nearly level facets, all of them a little rough.
Shape scanned_hull(Random& random) {
  const int count = 30 + random.below(400), form = random.below(3);
  const Vector3 size(random.uniform(0.02, 0.1), random.uniform(0.02, 0.1),
                     random.uniform(0.02, 0.1));
  Points points(3, count);
  for (int i = 0; i < count; ++i) {
    Vector3 p = random.direction();
    if (form == 0) p = p / p.cwiseAbs().maxCoeff();  // a box
    // the rims of a can
    if (form == 1) p = Vector3(p.x(), p.y(), 0.0).normalized() + random.sign() * Vector3::UnitZ();
    points.col(i) = (size.cwiseProduct(p) + 1e-4 * random.in_box(1.0)).cast<float>().cast<double>();
  }
  return Convex::from_points(points);
}

/// Moves both shapes together; the patch must be the same unless it is called not smooth.
struct MotionTally {
  int contacts = 0, flagged = 0, changed = 0;

  void judge(Random& random, const Contact& contact, const ContactPatchOptions& options) {
    const ContactPatchDerivative here = contact_patch_derivative(contact.a, contact.X_WA, contact.b,
                                                                 contact.X_WB, {.patch = options});
    const Pose world{random.rotation(), random.in_box(1.0)};
    const ContactPatch there = contact_patch(contact.a, world * contact.X_WA, contact.b,
                                             world * contact.X_WB, options);
    ++contacts;
    flagged += here.smooth ? 0 : 1;
    const bool same = names(here.value) == names(there);
    changed += same ? 0 : 1;
    EXPECT_TRUE(same || !here.smooth) << contact.describe();
  }
};

TEST(ContactPatchProperty, CommonMotionsOfScannedHulls) {
  Random random(7002);
  std::vector<Shape> hulls;
  for (int i = 0; i < 24; ++i) hulls.push_back(scanned_hull(random));
  MotionTally tally;
  const auto pick = [&] { return hulls[static_cast<std::size_t>(random.below(24))]; };
  for (int i = 0; i < num_contacts(); ++i)
    tally.judge(random, random_contact(random, pick(), pick(), Turns::any), {});
  // rounding decides nothing, so almost nothing needs the flag
  EXPECT_LE(tally.flagged, tally.contacts / 50);
  EXPECT_LE(tally.changed, tally.contacts / 1000);
}

TEST(ContactPatchProperty, CommonMotionsOfAnyShapes) {
  Random random(7003);
  MotionTally tally;
  for (int i = 0; i < num_contacts(); ++i) {
    const Contact contact = random_contact(random, any_shape(random), any_shape(random));
    tally.judge(random, contact, random_options(random));
  }
}

}  // namespace
}  // namespace tactum::testing::contact_patch_property_test
