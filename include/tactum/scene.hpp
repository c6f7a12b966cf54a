// SPDX-License-Identifier: BSD-2-Clause
// Many shapes that move: close pairs, their distances and contacts, rays.
//
// Pairs      two objects are looked at when each accepts the other (group & mask, both ways) and
//            their bounding boxes, each grown by half the margin, overlap. Two half-spaces are
//            never a pair.
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
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tactum/batch.hpp"
#include "tactum/compound.hpp"
#include "tactum/ray_cast.hpp"

namespace tactum {

using SceneId = std::int32_t;

struct SceneObject {
  Geometry geometry;
  Pose X = {};                       ///< in the world
  std::uint32_t group = 1;           ///< bits that say what it is
  std::uint32_t mask = 0xFFFFFFFFU;  ///< bits of the groups it meets
  std::string name = {};  ///< UTF-8, at most 255 bytes, no control characters; need not be unique
};

struct SceneOptions {
  double margin = 0.0;      ///< m, >= 0 and finite: pairs up to this far apart count
  int max_points = 8;       ///< of one contact patch
  double max_angle = 0.05;  ///< rad, of contact patches
  double tolerance = 1e-10;
  int num_threads = 0;                     ///< at most; 0: all that the machine has
  std::function<bool()> interrupted = {};  ///< asked about 100 times a second, on the calling
                                           ///< thread; true ends the call early
};

/// Pairs not proved to be farther apart than the margin, with their distances: each has lower <=
/// margin or touches.
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
  /// pair of shapes; for compounds the numbers of the parts are mixed in, and two points of one
  /// pair may then, rarely, share it.
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
  void remove(SceneId id);
  void set_pose(SceneId id, const Pose& X);
  /// Moves all objects or none: throws InvalidInput that names the first bad id or pose before
  /// anything has moved.
  void set_poses(std::span<const SceneId> ids, const PoseSpan& X, int num_threads = 0);

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
  SceneHit raycast(const Vector3& origin, const Vector3& direction,
                   double max_distance = std::numeric_limits<double>::infinity()) const;

  /// Writes the text format that docs/guide/scenes.md describes, with every number exact. Warm
  /// starts are not part of it.
  void save(const std::string& path) const;
  std::string to_text() const;
  /// Reads the text format of save(). Throws InvalidInput that names the line of the error. The
  /// file is treated as hostile.
  static Scene load(const std::string& path);
  static Scene from_text(std::string_view text);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tactum
