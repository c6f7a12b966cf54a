// SPDX-License-Identifier: BSD-2-Clause
// coal's hierarchies of bounding volumes.
#include <coal/BVH/BVH_model.h>
#include <coal/collision.h>
#include <coal/distance.h>

#include <limits>

#include "mesh_side.hpp"

namespace tactum::compare {
namespace {

/// Distances of crossing meshes are found as zero or below; only some volumes have distances.
template <class Volume>
class CoalMeshes : public MeshSide {
 public:
  CoalMeshes(const Mesh& a, const Mesh& b, std::string setting, bool has_distance, bool has_collide)
      : a_(a),
        b_(b),
        setting_(std::move(setting)),
        has_distance_(has_distance),
        has_collide_(has_collide) {
    build();
  }
  std::string library() const override { return "coal"; }
  std::string setting() const override { return setting_; }
  bool is_asked_for_collisions() const override { return has_collide_; }
  void build() override {
    model_a_ = model_of(a_);
    model_b_ = model_of(b_);
  }
  void place(const Pose& X_AB) override {
    X_AB_ = coal::Transform3s(X_AB.rotation, X_AB.translation);
  }
  double distance() override {
    if (!has_distance_) return std::numeric_limits<double>::quiet_NaN();
    coal::DistanceRequest request;
    request.enable_signed_distance = false;
    coal::DistanceResult result;
    return coal::distance(model_a_.get(), {}, model_b_.get(), X_AB_, request, result);
  }
  bool collide() override {
    coal::CollisionRequest request;
    request.enable_contact = false;
    coal::CollisionResult result;
    return coal::collide(model_a_.get(), {}, model_b_.get(), X_AB_, request, result) > 0;
  }

 private:
  static std::unique_ptr<coal::BVHModel<Volume>> model_of(const Mesh& mesh) {
    std::vector<coal::Vec3s> points;
    std::vector<coal::Triangle> triangles;
    for (const auto& vertex : mesh.vertices().colwise()) points.emplace_back(vertex);
    for (const auto& t : mesh.triangles().colwise())
      triangles.emplace_back(static_cast<std::size_t>(t[0]), static_cast<std::size_t>(t[1]),
                             static_cast<std::size_t>(t[2]));
    auto model = std::make_unique<coal::BVHModel<Volume>>();
    model->beginModel(static_cast<unsigned>(triangles.size()),
                      static_cast<unsigned>(points.size()));
    model->addSubModel(points, triangles);
    model->endModel();
    return model;
  }

  const Mesh& a_;
  const Mesh& b_;
  std::string setting_;
  bool has_distance_, has_collide_;
  std::unique_ptr<coal::BVHModel<Volume>> model_a_, model_b_;
  coal::Transform3s X_AB_;
};

}  // namespace

void add_coal_meshes(const Mesh& a, const Mesh& b, MeshSides& sides) {
  sides.push_back(std::make_unique<CoalMeshes<coal::OBBRSS>>(a, b, "OBBRSS", true, true));
  sides.push_back(std::make_unique<CoalMeshes<coal::RSS>>(a, b, "RSS", true, false));
  sides.push_back(std::make_unique<CoalMeshes<coal::kIOS>>(a, b, "kIOS", true, true));
  sides.push_back(std::make_unique<CoalMeshes<coal::OBB>>(a, b, "OBB", false, true));
}

}  // namespace tactum::compare
