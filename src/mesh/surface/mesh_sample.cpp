// SPDX-License-Identifier: BSD-2-Clause
// Points on a surface.
//
// uniform   a triangle by its share of the area, then a point of it, from three numbers of a
//           counter-based stream each.
// poisson   weighted sample elimination (Yuksel, Eurographics 2015): of 5 n uniform points, the one
//           that is most crowded goes, until n are left.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <queue>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "math/counter_random.hpp"
#include "mesh/surface/triangle_moments.hpp"
#include "shape/check/triangle_plane.hpp"
#include "tactum/interrupt.hpp"
#include "tactum/mesh.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

constexpr int kMostSamples = 10'000'000;
constexpr int kCandidates = 5;  // for each point that is kept

std::vector<double> cumulative_areas(const Points& vertices, const Triangles& triangles) {
  std::vector<double> sums(static_cast<std::size_t>(triangles.cols()));
  double sum = 0.0;
  for (Eigen::Index t = 0; t < triangles.cols(); ++t) {
    const Vector3 a = vertices.col(triangles(0, t));
    const Vector3 b = vertices.col(triangles(1, t)) - a, c = vertices.col(triangles(2, t)) - a;
    sum += 0.5 * b.cross(c).norm();
    sums[static_cast<std::size_t>(t)] = sum;
  }
  return sums;
}

MeshSamples uniform_samples(const Mesh& mesh, int n, std::uint64_t seed,
                            const std::vector<double>& areas) {
  const Points& vertices = mesh.vertices();
  const Triangles& triangles = mesh.triangles();
  const CounterRandom random(seed);
  MeshSamples samples{Points(3, n), Points(3, n)};
  for (int i = 0; i < n; ++i) {
    const auto k = 3 * static_cast<std::uint64_t>(i);
    // the first triangle whose sum is larger has an area
    const auto found = std::upper_bound(areas.begin(), areas.end(),
                                        random.uniform(k) * areas.back());
    const Eigen::Index t = std::min<Eigen::Index>(found - areas.begin(), triangles.cols() - 1);
    const Vector3 a = vertices.col(triangles(0, t)), b = vertices.col(triangles(1, t)),
                  c = vertices.col(triangles(2, t));
    const double root = std::sqrt(random.uniform(k + 1)), v = random.uniform(k + 2);
    samples.points.col(i) = a + root * ((1.0 - v) * (b - a) + v * (c - a));
    samples.normals.col(i) = triangle_plane(a, b, c).normal;
  }
  return samples;
}

/// Points by the cells of a grid as wide as the reach of their weights.
class Neighbors {
 public:
  Neighbors(const Points& points, double width) : points_(points), width_(width) {
    for (int i = 0; i < points.cols(); ++i) cells_[key(cell(i))].push_back(i);
  }

  /// visit(j, distance) for all other points nearer than the width.
  template <class Visit>
  void visit(int i, Visit&& visit) const {
    const std::array<std::int64_t, 3> own = cell(i);
    for (int near = 0; near < 27; ++near) {
      const auto place = cells_.find(
          key({own[0] + near % 3 - 1, own[1] + near / 3 % 3 - 1, own[2] + near / 9 - 1}));
      if (place == cells_.end()) continue;
      for (const int j : place->second) {
        const double distance = (points_.col(i) - points_.col(j)).norm();
        if (j != i && distance < width_) visit(j, distance);
      }
    }
  }

 private:
  std::array<std::int64_t, 3> cell(int i) const {
    std::array<std::int64_t, 3> result;
    for (int k = 0; k < 3; ++k) {
      const double at = std::floor(points_(k, i) / width_);
      result[static_cast<std::size_t>(k)] = static_cast<std::int64_t>(
          std::clamp(at, -0x1p60, 0x1p60));
    }
    return result;
  }
  /// Cells that share a key only cost time: distances decide. A cell far out must not meet another
  /// of the 27 under one key, so that the parts are mixed and not added.
  static std::uint64_t key(const std::array<std::int64_t, 3>& cell) {
    std::uint64_t state = 0;
    for (const std::int64_t part : cell)
      state = CounterRandom(state).bits(static_cast<std::uint64_t>(part));
    return state;
  }

  const Points& points_;
  double width_;
  std::unordered_map<std::uint64_t, std::vector<int>> cells_;
};

/// Indices of the n points that are left, ascending. `area` is that of the surface.
std::vector<int> eliminated(const Points& points, int n, double area) {
  // the largest radius that n discs can have on a plane of this area, twice
  const double reach = 2.0 * std::sqrt(area / (2.0 * std::numbers::sqrt3 * n));
  const Neighbors neighbors(points, reach);
  const auto weight = [&](double distance) { return std::pow(1.0 - distance / reach, 8); };
  const auto count = static_cast<std::size_t>(points.cols());
  std::vector<double> crowd(count, 0.0);
  std::vector<char> gone(count, 0);
  using Entry = std::tuple<double, int>;
  std::priority_queue<Entry> queue;
  for (int i = 0; i < points.cols(); ++i) {
    if (i % 1024 == 0) check_interrupt();
    double& own = crowd[static_cast<std::size_t>(i)];
    neighbors.visit(i, [&](int, double distance) { own += weight(distance); });
    queue.emplace(own, i);
  }
  for (auto left = count; left > static_cast<std::size_t>(n);) {
    const auto [value, i] = queue.top();
    queue.pop();
    const auto at = static_cast<std::size_t>(i);
    if (gone[at] != 0) continue;
    if (value != crowd[at]) {  // weights only fall: it goes back to where it belongs
      queue.emplace(crowd[at], i);
      continue;
    }
    gone[at] = 1;
    if (--left % 1024 == 0) check_interrupt();
    neighbors.visit(
        i, [&](int j, double distance) { crowd[static_cast<std::size_t>(j)] -= weight(distance); });
  }
  std::vector<int> kept;
  for (int i = 0; i < points.cols(); ++i)
    if (gone[static_cast<std::size_t>(i)] == 0) kept.push_back(i);
  return kept;
}

}  // namespace

MeshSamples Mesh::sample(int n, std::uint64_t seed, SampleMethod method) const {
  const int most = method == SampleMethod::poisson ? kMostSamples / kCandidates : kMostSamples;
  if (n < 0 || n > most)
    throw InvalidInput("n", std::to_string(n), "give a number from 0 to " + std::to_string(most));
  const std::vector<double> areas = cumulative_areas(vertices(), triangles());
  if (!(areas.back() > 0.0))
    throw InvalidInput("Mesh", "a mesh without area", "sample a mesh whose triangles have area");
  if (method == SampleMethod::uniform || n == 0) return uniform_samples(*this, n, seed, areas);
  const MeshSamples all = uniform_samples(*this, kCandidates * n, seed, areas);
  const std::vector<int> kept = eliminated(all.points, n, areas.back());
  return {all.points(Eigen::all, kept), all.normals(Eigen::all, kept)};
}

}  // namespace tactum
