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

constexpr std::size_t kLongestName = 255;

void check_name(const std::string& name) {
  if (name.size() > kLongestName) {
    throw InvalidInput("name", std::to_string(name.size()) + " bytes", "give at most 255");
  }
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (std::ranges::any_of(name, is_control))
    throw InvalidInput("name", "a control character", "give printable characters");
  if (!is_utf8(name)) throw InvalidInput("name", quoted_text(name), "give UTF-8");
}

bool is_half_space(const Geometry& geometry) {
  return geometry.shape() != nullptr && geometry.shape()->kind() == ShapeKind::half_space;
}

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

void check_margin(double margin) {
  if (!std::isfinite(margin) || margin < 0.0 || margin > 1e30)
    throw InvalidInput("margin", exact_text(margin), "give zero or a finite length in metres");
}

void check_object(SceneObject& object) {
  check_name(object.name);
  check_margin(object.margin);
  check_material(object.material);
  object.X = check_pose(object.X, "X").pose;
}

// results are views and are not copied; everything that decides the next answer is
Scene::State::State(const State& other)
    : ids(other.ids),
      objects(other.objects),
      serials(other.serials),
      num_added(other.num_added),
      filter(other.filter),
      tree(other.tree),
      margin(other.margin),
      tracker(other.tracker) {}

void Scene::State::check(SceneId id, const std::string& field) const {
  if (!contains(id))
    throw InvalidInput(field, std::to_string(id), "give the id of an object of this scene");
}

std::int32_t Scene::State::place(SceneObject object) {
  check_object(object);
  const std::int32_t index = tree.insert(grown_box(object, object.X));
  const auto slot = static_cast<std::size_t>(index);
  if (slot >= objects.size()) {
    objects.resize(slot + 1);
    serials.resize(slot + 1);
  }
  filter.cover(index);
  objects[slot] = std::move(object);
  serials[slot] = num_added++;
  return index;
}

/// Adds checked objects with ascending ids to a scene without objects.
void Scene::State::fill(std::vector<std::pair<SceneId, SceneObject>> with) {
  if (with.empty()) return;
  const auto num_ids = static_cast<std::size_t>(with.back().first) + 1;
  if (num_ids <= 2 * with.size() + 1024) {
    // the ids are dense enough to do without a map: free ids are taken and given back
    std::vector<std::int32_t> gaps;
    for (auto& [id, object] : with) {
      while (tree.size() < static_cast<std::size_t>(id))
        gaps.push_back(tree.insert(Aabb{Vector3::Zero(), Vector3::Zero()}));
      place(std::move(object));
    }
    for (const std::int32_t slot : gaps) tree.remove(slot);
    return;
  }
  ids.become_sparse();
  for (auto& [id, object] : with) ids.claim(id, place(std::move(object)));
}

Aabb Scene::State::grown_box(const SceneObject& object, const Pose& X) const {
  Aabb box = object.geometry.aabb(X);
  // half of the margin of the query and all of the object's own, plus the contact reach because a
  // touching pair counts at any margin: the scale of two objects is at most the sum of what is
  // taken here for each of them
  const double own = (0.5 * margin + object.margin) * (1.0 + 4.0 * kEpsilon);
  const double grown = own + contact_reach(reach_of(object.geometry) + X.translation.stableNorm(),
                                           support_error_of(object.geometry));
  box.lower.array() -= grown;
  box.upper.array() += grown;
  return box;
}

void Scene::State::set_margin(double new_margin) {
  check_margin(new_margin);
  if (new_margin == margin) return;
  margin = new_margin;
  boxes.clear();
  slots.clear();
  for (std::size_t slot = 0; slot < objects.size(); ++slot) {
    if (!objects[slot]) continue;
    slots.push_back(static_cast<std::int32_t>(slot));
    boxes.push_back(grown_box(*objects[slot], objects[slot]->X));
  }
  tree.update(slots, boxes);
}

bool Scene::State::may_meet(std::int32_t slot_a, std::int32_t slot_b) const {
  const SceneObject& a = *objects[static_cast<std::size_t>(slot_a)];
  const SceneObject& b = *objects[static_cast<std::size_t>(slot_b)];
  if (is_half_space(a.geometry) && is_half_space(b.geometry)) return false;
  const PairRule rule = filter.rule(slot_a, slot_b);
  if (rule != PairRule::none) return rule == PairRule::meet;
  return !(a.is_static && b.is_static) && (a.group & b.mask) != 0 && (b.group & a.mask) != 0;
}

void Scene::State::check_pair(SceneId id_a, SceneId id_b) const {
  check(id_a, "id_a");
  check(id_b, "id_b");
  if (id_a == id_b) throw InvalidInput("id_b", std::to_string(id_b), "give two different objects");
}

void Scene::State::set_rule(SceneId id_a, SceneId id_b, PairRule rule) {
  check_pair(id_a, id_b);
  filter.set(ids.slot(id_a), ids.slot(id_b), rule);
}

bool Scene::State::knows_all_pairs() const {
  // a robot has a few dozen partners for each link: testing their boxes is cheaper than finding
  // all boxes that overlap, most of which then must not meet
  constexpr std::size_t most_rules_of_one = 32;
  return tree.size() > 0 && filter.num_closed() == tree.size() &&
         filter.num_rules() <= most_rules_of_one * tree.size();
}

void Scene::State::find_pairs_of_rules() {
  pairs.clear();
  LoopInterrupt interrupt;
  for (std::int32_t a = 0; a < static_cast<std::int32_t>(objects.size()); ++a) {
    interrupt.check();
    const std::vector<PairFilter::Partner>& partners = filter.partners(a);
    if (partners.empty()) continue;
    const Aabb& box = tree.box(a);
    const bool unbounded = is_half_space(objects[static_cast<std::size_t>(a)]->geometry);
    for (const auto& [b, rule] : partners) {
      if (b <= a || rule != PairRule::meet || !boxes_overlap(box, tree.box(b))) continue;
      if (unbounded && is_half_space(objects[static_cast<std::size_t>(b)]->geometry)) continue;
      pairs.emplace_back(a, b);
    }
  }
}

void Scene::State::find_pairs(double new_margin) {
  set_margin(new_margin);
  if (knows_all_pairs()) {
    find_pairs_of_rules();
  } else {
    tree.pairs(pairs);
    std::erase_if(pairs, [&](const std::pair<std::int32_t, std::int32_t>& pair) {
      return !may_meet(pair.first, pair.second);
    });
  }
  if (ids.is_dense()) return;
  for (auto& [a, b] : pairs) {
    std::tie(a, b) = std::minmax({ids.id(a), ids.id(b)});
  }
  std::sort(pairs.begin(), pairs.end());
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
