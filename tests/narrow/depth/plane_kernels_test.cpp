// SPDX-License-Identifier: BSD-2-Clause
// The passes over faces: brute force in extended precision, and equal bits at every SIMD level of
// this machine.
#include "narrow/depth/plane_kernels.hpp"

#include <memory>

#include "narrow/narrow_fixtures.hpp"

namespace tactum::plane_kernels_test {
namespace {

using namespace tactum::testing;

using Words = std::array<std::uint64_t, kMaxPolytopeFaces / 64>;

std::vector<SimdLevel> machine_levels() {
  std::vector<SimdLevel> levels;
  for (const SimdLevel level : kSimdLevels) {
    if (level <= machine_simd_level()) levels.push_back(level);
  }
  return levels;
}

int rounded_up(int count) { return (count + 7) / 8 * 8; }

void set_free(FacePlanes& planes, int f) {
  planes.x[f] = planes.y[f] = planes.z[f] = 0.0;
  planes.value[f] = planes.bound[f] = -kInfinity;
}

/// Faces around the origin. Some slots are free, and all from the count to the next multiple of
/// eight. Beyond lie numbers that a pass must not read.
std::unique_ptr<FacePlanes> random_planes(Random& random, int count, double free) {
  auto planes = std::make_unique<FacePlanes>();
  for (int f = 0; f < kMaxPolytopeFaces; ++f) {
    const Vector3 n = random.direction();
    planes->x[f] = n.x();
    planes->y[f] = n.y();
    planes->z[f] = n.z();
    planes->value[f] = f < count ? -random.uniform(0.0, 1.0) : 1e9;
    planes->bound[f] = planes->value[f] + (random.chance(0.3) ? 1e-10 : 0.0);
    if (f < rounded_up(count) && (f >= count || random.chance(free))) set_free(*planes, f);
  }
  return planes;
}

bool bit(const Words& words, int f) {
  return (words[static_cast<std::size_t>(f / 64)] >> (f % 64) & 1U) != 0;
}

TEST(PlaneKernels, MarkVisibleAgreesWithBruteForceAtEveryLevel) {
  Random random(221);
  int seen = 0, hidden = 0, clear = 0;
  for (int i = 0; i < 3000; ++i) {
    const int count = i < kMaxPolytopeFaces ? i + 1 : 1 + random.below(kMaxPolytopeFaces);
    const auto planes = random_planes(random, count, random.uniform(0.0, 0.7));
    Vector3 w = random.log_uniform(1e-3, 2.0) * random.direction();
    const int on = random.below(count);
    const bool on_a_plane = random.chance(0.3) && std::isfinite(planes->value[on]);
    if (on_a_plane) w = planes->value[on] * Vector3(planes->x[on], planes->y[on], planes->z[on]);
    const double rounding = random.chance(0.5) ? 4.0 * kEps : random.log_uniform(1e-12, 1e-2);
    Words first{};
    bool first_clearly = false;
    for (const SimdLevel level : machine_levels()) {
      Words visible;
      visible.fill(0xAAAAAAAAAAAAAAAAU);
      const bool clearly = face_passes(level).mark_visible(*planes, count, w.data(), rounding,
                                                           visible.data());
      SCOPED_TRACE(::testing::Message() << i << " count " << count << " " << to_string(level));
      // words up to the count are all written, later ones are not
      for (int word = 0; word < static_cast<int>(visible.size()); ++word) {
        if (64 * word >= count) {
          ASSERT_EQ(visible[static_cast<std::size_t>(word)], 0xAAAAAAAAAAAAAAAAU);
        }
      }
      if (level == SimdLevel::baseline) first = visible, first_clearly = clearly;
      ASSERT_EQ(visible, first);
      ASSERT_EQ(clearly, first_clearly);
    }
    Real highest = -infinite;
    for (int f = 0; f < rounded_up(count); ++f) {
      const bool free = planes->value[f] == -kInfinity;
      if (free) {
        ASSERT_FALSE(bit(first, f)) << i << " free slot " << f;
        continue;
      }
      const Real below = Real(planes->value[f]) -
                         widen(Vector3(planes->x[f], planes->y[f], planes->z[f])).dot(widen(w));
      highest = std::max(highest, below);
      if (std::abs(below + Real(rounding)) <= 8.0 * kEps) continue;  // either result is right
      ASSERT_EQ(bit(first, f), below > -Real(rounding)) << i << " face " << f;
      (bit(first, f) ? seen : hidden) += 1;
    }
    if (std::abs(highest - Real(rounding)) <= 8.0 * kEps) continue;
    ASSERT_EQ(first_clearly, highest > Real(rounding)) << i;
    clear += first_clearly ? 1 : 0;
  }
  EXPECT_GT(seen, 10000);
  EXPECT_GT(hidden, 10000);
  EXPECT_GT(clear, 1000);
  EXPECT_LT(clear, 2900);
}

TEST(PlaneKernels, BestUnmarkedIsTheFirstOfTheLargestAtEveryLevel) {
  Random random(222);
  int none_left = 0;
  for (int i = 0; i < 6000; ++i) {
    const int count = i < kMaxPolytopeFaces ? i + 1 : 1 + random.below(kMaxPolytopeFaces);
    const auto planes = random_planes(random, count, random.uniform(0.0, 0.9));
    // ties: many faces of a few values, of either sign and zero
    if (random.chance(0.5)) {
      for (int f = 0; f < count; ++f) {
        if (planes->bound[f] != -kInfinity) planes->bound[f] = 0.25 * (random.below(4) - 2);
      }
    }
    // nothing, some or all marked; free slots too, and any slots beyond the count
    const double share = random.chance(0.2) ? 0.0 : random.chance(0.2) ? 1.0 : random.uniform();
    Words marked{};
    for (int f = 0; f < kMaxPolytopeFaces; ++f) {
      if (f < count ? random.uniform() < share : random.chance(0.5)) {
        marked[static_cast<std::size_t>(f / 64)] |= std::uint64_t{1} << (f % 64);
      }
    }
    int best = -1;
    for (int f = count - 1; f >= 0; --f) {
      if (!bit(marked, f) && (best < 0 || planes->bound[f] >= planes->bound[best])) best = f;
    }
    none_left += best < 0 ? 1 : 0;
    for (const SimdLevel level : machine_levels()) {
      ASSERT_EQ(face_passes(level).best_unmarked(*planes, count, marked.data()), best)
          << i << " count " << count << " " << to_string(level);
    }
  }
  EXPECT_GT(none_left, 500);
}

TEST(PlaneKernels, SeePointMarksAndFindsTheFirstOfTheLargestAtEveryLevel) {
  Random random(223);
  int none_left = 0;
  for (int i = 0; i < 3000; ++i) {
    const int count = 1 + random.below(128);
    const auto planes = random_planes(random, count, random.uniform(0.0, 0.9));
    // ties: many faces of a few values
    for (int f = 0; f < count && i % 2 == 0; ++f) {
      if (planes->value[f] != -kInfinity) planes->value[f] = -0.25 * (1 + random.below(4));
    }
    const Vector3 w = random.log_uniform(1e-3, 30.0) * random.direction();
    for (const SimdLevel level : machine_levels()) {
      Words expected{}, visible{};
      const bool clearly = face_passes(level).mark_visible(*planes, count, w.data(), 4.0 * kEps,
                                                           expected.data());
      int best = -1;
      for (int f = count - 1; f >= 0; --f) {
        if (planes->value[f] == -kInfinity || bit(expected, f)) continue;
        if (best < 0 || planes->value[f] >= planes->value[best]) best = f;
      }
      const SeenFaces seen = face_passes(level).see_point(*planes, count, w.data(), 4.0 * kEps,
                                                          visible.data());
      ASSERT_EQ(visible, expected) << i << " " << to_string(level);
      ASSERT_EQ(seen.clearly, clearly) << i << " " << to_string(level);
      ASSERT_EQ(seen.best, best) << i << " " << to_string(level);
      none_left += best < 0 ? 1 : 0;
    }
  }
  EXPECT_GT(none_left, 10);
}

TEST(PlaneKernels, TheOnesInUseAreThoseOfTheLevel) {
  EXPECT_EQ(&face_passes(), &face_passes(simd_level()));
}

}  // namespace
}  // namespace tactum::plane_kernels_test
