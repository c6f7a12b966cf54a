// SPDX-License-Identifier: BSD-2-Clause
// Patches of boxes and hulls against brute-force intersection of half planes in extended precision;
// invariants over all ordered pairs; swap, common motions, limits, degenerate shapes, stable ids,
// bad input.
#include "tactum/contact_patch.hpp"

#include <set>

#include "contact/contact_fixtures.hpp"
#include "support/allocation_guard.hpp"
#include "support/random_shapes.hpp"

namespace tactum::contact_patch_test {
namespace {

using namespace tactum::testing;

/// B on A, and the two faces that meet, in the frame of A, counter-clockwise seen from above.
struct Stack {
  Shape a, b;
  Pose X_AB;
  std::vector<Vector3> face_a, face_b;
};

/// A prism over a random polygon around the z axis: its hull, and the corners of its upper or lower
/// face.
Shape random_prism(Random& random, bool upper, std::vector<Vector3>& face) {
  const double half = random.uniform(0.1, 0.3);
  const int count = 3 + random.below(8);
  Points points(3, 2 * count);
  for (int i = 0; i < count; ++i) {
    const double angle = (i + 0.7 * random.uniform()) * 2.0 * M_PI / count;
    const Vector3 at(0.5 * std::cos(angle), 0.4 * std::sin(angle), 0.0);
    // the other end is smaller, so that no side is upright
    points.col(i) = at + Vector3(0.0, 0.0, upper ? half : -half);
    points.col(count + i) = 0.6 * at + Vector3(0.0, 0.0, upper ? -half : half);
    face.push_back(points.col(i));
  }
  return Convex::from_points(points);
}

Shape random_box(Random& random, bool upper, std::vector<Vector3>& face) {
  const Vector3 half = random_sizes(random);
  const double z = upper ? half.z() : -half.z();
  face = {{half.x(), half.y(), z},
          {-half.x(), half.y(), z},
          {-half.x(), -half.y(), z},
          {half.x(), -half.y(), z}};
  return Box{.half_extents = half};
}

Stack random_stack(Random& random, double tilt, double depth, double reach = 0.5) {
  std::vector<Vector3> face_a, face_b;
  const Shape a = random.chance(0.5) ? random_box(random, true, face_a)
                                     : random_prism(random, true, face_a);
  const Shape b = random.chance(0.5) ? random_box(random, false, face_b)
                                     : random_prism(random, false, face_b);
  const double turn = random.uniform(0.0, 6.28);
  const Matrix3 lean = Random::turn({std::cos(turn), std::sin(turn), 0.0}, tilt);
  Pose X{lean * Random::turn(Vector3::UnitZ(), random.uniform(0.0, 6.28)),
         {random.uniform(-reach, reach), random.uniform(-reach, reach), 0.0}};
  // the lowest point of B that deep below the top of A
  X.translation.z() = a.support(Vector3::UnitZ()).z() -
                      (X * b.support(-X.rotation.row(2).transpose())).z() - depth;
  for (Vector3& corner : face_b) corner = X * corner;
  return {a, b, X, face_a, face_b};
}

/// The patch that is expected along the normal that was found: corners in the plane, each with its
/// distance along the normal.
struct Reference {
  std::vector<Point2> corners;
  std::vector<Real> distances;
};

Reference reference_of(const Stack& stack, const Vector3& normal, const PlaneFrame& frame) {
  const Vec3 n = widen(normal);
  const auto seen = [&](const std::vector<Vector3>& face) {
    std::vector<Point2> points;
    for (const Vector3& corner : face) points.push_back(frame(corner));
    return points;
  };
  std::vector<HalfPlane> planes = sides_of(seen(stack.face_a));
  const std::vector<HalfPlane> more = sides_of(seen(stack.face_b));
  planes.insert(planes.end(), more.begin(), more.end());
  Reference reference{corners_of(planes), {}};
  // height along n of the plane of a face
  const auto height = [&](const std::vector<Vector3>& face, const Vec3& at) {
    const Vec3 m = (widen(face[1]) - widen(face[0])).cross(widen(face[2]) - widen(face[0]));
    return m.dot(widen(face[0]) - at) / m.dot(n);
  };
  for (const Point2& corner : reference.corners) {
    const Vec3 at = frame.origin + corner.x() * frame.first + corner.y() * frame.second;
    reference.distances.push_back(height(stack.face_b, at) - height(stack.face_a, at));
  }
  return reference;
}

/// Every corner of the reference is a point of the patch and the other way round, but for the
/// witness.
void expect_same(const Stack& stack, const ContactPatch& patch, int index) {
  const PlaneFrame frame(patch.normal, Vector3::Zero());
  const Reference truth = reference_of(stack, patch.normal, frame);
  ASSERT_EQ(static_cast<std::size_t>(patch.count), truth.corners.size()) << index;
  for (std::size_t i = 0; i < truth.corners.size(); ++i) {
    double nearest = kInfinity, off = kInfinity;
    for (std::size_t k = 0; k < static_cast<std::size_t>(patch.count); ++k) {
      const auto apart = static_cast<double>((frame(patch.points_a[k]) - truth.corners[i]).norm());
      if (apart > nearest) continue;
      nearest = apart;
      off = std::abs(patch.distances[k] - static_cast<double>(truth.distances[i]));
    }
    EXPECT_LE(nearest, 1e-11) << index;
    EXPECT_LE(off, 1e-11) << index;
  }
  EXPECT_NEAR(static_cast<double>(area_of(patch)), static_cast<double>(hull_area(truth.corners)),
              1e-11);
}

TEST(ContactPatch, BoxesAndHullsAgainstHalfPlanes) {
  Random random(91);
  int compared = 0;
  for (int i = 0; i < repetitions(1000); ++i) {
    const double tilt = i % 2 == 0 ? 0.0 : random.uniform(0.001, 0.04),
                 depth = random.uniform(-0.02, 0.02);
    const Stack stack = random_stack(random, tilt, depth);
    const ContactPatch patch = contact_patch(stack.a, {}, stack.b, stack.X_AB,
                                             {.max_points = 32, .max_angle = 0.06});
    // apart and beside each other the normal leaves the faces
    const double angles = std::min(patch.normal.z(), patch.normal.dot(stack.X_AB.rotation.col(2)));
    if (angles < std::cos(0.055)) continue;
    ++compared;
    expect_same(stack, patch, i);
  }
  EXPECT_GT(compared, repetitions(800));
}

/// Points with half ids swapped, by position.
TEST(ContactPatch, SwapAndCommonMotion) {
  Random random(92);
  for (int i = 0; i < repetitions(500); ++i) {
    const Stack stack = random_stack(random, i % 2 == 0 ? 0.0 : 0.02, random.uniform(-0.01, 0.01));
    const Pose world = random_pose(random, 1.0);
    const ContactPatchOptions options{.max_points = 32};
    const ContactPatch patch = contact_patch(stack.a, {}, stack.b, stack.X_AB, options);
    const ContactPatch swapped = contact_patch(stack.b, stack.X_AB, stack.a, {}, options);
    const ContactPatch moved = contact_patch(stack.a, world, stack.b, world * stack.X_AB, options);
    ASSERT_EQ(patch.count, swapped.count);
    ASSERT_EQ(patch.count, moved.count);
    for (std::size_t k = 0; k < static_cast<std::size_t>(patch.count); ++k) {
      const std::uint64_t id = patch.feature_ids[k], other = (id << 32U) | (id >> 32U);
      const auto end = swapped.feature_ids.begin() + swapped.count,
                 at = std::find(swapped.feature_ids.begin(), end, other);
      ASSERT_NE(at, end) << i;
      const auto m = static_cast<std::size_t>(at - swapped.feature_ids.begin());
      EXPECT_LE((swapped.points_b[m] - patch.points_a[k]).norm() +
                    (swapped.points_a[m] - patch.points_b[k]).norm(),
                1e-12);
      EXPECT_NEAR(swapped.distances[m], patch.distances[k], 1e-12);
      const auto turned_end = moved.feature_ids.begin() + moved.count,
                 there = std::find(moved.feature_ids.begin(), turned_end, id);
      ASSERT_NE(there, turned_end);
      EXPECT_LE((moved.points_a[static_cast<std::size_t>(there - moved.feature_ids.begin())] -
                 world * patch.points_a[k])
                    .norm(),
                1e-12);
    }
  }
}

/// Checks the guarantees of every patch.
void expect_valid(const PairSample& sample, const ContactPatch& patch, int max_points) {
  const Distance& value = patch.distance;
  const double scale = pair_scale(sample.a, sample.X_WA, sample.b, sample.X_WB);
  const double far = sample.X_WA.translation.norm() + sample.X_WB.translation.norm();
  const double rounding = 64.0 * kEps * (scale + far);
  ASSERT_GE(patch.count, 1);
  ASSERT_LE(patch.count, max_points);
  EXPECT_TRUE(patch.normal == value.normal && patch.status == value.status);
  double least = kInfinity;
  std::set<std::uint64_t> ids;
  const ConvexBody body_a(sample.a, sample.X_WA), body_b(sample.b, sample.X_WB);
  const auto in_core = [&](const Shape& shape, const ConvexBody& body, const Vector3& p,
                           double sign) {
    if (shape.kind() == ShapeKind::half_space || shape.kind() == ShapeKind::ellipsoid) return true;
    const Vec3 core = widen(p) - widen(patch.normal) * Real(sign * shape.core().radius);
    return static_cast<double>(body.distance_to_core(core)) <= 1e-9 * scale + rounding;
  };
  for (std::size_t i = 0; i < static_cast<std::size_t>(patch.count); ++i) {
    ASSERT_TRUE(patch.points_a[i].allFinite() && patch.points_b[i].allFinite() &&
                std::isfinite(patch.distances[i]));
    EXPECT_LE((patch.points_b[i] - patch.points_a[i] - patch.distances[i] * patch.normal).norm(),
              rounding);
    EXPECT_TRUE(in_core(sample.a, body_a, patch.points_a[i], 1.0)) << sample.describe();
    EXPECT_TRUE(in_core(sample.b, body_b, patch.points_b[i], -1.0)) << sample.describe();
    least = std::min(least, patch.distances[i]);
    EXPECT_TRUE(ids.insert(patch.feature_ids[i]).second) << sample.describe();
  }
  if (value.status == Status::not_converged) return;
  EXPECT_NEAR(least, value.distance, 1.1e-9 * scale + rounding) << sample.describe();
}

TEST(ContactPatch, AllOrderedPairs) {
  int several = 0;
  for (const ShapeKind kind_a : kAllKinds) {
    for (const ShapeKind kind_b : kAllKinds) {
      if (kind_a == ShapeKind::half_space && kind_b == ShapeKind::half_space) continue;
      const PairSampler sampler(kind_a, kind_b, 17, 12);
      for (int i = 0; i < repetitions(100); ++i) {
        const PairSample sample = sampler.sample(static_cast<std::uint64_t>(i));
        const int max_points = 1 + i % 8;
        const ContactPatch patch = contact_patch(
            sample.a, sample.X_WA, sample.b, sample.X_WB,
            {.max_points = max_points, .max_angle = i % 3 == 0 ? 0.5 : 0.05});
        expect_valid(sample, patch, max_points);
        several += patch.count > 1 ? 1 : 0;
      }
    }
  }
  // five for each repetition, less four standard deviations of that count
  const double expected = repetitions(500);
  EXPECT_GT(several, expected - 4.0 * std::sqrt(expected));
}

/// Two parallel faces: the distance after a small relative turn is the least over the patch of what
/// each point predicts, d - h(P_A & P_B).
TEST(ContactPatch, CarriesTheFirstOrderOfTheDistance) {
  Random random(93);
  for (int i = 0; i < repetitions(300); ++i) {
    const Stack stack = random_stack(random, 0.0, 1e-3, 0.3);
    const ContactPatch patch = contact_patch(stack.a, {}, stack.b, stack.X_AB, {.max_points = 32});
    const double angle = 1e-6;
    const Vector3 axis = Vector3(random.uniform(-1, 1), random.uniform(-1, 1), 0.0).normalized();
    const Pose turned_b{Random::turn(axis, angle) * stack.X_AB.rotation, stack.X_AB.translation};
    double predicted = kInfinity;
    for (std::size_t k = 0; k < static_cast<std::size_t>(patch.count); ++k) {
      const Vector3 arm = patch.points_b[k] - stack.X_AB.translation;
      predicted = std::min(predicted,
                           patch.distances[k] + angle * patch.normal.dot(axis.cross(arm)));
    }
    EXPECT_NEAR(distance(stack.a, {}, stack.b, turned_b).distance, predicted, 1e-11) << i;
  }
}

TEST(ContactPatch, IdsStayUnderSmallMotions) {
  Random random(94);
  int steps = 0, kept = 0;
  for (int i = 0; i < repetitions(100); ++i) {
    const Stack stack = random_stack(random, 0.01, 1e-3, 0.3);
    Pose X = stack.X_AB;
    std::set<std::uint64_t> last;
    for (int step = 0; step < 10; ++step) {
      const ContactPatch patch = contact_patch(stack.a, {}, stack.b, X);
      const std::set<std::uint64_t> ids(patch.feature_ids.begin(),
                                        patch.feature_ids.begin() + patch.count);
      steps += step > 0 ? 1 : 0;
      kept += step > 0 && ids == last ? 1 : 0;
      last = ids;
      X.rotation = Random::turn(random.direction(), 1e-4) * X.rotation;
      X.translation += 1e-4 * random.direction();
    }
  }
  EXPECT_GE(kept, 0.97 * steps);
}

std::vector<double> sorted_distances(const ContactPatch& patch) {
  std::vector<double> distances(patch.distances.begin(), patch.distances.begin() + patch.count);
  std::sort(distances.begin(), distances.end());
  return distances;
}

TEST(ContactPatch, LimitsOfPointsAndDistance) {
  const Shape ground = HalfSpace{}, can = Cylinder{.radius = 0.5, .half_length = 0.2},
              box = Box{.half_extents = {0.5, 0.5, 0.1}};
  double last = 0.0;
  for (int most = 1; most <= 16; ++most) {
    const ContactPatch patch = contact_patch(ground, {}, can, at(0, 0, 0.199),
                                             {.max_points = most});
    EXPECT_EQ(patch.count, most);
    const auto area = static_cast<double>(area_of(patch));
    EXPECT_GE(area, last - 1e-12);
    last = area;
  }
  EXPECT_NEAR(last, 0.25 * 8.0 * std::sin(M_PI / 8.0), 1e-12);  // the polygon of 16 corners
  EXPECT_GT(static_cast<double>(area_of(contact_patch(ground, {}, can, at(0, 0, 0.199)))),
            0.9 * M_PI * 0.25);
  // tilted by 0.02: two corners at -1 mm, two 20 mm higher
  const Pose tilt = turned({1, 0, 0}, 0.02,
                           {0, 0, 0.1 * std::cos(0.02) + 0.5 * std::sin(0.02) - 1e-3});
  EXPECT_EQ(contact_patch(ground, {}, box, tilt).count, 4);
  EXPECT_NEAR(sorted_distances(contact_patch(ground, {}, box, tilt)).back(), std::sin(0.02) - 1e-3,
              1e-12);
  EXPECT_EQ(contact_patch(ground, {}, box, tilt, {.cutoff = 0.01}).count, 2);
  EXPECT_EQ(contact_patch(ground, {}, box, tilt, {.max_angle = 0.01}).count, 2);
  const ContactPatch away = contact_patch(ground, {}, box, at(0, 0, 1), {.cutoff = 0.1});
  EXPECT_EQ(away.count, 0);
  EXPECT_EQ(away.status, Status::beyond_cutoff);
  // the deepest point stays, whatever the number
  const Pose corner = turned({1, 0.3, 0}, 0.02, {0, 0, 0.1});
  for (int most = 1; most <= 4; ++most) {
    const ContactPatch patch = contact_patch(ground, {}, box, corner, {.max_points = most});
    EXPECT_EQ(patch.count, most);
    EXPECT_NEAR(sorted_distances(patch).front(), patch.distance.distance, 1e-15);
  }
}

/// Shapes of which the query cannot prove that they are apart have a contact at cutoff zero.
TEST(ContactPatch, WhatTouchesHasPoints) {
  Random random(95);
  const Shape box = Box{.half_extents = {0.5, 0.4, 0.3}};
  for (int i = 0; i < repetitions(300); ++i) {
    Pose X{random.rotation(), 2.0 * random.direction()};
    const Distance apart = distance(box, {}, box, X);
    X.translation -= apart.distance * apart.normal;
    if (!collide(box, {}, box, X)) continue;
    EXPECT_GE(contact_patch(box, {}, box, X, {.cutoff = 0.0}).count, 1) << i;
  }
  EXPECT_EQ(contact_patch(box, {}, box, at(0.1, 0.1, 0.6), {.cutoff = 0.0}).count, 4);
}

TEST(ContactPatch, LinesCurvesAndDegenerateShapes) {
  const Shape box = Box{.half_extents = {0.5, 0.4, 0.3}},
              capsule = Capsule{.radius = 0.1, .half_length = 0.3};
  const Shape segment = hull_of({{-0.2, 0, 0}, {0.2, 0, 0}}), point = hull_of({{0.1, 0.2, 0.3}}),
              dot = Sphere{};
  const Shape square = hull_of({{-0.2, -0.2, 0}, {0.2, -0.2, 0}, {0.2, 0.2, 0}, {-0.2, 0.2, 0}});
  const auto count = [](const Shape& a, const Shape& b, const Pose& X) {
    return contact_patch(a, {}, b, X).count;
  };
  EXPECT_EQ(count(box, dot, at(0, 0, 0.5)), 1);
  EXPECT_EQ(count(box, point, at(0, 0, 0.2)), 1);
  EXPECT_EQ(count(box, segment, at(0, 0, 0.4)), 2);
  EXPECT_EQ(count(segment, segment, at(0.1, 0, 0.4)), 2);
  EXPECT_EQ(count(segment, segment, turned({0, 0, 1}, 1.0, {0, 0, 0.4})), 1);
  EXPECT_EQ(count(square, square, at(0.1, 0.1, 0.1)), 4);
  EXPECT_EQ(count(box, square, at(0, 0, 0.3)), 4);
  EXPECT_EQ(count(capsule, capsule, at(0.25, 0, 0.2)), 2);  // side by side
  EXPECT_EQ(count(capsule, capsule, at(0, 0, 0.9)), 1);     // end to end
  EXPECT_EQ(count(box, capsule, turned({0, 1, 0}, M_PI / 2, {0.4, 0, 0.39})), 2);
  EXPECT_EQ(count(box, Cylinder{.radius = 0.1, .half_length = 0.3},
                  turned({0, 1, 0}, M_PI / 2, {0.4, 0, 0.39})),
            2);
  EXPECT_EQ(count(box, box, turned({0, 0, 1}, M_PI / 4, {1.3, 0, 0})), 2);  // an edge on a face
  EXPECT_EQ(count(box, Ellipsoid{.semi_axes = {0.1, 0.2, 0.3}}, at(0, 0, 0.6)), 1);
  EXPECT_EQ(count(box, box, turned({1, 1, 0}, 0.9, {0, 0, 1.2})), 1);
  // box edges that are parallel, corner to corner seen from the side
  const ContactPatch edges = contact_patch(box, {}, box, at(1.1, 0.2, 0.8));
  ASSERT_EQ(edges.count, 2);
  EXPECT_NEAR((edges.points_a[0] - edges.points_a[1]).norm(), 0.6, 1e-12);
  // margins move the points out along the normal
  const ContactPatch round = contact_patch(HalfSpace{.margin = 0.01}, {},
                                           Box{.half_extents = {0.5, 0.4, 0.3}, .margin = 0.05},
                                           at(0, 0, 0.4));
  ASSERT_EQ(round.count, 4);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(round.distances[i], 0.04, 1e-15);
    EXPECT_NEAR(round.points_a[i].z(), 0.01, 1e-15);
    EXPECT_NEAR(round.points_b[i].z(), 0.05, 1e-15);
  }
}

TEST(ContactPatch, NoAllocationAndKnownAnswers) {
  const Shape box = Box{.half_extents = {0.5, 0.4, 0.3}}, hull = box_hull({0.3, 0.3, 0.3});
  const Pose X = turned({0, 0, 1}, 0.3, {0.3, 0.3, 0.59});
  const Distance known = distance(box, {}, hull, X);
  const AllocationGuard guard;
  const ContactPatch patch = contact_patch(box, {}, hull, X),
                     from_known = contact_patch(known, box, {}, hull, X);
  EXPECT_EQ(guard.count(), 0U);
  ASSERT_GE(patch.count, 4);
  ASSERT_EQ(patch.count, from_known.count);
  for (std::size_t i = 0; i < static_cast<std::size_t>(patch.count); ++i)
    EXPECT_TRUE(patch.points_a[i] == from_known.points_a[i] &&
                patch.distances[i] == from_known.distances[i] &&
                patch.feature_ids[i] == from_known.feature_ids[i]);
}

TEST(ContactPatch, BadInputIsNamed) {
  const Shape box = Box{.half_extents = {0.5, 0.4, 0.3}};
  const auto call = [&](const ContactPatchOptions& options) {
    return rejected_field([&] { contact_patch(box, {}, box, at(0, 0, 0.6), options); });
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(call({.max_points = 0}), "max_points");
  EXPECT_EQ(call({.max_points = 33}), "max_points");
  EXPECT_EQ(call({.cutoff = -1.0}), "cutoff");
  EXPECT_EQ(call({.cutoff = nan}), "cutoff");
  EXPECT_EQ(call({.max_angle = 0.6}), "max_angle");
  EXPECT_EQ(call({.max_angle = nan}), "max_angle");
  EXPECT_EQ(call({.tolerance = 2.0}), "tolerance");
  Distance value = distance(box, {}, box, at(0, 0, 0.6));
  EXPECT_EQ(rejected_field([&] { contact_patch(value, HalfSpace{}, {}, HalfSpace{}, {}); }), "b");
  Pose bad = at(0, 0, 0.6);
  bad.rotation(0, 0) = 2.0;
  EXPECT_EQ(rejected_field([&] { contact_patch(value, box, {}, box, bad); }), "X_WB.rotation");
  EXPECT_EQ(rejected_field([&] { contact_patch(box, bad, box, {}); }), "X_WA.rotation");
  value.normal.x() = nan;
  EXPECT_EQ(rejected_field([&] { contact_patch(value, box, {}, box, at(0, 0, 0.6)); }), "value");
}

}  // namespace
}  // namespace tactum::contact_patch_test
