// SPDX-License-Identifier: BSD-2-Clause
// Warm starts of the close pairs of a scene, kept while a pair stays close.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scene/object_ids.hpp"
#include "tactum/scene.hpp"

namespace tactum {

struct TrackedPair {
  WarmStart warm_start;
  std::int32_t part_a = 0;  ///< the parts that the warm start belongs to
  std::int32_t part_b = 0;
};

class PairTracker {
 public:
  /// Takes the pairs of this step, ascending: pairs of the last step keep their warm starts, new
  /// ones start with none, the others are dropped. `serials`, by slot, tell an object from an
  /// earlier one with the same id.
  void follow(std::span<const std::pair<SceneId, SceneId>> pairs, const ObjectIds& ids,
              std::span<const std::uint64_t> serials);

  /// Warm start of the pair at this position of the last follow().
  TrackedPair& operator[](std::size_t index) { return slots_[entries_[index].slot]; }
  std::size_t size() const { return entries_.size(); }
  std::size_t nbytes() const {
    return slots_.capacity() * sizeof(TrackedPair) + entries_.capacity() * sizeof(Entry);
  }

 private:
  struct Entry {
    std::pair<SceneId, SceneId> pair;
    std::pair<std::uint64_t, std::uint64_t> serials;
    std::uint32_t slot;
  };
  std::uint32_t take_slot();

  std::vector<Entry> entries_, next_;
  std::vector<TrackedPair> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace tactum
