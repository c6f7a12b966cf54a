// SPDX-License-Identifier: BSD-2-Clause
// The tree behind DynamicTree: float boxes in nodes of up to eight lanes, all leaves at the same
// depth (an R-tree, Guttman 1984).
//
// Insertion  goes down the lanes whose surface grows least; a full node is split where the sum of
//            surface times count is least.
// Removal    empty nodes are removed; when three quarters of the boxes have been removed, the tree
//            is built anew.
// Motion     a box that leaves its enlarged box is refitted in place while its center stays in the
//            node, else removed and inserted again. Then it, and each node above it, is moved to a
//            neighbor under the same parent where that makes both smaller (the rotations of Kopta
//            et al. 2012, in nodes of eight). refit() takes new tight boxes for all, from the
//            leaves up.
// Building   works from the top, each cut where binned surfaces times counts are least (Wald 2007),
//            with room for growth in every node.
// Invariants every lane contains the boxes below it; leaves are at one depth; no node is empty; the
// place of each id points back at it. check() verifies this. The same operations give the same
// tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "broad/wide_node.hpp"

namespace tactum {

class BoxTree {
 public:
  using Id = std::int32_t;

  void insert(Id id, const FloatBox& box);
  void remove(Id id);
  /// Moves a box. `tight` must lie in `large`, which the tree keeps if the old box no longer
  /// contains `tight`.
  void update(Id id, const FloatBox& tight, const FloatBox& large);

  /// Builds the tree from scratch: the boxes of `ids`, which may be in the tree or not; all others
  /// are dropped.
  void build(std::span<const Id> ids, std::span<const Aabb> boxes);

  /// Refits every box to boxes[id], tight; builds anew when the tree has become looser than a build
  /// would make it.
  void refit(std::span<const Aabb> boxes);

  bool contains(Id id) const {
    return static_cast<std::size_t>(id) < place_.size() &&
           place_[static_cast<std::size_t>(id)] >= 0;
  }
  std::size_t size() const { return size_; }
  int height() const { return root_ < 0 ? 0 : nodes_[index(root_)].level + 1; }
  std::size_t nbytes() const;

  int root() const { return root_; }  ///< -1 when empty
  const WideNode& node(int i) const { return nodes_[index(i)]; }

  /// Describes a broken invariant, or returns nothing. For tests.
  std::string check(std::span<const Aabb> boxes) const;

 private:
  struct Entry {
    FloatBox box;
    std::int32_t child;
  };
  /// A box to be built into the tree, four floats each so that they fit vector registers.
  struct Item {
    float lower[4];
    float upper[4];
    Id id;
  };
  static Item item_of(const FloatBox& box, Id id) {
    return {{box.lower[0], box.lower[1], box.lower[2], 0.0F},
            {box.upper[0], box.upper[1], box.upper[2], 0.0F},
            id};
  }
  /// A cut: items whose center falls into a bin below `bin` go left. Axis -1 means that none was
  /// found.
  struct Cut {
    int axis = -1;
    float first = 0.0F;
    float per_width = 0.0F;
    int bin = 0;
    std::size_t left = 0;  ///< number of items
  };

  std::vector<WideNode> nodes_;
  std::vector<std::int32_t> free_;   ///< nodes not in use
  std::vector<std::int32_t> place_;  ///< of an id: node * kWidth + lane; -1 where it is not in the
                                     ///< tree
  std::vector<Item> items_;          ///< scratch of build
  int root_ = -1;
  std::size_t size_ = 0;
  std::size_t largest_size_ = 0;  ///< since the last build
  double built_cost_ = 0.0;       ///< cost after the last build

  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }
  static double lane_growth(const WideNode& node, int lane, const FloatBox& box);

  int new_node(int level);
  void free_node(int i);
  void set_lane(int node, int lane, const Entry& entry);
  void remove_lane(int node, int lane);
  void add(int node, const Entry& entry);
  void split(int node, const Entry& extra);
  void refresh_upwards(int node);
  void remove_from(int node, int lane);
  void shrink_root();
  void rotate(int node, int lane);
  void rotate_upwards(int node, int lane);

  void load_items();
  void build_items();
  int build_node(Item* items, std::size_t count, int level);
  void build_children(int node, Item* items, std::size_t count, int slots, std::size_t capacity);
  static Cut best_cut(const Item* items, std::size_t count, int slots, std::size_t capacity);

  FloatBox refit_node(int i, std::span<const Aabb> boxes, double& area);
  void check_node(int i, std::span<const Aabb> boxes, std::size_t& found,
                  std::string& problem) const;
};

}  // namespace tactum
