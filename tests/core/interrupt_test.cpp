// SPDX-License-Identifier: BSD-2-Clause
// Long work ends soon after it is asked to, everywhere: the scope, the threads of a loop, and every
// kind of work that can be long.
#include "tactum/interrupt.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "core/thread_team.hpp"
#include "support/random.hpp"
#include "tactum/tactum.hpp"

namespace tactum::interrupt_test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using testing::Random;

/// Asks for an end after a while.
class Deadline {
 public:
  explicit Deadline(Clock::duration wait) : end_(Clock::now() + wait) {}
  const std::function<bool()> passed = [this] { return Clock::now() > end_; };
  Clock::duration late() const { return Clock::now() - end_; }

 private:
  Clock::time_point end_;
};

/// Work that takes ten seconds or more on any machine ends within a part of that.
template <class Work>
void expect_ended_early(const char* name, const Work& work) {
  SCOPED_TRACE(name);
  const Deadline deadline(50ms);
  const InterruptScope scope(deadline.passed);
  EXPECT_THROW(work(), Interrupted);
  EXPECT_LT(deadline.late(), 2s);
}

TEST(Interrupt, NothingIsAskedWithoutAScope) {
  EXPECT_NO_THROW(check_interrupt());
  {
    const std::function<bool()> yes = [] { return true; };
    const InterruptScope scope(yes);
    EXPECT_NO_THROW(check_interrupt());  // short work is not asked about
    std::this_thread::sleep_for(15ms);
    EXPECT_THROW(check_interrupt(), Interrupted);
    std::this_thread::sleep_for(15ms);
    {
      const std::function<bool()> no = [] { return false; };
      const InterruptScope inner(no);
      EXPECT_NO_THROW(check_interrupt());
    }
    std::this_thread::sleep_for(15ms);
    EXPECT_THROW(check_interrupt(), Interrupted);
  }
  EXPECT_NO_THROW(check_interrupt());
}

TEST(Interrupt, AsksAboutAHundredTimesASecond) {
  int asked = 0;
  const std::function<bool()> count = [&] { return ++asked < 0; };
  const InterruptScope scope(count);
  const Clock::time_point end = Clock::now() + 200ms;
  while (Clock::now() < end) check_interrupt();
  EXPECT_GE(asked, 2);
  EXPECT_LE(asked, 21);
}

TEST(Interrupt, OfTheCallerEndsALoopOfManyThreads) {
  ThreadTeam team;
  for (const int num_threads : {1, 2, 4}) {
    expect_ended_early("long items", [&] {
      parallel_for(team, 8, {.num_threads = num_threads}, [](std::size_t, std::size_t) {
        const Clock::time_point end = Clock::now() + 60s;
        while (Clock::now() < end) check_interrupt();
      });
    });
    expect_ended_early("many items", [&] {
      parallel_for(team, 1000000, {.num_threads = num_threads},
                   [](std::size_t begin, std::size_t end) {
                     std::this_thread::sleep_for(std::chrono::microseconds(100) * (end - begin));
                   });
    });
  }
  // the team works on
  std::atomic<int> sum = 0;
  EXPECT_TRUE(parallel_for(team, 100, {}, [&](std::size_t begin, std::size_t end) {
    sum += static_cast<int>(end - begin);
  }));
  EXPECT_EQ(sum, 100);
}

Points cloud(int count, Random& random) {
  Points points(3, count);
  for (auto point : points.colwise()) point = random.direction();
  return points;
}

TEST(Interrupt, EndsTheMakingOfShapes) {
  Random random(5);
  const Points many = cloud(2000000, random);
  expect_ended_early("hull", [&] { Convex::from_points(many); });
  const Points some = cloud(400000, random);
  expect_ended_early("volume",
                     [&] { Stp::from_points(some, {.small_radius = 0.01, .big_radius = 1.2}); });
  const Stp stp = Stp::from_points(cloud(2000, random), {.small_radius = 0.01, .big_radius = 1.2});
  expect_ended_early("mesh of a volume", [&] {
    for (int i = 0; i < 1000; ++i) static_cast<void>(stp.to_mesh(32));
  });
  const Shape shape(stp);
  expect_ended_early("mass of a volume", [&] {
    for (int i = 0; i < 10000; ++i) static_cast<void>(shape.mass_properties(1.0));
  });
}

TEST(Interrupt, EndsQueries) {
  Random random(6);
  const Shape hull(Convex::from_points(cloud(500, random)));
  const Pose X{random.rotation(), {0.5, 0.3, 0.1}};
  const ZerothOrder many{.samples = 1'000'000};
  expect_ended_early("samples of one pair",
                     [&] { distance_derivative(hull, {}, hull, X, {.estimator = many}); });
  const Shape ellipsoid = Ellipsoid{.semi_axes = {1.0, 1.0 + 1e-10, 2.0}},
              cylinder = Cylinder{.radius = 0.5, .half_length = 1.0};
  expect_ended_early("depth with many best directions", [&] {
    for (int i = 0; i < 1000; ++i) distance(ellipsoid, {}, cylinder, {}, {.max_iterations = 2000});
  });
  expect_ended_early("differences of such depths", [&] {
    for (int i = 0; i < 1000; ++i)
      distance_derivative(ellipsoid, {}, cylinder, {}, {.estimator = FiniteDifference{}});
  });
  std::vector<CompoundPart> parts;
  for (int i = 0; i < 3000; ++i) parts.push_back({hull, {.translation = random.in_box(0.1)}});
  const Compound heap(parts);
  std::vector<PartPatch> patches;
  expect_ended_early("patches of compounds", [&] {
    contact_patches(heap, {}, heap, {.translation = {0.1, 0.0, 0.0}}, {}, patches);
  });
  DynamicTree tree;
  for (int i = 0; i < 200000; ++i) tree.insert({Vector3(-1, -1, -1), Vector3(1, 1, 1)});
  BoxPairs pairs;
  expect_ended_early("pairs of boxes", [&] { tree.pairs(pairs); });
}

TEST(Interrupt, EndsTheMakingOfContactProblems) {
  const Eigen::Index rows = 600;
  const Eigen::MatrixXd G = Eigen::MatrixXd::Identity(rows, rows);
  expect_ended_early("check of a dense matrix", [&] {
    for (int i = 0; i < 10000; ++i)
      ContactProblem(G, {.g = Eigen::VectorXd::Ones(rows), .mu = Eigen::VectorXd::Ones(rows / 3)});
  });
}

TEST(Interrupt, LeavesASceneAsItWas) {
  Random random(7);
  const Shape hull(Convex::from_points(cloud(500, random)));
  Scene scene;
  for (int i = 0; i < 1000; ++i)
    scene.add({.geometry = hull, .X = {random.rotation(), random.in_box(0.5)}});
  const std::string before = scene.to_text();
  SceneDistances found;
  expect_ended_early("distances", [&] { scene.distances({.margin = 0.1}, found); });
  SceneContacts contacts;
  expect_ended_early("contacts", [&] { scene.contacts({.margin = 0.1}, contacts); });
  EXPECT_EQ(scene.to_text(), before);
  Scene copy = Scene::from_text(before);
  for (Scene* each : {&scene, &copy}) {
    for (SceneId id = 3; id < 1000; ++id) each->remove(id);
    ASSERT_TRUE(each->distances({.margin = 0.1}, found));
    EXPECT_EQ(found.pairs.size(), 3U);
  }
}

}  // namespace
}  // namespace tactum::interrupt_test
