// SPDX-License-Identifier: BSD-2-Clause
#include "tactum/scene.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <tuple>

#include "batch/pose_reader.hpp"
#include "broad/float_box.hpp"
#include "core/format_number.hpp"
#include "core/quote_text.hpp"
#include "core/thread_team.hpp"
#include "geometry/reach.hpp"
#include "math/epsilon.hpp"
#include "math/pose_check.hpp"
#include "narrow/pair/bounds_and_status.hpp"
#include "narrow/pair/pair_frame.hpp"
#include "scene/scene_state.hpp"
#include "shape/check/shape_checks.hpp"
#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

/// Throws InvalidInput that says what is wrong with a row of set_poses.
[[noreturn]] void throw_bad_row(const Scene& scene, std::span<const SceneId> ids,
                                const PoseReader& reader, std::size_t row) {
  const std::string index = "[" + std::to_string(row) + "]";
  if (!scene.contains(ids[row])) {
    throw InvalidInput("ids" + index, std::to_string(ids[row]),
                       "give the id of an object of this scene");
  }
  CheckedPose scratch;
  if (const Pose* const pose = reader.read(row, scratch)) check_pose(*pose, ("X" + index).c_str());
  throw InvalidInput("X" + index, "numbers that are not a pose",
                     "give finite numbers: a rigid matrix, or x y z and a unit quaternion");
}

}  // namespace

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
  return state_->ids.assign(state_->place(std::move(object)));
}

void Scene::remove(SceneId id) {
  state_->check(id);
  const std::int32_t slot = state_->ids.slot(id);
  state_->tree.remove(slot);
  state_->filter.forget(slot);
  state_->objects[static_cast<std::size_t>(slot)].reset();
  state_->ids.release(id);
}

void Scene::set_pose(SceneId id, const Pose& X) {
  state_->check(id);
  SceneObject& object = state_->object(id);
  const Pose pose = check_pose(X, "X").pose;
  state_->tree.update(state_->ids.slot(id), state_->grown_box(object, pose));
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
  state.slots.resize(ids.size());
  std::atomic<std::size_t> first_bad = ids.size();
  const auto take = [&](std::size_t begin, std::size_t end) {
    CheckedPose scratch;
    for (std::size_t i = begin; i < end; ++i) {
      const Pose* const pose = contains(ids[i]) ? reader.read(i, scratch) : nullptr;
      if (pose != nullptr && pose_quality(*pose) != PoseQuality::bad) {
        const std::int32_t slot = state.slots[i] = state.ids.slot(ids[i]);
        state.poses[i] = check_pose(*pose, "X").pose;
        state.boxes[i] = state.grown_box(*state.objects[static_cast<std::size_t>(slot)],
                                         state.poses[i]);
      } else {
        for (std::size_t known = first_bad;
             i < known && !first_bad.compare_exchange_weak(known, i);)
          continue;
      }
    }
  };
  parallel_for(state.work.team(), ids.size(), {.num_threads = num_threads}, std::ref(take));
  if (first_bad < ids.size()) throw_bad_row(*this, ids, reader, first_bad);
  state.tree.update(state.slots, state.boxes);
  for (std::size_t i = 0; i < ids.size(); ++i)
    state.objects[static_cast<std::size_t>(state.slots[i])]->X = state.poses[i];
}

void Scene::forbid(SceneId id_a, SceneId id_b) { state_->set_rule(id_a, id_b, PairRule::avoid); }

void Scene::allow(SceneId id_a, SceneId id_b) { state_->set_rule(id_a, id_b, PairRule::meet); }

void Scene::set_pairs(std::span<const std::pair<SceneId, SceneId>> pairs) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::string field = "pairs[" + std::to_string(i) + "]";
    const auto [a, b] = pairs[i];
    state_->check(a, field);
    state_->check(b, field);
    if (a == b) throw InvalidInput(field, std::to_string(a) + " twice", "give different objects");
  }
  PairFilter& filter = state_->filter;
  filter.clear();
  for (std::size_t slot = 0; slot < state_->objects.size(); ++slot) {
    if (state_->objects[slot]) filter.close(static_cast<std::int32_t>(slot));
  }
  std::vector<PairFilter::Rule> rules;
  rules.reserve(pairs.size());
  for (const auto& [a, b] : pairs)
    rules.push_back({state_->ids.slot(a), state_->ids.slot(b), PairRule::meet});
  filter.set(std::move(rules));
}

bool Scene::may_meet(SceneId id_a, SceneId id_b) const {
  state_->check_pair(id_a, id_b);
  return state_->may_meet(state_->ids.slot(id_a), state_->ids.slot(id_b));
}

void Scene::set_group(SceneId id, std::uint32_t group) {
  state_->check(id);
  state_->object(id).group = group;
}

void Scene::set_mask(SceneId id, std::uint32_t mask) {
  state_->check(id);
  state_->object(id).mask = mask;
}

void Scene::set_material(SceneId id, const Material& material) {
  state_->check(id);
  check_material(material);
  state_->object(id).material = material;
}

std::size_t Scene::size() const { return state_->tree.size(); }

bool Scene::contains(SceneId id) const { return state_->contains(id); }

std::vector<SceneId> Scene::ids() const {
  std::vector<SceneId> result;
  result.reserve(size());
  for (std::size_t slot = 0; slot < state_->objects.size(); ++slot) {
    if (state_->objects[slot]) result.push_back(state_->ids.id(static_cast<std::int32_t>(slot)));
  }
  if (!state_->ids.is_dense()) std::sort(result.begin(), result.end());
  return result;
}

const SceneObject& Scene::object(SceneId id) const {
  state_->check(id);
  return state_->object(id);
}

SceneId Scene::find(std::string_view name) const {
  SceneId lowest = -1;
  for (std::size_t slot = 0; slot < state_->objects.size(); ++slot) {
    if (!state_->objects[slot] || state_->objects[slot]->name != name) continue;
    const SceneId id = state_->ids.id(static_cast<std::int32_t>(slot));
    if (state_->ids.is_dense()) return id;
    if (lowest < 0 || id < lowest) lowest = id;
  }
  return lowest;
}

std::size_t Scene::nbytes() const {
  const State& s = *state_;
  return sizeof(*this) + sizeof(s) +
         s.objects.capacity() * (sizeof(s.objects[0]) + sizeof(s.serials[0])) + s.ids.nbytes() +
         s.tree.nbytes() + s.filter.nbytes() + s.tracker.nbytes() +
         s.distances.capacity() * sizeof(GeometryDistance) +
         s.contacts.capacity() * sizeof(SceneContact);
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

SceneDistances Scene::distances(const SceneOptions& options) {
  SceneDistances found;
  distances(options, found);
  return found;
}

SceneContacts Scene::contacts(const SceneOptions& options) {
  SceneContacts found;
  contacts(options, found);
  return found;
}

bool Scene::collides(const SceneOptions& options) {
  bool found = false;
  return state_->find_collision(options, found) && found;
}

SceneHit Scene::raycast(const Vector3& origin, const Vector3& direction,
                        double max_distance) const {
  for (int i = 0; i < 3; ++i) check_coordinate(origin[i], "origin[" + std::to_string(i) + "]");
  if (!(max_distance >= 0.0))
    throw InvalidInput("max_distance", exact_text(max_distance),
                       "give zero, a length in metres, or infinity");
  const Vector3 unit = checked_direction(direction, "direction");
  SceneHit best;
  best.distance = max_distance;
  state_->tree.raycast(origin, unit, max_distance, [&](std::int32_t slot, double) {
    const SceneObject& object = *state_->objects[static_cast<std::size_t>(slot)];
    const SceneId id = state_->ids.id(slot);
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
