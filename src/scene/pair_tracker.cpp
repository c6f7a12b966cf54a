// SPDX-License-Identifier: BSD-2-Clause
#include "scene/pair_tracker.hpp"

#include <algorithm>

#include "tactum/interrupt.hpp"

namespace tactum {

std::uint32_t PairTracker::take_slot() {
  if (free_.empty()) {
    slots_.emplace_back();
    return static_cast<std::uint32_t>(slots_.size() - 1);
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  slots_[slot] = {};
  return slot;
}

void PairTracker::follow(std::span<const std::pair<SceneId, SceneId>> pairs, const ObjectIds& ids,
                         std::span<const std::uint64_t> serials) {
  // both lists ascend: one walk along both frees the slots of pairs that are gone, a second hands
  // out slots
  const auto serials_of = [&](const std::pair<SceneId, SceneId>& pair) {
    return std::pair(serials[static_cast<std::size_t>(ids.slot(pair.first))],
                     serials[static_cast<std::size_t>(ids.slot(pair.second))]);
  };
  constexpr auto kNew = static_cast<std::uint32_t>(-1);
  next_.clear();
  auto old = entries_.begin();
  for (const auto& pair : pairs) {
    for (; old != entries_.end() && old->pair < pair; ++old) free_.push_back(old->slot);
    std::uint32_t slot = kNew;
    if (old != entries_.end() && old->pair == pair) {
      if (old->serials == serials_of(pair)) {
        slot = old->slot;
      } else {
        free_.push_back(old->slot);
      }
      ++old;
    }
    next_.push_back({pair, serials_of(pair), slot});
  }
  for (; old != entries_.end(); ++old) free_.push_back(old->slot);
  try {
    const auto is_new = [](const Entry& entry) { return entry.slot == kNew; };
    const auto added = static_cast<std::size_t>(std::ranges::count_if(next_, is_new));
    if (slots_.size() + added > 2 * slots_.capacity() + free_.size())
      slots_.reserve(slots_.size() + added - free_.size());
    LoopInterrupt interrupt;
    for (Entry& entry : next_) {
      interrupt.check();
      if (entry.slot == kNew) entry.slot = take_slot();
    }
  } catch (...) {
    *this = {};  // the tracker is incomplete and is cleared: the next queries start without warm
                 // starts
    throw;
  }
  entries_.swap(next_);
}

}  // namespace tactum
