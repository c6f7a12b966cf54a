// SPDX-License-Identifier: BSD-2-Clause
// coal's managers. The box of an object is written to it directly, so that no time is spent on
// shapes; a callback collects pairs.
#include <coal/broadphase/broadphase.h>
#include <coal/shape/geometric_shapes.h>

#include <algorithm>

#include "scene_side.hpp"

namespace tactum::compare {
namespace {

struct Collect : coal::CollisionCallBackBase {
  BoxPairs* out = nullptr;

  bool collide(coal::CollisionObject* a, coal::CollisionObject* b) override {
    const auto i = static_cast<BoxId>(reinterpret_cast<std::intptr_t>(a->getUserData()));
    const auto j = static_cast<BoxId>(reinterpret_cast<std::intptr_t>(b->getUserData()));
    out->emplace_back(std::min(i, j), std::max(i, j));
    return false;
  }
};

template <class Manager>
class CoalSide : public BoxSide {
 public:
  template <class... Arguments>
  CoalSide(std::string setting, std::span<const Aabb> boxes, Arguments&&... arguments)
      : setting_(std::move(setting)), manager_(std::forward<Arguments>(arguments)...) {
    const auto shape = std::make_shared<coal::Box>(1, 1, 1);
    std::vector<coal::CollisionObject*> all;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      objects_.push_back(std::make_unique<coal::CollisionObject>(shape));
      objects_.back()->setUserData(reinterpret_cast<void*>(static_cast<std::intptr_t>(i)));
      all.push_back(objects_.back().get());
    }
    prepare(boxes);
    manager_.registerObjects(all);
    manager_.setup();
  }
  std::string library() const override { return "coal"; }
  std::string setting() const override { return setting_; }
  void prepare(std::span<const Aabb> boxes) override {
    for (std::size_t i = 0; i < boxes.size(); ++i)
      objects_[i]->getAABB() = coal::AABB(boxes[i].lower, boxes[i].upper);
  }
  void update() override { manager_.update(); }
  void pairs(BoxPairs& out) override {
    out.clear();
    Collect collect;
    collect.out = &out;
    manager_.collide(&collect);
  }

 private:
  std::string setting_;
  std::vector<std::unique_ptr<coal::CollisionObject>> objects_;
  Manager manager_;
};

}  // namespace

void add_coal_sides(std::span<const Aabb> boxes, double cell, const Aabb& world, BoxSides& sides) {
  using coal::detail::SparseHashTable;
  using coal::detail::SpatialHash;
  using Table = SparseHashTable<coal::AABB, coal::CollisionObject*, SpatialHash>;
  sides.push_back(
      std::make_unique<CoalSide<coal::DynamicAABBTreeCollisionManager>>("DynamicAABBTree", boxes));
  sides.push_back(std::make_unique<CoalSide<coal::DynamicAABBTreeArrayCollisionManager>>(
      "DynamicAABBTreeArray", boxes));
  sides.push_back(std::make_unique<CoalSide<coal::SaPCollisionManager>>("SaP", boxes));
  sides.push_back(std::make_unique<CoalSide<coal::SSaPCollisionManager>>("SSaP", boxes));
  sides.push_back(
      std::make_unique<CoalSide<coal::IntervalTreeCollisionManager>>("IntervalTree", boxes));
  sides.push_back(std::make_unique<CoalSide<coal::SpatialHashingCollisionManager<Table>>>(
      "SpatialHashing", boxes, cell, world.lower, world.upper));
}

}  // namespace tactum::compare
