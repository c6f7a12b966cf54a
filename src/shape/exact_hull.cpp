// SPDX-License-Identifier: BSD-2-Clause
// Convex hull by exact predicates on slightly moved points.
//
// Points     are rounded to integers of 62 bits after a fixed pseudo-random movement of up to a quarter rounding unit, so that no four
//            lie in a plane (up to an unlikely accident, which the caller's checks find).
// Predicate  the side of a point from a triangle is the sign of a 3 x 3 determinant of differences, computed in 192 bits: no rounding,
//            so the set of faces a point sees is always one piece and the surface always closes.
// Method     incremental: each point removes the faces it sees and is joined to the horizon. All faces are looked at for each point,
//            O(n F); it serves as the last way for sets on which a faster method fails.
#include "shape/exact_hull.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace tactum {
namespace {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;
using Triangle = std::array<std::int32_t, 3>;
using Integers = std::array<std::int64_t, 3>;

/// An integer of 192 bits in two's complement: high * 2^128 + low.
struct Sum192 {
  std::int64_t high = 0;
  UnsignedWide low = 0;

  /// Adds a * b, |a| <= 2^125, |b| <= 2^62.
  void add_product(Wide a, std::int64_t b) {
    const bool negative = (a < 0) != (b < 0);
    const auto x = static_cast<UnsignedWide>(a < 0 ? -a : a);
    const auto y = static_cast<UnsignedWide>(b < 0 ? -b : b);
    const UnsignedWide low_part = static_cast<std::uint64_t>(x) * y;
    const UnsignedWide high_part = (x >> 64U) * y;
    UnsignedWide product_low = low_part + (high_part << 64U);
    auto product_high = static_cast<std::int64_t>(high_part >> 64U) + (product_low < low_part ? 1 : 0);
    if (negative) {
      product_low = ~product_low + 1U;
      product_high = ~product_high + (product_low == 0U ? 1 : 0);
    }
    low += product_low;
    high += product_high + (low < product_low ? 1 : 0);
  }
  bool positive() const { return high > 0 || (high == 0 && low > 0U); }
};

std::uint64_t mixed(std::uint64_t bits) {  // the finaliser of splitmix64
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

class IncrementalHull {
 public:
  IncrementalHull(const Points& points, double rounding) : points_(static_cast<std::size_t>(points.cols())) {
    constexpr double unit = 0x1p61;
    const double movement = 0.25 * rounding * unit;
    const Vector3 lower = points.rowwise().minCoeff();
    for (Eigen::Index i = 0; i < points.cols(); ++i) {
      for (int k = 0; k < 3; ++k) {
        const double random =
            static_cast<double>(mixed(static_cast<std::uint64_t>(3 * i + k + 1)) >> 11U) * 0x1p-52 - 1.0;  // [-1, 1)
        points_[i][k] = std::llrint((points(k, i) - lower[k]) * unit) + std::llrint(random * movement);
      }
    }
  }

  std::vector<Triangle> run() {
    if (!start()) return {};
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(points_.size()); ++i) insert(i);
    return faces_;
  }

 private:
  /// Whether p lies strictly in front of the counter-clockwise triangle.
  bool sees(std::int32_t p, const Triangle& face) const {
    const Integers& a = points_[face[0]];
    const auto difference = [&](std::int32_t point, int k) { return points_[point][k] - a[k]; };
    // doubles decide unless the determinant is within their rounding
    double value = 0.0;
    double size = 0.0;
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3;
      const int j = (k + 2) % 3;
      const double d = static_cast<double>(difference(p, k));
      const double first = static_cast<double>(difference(face[1], i)) * static_cast<double>(difference(face[2], j));
      const double second = static_cast<double>(difference(face[1], j)) * static_cast<double>(difference(face[2], i));
      value += (first - second) * d;
      size += (std::abs(first) + std::abs(second)) * std::abs(d);
    }
    if (std::abs(value) > 0x1p-48 * size) return value > 0.0;
    const auto minor = [&](int i, int j) {
      return static_cast<Wide>(difference(face[1], i)) * difference(face[2], j) -
             static_cast<Wide>(difference(face[1], j)) * difference(face[2], i);
    };
    Sum192 sum;
    sum.add_product(minor(1, 2), difference(p, 0));
    sum.add_product(minor(2, 0), difference(p, 1));
    sum.add_product(minor(0, 1), difference(p, 2));
    return sum.positive();
  }

  /// A tetrahedron from the first points that span one.
  bool start() {
    const auto count = static_cast<std::int32_t>(points_.size());
    for (std::int32_t i = 3; i < count; ++i) {
      const Triangle base = {0, 1, 2};
      const Triangle back = {0, 2, 1};
      const bool front = sees(i, base);
      if (!front && !sees(i, back)) continue;
      const Triangle seen_from_below = front ? back : base;
      faces_ = {seen_from_below};
      for (int k = 0; k < 3; ++k) faces_.push_back({seen_from_below[(k + 1) % 3], seen_from_below[k], i});
      return true;
    }
    return false;
  }

  void insert(std::int32_t p) {
    const auto kept = std::partition(faces_.begin(), faces_.end(), [&](const Triangle& face) {
      return face[0] == p || face[1] == p || face[2] == p || !sees(p, face);
    });
    if (kept == faces_.end()) return;
    // the horizon: edges of seen faces whose other side is not seen
    std::set<std::pair<std::int32_t, std::int32_t>> directed;
    for (auto face = kept; face != faces_.end(); ++face) {
      for (int k = 0; k < 3; ++k) directed.insert({(*face)[k], (*face)[(k + 1) % 3]});
    }
    faces_.erase(kept, faces_.end());
    for (const auto& [from, to] : directed) {
      if (!directed.contains({to, from})) faces_.push_back({from, to, p});
    }
  }

  std::vector<Integers> points_;
  std::vector<Triangle> faces_;
};

}  // namespace

std::vector<std::array<std::int32_t, 3>> exact_hull(const Points& points, double rounding) {
  return IncrementalHull(points, rounding).run();
}

}  // namespace tactum
