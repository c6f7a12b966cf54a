// SPDX-License-Identifier: BSD-2-Clause
// coal, at its own tolerance of 1e-6 and with penetration, in every combination of first guess,
// acceleration and way to call it.
//
// The Boolean test is given the only request that lets coal stop at the first separating plane: no
// contact, and a distance above which GJK may stop of zero. The derivative is what its users have:
// central differences of its nearest points over six motions of B, each query begun where the one
// at rest ended.
#include <coal/collision.h>
#include <coal/distance.h>
#include <coal/shape/geometric_shapes.h>

#include <Eigen/Geometry>
#include <array>

#include "coal_hull.hpp"
#include "library.hpp"
#include "stopwatch.hpp"

namespace tactum::compare {
namespace {

using Geometry = std::shared_ptr<coal::CollisionGeometry>;

struct MakeGeometry {
  Geometry operator()(const Sphere& s) const { return std::make_shared<coal::Sphere>(s.radius); }
  Geometry operator()(const Ellipsoid& s) const {
    return std::make_shared<coal::Ellipsoid>(s.semi_axes);
  }
  Geometry operator()(const Box& s) const {
    return std::make_shared<coal::Box>(2.0 * s.half_extents);
  }
  Geometry operator()(const Capsule& s) const {
    return std::make_shared<coal::Capsule>(s.radius, 2.0 * s.half_length);
  }
  Geometry operator()(const Cylinder& s) const {
    return std::make_shared<coal::Cylinder>(s.radius, 2.0 * s.half_length);
  }
  Geometry operator()(const Cone& s) const {
    return std::make_shared<coal::Cone>(s.radius, 2.0 * s.half_length);
  }
  Geometry operator()(const HalfSpace& s) const {
    return std::make_shared<coal::Halfspace>(s.normal, s.offset);
  }
  Geometry operator()(const Stp&) const { return nullptr; }  // has none
  Geometry operator()(const Convex& s) const { return coal_hull(s); }
};

std::vector<Geometry> make_geometries(const std::vector<Shape>& shapes) {
  std::vector<Geometry> geometries;
  for (const Shape& shape : shapes) {
    geometries.push_back(std::visit(MakeGeometry{}, shape.parameters()));
    geometries.back()->computeLocalAABB();
  }
  return geometries;
}

struct Setting {
  coal::GJKInitialGuess guess;
  coal::GJKVariant variant;
  bool reused;  ///< the functor that keeps its solver, or the free function
};

/// Shapes, functors and poses in coal's types, shared by all settings of a cell.
struct Scene {
  std::vector<Geometry> a, b;
  std::vector<coal::ComputeDistance> distances;
  std::vector<coal::ComputeCollision> collisions;
};

struct Poses {
  int pair;
  coal::Transform3s A;
  coal::Transform3s B;
};

class CoalSide : public Side {
 public:
  CoalSide(std::shared_ptr<const Scene> scene, std::shared_ptr<const std::vector<Poses>> queries,
           const Cell& cell, const Setting& setting)
      : scene_(std::move(scene)), queries_(std::move(queries)), cell_(cell), setting_(setting) {
    for (coal::QueryRequest* request : {static_cast<coal::QueryRequest*>(&distance_),
                                        static_cast<coal::QueryRequest*>(&collision_)}) {
      request->gjk_initial_guess = setting.guess;
      request->gjk_variant = setting.variant;
    }
    distance_.enable_signed_distance = true;
    collision_.enable_contact = false;
    collision_.distance_upper_bound = 0.0;
    tracked_.assign(scene_->a.size(), distance_);
    if (cell.task == Task::derivative) find_guesses();
  }

  std::string setting() const override {
    const std::string guess = setting_.guess == coal::DefaultGuess  ? "default guess"
                              : setting_.guess == coal::CachedGuess ? "cached guess"
                                                                    : "bounding volume guess";
    const std::string variant = setting_.variant == coal::DefaultGJK           ? "GJK"
                                : setting_.variant == coal::PolyakAcceleration ? "Polyak"
                                                                               : "Nesterov";
    return guess + ", " + variant + (setting_.reused ? ", functor" : ", function");
  }

  double run(int first, int count) override {
    double sum = 0.0;
    if (cell_.task == Task::collide) {
      coal::CollisionResult result;
      for (int i = first; i < first + count; ++i) sum += collide_query((*queries_)[i], result);
    } else if (cell_.task == Task::derivative) {
      for (int i = first; i < first + count; ++i) sum += differences(i).sum();
    } else {
      coal::DistanceResult result;
      for (int i = first; i < first + count; ++i)
        sum += distance_query((*queries_)[i], distance_, result);
    }
    return sum;
  }

  void run_tracked(std::span<double> nanoseconds) override {
    tracked_.assign(scene_->a.size(), distance_);
    coal::DistanceResult result;
    time_steps(static_cast<int>(nanoseconds.size()), nanoseconds.data(), [&](int i) {
      const Poses& poses = (*queries_)[i];
      distance_query(poses, tracked_[poses.pair], result);
      tracked_[poses.pair].updateGuess(result);
    });
  }

  Answer answer(int query) override {
    if (cell_.task == Task::collide) {
      coal::CollisionResult result;
      return {.colliding = collide_query((*queries_)[query], result) > 0.0};
    }
    if (cell_.task == Task::derivative) return {.separation_jacobian = differences(query)};
    coal::DistanceResult result;
    const Poses& poses = (*queries_)[query];
    coal::DistanceRequest& request = tracked_[poses.pair];
    if (cell_.is_cold(query)) request = distance_;
    const double distance = distance_query(poses, request, result);
    request.updateGuess(result);
    return {.colliding = distance <= 0.0, .distance = distance, .normal = result.normal};
  }

 private:
  std::shared_ptr<const Scene> scene_;
  std::shared_ptr<const std::vector<Poses>> queries_;
  const Cell& cell_;
  Setting setting_;
  coal::DistanceRequest distance_;
  std::vector<coal::DistanceRequest> tracked_;  ///< of each pair: holds its last guess
  coal::CollisionRequest collision_;

  double distance_query(const Poses& poses, const coal::DistanceRequest& request,
                        coal::DistanceResult& result) const {
    result.clear();
    if (setting_.reused) return scene_->distances[poses.pair](poses.A, poses.B, request, result);
    return coal::distance(scene_->a[poses.pair].get(), poses.A, scene_->b[poses.pair].get(),
                          poses.B, request, result);
  }

  /// Answers at rest for the derivative task, for the queries around them to begin with.
  void find_guesses() {
    tracked_.assign(queries_->size(), distance_);
    coal::DistanceResult result;
    for (std::size_t i = 0; i < queries_->size(); ++i) {
      distance_query((*queries_)[i], distance_, result);
      tracked_[i].updateGuess(result);
    }
  }

  Matrix3x6 differences(int query) const {
    constexpr double step = 1e-4;  // m and rad: with its tolerance of 1e-6 a smaller one would show
                                   // noise alone
    coal::DistanceResult result;
    Poses poses = (*queries_)[query];
    const coal::Transform3s rest = poses.B;
    Matrix3x6 jacobian;
    for (int k = 0; k < 6; ++k) {
      std::array<Vector3, 2> separation;
      for (int side = 0; side < 2; ++side) {
        Vector3 motion = Vector3::Zero();
        motion[k % 3] = side == 0 ? -step : step;
        poses.B = k < 3 ? coal::Transform3s(rest.getRotation(), rest.transform(motion))
                        : coal::Transform3s(
                              rest.getRotation() *
                                  Eigen::AngleAxisd(motion.norm(), motion.normalized()).matrix(),
                              rest.getTranslation());
        distance_query(poses, tracked_[query], result);
        separation[side] = result.nearest_points[1] - result.nearest_points[0];
      }
      jacobian.col(k) = (separation[1] - separation[0]) / (2.0 * step);
    }
    return jacobian;
  }

  double collide_query(const Poses& poses, coal::CollisionResult& result) const {
    result.clear();
    const std::size_t contacts = setting_.reused
                                     ? scene_->collisions[poses.pair](poses.A, poses.B, collision_,
                                                                      result)
                                     : coal::collide(scene_->a[poses.pair].get(), poses.A,
                                                     scene_->b[poses.pair].get(), poses.B,
                                                     collision_, result);
    return static_cast<double>(contacts);
  }
};

class CoalLibrary : public Library {
 public:
  std::string name() const override { return "coal"; }

  void load(const Family& family) override {
    auto scene = std::make_shared<Scene>();
    scene->a = make_geometries(family.a);
    scene->b = make_geometries(family.b);
    for (std::size_t i = 0; i < family.a.size(); ++i) {
      scene->distances.emplace_back(scene->a[i].get(), scene->b[i].get());
      scene->collisions.emplace_back(scene->a[i].get(), scene->b[i].get());
    }
    scene_ = std::move(scene);
  }

  std::vector<std::unique_ptr<Side>> sides(const Cell& cell) override {
    auto queries = std::make_shared<std::vector<Poses>>();
    for (const Query& query : cell.queries) {
      queries->push_back({query.pair,
                          coal::Transform3s(query.X_WA.rotation, query.X_WA.translation),
                          coal::Transform3s(query.X_WB.rotation, query.X_WB.translation)});
    }
    std::vector<std::unique_ptr<Side>> sides;
    for (const coal::GJKInitialGuess guess :
         {coal::DefaultGuess, coal::BoundingVolumeGuess, coal::CachedGuess}) {
      // elsewhere there is nothing to cache
      if (guess == coal::CachedGuess && cell.task != Task::tracked && cell.task != Task::derivative)
        continue;
      for (const coal::GJKVariant variant :
           {coal::DefaultGJK, coal::PolyakAcceleration, coal::NesterovAcceleration}) {
        for (const bool reused : {false, true}) {
          sides.push_back(
              std::make_unique<CoalSide>(scene_, queries, cell, Setting{guess, variant, reused}));
        }
      }
    }
    return sides;
  }

 private:
  std::shared_ptr<const Scene> scene_;
};

}  // namespace

std::unique_ptr<Library> make_coal() { return std::make_unique<CoalLibrary>(); }

}  // namespace tactum::compare
