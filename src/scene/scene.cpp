// SPDX-License-Identifier: BSD-2-Clause
#include "tactum/scene.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>

#include "batch/pose_reader.hpp"
#include "core/number_text.hpp"
#include "core/thread_team.hpp"
#include "math/pose_check.hpp"
#include "narrow/pair_frame.hpp"
#include "scene/geometry_reach.hpp"
#include "scene/scene_state.hpp"
#include "shape/shape_checks.hpp"

namespace tactum {
namespace {

constexpr std::size_t kLongestName = 255;

void check_name(const std::string& name) {
  if (name.size() > kLongestName) {
    throw InvalidInput("name", std::to_string(name.size()) + " bytes", "give at most 255");
  }
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (std::ranges::any_of(name, is_control)) throw InvalidInput("name", "a control character", "give printable characters");
}

bool is_half_space(const Geometry& geometry) {
  return geometry.shape() != nullptr && geometry.shape()->kind() == ShapeKind::half_space;
}

bool meet(const SceneObject& a, const SceneObject& b) {
  return (a.group & b.mask) != 0 && (b.group & a.mask) != 0 && !(is_half_space(a.geometry) && is_half_space(b.geometry));
}

/// Says what is wrong with a row of set_poses.
[[noreturn]] void throw_bad_row(const Scene& scene, std::span<const SceneId> ids, const PoseReader& reader, std::size_t row) {
  const std::string index = "[" + std::to_string(row) + "]";
  if (!scene.contains(ids[row])) {
    throw InvalidInput("ids" + index, std::to_string(ids[row]), "give the id of an object of this scene");
  }
  CheckedPose scratch;
  if (const Pose* const pose = reader.read(row, scratch)) check_pose(*pose, ("X" + index).c_str());
  throw InvalidInput("X" + index, "numbers that are no pose",
                     "give finite numbers: a rigid matrix, or x y z and a unit quaternion");
}

}  // namespace

// results are views and stay behind; everything that decides the next answer is copied
Scene::State::State(const State& other)
    : objects(other.objects),
      serials(other.serials),
      num_added(other.num_added),
      tree(other.tree),
      margin(other.margin),
      tracker(other.tracker) {}

const SceneObject& Scene::State::at(SceneId id) const {
  if (id < 0 || static_cast<std::size_t>(id) >= objects.size() || !objects[static_cast<std::size_t>(id)]) {
    throw InvalidInput("id", std::to_string(id), "give the id of an object of this scene");
  }
  return *objects[static_cast<std::size_t>(id)];
}

SceneObject& Scene::State::at(SceneId id) { return const_cast<SceneObject&>(std::as_const(*this).at(id)); }

Aabb Scene::State::grown_box(const Geometry& geometry, const Pose& X) const {
  Aabb box = geometry.aabb(X);
  // half of the margin; and the contact band, since what touches is a pair at any margin: the scale of two objects is at most the sum of these
  const double half = 0.5 * margin * (1.0 + 4.0 * std::numeric_limits<double>::epsilon());
  const double grown = half + kContactBand * (reach_of(geometry) + X.translation.stableNorm());
  box.lower.array() -= grown;
  box.upper.array() += grown;
  return box;
}

void Scene::State::set_margin(double new_margin) {
  if (!(new_margin >= 0.0 && new_margin <= 1e30)) {
    throw InvalidInput("margin", exact_text(new_margin), "give zero or a finite length in metres");
  }
  if (new_margin == margin) return;
  margin = new_margin;
  box_ids.clear();
  boxes.clear();
  for (std::size_t id = 0; id < objects.size(); ++id) {
    if (!objects[id]) continue;
    box_ids.push_back(static_cast<SceneId>(id));
    boxes.push_back(grown_box(objects[id]->geometry, objects[id]->X));
  }
  tree.update(box_ids, boxes);
}

void Scene::State::find_pairs(double new_margin) {
  set_margin(new_margin);
  tree.pairs(pairs);
  std::erase_if(pairs, [&](const std::pair<SceneId, SceneId>& pair) {
    return !meet(*objects[static_cast<std::size_t>(pair.first)], *objects[static_cast<std::size_t>(pair.second)]);
  });
}

Scene::Scene() : state_(std::make_unique<State>()) {}
Scene::~Scene() = default;
Scene::Scene(const Scene& other) : state_(std::make_unique<State>(*other.state_)) {}
Scene& Scene::operator=(const Scene& other) {
  if (this != &other) state_ = std::make_unique<State>(*other.state_);
  return *this;
}
Scene::Scene(Scene&& other) noexcept = default;
Scene& Scene::operator=(Scene&& other) noexcept = default;

SceneId Scene::add(SceneObject object) {
  check_name(object.name);
  object.X = check_pose(object.X, "X").pose;
  const SceneId id = state_->tree.insert(state_->grown_box(object.geometry, object.X));
  const auto slot = static_cast<std::size_t>(id);
  if (slot >= state_->objects.size()) {
    state_->objects.resize(slot + 1);
    state_->serials.resize(slot + 1);
  }
  state_->objects[slot] = std::move(object);
  state_->serials[slot] = state_->num_added++;
  return id;
}

void Scene::remove(SceneId id) {
  state_->at(id);
  state_->tree.remove(id);
  state_->objects[static_cast<std::size_t>(id)].reset();
}

void Scene::set_pose(SceneId id, const Pose& X) {
  SceneObject& object = state_->at(id);
  const Pose pose = check_pose(X, "X").pose;
  state_->tree.update(id, state_->grown_box(object.geometry, pose));
  object.X = pose;
}

void Scene::set_poses(std::span<const SceneId> ids, const PoseSpan& X, int num_threads) {
  check_num_threads(num_threads);
  if (X.size() != ids.size() && X.size() != 1) {
    throw InvalidInput("X", std::to_string(X.size()) + " poses",
                       "give one, or one for each of the " + std::to_string(ids.size()) + " ids");
  }
  const PoseReader reader(X);
  State& state = *state_;
  state.poses.resize(ids.size());
  state.boxes.resize(ids.size());
  std::atomic<std::size_t> first_bad = ids.size();
  const auto take = [&](std::size_t begin, std::size_t end) {
    CheckedPose scratch;
    for (std::size_t i = begin; i < end; ++i) {
      const Pose* const pose = contains(ids[i]) ? reader.read(i, scratch) : nullptr;
      if (pose != nullptr && pose_quality(*pose) != PoseQuality::bad) {
        state.poses[i] = check_pose(*pose, "X").pose;
        state.boxes[i] = state.grown_box(state.objects[static_cast<std::size_t>(ids[i])]->geometry, state.poses[i]);
      } else {
        for (std::size_t known = first_bad; i < known && !first_bad.compare_exchange_weak(known, i);) continue;
      }
    }
  };
  parallel_for(state.work.team(), ids.size(), {.num_threads = num_threads}, std::ref(take));
  if (first_bad < ids.size()) throw_bad_row(*this, ids, reader, first_bad);
  state.tree.update(ids, state.boxes);
  for (std::size_t i = 0; i < ids.size(); ++i) state.objects[static_cast<std::size_t>(ids[i])]->X = state.poses[i];
}

std::size_t Scene::size() const { return state_->tree.size(); }

bool Scene::contains(SceneId id) const { return state_->tree.contains(id); }

std::vector<SceneId> Scene::ids() const {
  std::vector<SceneId> result;
  result.reserve(size());
  for (std::size_t id = 0; id < state_->objects.size(); ++id) {
    if (state_->objects[id]) result.push_back(static_cast<SceneId>(id));
  }
  return result;
}

const SceneObject& Scene::object(SceneId id) const { return std::as_const(*state_).at(id); }

SceneId Scene::find(std::string_view name) const {
  const auto named = [&](const std::optional<SceneObject>& object) { return object && object->name == name; };
  const auto found = std::ranges::find_if(state_->objects, named);
  return found == state_->objects.end() ? -1 : static_cast<SceneId>(found - state_->objects.begin());
}

std::size_t Scene::nbytes() const {
  const State& s = *state_;
  return sizeof(*this) + sizeof(s) + s.objects.capacity() * (sizeof(s.objects[0]) + sizeof(s.serials[0])) + s.tree.nbytes() +
         s.tracker.nbytes() + s.distances.capacity() * sizeof(GeometryDistance) + s.contacts.capacity() * sizeof(SceneContact);
}

std::span<const std::pair<SceneId, SceneId>> Scene::pairs(double margin) {
  state_->find_pairs(margin);
  return state_->pairs;
}

bool Scene::distances(const SceneOptions& options, SceneDistances& out) {
  out = {};
  if (!state_->find_distances(options)) return false;
  out = {state_->pairs, state_->distances};
  return true;
}

bool Scene::contacts(const SceneOptions& options, SceneContacts& out) {
  out = {};
  if (!state_->find_contacts(options)) return false;
  out = {state_->pairs, state_->offsets, state_->contacts};
  return true;
}

SceneHit Scene::raycast(const Vector3& origin, const Vector3& direction, double max_distance) const {
  for (int i = 0; i < 3; ++i) check_coordinate(origin[i], "origin[" + std::to_string(i) + "]");
  if (!(max_distance >= 0.0))
    throw InvalidInput("max_distance", exact_text(max_distance), "give zero, a length in metres, or infinity");
  const Vector3 unit = checked_direction(direction, "direction");
  SceneHit best;
  best.distance = max_distance;
  state_->tree.raycast(origin, unit, max_distance, [&](SceneId id, double) {
    const SceneObject& object = *state_->objects[static_cast<std::size_t>(id)];
    const RayHit hit = ray_cast(object.geometry, object.X, origin, unit, best.distance);
    if (hit && (hit.distance < best.distance || !best.hit || id < best.id)) {
      static_cast<RayHit&>(best) = hit;
      best.id = id;
    }
    return best.distance;
  });
  return best.hit ? best : SceneHit{};
}

}  // namespace tactum
