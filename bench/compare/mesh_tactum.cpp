// SPDX-License-Identifier: BSD-2-Clause
// tactum's meshes: cold, and from the triangles of the last answer.
#include "mesh_side.hpp"
#include "tactum/geometry.hpp"
#include "tactum/time_of_impact.hpp"

namespace tactum::compare {
namespace {

class TactumMeshes : public MeshSide {
 public:
  TactumMeshes(const Mesh& a, const Mesh& b, bool tracked)
      : a_(a), b_(b), tracked_(tracked), geometry_a_(a), geometry_b_(b) {}
  std::string library() const override { return "tactum"; }
  std::string setting() const override { return tracked_ ? "tracked" : "boxes"; }
  void build() override {
    geometry_a_ = Mesh(a_.vertices(), a_.triangles());
    geometry_b_ = Mesh(b_.vertices(), b_.triangles());
  }
  void place(const Pose& X_AB) override { X_AB_ = X_AB; }
  double distance() override {
    const GeometryDistance found = tactum::distance(geometry_a_, {}, geometry_b_, X_AB_,
                                                    {.warm_start = tracked_ ? &last_ : nullptr});
    last_ = found.warm_start;
    return found.distance;
  }
  bool collide() override {
    const Collision found = tactum::collide(geometry_a_, {}, geometry_b_, X_AB_,
                                            {.warm_start = tracked_ ? &last_ : nullptr});
    last_ = found.warm_start;
    return found.colliding;
  }
  double time_of_impact(const Pose& from, const Pose& to) override {
    if (tracked_) return std::numeric_limits<double>::quiet_NaN();  // it begins anew each time
    return tactum::time_of_impact(geometry_a_, {}, {}, geometry_b_, from, to).time;
  }

 private:
  const Mesh& a_;
  const Mesh& b_;
  bool tracked_;
  Geometry geometry_a_, geometry_b_;
  Pose X_AB_;
  WarmStart last_;
};

}  // namespace

void add_tactum_meshes(const Mesh& a, const Mesh& b, MeshSides& sides) {
  for (const bool tracked : {false, true})
    sides.push_back(std::make_unique<TactumMeshes>(a, b, tracked));
}

}  // namespace tactum::compare
