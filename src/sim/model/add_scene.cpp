// SPDX-License-Identifier: BSD-2-Clause
// The objects of a scene in a model: those that stand still are fixed to the world, the others
// become free bodies.
#include <unordered_map>

#include "sim/model/model_data.hpp"
#include "tactum/scene.hpp"

namespace tactum::sim {
namespace {

bool is_half_space(const Geometry& geometry) {
  return geometry.shape() != nullptr && geometry.shape()->kind() == ShapeKind::half_space;
}

/// A name that no body has yet: that of the object, with a number where it is taken.
std::string free_name(const ModelBuilder& builder, const std::string& wanted) {
  const std::string base = wanted.empty() ? "object" : wanted;
  std::string name = base;
  for (int i = 1; builder.find_body(name) >= 0; ++i) name = base + "_" + std::to_string(i);
  return name;
}

}  // namespace

void ModelBuilder::add_scene(const Scene& scene, double density) {
  ModelBuilder whole = *this;  // so that nothing has changed where something is refused
  std::unordered_map<SceneId, int> geometries;
  const std::vector<SceneId> ids = scene.ids();
  for (const SceneId id : ids) {
    const SceneObject& object = scene.object(id);
    const Surface surface{object.material.friction, object.material.restitution,
                          object.material.compliance};
    const int geometry = static_cast<int>(whole.data_->geometries.size());
    if (object.is_static || is_half_space(object.geometry)) {
      whole.add_geometry(0, object.geometry, object.X, surface, object.margin, object.name);
    } else {
      BodyOptions options;
      options.density = density;
      options.X = object.X;
      options.name = free_name(whole, object.name);
      options.surface = surface;
      options.margin = object.margin;
      whole.add_body(object.geometry, options);
    }
    geometries[id] = geometry;
  }
  for (std::size_t i = 0; i < ids.size(); ++i)
    for (std::size_t j = i + 1; j < ids.size(); ++j)
      if (!scene.may_meet(ids[i], ids[j])) whole.forbid(geometries[ids[i]], geometries[ids[j]]);
  *this = std::move(whole);
}

}  // namespace tactum::sim
