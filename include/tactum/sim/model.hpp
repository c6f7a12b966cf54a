// SPDX-License-Identifier: BSD-2-Clause
// The simulator's model, with its bodies, robots, shapes and materials, and the state that moves.
//
// Coordinates  They are Pinocchio's. A free body, and a robot whose base is free, has seven numbers
//              in q (x, y, z, qx, qy, qz, qw: the pose of its frame in the world) and six in v (its
//              linear and angular velocity, both in its own axes). Bodies follow each other in the
//              order in which they were added.
// Bodies       Body 0 is the world; everything fixed to it never moves.
// Pairs        Two geometries can meet when they belong to different bodies, not both to the world,
//              and when the pair was not forbidden. Links that a joint connects are forbidden, and
//              so are shapes of one robot that overlap at its initial position, as hulls of links
//              do: nothing could part them.
// Closures     Connections, welds and couplings hold bodies and joints together beside the joints
//              of robots, and so close loops.
// Errors       Everything given is checked when it is given: InvalidInput names field, value and
//              remedy, and nothing has changed then.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactum/geometry.hpp"
#include "tactum/material.hpp"
#include "tactum/pose.hpp"

namespace tactum {
class Scene;
}

namespace tactum::sim {

/// How a surface behaves in contact. A surface without a friction of its own takes that of its
/// partner; all else is the rule of tactum/material.hpp.
struct Surface {
  std::optional<double> friction = {};  ///< coefficient of Coulomb friction, >= 0
  double restitution = 0.0;             ///< in [0, 1]
  double compliance = 0.0;  ///< m/N, >= 0: a contact point yields by this times its force
};

/// Material of a contact between two surfaces.
Material combined(const Surface& a, const Surface& b);

/// Mass, center and inertia of a body in its own frame; the inertia is about the center, in the
/// axes of the frame.
struct BodyInertia {
  double mass = 1.0;                      ///< kg, > 0
  Vector3 center = Vector3::Zero();       ///< m
  Matrix3 inertia = Matrix3::Identity();  ///< kg m^2, positive definite
};

/// The contact forces of a step, which the next step begins from.
struct ContactMemory;

/// Positions, velocities and time of a model; sizes are those of the model.
struct State {
  Eigen::VectorXd q;
  Eigen::VectorXd v;
  double time = 0.0;                                 ///< s
  std::shared_ptr<const ContactMemory> memory = {};  ///< contact forces of the step before
};

struct ModelData;

/// A model that was checked once: immutable, cheap to copy, safe to use from many threads.
class Model {
 public:
  int nq() const;
  int nv() const;
  const Eigen::Vector3d& gravity() const;  ///< m/s^2, in the world
  int num_bodies() const;                  ///< the world among them
  int num_geometries() const;
  int num_closures() const;  ///< connections and welds, then couplings
  /// Names of the joints, in the order of q; that of a free body is the name of the body.
  const std::vector<std::string>& names() const;
  const Eigen::VectorXd& lower_position_limit() const;  ///< of q; -inf where there is none
  const Eigen::VectorXd& upper_position_limit() const;

  /// The initial state: bodies where they were added, joints at their neutral positions, at rest.
  State state() const;

  /// Moves q along a tangent vector, and the tangent vector from q0 to q1.
  Eigen::VectorXd integrate(const Eigen::VectorXd& q, const Eigen::VectorXd& dq) const;
  Eigen::VectorXd difference(const Eigen::VectorXd& q0, const Eigen::VectorXd& q1) const;

  /// Poses of all bodies and of all geometries in the world at q.
  std::vector<Pose> body_poses(const Eigen::VectorXd& q) const;
  std::vector<Pose> geometry_poses(const Eigen::VectorXd& q) const;
  const Geometry& geometry(int index) const;
  const std::string& geometry_name(int index) const;
  int geometry_body(int index) const;
  const std::string& body_name(int index) const;
  /// Whether contacts between two geometries are looked for.
  bool may_meet(int geometry_a, int geometry_b) const;

  explicit Model(std::shared_ptr<const ModelData> data) : data_(std::move(data)) {}
  const ModelData& data() const { return *data_; }

 private:
  std::shared_ptr<const ModelData> data_;
};

struct BodyOptions {
  std::optional<double> mass = {};          ///< kg; the inertia is that of the uniform shape
  std::optional<double> density = {};       ///< kg/m^3; one of mass, density and inertia is given
  std::optional<BodyInertia> inertia = {};  ///< instead of mass and density
  Pose X = {};                              ///< first pose in the world
  std::string name = {};                    ///< made up where empty; unique in the model
  Surface surface = {};
  double margin = 0.0;  ///< m, >= 0: contacts are looked for this far around the shape
};

struct RobotOptions {
  bool free_base = false;  ///< of URDF: the base floats, or is fixed to the world
  Pose X = {};             ///< pose of the base
  std::vector<std::string> package_dirs = {};  ///< folders that package:// paths are looked for in
  Surface surface = {};
  double margin = 0.0;
  std::string name = {};  ///< put before the names of joints and links, with a slash
  std::string srdf = {};  ///< file with pairs of links that never collide; empty: none
  /// Meshes as their convex hulls, or exactly, as surfaces or, where they are closed, as solids.
  enum class Meshes : std::uint8_t { hull, exact } meshes = Meshes::hull;
  bool geometries = true;  ///< false: no shapes are read, so that nothing can touch the robot
  /// Meshes may lie anywhere, and not only in package_dirs and around the robot file.
  bool any_path = false;
  /// Leaves out what a step cannot do, of MJCF: constraints of tendons and flexible bodies, springs
  /// and limits of tendons and of joints with more than one coordinate. Otherwise they are errors.
  bool ignore_unsupported = false;
};

struct RobotDescription;

enum class ClosureKind : std::uint8_t {
  connection,  ///< the origins of both frames stay together, as in a ball joint
  weld,        ///< both frames stay together
};

/// Collects bodies and robots and makes a model of them.
class ModelBuilder {
 public:
  explicit ModelBuilder(const Vector3& gravity = {0.0, 0.0, -9.81});
  ~ModelBuilder();
  ModelBuilder(const ModelBuilder&);
  ModelBuilder& operator=(const ModelBuilder&);
  ModelBuilder(ModelBuilder&&) noexcept;
  ModelBuilder& operator=(ModelBuilder&&) noexcept;

  /// Adds the solid half-space below the plane with this normal and offset; returns its geometry.
  int add_ground(const Surface& surface = {}, const Vector3& normal = Vector3::UnitZ(),
                 double offset = 0.0);
  /// Adds a shape that is fixed to the world; returns its geometry.
  int add_fixed(const Geometry& geometry, const Pose& X = {}, const Surface& surface = {},
                const std::string& name = {});
  /// Adds a free body with one shape; returns the body.
  int add_body(const Geometry& geometry, const BodyOptions& options);
  /// Adds one more shape to a body, at a pose in its frame; returns its geometry. The inertia of
  /// the body stays what it is.
  int add_geometry(int body, const Geometry& geometry, const Pose& X_BG,
                   const Surface& surface = {}, double margin = 0.0, const std::string& name = {});
  /// Adds the robots of a file. Returns the first of their bodies.
  int add_urdf(const std::string& path, const RobotOptions& options = {});
  int add_mjcf(const std::string& path, const RobotOptions& options = {});
  /// Adds a robot that is given as plain data, with its base, or the world that it was described
  /// in, at X. Trees of joints that stand on the world by themselves become robots of their own.
  int add_robot(const RobotDescription& robot, const Pose& X = {}, const std::string& name = {});

  /// Adds the objects of a scene with their materials and filters: static ones and half-spaces to
  /// the world, the others as free bodies of this density in kg/m^3.
  void add_scene(const Scene& scene, double density = 1000.0);

  /// Holds a frame of body A, at X_AC in its frame, together with one of body B. Without X_BC the
  /// frames are together at the initial position. Body 0 is the world. Returns its number.
  int add_weld(int body_a, int body_b, const Pose& X_AC = {},
               const std::optional<Pose>& X_BC = std::nullopt);
  /// Holds a point of body A together with one of body B, as a ball joint does.
  int add_connection(int body_a, int body_b, const Vector3& point_a,
                     const std::optional<Vector3>& point_b = std::nullopt);
  /// Holds q_a = offset + ratio q_b, of joints with one coordinate each, given by their names;
  /// without joint_b, q_a is held at the offset. Returns its number among couplings.
  int add_coupling(const std::string& joint_a, const std::string& joint_b, double ratio = 1.0,
                   double offset = 0.0);

  /// No contacts are looked for between these two geometries.
  void forbid(int geometry_a, int geometry_b);
  void allow(int geometry_a, int geometry_b);

  /// Finds a body or a geometry by name; -1: none.
  int find_body(std::string_view name) const;
  int find_geometry(std::string_view name) const;

  Model build() const;

  ModelData& data() { return *data_; }

 private:
  std::unique_ptr<ModelData> data_;
};

/// A model of one file. The gravity of an MJCF file counts; that of URDF is 9.81 m/s^2 along -z.
Model load_urdf(const std::string& path, const RobotOptions& options = {});
Model load_mjcf(const std::string& path, const RobotOptions& options = {});

}  // namespace tactum::sim
