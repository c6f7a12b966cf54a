// SPDX-License-Identifier: BSD-2-Clause
// The free term of a contact problem in units of force: position correction, restitution,
// compliance.
//
// With forces f and a step dt the velocity after the step is J v_f + dt G f. Its rows must be at
// least what the separation d leaves, -d/dt; divided by dt, (G f + g)_N >= 0 with g_N = ((J v_f)_N
// + d/dt)/dt. A penetration is taken back in part (Baumgarte), a bounce adds e (J v)_N. An error d
// of a bilateral row has no good sign: the share 1 - K_p of it is taken back, whichever it has. A
// compliance c lets the row yield by c f meters: (J v_f + dt G f)_N + d/dt + c f/dt >= 0, so R =
// c/dt^2.
#include <algorithm>
#include <cmath>
#include <string>

#include "core/format_number.hpp"
#include "tactum/contact_problem.hpp"

namespace tactum {
namespace {

void check_numbers(const Eigen::VectorXd& values, Eigen::Index size, bool may_be_empty,
                   const char* field, double least, double most, const char* remedy) {
  if (values.size() != size && !(may_be_empty && values.size() == 0))
    throw InvalidInput(field, std::to_string(values.size()) + " entries",
                       "give " + std::to_string(size));
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    if (!(std::isfinite(values[i]) && values[i] >= least && values[i] <= most))
      throw InvalidInput(std::string(field) + "[" + std::to_string(i) + "]", exact_text(values[i]),
                         remedy);
  }
}

void check_scalar(double value, const char* field, double least, double most, const char* remedy) {
  if (!(std::isfinite(value) && value >= least && value <= most))
    throw InvalidInput(field, exact_text(value), remedy);
}

}  // namespace

Eigen::VectorXd contact_free_velocity(const std::vector<ContactKind>& kinds,
                                      const FreeVelocityTerms& terms) {
  Eigen::Index rows = 0;
  const auto blocks = static_cast<Eigen::Index>(kinds.size());
  for (const ContactKind kind : kinds) rows += row_count(kind);
  const char* const finite = "give finite numbers of at most 1e12";
  check_numbers(terms.free_velocity, rows, false, "free_velocity", -1e12, 1e12, finite);
  check_numbers(terms.velocity, rows, true, "velocity", -1e12, 1e12, finite);
  check_numbers(terms.separation, blocks, true, "separation", -1e12, 1e12, finite);
  check_numbers(terms.restitution, blocks, true, "restitution", 0, 1, "give numbers from 0 to 1");
  check_scalar(terms.time_step, "time_step", 1e-9, 1e9, "give a positive number of seconds");
  check_scalar(terms.position_gain, "position_gain", 0, 1, "give a number from 0 to 1");
  check_scalar(terms.damping_gain, "damping_gain", 0, 1, "give a number from 0 to 1");

  Eigen::VectorXd g = terms.free_velocity;
  Eigen::Index row = 0;
  for (Eigen::Index i = 0; i < blocks; ++i) {
    const ContactKind kind = kinds[static_cast<std::size_t>(i)];
    const Eigen::Index normal = row + row_count(kind) - 1;
    const double approach = terms.separation.size() > 0 ? terms.separation[i] / terms.time_step
                                                        : 0.0;
    const double before = terms.velocity.size() > 0 ? terms.velocity[normal] : 0.0;
    const double bounce = terms.restitution.size() > 0 ? terms.restitution[i] : 0.0;
    if (kind == ContactKind::bilateral) g[normal] += (1 - terms.position_gain) * approach;
    if (kind != ContactKind::bilateral && kind != ContactKind::box)
      g[normal] += approach - terms.position_gain * std::min(approach, 0.0) +
                   (bounce - terms.damping_gain) * before;
    row += row_count(kind);
  }
  return g / terms.time_step;
}

Eigen::VectorXd contact_compliance(const Eigen::VectorXd& compliance, double time_step) {
  check_scalar(time_step, "time_step", 1e-9, 1e9, "give a positive number of seconds");
  check_numbers(compliance, compliance.size(), false, "compliance", 0, 1e12,
                "give numbers >= 0, in m/N");
  return compliance / (time_step * time_step);
}

}  // namespace tactum
