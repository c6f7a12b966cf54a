// SPDX-License-Identifier: BSD-2-Clause
#include "solver/method/raisim.hpp"

#include <array>
#include <limits>

namespace tactum {
namespace {

constexpr std::size_t kAngles = 24;
constexpr double kTurn = 6.283185307179586;

Double2 angle_point(double angle) { return {std::cos(angle), std::sin(angle)}; }

std::array<Double2, kAngles> unit_circle() {
  std::array<Double2, kAngles> result;
  for (std::size_t i = 0; i < kAngles; ++i)
    result[i] = angle_point(kTurn * static_cast<double>(i) / kAngles);
  return result;
}

/// Sets `result` to -G_ii^-1 g~. Returns false when G_ii is singular.
bool sticking_force(const BlockMatrix& G, Double3 free, Double3& result) {
  // the normal, whose G_NN is positive here, is eliminated; a system of two rows is left
  const double a = G[8], b1 = G[6] / a, b2 = G[7] / a;
  const double c11 = G[0] - b1 * G[2], c12 = G[1] - b1 * G[5], c22 = G[4] - b2 * G[5];
  const double determinant = c11 * c22 - c12 * c12;
  if (!(c11 > 1e-12 * G[0] && c22 > 1e-12 * G[4] && determinant > 1e-12 * c11 * c22)) return false;
  const double r1 = -free.x + b1 * free.z, r2 = -free.y + b2 * free.z;
  const double x = (c22 * r1 - c12 * r2) / determinant, y = (c11 * r2 - c12 * r1) / determinant;
  result = {x, y, (-free.z - G[6] * x - G[7] * y) / a};
  return true;
}

/// Force at the angle where `rising` goes through zero from below, between two angles. At most one
/// of them has no force, in which case a pole of r lies between them.
template <class Function>
Double3 bisect(const SlidingContact& contact, double low, double high, bool pole_below,
               const Function& rising) {
  Double3 f{};
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    // towards a pole the energy grows without bound, so the zero is on its other side
    const bool below = contact.force(std::cos(middle), std::sin(middle), f) ? rising(f) < 0
                                                                            : pole_below;
    (below ? low : high) = middle;
  }
  for (const double angle : {0.5 * (low + high), low, high})
    if (contact.force(std::cos(angle), std::sin(angle), f)) return f;
  return {0, 0, -contact.free.z / contact.G[8]};
}

/// Force with the least `rank` among all zeros that `rising` passes from below.
template <class Rising, class Rank>
Double3 search_angles(const SlidingContact& contact, const Rising& rising, const Rank& rank) {
  static const std::array<Double2, kAngles> circle = unit_circle();
  std::array<double, kAngles> value;
  std::array<bool, kAngles> valid;
  for (std::size_t i = 0; i < kAngles; ++i) {
    Double3 f;
    valid[i] = contact.force(circle[i].x, circle[i].y, f);
    value[i] = valid[i] ? rising(f) : 0.0;
  }
  Double3 best{0, 0, -contact.free.z / contact.G[8]};
  double best_rank = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < kAngles; ++i) {
    const std::size_t next = (i + 1) % kAngles;
    if (!valid[i] && !valid[next]) continue;
    if ((valid[i] && value[i] >= 0) || (valid[next] && value[next] < 0)) continue;
    const double angle = kTurn * static_cast<double>(i) / kAngles;
    const Double3 f = bisect(contact, angle, angle + kTurn / kAngles, !valid[i], rising);
    const double here = rank(f);
    if (!(here < best_rank)) continue;
    best_rank = here;
    best = f;
  }
  return best;
}

}  // namespace

Double3 least_energy_angle(const SlidingContact& contact, Double3) {
  const auto slope = [&](Double3 f) {
    // along the curve s_N = 0 the force moves by eta = grad h1 x grad h2, with h1 = s_N and h2 the
    // cone (Hwangbo et al. 2018)
    const BlockMatrix& G = contact.G;
    const Double3 eta = cross(Double3{G[6], G[7], G[8]},
                              Double3{2 * f.x, 2 * f.y, -2 * contact.mu * contact.mu * f.z});
    const double turning = f.x * eta.y - f.y * eta.x;  // positive where eta turns with the angle
    const double change = dot(eta, contact.velocity(f));
    return turning >= 0 ? change : -change;
  };
  const auto energy = [&](Double3 f) {
    return 0.5 * (dot(f, contact.velocity(f)) + dot(f, contact.free));
  };
  return search_angles(contact, slope, energy);
}

Double3 most_dissipation_angle(const SlidingContact& contact, Double3 last) {
  const auto astray = [&](Double3 f) {
    const Double3 s = contact.velocity(f);
    return f.x * s.y - f.y * s.x;
  };
  // only a force against the velocity counts; the one nearest to the last force ranks first
  const auto rank = [&](Double3 f) {
    const Double3 s = contact.velocity(f);
    const double with = f.x * s.x + f.y * s.y;
    return with > 0 ? 1e200 : (f - last).norm();
  };
  return search_angles(contact, astray, rank);
}

Double3 contact_by_case(const BlockMatrix& G, double mu, Double3 f, Double3 s,
                        Double3 (*slide)(const SlidingContact& contact, Double3 f)) {
  if (!(G[8] > 0)) return {0, 0, 0};
  const Double3 free{s.x - (G[0] * f.x + G[1] * f.y + G[2] * f.z),
                     s.y - (G[3] * f.x + G[4] * f.y + G[5] * f.z),
                     s.z - (G[6] * f.x + G[7] * f.y + G[8] * f.z)};
  if (free.z >= 0) return {0, 0, 0};
  Double3 stick;
  if (mu > 0 && sticking_force(G, free, stick) && tangent_norm(stick) <= mu * stick.z) return stick;
  if (mu < 1e-12) return {0, 0, -free.z / G[8]};
  return slide(SlidingContact{G, mu, free}, f);
}

}  // namespace tactum
