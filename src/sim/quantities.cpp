// SPDX-License-Identifier: BSD-2-Clause
// Energy, momentum and centre of mass of a state.
#include <Eigen/Geometry>

#include "sim/model_data.hpp"
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
        out.potential -= robot.mass() * gravity.dot(robot.center(q));
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

}  // namespace tactum::sim
