// SPDX-License-Identifier: BSD-2-Clause
// FCL: signed distance with nearest points by its default solver (libccd), and its Boolean test, at
// its default tolerance of 1e-6. It throws on some penetrating pairs: those count as failures, and
// their time is the time until the exception is caught. On a few it never comes back: those are
// found beforehand, count as failures and are not timed.
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/cone.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/ellipsoid.h>
#include <fcl/geometry/shape/halfspace.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include "library.hpp"
#include "screening.hpp"
#include "stopwatch.hpp"

namespace tactum::compare {
namespace {

using Geometry = std::shared_ptr<fcl::CollisionGeometryd>;

struct MakeGeometry {
  Geometry operator()(const Sphere& s) const { return std::make_shared<fcl::Sphered>(s.radius); }
  Geometry operator()(const Ellipsoid& s) const {
    return std::make_shared<fcl::Ellipsoidd>(s.semi_axes);
  }
  Geometry operator()(const Box& s) const {
    return std::make_shared<fcl::Boxd>(fcl::Vector3d(2.0 * s.half_extents));
  }
  Geometry operator()(const Capsule& s) const {
    return std::make_shared<fcl::Capsuled>(s.radius, 2.0 * s.half_length);
  }
  Geometry operator()(const Cylinder& s) const {
    return std::make_shared<fcl::Cylinderd>(s.radius, 2.0 * s.half_length);
  }
  Geometry operator()(const Cone& s) const {
    return std::make_shared<fcl::Coned>(s.radius, 2.0 * s.half_length);
  }
  Geometry operator()(const HalfSpace& s) const {
    return std::make_shared<fcl::Halfspaced>(s.normal, s.offset);
  }
  Geometry operator()(const Stp&) const { return nullptr; }  // has none
  Geometry operator()(const Convex& s) const {
    const Points vertices = s.vertices();
    const Triangles faces = s.faces();
    auto points = std::make_shared<std::vector<fcl::Vector3d>>();
    auto polygons = std::make_shared<std::vector<int>>();  // the number of corners of a face, then
                                                           // the corners
    for (const auto& vertex : vertices.colwise()) points->push_back(vertex);
    for (const auto& face : faces.colwise())
      polygons->insert(polygons->end(), {3, face[0], face[1], face[2]});
    return std::make_shared<fcl::Convexd>(points, static_cast<int>(faces.cols()), polygons);
  }
};

std::vector<Geometry> make_geometries(const std::vector<Shape>& shapes) {
  std::vector<Geometry> geometries;
  for (const Shape& shape : shapes)
    geometries.push_back(std::visit(MakeGeometry{}, shape.parameters()));
  return geometries;
}

struct Scene {
  std::vector<Geometry> a, b;
};

struct Poses {
  int pair;
  fcl::Transform3d A;
  fcl::Transform3d B;
};

fcl::Transform3d make_pose(const Pose& X) {
  fcl::Transform3d pose = fcl::Transform3d::Identity();
  pose.linear() = X.rotation;
  pose.translation() = X.translation;
  return pose;
}

class FclSide : public Side {
 public:
  FclSide(std::shared_ptr<const Scene> scene, const Cell& cell)
      : scene_(std::move(scene)), task_(cell.task), request_(true, true) {
    for (const Query& query : cell.queries)
      queries_.push_back({query.pair, make_pose(query.X_WA), make_pose(query.X_WB)});
    endless_ = find_endless(static_cast<int>(queries_.size()), [this](int i) { ask(i); });
  }

  std::string setting() const override { return "libccd"; }

  double run(int first, int count) override {
    double sum = 0.0;
    for (int i = first; i < first + count; ++i) {
      if (!endless_[i]) sum += ask(i);
    }
    return sum;
  }

  void run_tracked(std::span<double> nanoseconds) override {
    time_steps(static_cast<int>(nanoseconds.size()), nanoseconds.data(), [&](int i) { run(i, 1); });
  }

  Answer answer(int query) override {
    if (endless_[query]) return {.failed = true};
    try {
      if (task_ == Task::collide) return {.colliding = collide_query(queries_[query]) > 0.0};
      fcl::DistanceResultd result;
      const double distance = distance_query(queries_[query], result);
      // it has no normal of its own: the direction between its nearest points
      const Vector3 separation = result.nearest_points[1] - result.nearest_points[0];
      return {.colliding = distance <= 0.0,
              .distance = distance,
              .normal = std::copysign(1.0, distance) * separation.normalized()};
    } catch (const std::exception&) {
      return {.failed = true};
    }
  }

 private:
  std::shared_ptr<const Scene> scene_;
  Task task_;
  std::vector<Poses> queries_;
  fcl::DistanceRequestd request_;
  std::vector<bool> endless_;

  double ask(int query) const {
    try {
      fcl::DistanceResultd result;
      return task_ == Task::collide ? collide_query(queries_[query])
                                    : distance_query(queries_[query], result);
    } catch (const std::exception&) {
      return 1.0;
    }
  }

  double distance_query(const Poses& poses, fcl::DistanceResultd& result) const {
    fcl::distance(scene_->a[poses.pair].get(), poses.A, scene_->b[poses.pair].get(), poses.B,
                  request_, result);
    return result.min_distance;
  }

  double collide_query(const Poses& poses) const {
    fcl::CollisionResultd result;
    const fcl::CollisionRequestd request(1, false);
    return static_cast<double>(fcl::collide(scene_->a[poses.pair].get(), poses.A,
                                            scene_->b[poses.pair].get(), poses.B, request, result));
  }
};

class FclLibrary : public Library {
 public:
  std::string name() const override { return "fcl"; }
  bool is_principal() const override { return false; }

  void load(const Family& family) override {
    scene_ = std::make_shared<const Scene>(
        Scene{make_geometries(family.a), make_geometries(family.b)});
  }

  std::vector<std::unique_ptr<Side>> sides(const Cell& cell) override {
    std::vector<std::unique_ptr<Side>> sides;
    sides.push_back(std::make_unique<FclSide>(scene_, cell));
    return sides;
  }

 private:
  std::shared_ptr<const Scene> scene_;
};

}  // namespace

std::unique_ptr<Library> make_fcl() { return std::make_unique<FclLibrary>(); }

}  // namespace tactum::compare
