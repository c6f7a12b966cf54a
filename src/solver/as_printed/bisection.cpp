// SPDX-License-Identifier: BSD-2-Clause
// Alg. 4: every contact is solved by cases, take-off, stiction or sliding. For sliding the survey
// refers to Hwangbo, Lee, Hutter 2018: bisection over the angle of the force on the ellipse where
// the cone meets s_N = 0, from the angle of the force that would stop the contact.
//
// Left open  The walk that brackets the zero begins with 0.01 rad downhill in the energy and grows
//            by 1.3; the bracket is halved until it is 1e-12 rad wide. Hwangbo et al. mix the old
//            force into the new one by a weight that falls from pass to pass; Alg. 4 does not, and
//            neither does this loop.
#include <cmath>

#include "solver/as_printed/printed_loop.hpp"

namespace tactum {
namespace {

constexpr double kTurn = 6.283185307179586, kFirstStep = 0.01, kGrowth = 1.3, kEnd = 1e-12;

/// A contact with G_NN > 0 and mu > 0 whose own velocity without its force, g~, approaches.
struct Ellipse {
  const BlockMatrix& G;
  double mu;
  Double3 free;

  double denominator(double angle) const {
    return G[8] / mu + G[6] * std::cos(angle) + G[7] * std::sin(angle);
  }
  bool has_force(double angle) const { return denominator(angle) > 1e-12 * G[8] / mu; }
  Double3 force(double angle) const {
    const double r = -free.z / denominator(angle);
    return {r * std::cos(angle), r * std::sin(angle), r / mu};
  }
  /// Derivative of 1/2 f.G f + g~.f by the angle. Its normal part is 0, as s_N is.
  double slope(double angle) const {
    const double c = std::cos(angle), s = std::sin(angle), all = denominator(angle);
    const double r = -free.z / all, change = r * (G[6] * s - G[7] * c) / all;
    const Double3 f{r * c, r * s, r / mu};
    const double x = G[0] * f.x + G[1] * f.y + G[2] * f.z + free.x,
                 y = G[3] * f.x + G[4] * f.y + G[5] * f.z + free.y;
    return x * (change * c - r * s) + y * (change * s + r * c);
  }
};

/// Sets the force that stops the contact, -G_ii^-1 g~. Returns false where G_ii is singular.
bool stopping_force(const BlockMatrix& G, Double3 free, Double3& force) {
  const Double3 a{G[0], G[1], G[2]}, b{G[3], G[4], G[5]}, c{G[6], G[7], G[8]};
  const double determinant = dot(a, cross(b, c));
  if (!(determinant > 1e-14 * G[0] * G[4] * G[8])) return false;
  const Double3 right = -free;
  force = (1 / determinant) *
          (right.x * cross(b, c) + right.y * cross(c, a) + right.z * cross(a, b));
  return true;
}

/// Angle of least energy near a first one. Where no force of the cone stops the approach, the
/// energy grows without bound on the way there.
double least_energy_angle_from(const Ellipse& ellipse, double first) {
  const double direction = ellipse.slope(first) > 0 ? -1.0 : 1.0;
  const auto is_uphill = [&](double angle) {
    return !ellipse.has_force(angle) || direction * ellipse.slope(angle) >= 0;
  };
  double near = 0, far = kFirstStep;
  while (far < kTurn && !is_uphill(first + direction * far)) {
    near = far;
    far *= kGrowth;
  }
  if (far >= kTurn) return first;  // the energy does not depend on the angle
  while (far - near > kEnd) {
    const double middle = 0.5 * (near + far);
    (is_uphill(first + direction * middle) ? far : near) = middle;
  }
  return first + direction * near;
}

Double3 contact_force(const BlockMatrix& G, double mu, Double3 free) {
  if (!(G[8] > 0) || free.z > 0) return {0, 0, 0};
  Double3 stop{-free.x, -free.y, -free.z};
  if (stopping_force(G, free, stop) && tangent_norm(stop) <= mu * stop.z) return stop;
  const Double3 frictionless{0, 0, -free.z / G[8]};
  if (mu < 1e-12) return frictionless;
  const Ellipse ellipse{G, mu, free};
  const double first = stop.x == 0 && stop.y == 0 ? 0.0 : std::atan2(stop.y, stop.x);
  if (!ellipse.has_force(first)) return frictionless;
  return ellipse.force(least_energy_angle_from(ellipse, first));
}

}  // namespace

void printed_bisection(SolverTask& task, PrintedScratch& scratch) {
  printed_passes(task, scratch, [&](const ContactBlock& block) {
    if (block.kind != ContactKind::friction) return update_normal(task, scratch, block);
    set_block_value(task.force, block, {0, 0, 0});
    const Double3 free{row_velocity(task, scratch, block.row),
                       row_velocity(task, scratch, block.row + 1),
                       row_velocity(task, scratch, block.row + 2)};
    BlockMatrix G;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        G[static_cast<std::size_t>(3 * i + j)] = scratch.G(block.row + i, block.row + j);
    set_block_value(task.force, block, contact_force(G, block.mu, free));
  });
}

}  // namespace tactum
