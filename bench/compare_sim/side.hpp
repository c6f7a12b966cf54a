// SPDX-License-Identifier: BSD-2-Clause
// One simulator with a model of its own in a state of its own.
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace tactum::compare {

/// Forces on a robot whose base is the first body and floats. The other joints, which have one
/// coordinate each, are held at their first positions.
struct Controls {
  double stiffness = 0.0;  ///< N m/rad; 0: no forces at all
  double damping = 0.0;    ///< N m s/rad
  double push = 0.0;       ///< N: largest force on the base along the world's y-axis

  bool any() const { return stiffness > 0.0; }
  /// Of a joint at q that was at q0 and moves at v.
  double hold(double q0, double q, double v) const { return stiffness * (q0 - q) - damping * v; }
  /// N, at a time in s: two pushes to each side in a second.
  double push_at(double time) const { return push * std::sin(4.0 * std::numbers::pi * time); }
};

class Side {
 public:
  virtual ~Side() = default;
  virtual void step(int count) = 0;
  /// Residual of the last step's contact forces by the criterion of the survey, in the units of a
  /// tactum step, and its number of contact points.
  virtual double ncp_residual() = 0;
  virtual int num_contacts() = 0;
  virtual int num_velocities() = 0;
  virtual double height() = 0;  ///< m, of the center of mass
  virtual double speed() = 0;   ///< root mean square of the entries of v, in m/s and rad/s

  /// Begins a phase, in which contact forces are asked for at this relative residual where that can
  /// be asked for; the share of converged steps and the stages count from here.
  virtual void start_phase(double) {}
  /// Share of the steps of the phase whose forces reached the tolerance; NaN where nothing is asked
  /// for.
  virtual double share_converged() { return std::numeric_limits<double>::quiet_NaN(); }
  /// Remembers the state, for time_stages().
  virtual void mark() {}
  /// Makes the steps since mark() once more, with a clock at every stage, and ends in the same
  /// state.
  virtual void time_stages() {}
  /// Name and mean time in us of each stage of the steps of the phase; empty where they are not
  /// known.
  virtual std::vector<std::pair<std::string, double>> stages() { return {}; }
};

std::unique_ptr<Side> make_mujoco(const std::string& file, double dt, const Controls& controls);
std::unique_ptr<Side> make_tactum(const std::string& file, double dt, const Controls& controls);

}  // namespace tactum::compare
