// SPDX-License-Identifier: BSD-2-Clause
// Ids of the objects of a scene, and the slots that hold the objects. Slots are given by the tree
// of boxes, from 0 up, the lowest free one first.
//
// Dense      the ids that a scene gives by itself follow the rule of the slots: an id is its slot,
//            and finding it costs nothing.
// Sparse     a file may choose the ids of its objects. A map then finds the slots, so that memory
//            and time follow the number of objects and not the largest id. It is a tree and not a
//            hash table, so that ids chosen to collide cost nothing.
// Order      the next id is the lowest that no object has, in both cases.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <vector>

#include "tactum/scene.hpp"
#include "tactum/status.hpp"

namespace tactum {

class ObjectIds {
 public:
  static constexpr SceneId kMost = std::numeric_limits<SceneId>::max() - 1;

  bool is_dense() const { return dense_; }
  /// The slot of the object with this id, which must exist.
  std::int32_t slot(SceneId id) const { return dense_ ? id : slots_.at(id); }
  SceneId id(std::int32_t slot) const {
    return dense_ ? slot : ids_[static_cast<std::size_t>(slot)];
  }
  /// Whether an object of a sparse scene has this id.
  bool contains(SceneId id) const { return slots_.contains(id); }

  /// Switches to a map; only while there are no objects.
  void become_sparse() { dense_ = false; }

  /// The id of a new object in this slot: the lowest that is free.
  SceneId assign(std::int32_t slot) {
    if (dense_) return slot;
    SceneId id = 0;
    if (freed_.empty()) {
      while (slots_.contains(next_)) ++next_;
      if (next_ > kMost) throw InvalidInput("scene", "no free id", "remove objects first");
      id = next_++;
    } else {
      std::ranges::pop_heap(freed_, std::greater<>());
      id = freed_.back();
      freed_.pop_back();
    }
    claim(id, slot);
    return id;
  }

  /// Gives an id that a file names, and that no object has yet, to the object in this slot; only in
  /// a sparse scene.
  void claim(SceneId id, std::int32_t slot) {
    slots_[id] = slot;
    if (ids_.size() <= static_cast<std::size_t>(slot))
      ids_.resize(static_cast<std::size_t>(slot) + 1);
    ids_[static_cast<std::size_t>(slot)] = id;
  }

  void release(SceneId id) {
    if (dense_) return;
    slots_.erase(id);
    if (id >= next_) return;  // the id is reached on the way up
    freed_.push_back(id);
    std::ranges::push_heap(freed_, std::greater<>());
  }

  std::size_t nbytes() const {
    return slots_.size() * (sizeof(*slots_.begin()) + 4 * sizeof(void*)) +
           (ids_.capacity() + freed_.capacity()) * sizeof(SceneId);
  }

 private:
  bool dense_ = true;
  // for a sparse scene
  std::map<SceneId, std::int32_t> slots_;
  std::vector<SceneId> ids_;    // by slot
  SceneId next_ = 0;            // ids below are taken or freed
  std::vector<SceneId> freed_;  // a heap, the lowest on top
};

}  // namespace tactum
