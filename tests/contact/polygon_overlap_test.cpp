// SPDX-License-Identifier: BSD-2-Clause
// Overlaps against the intersection of all half planes by brute force in extended precision;
// degenerate ones by name.
#include "contact/polygon_overlap.hpp"

#include "contact/contact_fixtures.hpp"

namespace tactum::polygon_overlap_test {
namespace {

using namespace tactum::testing;
using Kind = OverlapPoint::Kind;

FlatFeature polygon(const std::vector<Double2>& corners) {
  FlatFeature feature;
  for (const Double2& corner : corners) {
    const auto i = static_cast<std::size_t>(feature.count++);
    feature.x[i] = corner.x;
    feature.y[i] = corner.y;
    feature.height[i] = 0.0;
    feature.vertices[i] = static_cast<std::uint32_t>(i);
  }
  return feature;
}

FlatFeature square(double x, double y, double half) {
  return polygon(
      {{x - half, y - half}, {x + half, y - half}, {x + half, y + half}, {x - half, y + half}});
}

/// Corners on an ellipse, counter-clockwise.
FlatFeature random_convex(Random& random, int count, double reach) {
  std::vector<double> angles;
  for (int i = 0; i < count; ++i)
    angles.push_back((i + 0.8 * random.uniform()) * 2.0 * M_PI / count);
  const double a = random.uniform(0.2, 1.0), b = random.uniform(0.2, 1.0),
               turn = random.uniform(0.0, 6.28);
  const Double2 center{random.uniform(-reach, reach), random.uniform(-reach, reach)};
  std::vector<Double2> corners;
  for (const double angle : angles) {
    const Double2 p{a * std::cos(angle), b * std::sin(angle)};
    corners.push_back(center + Double2{std::cos(turn) * p.x - std::sin(turn) * p.y,
                                       std::sin(turn) * p.x + std::cos(turn) * p.y});
  }
  return polygon(corners);
}

std::vector<Point2> points_of(const FlatFeature& feature) {
  std::vector<Point2> points;
  for (int i = 0; i < feature.count; ++i)
    points.emplace_back(feature.corner(i).x, feature.corner(i).y);
  return points;
}

PolygonOverlap overlap_of(const FlatFeature& a, const FlatFeature& b) {
  PolygonOverlap overlap;
  find_overlap(a, b, 1e-10, overlap);
  return overlap;
}

bool is_borderline(const PolygonOverlap& overlap) {
  return std::any_of(overlap.points.begin(), overlap.points.begin() + overlap.count,
                     [](auto& point) { return point.on_border; });
}

TEST(PolygonOverlap, HalfPlanesByBruteForce) {
  Random random(71);
  int overlapping = 0;
  for (int i = 0; i < repetitions(2000); ++i) {
    const FlatFeature a = random_convex(random, 3 + random.below(14), 0.5),
                      b = random_convex(random, 3 + random.below(14), 0.5);
    std::vector<HalfPlane> planes = sides_of(points_of(a));
    const std::vector<HalfPlane> more = sides_of(points_of(b));
    planes.insert(planes.end(), more.begin(), more.end());
    const std::vector<Point2> truth = corners_of(planes);
    const PolygonOverlap found = overlap_of(a, b);
    ASSERT_EQ(static_cast<std::size_t>(found.count), truth.size()) << i;
    overlapping += found.count > 2 ? 1 : 0;
    for (int k = 0; k < found.count; ++k) {
      const Point2 at(found[k].at.x, found[k].at.y);
      Real nearest = infinite;
      for (const Point2& corner : truth) nearest = std::min(nearest, (corner - at).norm());
      EXPECT_LE(static_cast<double>(nearest), 1e-12);
      const Double2 e = found[(k + 1) % found.count].at - found[k].at,
                    f = found[(k + 2) % found.count].at - found[(k + 1) % found.count].at;
      EXPECT_TRUE(found.count < 3 || cross(e, f) > 0.0);
      if (found[k].kind != Kind::crossing) continue;
      const Double2 from = b.corner(found[k].b), along = b.corner(b.next(found[k].b)) - from;
      EXPECT_LE((from + found[k].fraction_b * along - found[k].at).norm(), 1e-12);
    }
  }
  EXPECT_GT(overlapping, repetitions(1000));
}

/// Points with the shapes exchanged, and their names exchanged with them.
TEST(PolygonOverlap, SameWhenSwapped) {
  Random random(72);
  for (int i = 0; i < repetitions(500); ++i) {
    // on a grid, so that corners and edges coincide often
    const auto grid = [&] { return 0.25 * (random.below(9) - 4); };
    const FlatFeature a = square(grid(), grid(), 0.5),
                      b = square(grid(), grid(), i % 2 == 0 ? 0.5 : 0.25);
    const PolygonOverlap ab = overlap_of(a, b), ba = overlap_of(b, a);
    ASSERT_EQ(ab.count, ba.count);
    EXPECT_EQ(is_borderline(ab), is_borderline(ba));
    for (int k = 0; k < ab.count; ++k) {
      bool found = false;
      for (int m = 0; m < ba.count; ++m)
        found |= (ab[k].at - ba[m].at).norm() < 1e-12 && ab[k].a == ba[m].b && ab[k].b == ba[m].a;
      EXPECT_TRUE(found) << i;
    }
  }
}

TEST(PolygonOverlap, DegenerateOnes) {
  const FlatFeature unit = square(0, 0, 1);
  EXPECT_EQ(overlap_of(unit, unit).count, 4);
  EXPECT_TRUE(is_borderline(overlap_of(unit, unit)));
  EXPECT_EQ(overlap_of(unit, unit)[0].kind, Kind::corners);
  EXPECT_EQ(overlap_of(unit, square(2, 0, 1)).count, 2);  // a shared side
  EXPECT_EQ(overlap_of(unit, square(2, 2, 1)).count, 1);  // a shared corner
  EXPECT_EQ(overlap_of(unit, square(3, 0, 1)).count, 0);
  EXPECT_EQ(overlap_of(unit, square(0, 0, 0.5)).count, 4);
  EXPECT_FALSE(is_borderline(overlap_of(unit, square(0, 0, 0.5))));
  EXPECT_TRUE(lies_strictly_inside(square(0, 0, 0.5), unit, 1e-9));
  EXPECT_FALSE(lies_strictly_inside(square(0.5, 0, 0.5), unit, 1e-9));
  EXPECT_FALSE(lies_strictly_inside(unit, square(0, 0, 0.5), 1e-9));
  // a line across, inside, along a side, outside
  EXPECT_EQ(overlap_of(unit, polygon({{-2, 0.1}, {2, 0.3}})).count, 2);
  EXPECT_EQ(overlap_of(unit, polygon({{-0.5, 0.1}, {0.5, 0.3}})).count, 2);
  EXPECT_EQ(overlap_of(polygon({{-0.5, 1}, {2, 1}}), unit).count, 2);
  EXPECT_EQ(overlap_of(unit, polygon({{-2, 1.1}, {2, 1.3}})).count, 0);
  // two lines: shared part, end to end, crossing
  EXPECT_EQ(overlap_of(polygon({{0, 0}, {1, 0}}), polygon({{2, 0}, {0.5, 0}})).count, 2);
  EXPECT_TRUE(overlap_of(polygon({{0, 0}, {1, 0}}), polygon({{2, 0}, {0.5, 0}})).ambiguous);
  EXPECT_FALSE(overlap_of(polygon({{0, 0}, {1, 0}}), polygon({{2, 0}, {0.5, 0.01}})).ambiguous);
  // across a sliver whose two long sides coincide within the tolerance
  EXPECT_TRUE(
      overlap_of(polygon({{0, 0}, {1, 0}, {0, 1e-10}}), polygon({{0.5, -1}, {0.5, 1}})).ambiguous);
  EXPECT_NEAR(overlap_of(polygon({{0, 0}, {1, 0}}), polygon({{2, 0}, {0.5, 0}}))[0].at.x, 0.5,
              1e-15);
  EXPECT_EQ(overlap_of(polygon({{0, 0}, {1, 0}}), polygon({{1, 0}, {2, 0}})).count, 0);
  EXPECT_EQ(overlap_of(polygon({{0, 0}, {1, 0}}), polygon({{0.5, -1}, {0.5, 1}})).count, 0);
}

}  // namespace
}  // namespace tactum::polygon_overlap_test
