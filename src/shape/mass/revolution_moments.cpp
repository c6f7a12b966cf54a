// SPDX-License-Identifier: BSD-2-Clause
// Moments of solids of revolution about z.
//
// Computes   V = pi int f^2 dz, int z = pi int z f^2 dz, int z^2 = pi int z^2 f^2 dz, int x^2 = int
//            y^2 = pi/4 int f^4 dz along the meridian (f, z)(t) from the bottom to the top, piece
//            by piece: lines and arcs of the swept ball.
// Method     Gauss-Legendre with 16 points a piece: exact for lines (degree 6), below 1e-16 for
//            arcs (trigonometric degree 6 over at most half a turn). Every piece of a convex
//            meridian climbs, so nothing cancels.
#include "shape/mass/revolution_moments.hpp"
#include "math/constants.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace tactum {
namespace {

struct GaussNode {
  double abscissa, weight;  // on [-1, 1], the positive half; the other half mirrors it
};

constexpr std::array<GaussNode, 8> kGaussLegendre16 = {
    {{0.0950125098376374402, 0.1894506104550684963},
     {0.2816035507792589132, 0.1826034150449235889},
     {0.4580167776572273863, 0.1691565193950025382},
     {0.6178762444026437484, 0.1495959888165767321},
     {0.7554044083550030339, 0.1246289712555338720},
     {0.8656312023878317439, 0.0951585116824927848},
     {0.9445750230732325761, 0.0622535239386478929},
     {0.9894009349916499326, 0.0271524594117540949}}};

/// Integral of g over [low, high].
template <class Function>
Moments integrate(double low, double high, Function&& g) {
  const double middle = 0.5 * (low + high);
  const double half = 0.5 * (high - low);
  Moments sum;
  for (const GaussNode& node : kGaussLegendre16) {
    sum += g(middle - half * node.abscissa, half * node.weight);
    sum += g(middle + half * node.abscissa, half * node.weight);
  }
  return sum;
}

/// A disc of radius f at height z, times dz.
Moments disc(double f, double z, double dz) {
  Moments moments;
  moments.volume = kPi * f * f * dz;
  moments.first.z() = z * moments.volume;
  moments.second(0, 0) = moments.second(1, 1) = 0.25 * f * f * moments.volume;
  moments.second(2, 2) = z * z * moments.volume;
  return moments;
}

/// Meridian from (f0, z0) to (f1, z1).
Moments line(double f0, double z0, double f1, double z1) {
  return integrate(0.0, 1.0, [=](double t, double weight) {
    return disc(f0 + t * (f1 - f0), z0 + t * (z1 - z0), weight * (z1 - z0));
  });
}

/// Meridian (f + r cos a, z + r sin a) for a from `low` to `high`.
Moments arc(double f, double z, double r, double low, double high) {
  return integrate(low, high, [=](double angle, double weight) {
    return disc(f + r * std::cos(angle), z + r * std::sin(angle), weight * r * std::cos(angle));
  });
}

}  // namespace

Moments capsule_moments(double radius, double half_length) {
  Moments sum = arc(0.0, -half_length, radius, -0.5 * kPi, 0.0);
  sum += line(radius, -half_length, radius, half_length);
  sum += arc(0.0, half_length, radius, 0.0, 0.5 * kPi);
  return sum;
}

Moments cylinder_moments(double radius, double half_length, double margin) {
  Moments sum = arc(radius, -half_length, margin, -0.5 * kPi, 0.0);
  sum += line(radius + margin, -half_length, radius + margin, half_length);
  sum += arc(radius, half_length, margin, 0.0, 0.5 * kPi);
  return sum;
}

Moments cone_moments(double radius, double half_length, double margin) {
  // elevation of the normal of the side
  const double slope = std::atan2(radius, 2.0 * half_length);
  const double across = margin * std::cos(slope);
  const double up = margin * std::sin(slope);
  Moments sum = arc(radius, -half_length, margin, -0.5 * kPi, slope);
  sum += line(radius + across, -half_length + up, across, half_length + up);
  sum += arc(0.0, half_length, margin, slope, 0.5 * kPi);
  return sum;
}

}  // namespace tactum
