// SPDX-License-Identifier: BSD-2-Clause
// The contents of a scene: objects in slots, their ids, their boxes in a tree, and the memory of
// its queries.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "scene/object_ids.hpp"
#include "scene/pair_filter.hpp"
#include "scene/pair_tracker.hpp"
#include "tactum/broad_phase.hpp"
#include "tactum/contact_patch.hpp"
#include "tactum/scene.hpp"

namespace tactum {

/// Checks pose, name, margin and material, which throws InvalidInput; makes the pose exact.
void check_object(SceneObject& object);

/// Throws InvalidInput for a margin that is negative or not finite.
void check_margin(double margin);

struct Scene::State {
  State() = default;
  State(const State& other);
  State& operator=(const State&) = delete;
  ~State() = default;

  ObjectIds ids;
  std::vector<std::optional<SceneObject>> objects;  ///< by slot
  std::vector<std::uint64_t> serials;  ///< by slot: number of objects added before this one
  std::uint64_t num_added = 0;
  PairFilter filter;    ///< by slot: pairs that a user named
  DynamicTree tree;     ///< by slot; boxes grown by half the margin and that of the object
  double margin = 0.0;  ///< m, of the boxes in the tree

  std::vector<std::pair<SceneId, SceneId>> pairs;  ///< of the last query: candidates, then those
                                                   ///< within the margin
  PairTracker tracker;
  std::vector<GeometryDistance> distances;
  struct Chunk {
    std::vector<SceneContact> contacts;
    std::vector<PartPatch> patches;  ///< of the compounds and meshes among them
  };
  std::vector<Chunk> chunks;         ///< contacts of 64 pairs each
  std::vector<std::int32_t> counts;  ///< contacts of each candidate
  std::vector<std::int64_t> offsets;
  std::vector<SceneContact> contacts;
  std::vector<Pose> poses;          ///< of set_poses
  std::vector<Aabb> boxes;          ///< to give to the tree
  std::vector<std::int32_t> slots;  ///< of these
  BatchWorkspace work;

  /// The object with this id, which must exist.
  SceneObject& object(SceneId id) { return *objects[static_cast<std::size_t>(ids.slot(id))]; }
  bool contains(SceneId id) const { return ids.is_dense() ? tree.contains(id) : ids.contains(id); }
  void check(SceneId id, const std::string& field = "id") const;
  /// Adds an object to a slot of its own; the id is still to be given.
  std::int32_t place(SceneObject object);
  void fill(std::vector<std::pair<SceneId, SceneObject>> with);
  Aabb grown_box(const SceneObject& object, const Pose& X) const;
  bool may_meet(std::int32_t slot_a, std::int32_t slot_b) const;
  void set_rule(SceneId id_a, SceneId id_b, PairRule rule);
  /// Throws InvalidInput unless these are two different objects.
  void check_pair(SceneId id_a, SceneId id_b) const;
  void set_margin(double new_margin);
  void find_pairs(double new_margin);
  /// Whether only the pairs of rules can meet, and these are few.
  bool knows_all_pairs() const;
  /// The pairs of rules whose boxes overlap, by slots, ascending.
  void find_pairs_of_rules();
  /// The pairs whose boxes are within the margin, each with its warm start.
  void find_candidates(const SceneOptions& options);
  bool find_distances(const SceneOptions& options);  ///< false when interrupted
  bool find_contacts(const SceneOptions& options);
  /// Whether any pair is within its margin; false when interrupted. Looks at pairs in groups whose
  /// sizes depend on nothing, so that the warm starts that it leaves do not depend on the threads.
  bool find_collision(const SceneOptions& options, bool& found);
};

}  // namespace tactum
