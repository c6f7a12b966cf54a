// SPDX-License-Identifier: BSD-2-Clause
// The listings of Le Lidec et al. 2023 written a second time, in extended precision and on plain
// matrices, from the text alone. A run of the library that stops after k passes is held against k
// passes of these.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <functional>

#include "support/contact_scenes.hpp"
#include "support/extended.hpp"

namespace tactum::testing {

using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

/// The input of a listing: G, g and the friction of every contact.
struct Listing {
  Matrix G;
  Vector g, mu;
  int contacts() const { return static_cast<int>(mu.size()); }
};

inline Listing listing_of(const ContactScene& scene, double compliance = 0) {
  Listing listing{scene.G().cast<Real>(), scene.g().cast<Real>(), scene.mu.cast<Real>()};
  listing.G.diagonal().array() += Real(compliance);
  return listing;
}

inline Vec3 nearest_in_cone(const Vec3& x, Real mu) {
  const Real t = std::hypot(x[0], x[1]);
  if (t <= mu * x[2]) return x;
  if (mu * t <= -x[2]) return Vec3::Zero();
  const Real n = (mu * t + x[2]) / (1 + mu * mu);
  return {mu * n * x[0] / t, mu * n * x[1] / t, n};
}

/// A force within mu f_N: in the square of Alg. 1, or in the disc of Alg. 5.
inline void clamp_tangent(Vector& f, int row, Real bound, bool square) {
  if (square) {
    for (int k = 0; k < 2; ++k) f[row + k] = std::min(std::max(f[row + k], -bound), bound);
    return;
  }
  const Real t = std::hypot(f[row], f[row + 1]);
  if (t > bound) f.segment(row, 2) *= bound / t;
}

/// Where eq. 22 acts: on the force after a pass, or within the pass, which then applies it itself.
enum class Relaxed { after, within };

/// Compares a solver with `pass`, which makes one pass of a listing, for 1, 2, 3 ... passes.
inline void expect_same_passes(const ContactScene& scene, ContactSolver solver, double relaxation,
                               int passes, const std::function<void(Vector&)>& pass,
                               double compliance = 0, double tolerance = 1e-9,
                               Relaxed relaxed = Relaxed::after) {
  const ContactProblem problem = scene.problem(
      Eigen::VectorXd::Constant(scene.J.rows(), compliance));
  Vector f = Vector::Zero(scene.J.rows());
  for (int count = 1; count <= passes; ++count) {
    const Vector last = f;
    pass(f);
    if (relaxed == Relaxed::after) f = Real(relaxation) * f + (1 - Real(relaxation)) * last;
    const ContactSolution solution = solve(problem, {.solver = solver,
                                                     .tolerance = 0,
                                                     .max_iterations = count,
                                                     .over_relaxation = relaxation,
                                                     .as_printed = true});
    const Real scale = std::max<Real>(1, f.cwiseAbs().maxCoeff());
    if (solution.iterations < count) {  // passes that change nothing end a loop
      ASSERT_LE((f - last).cwiseAbs().maxCoeff(), 1e-13L * scale) << to_string(solver);
      ASSERT_GT(count, 10);
      return;
    }
    ASSERT_LE((solution.force.cast<Real>() - f).cwiseAbs().maxCoeff(), tolerance * scale)
        << to_string(solver) << ", pass " << count << ", relaxation " << relaxation;
  }
}

/// Scenes on which listings are compared: a cube pushed to slide, a stack, random contacts.
inline std::vector<ContactScene> listed_scenes() {
  std::vector<ContactScene> scenes;
  scenes.push_back(stack_scene({1.0}, 0.4, {0.3, 1.0, 0.0}, 0.2));
  scenes.push_back(stack_scene({1.0, 5.0}, 0.7, {0.05, 0.1, 0.0}));
  Random random(5);
  for (int i = 0; i < 3; ++i) scenes.push_back(random_scene(random, 2, 4));
  return scenes;
}

}  // namespace tactum::testing
