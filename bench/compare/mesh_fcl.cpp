// SPDX-License-Identifier: BSD-2-Clause
// FCL's hierarchies of bounding volumes.
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/continuous_collision.h>
#include <fcl/narrowphase/distance.h>

#include "mesh_side.hpp"

namespace tactum::compare {
namespace {

constexpr std::size_t kFclSamples = 1000;  ///< of a motion, where it is sampled

template <class Volume>
class FclMeshes : public MeshSide {
 public:
  FclMeshes(const Mesh& a, const Mesh& b, std::string setting, bool has_collide)
      : a_(a), b_(b), setting_(std::move(setting)), has_collide_(has_collide) {
    build();
  }
  std::string library() const override { return "fcl"; }
  std::string setting() const override { return setting_; }
  bool is_asked_for_collisions() const override { return has_collide_; }
  void build() override {
    model_a_ = model_of(a_);
    model_b_ = model_of(b_);
  }
  void place(const Pose& X_AB) override {
    X_AB_.setIdentity();
    X_AB_.linear() = X_AB.rotation;
    X_AB_.translation() = X_AB.translation;
  }
  double distance() override {
    fcl::DistanceRequestd request;
    fcl::DistanceResultd result;
    return fcl::distance(model_a_.get(), fcl::Transform3d::Identity(), model_b_.get(), X_AB_,
                         request, result);
  }
  bool collide() override {
    fcl::CollisionRequestd request;
    fcl::CollisionResultd result;
    return fcl::collide(model_a_.get(), fcl::Transform3d::Identity(), model_b_.get(), X_AB_,
                        request, result) > 0;
  }
  /// By conservative advancement, with a bound of 1e-6 on the error of the time.
  double time_of_impact(const Pose& from, const Pose& to) override {
    return continuous(from, to, fcl::CCDC_CONSERVATIVE_ADVANCEMENT);
  }

 protected:
  /// Time of the answer of FCL's continuous collision, infinity where it has none.
  double continuous(const Pose& from, const Pose& to, fcl::CCDSolverType solver) {
    const auto at = [](const Pose& X) {
      fcl::Transform3d found = fcl::Transform3d::Identity();
      found.linear() = X.rotation;
      found.translation() = X.translation;
      return found;
    };
    const auto rest = fcl::Transform3d::Identity();
    const fcl::ContinuousCollisionRequestd request(kFclSamples, 1e-6, fcl::CCDM_TRANS,
                                                   fcl::GST_LIBCCD, solver);
    fcl::ContinuousCollisionResultd result;
    fcl::continuousCollide(model_a_.get(), rest, rest, model_b_.get(), at(from), at(to), request,
                           result);
    return result.is_collide ? result.time_of_contact : std::numeric_limits<double>::infinity();
  }

 private:
  static std::unique_ptr<fcl::BVHModel<Volume>> model_of(const Mesh& mesh) {
    std::vector<fcl::Vector3d> points;
    std::vector<fcl::Triangle> triangles;
    for (const auto& vertex : mesh.vertices().colwise()) points.emplace_back(vertex);
    for (const auto& t : mesh.triangles().colwise())
      triangles.emplace_back(static_cast<std::size_t>(t[0]), static_cast<std::size_t>(t[1]),
                             static_cast<std::size_t>(t[2]));
    auto model = std::make_unique<fcl::BVHModel<Volume>>();
    model->beginModel(static_cast<int>(triangles.size()), static_cast<int>(points.size()));
    model->addSubModel(points, triangles);
    model->endModel();
    return model;
  }

  const Mesh& a_;
  const Mesh& b_;
  std::string setting_;
  bool has_collide_;
  std::unique_ptr<fcl::BVHModel<Volume>> model_a_, model_b_;
  fcl::Transform3d X_AB_ = fcl::Transform3d::Identity();
};

/// FCL's other way to a time of impact: collisions at equal steps of the motion. It has no other
/// query here.
class FclSamples : public FclMeshes<fcl::OBBRSSd> {
 public:
  FclSamples(const Mesh& a, const Mesh& b)
      : FclMeshes(a, b, "OBBRSS, " + std::to_string(kFclSamples) + " samples", false) {}
  double distance() override { return std::numeric_limits<double>::quiet_NaN(); }
  double time_of_impact(const Pose& from, const Pose& to) override {
    return continuous(from, to, fcl::CCDC_NAIVE);
  }
};

}  // namespace

void add_fcl_meshes(const Mesh& a, const Mesh& b, MeshSides& sides) {
  sides.push_back(std::make_unique<FclMeshes<fcl::OBBRSSd>>(a, b, "OBBRSS", true));
  sides.push_back(std::make_unique<FclMeshes<fcl::RSSd>>(a, b, "RSS", false));
  sides.push_back(std::make_unique<FclSamples>(a, b));
}

}  // namespace tactum::compare
