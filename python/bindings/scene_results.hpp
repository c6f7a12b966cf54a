// SPDX-License-Identifier: BSD-2-Clause
// What the queries of a scene return: arrays of their own, which stay when the scene goes on.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tactum/scene.hpp"

namespace tactum::python {

/// Distances as a scene found them. Ten arrays take longer to make than the distances of a small
/// robot, and few of them are looked at: each is made from the rows when it is first asked for.
struct DistancesOfScene {
  struct Row {
    std::pair<SceneId, SceneId> pair;
    std::array<std::int32_t, 2> parts;
    double distance, lower, upper;
    Vector3 normal, point_a, point_b;
    std::int32_t iterations;
    Status status;
  };
  std::vector<Row> rows;
  /// Arrays that were asked for, or came with a pickle; else null.
  mutable nanobind::object pairs, parts, status, distance, normal, point_a, point_b, lower, upper,
      iterations;
  /// Jacobians and `smooth` by name, where derivative= was given; else null.
  nanobind::object jacobians;
};

struct ContactsOfScene {
  nanobind::object pairs, ids, offsets, pair, point_a, point_b, normal, distance, feature_id,
      tangents, friction, restitution, compliance;
};

struct HitsOfScene {
  nanobind::object id, distance, point, normal;
};

nanobind::object pairs_array(std::span<const std::pair<SceneId, SceneId>> pairs);
nanobind::object ids_array(const std::vector<SceneId>& ids);

DistancesOfScene copied(const SceneDistances& found);
/// The materials of the contacts are those of their objects now.
ContactsOfScene copied(const SceneContacts& found, const Scene& scene);
HitsOfScene copied(const std::vector<SceneHit>& hits);

void bind_scene_results(nanobind::module_& m);

}  // namespace tactum::python
