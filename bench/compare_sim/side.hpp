// SPDX-License-Identifier: BSD-2-Clause
// One simulator with a model of its own in a state of its own.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tactum::compare {

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
  /// Name and time in us of each stage of the last step; empty where they are not known.
  virtual std::vector<std::pair<std::string, double>> stages() { return {}; }
};

std::unique_ptr<Side> make_mujoco(const std::string& file, double dt);
/// The solver by its name, the tolerance relative.
std::unique_ptr<Side> make_tactum(const std::string& file, double dt, const std::string& solver,
                                  double tolerance);

}  // namespace tactum::compare
