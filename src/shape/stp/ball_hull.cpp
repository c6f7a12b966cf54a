// SPDX-License-Identifier: BSD-2-Clause
// Incremental construction of the ball hull.
//
// Dual       let C be the set of all centers of balls of radius alpha that contain the points
//            inserted so far: the intersection of the balls about these points. A triangle of the
//            hull is a corner c of C, where the spheres about its three points meet; an edge is the
//            arc on the circle of two spheres, and a vertex the face on one sphere. A new point p
//            removes from C what is outside the ball about p: it removes the triangles with
//            |c - p| > alpha.
// Cut        every arc that crosses the new sphere gets a corner there: a triangle of its two
//            points and p. An arc from a removed corner to a kept one crosses once. An arc between
//            two removed corners may have a kept middle, and one between two kept corners a removed
//            middle: these arcs cross twice. The removed part of the arcs is connected, because the
//            new face is: it is an intersection of caps, each smaller than half a sphere. So an arc
//            between kept corners is cut only where no corner is removed at all.
// Linking    around each vertex i the removed triangles are followed from the arc where they begin
//            to the arc where they end: the new triangles at both arcs share the edge p i.
// Search     points come in the order of insertion_order.hpp. The search walks uphill from the last
//            triangle to one that p removes. All triangles and edges are looked at only for points
//            that turn out not to be vertices.
// Precision  |p - c|^2 - alpha^2 = w.(w - 2 (c - q)), w = p - q from a corner q, loses no digits
//            however large alpha is. It is computed in double where that proves the sign, else in
//            extended precision.
// Invariants the surface is closed after every point; where rounding would break that, the result
//            is marked as unsound.
#include "shape/stp/ball_hull.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "math/double3.hpp"
#include "math/epsilon.hpp"
#include "shape/stp/insertion_order.hpp"
#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

using Index = std::int32_t;
constexpr std::size_t kNearTriangles = 64;  // triangles around one, before all of them are looked
                                            // at
constexpr int kMostSteps = 200;             // towards a triangle, before all of them are looked at

Index next(Index h) { return h % 3 == 2 ? h - 2 : h + 1; }
Index before(Index h) { return h % 3 == 0 ? h + 2 : h - 1; }

template <class Real>
class Construction {
 public:
  Construction(std::span<const Wide3> points, Wide alpha, Wide apart)
      : squared_alpha_(Real(alpha) * Real(alpha)), squared_apart_(Real(apart) * Real(apart)) {
    Wide3 low = points.front(), high = points.front();
    for (const Wide3& p : points) low = low.cwiseMin(p), high = high.cwiseMax(p);
    const Wide3 middle = 0.5L * (low + high);
    extent_ = static_cast<double>((high - low).maxCoeff());
    reach_ = extent_ + static_cast<double>(alpha);
    points_.reserve(points.size());
    wide_.reserve(points.size());
    for (const Wide3& p : points) {
      points_.push_back(to_double3((p - middle).cast<double>()));
      wide_.push_back({Real(p.x()), Real(p.y()), Real(p.z())});
    }
  }

  BallHull build() {
    check_interrupt();
    begin();
    if (pair_[0] == pair_[1]) return result();
    for (const Index point : insertion_order(points_, extent_)) {
      if (point == pair_[0] || point == pair_[1]) continue;
      check_interrupt();
      if (!insert(point) || is_doubtful_) return unsound_hull();
    }
    return result();
  }

 private:
  using Vector3 = RealVector<Real>;

  /// A triangle `from` -> `to` -> the new point.
  struct NewTriangle {
    Index from, to;
    Index outer;     ///< kept half edge across its first edge; -1 where `opposite` is across it
    Index opposite;  ///< new triangle across its first edge; -1 for none
    Index after;     ///< new triangle across its edge from the new point to `from`
    Index face;
  };

  using Circle = Circumcircle<Real>;

  Circle circumcircle(Index a, Index b, Index c) const {
    return tactum::circumcircle(wide_[a], wide_[b], wide_[c]);
  }

  bool has_sphere(const Circle& circle) {
    if (circle.squared_radius < 0) return false;
    const Real room = squared_alpha_ - circle.squared_radius;
    return is_positive(
        room, circle.rounding * static_cast<double>(squared_alpha_ + circle.squared_radius));
  }
  bool has_sphere(Index a, Index b, Index c) { return has_sphere(circumcircle(a, b, c)); }

  /// Whether a number is positive; sets `is_doubtful_` where its error leaves that open.
  bool is_positive(Real number, double error) {
    is_doubtful_ = is_doubtful_ || !(std::abs(static_cast<double>(number)) > error);
    return number > 0;
  }

  // -----------------------------------------------------------------------------------------------
  // order

  template <class Height>
  Index highest(const Height& height) const {
    Index best = 0;
    for (Index i = 1; i < static_cast<Index>(points_.size()); ++i) {
      if (height(points_[i]) > height(points_[best])) best = i;
    }
    return best;
  }

  Index farthest_from(Index a) const {
    return highest([&](Double3 p) { return (p - points_[a]).squared_norm(); });
  }

  void begin() {
    const Index a = farthest_from(0), b = farthest_from(a);
    pair_ = {a, b};
    const Double3 ab = points_[b] - points_[a];
    const Index c = highest([&](Double3 p) { return cross(ab, p - points_[a]).squared_norm(); });
    const Double3 normal = cross(ab, points_[c] - points_[a]);
    const Index d = highest([&](Double3 p) { return std::abs(dot(normal, p - points_[a])); });
    inside_ = 0.25 * (points_[a] + points_[b] + points_[c] + points_[d]);
    if (is_near(a, b)) pair_ = {a, a};
  }

  // -----------------------------------------------------------------------------------------------
  // search

  bool is_face(Index f) const { return origin_[3 * f] >= 0; }

  /// |p - c|^2 - alpha^2, to double precision.
  double power(Index point, Index f) const {
    const Double3 w = points_[point] - points_[corners_[f]];
    return dot(w, w - 2.0 * centers_[f]);
  }

  /// Whether the point is outside of the ball of a triangle.
  bool sees(Index point, Index f) {
    const double rough = power(point, f);
    if (std::abs(rough) > 16.0 * kEpsilon * extent_ * reach_) return rough > 0.0;
    const Vector3 w = wide_[point] - wide_[corners_[f]];
    return is_positive(dot(w, w - 2 * wide_centers_[f]), 2.0 * extent_ * errors_[f]);
  }

  /// A triangle whose ball does not contain the point, -1 where there is none.
  Index seen_by(Index point) {
    Index f = last_;
    for (double best = power(point, f);;) {
      if (sees(point, f)) return f;
      Index better = -1;
      for (Index h = 3 * f; h < 3 * f + 3; ++h) {
        const double other = power(point, twin_[h] / 3);
        if (other > best) best = other, better = twin_[h] / 3;
      }
      if (better < 0) break;
      f = better;
    }
    if (is_covered(point, f)) return -1;
    const Index near = seen_near(point, f);
    if (near >= 0) return near;
    for (Index g = 0; g < static_cast<Index>(centers_.size()); ++g) {
      if (is_face(g) && sees(point, g)) return g;
    }
    return -1;
  }

  /// Like seen_by(), among the triangles around `f` alone: where many triangles share a sphere,
  /// there is no way uphill.
  Index seen_near(Index point, Index f) {
    ++mark_;
    near_.assign(1, f);
    marks_[f] = mark_;
    for (std::size_t k = 0; k < near_.size() && near_.size() < kNearTriangles; ++k) {
      for (Index h = 3 * near_[k]; h < 3 * near_[k] + 3; ++h) {
        const Index other = twin_[h] / 3;
        if (marks_[other] == mark_) continue;
        if (sees(point, other)) return other;
        marks_[other] = mark_;
        near_.push_back(other);
      }
    }
    return -1;
  }

  /// Whether the point is proved to be inside the polyhedron of the triangles: inside the
  /// tetrahedron of a triangle and the inner point. The search walks from triangle to triangle
  /// towards the one through which the ray from the inner point leaves.
  bool is_covered(Index point, Index f) const {
    const double slack = 64.0 * kEpsilon * extent_ * extent_ * extent_;
    const Double3 to = points_[point] - inside_;
    for (int step = 0; step < kMostSteps; ++step) {
      Index across = -1;
      double least = slack;
      for (Index h = 3 * f; h < 3 * f + 3; ++h) {
        const double side = dot(
            cross(points_[origin_[h]] - inside_, points_[origin_[next(h)]] - inside_), to);
        if (side < least) least = side, across = h;
      }
      if (across < 0) {
        const Double3 a = points_[origin_[3 * f]],
                      n = cross(points_[origin_[3 * f + 1]] - a, points_[origin_[3 * f + 2]] - a);
        return dot(n, points_[point] - a) < -slack;
      }
      f = twin_[across] / 3;
    }
    return false;
  }

  enum class Extreme { farthest, nearest };

  /// Whether the center farthest from the point, or nearest to it, on the whole circle of centers
  /// of an edge lies on the arc between its two triangles.
  bool is_on_arc(Index point, Index h, Extreme extreme) {
    const Index t = twin_[h];
    if (extreme == Extreme::farthest && is_far_from_arc(point, h)) return false;
    const Vector3 axis = wide_[origin_[t]] - wide_[origin_[h]],
                  q = wide_[point] - wide_[origin_[h]];
    const Vector3 first = center_beside(h, h), second = center_beside(h, t);
    // the arc runs counter-clockwise about the axis from the first center to the second
    const Vector3 away = extreme == Extreme::farthest ? -1 * q : q;
    const double length = norm(axis) * norm(q);
    const bool after_first = is_positive(dot(axis, cross(first, away)), length * errors_[h / 3]);
    const bool before_second = is_positive(dot(axis, cross(away, second)), length * errors_[t / 3]);
    return is_wide(h) ? after_first || before_second : after_first && before_second;
  }

  /// Whether double precision proves that the arc is shorter than half a turn and that the center
  /// farthest from the point is beyond one of its ends.
  bool is_far_from_arc(Index point, Index h) const {
    const Index t = twin_[h];
    const Double3 i = points_[origin_[h]], axis = points_[origin_[t]] - i;
    const double squared = axis.squared_norm();
    const auto across = [&](Double3 v) { return v - (dot(v, axis) / squared) * axis; };
    const Double3 first = across(centers_[h / 3] + (points_[corners_[h / 3]] - i)),
                  second = across(centers_[t / 3] + (points_[corners_[t / 3]] - i)),
                  q = across(points_[point] - i);
    const double rounding = 32.0 * kEpsilon * std::sqrt(squared) *
                            (reach_ + extent_ * extent_ / std::sqrt(squared));
    if (!(dot(axis, cross(first, second)) > rounding * (first.norm() + second.norm())))
      return false;
    const double slack = rounding * (q.norm() + first.norm());
    return dot(axis, cross(first, q)) > slack || dot(axis, cross(q, second)) > slack;
  }

  static double norm(const Vector3& v) { return std::sqrt(static_cast<double>(v.squared_norm())); }

  /// Center of the ball of the triangle of `g`, as seen from the origin of `h`.
  Vector3 center_beside(Index h, Index g) const {
    return wide_centers_[g / 3] + (wide_[corners_[g / 3]] - wide_[origin_[h]]);
  }

  /// Whether the arc of centers of an edge is longer than half a turn.
  bool is_wide(Index h) {
    const Index t = twin_[h];
    const Vector3 axis = wide_[origin_[t]] - wide_[origin_[h]], first = center_beside(h, h),
                  second = center_beside(h, t);
    const double error = norm(axis) *
                         (norm(first) * errors_[t / 3] + norm(second) * errors_[h / 3]);
    return is_positive(dot(axis, cross(second, first)), error);
  }

  /// An edge whose triangles are kept and whose arc is cut by the ball of the point, -1 where there
  /// is none.
  Index cut_by(Index point) {
    for (Index h = 0; h < static_cast<Index>(origin_.size()); ++h) {
      if (origin_[h / 3 * 3] < 0 || h > twin_[h]) continue;
      if (is_on_arc(point, h, Extreme::farthest) && has_sphere(origin_[h], origin_[next(h)], point))
        return h;
    }
    return -1;
  }

  // -----------------------------------------------------------------------------------------------
  // cut

  /// Returns false where rounding would break the surface.
  bool insert(Index point) {
    new_triangles_.clear();
    removed_.clear();
    if (num_faces_ == 0) return insert_into_pair(point);
    const Index f = seen_by(point);
    if (f < 0) {
      const Index h = cut_by(point);
      return h < 0 || is_near(point, origin_[h]) || is_near(point, origin_[next(h)]) ||
             split(point, h);
    }
    if (!find_removed(point, f)) return true;
    find_new_triangles(point);
    if (new_triangles_.empty()) return keep_pair(point);
    return link() && replace(point);
  }

  bool is_near(Index a, Index b) const { return squared_distance(a, b) < squared_apart_; }
  Real squared_distance(Index a, Index b) const { return (wide_[a] - wide_[b]).squared_norm(); }

  /// Inserts a point while there are no triangles, only two points and the circle of centers
  /// between them.
  bool insert_into_pair(Index point) {
    const auto [a, b] = pair_;
    if (is_near(point, a) || is_near(point, b)) return true;
    if (has_sphere(a, b, point)) return split(point, -1);
    const Vector3 u = wide_[a] - wide_[point], v = wide_[b] - wide_[point], w = wide_[b] - wide_[a];
    if (dot(u, v) < 0) return true;  // between them
    pair_[dot(u, w) > 0 ? 0 : 1] = point;
    return true;
  }

  /// Inserts the point between the two triangles of an edge, or beside the pair of points where
  /// `h` is negative.
  bool split(Index point, Index h) {
    const Index i = h < 0 ? pair_[0] : origin_[h], j = h < 0 ? pair_[1] : origin_[next(h)];
    const bool pair = h < 0;
    new_triangles_.push_back({i, j, pair ? -1 : twin_[h], pair ? 1 : -1, 1, -1});
    new_triangles_.push_back({j, i, h, pair ? 0 : -1, 0, -1});
    return replace(point);
  }

  /// Finds all triangles that the point removes; false where it coincides with one of their
  /// vertices.
  bool find_removed(Index point, Index f) {
    ++mark_;
    removed_.assign(1, f);
    marks_[f] = mark_;
    for (std::size_t k = 0; k < removed_.size(); ++k) {
      for (Index h = 3 * removed_[k]; h < 3 * removed_[k] + 3; ++h) {
        if (is_near(point, origin_[h])) return false;
        const Index other = twin_[h] / 3;
        if (marks_[other] == mark_ || !sees(point, other)) continue;
        marks_[other] = mark_;
        removed_.push_back(other);
      }
    }
    return true;
  }

  void find_new_triangles(Index point) {
    for (const Index f : removed_) {
      for (Index h = 3 * f; h < 3 * f + 3; ++h) {
        new_triangle_of_[h] = -1;
        const Index t = twin_[h];
        if (marks_[t / 3] != mark_) {
          add_new_triangle(h, t, -1);
        } else if (h < t && is_on_arc(point, h, Extreme::nearest) &&
                   has_sphere(origin_[h], origin_[next(h)], point)) {
          middles_.push_back(h);
        }
      }
    }
    for (const Index h : middles_) {
      const auto count = static_cast<Index>(new_triangles_.size());
      add_new_triangle(h, -1, count + 1);
      add_new_triangle(twin_[h], -1, count);
    }
    middles_.clear();
  }

  void add_new_triangle(Index h, Index outer, Index opposite) {
    new_triangle_of_[h] = static_cast<Index>(new_triangles_.size());
    new_triangles_.push_back({origin_[h], origin_[next(h)], outer, opposite, -1, -1});
    starts_.push_back(h);
  }

  /// Finds which new triangles share an edge; false where they do not form a fan about the point.
  bool link() {
    const std::size_t most = 3 * removed_.size() + 1;
    for (std::size_t s = 0; s < new_triangles_.size(); ++s) {
      Index h = before(starts_[s]);
      for (std::size_t step = 0; new_triangle_of_[h] < 0; ++step) {
        if (step > most) return false;
        h = before(twin_[h]);
      }
      new_triangles_[s].after = new_triangle_of_[h];
    }
    starts_.clear();
    std::size_t count = 0;
    for (Index s = 0; count == 0 || s != 0; s = new_triangles_[s].after) {
      if (++count > new_triangles_.size()) return false;
    }
    return count == new_triangles_.size();
  }

  /// Removes everything but the point and the vertex farthest from it.
  bool keep_pair(Index point) {
    Index far = origin_[3 * removed_[0]];
    for (const Index f : removed_) {
      for (Index h = 3 * f; h < 3 * f + 3; ++h) {
        if (squared_distance(origin_[h], point) > squared_distance(far, point)) far = origin_[h];
      }
      release(f);
    }
    pair_ = {far, point};
    return num_faces_ == 0;
  }

  bool replace(Index point) {
    for (const Index f : removed_) release(f);
    for (NewTriangle& triangle : new_triangles_) triangle.face = take_face();
    for (const NewTriangle& triangle : new_triangles_) {
      // starting at the least corner gives the same bits in any order of insertion
      std::array<Index, 3> triple{triangle.from, triangle.to, point};
      std::rotate(triple.begin(), std::ranges::min_element(triple), triple.end());
      const Circle circle = circumcircle(triple[0], triple[1], triple[2]);
      if (!has_sphere(circle)) return false;
      corners_[triangle.face] = triple[0];
      const Index h = 3 * triangle.face;
      origin_[h] = triangle.from, origin_[h + 1] = triangle.to, origin_[h + 2] = point;
      join(h, triangle.opposite < 0 ? triangle.outer : 3 * new_triangles_[triangle.opposite].face);
      join(h + 2, 3 * new_triangles_[triangle.after].face + 1);
      const Real height = square_root(squared_alpha_ - circle.squared_radius);
      const Vector3 center = circle.center - height * circle.normal;
      const double alpha = reach_ - extent_;
      circles_[triangle.face] = circle;
      heights_[triangle.face] = height;
      errors_[triangle.face] = circle.rounding * reach_ *
                               (1.0 + alpha / static_cast<double>(height));
      wide_centers_[triangle.face] = center;
      centers_[triangle.face] = {static_cast<double>(center.x), static_cast<double>(center.y),
                                 static_cast<double>(center.z)};
    }
    last_ = new_triangles_.back().face;
    return true;
  }

  void release(Index f) {
    origin_[3 * f] = -1;
    free_.push_back(f);
    --num_faces_;
  }

  Index take_face() {
    ++num_faces_;
    if (!free_.empty()) {
      const Index face = free_.back();
      free_.pop_back();
      return face;
    }
    for (std::vector<Index>* const part : {&origin_, &twin_, &new_triangle_of_})
      part->resize(part->size() + 3, -1);
    centers_.emplace_back();
    corners_.push_back(-1);
    errors_.push_back(0.0);
    circles_.emplace_back();
    heights_.emplace_back();
    wide_centers_.emplace_back();
    marks_.push_back(0);
    return static_cast<Index>(centers_.size()) - 1;
  }

  void join(Index a, Index b) { twin_[a] = b, twin_[b] = a; }

  static Wide3 wide(const Vector3& v) {
    return {static_cast<Wide>(v.x), static_cast<Wide>(v.y), static_cast<Wide>(v.z)};
  }

  static BallHull unsound_hull() {
    BallHull hull;
    hull.is_sound = false;
    return hull;
  }

  /// The half edge of a triangle that starts at its corner of least index.
  Index first_half_edge(Index f) const {
    Index h = 3 * f;
    while (origin_[h] != corners_[f]) h = next(h);
    return h;
  }

  /// Triangles sorted by their corners, so that the result does not depend on the insertion order.
  std::vector<Index> ordered_faces() const {
    std::vector<std::array<Index, 4>> keys;
    for (Index f = 0; f < static_cast<Index>(centers_.size()); ++f) {
      if (!is_face(f)) continue;
      const Index h = first_half_edge(f);
      keys.push_back({origin_[h], origin_[next(h)], origin_[before(h)], f});
    }
    std::ranges::sort(keys);
    std::vector<Index> faces;
    faces.reserve(keys.size());
    for (const auto& key : keys) faces.push_back(key[3]);
    return faces;
  }

  BallHull result() {
    BallHull hull;
    if (num_faces_ == 0) {
      hull.carrier.assign(1, pair_[0]);
      if (pair_[1] != pair_[0]) hull.carrier.push_back(pair_[1]);
    }
    const std::vector<Index> faces = ordered_faces();
    std::vector<Index> place(origin_.size());
    for (std::size_t f = 0; f < faces.size(); ++f) {
      for (Index k = 0, h = first_half_edge(faces[f]); k < 3; ++k, h = next(h))
        place[h] = 3 * static_cast<Index>(f) + k;
    }
    for (const Index f : faces) {
      for (Index k = 0, h = first_half_edge(f); k < 3; ++k, h = next(h)) {
        hull.origin.push_back(origin_[h]);
        hull.twin.push_back(place[twin_[h]]);
        hull.wide.push_back(is_wide(h) ? 1 : 0);
      }
      const Circle& circle = circles_[f];
      hull.balls.push_back({wide(circle.center), wide(circle.normal),
                            static_cast<Wide>(heights_[f]),
                            static_cast<Wide>(circle.squared_radius), wide(wide_centers_[f])});
    }
    if (is_doubtful_) return unsound_hull();
    return hull;
  }

  std::vector<Vector3> wide_;    ///< points in full precision
  std::vector<Double3> points_;  ///< points as seen from the middle of their box
  Real squared_alpha_, squared_apart_;
  double extent_ = 0.0, reach_ = 0.0;  ///< longest side of the box of the points; plus alpha
  Double3 inside_{0.0, 0.0, 0.0};      ///< a point inside the hull
  bool is_doubtful_ = false;           ///< rounding may have decided a sign
  std::array<Index, 2> pair_{};        ///< the vertices while there are no triangles
  std::vector<Index> origin_, twin_;   ///< half edges; the first origin of a free triangle is -1
  std::vector<Index> corners_;         ///< least corner of each triangle
  std::vector<Double3> centers_;       ///< centers of the balls, as seen from that corner
  std::vector<Circle> circles_;        ///< circumcircle of each triangle
  std::vector<Real> heights_;          ///< heights of the centers behind the triangles
  std::vector<double> errors_;         ///< errors of the centers in full precision
  std::vector<Vector3> wide_centers_;  ///< centers in full precision
  Index num_faces_ = 0, last_ = 0;     ///< number of triangles; where the next search starts
  std::vector<std::uint32_t> marks_;   ///< triangles that the search numbered `mark_` has visited
  std::uint32_t mark_ = 0;
  std::vector<Index> removed_, free_;  ///< triangles that the point removes; unused triangles
  std::vector<Index> middles_, near_;  ///< edges whose arc keeps its middle; visited triangles
  std::vector<NewTriangle> new_triangles_;
  std::vector<Index> starts_;           ///< removed half edge that each new triangle replaces
  std::vector<Index> new_triangle_of_;  ///< the inverse of `starts_`; -1 for none
};

}  // namespace

BallHull ball_hull(std::span<const Wide3> points, Wide alpha, Wide apart, Digits digits) {
  return digits == Digits::extended ? Construction<Wide>(points, alpha, apart).build()
                                    : Construction<Quad>(points, alpha, apart).build();
}

}  // namespace tactum
