// SPDX-License-Identifier: BSD-2-Clause
// Bullet's broad phases, which keep their pairs between steps: a step moves the boxes and asks for
// the cache to be brought up to date.
#include <btBulletCollisionCommon.h>

#include <algorithm>

#include "scene_side.hpp"

namespace tactum::compare {
namespace {

btVector3 bullet(const Vector3& v) { return {v.x(), v.y(), v.z()}; }

class BulletSide : public BoxSide {
 public:
  BulletSide(std::string setting, std::unique_ptr<btBroadphaseInterface> broad,
             std::span<const Aabb> boxes)
      : setting_(std::move(setting)), broad_(std::move(broad)), boxes_(boxes.begin(), boxes.end()) {
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      btBroadphaseProxy* proxy = broad_->createProxy(
          bullet(boxes[i].lower), bullet(boxes[i].upper), BOX_SHAPE_PROXYTYPE,
          reinterpret_cast<void*>(static_cast<std::intptr_t>(i)), 1, -1, &dispatcher_);
      proxies_.push_back(proxy);
    }
  }
  ~BulletSide() override {
    for (btBroadphaseProxy* proxy : proxies_) broad_->destroyProxy(proxy, &dispatcher_);
  }
  std::string library() const override { return "bullet"; }
  std::string setting() const override { return setting_; }
  void prepare(std::span<const Aabb> boxes) override { boxes_.assign(boxes.begin(), boxes.end()); }
  void update() override {
    for (std::size_t i = 0; i < boxes_.size(); ++i)
      broad_->setAabb(proxies_[i], bullet(boxes_[i].lower), bullet(boxes_[i].upper), &dispatcher_);
    broad_->calculateOverlappingPairs(&dispatcher_);
  }
  void pairs(BoxPairs& out) override {
    // its boxes are enlarged: what does not overlap as given is left out here
    out.clear();
    const btBroadphasePairArray& cached =
        broad_->getOverlappingPairCache()->getOverlappingPairArray();
    for (int k = 0; k < cached.size(); ++k) {
      const btBroadphaseProxy *a = cached[k].m_pProxy0, *b = cached[k].m_pProxy1;
      if (!TestAabbAgainstAabb2(a->m_aabbMin, a->m_aabbMax, b->m_aabbMin, b->m_aabbMax)) continue;
      const auto i = static_cast<BoxId>(reinterpret_cast<std::intptr_t>(a->m_clientObject));
      const auto j = static_cast<BoxId>(reinterpret_cast<std::intptr_t>(b->m_clientObject));
      out.emplace_back(std::min(i, j), std::max(i, j));
    }
  }

 private:
  std::string setting_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  std::unique_ptr<btBroadphaseInterface> broad_;
  std::vector<btBroadphaseProxy*> proxies_;
  std::vector<Aabb> boxes_;
};

}  // namespace

void add_bullet_sides(std::span<const Aabb> boxes, const Aabb& world, BoxSides& sides) {
  sides.push_back(std::make_unique<BulletSide>("btDbvtBroadphase",
                                               std::make_unique<btDbvtBroadphase>(), boxes));
  auto sweep = std::make_unique<bt32BitAxisSweep3>(bullet(world.lower), bullet(world.upper),
                                                   static_cast<unsigned>(boxes.size() + 16));
  sides.push_back(std::make_unique<BulletSide>("bt32BitAxisSweep3", std::move(sweep), boxes));
}

}  // namespace tactum::compare
