// SPDX-License-Identifier: BSD-2-Clause
// Construction of sphere-torus-patch volumes [Escande, Miossec, Kheddar, "Strictly convex hulls for computing continuous gradient proximity
// distances"]: big spheres of radius alpha through three points that hold all the others.
//
// Idea        let alpha fall from infinity, where the big spheres are the planes of the hull, to its value. The sphere of triangle f with
//             circumcentre q, circumradius c and unit normal N has its centre at q - h N, h = sqrt(alpha^2 - c^2) (eq. 11), and holds the point l when
//                 power + 2 h N.(l - q) <= 0,      power = |l - q|^2 - c^2.
//             So the edge between two triangles fails when h falls to power / (-2 N.(l - q)): where the four points lie on one sphere of radius
//             alpha. Three things can happen there and nothing else: the edge flips to the other two points; a vertex of three triangles is
//             covered by the sphere through its neighbours; a vertex of two triangles is covered by the torus of its two neighbours.
// Order       a heap, largest alpha first: events in their true order never meet an edge that can not flip.
// Ties        more than four points on a sphere, more than three on a circle, are the rule: boxes, grids, geodesic spheres. All decisions are made for points that
//             are moved by a fixed pattern of 1e-14 of the extent, which have no ties; patches are made of the points as given.
//             Rows of points on an edge are beyond that: where the first pattern fails its check, points that are not extreme are taken out first.
// Precision   differences of the given coordinates and all that follows in extended precision.
// Invariants  a closed surface throughout; at the end no point is outside any big sphere by more than 1e-13 of the extent, and all are checked.
#include "shape/stp_builder.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>

#include "math/counter_random.hpp"
#include "shape/affine_frame.hpp"
#include "shape/ball_tree.hpp"
#include "shape/convex_hull.hpp"
#include "shape/general_hull.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

using Index = std::int32_t;
constexpr Wide kInfinity = std::numeric_limits<Wide>::infinity();
constexpr Wide kNever = -1.0L;
constexpr Wide kStart = 1e9L;       // of the extent: alpha where the fall begins
constexpr Wide kMove = 1e-14L;      // of the extent: how far points are moved for the decisions
constexpr double kApart = 5e-14;    // of the extent: points that are nearer are one
constexpr double kThin = 1e-9;      // of the extent: a set of points that is thinner has no solid hull to begin with
constexpr double kSame = 1e-14;     // of the extent: spheres through points this near are one
constexpr int kAttempts = 4;        // patterns of moves
constexpr double kOutside = 1e-13;  // of the extent: how far a point may be outside a big sphere

Index next(Index half_edge) { return half_edge % 3 == 2 ? half_edge - 2 : half_edge + 1; }
Index previous(Index half_edge) { return half_edge % 3 == 0 ? half_edge + 2 : half_edge - 1; }

/// A triangle about its first corner.
struct Circumcircle {
  Wide3 center, normal;  ///< unit normal, outward
  Wide squared_radius;   ///< infinite where the corners are on a line
};

Circumcircle circumcircle(const Wide3& u, const Wide3& v) {
  const Wide3 cross = u.cross(v);
  const Wide uu = u.squaredNorm(), vv = v.squaredNorm(), uv = u.dot(v), squared = cross.squaredNorm();
  if (!(squared > 0.0L)) return {Wide3::Zero(), Wide3::Zero(), kInfinity};
  const Wide3 center = (vv * (uu - uv) * u + uu * (vv - uv) * v) / (2.0L * squared);
  return {center, cross / std::sqrt(squared), center.squaredNorm()};
}

class Builder {
 public:
  Builder(const Points& points, double alpha, int pattern)
      : points_(points), squared_alpha_(Wide(alpha) * Wide(alpha)), pattern_(pattern) {
    extent_ = (points.rowwise().maxCoeff() - points.rowwise().minCoeff()).maxCoeff();
    columns_.resize(static_cast<std::size_t>(points.cols()));
    std::iota(columns_.begin(), columns_.end(), 0);
    const AffineFrame frame = affine_frame(points, columns_, 0.0);
    const bool solid = frame.dimension == 3 && frame.reach[2] > kThin * extent_;
    HullTopology extreme;
    if (!solid || pattern > 0) {
      extreme = convex_hull(points);
      columns_ = extreme.vertices;
    }
    set_moved();
    if (solid) {
      HalfEdgeMesh hull = general_hull(moved_, kApart * extent_);
      origin_ = std::move(hull.origin), twin_ = std::move(hull.twin);
    }
    if (origin_.empty()) set_flat(extreme);
    version_.assign(origin_.size(), 0);
  }

  StpTopology build() {
    for (Index h = 0; h < num_half_edges(); ++h) push_edge(h);
    for (Index h = 0; h < num_half_edges(); ++h) push_vertex(h);
    const std::size_t most = 100 + 10 * origin_.size();
    for (std::size_t events = 0; !queue_.empty() && events < most; ++events) {
      const Event event = queue_.top();
      queue_.pop();
      if (version_[event.half_edge] != event.version) continue;
      starting_ = starting_ && event.squared_alpha == kInfinity;
      apply(event);
    }
    return finished();
  }

 private:
  struct Event {
    Wide squared_alpha;  ///< when it happens
    Index half_edge;     ///< an edge that fails, or a vertex with two triangles: its origin
    std::uint32_t version;
    bool vertex;
    bool operator<(const Event& other) const {
      if (squared_alpha != other.squared_alpha) return squared_alpha < other.squared_alpha;
      return half_edge > other.half_edge;
    }
  };

  Index num_half_edges() const { return static_cast<Index>(origin_.size()); }
  const Wide3& point(Index vertex) const { return moved_[vertex]; }
  Index apex(Index half_edge) const { return origin_[previous(half_edge)]; }

  // ---------------------------------------------------------------------------------------------------------- the first surface

  /// A pattern that depends on the number of the point alone.
  void set_moved() {
    const CounterRandom random(static_cast<std::uint64_t>(pattern_));
    moved_.reserve(columns_.size());
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      Wide3 moved = points_.col(columns_[i]).cast<Wide>();
      for (int k = 0; k < 3; ++k) moved[k] += kMove * Wide(extent_) * (Wide(random.uniform(3 * i + k)) - 0.5L);
      moved_.push_back(moved);
    }
  }

  /// The hull of points that are thin, flat or fewer; a polygon gets its two sides. Moved points need not be on that hull: alpha begins to fall where
  /// spheres are still as flat as they are.
  void set_flat(const HullTopology& hull) {
    start_ = kStart * Wide(extent_);
    starting_ = true;
    for (const std::array<Index, 3>& face : hull.faces) origin_.insert(origin_.end(), face.begin(), face.end());
    const Index one_side = num_half_edges();
    twin_.assign(origin_.size(), -1);
    std::vector<std::array<Index, 3>> edges;
    for (Index h = 0; h < one_side; ++h) {
      const auto [low, high] = std::minmax(origin_[h], origin_[next(h)]);
      edges.push_back({low, high, h});
    }
    std::sort(edges.begin(), edges.end());
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
      if (edges[i][0] == edges[i + 1][0] && edges[i][1] == edges[i + 1][1]) join(edges[i][2], edges[i + 1][2]);
    }
    if (hull.dimension == 2) add_other_side(one_side);
  }

  /// Half edge h of the back is half edge h of the front, run the other way: corners in reverse order.
  void add_other_side(Index one_side) {
    const auto mirrored = [&](Index h) { return one_side + 3 * (h / 3) + (2 - h % 3); };
    origin_.resize(2 * one_side);
    twin_.resize(2 * one_side);
    for (Index h = 0; h < one_side; ++h) {
      origin_[mirrored(h)] = origin_[next(h)];
      twin_[mirrored(h)] = twin_[h] < 0 ? h : mirrored(twin_[h]);
    }
    for (Index h = 0; h < one_side; ++h) {
      if (twin_[h] < 0) twin_[h] = mirrored(h);
    }
  }

  // -------------------------------------------------------------------------------------------------------------------- events

  /// About the origin of the half edge.
  Circumcircle circumcircle(Index half_edge) const {
    const Wide3& corner = point(origin_[half_edge]);
    return tactum::circumcircle(point(origin_[next(half_edge)]) - corner, point(origin_[previous(half_edge)]) - corner);
  }

  /// alpha^2 at which the two triangles of an edge share their sphere: the four points are on it, and its centre is behind both. Infinite: they
  /// should have done so before.
  Wide failure(Index half_edge) const {
    if (apex(half_edge) == apex(twin_[half_edge])) return kNever;
    Circumcircle circle = circumcircle(half_edge), other = circumcircle(twin_[half_edge]);
    if (circle.squared_radius > other.squared_radius) {
      half_edge = twin_[half_edge];
      std::swap(circle, other);
    }
    const Wide3 opposite = point(apex(twin_[half_edge])) - point(origin_[half_edge]);
    const Wide power = opposite.dot(opposite - 2.0L * circle.center), depth = -circle.normal.dot(opposite);
    const bool late = starting_ ? power > 2.0L * start_ * depth : power > 0.0L && depth <= 0.0L;
    if (!late && (power <= 0.0L || depth <= 0.0L)) return kNever;
    const Wide height = late ? start_ : power / (2.0L * depth);
    // both planes pass the origin of the half edge
    if (other.normal.dot(circle.center - height * circle.normal) > 0.0L) return kNever;
    return late ? kInfinity : circle.squared_radius + height * height;
  }

  void push_edge(Index h) {
    if (h > twin_[h]) return;
    const Wide at = failure(h);
    if (at > squared_alpha_) queue_.push({at, h, version_[h], false});
  }

  /// The origin of `h` may have two triangles only.
  void push_vertex(Index h) {
    if (twin_[next(twin_[h])] != previous(h) || apex(h) != apex(twin_[h])) return;
    const Wide3 tip = point(origin_[h]);
    const Wide3 u = point(origin_[next(h)]) - tip, v = point(origin_[previous(h)]) - tip;
    const Wide at = circumcircle(h).squared_radius;
    if (u.dot(v) < 0.0L && at > squared_alpha_) queue_.push({at, h, version_[h], true});
  }

  void apply(const Event& event) {
    const Index h = event.half_edge;
    if (event.vertex) return remove_pair(h);
    for (const Index start : {h, twin_[h]}) {
      if (degree_is_three(start) && vanishes(start)) return remove_star(start);
    }
    flip(h);
  }

  bool degree_is_three(Index h) const {
    const Index second = twin_[previous(h)], third = twin_[previous(second)];
    return second != h && third != h && twin_[previous(third)] == h;
  }

  /// Whether the third triangle of a vertex of three shares the sphere that its two at the edge `h` share: whether its sphere passes the
  /// last point at the same moment.
  bool vanishes(Index h) const {
    const Circumcircle third = circumcircle(twin_[previous(h)]), first = circumcircle(h), second = circumcircle(next(twin_[h]));
    const Circumcircle& circle = first.squared_radius < second.squared_radius ? first : second;  // about the same point
    const Wide at = failure(h);
    const Wide height = at == kInfinity ? start_ : std::sqrt(std::max(0.0L, at - circle.squared_radius));
    return third.normal.dot(circle.center - height * circle.normal) <= 0.0L;
  }

  // ---------------------------------------------------------------------------------------------------------- changes of surface

  void join(Index a, Index b) { twin_[a] = b, twin_[b] = a; }

  /// New event of the edge of `h`; the old one is void.
  void renew(Index h) {
    ++version_[h], ++version_[twin_[h]];
    push_edge(std::min(h, twin_[h]));
  }

  void renew_triangle(Index h) {
    for (const Index edge : {h, next(h), previous(h)}) renew(edge);
    for (const Index edge : {h, next(h), previous(h)}) push_vertex(edge), push_vertex(twin_[edge]);
  }

  /// i -> j with apexes k and l becomes k -> l.
  void flip(Index h) {
    const Index t = twin_[h], hn = next(h), hp = previous(h), tn = next(t), tp = previous(t);
    const std::array<Index, 4> outer{twin_[hn], twin_[hp], twin_[tn], twin_[tp]};
    const Index i = origin_[h], j = origin_[t], k = origin_[hp], l = origin_[tp];
    // triangle of h: k l j; triangle of t: l k i
    origin_[h] = k, origin_[hn] = l, origin_[hp] = j;
    origin_[t] = l, origin_[tn] = k, origin_[tp] = i;
    join(hp, outer[0]);  // j -> k, and so on round
    join(tn, outer[1]);
    join(tp, outer[2]);
    join(hn, outer[3]);
    renew_triangle(h);
    renew_triangle(t);
  }

  void discard(Index h) {
    for (const Index edge : {h, next(h), previous(h)}) {
      origin_[edge] = -1;
      ++version_[edge];
    }
  }

  /// Takes away the origin of `h`, which has three triangles; the first one takes their place.
  void remove_star(Index h) {
    const Index second = twin_[previous(h)], third = twin_[previous(second)];
    const std::array<Index, 3> outer{twin_[next(h)], twin_[next(second)], twin_[next(third)]};
    const std::array<Index, 3> starts{origin_[next(h)], origin_[next(second)], origin_[next(third)]};
    discard(second);
    discard(third);
    const std::array<Index, 3> places{h, next(h), previous(h)};
    for (int e = 0; e < 3; ++e) {
      origin_[places[e]] = starts[e];
      join(places[e], outer[e]);
    }
    renew_triangle(h);
  }

  /// Takes away the origin of `h`, which has two triangles, both with the same other corners.
  void remove_pair(Index h) {
    const Index a = twin_[next(h)], b = twin_[previous(twin_[h])];
    const bool last = a == previous(twin_[h]);
    survivors_ = {origin_[next(h)], origin_[previous(h)]};
    discard(twin_[h]);
    discard(h);
    if (last) return;
    join(a, b);
    renew(a);
    for (const Index edge : {a, next(a), b, next(b)}) push_vertex(edge);
  }

  // -------------------------------------------------------------------------------------------------------------------- result

  StpTopology finished() {
    StpTopology topology;
    std::vector<Index> place(origin_.size(), -1), number(columns_.size(), -1);
    Index count = 0;
    for (Index h = 0; h < num_half_edges(); ++h) {
      if (origin_[h] < 0) continue;
      place[h] = count++;
      number[origin_[h]] = 0;
    }
    if (count == 0) {
      if (origin_.empty()) survivors_ = {0, static_cast<Index>(columns_.size()) - 1};
      for (const Index survivor : survivors_) number[survivor] = 0;
    }
    std::vector<Wide3> centers;
    centers.reserve(origin_.size() / 3);
    topology.spheres.reserve(origin_.size() / 3);
    topology.origin.reserve(origin_.size());
    topology.twin.reserve(origin_.size());
    for (std::size_t i = 0; i < number.size(); ++i) {
      if (number[i] < 0) continue;
      number[i] = static_cast<Index>(topology.vertices.size());
      topology.vertices.push_back(columns_[i]);
    }
    for (Index h = 0; h < num_half_edges(); ++h) {
      if (origin_[h] < 0) continue;
      topology.origin.push_back(number[origin_[h]]);
      topology.twin.push_back(place[twin_[h]]);
      if (h % 3 == 0) topology.spheres.push_back(sphere(h)), centers.push_back(center(h));
    }
    set_wide(topology, centers, place);
    return topology;
  }

  /// Centre of the big sphere of the moved points.
  Wide3 center(Index h) const {
    const Circumcircle circle = circumcircle(h);
    return point(origin_[h]) + circle.center - std::sqrt(std::max(0.0L, squared_alpha_ - circle.squared_radius)) * circle.normal;
  }

  /// Marks the edges whose centres go round by more than half a turn.
  void set_wide(StpTopology& topology, const std::vector<Wide3>& centers, const std::vector<Index>& place) const {
    topology.wide.resize(topology.origin.size());
    for (Index h = 0; h < num_half_edges(); ++h) {
      if (origin_[h] < 0 || h > twin_[h]) continue;
      const Wide3& from = point(origin_[h]);
      const Wide3 axis = point(origin_[next(h)]) - from, first = centers[place[h] / 3] - from,
                  second = centers[place[twin_[h]] / 3] - from;
      topology.wide[place[h]] = topology.wide[place[twin_[h]]] = axis.dot(first.cross(second)) < 0.0L ? 1 : 0;
    }
  }

  StpTopology::BigSphere sphere(Index h) const {
    const auto given = [&](Index half_edge) -> Wide3 { return points_.col(columns_[origin_[half_edge]]).cast<Wide>(); };
    const Wide3 corner = given(h);
    const Circumcircle circle = tactum::circumcircle(given(next(h)) - corner, given(previous(h)) - corner);
    const Wide height = std::sqrt(std::max(0.0L, squared_alpha_ - circle.squared_radius));
    return {(corner + circle.center).cast<double>(), circle.normal.cast<double>(), static_cast<double>(height),
            static_cast<double>(circle.squared_radius), (circle.center - height * circle.normal).cast<double>()};
  }

  const Points& points_;
  Wide squared_alpha_;
  int pattern_;
  double extent_ = 0.0;
  std::vector<Index> columns_;        // of the points that vertices count in
  Wide start_ = 0.0L;                 // alpha where the fall begins
  bool starting_ = false;             // it has not begun: the surface may have to change before
  std::vector<Wide3> moved_;          // vertices of the hull
  std::vector<Index> origin_, twin_;  // origin -1: discarded
  std::vector<std::uint32_t> version_;
  std::priority_queue<Event> queue_;
  std::array<Index, 2> survivors_{};
};

/// Rounding unit of coordinates and extent.
double scale_of(const Points& points) {
  return std::max((points.rowwise().maxCoeff() - points.rowwise().minCoeff()).maxCoeff(), points.cwiseAbs().maxCoeff());
}

/// Triangles of one sphere, such as those of the cap of a prism, take the sphere of the thickest among them: rounding tilts that of a thin one.
void share_spheres(const Points& points, double alpha, StpTopology& topology) {
  const double slack = 2.0 * alpha * kSame * scale_of(points);
  const auto vertex = [&](Index h) -> Vector3 { return points.col(topology.vertices[topology.origin[h]]); };
  const auto count = static_cast<Index>(topology.spheres.size());
  std::vector<std::pair<double, Index>> order;
  order.reserve(topology.spheres.size());
  for (Index f = 0; f < count; ++f) {
    const Vector3 u = vertex(3 * f + 1) - vertex(3 * f), v = vertex(3 * f + 2) - vertex(3 * f);
    const double longest = std::max({u.squaredNorm(), v.squaredNorm(), (u - v).squaredNorm()});
    order.emplace_back(-u.cross(v).squaredNorm() / longest, f);
  }
  std::sort(order.begin(), order.end());
  std::vector<bool> taken(topology.spheres.size(), false);
  std::vector<Index> stack;
  for (const auto& [thickness, f] : order) {
    if (taken[f]) continue;
    taken[f] = true;
    const StpTopology::BigSphere sphere = topology.spheres[f];
    const Vector3 corner = vertex(3 * f);
    stack.assign(1, f);
    while (!stack.empty()) {
      const Index at = stack.back();
      stack.pop_back();
      for (Index h = 3 * at; h < 3 * at + 3; ++h) {
        const Index other = topology.twin[h] / 3;
        const Vector3 w = vertex(previous(topology.twin[h])) - corner;
        const Vector3 center = sphere.from_corner + (corner - vertex(3 * other));
        // two spheres pass three points: that behind the triangle is meant
        const bool same =
            std::abs(w.dot(w - 2.0 * sphere.from_corner)) <= slack && topology.spheres[other].normal.dot(center) < 0.0;
        if (taken[other] || !same) continue;
        taken[other] = true;
        stack.push_back(other);
        topology.spheres[other] = sphere;
        topology.spheres[other].from_corner = center;
      }
    }
  }
}

/// Every vertex against the spheres next to it, and all other points against all spheres. A closed surface that is convex at every edge is convex. With
/// w = p - corner, |p - c|^2 - alpha^2 = w.(w - 2 (c - corner)), which loses nothing however large alpha is.
bool is_convex(const Points& points, const StpTopology& topology, double alpha) {
  const double slack = kOutside * scale_of(points);
  const auto vertex = [&](std::size_t h) -> Vector3 { return points.col(topology.vertices[topology.origin[h]]); };
  for (std::size_t h = 0; h < topology.origin.size(); ++h) {
    const auto twin = topology.twin[h];
    const Vector3 w = vertex(previous(twin)) - vertex(h / 3 * 3);
    if (topology.spheres[h / 3].normal.isZero()) return false;  // three points on a line
    if (w.dot(w - 2.0 * topology.spheres[h / 3].from_corner) > 2.0 * alpha * slack) return false;
  }
  std::vector<bool> is_vertex(static_cast<std::size_t>(points.cols()), false);
  for (const Index column : topology.vertices) is_vertex[column] = true;
  Points others(3, points.cols() - static_cast<Eigen::Index>(topology.vertices.size()));
  for (Eigen::Index i = 0, count = 0; i < points.cols(); ++i) {
    if (!is_vertex[i]) others.col(count++) = points.col(i);
  }
  if (others.cols() == 0) return true;
  const BallTree tree(others);
  for (std::size_t f = 0; f < topology.spheres.size(); ++f) {
    if (tree.reaches_out(vertex(3 * f), topology.spheres[f].from_corner, alpha, slack)) return false;
  }
  return true;
}

}  // namespace

StpTopology build_stp(const Points& points, double alpha) {
  for (int pattern = 0; pattern < kAttempts; ++pattern) {
    StpTopology topology = Builder(points, alpha, pattern).build();
    share_spheres(points, alpha, topology);
    if (is_convex(points, topology, alpha)) return topology;
  }
  throw InvalidInput("Stp.points", "points of which rounding makes no volume",
                     "give points that are farther apart from each other, or a larger big_radius");
}

}  // namespace tactum
