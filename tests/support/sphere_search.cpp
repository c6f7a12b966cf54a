// SPDX-License-Identifier: BSD-2-Clause
#include "support/sphere_search.hpp"

#include <algorithm>
#include <array>

namespace tactum::testing {
namespace {

struct Sample {
  Vec3 n;  // unit
  Vec3 s;  // support point of A - B
  Real h;
};

struct Cell {
  std::array<int, 3> corners;
  Real bound = 0;
  int longest = 0;              // side from corners[longest] to the next
  Vec3 weights = Vec3::Zero();  // of the corners, where the lower model is least
};

bool later(const Cell& x, const Cell& y) { return x.bound > y.bound; }

class Search {
 public:
  Search(const ConvexBody& a, const ConvexBody& b, const SearchOptions& options)
      : a_(a), b_(b), options_(options) {}

  SphereMinimum run() {
    if (options_.first_direction.squaredNorm() > 0) add(options_.first_direction.normalized());
    meridian_ = find_common_axis();
    if (meridian_) {
      start_on_meridian();
    } else {
      start_everywhere();
    }
    int halvings = 0;
    while (!heap_.empty() && is_open(heap_.front()) && halvings < options_.budget) {
      std::pop_heap(heap_.begin(), heap_.end(), later);
      const Cell cell = heap_.back();
      heap_.pop_back();
      guess_inside(cell);
      if (is_open(cell)) {
        halve(cell);
        ++halvings;
      } else {
        settled_ = std::min(settled_, cell.bound);
      }
    }
    if (!heap_.empty()) settled_ = std::min(settled_, heap_.front().bound);
    if (halvings == options_.budget) {
      sharpen_best();
    } else if (options_.tolerance > kDoubleEpsilon * options_.scale) {
      sharpen(sample(best_).n, std::sqrt(options_.tolerance / options_.scale));
    }
    return finish(halvings);
  }

  SphereMinimum descend(const Vec3& start, Real radius) {
    sharpen(sample(add(start)).n, radius);
    SphereMinimum result = finish(0);
    result.bound = -infinite;
    return result;
  }

 private:
  const ConvexBody& a_;
  const ConvexBody& b_;
  const SearchOptions& options_;
  std::vector<Sample> samples_;
  std::vector<Cell> heap_;
  int best_ = -1;
  Real settled_ = infinite;  // least bound of the cells that were put aside
  bool meridian_ = false;
  Vec3 axis_ = Vec3::UnitZ();
  Real blur_ = 0;

  Real best_value() const { return samples_[static_cast<std::size_t>(best_)].h; }
  const Sample& sample(int i) const { return samples_[static_cast<std::size_t>(i)]; }

  int add(const Vec3& n) {
    const Vec3 s = a_.support(n) - b_.support(-n);
    samples_.push_back({n, s, n.dot(s)});
    const int index = static_cast<int>(samples_.size()) - 1;
    if (best_ < 0 || samples_.back().h < best_value()) best_ = index;
    return index;
  }

  // Two cores that are round about one common axis: directions in one half plane through it are
  // enough. The axes may differ by rounding; what that can change is taken off the bound.
  bool find_common_axis() {
    const bool point_a = a_.is_point(), point_b = b_.is_point();
    if (!a_.is_round_about_z() || !b_.is_round_about_z() || (point_a && point_b)) return false;
    const Vec3 z_a = a_.rotation.col(2), z_b = b_.rotation.col(2);
    axis_ = point_a ? z_b : z_a;
    const Real offset = axis_.cross(b_.translation - a_.translation).norm();
    const Real tilt = point_a || point_b ? Real(0) : axis_.cross(z_b).norm() * b_.extent;
    blur_ = offset + tilt;
    axis_.normalize();
    return blur_ <= kDoubleEpsilon / 4 * options_.scale;
  }

  void start_on_meridian() {
    Vec3 u, v;
    tangent_basis(axis_, u, v);
    const Real width = 1e-10L;
    const int left = add((u - width * v).normalized()), right = add((u + width * v).normalized());
    for (const Real side : {Real(1), Real(-1)}) push({add(side * axis_), left, right});
  }

  void start_everywhere() {
    std::array<int, 6> axes;
    for (int k = 0; k < 6; ++k)
      axes[static_cast<std::size_t>(k)] = add(Vec3::Unit(k / 2) * Real(k % 2 ? -1 : 1));
    for (int k = 0; k < 8; ++k) {
      push({axes[static_cast<std::size_t>(k & 1)],
            axes[static_cast<std::size_t>(2 + ((k >> 1) & 1))],
            axes[static_cast<std::size_t>(4 + (k >> 2))]});
    }
  }

  bool is_open(const Cell& cell) const { return cell.bound < best_value() - options_.tolerance; }

  void push(const std::array<int, 3>& corners) {
    Cell cell{.corners = corners};
    set_bound(cell);
    if (is_open(cell)) {
      heap_.push_back(cell);
      std::push_heap(heap_.begin(), heap_.end(), later);
    } else {
      settled_ = std::min(settled_, cell.bound);
    }
  }

  // the model's own minimizer is the best guess there is for a better value; apart, the point of
  // the s_i nearest to the origin
  void guess_inside(const Cell& cell) {
    if (cell.weights.maxCoeff() < 1) add(blend(cell).normalized());
    if (cell.bound >= 0) return;
    const Vec3 nearest = closest_on_triangle(Vec3::Zero(), sample(cell.corners[0]).s,
                                             sample(cell.corners[1]).s, sample(cell.corners[2]).s);
    const Real length = nearest.norm();
    if (length > 0 && -length < best_value()) add(-nearest / length);
  }

  Vec3 blend(const Cell& cell) const {
    return cell.weights[0] * sample(cell.corners[0]).n +
           cell.weights[1] * sample(cell.corners[1]).n +
           cell.weights[2] * sample(cell.corners[2]).n;
  }

  void halve(const Cell& cell) {
    const auto i = static_cast<std::size_t>(cell.longest);
    const int from = cell.corners[i], to = cell.corners[(i + 1) % 3],
              apex = cell.corners[(i + 2) % 3];
    const int middle = add((sample(from).n + sample(to).n).normalized());
    push({from, middle, apex});
    push({middle, to, apex});
  }

  // Least value of L over a cell, with the barycentric weights of where it is.
  void set_bound(Cell& cell) const {
    const Sample* p[3];
    for (int j = 0; j < 3; ++j) p[j] = &sample(cell.corners[static_cast<std::size_t>(j)]);
    // slack[i][j] = h(n_j) - s_i . n_j >= 0
    Mat3 slack;
    Vec3 heights, side2;
    Real longest2 = 0;
    for (int j = 0; j < 3; ++j) {
      heights[j] = p[j]->h;
      for (int i = 0; i < 3; ++i) slack(i, j) = i == j ? Real(0) : (p[j]->s - p[i]->s).dot(p[j]->n);
      side2[j] = (p[j]->n - p[(j + 1) % 3]->n).squaredNorm();
      if (side2[j] > longest2) longest2 = side2[j], cell.longest = j;
    }
    Real least = infinite;
    const auto consider = [&](const Vec3& lambda) {
      const Vec3 below = slack * lambda;
      const Real numerator = heights.dot(lambda) - std::min({below[0], below[1], below[2]});
      if (numerator >= 0 && numerator >= least) return;
      const Real norm2 = 1 - lambda[0] * lambda[1] * side2[0] - lambda[1] * lambda[2] * side2[1] -
                         lambda[2] * lambda[0] * side2[2];
      const Real value = numerator / std::sqrt(norm2);
      if (value < least) least = value, cell.weights = lambda;
    };
    for (int j = 0; j < 3; ++j) {
      if (heights[j] < least) least = heights[j], cell.weights = Vec3::Unit(j);
    }
    for (int j = 0; j < 3; ++j) {
      const int k = (j + 1) % 3;
      for (int i = 0; i < 3; ++i) {
        const int l = (i + 1) % 3;
        const Real at_j = slack(i, j) - slack(l, j), at_k = slack(i, k) - slack(l, k);
        if ((at_j > 0) == (at_k > 0) || at_j == at_k) continue;
        const Real t = at_j / (at_j - at_k);
        Vec3 lambda = Vec3::Zero();
        lambda[j] = 1 - t;
        lambda[k] = t;
        consider(lambda);
      }
    }
    const Vec3 tie = Vec3(slack.row(0) - slack.row(1)).cross(Vec3(slack.row(0) - slack.row(2)));
    const Real total = tie.sum();
    if (total != 0 && (tie / total).minCoeff() > 0) consider(tie / total);
    cell.bound = least;
    if (least >= 0) return;
    const Real nearest = distance_point_triangle(Vec3::Zero(), p[0]->s, p[1]->s, p[2]->s);
    cell.bound = std::max(least / std::sqrt(1 - longest2 / 3), -nearest);
  }

  // Shrinking triangles around a direction: a local descent on the same model, used where the
  // certificate cannot be closed.
  void sharpen(Vec3 center, Real radius) {
    Real value = support_value(a_, b_, center);
    for (int step = 0; step < 400 && radius > 1e-16L; ++step) {
      Vec3 u, v;
      tangent_basis(center, u, v);
      const Real turn = Real(step) * 0.7L;
      std::array<int, 3> corners;
      for (int k = 0; k < 3; ++k) {
        const Real angle = turn + Real(k) * 2.0943951023931954923L;
        corners[static_cast<std::size_t>(k)] = add(
            (center + radius * (std::cos(angle) * u + std::sin(angle) * v)).normalized());
      }
      Cell cell{.corners = corners};
      set_bound(cell);
      int candidate = add(blend(cell).normalized());
      for (const int corner : corners) {
        if (sample(corner).h < sample(candidate).h) candidate = corner;
      }
      const bool better = sample(candidate).h < value;
      const bool far = (sample(candidate).n - center).norm() > radius / 2;
      if (better) {
        center = sample(candidate).n;
        value = sample(candidate).h;
      }
      if (!better || !far) radius /= 2;
    }
  }

  void sharpen_best() {
    std::vector<int> order(samples_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    const std::size_t count = std::min<std::size_t>(64, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
                      order.end(), [&](int x, int y) { return sample(x).h < sample(y).h; });
    std::vector<Vec3> done;
    for (std::size_t k = 0; k < count && done.size() < 4; ++k) {
      const Vec3 n = sample(order[k]).n;
      if (std::any_of(done.begin(), done.end(),
                      [&](const Vec3& m) { return (m - n).norm() < 0.05L; }))
        continue;
      done.push_back(n);
      sharpen(n, 1e-2L);
    }
  }

  SphereMinimum finish(int halvings) const {
    SphereMinimum result;
    result.value = best_value();
    result.bound = std::min(settled_, result.value) - (meridian_ ? blur_ : Real(0));
    result.direction = sample(best_).n;
    result.triangles = halvings;
    result.unique = !meridian_ && stands_alone(result);
    return result;
  }

  bool stands_alone(const SphereMinimum& result) const {
    const Real near = 1e-3L;
    for (const Sample& other : samples_) {
      if (other.h < result.value + 1e-10L * options_.scale &&
          (other.n - result.direction).norm() > 2 * near)
        return false;
    }
    Vec3 u, v;
    tangent_basis(result.direction, u, v);
    for (int k = 0; k < 16; ++k) {
      const Real angle = Real(k) * 0.39269908169872415481L;
      const Vec3 n =
          (result.direction + near * (std::cos(angle) * u + std::sin(angle) * v)).normalized();
      if (support_value(a_, b_, n) < result.value + 0.005L * near * near * options_.scale)
        return false;
    }
    return true;
  }
};

}  // namespace

Real support_value(const ConvexBody& a, const ConvexBody& b, const Vec3& n) {
  return n.dot(a.support(n) - b.support(-n));
}

SphereMinimum descend_support(const ConvexBody& a, const ConvexBody& b, const Vec3& start,
                              Real radius, Real scale) {
  const SearchOptions options{.scale = scale};
  return Search(a, b, options).descend(start, radius);
}

SphereMinimum minimize_support(const ConvexBody& a, const ConvexBody& b,
                               const SearchOptions& options) {
  return Search(a, b, options).run();
}

}  // namespace tactum::testing
