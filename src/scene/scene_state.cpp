// SPDX-License-Identifier: BSD-2-Clause
#include "scene/scene_state.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "broad/float_box.hpp"
#include "core/format_number.hpp"
#include "core/quote_text.hpp"
#include "geometry/reach.hpp"
#include "math/epsilon.hpp"
#include "math/pose_check.hpp"
#include "narrow/pair/bounds_and_status.hpp"
#include "narrow/pair/pair_frame.hpp"
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

}  // namespace tactum
