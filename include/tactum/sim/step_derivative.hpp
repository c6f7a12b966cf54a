// SPDX-License-Identifier: BSD-2-Clause
// The derivative of a step: how the next state follows the state before, the controls and the
// parameters of the model, through contact.
//
// Tangents   Changes of positions are tangent vectors of nv numbers, as Model::integrate takes
//            them: q before moves to integrate(q, dq), and the result says how difference(q+, .)
//            changes. Velocities change in their own entries.
// Contacts   Contact points, normals and distances move with the bodies, curvature included, and
//            the forces follow by the implicit function theorem at the solution, in the modes that
//            it has: breaking, sticking, sliding. Options freeze contacts, for comparison, or
//            smooth their geometry or their law.
// Validity   Between two modes a step has a kink, or a jump, and no derivative. Then smooth() is
//            false and the derivative is that of one side. mode_margin() says how near that is.
//            docs/theory/11-step-derivative.md has a table of the cases in section 11.3.
// Theory     docs/theory/11-step-derivative.md.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tactum/distance_derivative.hpp"
#include "tactum/sim/step.hpp"
#include "tactum/solution_derivative.hpp"

namespace tactum::sim {

/// Parameters that a step can be differentiated by, with the numbers of a change.
enum class StepParameter : std::uint8_t {
  friction,     ///< coefficient of the surface of each geometry; 0 where it has none of its own
  restitution,  ///< of the surface of each geometry
  compliance,   ///< m/N, of the surface of each geometry
  inertia,      ///< ten for each body, the world among them: mass in kg, mass times center (3) in
                ///< kg m, and the inertia about the origin of the body's frame, xx, xy, yy, xz, yz,
                ///< zz, in kg m^2, which is the order of Pinocchio
  gravity,      ///< 3: m/s^2, in the world
  position_correction,  ///< 1: StepOptions::position_correction
  slop,                 ///< 1: m, StepOptions::slop
  dt,                   ///< 1: s, the length of the step
  shape,                ///< the sizes of all convex shapes: shape_parameters() names them
};
inline constexpr int step_parameter_count = 9;
std::string_view to_string(StepParameter parameter);
/// Number of entries of a parameter of a model.
int parameter_size(const Model& model, StepParameter parameter);

/// A size of a shape: "radius", "half_extents[1]", "vertices[7][2]", "margin".
struct ShapeParameter {
  int geometry;
  std::string size;
};
/// The entries of StepParameter::shape. Compounds and meshes have none. Masses do not follow sizes.
std::vector<ShapeParameter> shape_parameters(const Model& model);

/// One vector for each StepParameter. Empty ones count as zero.
using StepParameterValues = std::array<Eigen::VectorXd, step_parameter_count>;

/// A change of what a step depends on, or the gradient of a scalar by it. Empty parts of a change
/// are zero.
struct StepInputTangent {
  Eigen::VectorXd q = {}, v = {}, tau = {};  ///< nv numbers each
  StepParameterValues parameters = {};
};

/// A change of the state after a step, or the gradient of a scalar by it. Empty parts are zero.
struct StepOutputTangent {
  Eigen::VectorXd q = {}, v = {};  ///< nv numbers each
};

/// Derivatives of the next position and velocity, nv x nv each.
struct StepJacobians {
  Eigen::MatrixXd dq_dq, dq_dv, dq_dtau, dv_dq, dv_dv, dv_dtau;
};

/// Derivatives of the next position and velocity by a parameter, nv x parameter_size.
struct StepParameterJacobians {
  Eigen::MatrixXd dq, dv;
};

struct StepDerivativeOptions {
  /// Points and normals of contacts stay where they are in the world, as other simulators have it;
  /// for comparison. smooth() and mode_margin() stay those of the exact step.
  bool frozen_contacts = false;
  /// Contact points and normals move by this estimator, which smooths corners and edges
  /// (ContactPatchDerivativeOptions); pairs with a shape that Gumbel does not take move exactly.
  Estimator estimator = Exact{};
  /// m/s, >= 0. More than 0 gives the derivative of a step whose contact forces obey relaxed
  /// complementarity, f . s = m relaxation^2 / dt in place of 0, which follows the state smoothly
  /// through changes of modes: contacts are felt before they close and slip before they slide.
  double relaxation = 0.0;
  /// Parameters that will be asked for.
  std::vector<StepParameter> parameters = {};
};

/// Memory of derivatives of steps. One workspace serves one thread and one model at a time.
class StepDerivativeWorkspace {
 public:
  StepDerivativeWorkspace();
  ~StepDerivativeWorkspace();
  StepDerivativeWorkspace(StepDerivativeWorkspace&&) noexcept;
  StepDerivativeWorkspace& operator=(StepDerivativeWorkspace&&) noexcept;
  struct Data;
  Data& data() { return *data_; }

 private:
  std::unique_ptr<Data> data_;
};

/// The linearization of one step: everything is factorized, nothing is multiplied out yet.
class StepDerivative {
 public:
  StepDerivative(const StepResult& result, const StepDerivativeOptions& options,
                 StepDerivativeWorkspace& work);
  ~StepDerivative();
  StepDerivative(StepDerivative&&) noexcept;
  StepDerivative& operator=(StepDerivative&&) noexcept;

  /// Whether the next state is differentiable here, as far as the solution can tell: it has
  /// converged, no contact that carries a force is at the border of its mode, of its features or
  /// of the rules for gaps and bounces, and the motion does not depend on forces that are not
  /// unique. Parameters that the options named count too: where one has no derivative here, as
  /// a restitution of 0 in an impact, it is false.
  bool smooth() const;
  /// Least distance from a change of mode of all contacts and joints that are in contact or could
  /// be, as a share of the forces or velocities at stake there; 0 on the border, at most 1.
  double mode_margin() const;
  /// How the changes of contact forces were made unique.
  HyperstaticRule rule() const;

  StepJacobians jacobians() const;
  /// The Jacobians in the memory of others.
  void jacobians(StepJacobians& out) const;
  /// Derivatives by a parameter; throws InvalidInput where the options did not name it.
  StepParameterJacobians jacobians(StepParameter parameter) const;
  /// Change of the state after the step for a change of its input. Throws InvalidInput for wrong
  /// sizes, numbers that are not finite, and parameters that the options did not name.
  StepOutputTangent jvp(const StepInputTangent& change) const;
  /// Gradient of a scalar by the input of the step, from its gradient by the state after it, and
  /// by the parameters that the options named. No Jacobian is formed.
  StepInputTangent vjp(const StepOutputTangent& gradient) const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

/// Derivative of a step that was made with StepOptions::tape. Throws InvalidInput for a step
/// without a tape, and for the solver `raisim`, whose equations have no derivative here.
StepDerivative step_derivative(const StepResult& result, const StepDerivativeOptions& options = {});
StepDerivative step_derivative(const StepResult& result, const StepDerivativeOptions& options,
                               StepDerivativeWorkspace& work);

/// The numbers of a position and its tangent vectors, for programs that differentiate by the
/// numbers: quaternions among them count as if they were normalized first.
struct PositionMaps {
  Eigen::VectorXd normalized;          ///< q with unit quaternions
  Eigen::MatrixXd numbers_by_tangent;  ///< nq x nv: integrate(normalized, .) at zero
  Eigen::MatrixXd tangent_by_numbers;  ///< nv x nq: from changes of q to tangent vectors
};
/// Throws InvalidInput for wrong sizes, numbers that are not finite, and rotations of norm 0.
PositionMaps position_maps(const Model& model, const Eigen::VectorXd& q);

}  // namespace tactum::sim
