// SPDX-License-Identifier: BSD-2-Clause
// Times of impact of tactum and FCL on the same straight motions.
//
// Motions    B is turned at random and flies past A: from one side of the ball around A to the
//            other, along a line that misses the middle by up to half the sum of the radii.
// Judged by  dense sampling: B is placed at 2000 times along the path. A side missed an impact
// where
//            a sample collides and it has no time; it was late where a sample before its time
//            collides, and early where B is still more than 0.1 mm away at its time.
#include <Eigen/Geometry>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "mesh_side.hpp"
#include "support/random.hpp"
#include "tactum/geometry.hpp"

namespace tactum::compare {
namespace {

constexpr int kSamples = 2000;
constexpr double kEarly = 1e-4;  ///< m

struct Motion {
  Pose from, to;
  Pose at(double time) const {
    return {from.rotation, from.translation + time * (to.translation - from.translation)};
  }
};

struct Tally {
  double microseconds = 0.0;
  int hits = 0, missed = 0, late = 0, early = 0;
};

/// Processor time of this thread. The queries take a tenth of a millisecond and more, so that the
/// clock itself does not count, nor does what else runs on the machine.
double thread_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

Motion random_motion(double reach, testing::Random& random) {
  const Matrix3 rotation = random.rotation();
  const Vector3 along = random.direction();
  const Vector3 aside = 0.5 * reach * random.uniform(0.0, 1.0) * along.unitOrthogonal();
  return {{rotation, aside - 1.2 * reach * along}, {rotation, aside + 1.2 * reach * along}};
}

/// Time of the first sample that collides, infinity where none does.
double first_collision(const Geometry& a, const Geometry& b, const Motion& motion) {
  for (int i = 0; i <= kSamples; ++i) {
    const double time = static_cast<double>(i) / kSamples;
    if (collide(a, {}, b, motion.at(time)).colliding) return time;
  }
  return std::numeric_limits<double>::infinity();
}

void judge_motion(const Geometry& a, const Geometry& b, const Motion& motion, double sampled,
                  double time, Tally& tally) {
  if (time <= 1.0) {
    ++tally.hits;
    if (distance(a, {}, b, motion.at(time)).distance > kEarly) ++tally.early;
    if (sampled < time) ++tally.late;
  } else if (sampled <= 1.0) {
    ++tally.missed;
  }
}

}  // namespace

void measure_impacts(const Mesh& a, const Mesh& b, MeshSides& sides, bool quick,
                     std::uint64_t seed) {
  testing::Random random(seed, 23);
  const Geometry geometry_a(a), geometry_b(b);
  std::vector<Tally> tallies(sides.size());
  const int count = quick ? 4 : 40;
  for (int i = 0; i < count; ++i) {
    const Motion motion = random_motion(a.reach() + b.reach(), random);
    const double sampled = first_collision(geometry_a, geometry_b, motion);
    for (std::size_t s = 0; s < sides.size(); ++s) {
      const double start = thread_microseconds();
      const double time = sides[s]->time_of_impact(motion.from, motion.to);
      tallies[s].microseconds += thread_microseconds() - start;
      if (!std::isnan(time))
        judge_motion(geometry_a, geometry_b, motion, sampled, time, tallies[s]);
      else
        tallies[s].microseconds = std::numeric_limits<double>::quiet_NaN();
    }
  }
  std::printf("{\"case\": \"impact\", \"motions\": %d, \"columns\": [", count);
  bool first = true;
  for (std::size_t s = 0; s < sides.size(); ++s) {
    const Tally& tally = tallies[s];
    if (std::isnan(tally.microseconds)) continue;
    std::printf(
        "%s{\"library\": \"%s\", \"setting\": \"%s\", \"impact\": %.6g, \"hits\": %d, "
        "\"missed\": %d, \"late\": %d, \"early\": %d}",
        first ? "" : ", ", sides[s]->library().c_str(), sides[s]->setting().c_str(),
        tally.microseconds / count, tally.hits, tally.missed, tally.late, tally.early);
    first = false;
  }
  std::printf("]}\n");
}

}  // namespace tactum::compare
