// SPDX-License-Identifier: BSD-2-Clause
// A robot: Pinocchio's model of a tree of joints, and what a step needs of it.
//
// Velocities Pinocchio's own. A base that floats is the exception inside a step. There its linear
//            velocity counts as that of the origin in the axes before the step, without the term
//            w x v of Pinocchio's spatial acceleration, and is turned into the new axes when the
//            base has moved. So a robot that spins in free flight does not speed up
//            (docs/theory/10-step.md).
// Cost       This is the only header of the simulator behind which Pinocchio is compiled.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "sim/model/tree_factor.hpp"
#include "tactum/pose.hpp"

namespace tactum::sim {

using Matrix6X = Eigen::Matrix<double, 6, Eigen::Dynamic>;

struct PinocchioModel;  // src/sim/model/pinocchio_model.hpp

/// An immutable robot.
class Articulation {
 public:
  explicit Articulation(std::shared_ptr<const PinocchioModel> pinocchio);
  ~Articulation();

  struct Joint {
    std::string name;
    std::string body_name;  ///< of what it moves
    int parent;             ///< 0: the world
    int q, nq, v, nv;
    bool floats;               ///< a free joint on the world
    std::vector<int> support;  ///< entries of v that move it
    std::vector<int> tree;     ///< joints between the world and this one, itself last
  };

  int nq() const { return nq_; }
  int nv() const { return nv_; }
  const std::vector<Joint>& joints() const { return joints_; }  ///< joint 0 is the world
  const Eigen::VectorXd& neutral() const { return neutral_; }
  const Eigen::VectorXd& lower_position_limit() const { return lower_; }
  const Eigen::VectorXd& upper_position_limit() const { return upper_; }
  const Eigen::VectorXd& damping() const { return damping_; }
  const Eigen::VectorXd& dry_friction() const { return dry_friction_; }
  const Eigen::VectorXd& effort_limit() const { return effort_limit_; }
  /// Stiffness of springs, one for each entry of v; only joints with one coordinate have any.
  const Eigen::VectorXd& stiffness() const { return stiffness_; }
  const Eigen::VectorXd& rest_position() const { return rest_position_; }
  /// For each entry of v the one above it in its branch; -1: none.
  const std::vector<int>& velocity_parents() const { return velocity_parents_; }
  const PinocchioModel& pinocchio() const { return *pinocchio_; }

  Eigen::VectorXd integrate(const Eigen::VectorXd& q, const Eigen::VectorXd& dq) const;
  Eigen::VectorXd difference(const Eigen::VectorXd& q0, const Eigen::VectorXd& q1) const;

 private:
  std::shared_ptr<const PinocchioModel> pinocchio_;
  int nq_ = 0, nv_ = 0;
  std::vector<Joint> joints_;
  std::vector<int> velocity_parents_;
  Eigen::VectorXd neutral_, lower_, upper_, damping_, dry_friction_, effort_limit_, stiffness_,
      rest_position_;
};

/// Scratch of one robot: kinematics and dynamics at a state.
class ArticulationData {
 public:
  explicit ArticulationData(const Articulation& articulation);
  ~ArticulationData();
  ArticulationData(ArticulationData&&) noexcept;
  ArticulationData& operator=(ArticulationData&&) noexcept;

  /// Poses and Jacobians of all joints at q, and their velocities at v. The mass matrix and the
  /// nonlinear effects come with them.
  void set_kinematics(const Eigen::Ref<const Eigen::VectorXd>& q,
                      const Eigen::Ref<const Eigen::VectorXd>& v);
  /// Factor of the mass matrix with dt times the damping of joints and dt^2 times their stiffness
  /// on its diagonal, and the free velocity after dt under the forces tau. Follows
  /// set_kinematics() of the same q and v.
  void set_free_velocity(const Eigen::Ref<const Eigen::VectorXd>& q,
                         const Eigen::Ref<const Eigen::VectorXd>& v,
                         const Eigen::Ref<const Eigen::VectorXd>& tau, double dt,
                         Eigen::Ref<Eigen::VectorXd> u);

  Pose placement(int joint) const;
  /// Speed of the origin and angular speed of a joint at v.
  double linear_speed(int joint) const;
  double angular_speed(int joint) const;
  /// Columns: motion of the world by each entry of v. Linear velocity is that of the body's point
  /// at the world's origin. Only the columns of a joint's support belong to it.
  const Matrix6X& jacobian() const;
  /// Factor of the mass matrix, with what set_free_velocity() adds to its diagonal.
  const TreeFactor& factor() const { return factor_; }

  /// Moves q by a step with the velocity u, and sets the velocity after it.
  void advance(const Eigen::Ref<const Eigen::VectorXd>& q,
               const Eigen::Ref<const Eigen::VectorXd>& u, double dt,
               Eigen::Ref<Eigen::VectorXd> next_q, Eigen::Ref<Eigen::VectorXd> next_v) const;

  double kinetic_energy(const Eigen::Ref<const Eigen::VectorXd>& q,
                        const Eigen::Ref<const Eigen::VectorXd>& v);
  /// Potential energy of the springs of joints, J.
  double spring_energy(const Eigen::Ref<const Eigen::VectorXd>& q) const;
  /// Mass and center of mass at q, momentum about the origin of the world at (q, v).
  double mass() const;
  Vector3 center(const Eigen::Ref<const Eigen::VectorXd>& q);
  Eigen::Matrix<double, 6, 1> momentum(const Eigen::Ref<const Eigen::VectorXd>& q,
                                       const Eigen::Ref<const Eigen::VectorXd>& v);

 private:
  struct Scratch;  ///< of Pinocchio
  const Articulation* articulation_;
  std::unique_ptr<Scratch> data_;
  TreeFactor factor_;
  Eigen::VectorXd added_diagonal_, force_;
  mutable Eigen::VectorXd motion_;
};

}  // namespace tactum::sim
