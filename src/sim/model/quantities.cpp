// SPDX-License-Identifier: BSD-2-Clause
// Energy, momentum and center of mass of a state; contacts of a step by pairs of bodies.
#include <Eigen/Geometry>
#include <algorithm>
#include <map>

#include "sim/model/model_data.hpp"
#include "tactum/sim/step.hpp"

namespace tactum::sim {
namespace {

/// Calls free(body, X, velocity) for each free body and robot(data, q, v) for each robot.
template <class Free, class Robot>
void visit(const Model& handle, const State& state, const Free& free, const Robot& robot) {
  const ModelData& model = handle.data();
  check_state(model, state);
  for (const FreeBody& body : model.free_bodies)
    free(body, free_pose(state.q, body.q), Vector6(state.v.segment<6>(body.v)));
  for (const PlacedArticulation& placed : model.robots) {
    ArticulationData data(*placed.robot);
    robot(data, Eigen::VectorXd(state.q.segment(placed.q, placed.robot->nq())),
          Eigen::VectorXd(state.v.segment(placed.v, placed.robot->nv())));
  }
}

}  // namespace

Energy energy(const Model& model, const State& state) {
  Energy out;
  const Vector3 gravity = model.gravity();
  visit(
      model, state,
      [&](const FreeBody& body, const Pose& X, const Vector6& v) {
        out.kinetic += 0.5 * v.dot(body.mass_matrix * v);
        out.potential -= body.inertia.mass * gravity.dot(X * body.inertia.center);
      },
      [&](ArticulationData& robot, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
        out.kinetic += robot.kinetic_energy(q, v);
        out.potential += robot.spring_energy(q) - robot.mass() * gravity.dot(robot.center(q));
      });
  return out;
}

Vector6 momentum(const Model& model, const State& state) {
  Vector6 out = Vector6::Zero();
  visit(
      model, state,
      [&](const FreeBody& body, const Pose& X, const Vector6& v) {
        const Vector3 angular = v.tail<3>();
        const Vector3 linear = body.inertia.mass *
                               (X.rotation * (v.head<3>() + angular.cross(body.inertia.center)));
        out.head<3>() += linear;
        out.tail<3>() += (X * body.inertia.center).cross(linear) +
                         X.rotation * (body.inertia.inertia * angular);
      },
      [&](ArticulationData& robot, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
        out += robot.momentum(q, v);
      });
  return out;
}

Vector3 com(const Model& model, const State& state) {
  Vector3 sum = Vector3::Zero();
  double mass = 0.0;
  visit(
      model, state,
      [&](const FreeBody& body, const Pose& X, const Vector6&) {
        sum += body.inertia.mass * (X * body.inertia.center);
        mass += body.inertia.mass;
      },
      [&](ArticulationData& robot, const Eigen::VectorXd& q, const Eigen::VectorXd&) {
        sum += robot.mass() * robot.center(q);
        mass += robot.mass();
      });
  return mass > 0.0 ? Vector3(sum / mass) : sum;
}

std::vector<BodyContact> contact_report(const StepResult& result) {
  std::map<std::pair<int, int>, BodyContact> pairs;
  std::map<std::pair<int, int>, double> weights;
  for (const StepContact& contact : result.contacts) {
    const bool in_order = contact.body_a < contact.body_b;
    const std::pair<int, int> key = std::minmax(contact.body_a, contact.body_b);
    BodyContact& sum = pairs[key];
    sum.distance = sum.points == 0 ? contact.distance : std::min(sum.distance, contact.distance);
    sum.body_a = key.first;
    sum.body_b = key.second;
    ++sum.points;
    sum.sticking += contact.mode == ContactMode::sticking ? 1 : 0;
    sum.sliding += contact.mode == ContactMode::sliding ? 1 : 0;
    sum.force += in_order ? contact.force : Vector3(-contact.force);
    // points without force count a little, so that a pair without any has a point too
    const double weight = contact.force.norm() + 1e-12;
    sum.point += weight * contact.point;
    weights[key] += weight;
  }
  std::vector<BodyContact> out;
  for (auto& [key, sum] : pairs) {
    sum.point /= weights[key];
    out.push_back(sum);
  }
  return out;
}

}  // namespace tactum::sim
