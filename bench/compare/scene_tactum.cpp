// SPDX-License-Identifier: BSD-2-Clause
#include "scene_side.hpp"

namespace tactum::compare {
namespace {

template <class Structure>
class TactumSide : public BoxSide {
 public:
  TactumSide(std::string setting, std::span<const Aabb> boxes)
      : setting_(std::move(setting)), ids_(boxes.size()) {
    structure_.insert(boxes, ids_);
  }
  std::string library() const override { return "tactum"; }
  std::string setting() const override { return setting_; }
  void prepare(std::span<const Aabb> boxes) override { boxes_.assign(boxes.begin(), boxes.end()); }
  void update() override { structure_.update(ids_, boxes_); }
  void pairs(BoxPairs& out) override { structure_.pairs(out); }

 private:
  std::string setting_;
  Structure structure_;
  std::vector<BoxId> ids_;
  std::vector<Aabb> boxes_;
};

}  // namespace

void add_tactum_sides(std::span<const Aabb> boxes, BoxSides& sides) {
  sides.push_back(std::make_unique<TactumSide<DynamicTree>>("DynamicTree", boxes));
  sides.push_back(std::make_unique<TactumSide<SweepAndPrune>>("SweepAndPrune", boxes));
}

}  // namespace tactum::compare
