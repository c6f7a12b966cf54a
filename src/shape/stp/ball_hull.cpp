// SPDX-License-Identifier: BSD-2-Clause
// The ball hull point by point.
//
// Dual       let C be the set of all centres of balls of radius alpha that hold the points so far,
//            the intersection of the balls about them. A triangle of the surface is a corner c of
//            C, where the spheres about its three points meet; an edge is the arc on the circle of
//            two spheres, and a vertex the face on one sphere. A new point p cuts from C what is
//            outside of its own ball: triangles with |c - p| > alpha go.
// Cut        every arc that crosses the new sphere gets a corner there: a triangle of its two
//            points and p. An arc from a corner that goes to one that stays crosses once. One
//            between two that go may still have a middle that stays, and one between two that stay
//            a middle that goes: those cross twice. The part of the arcs that goes is connected,
//            because the new face is: it is an intersection of caps, each smaller than half a
//            sphere. So an arc between corners that stay is cut only where no corner goes at all.
// Around     a vertex i the triangles that go are followed from the arc where they begin to the arc
//            where they end: the new triangles at both share the edge p i.
// Search     points come in rounds of doubling size, each along a curve that stays near itself
//            [Amenta, Choi, Rote 2003]; from the last triangle uphill to one that goes. Only for
//            points that carry nothing all triangles and edges are looked at.
// Precision  |p - c|^2 - alpha^2 = w.(w - 2 (c - q)), w = p - q from a corner q, loses nothing
//            however large alpha is. In double where that is sure, else extended.
// Invariants a closed surface after every point; where rounding would break that, the whole is
//            given up.
#include "shape/stp/ball_hull.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "math/counter_random.hpp"
#include "math/double3.hpp"
#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

using Index = std::int32_t;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kSafety = 16.0;        // of bounds of rounding errors
constexpr std::size_t kNear = 64;       // triangles around one, before all of them are looked at
constexpr int kMostSteps = 200;         // towards a triangle, before all of them are looked at
__extension__ using Quad = __float128;  // 113 bits, in software

template <class Real>
struct Vector {
  Real x, y, z;

  friend Vector operator+(const Vector& a, const Vector& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend Vector operator-(const Vector& a, const Vector& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend Vector operator*(Real s, const Vector& v) { return {s * v.x, s * v.y, s * v.z}; }
  friend Real dot(const Vector& a, const Vector& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  friend Vector cross(const Vector& a, const Vector& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
  Real squared_norm() const { return dot(*this, *this); }
};

/// Half the distance from one to the next number.
template <class Real>
constexpr double kRounding = 5.5e-20;
template <>
constexpr double kRounding<Quad> = 1e-34;

Wide root(Wide x) { return std::sqrt(x); }

/// One step of Newton doubles the digits.
Quad root(Quad x) {
  const Quad guess = std::sqrt(static_cast<Wide>(x));
  return guess > 0 ? guess - (guess * guess - x) / (2 * guess) : guess;
}

Index next(Index h) { return h % 3 == 2 ? h - 2 : h + 1; }
Index previous(Index h) { return h % 3 == 0 ? h + 2 : h - 1; }

/// Interleaved bits of three coordinates from 0 to 1023.
std::uint32_t morton(std::array<std::uint32_t, 3> cell) {
  std::uint32_t code = 0;
  for (std::size_t bit = 0; bit < 10; ++bit) {
    for (std::size_t k = 0; k < 3; ++k) code |= (cell[k] >> bit & 1U) << (3 * bit + k);
  }
  return code;
}

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
    begin();
    for (const Index point : insertion_order()) {
      check_interrupt();
      if (!insert(point) || doubtful_) return unsound();
    }
    return result();
  }

 private:
  using Vector3 = Vector<Real>;

  /// A new triangle: `from` -> `to` -> the new point.
  struct Spoke {
    Index from, to;
    Index outer;  ///< half edge that it joins; -1: the one of `mate`
    Index mate;   ///< the spoke across its first edge; -1: none
    Index after;  ///< the spoke across its edge from the new point to `from`
    Index face;
  };

  struct Circle {
    Vector3 center, normal;  ///< from the first corner; unit
    Real squared_radius;     ///< negative: the corners are on a line
    double rounding;         ///< relative error of all that
  };

  /// Seen from the end of the shortest side: from elsewhere the centre of a thin triangle is a
  /// difference of numbers much larger than itself.
  Circle circumcircle(Index a, Index b, Index c) const {
    const auto length = [&](Index i, Index j) {
      return static_cast<double>(squared_distance(i, j));
    };
    const double ab = length(a, b), bc = length(b, c), ca = length(c, a);
    if (bc < ab && bc <= ca) return seen_from(a, b, circumcircle_at(b, c, a));
    if (ca < ab) return seen_from(a, c, circumcircle_at(c, a, b));
    return circumcircle_at(a, b, c);
  }

  Circle seen_from(Index a, Index before, Circle circle) const {
    circle.center = circle.center + (wide_[before] - wide_[a]);
    return circle;
  }

  Circle circumcircle_at(Index a, Index b, Index c) const {
    const Vector3 u = wide_[b] - wide_[a], v = wide_[c] - wide_[a], n = cross(u, v);
    const Real uu = u.squared_norm(), vv = v.squared_norm(), uv = dot(u, v),
               squared = n.squared_norm();
    if (!(squared > 0)) return {{}, {}, -1, 0.0};
    const Vector3 center = 1 / (2 * squared) * (vv * (uu - uv) * u + uu * (vv - uv) * v);
    const double sine = std::sqrt(static_cast<double>(squared / (uu * vv)));
    return {center, 1 / root(squared) * n, center.squared_norm(), kSafety * kRounding<Real> / sine};
  }

  bool has_sphere(const Circle& circle) {
    if (circle.squared_radius < 0) return false;
    const Real room = squared_alpha_ - circle.squared_radius;
    return is_positive(
        room, circle.rounding * static_cast<double>(squared_alpha_ + circle.squared_radius));
  }
  bool has_sphere(Index a, Index b, Index c) { return has_sphere(circumcircle(a, b, c)); }

  /// The sign of a number, with a note where its error leaves that open.
  bool is_positive(Real number, double error) {
    doubtful_ = doubtful_ || !(std::abs(static_cast<double>(number)) > error);
    return number > 0;
  }

  // ---------------------------------------------------------------------------------------------------------------------
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

  std::vector<Index> insertion_order() const {
    struct Key {
      int round;
      std::uint32_t code;
      Index point;
      auto operator<=>(const Key&) const = default;
    };
    const CounterRandom random(1);
    std::vector<Key> keys;
    if (pair_[0] == pair_[1]) return {};
    keys.reserve(points_.size());
    for (Index i = 0; i < static_cast<Index>(points_.size()); ++i) {
      if (i == pair_[0] || i == pair_[1]) continue;
      const Double3 p = points_[i];
      const auto cell = [&](double x) {
        return static_cast<std::uint32_t>(std::clamp(1023.0 * (x / extent_ + 0.5), 0.0, 1023.0));
      };
      const int round = -std::min(
          20, static_cast<int>(-std::log2(random.uniform(static_cast<std::uint64_t>(i)))));
      keys.push_back({round, morton({cell(p.x), cell(p.y), cell(p.z)}), i});
    }
    std::sort(keys.begin(), keys.end());
    std::vector<Index> order;
    order.reserve(keys.size());
    for (const Key& key : keys) order.push_back(key.point);
    return order;
  }

  // --------------------------------------------------------------------------------------------------------------------
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

  /// A triangle that the point sees, -1 where there is none.
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

  /// The same among the triangles around one: where many share a sphere, there is no way uphill.
  Index seen_near(Index point, Index f) {
    ++mark_;
    near_.assign(1, f);
    marks_[f] = mark_;
    for (std::size_t k = 0; k < near_.size() && near_.size() < kNear; ++k) {
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

  /// Whether the point is inside of the tetrahedron of a triangle and a point inside; from triangle
  /// to triangle towards the one that a ray through the point leaves by. Without such a proof
  /// nothing is said.
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

  /// Where on the arc of centres of an edge that farthest from the point lies, or that nearest to
  /// it.
  enum class Extreme { farthest, nearest };
  bool is_on_arc(Index point, Index h, Extreme extreme) {
    const Index t = twin_[h];
    if (extreme == Extreme::farthest && is_far_from_arc(point, h)) return false;
    const Vector3 axis = wide_[origin_[t]] - wide_[origin_[h]],
                  q = wide_[point] - wide_[origin_[h]];
    const Vector3 first = center_beside(h, h), second = center_beside(h, t);
    // turns about the axis: the arc goes the positive way from the first centre to the second
    const Vector3 away = extreme == Extreme::farthest ? -1 * q : q;
    const double length = norm(axis) * norm(q);
    const bool after_first = is_positive(dot(axis, cross(first, away)), length * errors_[h / 3]);
    const bool before_second = is_positive(dot(axis, cross(away, second)), length * errors_[t / 3]);
    return is_wide(h) ? after_first || before_second : after_first && before_second;
  }

  /// In double: whether the farthest centre is surely beyond one end of an arc that is shorter than
  /// half a turn.
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

  /// Centre of the triangle of `g`, seen from the origin of `h`.
  Vector3 center_beside(Index h, Index g) const {
    return wide_centers_[g / 3] + (wide_[corners_[g / 3]] - wide_[origin_[h]]);
  }

  /// Whether the arc of centres of an edge is longer than half a turn.
  bool is_wide(Index h) {
    const Index t = twin_[h];
    const Vector3 axis = wide_[origin_[t]] - wide_[origin_[h]], first = center_beside(h, h),
                  second = center_beside(h, t);
    const double error = norm(axis) *
                         (norm(first) * errors_[t / 3] + norm(second) * errors_[h / 3]);
    return is_positive(dot(axis, cross(second, first)), error);
  }

  /// An edge whose triangles stay and whose arc is cut by the ball of the point, -1 where there is
  /// none.
  Index cut_by(Index point) {
    for (Index h = 0; h < static_cast<Index>(origin_.size()); ++h) {
      if (origin_[h / 3 * 3] < 0 || h > twin_[h]) continue;
      if (is_on_arc(point, h, Extreme::farthest) && has_sphere(origin_[h], origin_[next(h)], point))
        return h;
    }
    return -1;
  }

  // -----------------------------------------------------------------------------------------------------------------------
  // cut

  /// False where rounding gets in the way.
  bool insert(Index point) {
    spokes_.clear();
    going_.clear();
    if (num_faces_ == 0) return insert_into_pair(point);
    const Index f = seen_by(point);
    if (f < 0) {
      const Index h = cut_by(point);
      return h < 0 || is_near(point, origin_[h]) || is_near(point, origin_[next(h)]) ||
             split(point, h);
    }
    if (!find_going(point, f)) return true;
    find_spokes(point);
    if (spokes_.empty()) return keep_pair(point);
    return link() && replace(point);
  }

  bool is_near(Index a, Index b) const { return squared_distance(a, b) < squared_apart_; }
  Real squared_distance(Index a, Index b) const { return (wide_[a] - wide_[b]).squared_norm(); }

  /// Without triangles: two points, and all the circle of centres between them.
  bool insert_into_pair(Index point) {
    const auto [a, b] = pair_;
    if (is_near(point, a) || is_near(point, b)) return true;
    if (has_sphere(a, b, point)) return split(point, -1);
    const Vector3 u = wide_[a] - wide_[point], v = wide_[b] - wide_[point], w = wide_[b] - wide_[a];
    if (dot(u, v) < 0) return true;  // between them
    pair_[dot(u, w) > 0 ? 0 : 1] = point;
    return true;
  }

  /// Puts the point between the two triangles of an edge, or on both sides of the pair.
  bool split(Index point, Index h) {
    const Index i = h < 0 ? pair_[0] : origin_[h], j = h < 0 ? pair_[1] : origin_[next(h)];
    const bool pair = h < 0;
    spokes_.push_back({i, j, pair ? -1 : twin_[h], pair ? 1 : -1, 1, -1});
    spokes_.push_back({j, i, h, pair ? 0 : -1, 0, -1});
    return replace(point);
  }

  /// All triangles that go; false where the point is that of a vertex of theirs.
  bool find_going(Index point, Index f) {
    ++mark_;
    going_.assign(1, f);
    marks_[f] = mark_;
    for (std::size_t k = 0; k < going_.size(); ++k) {
      for (Index h = 3 * going_[k]; h < 3 * going_[k] + 3; ++h) {
        if (is_near(point, origin_[h])) return false;
        const Index other = twin_[h] / 3;
        if (marks_[other] == mark_ || !sees(point, other)) continue;
        marks_[other] = mark_;
        going_.push_back(other);
      }
    }
    return true;
  }

  void find_spokes(Index point) {
    for (const Index f : going_) {
      for (Index h = 3 * f; h < 3 * f + 3; ++h) {
        spoke_of_[h] = -1;
        const Index t = twin_[h];
        if (marks_[t / 3] != mark_) {
          add_spoke(h, t, -1);
        } else if (h < t && is_on_arc(point, h, Extreme::nearest) &&
                   has_sphere(origin_[h], origin_[next(h)], point)) {
          middles_.push_back(h);
        }
      }
    }
    for (const Index h : middles_) {
      const auto count = static_cast<Index>(spokes_.size());
      add_spoke(h, -1, count + 1);
      add_spoke(twin_[h], -1, count);
    }
    middles_.clear();
  }

  void add_spoke(Index h, Index outer, Index mate) {
    spoke_of_[h] = static_cast<Index>(spokes_.size());
    spokes_.push_back({origin_[h], origin_[next(h)], outer, mate, -1, -1});
    starts_.push_back(h);
  }

  /// Which new triangles share an edge; false where they are no fan about the point.
  bool link() {
    const std::size_t most = 3 * going_.size() + 1;
    for (std::size_t s = 0; s < spokes_.size(); ++s) {
      Index h = previous(starts_[s]);
      for (std::size_t step = 0; spoke_of_[h] < 0; ++step) {
        if (step > most) return false;
        h = previous(twin_[h]);
      }
      spokes_[s].after = spoke_of_[h];
    }
    starts_.clear();
    std::size_t count = 0;
    for (Index s = 0; count == 0 || s != 0; s = spokes_[s].after) {
      if (++count > spokes_.size()) return false;
    }
    return count == spokes_.size();
  }

  /// Everything but the point and the one opposite goes.
  bool keep_pair(Index point) {
    Index far = origin_[3 * going_[0]];
    for (const Index f : going_) {
      for (Index h = 3 * f; h < 3 * f + 3; ++h) {
        if (squared_distance(origin_[h], point) > squared_distance(far, point)) far = origin_[h];
      }
      release(f);
    }
    pair_ = {far, point};
    return num_faces_ == 0;
  }

  bool replace(Index point) {
    for (const Index f : going_) release(f);
    for (Spoke& spoke : spokes_) spoke.face = take_face();
    for (const Spoke& spoke : spokes_) {
      // from the least corner: the same bits in whichever order the points came
      std::array<Index, 3> triple{spoke.from, spoke.to, point};
      std::rotate(triple.begin(), std::ranges::min_element(triple), triple.end());
      const Circle circle = circumcircle(triple[0], triple[1], triple[2]);
      if (!has_sphere(circle)) return false;
      corners_[spoke.face] = triple[0];
      const Index h = 3 * spoke.face;
      origin_[h] = spoke.from, origin_[h + 1] = spoke.to, origin_[h + 2] = point;
      join(h, spoke.mate < 0 ? spoke.outer : 3 * spokes_[spoke.mate].face);
      join(h + 2, 3 * spokes_[spoke.after].face + 1);
      const Real height = root(squared_alpha_ - circle.squared_radius);
      const Vector3 center = circle.center - height * circle.normal;
      const double alpha = reach_ - extent_;
      circles_[spoke.face] = circle;
      heights_[spoke.face] = height;
      errors_[spoke.face] = circle.rounding * reach_ * (1.0 + alpha / static_cast<double>(height));
      wide_centers_[spoke.face] = center;
      centers_[spoke.face] = {static_cast<double>(center.x), static_cast<double>(center.y),
                              static_cast<double>(center.z)};
    }
    last_ = spokes_.back().face;
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
    for (std::vector<Index>* const part : {&origin_, &twin_, &spoke_of_})
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

  static BallHull unsound() {
    BallHull hull;
    hull.is_sound = false;
    return hull;
  }

  /// The half edge of a triangle that starts at its least corner.
  Index first_half_edge(Index f) const {
    Index h = 3 * f;
    while (origin_[h] != corners_[f]) h = next(h);
    return h;
  }

  /// By their corners: the result does not depend on the order of the points.
  std::vector<Index> ordered_faces() const {
    std::vector<std::array<Index, 4>> keys;
    for (Index f = 0; f < static_cast<Index>(centers_.size()); ++f) {
      if (!is_face(f)) continue;
      const Index h = first_half_edge(f);
      keys.push_back({origin_[h], origin_[next(h)], origin_[previous(h)], f});
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
    if (doubtful_) return unsound();
    return hull;
  }

  std::vector<Vector3> wide_;
  std::vector<Double3> points_;  // from the middle
  Real squared_alpha_, squared_apart_;
  double extent_ = 0.0, reach_ = 0.0;  // of the points; and alpha added
  Double3 inside_{0.0, 0.0, 0.0};
  bool doubtful_ = false;             // rounding may have made a decision
  std::array<Index, 2> pair_{};       // what there is without triangles
  std::vector<Index> origin_, twin_;  // first origin -1: no triangle
  std::vector<Index> corners_;        // the least corner of each triangle
  std::vector<Double3> centers_;      // of balls, from that corner
  std::vector<Circle> circles_;
  std::vector<Real> heights_;   // of the centres, behind the triangles
  std::vector<double> errors_;  // of these in full precision
  std::vector<Vector3> wide_centers_;
  Index num_faces_ = 0, last_ = 0;
  std::vector<std::uint32_t> marks_;
  std::uint32_t mark_ = 0;
  std::vector<Index> going_, free_, middles_, near_;
  std::vector<Spoke> spokes_;
  std::vector<Index> starts_, spoke_of_;  // half edge of each spoke; spoke of half edges of
                                          // triangles that go
};

}  // namespace

BallHull ball_hull(std::span<const Wide3> points, Wide alpha, Wide apart, Digits digits) {
  return digits == Digits::extended ? Construction<Wide>(points, alpha, apart).build()
                                    : Construction<Quad>(points, alpha, apart).build();
}

}  // namespace tactum
