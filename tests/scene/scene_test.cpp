// SPDX-License-Identifier: BSD-2-Clause
// A scene against all pairs of its objects, under adds, removes and moves; ids; bad input that
// changes nothing.
#include "tactum/scene.hpp"

#include <gtest/gtest.h>

#include "scene/scene_fixtures.hpp"

namespace tactum::scene_test {
namespace {

using testing::Random;
using IdPairs = std::vector<std::pair<SceneId, SceneId>>;

bool is_plane(const SceneObject& object) {
  return object.geometry.shape() != nullptr &&
         object.geometry.shape()->kind() == ShapeKind::half_space;
}

bool meet(const SceneObject& a, const SceneObject& b) {
  return (a.group & b.mask) != 0 && (b.group & a.mask) != 0 && !(is_plane(a) && is_plane(b));
}

/// Boxes that are at most `margin` apart on every axis; `slack` on top.
IdPairs near_boxes(const Scene& scene, double margin, double slack) {
  IdPairs pairs;
  const std::vector<SceneId> ids = scene.ids();
  for (const SceneId a : ids) {
    for (const SceneId b : ids) {
      if (a >= b || !meet(scene.object(a), scene.object(b))) continue;
      const Aabb p = scene.object(a).geometry.aabb(scene.object(a).X),
                 q = scene.object(b).geometry.aabb(scene.object(b).X);
      const double gap = std::max((p.lower - q.upper).maxCoeff(), (q.lower - p.upper).maxCoeff());
      if (gap <= margin + slack) pairs.emplace_back(a, b);
    }
  }
  return pairs;
}

void expect_pairs(Scene& scene, double margin) {
  const auto found = scene.pairs(margin);
  const IdPairs least = near_boxes(scene, margin, -1e-12), most = near_boxes(scene, margin, 1e-12);
  EXPECT_TRUE(std::ranges::is_sorted(found));
  EXPECT_TRUE(std::ranges::includes(found, least));
  EXPECT_TRUE(std::ranges::includes(most, found));
}

TEST(Scene, PairsAreThoseOfAllBoxesAfterAnySequence) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(31, seed);
    Scene scene = testing::random_scene(random, 30, 3.0);
    for (int step = 0; step < 20; ++step) {
      const std::vector<SceneId> ids = scene.ids();
      for (int k = 0; k < 5; ++k) {
        const SceneId id =
            ids[static_cast<std::size_t>(random.below(static_cast<int>(ids.size())))];
        if (!scene.contains(id)) continue;
        if (random.chance(0.3)) {
          scene.remove(id);
          EXPECT_FALSE(scene.contains(id));
        } else {
          scene.set_pose(id, testing::random_pose(random, 3.0));
        }
      }
      while (scene.size() < 25)
        scene.add(
            {.geometry = testing::random_geometry(random), .X = testing::random_pose(random, 3.0)});
      SCOPED_TRACE(::testing::Message() << seed << " " << step);
      expect_pairs(scene, random.chance(0.5) ? 0.0 : random.uniform(0.0, 0.5));
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(Scene, IdsAreReusedFromTheLowest) {
  Scene scene;
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(scene.add({.geometry = Shape(Sphere{.radius = 1}), .name = std::to_string(i)}), i);
  scene.remove(3);
  scene.remove(1);
  EXPECT_EQ(scene.ids(), (std::vector<SceneId>{0, 2, 4}));
  EXPECT_EQ(scene.find("4"), 4);
  EXPECT_EQ(scene.find("3"), -1);
  EXPECT_EQ(scene.add({.geometry = Shape(Sphere{.radius = 2})}), 1);
  EXPECT_EQ(scene.add({.geometry = Shape(Sphere{.radius = 2})}), 3);
  EXPECT_EQ(scene.add({.geometry = Shape(Sphere{.radius = 2})}), 5);
}

TEST(Scene, MovingManyIsMovingEach) {
  Random random(32);
  Scene one = testing::random_scene(random, 40, 2.0);
  Scene all = one;
  const std::vector<SceneId> ids = one.ids();
  for (int step = 0; step < 5; ++step) {
    std::vector<Pose> poses;
    for (const SceneId id : ids) {
      poses.push_back(testing::random_pose(random, 2.0));
      one.set_pose(id, poses.back());
    }
    all.set_poses(ids, poses);
    EXPECT_TRUE(std::ranges::equal(one.pairs(0.1), all.pairs(0.1)));
  }
  one.set_poses(std::vector<SceneId>{ids[3], ids[5]}, Pose{});
  EXPECT_EQ(one.object(ids[5]).X.translation, Vector3::Zero());
}

TEST(Scene, BadInputIsNamedAndChangesNothing) {
  Scene scene;
  const SceneId id = scene.add(
      {.geometry = Shape(Sphere{.radius = 1}), .X = {.translation = {1, 2, 3}}, .name = "ball"});
  const std::string before = scene.to_text();
  const auto field_of = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const InvalidInput& error) {
      return error.field();
    }
    return "accepted";
  };
  const Pose bad{.translation = {0, std::numeric_limits<double>::quiet_NaN(), 0}};
  const std::vector<SceneId> unknown = {id, 7}, twice = {id, id};
  EXPECT_EQ(field_of([&] { scene.remove(1); }), "id");
  EXPECT_EQ(field_of([&] { scene.remove(-1); }), "id");
  EXPECT_EQ(field_of([&] { scene.object(9); }), "id");
  EXPECT_EQ(field_of([&] { scene.set_pose(id, bad); }).substr(0, 1), "X");
  EXPECT_EQ(field_of([&] { scene.set_poses(unknown, std::vector<Pose>(2)); }), "ids[1]");
  EXPECT_EQ(field_of([&] { scene.set_poses(twice, std::vector<Pose>{Pose{}, bad}); }).substr(0, 4),
            "X[1]");
  EXPECT_EQ(field_of([&] { scene.set_poses(twice, std::vector<Pose>(3)); }), "X");
  EXPECT_EQ(field_of([&] { scene.add({.geometry = Shape(Sphere{}), .X = bad}); }).substr(0, 1),
            "X");
  EXPECT_EQ(field_of([&] { scene.add({.geometry = Shape(Sphere{}), .name = "line\nbreak"}); }),
            "name");
  EXPECT_EQ(
      field_of([&] { scene.add({.geometry = Shape(Sphere{}), .name = std::string(256, 'x')}); }),
      "name");
  EXPECT_EQ(field_of([&] { scene.pairs(-0.1); }), "margin");
  EXPECT_EQ(field_of([&] { scene.pairs(std::numeric_limits<double>::infinity()); }), "margin");
  SceneDistances distances;
  SceneContacts contacts;
  EXPECT_EQ(field_of([&] { scene.distances({.tolerance = 0.0}, distances); }), "tolerance");
  EXPECT_EQ(field_of([&] { scene.distances({.num_threads = -1}, distances); }), "num_threads");
  EXPECT_EQ(field_of([&] { scene.contacts({.max_points = 0}, contacts); }), "max_points");
  EXPECT_EQ(field_of([&] { scene.raycast({0, 0, 0}, {0, 0, 0}); }), "direction");
  EXPECT_EQ(scene.to_text(), before);
}

/// A scene of balls in one place, so that every pair that may meet is a pair.
Scene balls(int count) {
  Scene scene;
  for (int i = 0; i < count; ++i) scene.add(Shape(Sphere{.radius = 0.1}));
  return scene;
}

IdPairs found_pairs(Scene& scene) {
  const auto found = scene.pairs();
  return {found.begin(), found.end()};
}

TEST(ScenePairs, NamedPairsDecideBeforeGroupsAndMasks) {
  Scene scene = balls(3);
  scene.forbid(2, 0);
  EXPECT_EQ(found_pairs(scene), (IdPairs{{0, 1}, {1, 2}}));
  EXPECT_FALSE(scene.may_meet(0, 2));
  scene.allow(0, 2);
  EXPECT_EQ(found_pairs(scene), (IdPairs{{0, 1}, {0, 2}, {1, 2}}));
  scene.set_group(0, 2);
  scene.set_mask(1, 1);
  EXPECT_EQ(found_pairs(scene), (IdPairs{{0, 2}, {1, 2}}));
  scene.allow(0, 1);
  EXPECT_EQ(found_pairs(scene), (IdPairs{{0, 1}, {0, 2}, {1, 2}}));
  scene.forbid(0, 1);
  scene.remove(0);
  EXPECT_EQ(scene.add(Shape(Sphere{.radius = 0.1})), 0);  // another object under the same id
  EXPECT_EQ(found_pairs(scene), (IdPairs{{0, 1}, {0, 2}, {1, 2}}));
}

TEST(ScenePairs, AListOfPairsIsKeptExactlyAndNewObjectsMeetAll) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Random random(34, seed);
    const int count = 2 + random.below(60);
    Scene scene = balls(count);
    scene.forbid(0, 1);  // forgotten by what follows
    IdPairs listed, given;
    for (SceneId a = 0; a < count; ++a) {
      for (SceneId b = a + 1; b < count; ++b) {
        if (!random.chance(0.3)) continue;
        listed.emplace_back(a, b);
        given.emplace_back(random.chance(0.5) ? std::pair(a, b) : std::pair(b, a));
      }
    }
    scene.set_pairs(given);
    EXPECT_EQ(found_pairs(scene), listed);
    const SceneId obstacle = scene.add(Shape(Sphere{.radius = 1.0}));
    for (SceneId id = 0; id < count; ++id) listed.emplace_back(id, obstacle);
    std::ranges::sort(listed);
    EXPECT_EQ(found_pairs(scene), listed);
    Scene copy = scene, read = Scene::from_text(scene.to_text());
    EXPECT_EQ(found_pairs(copy), listed);
    EXPECT_EQ(found_pairs(read), listed);
  }
}

TEST(ScenePairs, AListAloneFindsWhatTheTreeFinds) {
  // an object that is added far away and meets nobody is not on the list: then the tree is asked
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(83, seed);
    Scene listed = testing::random_scene(random, 30, 1.0);
    std::vector<std::pair<SceneId, SceneId>> given;
    for (SceneId a = 0; a < 30; ++a)
      for (SceneId b = a + 1; b < 30; ++b)
        if (random.chance(0.4)) given.emplace_back(b, a);
    listed.set_pairs(given);
    listed.forbid(given[0].first, given[0].second);
    Scene asked = listed;
    asked.add({.geometry = Shape(Sphere{.radius = 0.1}),
               .X = {.translation = {1e6, 0, 0}},
               .group = 0,
               .mask = 0});
    for (int step = 0; step < 10; ++step) {
      const auto id = static_cast<SceneId>(random.below(30));
      if (step == 5) {
        listed.remove(id);
        asked.remove(id);
      } else if (listed.contains(id)) {
        const Pose X = testing::random_pose(random, 1.0);
        listed.set_pose(id, X);
        asked.set_pose(id, X);
      }
      const double margin = random.chance(0.3) ? 100.0 : random.uniform(0.0, 0.3);
      const auto found = listed.pairs(margin), expected = asked.pairs(margin);
      ASSERT_TRUE(std::ranges::equal(found, expected)) << "seed " << seed << " step " << step;
    }
  }
}

TEST(ScenePairs, StaticObjectsDoNotMeetEachOther) {
  Scene scene = balls(1);
  for (int i = 0; i < 2; ++i)
    scene.add({.geometry = Shape(Sphere{.radius = 0.1}), .is_static = true});
  EXPECT_EQ(found_pairs(scene), (IdPairs{{0, 1}, {0, 2}}));
  scene.allow(1, 2);
  EXPECT_EQ(found_pairs(scene), (IdPairs{{0, 1}, {0, 2}, {1, 2}}));
  scene.add({.geometry = Shape(HalfSpace{})});
  scene.add({.geometry = Shape(HalfSpace{})});
  scene.allow(3, 4);  // no distance of two half-spaces is defined
  EXPECT_FALSE(scene.may_meet(3, 4));
  const IdPairs found = found_pairs(scene);
  EXPECT_EQ(std::ranges::count(found, std::pair<SceneId, SceneId>(3, 4)), 0);
}

TEST(ScenePairs, MarginsOfObjectsAddUp) {
  Scene scene;
  scene.add({.geometry = Shape(Sphere{.radius = 0.5}), .margin = 0.25});
  scene.add(
      {.geometry = Shape(Sphere{.radius = 0.5}), .X = {.translation = {2.0, 0, 0}}, .margin = 0.5});
  for (const auto& [margin, count] : {std::pair(0.2, 0U), std::pair(0.26, 1U)}) {
    EXPECT_EQ(scene.pairs(margin).size(), count);
    EXPECT_EQ(scene.distances({.margin = margin}).pairs.size(), count);
    EXPECT_EQ(scene.contacts({.margin = margin}).contacts.size(), count);
  }
  EXPECT_EQ(scene.distances({.margin = 0.26}).distances[0].distance, 1.0);
}

TEST(ScenePairs, BadPairsAreNamedAndChangeNothing) {
  Scene scene = balls(3);
  scene.forbid(0, 1);
  const std::string before = scene.to_text();
  const IdPairs unknown = {{0, 1}, {1, 7}}, same = {{0, 1}, {1, 2}, {2, 2}};
  EXPECT_THROW(scene.forbid(0, 3), InvalidInput);
  EXPECT_THROW(scene.allow(1, 1), InvalidInput);
  EXPECT_THROW(scene.may_meet(-1, 1), InvalidInput);
  EXPECT_THROW(scene.set_pairs(unknown), InvalidInput);
  EXPECT_THROW(scene.set_pairs(same), InvalidInput);
  EXPECT_THROW(scene.set_group(3, 1), InvalidInput);
  EXPECT_THROW(scene.set_mask(3, 1), InvalidInput);
  EXPECT_THROW(scene.set_material(0, {.friction = -1.0}), InvalidInput);
  EXPECT_THROW(scene.add({.geometry = Shape(Sphere{}), .margin = -1.0}), InvalidInput);
  EXPECT_THROW(scene.add({.geometry = Shape(Sphere{}), .material = {.restitution = 2.0}}),
               InvalidInput);
  EXPECT_EQ(scene.to_text(), before);
}

TEST(Scene, RaysFindTheNearestObject) {
  Random random(33);
  Scene scene = testing::random_scene(random, 60, 3.0);
  scene.pairs(0.2);  // boxes that are grown find no more
  int hits = 0;
  for (int i = 0; i < 300; ++i) {
    const Vector3 origin = random.in_box(6.0), direction = random.direction();
    const double largest = random.chance(0.5) ? 3.0 : std::numeric_limits<double>::infinity();
    RayHit nearest;
    SceneId nearest_id = -1;
    for (const SceneId id : scene.ids()) {
      const RayHit hit = ray_cast(scene.object(id).geometry, scene.object(id).X, origin, direction,
                                  largest);
      if (hit && hit.distance < nearest.distance) nearest = hit, nearest_id = id;
    }
    const SceneHit found = scene.raycast(origin, direction, largest);
    EXPECT_EQ(found.id, nearest_id);
    EXPECT_EQ(found.distance, nearest.distance);
    hits += found.hit ? 1 : 0;
  }
  EXPECT_GT(hits, 20);
}

TEST(Scene, AnEmptySceneAnswers) {
  Scene scene;
  SceneDistances distances;
  SceneContacts contacts;
  EXPECT_TRUE(scene.pairs().empty());
  EXPECT_TRUE(scene.distances({}, distances));
  EXPECT_TRUE(scene.contacts({}, contacts));
  EXPECT_EQ(contacts.offsets.size(), 1U);
  EXPECT_EQ(scene.raycast({0, 0, 0}, {1, 0, 0}).id, -1);
}

}  // namespace
}  // namespace tactum::scene_test
