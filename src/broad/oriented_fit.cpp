// SPDX-License-Identifier: BSD-2-Clause
// Candidate frames come from faces and principal axes, then from small rotations of the best; each
// is rated by the extent of all vertices along its axes. The smallest box has two adjacent sides
// flush with edges of the hull (O'Rourke 1985); the candidates are those where the edges belong to
// one face.
#include "broad/oriented_fit.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <limits>

namespace tactum {
namespace {

/// Limit of vertices times frames: some milliseconds. Beyond it only every so many faces are tried.
constexpr double kMostProjections = 2e6;

struct Fit {
  Matrix3 axes;  ///< columns
  Vector3 lower, upper;
  double cost = std::numeric_limits<double>::infinity();
};

/// Cost of a box: its volume, with a little of the surface and of the edges, so that flat and
/// straight hulls have a best box as well.
double box_cost(const Vector3& half, double scale) {
  const double surface = half.x() * half.y() + half.y() * half.z() + half.z() * half.x();
  return half.prod() + 1e-3 * scale * surface + 1e-6 * scale * scale * half.sum();
}

void try_axes(const Points& points, const Matrix3& axes, Fit& best) {
  Fit fit;
  fit.axes = axes;
  const Points turned = axes.transpose() * points;
  fit.lower = turned.rowwise().minCoeff();
  fit.upper = turned.rowwise().maxCoeff();
  fit.cost = box_cost(0.5 * (fit.upper - fit.lower), 1.0);
  if (fit.cost < (1.0 - 1e-12) * best.cost) best = fit;
}

/// Right-handed axes from a normal and a direction that is not parallel to it; false when one of
/// them is too short.
bool frame_along(const Vector3& normal, const Vector3& edge, Matrix3& axes) {
  const double length = normal.norm();
  if (length <= 1e-12) return false;
  const Vector3 n = normal / length, across = n.cross(edge);
  const double width = across.norm();
  if (width <= 1e-12) return false;
  axes.col(2) = n;
  axes.col(1) = across / width;
  axes.col(0) = axes.col(1).cross(n);
  return true;
}

void try_faces(const Points& points, const Triangles& faces, Fit& best) {
  const double work = 3.0 * static_cast<double>(faces.cols()) * static_cast<double>(points.cols());
  const auto stride = static_cast<Eigen::Index>(std::max(1.0, work / kMostProjections));
  for (Eigen::Index f = 0; f < faces.cols(); f += stride) {
    const std::array<Vector3, 3> corner{points.col(faces(0, f)), points.col(faces(1, f)),
                                        points.col(faces(2, f))};
    const Vector3 normal = (corner[1] - corner[0]).cross(corner[2] - corner[0]);
    for (std::size_t k = 0; k < 3; ++k) {
      Matrix3 axes;
      if (frame_along(normal, corner[(k + 1) % 3] - corner[k], axes)) try_axes(points, axes, best);
    }
  }
}

void try_principal_axes(const Points& points, Fit& best) {
  const Points centered = points.colwise() - Vector3(points.rowwise().mean());
  const Eigen::SelfAdjointEigenSolver<Matrix3> solver(centered * centered.transpose());
  Matrix3 axes = solver.eigenvectors();
  if (axes.determinant() < 0.0) axes.col(0) = -axes.col(0);
  try_axes(points, axes, best);
}

/// Tries small rotations about the axes of the best frame, for boxes that are flush with edges
/// alone.
void try_small_rotations(const Points& points, Fit& best) {
  for (double angle = 0.25; angle > 1e-3; angle *= 0.5) {
    const double before = best.cost;
    for (int axis = 0; axis < 3; ++axis) {
      for (const double turn : {-angle, angle})
        try_axes(points,
                 best.axes * Eigen::AngleAxisd(turn, Vector3::Unit(axis)).toRotationMatrix(), best);
    }
    if (best.cost < before) angle *= 2.0;  // a larger angle while it helps
  }
}

}  // namespace

OrientedBox oriented_fit(const Convex& hull) {
  const Points points = hull.vertices();
  const Vector3 low = points.rowwise().minCoeff(), high = points.rowwise().maxCoeff();
  const Vector3 middle = 0.5 * low + 0.5 * high;
  const double scale = (0.5 * high - 0.5 * low).maxCoeff();
  if (scale == 0.0) return {{Matrix3::Identity(), middle}, Vector3::Zero()};
  const Points unit = (points.colwise() - middle) / scale;

  Fit best;
  try_axes(unit, Matrix3::Identity(), best);
  try_principal_axes(unit, best);
  try_faces(unit, hull.faces(), best);
  try_small_rotations(unit, best);
  const Vector3 center = best.axes * (0.5 * (best.lower + best.upper));
  return {{best.axes, middle + scale * center}, 0.5 * scale * (best.upper - best.lower)};
}

namespace {

bool holds_all(const Points& absolute, const Vector3& half, double radius) {
  const Eigen::Matrix3Xd outside = (absolute.colwise() - half).cwiseMax(0.0);
  return outside.colwise().squaredNorm().maxCoeff() <= radius * radius;
}

}  // namespace

SweptBox swept_fit(const Convex& hull, const OrientedBox& box) {
  SweptBox best{box.pose, box.half_extents, 0.0};
  const double scale = box.half_extents.maxCoeff();
  if (scale == 0.0) return best;
  const Vector3 h = box.half_extents / scale;
  const Points local = box.pose.rotation.transpose() *
                       (hull.vertices().colwise() - box.pose.translation) / scale;
  const Points absolute = local.cwiseAbs().colwise() + Vector3::Constant(1e-14);
  const Vector3 sorted = [&] {
    Vector3 v = h;
    std::ranges::sort(v.data(), v.data() + 3);
    return v;
  }();
  double least = volume(SweptBox{{}, h, 0.0});
  for (const double radius : {0.25 * sorted[0], 0.5 * sorted[0], sorted[0], sorted[1]}) {
    if (radius <= 0.0) continue;
    // between the box that loses its corners and the one that surely contains all
    const Vector3 inner = (h.array() - radius).cwiseMax(0.0);
    const Vector3 outer = h;
    double inside = 0.0, sure = 1.0;
    if (!holds_all(absolute, outer, radius)) continue;
    for (int k = 0; k < 20; ++k) {
      const double middle = 0.5 * (inside + sure);
      (holds_all(absolute, inner + middle * (outer - inner), radius) ? sure : inside) = middle;
    }
    const SweptBox candidate{box.pose, inner + sure * (outer - inner), radius};
    const double size = volume(candidate);
    if (size >= least) continue;
    least = size;
    best = {box.pose, scale * candidate.half_extents, scale * radius};
  }
  return best;
}

}  // namespace tactum
