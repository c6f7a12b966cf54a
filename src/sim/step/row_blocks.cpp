// SPDX-License-Identifier: BSD-2-Clause
#include "sim/step/row_blocks.hpp"

#include <Eigen/Geometry>

namespace tactum::sim {
namespace {

const Tree& tree_of(const ModelData& model, int tree) {
  return model.trees[static_cast<std::size_t>(tree)];
}

}  // namespace

RowBlock& add_block(const ModelData& model, const ContactBlock& given, int tree_a, int tree_b,
                    StepData& work) {
  RowBlock block;
  block.row = static_cast<int>(work.g.size());
  block.size = row_count(given.kind);
  int count = 0;
  for (const int tree : {tree_a, tree_b}) {
    if (tree < 0 || (count > 0 && block.parts[0].tree == tree)) continue;
    const auto rows = static_cast<std::size_t>(tree_of(model, tree).nv);
    block.parts[count++] = {tree, work.values.size()};
    work.values.resize(work.values.size() + rows * static_cast<std::size_t>(block.size), 0.0);
  }
  work.g.resize(work.g.size() + static_cast<std::size_t>(block.size), 0.0);
  work.R.resize(work.g.size(), 0.0);
  work.correction.resize(work.g.size(), 0.0);
  work.problem_blocks.push_back(given);
  work.blocks.push_back(block);
  return work.blocks.back();
}

Eigen::Map<Eigen::MatrixXd> columns(const ModelData& model, const RowBlock& block, int tree,
                                    StepData& work) {
  const RowPart& part = block.parts[0].tree == tree ? block.parts[0] : block.parts[1];
  return {work.values.data() + part.offset, tree_of(model, tree).nv, block.size};
}

void add_point_velocity(const ModelData& model, int body, const Vector3& point,
                        const Eigen::Ref<const Eigen::Matrix3Xd>& directions, double sign,
                        const RowBlock& block, StepData& work) {
  const Body& given = model.bodies[static_cast<std::size_t>(body)];
  if (given.carrier == Carrier::world) return;
  const auto index = static_cast<std::size_t>(given.index);
  auto out = columns(model, block, given.tree, work);
  if (given.carrier == Carrier::free_body) {
    const Pose& X = work.body_poses[static_cast<std::size_t>(body)];
    const Vector3 arm = X.rotation.transpose() * (point - X.translation);
    Eigen::Map<Eigen::Matrix<double, 6, Eigen::Dynamic>> six(out.data(), 6, out.cols());
    for (Eigen::Index k = 0; k < directions.cols(); ++k) {
      const Vector3 direction = sign * (X.rotation.transpose() * directions.col(k));
      six.col(k).head<3>() += direction;
      six.col(k).tail<3>() += arm.cross(direction);
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

void add_angular_velocity(const ModelData& model, int body, const Vector3& direction, double sign,
                          const RowBlock& block, StepData& work) {
  const Body& given = model.bodies[static_cast<std::size_t>(body)];
  if (given.carrier == Carrier::world) return;
  const auto index = static_cast<std::size_t>(given.index);
  auto out = columns(model, block, given.tree, work);
  if (given.carrier == Carrier::free_body) {
    const Matrix3& rotation = work.body_poses[static_cast<std::size_t>(body)].rotation;
    out.col(0).tail<3>() += sign * (rotation.transpose() * direction);
    return;
  }
  const Matrix6X& jacobian = work.robots[index].jacobian();
  const Articulation& robot = *model.robots[index].robot;
  for (const int v : robot.joints()[static_cast<std::size_t>(given.joint)].support)
    out(v, 0) += sign * direction.dot(jacobian.col(v).tail<3>());
}

Vector3 row_velocity(const ModelData& model, const RowBlock& block, const Eigen::VectorXd& velocity,
                     const StepData& work) {
  Vector3 out = Vector3::Zero();
  for (const RowPart& part : block.parts) {
    if (part.tree < 0) continue;
    const Tree& tree = tree_of(model, part.tree);
    const double *column = work.values.data() + part.offset, *at = velocity.data() + tree.v;
    for (int k = 0; k < block.size; ++k, column += tree.nv)
      for (int i = 0; i < tree.nv; ++i) out[k] += column[i] * at[i];
  }
  return out;
}

GapVelocity gap_velocity(double distance, double compliance, const StepOptions& options,
                         double dt) {
  if (distance >= 0.0 || compliance > 0.0) return {distance / dt, 0.0};
  return {0.0, options.position_correction * std::min(distance + options.slop, 0.0) / dt};
}

bool bounces(double distance, double approach, const StepOptions& options, double dt) {
  return -approach > options.restitution_threshold && distance + dt * approach <= 0.0;
}

}  // namespace tactum::sim
