// SPDX-License-Identifier: BSD-2-Clause
// The loops of the GJK++ paper in a second implementation, on the list of all points of M in
// extended precision: nothing of src/narrow is used.
//
// Support points are found among all differences of vertices, the nearest point of a simplex by
// trying every subset of its points.
#pragma once

#include <optional>
#include <vector>

#include "narrow/narrow_fixtures.hpp"

namespace tactum::testing {

/// All differences b - a of the vertices of two hulls, in the frame of A.
inline std::vector<Vec3> all_differences(const Convex& a, const Convex& b, const Pose& X_AB) {
  std::vector<Vec3> points;
  for (int i = 0; i < a.num_vertices(); ++i) {
    for (int j = 0; j < b.num_vertices(); ++j)
      points.push_back(widen(X_AB.rotation) * widen(b.vertex(j)) + widen(X_AB.translation) -
                       widen(a.vertex(i)));
  }
  return points;
}

inline Vec3 lowest(const std::vector<Vec3>& points, const Vec3& d) {
  Vec3 best = points[0];
  for (const Vec3& p : points) best = p.dot(d) < best.dot(d) ? p : best;
  return best;
}

/// Difference between the second lowest and the lowest point along d.
inline Real lead(const std::vector<Vec3>& points, const Vec3& d) {
  const Vec3 best = lowest(points, d);
  Real least = infinite;
  for (const Vec3& p : points) least = p == best ? least : std::min(least, (p - best).dot(d));
  return least;
}

/// Nearest point to the origin of the affine hull of the points, if its weights are positive.
inline std::optional<Vec3> interior_projection(const std::vector<Vec3>& points) {
  const auto n = static_cast<Eigen::Index>(points.size());
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  using Column = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  Matrix kkt = Matrix::Zero(n + 1, n + 1);
  Column right = Column::Zero(n + 1);
  right[n] = 1;
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j)
      kkt(i, j) = points[static_cast<std::size_t>(i)].dot(points[static_cast<std::size_t>(j)]);
    kkt(i, n) = kkt(n, i) = 1;
  }
  const Column weights = kkt.fullPivLu().solve(right);
  Vec3 x = Vec3::Zero();
  for (Eigen::Index i = 0; i < n; ++i) {
    if (!(weights[i] > 0)) return std::nullopt;
    x += weights[i] * points[static_cast<std::size_t>(i)];
  }
  return x;
}

/// Reduces W to the smallest face that contains its point nearest to the origin, and returns that
/// point.
inline Vec3 nearest_on(std::vector<Vec3>& W) {
  std::vector<Vec3> best_face;
  Vec3 best = Vec3::Zero();
  Real least = infinite;
  for (unsigned mask = 1; mask < (1U << W.size()); ++mask) {
    std::vector<Vec3> face;
    for (std::size_t i = 0; i < W.size(); ++i) {
      if ((mask >> i) & 1U) face.push_back(W[i]);
    }
    const auto x = interior_projection(face);
    if (!x || !(x->norm() < least)) continue;
    least = x->norm();
    best = *x;
    best_face = face;
  }
  W = best_face;
  return best;
}

}  // namespace tactum::testing
