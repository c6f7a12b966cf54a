// SPDX-License-Identifier: BSD-2-Clause
// Moments of an ellipsoid with a ball swept around it.
//
// Steiner    With p on the surface, n its normal and H, K the mean and Gauss curvature, the body
//            grown by r adds
//              int_0^r int_S (p_i + t n_i)^2 (1 + 2 H t + K t^2) dA dt,
//            a polynomial in r whose coefficients are surface integrals of p_i^2, p_i n_i and n_i^2
//            times 1, 2H and K.
// Sphere     Over the unit normal u, with alpha_i = a_i^2 and h = sqrt(sum alpha_i u_i^2): p_i =
//            alpha_i u_i / h, K dA = du,
//              2H dA = h^-3 sum_k alpha_k (tr alpha - alpha_k) u_k^2 du,   dA = (a b c)^2 h^-4 du,
//            and over p = (a_i v_i) with beta = 1 / alpha, g = sqrt(sum beta_i v_i^2): dA = a b c g
//            dv, g = g^-1 sum beta_i v_i^2. Every coefficient is then a positive sum of averages <
//            u^(2m) h^(-2q) >.
// Averages   u_i^2 is Dirichlet(1/2, 1/2, 1/2), so such an average is < u^(2m) > R_-q(1/2 + m;
//            alpha) with Carlson's function
//              R_-q(b; z) = B(q, q')^-1 int_0^inf s^(q'-1) prod (s + z_i)^-b_i ds,   q' = sum b - q
//            [Carlson 1977, Special Functions of Applied Mathematics]. With s = e^x the integrand
//            is analytic for |Im x| < pi and decays exponentially on both sides: the trapezoidal
//            rule with step 1/2 is exact to rounding for every aspect ratio.
#include "shape/mass/ellipsoid_moments.hpp"
#include "math/constants.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace tactum {
namespace {

/// Carlson's R_-q(1/2 + m; z), for z > 0, q > 0 and q' = 3/2 + sum m - q > 0.
double carlson(double q, const std::array<int, 3>& m, const Vector3& z) {
  const double total = 1.5 + m[0] + m[1] + m[2];
  const double other = total - q;
  const Vector3 exponent(0.5 + m[0], 0.5 + m[1], 0.5 + m[2]);
  constexpr double step = 0.5;
  // the integrand falls as e^(q' x) below the smallest z and as e^(-q x) above the largest; 40 is
  // the logarithm of 1 / rounding
  const double low = std::log(z.minCoeff()) - 40.0 / other;
  const double high = std::log(z.maxCoeff()) + 40.0 / q;
  double sum = 0.0;
  for (double x = low; x < high; x += step) {
    double logarithm = other * x;
    for (int i = 0; i < 3; ++i) logarithm -= exponent[i] * std::log(std::exp(x) + z[i]);
    sum += std::exp(logarithm);
  }
  return step * sum * std::tgamma(total) / (std::tgamma(q) * std::tgamma(other));
}

/// Average over the unit sphere of u_i^2 (sum z_j u_j^2)^-q.
double average(double q, int i, const Vector3& z) {
  std::array<int, 3> m{};
  ++m[i];
  return carlson(q, m, z) / 3.0;
}

/// Average over the unit sphere of u_i^2 u_k^2 (sum z_j u_j^2)^-q.
double average(double q, int i, int k, const Vector3& z) {
  std::array<int, 3> m{};
  ++m[i];
  ++m[k];
  return carlson(q, m, z) * (i == k ? 3.0 : 1.0) / 15.0;
}

}  // namespace

Moments ellipsoid_moments(const Vector3& semi_axes, double margin) {
  const double product = semi_axes.prod();
  Moments moments;
  moments.volume = 4.0 / 3.0 * kPi * product;
  moments.second.diagonal() = moments.volume / 5.0 * semi_axes.cwiseAbs2();
  if (margin == 0.0) return moments;

  // unit size: powers of large and small axes stay in range
  const double unit = semi_axes.maxCoeff();
  const Vector3 a = semi_axes / unit;
  const double r = margin / unit;
  const double abc = a.prod();
  const double volume = 4.0 / 3.0 * kPi * abc;
  const Vector3 alpha = a.cwiseAbs2();
  const Vector3 beta = alpha.cwiseInverse();
  const Vector3 weight = alpha.cwiseProduct(Vector3::Constant(alpha.sum()) - alpha);

  double area = 0.0;
  double mean_width = 0.0;  // int h du, also int H dA
  for (int i = 0; i < 3; ++i) {
    area += 4.0 * kPi * abc * beta[i] * average(0.5, i, beta);
    mean_width += 4.0 * kPi * alpha[i] * average(0.5, i, alpha);
  }
  moments.volume = std::pow(unit, 3) *
                   (volume + r * (area + r * (mean_width + r * 4.0 / 3.0 * kPi)));

  for (int i = 0; i < 3; ++i) {
    const double pp_K = 4.0 * kPi * alpha[i] * alpha[i] * average(1.0, i, alpha);
    const double pn_K = 4.0 * kPi * alpha[i] * average(0.5, i, alpha);
    const double nn_K = 4.0 / 3.0 * kPi;
    const double pn = volume;  // divergence theorem
    const double nn = 4.0 * kPi * abc * abc * average(2.0, i, alpha);
    double pp = 0.0;
    double pp_H = 0.0;
    double pn_H = 0.0;
    double nn_H = 0.0;
    for (int k = 0; k < 3; ++k) {
      pp += 4.0 * kPi * abc * alpha[i] * beta[k] * average(0.5, i, k, beta);
      pp_H += 4.0 * kPi * alpha[i] * alpha[i] * weight[k] * average(2.5, i, k, alpha);
      pn_H += 4.0 * kPi * alpha[i] * weight[k] * average(2.0, i, k, alpha);
      nn_H += 4.0 * kPi * weight[k] * average(1.5, i, k, alpha);
    }
    const std::array<double, 6> coefficients = {
        volume / 5.0 * alpha[i],   pp,
        (2.0 * pn + pp_H) / 2.0,   (nn + 2.0 * pn_H + pp_K) / 3.0,
        (nn_H + 2.0 * pn_K) / 4.0, nn_K / 5.0};
    double sum = 0.0;
    for (auto c = coefficients.rbegin(); c != coefficients.rend(); ++c) sum = sum * r + *c;
    moments.second(i, i) = std::pow(unit, 5) * sum;
  }
  return moments;
}

}  // namespace tactum
