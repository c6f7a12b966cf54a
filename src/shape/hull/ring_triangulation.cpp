// SPDX-License-Identifier: BSD-2-Clause
// Triangles of a convex polygon, by halving its ring.
#include "shape/hull/ring_triangulation.hpp"

#include <Eigen/Geometry>

namespace tactum {
namespace {

using Columns = std::vector<std::int32_t>;
using Triangle = std::array<std::int32_t, 3>;

class RingTriangulation {
 public:
  RingTriangulation(const Points& points, const Columns& ring, double flat,
                    std::vector<Triangle>& faces)
      : points_(points), ring_(ring), flat_(flat), faces_(faces) {
    split(0, static_cast<int>(ring.size()) - 1);
  }

 private:
  double height(int corner, int first, int last) const {
    const Vector3 base = points_.col(ring_[last]) - points_.col(ring_[first]);
    const Vector3 side = points_.col(ring_[corner]) - points_.col(ring_[first]);
    const double length = base.norm();
    if (length <= flat_) return side.norm();
    const Vector3 along = base / length;
    return (side - along * along.dot(side)).norm();
  }

  bool straight(int first, int last) const {
    for (int i = first + 1; i < last; ++i) {
      if (height(i, first, last) > flat_) return false;
    }
    return last - first > 1;
  }

  int apex(int first, int last) const {
    const int middle = first + (last - first) / 2;
    for (int k = 0; k < last - first; ++k) {
      const int i = middle + ((k % 2) != 0 ? (k + 1) / 2 : -(k / 2));
      if (i <= first || i >= last) continue;
      if (height(i, first, last) > flat_ && !straight(first, i) && !straight(i, last)) return i;
    }
    return middle;
  }

  void split(int first, int last) {
    if (last - first < 2) return;
    const int i = apex(first, last);
    faces_.push_back({ring_[first], ring_[i], ring_[last]});
    split(first, i);
    split(i, last);
  }

  const Points& points_;
  const Columns& ring_;
  double flat_;
  std::vector<Triangle>& faces_;
};

}  // namespace

void triangulate_ring(const Points& points, const std::vector<std::int32_t>& ring, double flat,
                      std::vector<std::array<std::int32_t, 3>>& faces) {
  RingTriangulation(points, ring, flat, faces);
}

}  // namespace tactum
