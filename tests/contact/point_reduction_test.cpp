// SPDX-License-Identifier: BSD-2-Clause
// The choice of points against all subsets.
#include "contact/point_reduction.hpp"

#include "contact/contact_fixtures.hpp"

namespace tactum::point_reduction_test {
namespace {

using namespace tactum::testing;

std::vector<RingPoint> random_ring(Random& random, int count) {
  std::vector<RingPoint> ring;
  for (int i = 0; i < count; ++i) {
    const double angle = (i + 0.9 * random.uniform()) * 2.0 * M_PI / count;
    ring.push_back({{std::cos(angle), 0.6 * std::sin(angle)},
                    random.uniform(-0.1, 0.1),
                    static_cast<std::uint64_t>(i)});
  }
  return ring;
}

std::vector<int> chosen(const std::vector<RingPoint>& ring, int most, bool* tied = nullptr,
                        const Double2* taken = nullptr) {
  std::array<bool, 64> keep;
  const bool tie = choose_points(ring, most, 1e-9, taken, keep);
  if (tied != nullptr) *tied = tie;
  std::vector<int> indices;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    if (keep[i]) indices.push_back(static_cast<int>(i));
  }
  return indices;
}

double area(const std::vector<RingPoint>& ring, const std::vector<int>& indices) {
  std::vector<Point2> points;
  for (const int i : indices)
    points.emplace_back(ring[static_cast<std::size_t>(i)].at.x,
                        ring[static_cast<std::size_t>(i)].at.y);
  return static_cast<double>(hull_area(points));
}

TEST(PointReduction, KeepsTheDeepestAndNearlyAllArea) {
  Random random(81);
  for (int i = 0; i < repetitions(200); ++i) {
    const std::vector<RingPoint> ring = random_ring(random, 9);
    const auto deepest = std::min_element(ring.begin(), ring.end(),
                                          [](auto& a, auto& b) { return a.distance < b.distance; });
    std::vector<int> last;
    for (int most = 1; most <= 9; ++most) {
      bool tied = false;
      const std::vector<int> kept = chosen(ring, most, &tied);
      ASSERT_EQ(kept.size(), static_cast<std::size_t>(most));
      EXPECT_FALSE(tied);
      EXPECT_TRUE(std::find(kept.begin(), kept.end(), deepest - ring.begin()) != kept.end());
      EXPECT_TRUE(std::includes(kept.begin(), kept.end(), last.begin(), last.end()));
      last = kept;
      if (most < 3) continue;
      double best = 0.0;
      for (unsigned set = 0; set < 512U; ++set) {
        if (__builtin_popcount(set) != most) continue;
        std::vector<int> indices;
        for (int k = 0; k < 9; ++k) {
          if ((set >> k) & 1U) indices.push_back(k);
        }
        best = std::max(best, area(ring, indices));
      }
      EXPECT_GE(area(ring, kept), (most < 5 ? 0.55 : 0.8) * best) << most;
    }
  }
}

TEST(PointReduction, TiesAndTaken) {
  std::vector<RingPoint> octagon;
  for (int i = 0; i < 8; ++i)
    octagon.push_back(
        {{std::cos(i * M_PI / 4), std::sin(i * M_PI / 4)}, 0.0, static_cast<std::uint64_t>(i)});
  bool tied = false;
  EXPECT_EQ(chosen(octagon, 4, &tied), (std::vector<int>{0, 2, 4, 6}));
  EXPECT_TRUE(tied);
  EXPECT_EQ(chosen(octagon, 8, &tied).size(), 8U);
  EXPECT_FALSE(tied);
  // the same points from another beginning of the ring: the same choice
  std::vector<RingPoint> turned = octagon;
  std::rotate(turned.begin(), turned.begin() + 3, turned.end());
  std::vector<std::uint64_t> ids;
  for (const int i : chosen(turned, 4)) ids.push_back(turned[static_cast<std::size_t>(i)].id);
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(ids, (std::vector<std::uint64_t>{0, 2, 4, 6}));
  const Double2 taken{0.9, 0.1};
  const std::vector<int> far = chosen(octagon, 1, &tied, &taken);
  EXPECT_EQ(far, (std::vector<int>{4}));
}

}  // namespace
}  // namespace tactum::point_reduction_test
