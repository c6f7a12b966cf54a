// SPDX-License-Identifier: BSD-2-Clause
// Where bodies are and how they would move without contact forces, and how they move with the
// velocity that a step found.
#include <algorithm>
#include <cmath>

#include "sim/step/step_data.hpp"

namespace tactum::sim {

void StepData::prepare(const Model& given) {
  if (model && &model->data() == &given.data()) return;
  model = given;
  const ModelData& wanted = given.data();
  robots.clear();
  for (const PlacedArticulation& placed : wanted.robots) robots.emplace_back(*placed.robot);
  body_poses.assign(wanted.bodies.size(), {});
  linear_speed.assign(wanted.bodies.size(), 0.0);
  angular_speed.assign(wanted.bodies.size(), 0.0);
  geometry_poses.assign(wanted.geometries.size(), {});
  for (std::size_t i = 0; i < wanted.geometries.size(); ++i)
    geometry_poses[i] = wanted.geometries[i].X_BG;
  reach.assign(wanted.geometries.size(), 0.0);
  boxes.assign(wanted.geometries.size(), {});
  tree = {};
  box_ids.clear();
  candidates.clear();
  const int count = given.num_geometries();
  for (int a = 0; a < count && wanted.geometries.size() <= kFewGeometries; ++a)
    for (int b = a + 1; b < count; ++b)
      if (wanted.may_meet(a, b)) candidates.emplace_back(a, b);
  free_velocity.resize(wanted.nv);
  first_branch.clear();
  branches.clear();
  motions.clear();
  for (const Tree& each : wanted.trees) {
    first_branch.push_back(static_cast<int>(branches.size()));
    if (each.carrier == Carrier::free_body) {
      branches.push_back({0, each.nv});
      continue;
    }
    const PlacedArticulation& placed = wanted.robots[static_cast<std::size_t>(each.index)];
    for (const Branch branch : branches_of(placed.robot->velocity_parents()))
      branches.push_back(branch);
  }
  first_branch.push_back(static_cast<int>(branches.size()));
  for (const Branch& branch : branches) motions.push_back(branch.size);
}

void set_kinematics(const ModelData& model, const State& state, StepData& work) {
  for (std::size_t i = 0; i < model.robots.size(); ++i) {
    const PlacedArticulation& placed = model.robots[i];
    work.robots[i].set_kinematics(state.q.segment(placed.q, placed.robot->nq()),
                                  state.v.segment(placed.v, placed.robot->nv()));
  }
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const auto index = static_cast<std::size_t>(body.index);
    if (body.carrier == Carrier::free_body) {
      const FreeBody& free = model.free_bodies[index];
      work.body_poses[i] = free_pose(state.q, free.q);
      work.linear_speed[i] = state.v.segment<3>(free.v).norm();
      work.angular_speed[i] = state.v.segment<3>(free.v + 3).norm();
    } else {
      work.body_poses[i] = work.robots[index].placement(body.joint);
      work.linear_speed[i] = work.robots[index].linear_speed(body.joint);
      work.angular_speed[i] = work.robots[index].angular_speed(body.joint);
    }
  }
  for (std::size_t i = 0; i < model.geometries.size(); ++i) {
    const ModelGeometry& geometry = model.geometries[i];
    if (geometry.body != 0)
      work.geometry_poses[i] = work.body_poses[static_cast<std::size_t>(geometry.body)] *
                               geometry.X_BG;
  }
}

bool bound_velocity(Eigen::VectorXd& velocity) {
  constexpr double kLargest = 1e12;  // m/s or rad/s
  bool found = false;
  for (double& entry : velocity) {
    if (std::isfinite(entry) && std::abs(entry) <= kLargest) continue;
    entry = 0.0;
    found = true;
  }
  return found;
}

void set_free_velocity(const ModelData& model, const State& state, double dt, StepData& work) {
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.carrier != Carrier::free_body) continue;
    const FreeBody& free = model.free_bodies[static_cast<std::size_t>(body.index)];
    work.free_velocity.segment<6>(free.v) = free_velocity(
        free, work.body_poses[i].rotation, state.v.segment<6>(free.v), work.tau.segment<6>(free.v),
        model.gravity, dt);
  }
  for (std::size_t i = 0; i < model.robots.size(); ++i) {
    const PlacedArticulation& placed = model.robots[i];
    const int nv = placed.robot->nv();
    work.robots[i].set_free_velocity(state.q.segment(placed.q, placed.robot->nq()),
                                     state.v.segment(placed.v, nv), work.tau.segment(placed.v, nv),
                                     dt, work.free_velocity.segment(placed.v, nv));
  }
  work.is_bounded = bound_velocity(work.free_velocity);
}

namespace {

/// Forces of this step, as a start for the next one, in memory that nobody else holds.
void remember(const StepData& work, const ContactSolution& solution,
              std::shared_ptr<const ContactMemory>& out) {
  std::shared_ptr<ContactMemory> memory;
  if (out && out.use_count() == 1)
    memory = std::const_pointer_cast<ContactMemory>(out);  // it was made below, not const
  else
    memory = std::make_shared<ContactMemory>();
  memory->contacts.clear();
  memory->joints.clear();
  memory->closures.clear();
  const bool has_dual = solution.dual_velocity.size() == solution.force.size();
  const auto row_value = [&](std::size_t block) {
    const int row = work.blocks[block].row;
    return RememberedRow{solution.force[row], has_dual ? solution.dual_velocity[row] : 0.0,
                         solution.penalty_exponents[static_cast<Eigen::Index>(block)]};
  };
  for (std::size_t i = 0; i < work.contacts.size(); ++i) {
    const FoundContact& contact = work.contacts[i];
    const RowBlock& block = work.blocks[i];
    const Vector3 dual = has_dual ? in_world(contact, block, solution.dual_velocity)
                                  : Vector3(Vector3::Zero());
    memory->contacts.push_back({contact.geometry_a, contact.geometry_b, contact.feature_id,
                                contact.point, in_world(contact, block, solution.force), dual,
                                solution.penalty_exponents[static_cast<Eigen::Index>(i)]});
  }
  for (std::size_t i = 0; i < work.joint_rows.size(); ++i)
    memory->joints.push_back({work.joint_rows[i], row_value(work.joint_block(i))});
  for (std::size_t i = work.closure_block(0); i < work.blocks.size(); ++i)
    memory->closures.push_back(row_value(i));
  memory->pause = work.pause;
  out = std::move(memory);
}

}  // namespace

void integrate(const ModelData& model, const State& state, double dt, const StepData& work,
               const ContactSolution& solution, State& out) {
  out.q.resize(model.nq);
  out.v.resize(model.nv);
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.carrier != Carrier::free_body) continue;
    const FreeBody& free = model.free_bodies[static_cast<std::size_t>(body.index)];
    const FreeMotion motion = advance(free, work.body_poses[i], work.velocity.segment<6>(free.v),
                                      dt);
    set_free_pose(motion.X, free.q, out.q);
    out.v.segment<6>(free.v) = motion.velocity;
  }
  for (std::size_t i = 0; i < model.robots.size(); ++i) {
    const PlacedArticulation& placed = model.robots[i];
    const int nq = placed.robot->nq(), nv = placed.robot->nv();
    work.robots[i].advance(state.q.segment(placed.q, nq), work.velocity.segment(placed.v, nv), dt,
                           out.q.segment(placed.q, nq), out.v.segment(placed.v, nv));
  }
  out.time = state.time + dt;
  remember(work, solution, out.memory);
}

}  // namespace tactum::sim
