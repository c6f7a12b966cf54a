// SPDX-License-Identifier: BSD-2-Clause
// Which of many moving boxes overlap: a dynamic tree and a sweep, with the same contract.
//
// Contract   pairs() is exactly the set of pairs whose boxes, as last given, overlap; boxes are
//            closed, so touching counts. Each pair has the smaller id first, and pairs come in
//            ascending order: the result depends on the boxes alone and not on the calls before.
// Ids        ids are small integers, given from 0 up; the id of a removed box is given again, the
//            lowest free one first.
// Boxes      lower <= upper, in metres in the world. Points are boxes; an entry of lower may be
//            -inf and one of upper +inf. Boxes beyond the range of float (3.4e38 m) are kept in a
//            list aside: right, but as slow as trying them one by one.
// Errors     InvalidInput for an unknown id, a NaN, or lower > upper, with field, index and value;
//            nothing has changed then, in bulk calls as well.
// Sharing    const functions may run from many threads at once. update() and pairs() allocate
//            nothing once they have grown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tactum/shape.hpp"

namespace tactum {

using BoxId = std::int32_t;
using BoxPairs = std::vector<std::pair<BoxId, BoxId>>;

namespace detail {

/// Calls a visitor of boxes through a plain function. A visitor that returns nothing never ends the
/// query.
template <class Visit>
bool visit_box(void* visit, BoxId id) {
  if constexpr (std::is_void_v<std::invoke_result_t<Visit&, BoxId>>) {
    (*static_cast<Visit*>(visit))(id);
    return true;
  } else {
    return (*static_cast<Visit*>(visit))(id);
  }
}

template <class Visit>
double visit_hit(void* visit, BoxId id, double distance) {
  return (*static_cast<Visit*>(visit))(id, distance);
}

}  // namespace detail

/// A tree of boxes with up to eight children a node, kept in flat arrays.
class DynamicTree {
 public:
  using Id = BoxId;

  DynamicTree();
  ~DynamicTree();
  DynamicTree(const DynamicTree& other);
  DynamicTree& operator=(const DynamicTree& other);
  DynamicTree(DynamicTree&& other) noexcept;
  DynamicTree& operator=(DynamicTree&& other) noexcept;

  Id insert(const Aabb& box);
  /// Inserts many boxes at once, by the surface area heuristic; ids[i] becomes the id of boxes[i].
  /// Both spans have the same length.
  void insert(std::span<const Aabb> boxes, std::span<Id> ids);

  /// Moves a box. This is cheap while the box stays inside the enlarged one that the tree keeps for
  /// it.
  void update(Id id, const Aabb& box);
  /// Moves many boxes, in this order. With a quarter of all boxes or more, the tree is refitted as
  /// a whole, and built anew when it has become loose.
  void update(std::span<const Id> ids, std::span<const Aabb> boxes);

  void remove(Id id);

  bool contains(Id id) const;
  const Aabb& box(Id id) const;  ///< as last given; valid until the next insert
  std::size_t size() const;

  /// All pairs of overlapping boxes, first < second, ascending. `out` is cleared first.
  void pairs(BoxPairs& out) const;

  /// Pairs of a box here (first) and a box of `other` (second) that overlap, ascending. `out` is
  /// cleared first.
  void pairs_with(const DynamicTree& other, BoxPairs& out) const;

  /// Calls visit(id) for every box that overlaps `box`, in an order that depends on what was done
  /// before. A visitor that returns bool ends the query with false.
  template <class Visit>
  void query(const Aabb& box, Visit&& visit) const {
    query(box, &detail::visit_box<std::remove_reference_t<Visit>>, address(visit));
  }

  /// Calls visit(id, distance) for boxes that the ray enters at `distance` <= the largest distance
  /// asked for (0 where it starts inside), nearer parts of the tree first. What the visitor returns
  /// becomes the new largest distance; it never grows. Metres; the direction may have any length
  /// but zero.
  template <class Visit>
  void raycast(const Vector3& origin, const Vector3& direction, double max_distance,
               Visit&& visit) const {
    raycast(origin, direction, max_distance, &detail::visit_hit<std::remove_reference_t<Visit>>,
            address(visit));
  }

  int height() const;          ///< levels of nodes; 0 when empty
  std::size_t nbytes() const;  ///< bytes held

 private:
  struct State;
  std::unique_ptr<State> state_;

  template <class Visit>
  static void* address(Visit& visit) {
    return const_cast<void*>(static_cast<const void*>(std::addressof(visit)));
  }
  void query(const Aabb& box, bool (*visit)(void*, Id), void* context) const;
  void raycast(const Vector3& origin, const Vector3& direction, double max_distance,
               double (*visit)(void*, Id, double), void* context) const;
};

/// Boxes sorted along the axis on which their centers differ most. Sorting starts from the last
/// order, so that small motions cost little; pairs come from one sweep. For a few thousand boxes,
/// or for boxes along a line, it is as fast as a tree.
class SweepAndPrune {
 public:
  using Id = BoxId;

  SweepAndPrune();
  ~SweepAndPrune();
  SweepAndPrune(const SweepAndPrune& other);
  SweepAndPrune& operator=(const SweepAndPrune& other);
  SweepAndPrune(SweepAndPrune&& other) noexcept;
  SweepAndPrune& operator=(SweepAndPrune&& other) noexcept;

  Id insert(const Aabb& box);
  void insert(std::span<const Aabb> boxes, std::span<Id> ids);
  void update(Id id, const Aabb& box);
  void update(std::span<const Id> ids, std::span<const Aabb> boxes);
  void remove(Id id);

  bool contains(Id id) const;
  const Aabb& box(Id id) const;
  std::size_t size() const;
  int axis() const;  ///< 0, 1 or 2: the axis that boxes are sorted along

  /// All pairs of overlapping boxes, first < second, ascending. `out` is cleared first.
  void pairs(BoxPairs& out) const;

  /// Calls visit(id) for every box that overlaps `box`, in order along the axis. A visitor that
  /// returns bool ends the query with false.
  template <class Visit>
  void query(const Aabb& box, Visit&& visit) const {
    query(box, &detail::visit_box<std::remove_reference_t<Visit>>,
          const_cast<void*>(static_cast<const void*>(std::addressof(visit))));
  }

  std::size_t nbytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;

  void query(const Aabb& box, bool (*visit)(void*, Id), void* context) const;
};

}  // namespace tactum
