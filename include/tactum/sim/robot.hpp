// SPDX-License-Identifier: BSD-2-Clause
// A robot as plain data: joints, what they carry, shapes. URDF, MJCF and Pinocchio's models become
// this, and so can anything else.
//
// Frames     The frame of a joint is fixed to the body that it moves. Where its coordinates are
//            zero it lies at X_PJ in the frame of the joint before it (P; the world for -1).
// Order      Joints come depth first: each after the one that carries it, each branch in one piece.
//            Their coordinates follow each other in this order.
// Links      Links that no joint moves against each other are one body: the inertia of a joint is
//            that of all of them.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tactum/geometry.hpp"
#include "tactum/pose.hpp"
#include "tactum/sim/model.hpp"

namespace tactum::sim {

/// With the number of entries in q and v.
enum class JointKind : std::uint8_t {
  free,        ///< 7, 6: x, y, z, qx, qy, qz, qw
  spherical,   ///< 4, 3: qx, qy, qz, qw
  planar,      ///< 4, 3: x, y, cos, sin; turns about z
  revolute,    ///< 1, 1: an angle about the axis
  continuous,  ///< 2, 1: cos, sin of an angle about the axis
  prismatic,   ///< 1, 1: a length along the axis
};
int num_positions(JointKind kind);
int num_velocities(JointKind kind);

struct RobotJoint {
  std::string name;
  std::string body_name = {};  ///< of what it moves; empty: that of the joint
  int parent = -1;             ///< the joint that carries it; -1: the world
  JointKind kind = JointKind::revolute;
  Vector3 axis = Vector3::UnitZ();  ///< unit; of revolute, continuous and prismatic joints
  Pose X_PJ = {};
  BodyInertia inertia = {0.0, Vector3::Zero(), Matrix3::Zero()};  ///< in the frame of the joint

  double lower = -std::numeric_limits<double>::infinity();  ///< of revolute and prismatic joints
  double upper = std::numeric_limits<double>::infinity();
  double effort_limit = std::numeric_limits<double>::infinity();    ///< N or N m, >= 0
  double velocity_limit = std::numeric_limits<double>::infinity();  ///< m/s or rad/s, >= 0
  double damping = 0.0;                                             ///< N s/m or N m s, >= 0
  double dry_friction = 0.0;                                        ///< N or N m, >= 0
  double armature = 0.0;   ///< kg or kg m^2, >= 0: of rotors, on the diagonal of the mass matrix
  double stiffness = 0.0;  ///< N/m or N m, >= 0: a spring of a revolute or prismatic joint
  double rest_position = 0.0;  ///< of the spring
};

struct RobotGeometry {
  Geometry geometry;
  int joint = -1;  ///< that carries it; -1: it is fixed to the world
  Pose X_JG = {};
  Surface surface = {};
  double margin = 0.0;  ///< m, >= 0
  std::string name = {};
};

/// Frames of what two joints move, held together: ModelBuilder::add_weld and add_connection.
struct RobotClosure {
  ClosureKind kind = ClosureKind::weld;
  int joint_a = -1, joint_b = -1;  ///< -1: the world
  Pose X_AC = {};
  std::optional<Pose> X_BC = {};  ///< none: where the other one is at initial_q
};

/// q_a = offset + ratio q_b: ModelBuilder::add_coupling.
struct RobotCoupling {
  int joint_a = 0;
  int joint_b = -1;  ///< -1: none
  double ratio = 0.0, offset = 0.0;
};

struct RobotDescription {
  std::string name = {};
  std::vector<RobotJoint> joints = {};
  std::vector<RobotGeometry> geometries = {};
  std::vector<std::pair<int, int>> forbidden = {};  ///< geometries that never meet
  /// Shapes of one tree of joints that overlap at initial_q: they meet all the same, or never.
  bool overlaps_meet = false;
  std::vector<std::pair<int, int>> meeting = {};  ///< pairs that meet in any case
  std::vector<RobotClosure> closures = {};
  std::vector<RobotCoupling> couplings = {};
  Eigen::VectorXd initial_q = {};       ///< empty: all joints at zero
  std::optional<Vector3> gravity = {};  ///< m/s^2, where the file says it
};

/// Throws InvalidInput that names the joint and what is wrong with it.
void check_robot(const RobotDescription& robot);

/// Position of all joints at zero.
Eigen::VectorXd neutral_position(const RobotDescription& robot);

/// Inertia of two bodies that move as one; that of `part` is given in a frame at X.
BodyInertia joined(const BodyInertia& whole, const BodyInertia& part, const Pose& X);

/// Read a file. Only surface, margin, package_dirs, srdf, geometries and any_path of the options
/// count, and free_base of URDF.
RobotDescription read_urdf(const std::string& path, const RobotOptions& options = {});
RobotDescription read_mjcf(const std::string& path, const RobotOptions& options = {});

}  // namespace tactum::sim
