// SPDX-License-Identifier: BSD-2-Clause
// Connections, welds and couplings in a model.
#include <cmath>

#include "core/format_number.hpp"
#include "core/quote_text.hpp"
#include "sim/model/model_data.hpp"

namespace tactum::sim {
namespace {

void check_body(const ModelData& model, int body, const char* field) {
  const int count = static_cast<int>(model.bodies.size());
  if (body < 0 || body >= count)
    throw InvalidInput(field, std::to_string(body),
                       "give a number from 0 (the world) to " + std::to_string(count - 1));
}

/// Finds a joint with one coordinate.
CoupledJoint find_joint(const ModelData& model, const std::string& name, const char* field) {
  for (const PlacedArticulation& placed : model.robots) {
    for (std::size_t j = 1; j < placed.robot->joints().size(); ++j) {
      const Articulation::Joint& joint = placed.robot->joints()[j];
      if (joint.name != name) continue;
      if (joint.nq != 1 || joint.nv != 1)
        throw InvalidInput(field, quoted_text(name), "give a joint with one coordinate");
      const auto index = static_cast<int>(&placed - model.robots.data());
      for (std::size_t tree = 0; tree < model.trees.size(); ++tree)
        if (model.trees[tree].carrier == Carrier::joint && model.trees[tree].index == index)
          return {static_cast<int>(tree), placed.q + joint.q, placed.v + joint.v, name};
    }
  }
  throw InvalidInput(field, quoted_text(name), "give the name of a joint of a robot");
}

}  // namespace

int ModelData::num_closure_rows() const {
  int rows = static_cast<int>(couplings.size());
  for (const Closure& closure : closures) rows += closure.kind == ClosureKind::weld ? 6 : 3;
  return rows;
}

void ModelData::add_closure(ClosureKind kind, int body_a, int body_b, const Pose& X_AC,
                            const std::optional<Pose>& X_BC) {
  check_body(*this, body_a, "body_a");
  check_body(*this, body_b, "body_b");
  if (body_a == body_b)
    throw InvalidInput("body_b", std::to_string(body_b), "give two bodies that differ");
  Closure closure{kind, body_a, body_b, check_pose(X_AC, "X_AC").pose, {}};
  if (X_BC) {
    closure.X_BC = check_pose(*X_BC, "X_BC").pose;
  } else {
    const std::vector<Pose> X_WB = body_poses(*this, initial_q);
    closure.X_BC = inverse(X_WB[static_cast<std::size_t>(body_b)]) *
                   X_WB[static_cast<std::size_t>(body_a)] * closure.X_AC;
  }
  closures.push_back(closure);
}

void ModelData::add_coupling(const std::string& joint_a, const std::string& joint_b, double ratio,
                             double offset) {
  for (const auto& [value, field] : {std::pair{ratio, "ratio"}, std::pair{offset, "offset"}})
    if (!std::isfinite(value) || std::abs(value) > 1e30)
      throw InvalidInput(field, shortest_text(value), "give a finite number");
  Coupling coupling{find_joint(*this, joint_a, "joint_a"), {}, ratio, offset};
  if (!joint_b.empty()) coupling.b = find_joint(*this, joint_b, "joint_b");
  if (coupling.b.tree >= 0 && coupling.a.v == coupling.b.v)
    throw InvalidInput("joint_b", quoted_text(joint_b), "give two joints that differ");
  couplings.push_back(coupling);
}

int ModelBuilder::add_weld(int body_a, int body_b, const Pose& X_AC,
                           const std::optional<Pose>& X_BC) {
  data_->add_closure(ClosureKind::weld, body_a, body_b, X_AC, X_BC);
  return static_cast<int>(data_->closures.size()) - 1;
}

int ModelBuilder::add_connection(int body_a, int body_b, const Vector3& point_a,
                                 const std::optional<Vector3>& point_b) {
  const auto pose_of = [](const Vector3& point) { return Pose{Matrix3::Identity(), point}; };
  data_->add_closure(ClosureKind::connection, body_a, body_b, pose_of(point_a),
                     point_b ? std::optional(pose_of(*point_b)) : std::nullopt);
  return static_cast<int>(data_->closures.size()) - 1;
}

int ModelBuilder::add_coupling(const std::string& joint_a, const std::string& joint_b, double ratio,
                               double offset) {
  data_->add_coupling(joint_a, joint_b, ratio, offset);
  return static_cast<int>(data_->couplings.size()) - 1;
}

}  // namespace tactum::sim
