// SPDX-License-Identifier: BSD-2-Clause
// Many shapes that move: close pairs, their distances and contacts, rays.
//
// Pairs      two objects are looked at when they may meet and their bounding boxes, each grown by
//            its own margin and half of the margin of the query, overlap. Whether they may meet is
//            decided by the first of these that says something:
//              two half-spaces      never
//              allow, forbid        as told for this pair
//              set_pairs            of the objects that were there: no, unless the pair is listed
//              two static objects   no
//              groups and masks     when each accepts the other: group & mask, both ways
//            So an object that is added later meets everything that its group and mask let it meet.
// Order      pairs have the smaller id first and come in ascending order. Same objects, same calls:
//            same bits, for any number of threads.
// Tracking   the answer of a pair is the warm start of its next query. It is kept while the boxes
//            overlap. So a scene that has been queried before may differ from a fresh one by the
//            tolerance of the query, never by more.
// Memory     results are views of the scene's own memory, valid until its next call. Nothing is
//            allocated once it has grown.
// Threads    one call at a time for a scene; a scene uses its own threads inside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tactum/batch.hpp"
#include "tactum/geometry.hpp"
#include "tactum/material.hpp"
#include "tactum/ray_cast.hpp"

namespace tactum {

using SceneId = std::int32_t;

struct SceneObject {
  Geometry geometry;
  Pose X = {};                       ///< in the world
  std::uint32_t group = 1;           ///< bits that say what it is
  std::uint32_t mask = 0xFFFFFFFFU;  ///< bits of the groups it meets
  std::string name = {};   ///< UTF-8, at most 255 bytes, no control characters; need not be unique
  bool is_static = false;  ///< does not move by itself: two such objects do not meet
  double margin = 0.0;     ///< m, >= 0: added to the margin of every query of its pairs
  Material material = {};  ///< read by what computes contact forces
};

struct SceneOptions {
  double margin = 0.0;      ///< m, >= 0 and finite: pairs up to this far apart count, beyond the
                            ///< margins of the two objects
  int max_points = 8;       ///< of one contact patch
  double max_angle = 0.05;  ///< rad, of contact patches
  double tolerance = 1e-10;
  int num_threads = 0;                     ///< at most; 0: all that the machine has
  std::function<bool()> interrupted = {};  ///< asked about 100 times a second, on the calling
                                           ///< thread; true ends the call early
};

/// Pairs not proved to be farther apart than the margin of the query and their own together, with
/// their distances: each has lower <= that sum or touches.
struct SceneDistances {
  std::span<const std::pair<SceneId, SceneId>> pairs;
  std::span<const GeometryDistance> distances;
};

/// One point of a contact, in the world: point_b - point_a = distance * normal.
struct SceneContact {
  Vector3 point_a;
  Vector3 point_b;
  Vector3 normal;  ///< unit, from A to B
  double distance;
  /// Id of the point. It stays while the features that make the point stay. It is unique within a
  /// pair of shapes; for compounds and meshes the numbers of the parts are mixed in, and two points
  /// of one pair may then, rarely, share it.
  std::uint64_t feature_id;
};

/// Contacts of all pairs: those of pairs[i] are contacts[offsets[i]] up to contacts[offsets[i +
/// 1]].
struct SceneContacts {
  std::span<const std::pair<SceneId, SceneId>> pairs;
  std::span<const std::int64_t> offsets;  ///< one more than pairs
  std::span<const SceneContact> contacts;
};

/// The nearest object on a ray; id -1: none.
struct SceneHit : RayHit {
  SceneId id = -1;
};

/// Where the meshes that a scene file refers to come from.
struct SceneFileOptions {
  std::vector<std::filesystem::path> roots = {};  ///< folders that mesh files may lie in, at any
                                                  ///< depth; the first that has a file counts
  std::vector<Mesh> meshes = {};  ///< meshes at hand: those with the hash are taken, not the file
};

class Scene {
 public:
  Scene();
  ~Scene();
  Scene(const Scene& other);
  Scene& operator=(const Scene& other);
  Scene(Scene&& other) noexcept;
  Scene& operator=(Scene&& other) noexcept;

  /// Adds an object and returns its id. Ids are small integers from 0 up; the lowest id of a
  /// removed object is given again first. Throws InvalidInput on a bad pose or name.
  SceneId add(SceneObject object);
  SceneId add(Geometry geometry, const Pose& X = {}, std::string name = {}) {
    return add(SceneObject{.geometry = std::move(geometry), .X = X, .name = std::move(name)});
  }
  /// Takes the parameters of a shape too: add(Sphere{.radius = 0.1}, X).
  SceneId add(Shape shape, const Pose& X = {}, std::string name = {}) {
    return add(Geometry(std::move(shape)), X, std::move(name));
  }
  void remove(SceneId id);
  void set_pose(SceneId id, const Pose& X);
  /// Moves all objects or none: throws InvalidInput that names the first bad id or pose before
  /// anything has moved.
  void set_poses(std::span<const SceneId> ids, const PoseSpan& X, int num_threads = 0);

  /// Says that two different objects never meet, or always do, whatever their groups and masks. The
  /// last word counts; it is forgotten when one of the two is removed.
  void forbid(SceneId id_a, SceneId id_b);
  void allow(SceneId id_a, SceneId id_b);
  /// Says which pairs of the objects that are here now meet: those listed, in any order, and no
  /// others. It replaces what was said of pairs before, and says nothing of objects that are added
  /// later.
  void set_pairs(std::span<const std::pair<SceneId, SceneId>> pairs);
  /// Whether two different objects meet when they are near, by all of this.
  bool may_meet(SceneId id_a, SceneId id_b) const;
  void set_group(SceneId id, std::uint32_t group);
  void set_mask(SceneId id, std::uint32_t mask);
  void set_material(SceneId id, const Material& material);

  std::size_t size() const;
  bool contains(SceneId id) const;
  std::vector<SceneId> ids() const;             ///< ascending
  const SceneObject& object(SceneId id) const;  ///< throws InvalidInput on an unknown id; valid
                                                ///< until the next change
  SceneId find(std::string_view name) const;    ///< the lowest id of that name; -1: none
  std::size_t nbytes() const;                   ///< bytes held, without the shapes

  /// Pairs whose boxes are near; no distance is computed.
  std::span<const std::pair<SceneId, SceneId>> pairs(double margin = 0.0);
  /// Returns false when it was interrupted: `out` is then empty, objects and poses are as before.
  bool distances(const SceneOptions& options, SceneDistances& out);
  bool contacts(const SceneOptions& options, SceneContacts& out);
  /// Returns what was found, which is empty when the call was interrupted.
  SceneDistances distances(const SceneOptions& options = {});
  SceneContacts contacts(const SceneOptions& options = {});
  /// Whether distances() would find any pair; max_points and max_angle do not count. It stops soon
  /// after the first one: of the pairs whose boxes are near, at most twice as many and 8 more are
  /// looked at as come before it. False when it was interrupted.
  bool collides(const SceneOptions& options = {});
  SceneHit raycast(const Vector3& origin, const Vector3& direction,
                   double max_distance = std::numeric_limits<double>::infinity()) const;

  /// Writes the text format that docs/guide/scenes.md describes, with every number exact. Warm
  /// starts are not part of it. Meshes are not part of the text, which refers to them by hash and
  /// path: save() writes each to a file of the folder `meshes` beside `path`, named by its hash.
  void save(const std::string& path) const;
  std::string to_text() const;
  std::vector<Mesh> meshes() const;  ///< every different mesh once, in the order of ids
  /// Reads the text format of save(). Throws InvalidInput that names the line of the error. The
  /// file is treated as hostile. The folder of `path` is the last of the roots.
  static Scene load(const std::string& path, SceneFileOptions options = {});
  static Scene from_text(std::string_view text, const SceneFileOptions& options = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tactum
