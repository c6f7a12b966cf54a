// SPDX-License-Identifier: BSD-2-Clause
// tactum_compare_bin: all contacts of 1000 hulls that settle in a bin, by tactum and by coal, in
// one process. Writes one JSON object; tools/compare_bin.py makes the file that it reads, and the
// rows.
//
//   tactum_compare_bin FILE [--rounds N]
//   tactum_compare_bin --flying COUNT [--rounds N] tactum alone, by one thread and by two: that
//   many boxes and balls in the air
//
// Step       new poses for all hulls, then all contacts of pairs that touch or penetrate. tactum:
//            Scene::set_poses and Scene::contacts, up to eight points a pair. coal: poses, boxes,
//            DynamicAABBTreeCollisionManager::update and collide with one contact a pair, from its
//            cached guess, through the functors that keep their solver; and, as a second side,
//            computeContactPatch on top.
// Measured   sides take turns within a frame, each frame in another order; frames run forth and
//            back, so that poses move as in the recording. Times are medians over frames; the pairs
//            of both are compared.
#include <coal/broadphase/broadphase.h>
#include <coal/collision.h>
#include <coal/contact_patch.h>
#include <coal/shape/geometric_shapes.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "coal_hull.hpp"
#include "stopwatch.hpp"
#include "support/random.hpp"
#include "tactum/scene.hpp"

namespace tactum::compare {
namespace {

using IdPairs = std::vector<std::pair<SceneId, SceneId>>;

/// Hulls, which of them each body is, and the poses of all bodies in every frame.
struct Bin {
  std::vector<Shape> hulls;
  std::vector<std::int32_t> objects;
  std::vector<std::vector<Pose>> frames;
  double half_width = 0.0;

  explicit Bin(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const auto read = [&](auto& value) {
      if (!file.read(reinterpret_cast<char*>(&value), sizeof value))
        throw std::invalid_argument(path + ": too short");
    };
    std::int32_t num_hulls = 0, num_objects = 0, num_frames = 0;
    read(num_hulls), read(num_objects), read(num_frames), read(half_width);
    for (std::int32_t i = 0; i < num_hulls; ++i) {
      std::int32_t count = 0;
      read(count);
      Points points(3, count);
      for (double& number : points.reshaped()) read(number);
      hulls.emplace_back(Convex::from_points(points));
    }
    objects.resize(static_cast<std::size_t>(num_objects));
    for (std::int32_t& object : objects) read(object);
    for (std::int32_t f = 0; f < num_frames; ++f) {
      std::vector<Pose>& frame = frames.emplace_back();
      for (std::int32_t i = 0; i < num_objects; ++i) {
        Vector7 numbers;
        for (double& number : numbers) read(number);
        numbers.tail<4>().normalize();
        frame.push_back(pose_from_xyz_xyzw(numbers));
      }
    }
  }

  /// Ground and walls.
  std::vector<std::pair<Shape, Pose>> fixed() const {
    const double w = half_width;
    return {{HalfSpace{}, {}},
            {Box{.half_extents = {0.1, w, 3.0}}, {.translation = {-w - 0.1, 0, 3}}},
            {Box{.half_extents = {0.1, w, 3.0}}, {.translation = {w + 0.1, 0, 3}}},
            {Box{.half_extents = {w, 0.1, 3.0}}, {.translation = {0, -w - 0.1, 3}}},
            {Box{.half_extents = {w, 0.1, 3.0}}, {.translation = {0, w + 0.1, 3}}}};
  }
};

constexpr std::uint32_t kFixed = 2;  ///< the group of ground and walls, which do not meet each
                                     ///< other

/// One way to find all contacts.
struct Side {
  std::string name;
  std::function<void(const std::vector<Pose>&)> step;
  std::function<void(IdPairs&)> pairs;  ///< of the last step, ascending
  std::function<std::size_t()> points;  ///< of the last step
  std::vector<double> milliseconds = {};
};

struct TactumSide {
  Scene scene;
  std::vector<SceneId> ids;
  SceneOptions options;
  SceneContacts found;

  TactumSide(const Bin& bin, int num_threads) {
    options.num_threads = num_threads;
    for (std::size_t i = 0; i < bin.objects.size(); ++i) {
      ids.push_back(scene.add({.geometry = bin.hulls[static_cast<std::size_t>(bin.objects[i])],
                               .X = bin.frames[0][i]}));
    }
    for (const auto& [shape, X] : bin.fixed())
      scene.add({.geometry = shape, .X = X, .group = kFixed, .mask = ~kFixed});
  }
  void step(const std::vector<Pose>& poses) {
    scene.set_poses(ids, poses, options.num_threads);
    scene.contacts(options, found);
  }
};

coal::Transform3s to_coal(const Pose& X) { return {X.rotation, X.translation}; }

std::shared_ptr<coal::CollisionGeometry> to_coal(const Shape& shape) {
  if (const auto* box = std::get_if<Box>(&shape.parameters()))
    return std::make_shared<coal::Box>(2.0 * box->half_extents);
  if (std::get_if<HalfSpace>(&shape.parameters()) != nullptr)
    return std::make_shared<coal::Halfspace>(Vector3::UnitZ(), 0.0);
  return coal_hull(std::get<Convex>(shape.parameters()));
}

class CoalSide : coal::CollisionCallBackBase {
 public:
  CoalSide(const Bin& bin, bool patches) : patches_(patches), patch_request_(1) {
    std::vector<std::shared_ptr<coal::CollisionGeometry>> hulls;
    for (const Shape& hull : bin.hulls) hulls.push_back(to_coal(hull));
    for (std::size_t i = 0; i < bin.objects.size(); ++i)
      add(hulls[static_cast<std::size_t>(bin.objects[i])], bin.frames[0][i]);
    num_moving_ = objects_.size();
    for (const auto& [shape, X] : bin.fixed()) add(to_coal(shape), X);
    std::vector<coal::CollisionObject*> all;
    for (const auto& object : objects_) all.push_back(object.get());
    manager_.registerObjects(all);
    manager_.setup();
    request_.num_max_contacts = 1;
    request_.gjk_initial_guess = coal::GJKInitialGuess::CachedGuess;
    request_.enable_cached_gjk_guess = true;
  }

  void step(const std::vector<Pose>& poses) {
    for (std::size_t i = 0; i < num_moving_; ++i) {
      objects_[i]->setTransform(to_coal(poses[i]));
      objects_[i]->computeAABB();
    }
    manager_.update();
    pairs_.clear();
    points_ = 0;
    manager_.collide(this);
  }
  void sorted_pairs(IdPairs& out) {
    out = pairs_;
    std::ranges::sort(out);
  }
  std::size_t points() const { return points_; }

 private:
  struct Pair {
    coal::ComputeCollision collide;
    coal::ComputeContactPatch patch;
    coal::Vec3s guess = coal::Vec3s::UnitX();
    coal::support_func_guess_t support_guess = coal::support_func_guess_t::Zero();
  };

  void add(const std::shared_ptr<coal::CollisionGeometry>& geometry, const Pose& X) {
    objects_.push_back(std::make_unique<coal::CollisionObject>(geometry, to_coal(X)));
    objects_.back()->setUserData(
        reinterpret_cast<void*>(static_cast<std::intptr_t>(objects_.size() - 1)));
  }

  bool collide(coal::CollisionObject* first, coal::CollisionObject* second) override {
    const auto i = static_cast<SceneId>(reinterpret_cast<std::intptr_t>(first->getUserData()));
    const auto j = static_cast<SceneId>(reinterpret_cast<std::intptr_t>(second->getUserData()));
    if (static_cast<std::size_t>(std::min(i, j)) >= num_moving_) return false;
    const std::uint64_t key = (static_cast<std::uint64_t>(i) << 32) | static_cast<std::uint32_t>(j);
    auto known = known_.find(key);
    if (known == known_.end()) {
      const coal::CollisionGeometry *a = first->collisionGeometryPtr(),
                                    *b = second->collisionGeometryPtr();
      known = known_
                  .emplace(key, Pair{coal::ComputeCollision(a, b), coal::ComputeContactPatch(a, b)})
                  .first;
    }
    Pair& pair = known->second;
    request_.cached_gjk_guess = pair.guess;
    request_.cached_support_func_guess = pair.support_guess;
    result_.clear();
    pair.collide(first->getTransform(), second->getTransform(), request_, result_);
    pair.guess = result_.cached_gjk_guess;
    pair.support_guess = result_.cached_support_func_guess;
    if (!result_.isCollision()) return false;
    pairs_.emplace_back(std::min(i, j), std::max(i, j));
    if (patches_) {
      patch_result_.clear();
      pair.patch(first->getTransform(), second->getTransform(), result_, patch_request_,
                 patch_result_);
      for (std::size_t k = 0; k < patch_result_.numContactPatches(); ++k)
        points_ += patch_result_.getContactPatch(k).size();
    } else {
      points_ += result_.numContacts();
    }
    return false;
  }

  bool patches_;
  coal::ContactPatchRequest patch_request_;
  coal::ContactPatchResult patch_result_;
  coal::CollisionRequest request_;
  coal::CollisionResult result_;
  std::vector<std::unique_ptr<coal::CollisionObject>> objects_;
  std::size_t num_moving_ = 0;
  coal::DynamicAABBTreeCollisionManager manager_;
  std::unordered_map<std::uint64_t, Pair> known_;
  IdPairs pairs_;
  std::size_t points_ = 0;
};

double quantile(std::vector<double> values, double share) {
  const auto at = values.begin() +
                  static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// Boxes and balls that fly through a cube, two for every m^3: about as many contacts as bodies.
void run_flying(int count, int rounds) {
  testing::Random random(1, static_cast<std::uint64_t>(count));
  const double half = 0.5 * std::cbrt(0.5 * count);
  std::vector<Pose> poses;
  std::vector<Vector3> steps;
  std::vector<SceneId> ids;
  std::vector<Scene> scenes(2);
  for (int i = 0; i < count; ++i) {
    poses.push_back({random.rotation(), random.in_box(half)});
    steps.push_back(0.01 * random.direction());
    const Vector3 size(random.uniform(0.1, 0.35), random.uniform(0.1, 0.35),
                       random.uniform(0.1, 0.35));
    const Shape body = i % 4 == 0 ? Shape(Sphere{.radius = size.x()})
                                  : Shape(Box{.half_extents = size});
    for (Scene& scene : scenes)
      ids.resize(static_cast<std::size_t>(scene.add({.geometry = body, .X = poses.back()})) + 1);
  }
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<SceneId>(i);
  std::array<std::vector<double>, 2> milliseconds;
  std::size_t points = 0;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < poses.size(); ++i) poses[i].translation += steps[i];
    for (std::size_t k = 0; k < 2; ++k) {
      const std::size_t side = (k + static_cast<std::size_t>(round)) % 2;
      const int num_threads = static_cast<int>(side) + 1;
      SceneContacts found;
      const std::uint64_t start = Stopwatch::now();
      scenes[side].set_poses(ids, poses, num_threads);
      scenes[side].contacts({.num_threads = num_threads}, found);
      const double time = 1e-6 * Stopwatch::nanoseconds(start, Stopwatch::now());
      if (round > 0) milliseconds[side].push_back(time);
      points = found.contacts.size();
    }
  }
  std::printf("{\"bodies\": %d, \"points\": %zu, \"one\": %.6g, \"two\": %.6g}\n", count, points,
              quantile(milliseconds[0], 0.5), quantile(milliseconds[1], 0.5));
}

void run(const std::string& path, int rounds) {
  const Bin bin(path);
  TactumSide one(bin, 1), two(bin, 2);
  CoalSide contacts(bin, false), patches(bin, true);
  std::vector<Side> sides;
  const auto tactum_pairs = [](TactumSide& side) {
    return [&side](IdPairs& out) { out.assign(side.found.pairs.begin(), side.found.pairs.end()); };
  };
  sides.push_back({"tactum", [&](const auto& poses) { one.step(poses); }, tactum_pairs(one),
                   [&] { return one.found.contacts.size(); }});
  sides.push_back({"tactum 2 threads", [&](const auto& poses) { two.step(poses); },
                   tactum_pairs(two), [&] { return two.found.contacts.size(); }});
  sides.push_back({"coal one contact", [&](const auto& poses) { contacts.step(poses); },
                   [&](IdPairs& out) { contacts.sorted_pairs(out); },
                   [&] { return contacts.points(); }});
  sides.push_back({"coal patches", [&](const auto& poses) { patches.step(poses); },
                   [&](IdPairs& out) { patches.sorted_pairs(out); },
                   [&] { return patches.points(); }});

  std::size_t turn = 0, only_tactum = 0, only_coal = 0, common = 0;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t f = 0; f < bin.frames.size(); ++f, ++turn) {
      const std::vector<Pose>& poses = bin.frames[round % 2 == 0 ? f : bin.frames.size() - 1 - f];
      for (std::size_t k = 0; k < sides.size(); ++k) {
        Side& side = sides[(turn + k) % sides.size()];
        const std::uint64_t start = Stopwatch::now();
        side.step(poses);
        const double time = 1e-6 * Stopwatch::nanoseconds(start, Stopwatch::now());
        // the first step of each is a warm-up
        if (round > 0 || f > 0) side.milliseconds.push_back(time);
      }
      IdPairs ours, theirs, both;
      sides[0].pairs(ours);
      sides[2].pairs(theirs);
      std::ranges::set_intersection(ours, theirs, std::back_inserter(both));
      common += both.size();
      only_tactum += ours.size() - both.size();
      only_coal += theirs.size() - both.size();
    }
  }
  std::printf(
      "{\"hulls\": %zu, \"frames\": %zu, \"common\": %zu, \"only_tactum\": %zu, \"only_coal\": "
      "%zu, \"columns\": [",
      bin.objects.size(), turn, common, only_tactum, only_coal);
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const std::vector<double>& times = sides[i].milliseconds;
    std::printf("%s{\"name\": \"%s\", \"milliseconds\": %.6g, \"spread\": %.6g, \"points\": %zu}",
                i == 0 ? "" : ", ", sides[i].name.c_str(), quantile(times, 0.5),
                quantile(times, 0.75) - quantile(times, 0.25), sides[i].points());
  }
  std::printf("]}\n");
}

}  // namespace
}  // namespace tactum::compare

int main(int argc, char** argv) {
  try {
    if (argc >= 3 && std::strcmp(argv[1], "--flying") == 0) {
      tactum::compare::run_flying(std::max(2, std::stoi(argv[2])),
                                  argc == 5 ? std::max(2, std::stoi(argv[4])) : 60);
      return 0;
    }
    if (argc != 2 && !(argc == 4 && std::strcmp(argv[2], "--rounds") == 0))
      throw std::invalid_argument("usage: tactum_compare_bin FILE [--rounds N]");
    tactum::compare::run(argv[1], argc == 4 ? std::max(1, std::stoi(argv[3])) : 6);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tactum_compare_bin: %s\n", error.what());
    return 2;
  }
}
