// SPDX-License-Identifier: BSD-2-Clause
// Bullet in double precision: its GJK pair detector with the EPA penetration solver. Margins are
// zero, because Bullet's default ones round the edges of the shape inwards and so change the
// question. It has no ellipsoid, and no Boolean test of its own.
#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btCapsuleShape.h>
#include <BulletCollision/CollisionShapes/btConeShape.h>
#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/CollisionShapes/btCylinderShape.h>
#include <BulletCollision/CollisionShapes/btSphereShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>

#include "library.hpp"
#include "stopwatch.hpp"

namespace tactum::compare {
namespace {

using Geometry = std::shared_ptr<btConvexShape>;

btVector3 make_vector(const Vector3& v) { return {v[0], v[1], v[2]}; }
Vector3 take_vector(const btVector3& v) { return {v.x(), v.y(), v.z()}; }

template <class Kind>
Geometry sharp(std::shared_ptr<Kind> shape) {
  shape->setMargin(0.0);
  return shape;
}

struct MakeGeometry {
  Geometry operator()(const Sphere& s) const { return std::make_shared<btSphereShape>(s.radius); }
  Geometry operator()(const Ellipsoid&) const { return nullptr; }
  Geometry operator()(const Box& s) const {
    return sharp(std::make_shared<btBoxShape>(make_vector(s.half_extents)));
  }
  Geometry operator()(const Capsule& s) const {
    return std::make_shared<btCapsuleShapeZ>(s.radius, 2.0 * s.half_length);
  }
  Geometry operator()(const Cylinder& s) const {
    return sharp(std::make_shared<btCylinderShapeZ>(btVector3(s.radius, s.radius, s.half_length)));
  }
  Geometry operator()(const Cone& s) const {
    return sharp(std::make_shared<btConeShapeZ>(s.radius, 2.0 * s.half_length));
  }
  Geometry operator()(const HalfSpace&) const { return nullptr; }
  Geometry operator()(const Stp&) const { return nullptr; }
  Geometry operator()(const Convex& s) const {
    auto hull = std::make_shared<btConvexHullShape>();
    const Points vertices = s.vertices();
    for (const auto& vertex : vertices.colwise()) hull->addPoint(make_vector(vertex), false);
    hull->recalcLocalAabb();
    return sharp(hull);
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

btTransform make_pose(const Pose& X) {
  const Matrix3& R = X.rotation;
  return btTransform(
      btMatrix3x3(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)),
      make_vector(X.translation));
}

struct Poses {
  int pair;
  btTransform A;
  btTransform B;
};

class BulletSide : public Side {
 public:
  BulletSide(std::shared_ptr<const Scene> scene, const Cell& cell) : scene_(std::move(scene)) {
    for (const Query& query : cell.queries)
      queries_.push_back({query.pair, make_pose(query.X_WA), make_pose(query.X_WB)});
  }

  std::string setting() const override { return "GJK and EPA, zero margin"; }

  double run(int first, int count) override {
    double sum = 0.0;
    for (int i = first; i < first + count; ++i) {
      btPointCollector found;
      solve(queries_[i], found);
      sum += found.m_distance;
    }
    return sum;
  }

  void run_tracked(std::span<double> nanoseconds) override {
    time_steps(static_cast<int>(nanoseconds.size()), nanoseconds.data(), [&](int i) { run(i, 1); });
  }

  Answer answer(int query) override {
    btPointCollector found;
    solve(queries_[query], found);
    // its normal points from B to A
    return {.failed = !found.m_hasResult,
            .colliding = found.m_distance <= 0.0,
            .distance = found.m_distance,
            .normal = -take_vector(found.m_normalOnBInWorld)};
  }

 private:
  std::shared_ptr<const Scene> scene_;
  std::vector<Poses> queries_;
  btVoronoiSimplexSolver simplex_;
  btGjkEpaPenetrationDepthSolver penetration_;

  void solve(const Poses& poses, btPointCollector& found) {
    btGjkPairDetector detector(scene_->a[poses.pair].get(), scene_->b[poses.pair].get(), &simplex_,
                               &penetration_);
    btDiscreteCollisionDetectorInterface::ClosestPointInput input;
    input.m_transformA = poses.A;
    input.m_transformB = poses.B;
    detector.getClosestPoints(input, found, nullptr);
  }
};

class BulletLibrary : public Library {
 public:
  std::string name() const override { return "bullet"; }
  bool is_principal() const override { return false; }

  void load(const Family& family) override {
    scene_ = std::make_shared<const Scene>(
        Scene{make_geometries(family.a), make_geometries(family.b)});
  }

  std::vector<std::unique_ptr<Side>> sides(const Cell& cell) override {
    std::vector<std::unique_ptr<Side>> sides;
    if (scene_->a.front() && scene_->b.front())
      sides.push_back(std::make_unique<BulletSide>(scene_, cell));
    return sides;
  }

 private:
  std::shared_ptr<const Scene> scene_;
};

}  // namespace

std::unique_ptr<Library> make_bullet() { return std::make_unique<BulletLibrary>(); }

}  // namespace tactum::compare
