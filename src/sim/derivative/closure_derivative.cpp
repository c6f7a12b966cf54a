// SPDX-License-Identifier: BSD-2-Clause
#include "sim/derivative/closure_derivative.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>

namespace tactum::sim {
namespace {

/// Both bodies of a closure, with their twists at its point side by side.
struct ClosureMotion {
  std::vector<int> columns;
  Matrix6X of_a, of_b;    ///< twists by all columns; zero in those of the other body
  Matrix6X twist_change;  ///< of B relative to A, by q at the velocity found, at a place that stays
};

ClosureMotion closure_motion(const Closure& closure, const Vector3& point,
                             const BodyMotion& motion) {
  const Matrix6X a = motion.twists(closure.body_a, point), b = motion.twists(closure.body_b, point);
  const Eigen::Index size = a.cols() + b.cols();
  ClosureMotion out{motion.columns(closure.body_a), Matrix6X::Zero(6, size),
                    Matrix6X::Zero(6, size), Matrix6X(6, size)};
  const std::vector<int>& of_b = motion.columns(closure.body_b);
  out.columns.insert(out.columns.end(), of_b.begin(), of_b.end());
  out.of_a.leftCols(a.cols()) = a;
  out.of_b.rightCols(b.cols()) = b;
  const auto found = BodyMotion::Velocity::found;
  out.twist_change.leftCols(a.cols()) = -motion.twist_by_q(closure.body_a, point, a, found);
  out.twist_change.rightCols(b.cols()) = motion.twist_by_q(closure.body_b, point, b, found);
  return out;
}

/// Velocity of the place at `arm` from the point of the twists, by all columns.
Eigen::Matrix3Xd velocity_at(const Matrix6X& twists, const Vector3& arm) {
  return twists.topRows<3>() - cross_matrix(arm) * twists.bottomRows<3>();
}

class ClosureRows {
 public:
  ClosureRows(const StepTape& tape, const BodyMotion& motion, std::vector<RowDerivative>& out)
      : tape_(tape), motion_(motion), out_(out), block_(tape.first_closure_block()) {}

  void add(const Closure& closure) {
    const Pose &X_WA = tape_.body_poses[static_cast<std::size_t>(closure.body_a)],
               &X_WB = tape_.body_poses[static_cast<std::size_t>(closure.body_b)];
    const ClosureError error = closure_error(closure, X_WA, X_WB);
    const Pose frame_a = X_WA * closure.X_AC, frame_b = X_WB * closure.X_BC;
    const ClosureMotion moves = closure_motion(closure, error.point, motion_);
    const Matrix6X relative = moves.of_b - moves.of_a;
    add_point(closure, error, velocity_at(moves.of_a, frame_a.translation - error.point),
              velocity_at(moves.of_b, frame_b.translation - error.point), moves, relative);
    if (closure.kind == ClosureKind::connection) return;
    const Vector3 phi = frame_a.rotation.transpose() * error.rotation;
    const Matrix3 by_relative = frame_a.rotation * rotation_exponential_jacobian(phi).inverse() *
                                frame_b.rotation.transpose();
    const Eigen::Matrix3Xd rotation = by_relative * relative.bottomRows<3>() -
                                      cross_matrix(error.rotation) * moves.of_a.bottomRows<3>();
    for (int axis = 0; axis < 3; ++axis)
      add_row(moves.columns, relative.row(3 + axis), moves.twist_change.row(3 + axis),
              rotation.row(axis), error.rotation[axis], {});
  }

  void add(const Coupling& coupling) {
    std::vector<int> columns = {coupling.a.v};
    Eigen::RowVectorXd J = Eigen::RowVectorXd::Ones(1);
    double error = tape_.q[coupling.a.q] - coupling.offset;
    if (coupling.b.tree >= 0) {
      columns.push_back(coupling.b.v);
      J.conservativeResize(2);
      J[1] = -coupling.ratio;
      error -= coupling.ratio * tape_.q[coupling.b.q];
    }
    add_row(columns, J, Eigen::RowVectorXd::Zero(J.size()), J, error, {});
  }

 private:
  /// Adds the three rows of the point, with the motions of both origins.
  void add_point(const Closure& closure, const ClosureError& error, const Eigen::Matrix3Xd& of_a,
                 const Eigen::Matrix3Xd& of_b, const ClosureMotion& moves,
                 const Matrix6X& relative) {
    const Vector6 twist = motion_.twist(closure.body_b, error.point, BodyMotion::Velocity::found) -
                          motion_.twist(closure.body_a, error.point, BodyMotion::Velocity::found);
    const Eigen::Matrix3Xd point = 0.5 * (of_a + of_b),
                           change = moves.twist_change.topRows<3>() +
                                    cross_matrix(twist.tail<3>()) * point;
    for (int axis = 0; axis < 3; ++axis) {
      const double force = tape_.solution.force[tape_.blocks[block_].row];
      const Eigen::Matrix3Xd moment = -cross_matrix(force * Vector3::Unit(axis)) * point;
      add_row(moves.columns, relative.row(axis), change.row(axis), of_b.row(axis) - of_a.row(axis),
              error.translation[axis], relative.bottomRows<3>().transpose() * moment);
    }
  }

  /// Adds a row with its change at constant velocity, and its error with the change of that.
  void add_row(const std::vector<int>& columns, const Eigen::RowVectorXd& J,
               const Eigen::RowVectorXd& change, const Eigen::RowVectorXd& error_by_q, double error,
               const Eigen::MatrixXd& force_by_q) {
    RowDerivative& out = out_.emplace_back();
    out.row = tape_.blocks[block_++].row;
    out.columns = columns;
    out.J = J;
    out.gap_share = tape_.options.position_correction;
    out.velocity_by_q = change + out.gap_share / tape_.dt * error_by_q;
    out.force_by_q = force_by_q;
    out.distance = error;
  }

  const StepTape& tape_;
  const BodyMotion& motion_;
  std::vector<RowDerivative>& out_;
  std::size_t block_;
};

}  // namespace

void append_closure_derivatives(const StepTape& tape, const BodyMotion& motion,
                                std::vector<RowDerivative>& out) {
  ClosureRows rows(tape, motion, out);
  for (const Closure& closure : tape.model.data().closures) rows.add(closure);
  for (const Coupling& coupling : tape.model.data().couplings) rows.add(coupling);
}

}  // namespace tactum::sim
