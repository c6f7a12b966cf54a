// SPDX-License-Identifier: BSD-2-Clause
// Convex hull by exact predicates on slightly moved points.
//
// Points     they are rounded to integers of 62 bits after a fixed pseudo-random movement of up to
//            a quarter rounding unit, so that no four lie in a plane (up to an unlikely accident,
//            which the caller's checks find).
// Predicate  the side of a point from a triangle is the sign of a 3 x 3 determinant of differences,
//            computed in 192 bits: there is no rounding, so the set of faces that a point sees is
//            always connected and the surface always closes.
// Method     incremental, in random order: each point removes the faces it sees and is joined to
//            the horizon. Every point still outside is kept in the list of one face that it sees
//            [Clarkson, Shor 1989]: when that face is removed, the point sees one of the new faces
//            or is inside for good. For a point that sees a removed face and a kept one also sees
//            the new face at some edge between two such faces. The cost is O(n log n) expected, for
//            any points.
#include "shape/hull/exact_hull.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "tactum/interrupt.hpp"

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
    auto product_high = static_cast<std::int64_t>(high_part >> 64U) +
                        (product_low < low_part ? 1 : 0);
    if (negative) {
      product_low = ~product_low + 1U;
      product_high = ~product_high + (product_low == 0U ? 1 : 0);
    }
    low += product_low;
    high += product_high + (low < product_low ? 1 : 0);
  }
  bool positive() const { return high > 0 || (high == 0 && low > 0U); }
};

std::uint64_t mixed_bits(std::uint64_t bits) {  // the finalizer of splitmix64
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

class IncrementalHull {
 public:
  IncrementalHull(const Points& points, double rounding)
      : points_(static_cast<std::size_t>(points.cols())) {
    constexpr double unit = 0x1p61;
    const double movement = 0.25 * rounding * unit;
    const Vector3 lower = points.rowwise().minCoeff();
    for (Eigen::Index i = 0; i < points.cols(); ++i) {
      for (int k = 0; k < 3; ++k) {
        const double random = static_cast<double>(
                                  mixed_bits(static_cast<std::uint64_t>(3 * i + k + 1)) >> 11U) *
                                  0x1p-52 -
                              1.0;  // [-1, 1)
        points_[i][k] = std::llrint((points(k, i) - lower[k]) * unit) +
                        std::llrint(random * movement);
      }
    }
  }

  std::vector<Triangle> run() {
    if (!start()) return {};
    for (const std::int32_t point : order()) {
      check_interrupt();
      if (seen_face_[point] >= 0) insert(point);
    }
    std::vector<Triangle> result;
    for (const Face& face : faces_) {
      if (face.alive) result.push_back(face.corners);
    }
    return result;
  }

 private:
  struct Face {
    Triangle corners;
    Triangle neighbors{};               ///< across the edge from corner k to the next
    std::vector<std::int32_t> seers{};  ///< points outside that are kept here
    bool alive = true;
    bool seen = false;  ///< by the point that is being inserted
  };

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
      const double first = static_cast<double>(difference(face[1], i)) *
                           static_cast<double>(difference(face[2], j));
      const double second = static_cast<double>(difference(face[1], j)) *
                            static_cast<double>(difference(face[2], i));
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

  /// Starts with a tetrahedron of the first points that span one, and puts every other point into
  /// the list of a face.
  bool start() {
    const auto count = static_cast<std::int32_t>(points_.size());
    seen_face_.assign(points_.size(), -1);
    face_from_.assign(points_.size(), -1);
    for (std::int32_t i = 3; i < count; ++i) {
      const Triangle base = {0, 1, 2};
      const Triangle back = {0, 2, 1};
      const bool front = sees(i, base);
      if (!front && !sees(i, back)) continue;
      const Triangle below = front ? back : base;
      faces_.push_back({below, {1, 2, 3}});
      for (std::int32_t k = 0; k < 3; ++k) {
        faces_.push_back(
            {{below[(k + 1) % 3], below[k], i}, {0, 1 + (k + 2) % 3, 1 + (k + 1) % 3}});
      }
      std::vector<std::int32_t> others(points_.size());
      std::iota(others.begin(), others.end(), 0);
      std::erase_if(others, [&](std::int32_t point) { return point <= 2 || point == i; });
      distribute(others, 0);
      return true;
    }
    return false;
  }

  /// Puts each point into the list of the first face from `first` on that it sees; points that see
  /// none are inside.
  void distribute(const std::vector<std::int32_t>& points, std::int32_t first) {
    for (const std::int32_t point : points) {
      interrupt_.check();
      seen_face_[point] = -1;
      for (auto f = static_cast<std::size_t>(first); f < faces_.size(); ++f) {
        if (!sees(point, faces_[f].corners)) continue;
        seen_face_[point] = static_cast<std::int32_t>(f);
        faces_[f].seers.push_back(point);
        break;
      }
    }
  }

  /// The order of insertion: points that reach farthest in some directions come first, because most
  /// of the others are inside their hull.
  std::vector<std::int32_t> order() const {
    constexpr std::size_t num_directions = 24;
    std::vector<std::int32_t> order;
    for (std::size_t k = 0; k < num_directions; ++k) {
      check_interrupt();
      const auto slope = [&](std::size_t axis) {
        return static_cast<double>(mixed_bits(3 * k + axis + 1) >> 11U) * 0x1p-52 - 1.0;
      };
      const Vector3 along(slope(0), slope(1), slope(2));
      const auto height = [&](const Integers& p) {
        return along.x() * static_cast<double>(p[0]) + along.y() * static_cast<double>(p[1]) +
               along.z() * static_cast<double>(p[2]);
      };
      std::size_t farthest = 0;
      for (std::size_t i = 1; i < points_.size(); ++i) {
        if (height(points_[i]) > height(points_[farthest])) farthest = i;
      }
      order.push_back(static_cast<std::int32_t>(farthest));
    }
    LoopInterrupt interrupt;
    std::vector<std::pair<std::uint64_t, std::int32_t>> keys(points_.size());
    for (std::size_t i = 0; i < keys.size(); ++i)
      keys[i] = {mixed_bits(i + 0x9e3779b97f4a7c15U), static_cast<std::int32_t>(i)};
    std::sort(keys.begin(), keys.end(), [&](const auto& a, const auto& b) {
      interrupt.check();
      return a < b;
    });
    for (const auto& [key, point] : keys) order.push_back(point);
    return order;
  }

  void insert(std::int32_t p) {
    // the faces that the point sees are connected
    std::vector<std::int32_t> seen = {seen_face_[p]};
    faces_[seen[0]].seen = true;
    std::vector<std::array<std::int32_t, 3>> horizon;  // from, to, the face beyond
    for (std::size_t k = 0; k < seen.size(); ++k) {
      for (int edge = 0; edge < 3; ++edge) {
        const std::int32_t beyond = faces_[seen[k]].neighbors[edge];
        if (faces_[beyond].seen) continue;
        if (sees(p, faces_[beyond].corners)) {
          faces_[beyond].seen = true;
          seen.push_back(beyond);
        }
      }
    }
    for (const std::int32_t f : seen) {
      for (int edge = 0; edge < 3; ++edge) {
        const std::int32_t beyond = faces_[f].neighbors[edge];
        if (!faces_[beyond].seen)
          horizon.push_back({faces_[f].corners[edge], faces_[f].corners[(edge + 1) % 3], beyond});
      }
    }
    const auto first = static_cast<std::int32_t>(faces_.size());
    for (const auto& [from, to, beyond] : horizon) {
      const auto face = static_cast<std::int32_t>(faces_.size());
      faces_.push_back({{from, to, p}, {beyond, -1, -1}});
      face_from_[from] = face;
      Face& outer = faces_[beyond];
      for (int edge = 0; edge < 3; ++edge) {
        if (outer.corners[edge] == to && outer.corners[(edge + 1) % 3] == from)
          outer.neighbors[edge] = face;
      }
    }
    for (auto face = first; face < static_cast<std::int32_t>(faces_.size()); ++face) {
      const std::int32_t next = face_from_[faces_[face].corners[1]];
      faces_[face].neighbors[1] = next;
      faces_[next].neighbors[2] = face;
    }
    seen_face_[p] = -1;
    for (const std::int32_t f : seen) {
      std::vector<std::int32_t> points = std::move(faces_[f].seers);
      std::erase(points, p);
      faces_[f].alive = false;
      distribute(points, first);
    }
  }

  std::vector<Integers> points_;
  LoopInterrupt interrupt_;
  std::vector<Face> faces_;              // removed faces included
  std::vector<std::int32_t> seen_face_;  // of each point outside: the face whose list it is in; -1
                                         // inside
  std::vector<std::int32_t> face_from_;  // of each corner of a horizon: the new face whose first
                                         // edge starts there
};

}  // namespace

std::vector<std::array<std::int32_t, 3>> exact_hull(const Points& points, double rounding) {
  return IncrementalHull(points, rounding).run();
}

}  // namespace tactum
