// SPDX-License-Identifier: BSD-2-Clause
#include "tactum/sim/model.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/format_number.hpp"
#include "math/pose_logarithm.hpp"
#include "sim/model/model_data.hpp"

namespace tactum::sim {
Material combined(const Surface& a, const Surface& b) {
  const double neither = Material{}.friction;
  const double of_a = a.friction ? *a.friction : b.friction.value_or(neither),
               of_b = b.friction ? *b.friction : of_a;
  return pair_material({of_a, a.restitution, a.compliance}, {of_b, b.restitution, b.compliance});
}

void check_size(Eigen::Index size, int wanted, const char* field) {
  if (size != wanted)
    throw InvalidInput(field, std::to_string(size) + " numbers",
                       "give " + std::to_string(wanted) + ", as many as the model has");
}

void check_finite(const Eigen::VectorXd& values, const char* field) {
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    // the first test is quiet where floating-point traps are on
    if (!std::isfinite(values[i]) || std::abs(values[i]) > 1e30)
      throw InvalidInput(std::string(field) + "[" + std::to_string(i) + "]",
                         shortest_text(values[i]), "give finite numbers of at most 1e30");
  }
}

void check_state(const ModelData& model, const State& state) {
  check_size(state.q.size(), model.nq, "state.q");
  check_size(state.v.size(), model.nv, "state.v");
  check_finite(state.q, "state.q");
  check_finite(state.v, "state.v");
  if (!std::isfinite(state.time))
    throw InvalidInput("state.time", shortest_text(state.time), "give a finite number");
  const auto check_quaternion = [&](int begin) {
    const double norm = state.q.segment<4>(begin).norm();
    if (std::abs(norm - 1.0) > 1e-6)
      throw InvalidInput("state.q[" + std::to_string(begin) + ":" + std::to_string(begin + 4) + "]",
                         "a quaternion of norm " + shortest_text(norm),
                         "give a unit quaternion x, y, z, w");
  };
  for (const FreeBody& body : model.free_bodies) check_quaternion(body.q + 3);
  for (const PlacedArticulation& placed : model.robots)
    for (const Articulation::Joint& joint : placed.robot->joints())
      if (joint.floats) check_quaternion(placed.q + joint.q + 3);
}

Pose free_pose(const Eigen::VectorXd& q, int begin) {
  const Eigen::Quaterniond rotation(q[begin + 6], q[begin + 3], q[begin + 4], q[begin + 5]);
  return {rotation.normalized().toRotationMatrix(), q.segment<3>(begin)};
}

std::vector<Pose> body_poses(const ModelData& model, const Eigen::VectorXd& q) {
  std::vector<ArticulationData> robots;
  for (const PlacedArticulation& placed : model.robots) {
    robots.emplace_back(*placed.robot);
    const Eigen::VectorXd part = q.segment(placed.q, placed.robot->nq()),
                          rest = Eigen::VectorXd::Zero(placed.robot->nv());
    robots.back().set_kinematics(part, rest);
  }
  std::vector<Pose> poses(model.bodies.size());
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const Body& body = model.bodies[i];
    const auto index = static_cast<std::size_t>(body.index);
    if (body.carrier == Carrier::free_body)
      poses[i] = free_pose(q, model.free_bodies[index].q);
    else if (body.carrier == Carrier::joint)
      poses[i] = robots[index].placement(body.joint);
  }
  return poses;
}

void set_free_pose(const Pose& X, int begin, Eigen::VectorXd& q) {
  const Eigen::Quaterniond rotation(X.rotation);
  q.segment<3>(begin) = X.translation;
  q.segment<4>(begin + 3) = rotation.normalized().coeffs();
}

// -------------------------------------------------------------------------------------------------
// contents
bool ModelData::may_meet(int a, int b) const {
  const auto [low, high] = std::minmax(a, b);
  const ModelGeometry &first = geometries[static_cast<std::size_t>(low)],
                      &second = geometries[static_cast<std::size_t>(high)];
  if (first.body == second.body) return false;
  const std::vector<int>& list = forbidden[static_cast<std::size_t>(low)];
  return !std::binary_search(list.begin(), list.end(), high);
}

void ModelData::set_forbidden(int a, int b, bool forbid) {
  const auto [low, high] = std::minmax(a, b);
  std::vector<int>& list = forbidden[static_cast<std::size_t>(low)];
  const auto place = std::lower_bound(list.begin(), list.end(), high);
  const bool there = place != list.end() && *place == high;
  if (forbid && !there) list.insert(place, high);
  if (!forbid && there) list.erase(place);
}

// -------------------------------------------------------------------------------------------------
// the public handle
int Model::nq() const { return data_->nq; }
int Model::nv() const { return data_->nv; }
int Model::num_closures() const {
  return static_cast<int>(data_->closures.size() + data_->couplings.size());
}
const Vector3& Model::gravity() const { return data_->gravity; }
int Model::num_bodies() const { return static_cast<int>(data_->bodies.size()); }
int Model::num_geometries() const { return static_cast<int>(data_->geometries.size()); }
const std::vector<std::string>& Model::names() const { return data_->names; }
const Eigen::VectorXd& Model::lower_position_limit() const { return data_->lower; }
const Eigen::VectorXd& Model::upper_position_limit() const { return data_->upper; }

State Model::state() const { return {data_->initial_q, Eigen::VectorXd::Zero(data_->nv), 0.0, {}}; }

Eigen::VectorXd Model::integrate(const Eigen::VectorXd& q, const Eigen::VectorXd& dq) const {
  check_size(q.size(), data_->nq, "q");
  check_size(dq.size(), data_->nv, "dq");
  check_finite(q, "q");
  check_finite(dq, "dq");
  Eigen::VectorXd out = q;
  for (const FreeBody& body : data_->free_bodies)
    set_free_pose(
        free_pose(q, body.q) * pose_exponential(dq.segment<3>(body.v), dq.segment<3>(body.v + 3)),
        body.q, out);
  for (const PlacedArticulation& placed : data_->robots)
    out.segment(placed.q, placed.robot->nq()) = placed.robot->integrate(
        q.segment(placed.q, placed.robot->nq()), dq.segment(placed.v, placed.robot->nv()));
  return out;
}

Eigen::VectorXd Model::difference(const Eigen::VectorXd& q0, const Eigen::VectorXd& q1) const {
  check_size(q0.size(), data_->nq, "q0");
  check_size(q1.size(), data_->nq, "q1");
  check_finite(q0, "q0");
  check_finite(q1, "q1");
  Eigen::VectorXd out = Eigen::VectorXd::Zero(data_->nv);
  for (const FreeBody& body : data_->free_bodies) {
    const Pose between = inverse(free_pose(q0, body.q)) * free_pose(q1, body.q);
    const Twist twist = pose_logarithm(between);
    out.segment<3>(body.v) = twist.v;
    out.segment<3>(body.v + 3) = twist.w;
  }
  for (const PlacedArticulation& placed : data_->robots)
    out.segment(placed.v, placed.robot->nv()) = placed.robot->difference(
        q0.segment(placed.q, placed.robot->nq()), q1.segment(placed.q, placed.robot->nq()));
  return out;
}

const Geometry& Model::geometry(int index) const {
  return data_->geometries.at(static_cast<std::size_t>(index)).geometry;
}
const std::string& Model::geometry_name(int index) const {
  return data_->geometries.at(static_cast<std::size_t>(index)).name;
}
int Model::geometry_body(int index) const {
  return data_->geometries.at(static_cast<std::size_t>(index)).body;
}
const std::string& Model::body_name(int index) const {
  return data_->bodies.at(static_cast<std::size_t>(index)).name;
}

bool Model::may_meet(int a, int b) const {
  const int count = num_geometries();
  for (const int index : {a, b})
    if (index < 0 || index >= count)
      throw InvalidInput("geometry", std::to_string(index),
                         "give a number from 0 to " + std::to_string(count - 1));
  return a != b && data_->may_meet(a, b);
}

std::vector<Pose> Model::body_poses(const Eigen::VectorXd& q) const {
  check_state(*data_, {q, Eigen::VectorXd::Zero(data_->nv), 0.0, {}});
  return sim::body_poses(*data_, q);
}

std::vector<Pose> Model::geometry_poses(const Eigen::VectorXd& q) const {
  const std::vector<Pose> bodies = body_poses(q);
  std::vector<Pose> out;
  for (const ModelGeometry& geometry : data_->geometries)
    out.push_back(bodies[static_cast<std::size_t>(geometry.body)] * geometry.X_BG);
  return out;
}

}  // namespace tactum::sim
