// SPDX-License-Identifier: BSD-2-Clause
// One step of time: contacts, their forces, new velocities, new positions.
//
// Scheme     Semi-implicit Euler with rigid contact. The velocity after the step is the free one
//            plus the effect of the contact forces; the positions follow it. docs/theory/10-step.md
//            has the equations.
// Forces     The unknowns are forces in units of the problem's own (StepOptions::tolerance). So the
//            tolerance does not depend on the time step, the masses or the speed of an impact.
// Status     A step whose contact forces did not converge says so. Its state is finite all the
//            same.
// Purity     The result depends on model, state, controls and options alone. The same input gives
//            the same bits, for any number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tactum/contact_solver.hpp"
#include "tactum/sim/model.hpp"

namespace tactum::sim {

struct StepOptions {
  ContactSolver solver = ContactSolver::ncp_admm;
  /// Largest residual of the contact forces, relative: forces count in units of the force that
  /// would stop the fastest row, velocities in units of that row's.
  double tolerance = 1e-8;
  /// Most iterations of an attempt of the contact solver. Where ncp_admm gives up, the step is
  /// solved once more, without position correction where there was any. It gives up sooner than
  /// here where more seldom helps: with warm_start after 60 iterations, and in the second attempt
  /// after 200; without, after 300 in an attempt with position correction.
  int max_iterations = 1000;
  /// Share of a penetration beyond the slop that a step takes back, in [0, 1].
  double position_correction = 0.1;
  double slop = 1e-5;  ///< m, >= 0: penetration that is left alone
  /// Approach speed in m/s below which a contact does not bounce.
  double restitution_threshold = 1e-3;
  int max_contacts = 4;     ///< points of contact of a pair of convex shapes, 1 to 32
  double max_angle = 0.05;  ///< rad, of contact patches
  bool warm_start = true;   ///< begin from the forces of the step before
  /// Make the step of the contact survey, for claims about it and not for use: the solver's
  /// algorithm as printed (SolveOptions::as_printed) on impulses in N s and velocities in m/s, in
  /// whose units the tolerance is then; contacts where the distance is at most the slop, whose
  /// normal velocity may not be negative. Has no tape.
  bool as_printed = false;
  bool timings = true;  ///< measure the stages
  bool tape = false;    ///< keep what step_derivative() needs
};

/// One contact point with its force.
struct StepContact {
  int geometry_a, geometry_b;
  int body_a, body_b;
  Vector3 point;    ///< m, in the world, midway between the surfaces
  Vector3 normal;   ///< unit, from A to B
  double distance;  ///< m
  std::uint64_t feature_id;
  Vector3 force;  ///< N, in the world, on B; the opposite acts on A
  ContactMode mode;
  Material material;
};

/// Time that the stages of a step took, in s.
struct StepTimings {
  double kinematics = 0.0, pairs = 0.0, contacts = 0.0, dynamics = 0.0, assembly = 0.0, solve = 0.0,
         integrate = 0.0;
};

enum class StepStatus : std::uint8_t {
  converged,      ///< the contact forces have a residual within the tolerance
  not_converged,  ///< they have not; the best ones found were used
};

/// The data of a step that its derivative needs.
struct StepTape;

struct StepResult {
  State state;
  StepStatus status = StepStatus::converged;
  /// False where taking back penetrations had no solution, as where hulls of links overlap: the
  /// step was solved without position correction.
  bool corrected = true;
  std::vector<StepContact> contacts;
  /// Blocks: contacts, then joints in their order, then closures. Forces are in N, velocities
  /// divided by dt in m/s^2; residuals are relative, as the tolerance.
  ContactSolution solution;
  /// N or N m of limits, dry friction and couplings of joints, one for each entry of v.
  std::vector<double> joint_force;
  /// Force in N and torque in N m of each connection and weld on B, in the world, at the middle of
  /// the origins of its frames.
  std::vector<Eigen::Matrix<double, 6, 1>> closure_force;
  StepTimings timings;
  std::shared_ptr<const StepTape> tape = {};  ///< of a step with StepOptions::tape
};

/// Memory of steps. One workspace serves one thread and one model at a time.
class StepWorkspace {
 public:
  StepWorkspace();
  ~StepWorkspace();
  StepWorkspace(StepWorkspace&&) noexcept;
  StepWorkspace& operator=(StepWorkspace&&) noexcept;
  struct Data;
  Data& data() { return *data_; }

 private:
  std::unique_ptr<Data> data_;
};

/// Advances a state by dt > 0 seconds under the generalized forces tau (nv numbers, or none for
/// zero), which act up to the limits of efforts of the joints. `out` may not be the result that
/// `state` belongs to. Throws InvalidInput for wrong sizes, numbers that are not finite and bad
/// options; `state` is never changed.
void step(const Model& model, const State& state, const Eigen::VectorXd& tau, double dt,
          const StepOptions& options, StepWorkspace& work, StepResult& out);
StepResult step(const Model& model, const State& state, const Eigen::VectorXd& tau, double dt,
                const StepOptions& options = {});

/// Kinetic and potential energy in J. The potential is that of gravity, 0 at the origin, and of the
/// springs of joints.
struct Energy {
  double kinetic = 0.0, potential = 0.0;
};
Energy energy(const Model& model, const State& state);
/// The forces between two bodies in a step, summed over their contact points.
struct BodyContact {
  int body_a = 0, body_b = 0;  ///< ascending; the force is on B
  int points = 0, sticking = 0, sliding = 0;
  Vector3 force = Vector3::Zero();  ///< N, in the world
  Vector3 point = Vector3::Zero();  ///< m: mean of the points, weighted by their forces
  double distance = 0.0;            ///< m: smallest one, negative in penetration
};
/// The contacts of a step by pairs of bodies, ascending.
std::vector<BodyContact> contact_report(const StepResult& result);

/// Linear momentum in N s, then angular momentum about the origin of the world in N m s, of all
/// bodies.
Eigen::Matrix<double, 6, 1> momentum(const Model& model, const State& state);
/// Center of mass of all bodies, m, in the world.
Vector3 com(const Model& model, const State& state);

}  // namespace tactum::sim
