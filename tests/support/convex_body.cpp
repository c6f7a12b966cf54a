// SPDX-License-Identifier: BSD-2-Clause
#include "support/convex_body.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace tactum::testing {
namespace {

void add_box_tables(ConvexBody& body) {
  for (int i = 0; i < 8; ++i) {
    body.vertices.push_back(
        body.size.cwiseProduct(Vec3((i & 1) ? 1 : -1, (i & 2) ? 1 : -1, (i & 4) ? 1 : -1)));
  }
  body.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  for (int i = 0; i < 8; ++i) {
    for (int bit = 1; bit < 8; bit *= 2) {
      if ((i & bit) == 0) body.edges.push_back({i, i | bit});
    }
  }
}

void add_hull_tables(ConvexBody& body, const Convex& hull) {
  body.dimension = hull.dimension();
  for (int i = 0; i < hull.num_vertices(); ++i) body.vertices.push_back(widen(hull.vertex(i)));
  const Triangles faces = hull.faces();
  std::set<std::pair<int, int>> edges;
  for (Eigen::Index f = 0; f < faces.cols(); ++f) {
    body.triangles.push_back({faces(0, f), faces(1, f), faces(2, f)});
    for (int k = 0; k < 3; ++k) edges.insert(std::minmax<int>(faces(k, f), faces((k + 1) % 3, f)));
  }
  if (body.vertices.size() == 2) edges.insert({0, 1});
  for (const auto& edge : edges) body.edges.push_back({edge.first, edge.second});
}

struct Reader {
  ConvexBody& body;

  void point_or_segment(Real half_length, Real radius) {
    body.radius = radius;
    body.dimension = half_length > 0 ? 1 : 0;
    body.vertices = {Vec3(0, 0, -half_length)};
    if (half_length > 0) {
      body.vertices.push_back(Vec3(0, 0, half_length));
      body.edges = {{0, 1}};
    }
  }
  void operator()(const Sphere& s) { point_or_segment(0, Real(s.radius) + s.margin); }
  void operator()(const Capsule& c) { point_or_segment(c.half_length, Real(c.radius) + c.margin); }
  void operator()(const Ellipsoid& e) {
    const Vector3& a = e.semi_axes;
    if (a[0] == a[1] && a[1] == a[2]) return point_or_segment(0, Real(a[0]) + e.margin);
    body.kind = ConvexBody::Kind::ellipsoid;
    body.size = widen(a);
    body.radius = e.margin;
  }
  void operator()(const Box& b) {
    body.kind = ConvexBody::Kind::box;
    body.size = widen(b.half_extents);
    body.radius = b.margin;
    add_box_tables(body);
  }
  void operator()(const Cylinder& c) {
    body.kind = ConvexBody::Kind::cylinder;
    body.size = Vec3(c.radius, c.half_length, 0);
    body.radius = c.margin;
  }
  void operator()(const Cone& c) {
    body.kind = ConvexBody::Kind::cone;
    body.size = Vec3(c.radius, c.half_length, 0);
    body.radius = c.margin;
  }
  void operator()(const HalfSpace& h) {
    body.kind = ConvexBody::Kind::half_space;
    body.size = widen(h.normal).normalized();
    body.offset = h.offset;
    body.radius = h.margin;
  }
  void operator()(const Convex& hull) {
    body.radius = hull.margin;
    add_hull_tables(body, hull);
  }
  void operator()(const Stp& stp) {
    body.radius = Real(stp.small_radius()) + stp.margin;
    const Points points = stp.points();
    for (const auto& point : points.colwise()) body.vertices.push_back(widen(Vector3(point)));
    if (points.cols() == 1) {
      body.dimension = 0;
      return;
    }
    body.kind = ConvexBody::Kind::stp;
    body.size = Vec3(Real(stp.big_radius()) - stp.small_radius(), 0, 0);
    body.balls = BallIntersection(body.vertices, body.size[0]);
  }
};

Real sign(Real x) { return x < 0 ? Real(-1) : Real(1); }

Vec3 closest_on_segment(const Vec3& x, const Vec3& a, const Vec3& b) {
  const Vec3 ab = b - a;
  const Real length2 = ab.squaredNorm();
  if (length2 == 0) return a;
  const Real t = std::clamp<Real>(ab.dot(x - a) / length2, 0, 1);
  return t < Real(0.5) ? Vec3(a + t * ab) : Vec3(b - (1 - t) * ab);
}

}  // namespace

ConvexBody::ConvexBody(const Shape& shape, const Pose& pose) {
  std::visit(Reader{*this}, shape.parameters());
  scan.resize(3, static_cast<Eigen::Index>(vertices.size()));
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    scan.col(static_cast<Eigen::Index>(i)) = narrow(vertices[i]);
    extent = std::max(extent, vertices[i].norm());
  }
  if (kind == Kind::ellipsoid) extent = size.maxCoeff();
  if (kind == Kind::cylinder || kind == Kind::cone) extent = size.norm();
  move_to(pose);
}

void ConvexBody::move_to(const Pose& pose) {
  rotation = widen(pose.rotation);
  turned = pose.rotation != Matrix3::Identity();
  translation = widen(pose.translation);
}

Vec3 ConvexBody::support(const Vec3& direction) const {
  if (!turned) return local_support(direction) + translation;
  return rotation * local_support(rotation.transpose() * direction) + translation;
}

Vec3 ConvexBody::local_support(const Vec3& u) const {
  switch (kind) {
    case Kind::box: return Vec3(sign(u[0]) * size[0], sign(u[1]) * size[1], sign(u[2]) * size[2]);
    case Kind::ellipsoid: {
      const Vec3 scaled = size.cwiseProduct(u);
      return size.cwiseProduct(scaled) / scaled.norm();
    }
    case Kind::cylinder:
    case Kind::cone: {
      const Real radial = std::sqrt(u[0] * u[0] + u[1] * u[1]);
      const Vec3 rim = radial > 0 ? Vec3(u[0] / radial * size[0], u[1] / radial * size[0], 0)
                                  : Vec3(size[0], 0, 0);
      if (kind == Kind::cylinder) return rim + Vec3(0, 0, sign(u[2]) * size[1]);
      if (size[1] * u[2] >= size[0] * radial - size[1] * u[2]) return Vec3(0, 0, size[1]);
      return rim - Vec3(0, 0, size[1]);
    }
    case Kind::polytope: {
      // a pass in double finds every vertex that can win, extended precision decides among them
      const Vector3 direction = narrow(u);
      const Eigen::Index count = scan.cols();
      constexpr Eigen::Index block = 512;
      Eigen::Array<double, 1, Eigen::Dynamic, Eigen::RowMajor, 1, block> heights;
      Eigen::Index best = 0;
      Real best_height = -infinite;
      for (Eigen::Index begin = 0; begin < count; begin += block) {
        const Eigen::Index length = std::min(block, count - begin);
        heights = direction.transpose() * scan.middleCols(begin, length);
        const double slack = 8 * std::numeric_limits<double>::epsilon() *
                             static_cast<double>(extent) * direction.norm();
        const double threshold = heights.maxCoeff() - slack;
        for (Eigen::Index i = 0; i < length; ++i) {
          if (heights[i] < threshold) continue;
          const Real height = vertices[static_cast<std::size_t>(begin + i)].dot(u);
          if (height > best_height) best_height = height, best = begin + i;
        }
      }
      return vertices[static_cast<std::size_t>(best)];
    }
    case Kind::stp: {
      const Vec3 n = u.normalized();
      return balls.lowest(n) + size[0] * n;
    }
    case Kind::half_space: break;
  }
  return Vec3::Zero();
}

Real ConvexBody::distance_to_core(const Vec3& point) const {
  return local_distance(rotation.transpose() * (point - translation));
}

Real ConvexBody::local_distance(const Vec3& x) const {
  switch (kind) {
    case Kind::half_space: return std::max<Real>(0, size.dot(x) - offset);
    case Kind::box: return (x.cwiseAbs() - size).cwiseMax(Real(0)).norm();
    case Kind::ellipsoid: return distance_point_ellipsoid(x, size);
    case Kind::cylinder:
      return std::hypot(std::max<Real>(0, std::hypot(x[0], x[1]) - size[0]),
                        std::max<Real>(0, std::abs(x[2]) - size[1]));
    case Kind::cone: {
      // the half plane through the axis and the point meets the cone in a triangle
      const Real radial = std::hypot(x[0], x[1]);
      const Vec3 apex(0, 0, size[1]), rim(size[0], 0, -size[1]), base(0, 0, -size[1]),
          y(radial, 0, x[2]);
      return distance_point_triangle(y, apex, rim, base);
    }
    case Kind::polytope: return hull_distance(x);
    case Kind::stp: return std::max<Real>(0, (x - balls.farthest(x)).norm() - size[0]);
  }
  return infinite;
}

Real ConvexBody::hull_distance(const Vec3& x) const {
  if (dimension == 0) return (x - vertices[0]).norm();
  if (dimension == 1) return distance_point_segment(x, vertices[0], vertices[1]);
  bool inside = dimension == 3;
  for (const auto& t : triangles) {
    if (!inside) break;
    const Vec3& a = vertices[static_cast<std::size_t>(t[0])];
    const Vec3 normal = (vertices[static_cast<std::size_t>(t[1])] - a)
                            .cross(vertices[static_cast<std::size_t>(t[2])] - a);
    // a needle triangle may have any normal; only a height above every vertex proves that x is
    // outside
    if (normal.dot(x - a) > 0) inside = normal.dot(x) <= normal.dot(local_support(normal));
  }
  if (inside) return 0;
  Real best = infinite;
  for (const auto& t : triangles) {
    best = std::min(best, distance_point_triangle(x, vertices[static_cast<std::size_t>(t[0])],
                                                  vertices[static_cast<std::size_t>(t[1])],
                                                  vertices[static_cast<std::size_t>(t[2])]));
  }
  return best;
}

bool ConvexBody::is_round_about_z() const {
  switch (kind) {
    case Kind::cylinder:
    case Kind::cone: return true;
    case Kind::ellipsoid: return size[0] == size[1];
    case Kind::polytope:
      return dimension <= 1 && std::all_of(vertices.begin(), vertices.end(),
                                           [](const Vec3& v) { return v[0] == 0 && v[1] == 0; });
    default: return false;
  }
}

Vec3 ConvexBody::center() const {
  Vec3 mean = Vec3::Zero();
  if (kind == Kind::cone) mean[2] = -size[1] / 2;
  if (kind == Kind::half_space) mean = size * offset;
  if (kind == Kind::polytope || kind == Kind::stp) {
    for (const Vec3& v : vertices) mean += v / Real(vertices.size());
  }
  return rotation * mean + translation;
}

Real distance_point_segment(const Vec3& x, const Vec3& a, const Vec3& b) {
  return (x - closest_on_segment(x, a, b)).norm();
}

Vec3 closest_on_triangle(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 normal = (b - a).cross(c - a);
  const Real area2 = normal.squaredNorm();
  // inside the prism over the triangle: its foot; otherwise on the nearest side (whatever is
  // returned belongs to the triangle)
  if (area2 > 0) {
    const Real u = (b - x).cross(c - x).dot(normal), v = (c - x).cross(a - x).dot(normal),
               w = (a - x).cross(b - x).dot(normal);
    if (u >= 0 && v >= 0 && w >= 0 && u + v + w > 0) return (u * a + v * b + w * c) / (u + v + w);
  }
  Vec3 best = closest_on_segment(x, a, b);
  for (const Vec3& y : {closest_on_segment(x, b, c), closest_on_segment(x, c, a)}) {
    if ((y - x).squaredNorm() < (best - x).squaredNorm()) best = y;
  }
  return best;
}

Real distance_point_triangle(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c) {
  return (closest_on_triangle(x, a, b, c) - x).norm();
}

Real distance_segment_segment(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
  Real best = std::min({distance_point_segment(a0, b0, b1), distance_point_segment(a1, b0, b1),
                        distance_point_segment(b0, a0, a1), distance_point_segment(b1, a0, a1)});
  // the common perpendicular counts when its feet lie on both segments
  const Vec3 u = a1 - a0, v = b1 - b0, r = b0 - a0, normal = u.cross(v);
  const Real normal2 = normal.squaredNorm();
  if (normal2 == 0) return best;
  const Real s = r.cross(v).dot(normal) / normal2, t = r.cross(u).dot(normal) / normal2;
  if (s >= 0 && s <= 1 && t >= 0 && t <= 1) best = std::min(best, (r + t * v - s * u).norm());
  return best;
}

Real distance_point_ellipsoid(const Vec3& x, const Vec3& semi_axes) {
  const Vec3 scaled = x.cwiseQuotient(semi_axes);
  if (scaled.squaredNorm() <= 1) return 0;
  // closest point y_i = a_i^2 x_i / (a_i^2 + s), s > 0 the root of sum (a_i x_i / (a_i^2 + s))^2 =
  // 1, which falls in s
  const auto value = [&](Real s) {
    Real sum = -1;
    for (int i = 0; i < 3; ++i) {
      const Real q = semi_axes[i] * x[i] / (semi_axes[i] * semi_axes[i] + s);
      sum += q * q;
    }
    return sum;
  };
  Real low = 0, high = semi_axes.maxCoeff() * x.norm();
  for (int k = 0; k < 200 && high - low > std::numeric_limits<Real>::epsilon() * high; ++k) {
    const Real middle = low > 0 && high > 16 * low ? std::sqrt(low * high) : (low + high) / 2;
    (value(middle) > 0 ? low : high) = middle;
  }
  Vec3 residual;
  for (int i = 0; i < 3; ++i) residual[i] = x[i] * high / (semi_axes[i] * semi_axes[i] + high);
  return residual.norm();
}

}  // namespace tactum::testing
