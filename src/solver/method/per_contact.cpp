// SPDX-License-Identifier: BSD-2-Clause
// Alg. 1 (lcp), Alg. 2 (ccp) and Alg. 5 (ncp) of Le Lidec et al. 2023, and Alg. 4 (raisim) with the
// contact of raisim.hpp.
//
// Steps      The tangential step is 1 over the largest eigenvalue of G_TT, with which every update
//            lowers its quadratic; the listing has the smaller diagonal entry instead, which may
//            overshoot. Alg. 2 steps by 3/trace; the step here is also at most 3/2 over the largest
//            eigenvalue.
#include "solver/method/per_contact.hpp"

#include "solver/method/contact_sweep.hpp"
#include "solver/method/raisim.hpp"

namespace tactum {
namespace {

double inverse(double value) { return value > 0 ? 1 / value : 0.0; }

/// Sets the normal and the tangential step of every friction block.
void set_split_steps(const SolverTask& task, std::vector<double>& step) {
  step.assign(2 * task.problem.blocks.size(), 0.0);
  for (std::size_t i = 0; i < task.problem.blocks.size(); ++i) {
    if (task.problem.blocks[i].kind != ContactKind::friction) continue;
    step[2 * i] = task.options.over_relaxation * inverse(task.diagonal[i][8]);
    step[2 * i + 1] = task.options.over_relaxation *
                      inverse(largest_eigenvalue(task.diagonal[i], 2));
  }
}

/// Sets the inverse of every friction block, or zeros where it has none.
void set_inverses(const SolverTask& task, std::vector<BlockMatrix>& inverses) {
  inverses.assign(task.problem.blocks.size(), BlockMatrix{});
  for (std::size_t i = 0; i < task.problem.blocks.size(); ++i) {
    if (task.problem.blocks[i].kind != ContactKind::friction) continue;
    const BlockMatrix& G = task.diagonal[i];
    const Double3 x{G[0], G[1], G[2]}, y{G[3], G[4], G[5]}, z{G[6], G[7], G[8]};
    const Double3 yz = cross(y, z), zx = cross(z, x), xy = cross(x, y);
    const double determinant = dot(x, yz);
    if (!(determinant > 1e-9 * (G[0] * G[4] * G[8]))) continue;
    const double scale = 1 / determinant;
    inverses[i] = {scale * yz.x, scale * zx.x, scale * xy.x, scale * yz.y, scale * zx.y,
                   scale * xy.y, scale * yz.z, scale * zx.z, scale * xy.z};
  }
}

/// Lines 3 to 6 of Alg. 1 and Alg. 5: the normal force is updated first, then the tangential force
/// within the bound that the normal force sets. Where the force that stops the contact is within
/// the cone, that force is taken instead: it solves the contact alone, which the two lines only
/// approach.
template <class Clamp>
void solve_split(SolverTask& task, PerContactScratch& scratch, const Clamp& clamp) {
  set_split_steps(task, scratch.step);
  set_inverses(task, scratch.inverse);
  const double relaxation = task.options.over_relaxation;
  const auto update = [&](std::size_t i, const ContactBlock& block, Double3 f, Double3 s) {
    const BlockMatrix &G = task.diagonal[i], &H = scratch.inverse[i];
    if (H[8] > 0) {
      const Double3 stuck{f.x - relaxation * (H[0] * s.x + H[1] * s.y + H[2] * s.z),
                          f.y - relaxation * (H[3] * s.x + H[4] * s.y + H[5] * s.z),
                          f.z - relaxation * (H[6] * s.x + H[7] * s.y + H[8] * s.z)};
      const double bound = block.mu * stuck.z;
      if (stuck.z >= 0 && stuck.x * stuck.x + stuck.y * stuck.y <= bound * bound) return stuck;
    }
    const double normal = G[8] > 0 ? std::max(0.0, f.z - scratch.step[2 * i] * s.z) : 0.0,
                 change = normal - f.z;
    const double sx = s.x + G[2] * change, sy = s.y + G[5] * change, step = scratch.step[2 * i + 1];
    const Double2 tangent = clamp(Double2{f.x - step * sx, f.y - step * sy}, block.mu * normal);
    return Double3{tangent.x, tangent.y, normal};
  };
  sweep_contacts(task, scratch.tracker, update);
}

}  // namespace

void solve_lcp_pgs(SolverTask& task, PerContactScratch& scratch) {
  solve_split(task, scratch, [&](Double2 tangent, double radius) {
    return task.rule.polygon.project(tangent, radius);
  });
}

void solve_ncp_pgs(SolverTask& task, PerContactScratch& scratch) {
  solve_split(task, scratch,
              [](Double2 tangent, double radius) { return project_disc(tangent, radius); });
}

void solve_ccp_pgs(SolverTask& task, PerContactScratch& scratch) {
  scratch.step.assign(task.problem.blocks.size(), 0.0);
  for (std::size_t i = 0; i < task.problem.blocks.size(); ++i) {
    if (task.problem.blocks[i].kind != ContactKind::friction) continue;
    const BlockMatrix& G = task.diagonal[i];
    scratch.step[i] = task.options.over_relaxation *
                      std::min(inverse((G[0] + G[4] + G[8]) / 3),
                               1.5 * inverse(largest_eigenvalue(G, 3)));
  }
  const auto update = [&](std::size_t i, const ContactBlock& block, Double3 f, Double3 s) {
    return project_cone(f - scratch.step[i] * s, block.mu);
  };
  sweep_contacts(task, scratch.tracker, update);
}

namespace {

template <class Slide>
void solve_by_case(SolverTask& task, PerContactScratch& scratch, const Slide& slide) {
  // under-relaxation 1 -> 0.1 by 0.99 a sweep (Hwangbo, Lee, Hutter 2018), scaled by what the
  // caller asks for
  double relaxation = task.options.over_relaxation;
  std::size_t last = task.problem.blocks.size();
  const auto update = [&](std::size_t i, const ContactBlock& block, Double3 f, Double3 s) {
    if (i <= last && last < task.problem.blocks.size())
      relaxation = std::max(0.1, 0.99 * relaxation);
    last = i;
    const Double3 next = contact_by_case(task.diagonal[i], block.mu, f, s, slide);
    return f + relaxation * (next - f);
  };
  sweep_contacts(task, scratch.tracker, update);
}

}  // namespace

void solve_raisim(SolverTask& task, PerContactScratch& scratch) {
  solve_by_case(task, scratch, least_energy_angle);
}

void solve_raisim_desaxce(SolverTask& task, PerContactScratch& scratch) {
  solve_by_case(task, scratch, most_dissipation_angle);
}

}  // namespace tactum
