// SPDX-License-Identifier: BSD-2-Clause
// Robots of files and of plain data in a model.
#include <Eigen/Cholesky>
#include <unordered_set>

#include "core/quote_text.hpp"
#include "sim/model/make_articulation.hpp"
#include "sim/model/model_data.hpp"
#include "tactum/geometry.hpp"

namespace tactum::sim {
namespace {

/// Puts the world that a robot was described in at X.
void move_world(const Pose& X, RobotDescription& robot) {
  int q = 0;
  for (RobotJoint& joint : robot.joints) {
    const bool stands = joint.parent == -1, floats = joint.kind == JointKind::free;
    const bool is_at_origin = joint.X_PJ.rotation == Matrix3::Identity() &&
                              joint.X_PJ.translation == Vector3::Zero();
    if (stands && floats && is_at_origin) {
      set_free_pose(X * free_pose(robot.initial_q, q), q, robot.initial_q);
    } else if (stands) {
      joint.X_PJ = X * joint.X_PJ;
    }
    q += num_positions(joint.kind);
  }
  for (RobotGeometry& geometry : robot.geometries) {
    if (geometry.joint == -1) geometry.X_JG = X * geometry.X_JG;
  }
}

void check_names(const ModelData& model, const RobotDescription& robot) {
  std::unordered_set<std::string> names(model.names.begin(), model.names.end());
  for (const Body& body : model.bodies) names.insert(body.name);
  for (const RobotJoint& joint : robot.joints) {
    for (const std::string* name : {&joint.name, &joint.body_name}) {
      if (names.contains(*name))
        throw InvalidInput("name", quoted_text(*name),
                           "give the robot a name, which is put before those of its joints and "
                           "links: the model has this one already");
    }
  }
}

/// Whether a joint by itself is a free body, which a step treats faster than a robot.
bool is_free_body(const RobotJoint& joint, bool has_geometry) {
  return joint.kind == JointKind::free && has_geometry && joint.damping == 0.0 &&
         joint.dry_friction == 0.0 && joint.armature == 0.0 && joint.inertia.mass > 0.0 &&
         joint.X_PJ.rotation == Matrix3::Identity() && joint.X_PJ.translation == Vector3::Zero() &&
         Eigen::LLT<Matrix3>(joint.inertia.inertia).info() == Eigen::Success;
}

/// Adds the joints [begin, end), which are one tree; returns the first of its bodies.
int add_tree(const RobotDescription& robot, std::size_t begin, std::size_t end, int q,
             bool has_geometry, ModelData& model) {
  const RobotJoint& first = robot.joints[begin];
  if (end == begin + 1 && is_free_body(first, has_geometry))
    return model.add_free_body(first.inertia, free_pose(robot.initial_q, q), first.body_name);
  std::vector<RobotJoint> joints(robot.joints.begin() + static_cast<std::ptrdiff_t>(begin),
                                 robot.joints.begin() + static_cast<std::ptrdiff_t>(end));
  for (RobotJoint& joint : joints)
    if (joint.parent >= 0) joint.parent -= static_cast<int>(begin);
  std::shared_ptr<const Articulation> articulation = make_articulation(joints, model.gravity);
  const Eigen::VectorXd start = robot.initial_q.segment(q, articulation->nq());
  return model.add_robot(std::move(articulation), start, std::move(joints));
}

/// Adds all trees; returns the bodies of the joints.
std::vector<int> add_trees(const RobotDescription& robot, ModelData& model) {
  std::vector<bool> has_geometry(robot.joints.size(), false);
  for (const RobotGeometry& geometry : robot.geometries)
    if (geometry.joint >= 0) has_geometry[static_cast<std::size_t>(geometry.joint)] = true;
  std::vector<int> bodies;
  int q = 0;
  for (std::size_t begin = 0; begin < robot.joints.size();) {
    std::size_t end = begin + 1;
    while (end < robot.joints.size() && robot.joints[end].parent != -1) ++end;
    const int first = add_tree(robot, begin, end, q, has_geometry[begin], model);
    for (std::size_t j = begin; j < end; ++j) {
      bodies.push_back(first + static_cast<int>(j - begin));
      q += num_positions(robot.joints[j].kind);
    }
    begin = end;
  }
  return bodies;
}

/// Forbids pairs of shapes of one tree that overlap at the initial position. A contact between them
/// could ask for motions that no joint allows.
void forbid_overlaps(int first_geometry, ModelData& model) {
  const std::vector<Pose> X_WB = body_poses(model, model.initial_q);
  const auto tree_of = [&](const ModelGeometry& geometry) {
    return model.bodies[static_cast<std::size_t>(geometry.body)].tree;
  };
  const int count = static_cast<int>(model.geometries.size());
  for (int a = first_geometry; a < count; ++a) {
    const ModelGeometry& first = model.geometries[static_cast<std::size_t>(a)];
    for (int b = a + 1; b < count; ++b) {
      const ModelGeometry& second = model.geometries[static_cast<std::size_t>(b)];
      if (first.body == 0 || tree_of(first) != tree_of(second) || !model.may_meet(a, b)) continue;
      const GeometryDistance found = distance(
          first.geometry, X_WB[static_cast<std::size_t>(first.body)] * first.X_BG, second.geometry,
          X_WB[static_cast<std::size_t>(second.body)] * second.X_BG);
      if (found.upper < 0.0) model.set_forbidden(a, b, true);
    }
  }
}

void add_closures(const RobotDescription& robot, const std::vector<int>& bodies, ModelData& model) {
  const auto body_of = [&](int joint) {
    return joint < 0 ? 0 : bodies[static_cast<std::size_t>(joint)];
  };
  const auto name_of = [&](int joint) {
    return joint < 0 ? std::string() : robot.joints[static_cast<std::size_t>(joint)].name;
  };
  for (const RobotClosure& closure : robot.closures)
    model.add_closure(closure.kind, body_of(closure.joint_a), body_of(closure.joint_b),
                      closure.X_AC, closure.X_BC);
  for (const RobotCoupling& coupling : robot.couplings)
    model.add_coupling(name_of(coupling.joint_a), name_of(coupling.joint_b), coupling.ratio,
                       coupling.offset);
}

}  // namespace

int ModelBuilder::add_robot(const RobotDescription& given, const Pose& X, const std::string& name) {
  check_robot(given);
  RobotDescription robot = given;
  if (robot.initial_q.size() == 0) robot.initial_q = neutral_position(robot);
  const std::string prefix = name.empty() ? std::string() : name + "/";
  for (RobotJoint& joint : robot.joints) {
    joint.X_PJ = check_pose(joint.X_PJ, "X_PJ").pose;
    if (joint.body_name.empty()) joint.body_name = joint.name;
    joint.name.insert(0, prefix);
    joint.body_name.insert(0, prefix);
  }
  move_world(check_pose(X, "X").pose, robot);
  check_names(*data_, robot);

  ModelData model = *data_;  // so that nothing has changed where something is refused
  const int first_body = static_cast<int>(model.bodies.size()),
            first_geometry = static_cast<int>(model.geometries.size());
  const std::vector<int> bodies = add_trees(robot, model);
  for (const RobotGeometry& geometry : robot.geometries) {
    const int body = geometry.joint < 0 ? 0 : bodies[static_cast<std::size_t>(geometry.joint)];
    model.add_geometry({geometry.geometry, geometry.X_JG, body, geometry.surface, geometry.margin,
                        0.0, geometry.name.empty() ? std::string() : prefix + geometry.name});
  }
  for (const auto& [a, b] : robot.forbidden)
    if (a != b) model.set_forbidden(first_geometry + a, first_geometry + b, true);
  if (!robot.overlaps_meet) forbid_overlaps(first_geometry, model);
  for (const auto& [a, b] : robot.meeting)
    if (a != b) model.set_forbidden(first_geometry + a, first_geometry + b, false);
  add_closures(robot, bodies, model);
  *data_ = std::move(model);
  return robot.joints.empty() ? 0 : first_body;
}

int ModelBuilder::add_urdf(const std::string& path, const RobotOptions& options) {
  return add_robot(read_urdf(path, options), options.X, options.name);
}

int ModelBuilder::add_mjcf(const std::string& path, const RobotOptions& options) {
  return add_robot(read_mjcf(path, options), options.X, options.name);
}

Model load_urdf(const std::string& path, const RobotOptions& options) {
  ModelBuilder builder;
  builder.add_urdf(path, options);
  return builder.build();
}

Model load_mjcf(const std::string& path, const RobotOptions& options) {
  const RobotDescription robot = read_mjcf(path, options);
  ModelBuilder builder(robot.gravity.value_or(Vector3(0.0, 0.0, -9.81)));
  builder.add_robot(robot, options.X, options.name);
  return builder.build();
}

}  // namespace tactum::sim
