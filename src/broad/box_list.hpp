// SPDX-License-Identifier: BSD-2-Clause
// The caller's boxes by id, as last given, in double: DynamicTree and SweepAndPrune are exact about
// these. Checks input and hands out ids.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "broad/float_box.hpp"
#include "core/format_number.hpp"
#include "tactum/broad_phase.hpp"
#include "tactum/status.hpp"

namespace tactum {

class BoxList {
 public:
  using Id = BoxId;

  bool contains(Id id) const {
    return static_cast<std::uint32_t>(id) < used_.size() &&
           used_[static_cast<std::size_t>(id)] != 0;
  }
  const Aabb& operator[](Id id) const { return boxes_[static_cast<std::size_t>(id)]; }
  Aabb& operator[](Id id) { return boxes_[static_cast<std::size_t>(id)]; }
  std::span<const Aabb> boxes() const { return boxes_; }
  std::size_t size() const { return boxes_.size() - free_.size(); }
  /// One more than the largest id ever given.
  Id num_ids() const { return static_cast<Id>(boxes_.size()); }
  std::size_t nbytes() const {
    return boxes_.capacity() * sizeof(Aabb) + used_.capacity() + free_.capacity() * sizeof(Id);
  }

  /// Adds a box at the lowest free id, which is returned.
  Id add(const Aabb& box) {
    Id id;
    if (free_.empty()) {
      id = static_cast<Id>(boxes_.size());
      boxes_.push_back(box);
      used_.push_back(1);
    } else {
      std::ranges::pop_heap(free_, std::greater<>());
      id = free_.back();
      free_.pop_back();
      boxes_[static_cast<std::size_t>(id)] = box;
      used_[static_cast<std::size_t>(id)] = 1;
    }
    return id;
  }

  void remove(Id id) {
    free_.push_back(id);
    std::ranges::push_heap(free_, std::greater<>());
    used_[static_cast<std::size_t>(id)] = 0;
  }

  /// Checks of input, which throw before anything changes.
  void check_id(Id id, const std::string& field) const {
    if (!contains(id))
      throw InvalidInput(field, std::to_string(id),
                         "give an id that insert returned and that was not removed");
  }

  static void check_box(const Aabb& box, const std::string& field) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 3; ++i) {
      const std::string at = "[" + std::to_string(i) + "]";
      if (std::isnan(box.lower[i]) || box.lower[i] == infinity)
        throw InvalidInput(field + ".lower" + at, exact_text(box.lower[i]),
                           "give a number, or -inf for an unbounded box");
      if (std::isnan(box.upper[i]) || box.upper[i] == -infinity)
        throw InvalidInput(field + ".upper" + at, exact_text(box.upper[i]),
                           "give a number, or inf for an unbounded box");
      if (box.lower[i] > box.upper[i])
        throw InvalidInput(field + ".lower" + at, exact_text(box.lower[i]),
                           "give at most upper" + at + " = " + exact_text(box.upper[i]));
    }
  }

  /// Whether all boxes are ordinary; throws when one is bad. Decides like is_ordinary(), in two
  /// passes that the compiler vectorizes.
  static bool check_boxes(std::span<const Aabb> boxes) {
    static_assert(sizeof(Aabb) == 6 * sizeof(double));
    constexpr auto limit = std::bit_cast<std::int64_t>(kOrdinary);
    std::int64_t sign = 0;
    const double* const values = boxes.empty() ? nullptr : boxes.front().lower.data();
    for (std::size_t i = 0; i < 6 * boxes.size(); ++i)
      sign |= limit - (std::bit_cast<std::int64_t>(values[i]) & 0x7FFF'FFFF'FFFF'FFFF);
    bool ordinary = sign >= 0;
    if (ordinary) {  // no NaN, so nothing can trap
      for (const Aabb& box : boxes) {
        for (int i = 0; i < 3; ++i) ordinary &= box.lower[i] <= box.upper[i];
      }
    }
    if (ordinary) return true;
    for (std::size_t i = 0; i < boxes.size(); ++i)
      check_box(boxes[i], "boxes[" + std::to_string(i) + "]");
    return false;
  }

  void check_ids(std::span<const Id> ids) const {
    bool known = true;
    for (const Id id : ids) known &= contains(id);
    if (known) return;
    for (std::size_t i = 0; i < ids.size(); ++i) check_id(ids[i], "ids[" + std::to_string(i) + "]");
  }

  static void check_sizes(std::size_t ids, std::size_t boxes) {
    if (ids != boxes)
      throw InvalidInput("ids",
                         std::to_string(ids) + " ids for " + std::to_string(boxes) + " boxes",
                         "give as many ids as boxes");
  }

 private:
  std::vector<Aabb> boxes_;
  std::vector<std::uint8_t> used_;
  std::vector<Id> free_;  ///< a heap, the lowest on top
};

}  // namespace tactum
