// SPDX-License-Identifier: BSD-2-Clause
// Distances and contacts of a scene against single queries: bit for bit, for any number of threads,
// without allocation.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "mesh/mesh_fixtures.hpp"
#include "scene/scene_fixtures.hpp"
#include "support/allocation_guard.hpp"
#include "support/repetitions.hpp"
#include "tactum/contact_patch.hpp"

namespace tactum::scene_distances_test {
namespace {

using testing::Random;

struct Tracked {
  WarmStart warm_start;
  std::int32_t part_a = 0, part_b = 0;
};

void shake(Scene& scene, Random& random, double length) {
  for (const SceneId id : scene.ids()) {
    Pose X = scene.object(id).X;
    X.translation += random.in_box(length);
    X.rotation = Random::turn(random.direction(), length) * X.rotation;
    scene.set_pose(id, X);
  }
}

TEST(SceneDistances, AreThoseOfSingleQueriesBitForBit) {
  Random random(41);
  Scene scene = testing::random_scene(random, 60, 1.8);
  const double margin = 0.1;
  std::map<std::pair<SceneId, SceneId>, Tracked> tracked;
  std::size_t compared = 0;
  for (int step = 0; step < 8; ++step) {
    shake(scene, random, 0.02);
    const auto boxes = scene.pairs(margin);
    const std::vector<std::pair<SceneId, SceneId>> candidates(boxes.begin(), boxes.end());
    std::map<std::pair<SceneId, SceneId>, Tracked> next;
    std::vector<std::pair<std::pair<SceneId, SceneId>, GeometryDistance>> expected;
    for (const auto& pair : candidates) {
      const SceneObject &a = scene.object(pair.first), &b = scene.object(pair.second);
      const Tracked last = tracked.contains(pair) ? tracked[pair] : Tracked{};
      const GeometryDistance r = distance(a.geometry, a.X, b.geometry, b.X,
                                          {.cutoff = margin, .warm_start = &last.warm_start},
                                          last.part_a, last.part_b);
      next[pair] = {r.warm_start, r.part_a, r.part_b};
      if (r.status != Status::beyond_cutoff && r.distance <= margin) expected.emplace_back(pair, r);
    }
    tracked = next;
    SceneDistances found;
    ASSERT_TRUE(scene.distances({.margin = margin, .num_threads = 1 + step % 3}, found));
    ASSERT_EQ(found.pairs.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(found.pairs[i], expected[i].first);
      EXPECT_EQ(found.distances[i].distance, expected[i].second.distance);
      EXPECT_EQ(found.distances[i].normal, expected[i].second.normal);
      EXPECT_EQ(found.distances[i].point_a, expected[i].second.point_a);
      EXPECT_EQ(found.distances[i].point_b, expected[i].second.point_b);
      EXPECT_EQ(found.distances[i].part_b, expected[i].second.part_b);
      EXPECT_EQ(found.distances[i].status, expected[i].second.status);
    }
    compared += expected.size();
  }
  EXPECT_GT(compared, 200U);
}

TEST(SceneContacts, SameBitsForAnyNumberOfThreadsAndInACopy) {
  Random random(42);
  const Scene start = testing::random_scene(random, 150, 2.2);
  std::vector<std::vector<SceneContact>> contacts;
  std::vector<std::vector<std::int64_t>> offsets;
  for (const int num_threads : {1, 2, 3, 8}) {
    Scene scene = start;
    Random moves(43);
    for (int step = 0; step < 4; ++step) {
      shake(scene, moves, 0.01);
      if (step == 2) scene = Scene(scene);
      SceneContacts found;
      ASSERT_TRUE(scene.contacts({.margin = 0.02, .num_threads = num_threads}, found));
      contacts.emplace_back(found.contacts.begin(), found.contacts.end());
      offsets.emplace_back(found.offsets.begin(), found.offsets.end());
    }
  }
  for (std::size_t i = 4; i < contacts.size(); ++i) {
    EXPECT_EQ(offsets[i], offsets[i % 4]);
    ASSERT_EQ(contacts[i].size(), contacts[i % 4].size());
    for (std::size_t k = 0; k < contacts[i].size(); ++k) {
      EXPECT_EQ(contacts[i][k].point_a, contacts[i % 4][k].point_a);
      EXPECT_EQ(contacts[i][k].normal, contacts[i % 4][k].normal);
      EXPECT_EQ(contacts[i][k].distance, contacts[i % 4][k].distance);
      EXPECT_EQ(contacts[i][k].feature_id, contacts[i % 4][k].feature_id);
    }
  }
  EXPECT_GT(contacts.back().size(), 300U);
}

TEST(SceneContacts, EachIsAPointOfItsPatch) {
  Random random(44);
  Scene scene = testing::random_scene(random, 80, 1.8);
  const double margin = 0.05;
  SceneDistances near;
  ASSERT_TRUE(scene.distances({.margin = margin}, near));
  std::map<std::pair<SceneId, SceneId>, double> least;
  for (std::size_t i = 0; i < near.pairs.size(); ++i)
    least[near.pairs[i]] = near.distances[i].distance;
  SceneContacts found;
  ASSERT_TRUE(scene.contacts({.margin = margin, .max_points = 4}, found));
  ASSERT_EQ(found.pairs.size(), least.size());
  ASSERT_EQ(found.offsets.front(), 0);
  ASSERT_EQ(found.offsets.back(), static_cast<std::int64_t>(found.contacts.size()));
  for (std::size_t i = 0; i < found.pairs.size(); ++i) {
    double deepest = std::numeric_limits<double>::infinity();
    std::set<std::uint64_t> ids;
    ASSERT_LT(found.offsets[i], found.offsets[i + 1]);
    for (std::int64_t k = found.offsets[i]; k < found.offsets[i + 1]; ++k) {
      const SceneContact& contact = found.contacts[static_cast<std::size_t>(k)];
      EXPECT_LE((contact.point_b - contact.point_a - contact.distance * contact.normal).norm(),
                1e-9);
      EXPECT_LE(contact.distance, margin + 1e-12);
      deepest = std::min(deepest, contact.distance);
      ids.insert(contact.feature_id);
    }
    EXPECT_EQ(ids.size(), static_cast<std::size_t>(found.offsets[i + 1] - found.offsets[i]));
    EXPECT_NEAR(deepest, least[found.pairs[i]], 1e-9);
  }
}

TEST(SceneContacts, FeaturesOfAStackStayWhenItTrembles) {
  Scene scene;
  scene.add({.geometry = Shape(HalfSpace{})});
  for (int i = 0; i < 5; ++i) {
    scene.add({.geometry = Shape(Box{.half_extents = {0.5, 0.4, 0.1}}),
               .X = {.translation = {0.0, 0.0, 0.1 + 0.2 * i - 1e-4 * (i + 1)}}});
  }
  Random random(45);
  std::set<std::uint64_t> first;
  for (int step = 0; step < 10; ++step) {
    SceneContacts found;
    ASSERT_TRUE(scene.contacts({.margin = 1e-3}, found));
    EXPECT_EQ(found.pairs.size(), 5U);
    EXPECT_EQ(found.contacts.size(), 20U);
    std::set<std::uint64_t> features;
    for (const SceneContact& contact : found.contacts) features.insert(contact.feature_id);
    if (step == 0) first = features;
    EXPECT_EQ(features, first);
    for (const SceneId id : scene.ids()) {
      Pose X = scene.object(id).X;
      X.translation.z() += random.uniform(-1e-7, 1e-7);
      if (id > 0) scene.set_pose(id, X);
    }
  }
}

TEST(SceneContacts, AllocateNothingOnceGrown) {
  Random random(46);
  Scene scene = testing::random_scene(random, 60, 1.8);
  SceneContacts found;
  std::vector<SceneId> ids = scene.ids();
  std::vector<Pose> here, there;
  for (const SceneId id : ids) {
    here.push_back(scene.object(id).X);
    there.push_back(here.back());
    there.back().translation += random.in_box(0.05);
  }
  const auto step = [&](const std::vector<Pose>& poses) {
    scene.set_poses(ids, poses, 1);  // a thread that starts would count
    ASSERT_TRUE(scene.contacts({.margin = 0.05, .num_threads = 1}, found));
  };
  for (int i = 0; i < 3; ++i) step(here), step(there);
  const testing::AllocationGuard guard;
  for (int i = 0; i < 3; ++i) step(here), step(there);
  EXPECT_EQ(guard.count(), 0U);
  EXPECT_GT(found.contacts.size(), 50U);
}

TEST(SceneCollides, IsWhetherThereAreDistances) {
  Random random(48);
  int hits = 0;
  for (int i = 0; i < 200; ++i) {
    Scene scene = testing::random_scene(random, 12, 2.0);
    const SceneOptions options{.margin = random.chance(0.5) ? 0.0 : random.log_uniform(1e-3, 0.3),
                               .num_threads = 1 + i % 3};
    Scene other = scene;
    const bool expected = !other.distances(options).pairs.empty();
    ASSERT_EQ(scene.collides(options), expected);
    ASSERT_EQ(scene.collides(options), expected) << "with the warm starts of the first call";
    hits += expected ? 1 : 0;
  }
  EXPECT_GT(hits, 20);
  Scene empty;
  EXPECT_FALSE(empty.collides());
}

TEST(SceneCollides, StopsSoonAfterTheFirstPair) {
  // pairs that it looked at have warm starts, which later queries begin from; others have none
  Random random(49);
  Scene scene;
  Points corners(3, 60);
  for (auto column : corners.colwise()) column = random.direction();
  const Shape hull(Convex::from_points(corners));
  for (int i = 0; i < 20; ++i) scene.add(hull, testing::random_pose(random, 0.1));
  Scene fresh = scene, known = scene;
  const auto iterations = [](Scene& of) {
    std::vector<int> counts;
    for (const GeometryDistance& row : of.distances({.num_threads = 1}).distances)
      counts.push_back(row.iterations);
    return counts;
  };
  const std::vector<int> cold = iterations(fresh);
  iterations(known);
  const std::vector<int> warm = iterations(known);
  ASSERT_EQ(cold.size(), 190U);
  for (const int threads : {1, 3}) {
    Scene asked = scene;
    ASSERT_TRUE(asked.collides({.num_threads = threads}));
    const std::vector<int> after = iterations(asked);
    int different = 0;
    for (std::size_t i = 0; i < cold.size(); ++i) {
      EXPECT_EQ(after[i], i < 8 ? warm[i] : cold[i]) << i;
      different += i >= 8 && warm[i] != cold[i] ? 1 : 0;
    }
    EXPECT_GT(different, 50) << "else the counts would tell nothing";
  }
}

TEST(SceneDistances, AnInterruptedCallLeavesNoRows) {
  Random random(47);
  Scene scene = testing::random_scene(random, 100, 1.0);
  SceneDistances found;
  ASSERT_TRUE(scene.distances({.num_threads = 1}, found));
  ASSERT_FALSE(found.pairs.empty());
  const bool finished = scene.distances({.num_threads = 1, .interrupted = [] { return true; }},
                                        found);
  EXPECT_EQ(found.pairs.empty(), !finished);  // a call that ends before it asks is not interrupted
}

TEST(SceneDistances, APartBeyondTheLargestCoordinateIsAnInvalidRow) {
  Scene scene;
  const Pose far{.translation = {9e29, 0.0, 0.0}};
  scene.add({.geometry = Compound({{Sphere{.radius = 1e29}, far}}),
             .X = {.translation = {-9e29, 0.0, 0.0}}});
  scene.add({.geometry = Shape(Sphere{.radius = 9e29}), .X = far});  // 1.8e30 m from the compound
  SceneDistances found;
  ASSERT_TRUE(scene.distances({}, found));
  ASSERT_EQ(found.distances.size(), 1U);
  EXPECT_EQ(found.distances[0].status, Status::invalid_input);
  SceneContacts contacts;
  ASSERT_TRUE(scene.contacts({}, contacts));
  EXPECT_TRUE(contacts.contacts.empty());
}

TEST(SceneDistances, MeshesAnswerAsTheyDoAlone) {
  Random random(71);
  Scene scene;
  std::vector<Geometry> geometries;
  for (int i = 0; i < 30; ++i) {
    geometries.push_back(i % 3 == 0 ? Geometry(testing::torus_mesh(0.4, 0.15, 8, 6).solid())
                                    : testing::random_geometry(random));
    scene.add(geometries.back(), testing::random_pose(random, 1.5));
  }
  for (int step = 0; step < 3; ++step) {
    for (const SceneId id : scene.ids()) {
      Pose X = scene.object(id).X;
      X.translation += random.in_box(0.05);
      scene.set_pose(id, X);
    }
    const SceneDistances found = scene.distances({.margin = 0.1});
    std::size_t at = 0;
    for (SceneId a = 0; a < 30; ++a) {
      for (SceneId b = a + 1; b < 30; ++b) {
        const GeometryDistance expected = distance(
            geometries[static_cast<std::size_t>(a)], scene.object(a).X,
            geometries[static_cast<std::size_t>(b)], scene.object(b).X, {.cutoff = 0.1});
        if (expected.status == Status::beyond_cutoff) continue;
        ASSERT_LT(at, found.pairs.size());
        ASSERT_EQ(found.pairs[at], (std::pair<SceneId, SceneId>(a, b)));
        ASSERT_NEAR(found.distances[at].distance, expected.distance, 1e-9);
        ASSERT_EQ(found.distances[at].status, expected.status);
        ++at;
      }
    }
    ASSERT_EQ(at, found.pairs.size());
  }
  const SceneContacts contacts = scene.contacts({.margin = 0.01});
  ASSERT_GT(contacts.pairs.size(), 10U);
  for (std::size_t i = 0; i < contacts.pairs.size(); ++i) {
    const auto [a, b] = contacts.pairs[i];
    std::vector<PartPatch> patches;
    contact_patches(scene.object(a).geometry, scene.object(a).X, scene.object(b).geometry,
                    scene.object(b).X, {.cutoff = 0.01}, patches);
    std::int64_t count = 0;
    for (const PartPatch& patch : patches) count += patch.patch.count;
    EXPECT_EQ(contacts.offsets[i + 1] - contacts.offsets[i], count);
    EXPECT_GT(count, 0);
  }
  const SceneHit hit = scene.raycast({0, 0, 5}, {0, 0, -1});
  RayHit expected;
  for (SceneId id = 0; id < 30; ++id) {
    const RayHit one = ray_cast(geometries[static_cast<std::size_t>(id)], scene.object(id).X,
                                {0, 0, 5}, {0, 0, -1});
    if (one && one.distance < expected.distance) expected = one;
  }
  ASSERT_EQ(hit.hit, expected.hit);
  EXPECT_EQ(hit.distance, expected.distance);
}

}  // namespace
}  // namespace tactum::scene_distances_test
