// SPDX-License-Identifier: BSD-2-Clause
// Rows of the contact problem: how velocities move contacts and joints that have limits or
// friction, and the free term of every row.
//
// Rows       A contact has the velocity of B relative to A at the contact point, in the contact
//            frame: J u = C^T (u_B(p) - u_A(p)). Both bodies use the same point p, so that the
//            force on one is the opposite of that on the other and total momentum is kept exactly.
// Free term  With J u_f the velocity without contact forces, tangential rows get J u_f / dt. Normal
//            rows get (J u_f + d / dt) / dt while the gap d is positive: the surfaces may meet but
//            not pass. In penetration they get (J u_f + k min(d + slop, 0) / dt) / dt, with k the
//            share of position correction. A contact that bounces gets (J u_f + e J v) / dt.
// Compliance A contact that yields by c per newton has R = c / dt^2 and its whole d, apart or not.
#include <Eigen/Geometry>
#include <cmath>

#include "sim/step_data.hpp"

namespace tactum::sim {
namespace {

/// Share of the limits' own range, in rad or m, within which a limit takes part in a step even if
/// the free velocity would not reach it, because contacts may push a joint there.
constexpr double kNearLimit = 1e-3;

using Columns = Eigen::Map<Eigen::MatrixXd>;

/// Writes J^T of a point of a body, for `size` columns of `directions`, times a sign.
void set_point_rows(const ModelData& model, const StepData& work, int body, const Vector3& point,
                    const Eigen::Ref<const Eigen::Matrix3Xd>& directions, double sign,
                    Columns out) {
  const Body& given = model.bodies[static_cast<std::size_t>(body)];
  const auto index = static_cast<std::size_t>(given.index);
  if (given.carrier == Carrier::free_body) {
    const Pose& X = work.body_poses[static_cast<std::size_t>(body)];
    const Vector3 arm = X.rotation.transpose() * (point - X.translation);
    Eigen::Map<Eigen::Matrix<double, 6, Eigen::Dynamic>> six(out.data(), 6, out.cols());
    for (Eigen::Index k = 0; k < directions.cols(); ++k) {
      const Vector3 direction = sign * (X.rotation.transpose() * directions.col(k));
      six.col(k).head<3>() = direction;  // a free body has one end of a contact, never both
      six.col(k).tail<3>() = arm.cross(direction);
    }
    return;
  }
  const Matrix6X& jacobian = work.robots[index].jacobian();
  const Articulation& robot = *model.robots[index].robot;
  for (const int v : robot.joints()[static_cast<std::size_t>(given.joint)].support) {
    const Vector3 velocity = jacobian.col(v).head<3>() +
                             Vector3(jacobian.col(v).tail<3>()).cross(point);
    for (Eigen::Index k = 0; k < directions.cols(); ++k)
      out(v, k) += sign * directions.col(k).dot(velocity);
  }
}

/// Starts a block of rows; `tree_b` may be the same tree or none.
RowBlock& add_block(const ModelData& model, ContactKind kind, int tree_a, int tree_b,
                    StepData& work) {
  RowBlock block;
  block.row = work.blocks.empty() ? 0 : work.blocks.back().row + work.blocks.back().size;
  block.size = row_count(kind);
  int count = 0;
  for (const int tree : {tree_a, tree_b}) {
    if (tree < 0 || (count > 0 && block.parts[0].tree == tree)) continue;
    const auto rows = static_cast<std::size_t>(model.trees[static_cast<std::size_t>(tree)].nv);
    block.parts[count++] = {tree, work.values.size()};
    work.values.resize(work.values.size() + rows * static_cast<std::size_t>(block.size), 0.0);
  }
  work.kinds.push_back(kind);
  work.blocks.push_back(block);
  return work.blocks.back();
}

Columns columns(const ModelData& model, const RowBlock& block, const RowPart& part,
                StepData& work) {
  return {work.values.data() + part.offset, model.trees[static_cast<std::size_t>(part.tree)].nv,
          block.size};
}

/// J times a velocity of the whole model.
Vector3 row_velocity(const ModelData& model, const RowBlock& block, const Eigen::VectorXd& velocity,
                     const StepData& work) {
  Vector3 out = Vector3::Zero();
  for (const RowPart& part : block.parts) {
    if (part.tree < 0) continue;
    const Tree& tree = model.trees[static_cast<std::size_t>(part.tree)];
    const double *column = work.values.data() + part.offset, *at = velocity.data() + tree.v;
    for (int k = 0; k < block.size; ++k, column += tree.nv)
      for (int i = 0; i < tree.nv; ++i) out[k] += column[i] * at[i];
  }
  return out;
}

void add_contact(const ModelData& model, const State& state, const StepOptions& options, double dt,
                 const FoundContact& contact, StepData& work) {
  const int body_a = model.geometries[static_cast<std::size_t>(contact.geometry_a)].body,
            body_b = model.geometries[static_cast<std::size_t>(contact.geometry_b)].body;
  const bool friction = contact.material.friction > 0.0;
  RowBlock& block = add_block(model, friction ? ContactKind::friction : ContactKind::frictionless,
                              model.bodies[static_cast<std::size_t>(body_a)].tree,
                              model.bodies[static_cast<std::size_t>(body_b)].tree, work);
  const auto directions = contact.frame.rightCols(block.size);
  for (const auto& [body, sign] : {std::pair{body_a, -1.0}, std::pair{body_b, 1.0}}) {
    const int tree = model.bodies[static_cast<std::size_t>(body)].tree;
    if (tree < 0) continue;
    const RowPart& part = block.parts[0].tree == tree ? block.parts[0] : block.parts[1];
    set_point_rows(model, work, body, contact.point, directions, sign,
                   columns(model, block, part, work));
  }
  const int normal = block.size - 1;
  Vector3 rate = row_velocity(model, block, work.free_velocity, work);
  const double approach = contact.material.restitution > 0.0
                              ? row_velocity(model, block, state.v, work)[normal]
                              : 0.0;
  rate[normal] += bounces(contact.distance, approach, options, dt)
                      ? contact.material.restitution * approach
                      : gap_velocity(contact.distance, contact.material.compliance, options, dt);
  for (int k = 0; k < block.size; ++k) {
    work.g[block.row + k] = rate[k] / dt;
    work.R[block.row + k] = k == normal ? contact.material.compliance / (dt * dt) : 0.0;
  }
  work.mu[static_cast<Eigen::Index>(work.blocks.size()) - 1] = contact.material.friction;
}

void add_joint_row(const ModelData& model, const StepOptions& options, double dt,
                   const JointRow& joint_row, double distance, StepData& work) {
  const ScalarJoint& joint = model.scalar_joints[static_cast<std::size_t>(joint_row.scalar_joint)];
  const bool limit = joint_row.kind != JointRow::Kind::dry_friction;
  const double sign = joint_row.kind == JointRow::Kind::upper_limit ? -1.0 : 1.0;
  RowBlock& block = add_block(model, limit ? ContactKind::limit : ContactKind::box, joint.tree, -1,
                              work);
  columns(model, block, block.parts[0], work)(
      joint.v - model.trees[static_cast<std::size_t>(joint.tree)].v, 0) = sign;
  const double rate = sign * work.free_velocity[joint.v] +
                      (limit ? gap_velocity(distance, 0.0, options, dt) : 0.0);
  work.g[block.row] = rate / dt;
  work.R[block.row] = 0.0;
  const auto index = static_cast<Eigen::Index>(work.blocks.size()) - 1;
  work.bounds.row(index) << -joint.dry_friction, joint.dry_friction;
}

}  // namespace

double gap_velocity(double distance, double compliance, const StepOptions& options, double dt) {
  if (distance >= 0.0 || compliance > 0.0) return distance / dt;
  return options.position_correction * std::min(distance + options.slop, 0.0) / dt;
}

bool bounces(double distance, double approach, const StepOptions& options, double dt) {
  return -approach > options.restitution_threshold && distance + dt * approach <= 0.0;
}

void set_contact_rows(const ModelData& model, const State& state, const StepOptions& options,
                      double dt, StepData& work) {
  work.joint_rows.clear();
  std::vector<double> distances;
  for (std::size_t i = 0; i < model.scalar_joints.size(); ++i) {
    const ScalarJoint& joint = model.scalar_joints[i];
    const double travel = 2.0 * dt * std::abs(work.free_velocity[joint.v]) + kNearLimit;
    const auto add = [&](JointRow::Kind kind, double distance) {
      work.joint_rows.push_back({kind, static_cast<int>(i)});
      distances.push_back(distance);
    };
    if (state.q[joint.q] - joint.lower <= travel)
      add(JointRow::Kind::lower_limit, state.q[joint.q] - joint.lower);
    if (joint.upper - state.q[joint.q] <= travel)
      add(JointRow::Kind::upper_limit, joint.upper - state.q[joint.q]);
    if (joint.dry_friction > 0.0) add(JointRow::Kind::dry_friction, 0.0);
  }
  const auto blocks = static_cast<Eigen::Index>(work.contacts.size() + work.joint_rows.size());
  const auto rows = static_cast<Eigen::Index>(3 * work.contacts.size() + work.joint_rows.size());
  work.blocks.clear();
  work.values.clear();
  work.kinds.clear();
  work.g.resize(rows);
  work.R.resize(rows);
  work.mu.setZero(blocks);
  work.bounds.setZero(blocks, 2);
  for (const FoundContact& contact : work.contacts)
    add_contact(model, state, options, dt, contact, work);
  for (std::size_t i = 0; i < work.joint_rows.size(); ++i)
    add_joint_row(model, options, dt, work.joint_rows[i], distances[i], work);
  const int used = work.blocks.empty() ? 0 : work.blocks.back().row + work.blocks.back().size;
  work.g.conservativeResize(used);
  work.R.conservativeResize(used);
}

}  // namespace tactum::sim
