// SPDX-License-Identifier: BSD-2-Clause
// Volume integrals of STP volumes as integrals over the surface, patch by patch.
//
// For f homogeneous of degree k about the reference, the integral of f over the body is that of f
// (x.n) / (3 + k) over its surface (divergence theorem). The area at the normal n is r_1 r_2 times
// the solid angle of the normals, r_1 and r_2 the principal radii.
//
// Edge       n = s a + c g(phi), s and c sine and cosine of theta: the solid angle is c dtheta
//            dphi, and the radius across times c is rise + r c (stp_surface.cpp).
// Face       the cone over a triangle, y = sum of w_k d_k, n = y / |y|: the solid angle is det[d_0
//            d_1 d_2] / |y|^3 dw.
// Vertex     x = p + r n needs the integrals of n to the third order over a region of the unit
//            sphere. Less its trace, n...n is a spherical harmonic Y of degree l, whose Laplacian
//            is -l (l + 1) Y, so that its integral is that of -dY/dnu / (l (l + 1)) along the
//            border b, with the outward conormal nu ds = db x b:
//               M_1 = 1/2 int b x db,       M_2 = Omega I / 3 + 1/3 sym int b (b x db)',
//               M_3 q = 1/12 int (q.b) (b m' + m b') + (q.m) b b'
//                       + 1/6 (q.M_1 I + q M_1' + M_1 q'),      m = b x db,
//            and the solid angle is that of the triangles from a direction d inside, dOmega =
//            d.(b x db) / (1 + d.b).
//
// The integrands are analytic: Gauss-Legendre on intervals of at most kPiece rad. In volumes of
// many points most patches are so small and flat that f (x.n) is a polynomial of low degree on
// them, and few nodes are enough.
#include "shape/mass/stp_moments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "shape/stp/stp_arc.hpp"
#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

constexpr double kPiece = 0.6;       // rad
constexpr double kSmallPiece = 0.1;  // rad: four nodes are enough on flat patches
constexpr double kTinyPiece = 0.01;  // rad: a rule of the fifth degree is enough on flatter ones
// height of a patch over its edge or triangle, relative to its distance from the reference or to
// the size of the body, whichever is smaller
constexpr double kFlat = 1e-3, kFlatter = 1e-4;

struct Node {
  double place, weight;  ///< on [0, 1]
};

/// A node on a triangle: barycentric coordinates and weight. The rule is exact to the fifth degree
/// (Radon).
struct TriangleNode {
  std::array<double, 3> barycentric;
  double weight;
};

constexpr std::array<TriangleNode, 7> triangle_nodes() {
  constexpr double root = 3.872983346207417, third = 1.0 / 3.0;  // square root of 15, and one third
  std::array<TriangleNode, 7> all{};
  all[0] = {{third, third, third}, 0.225};
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t far = 0; far < 2; ++far) {
      const double sign = far == 0 ? -1.0 : 1.0, coordinate = (6.0 + sign * root) / 21.0;
      TriangleNode& node = all[1 + 2 * k + far];
      node = {{coordinate, coordinate, coordinate}, (155.0 + sign * root) / 1200.0};
      node.barycentric[k] = 1.0 - 2.0 * coordinate;
    }
  }
  return all;
}

std::span<const Node> nodes(double size) {
  // zeros of the Legendre polynomials of degree 4 and 8
  constexpr auto make = []<std::size_t N>(const std::array<std::array<double, 2>, N>& half) {
    std::array<Node, 2 * N> all{};
    for (std::size_t i = 0; i < N; ++i) {
      all[2 * i] = {0.5 - 0.5 * half[i][0], 0.5 * half[i][1]};
      all[2 * i + 1] = {0.5 + 0.5 * half[i][0], 0.5 * half[i][1]};
    }
    return all;
  };
  static constexpr std::array<Node, 4> kFourNodes = make(std::array<std::array<double, 2>, 2>{
      {{0.33998104358485626, 0.65214515486254614}, {0.86113631159405258, 0.34785484513745386}}});
  static constexpr std::array<Node, 8> kEightNodes = make(
      std::array<std::array<double, 2>, 4>{{{0.18343464249564980, 0.36268378337836198},
                                            {0.52553240991632899, 0.31370664587788729},
                                            {0.79666647741362674, 0.22238103445337447},
                                            {0.96028985649753623, 0.10122853629037626}}});
  if (size <= kSmallPiece) return kFourNodes;
  return kEightNodes;
}

double determinant(Double3 a, Double3 b, Double3 c) { return dot(a, cross(b, c)); }

/// A symmetric matrix.
struct Symmetric3 {
  double xx = 0.0, yy = 0.0, zz = 0.0, xy = 0.0, yz = 0.0, zx = 0.0;

  /// Adds w v v'.
  void add_square(double w, Double3 v) {
    const Double3 u = w * v;
    xx += u.x * v.x, yy += u.y * v.y, zz += u.z * v.z;
    xy += u.x * v.y, yz += u.y * v.z, zx += u.z * v.x;
  }
  /// Adds w (a b' + b a').
  void add_product(double w, Double3 a, Double3 b) {
    const Double3 u = w * a;
    xx += 2.0 * u.x * b.x, yy += 2.0 * u.y * b.y, zz += 2.0 * u.z * b.z;
    xy += u.x * b.y + u.y * b.x, yz += u.y * b.z + u.z * b.y, zx += u.z * b.x + u.x * b.z;
  }
  void add_identity(double w) { xx += w, yy += w, zz += w; }
  void add(double w, const Symmetric3& other) {
    xx += w * other.xx, yy += w * other.yy, zz += w * other.zz;
    xy += w * other.xy, yz += w * other.yz, zx += w * other.zx;
  }
  Double3 times(Double3 v) const {
    return {xx * v.x + xy * v.y + zx * v.z, xy * v.x + yy * v.y + yz * v.z,
            zx * v.x + yz * v.y + zz * v.z};
  }
};

/// The normals of a vertex, as sums along their border.
struct Border {
  Double3 q;                      ///< the vertex, from the reference
  Double3 inside{0.0, 0.0, 0.0};  ///< d
  double solid_angle = 0.0;       ///< Omega
  Double3 first{0.0, 0.0, 0.0};   ///< M_1
  Symmetric3 second{}, third{};   ///< the parts of M_2 and M_3 q that come from the border

  /// Adds the element db of the border at b.
  void add(Double3 b, Double3 db) {
    const Double3 m = cross(b, db);
    solid_angle += dot(inside, m) / (1.0 + dot(inside, b));
    first = first + 0.5 * m;
    second.add_product(1.0 / 6.0, b, m);
    third.add_product(dot(q, b) / 12.0, b, m);
    third.add_square(dot(q, m) / 12.0, b);
  }
};

class Integral {
 public:
  Integral(const StpSurface& surface, double radius, const Vector3& reference)
      : surface_(surface), radius_(radius), reference_(to_double3(reference)) {}

  Moments total() {
    arcs_.reserve(surface_.edges().size());
    for (const StpSurface::Edge& edge : surface_.edges()) arcs_.emplace_back(edge);
    begin_borders();
    for (std::size_t e = 0; e < surface_.edges().size(); ++e)
      check_interrupt(), add_edge(surface_.edges()[e], arcs_[e]);
    if (radius_ > 0.0) {
      for (const Border& border : borders_) check_interrupt(), add_vertex(border);
    }
    for (std::size_t f = 0; f < surface_.faces().size(); ++f)
      check_interrupt(), add_face(static_cast<std::int32_t>(f));
    Moments moments;
    moments.volume = volume_ / 3.0;
    moments.first = to_vector3(0.25 * first_);
    moments.second << second_.xx, second_.xy, second_.zx, second_.xy, second_.yy, second_.yz,
        second_.zx, second_.yz, second_.zz;
    moments.second *= 0.2;
    return moments;
  }

 private:
  /// Adds the point x, relative to the reference, times (x.n) area.
  void add(Double3 x, double weight) {
    volume_ += weight;
    first_ = first_ + weight * x;
    second_.add_square(weight, x);
  }

  /// Calls `visit` with nodes and weights from low to high, on intervals whose number depends on
  /// `least`.
  template <class Visit>
  static void each_piece(double low, double high, const Visit& visit, double least = 0.0) {
    const int count = 1 + static_cast<int>((high - low) / kPiece);
    const double step = (high - low) / count;
    for (int piece = 0; piece < count; ++piece) {
      for (const Node& node : nodes(std::max(step, least)))
        visit(low + (piece + node.place) * step, node.weight * step);
    }
  }

  /// A direction inside each border: the mean of its b = sine * (towards the vertex) + cosine *
  /// outward.
  void begin_borders() {
    for (const StpSurface::Vertex& vertex : surface_.vertices()) {
      borders_.push_back({.q = vertex.point - reference_});
      extent_ = std::max(extent_, (borders_.back().q - borders_.front().q).norm());
    }
    for (std::size_t e = 0; e < arcs_.size(); ++e) {
      const StpSurface::Edge& edge = surface_.edges()[e];
      const Double3 along = (arcs_[e].angle * edge.sine) * edge.axis;
      const Double3 across = (edge.radius / surface_.alpha()) *
                             (arcs_[e].tangent(0.0) - arcs_[e].tangent(arcs_[e].angle));
      Border &from = borders_[edge.vertices[0]], &to = borders_[edge.vertices[1]];
      from.inside = from.inside + across - along;
      to.inside = to.inside + across + along;
    }
    for (Border& border : borders_) {
      const double norm = border.inside.norm();
      border.inside = norm > 0.0 ? (1.0 / norm) * border.inside : Double3{0.0, 0.0, 1.0};
    }
  }

  /// One circle across the torus of an edge, for all phi: x = middle + along a + up g, n = sine a +
  /// cosine g.
  struct Band {
    double sine, cosine, along, up;
    double area;  ///< dphi
  };

  /// Adds the torus of an edge, and its part of the borders of its two vertices.
  void add_edge(const StpSurface::Edge& edge, const StpArc& arc) {
    const double alpha = surface_.alpha(), latitude = std::asin(std::min(1.0, edge.sine));
    const Double3 middle = edge.middle - reference_, axis = edge.axis;
    const double middle_along = dot(middle, axis),
                 offset = std::min((middle - middle_along * axis).norm() + radius_, extent_);
    // where the rise counts, moments about the axis depend on its fourth power, which is of the
    // eighth degree
    const bool flat = edge.half_length * edge.half_length <= 2.0 * alpha * kFlat * offset;
    bands_.clear();
    each_piece(
        -latitude, latitude,
        [&](double theta, double weight) {
          const double s = std::sin(theta), c = std::cos(theta), along = alpha * s;
          const double rise = (edge.half_length - along) * (edge.half_length + along) /
                              (alpha * c + edge.radius);
          const double up = std::max(0.0, rise) + radius_ * c;
          bands_.push_back(
              {s, c, along + radius_ * s, rise + radius_ * c, (alpha + radius_) * up * weight});
        },
        flat ? 0.0 : kPiece);
    const double cosine = edge.radius / alpha;
    Border &from = borders_[edge.vertices[0]], &to = borders_[edge.vertices[1]];
    each_piece(0.0, arc.angle, [&](double phi, double weight) {
      const Double3 g = arc.outward(phi);
      const double middle_up = dot(middle, g);
      for (const Band& band : bands_) {
        const double height = band.sine * (middle_along + band.along) +
                              band.cosine * (middle_up + band.up);
        add(middle + band.along * axis + band.up * g, height * band.area * weight);
      }
      if (radius_ == 0.0) return;
      const Double3 db = (cosine * weight) * arc.tangent(phi), across = cosine * g,
                    along = edge.sine * axis;
      from.add(across - along, -db);
      to.add(across + along, db);
    });
  }

  /// Adds the patch of a vertex once its border is summed: x = q + r n.
  void add_vertex(const Border& border) {
    const double r = radius_, area = r * r;
    const bool alone = arcs_.empty();  // a ball
    const double omega = alone ? 4.0 * std::numbers::pi : border.solid_angle;
    const Double3 q = border.q, first = border.first;
    Symmetric3 second = border.second, third = border.third;
    second.add_identity(omega / 3.0);
    third.add_identity(dot(q, first) / 6.0);
    third.add_product(1.0 / 6.0, q, first);
    const Double3 second_q = second.times(q);
    const double heights = dot(q, first) + r * omega;  // of x.n
    volume_ += area * heights;
    first_ = first_ + area * (heights * q + r * second_q + (r * r) * first);
    second_.add_square(area * heights, q);
    second_.add_product(area * r, q, second_q);
    second_.add_product(area * r * r, q, first);
    second_.add(area * r * r, third);
    second_.add(area * r * r * r, second);
  }

  Double3 corner(const StpSurface::Face& face, int k) const {
    return surface_.vertices()[face.vertices[k]].point;
  }

  void add_face(std::int32_t index) {
    const StpSurface::Face& face = surface_.faces()[index];
    const double inverse = 1.0 / surface_.alpha();
    const Double3 to_second = corner(face, 1) - corner(face, 0),
                  to_third = corner(face, 2) - corner(face, 0);
    const double longest = std::max(
        {to_second.norm(), to_third.norm(), (to_third - to_second).norm()});
    if (longest <= surface_.alpha()) {
      // the triangle stays far from the center, however far its circumcenter is. It enters as
      // differences of points, which keep their digits for a large alpha; and no cone is larger
      // than the triangle, because differences of large cones lose the digits of a needle
      const Double3 first = face.outward + inverse * (corner(face, 0) - face.corner);
      add_cone(index, (1.0 / first.norm()) * first, inverse * to_second, inverse * to_third);
      return;
    }
    // signed cones from the normal are right for any triangle, and not thin where the center is
    // near its plane
    std::array<Double3, 3> d{};
    for (int k = 0; k < 3; ++k) {
      d[k] = corner(face, k) - face.center;
      d[k] = (1.0 / d[k].norm()) * d[k];
    }
    // the normal is that of this triangle, to which no corner is opposite; a corner may be opposite
    // to the normal of a sphere that the triangle shares
    const Double3 across = cross(to_second, to_third), normal = (1.0 / across.norm()) * across;
    for (int k = 0; k < 3; ++k) add_cone(index, normal, d[k] - normal, d[(k + 1) % 3] - normal);
  }

  /// Adds the directions in the cone of the unit vectors a, a + b and a + c, negative where they
  /// turn the other way.
  void add_cone(std::int32_t index, Double3 a, Double3 b, Double3 c) {
    const double ab = b.norm(), bc = (c - b).norm(), ca = c.norm(), size = std::max({ab, bc, ca});
    if (size > kPiece) {
      if (ab == size) return halve(index, a + c, a, a + b);
      if (bc == size) return halve(index, a, a + b, a + c);
      return halve(index, a + b, a + c, a);
    }
    const StpSurface::Patch patch{StpSurface::Kind::face, index};
    const double radius = surface_.alpha() + radius_,
                 factor = radius * radius * determinant(a, b, c);
    const auto visit = [&](Double3 y, double weight) {
      const double inverse = 1.0 / y.norm();
      const Double3 n = inverse * y, x = surface_.point(patch, n) - reference_ + radius_ * n;
      add(x, dot(x, n) * weight * factor * inverse * inverse * inverse);
    };
    const StpSurface::Face& face = surface_.faces()[index];
    const double rise = face.squared_radius / (2.0 * surface_.alpha()),
                 offset = std::min((face.circumcenter - reference_).norm(), extent_);
    if (size <= kTinyPiece && rise <= kFlatter * offset) {
      static constexpr std::array<TriangleNode, 7> kNodes = triangle_nodes();
      for (const TriangleNode& node : kNodes)
        visit(a + node.barycentric[1] * b + node.barycentric[2] * c, 0.5 * node.weight);
      return;
    }
    const std::span<const Node> places = nodes(rise <= kFlat * offset ? size : kPiece);
    for (const Node& u : places) {
      for (const Node& v : places)
        visit(a + u.place * (b + v.place * (c - b)), u.weight * v.weight * u.place);
    }
  }

  void halve(std::int32_t index, Double3 apex, Double3 from, Double3 to) {
    const Double3 sum = from + to;
    const double length = sum.norm();
    if (length < 1e-6) return;  // opposite to each other: no triangle
    const Double3 middle = (1.0 / length) * sum;
    add_cone(index, apex, from - apex, middle - apex);
    add_cone(index, apex, middle - apex, to - apex);
  }

  const StpSurface& surface_;
  double radius_;
  Double3 reference_;
  double extent_ = 0.0;          // m: the farthest vertex from the first
  std::vector<StpArc> arcs_;     // of the edges
  std::vector<Border> borders_;  // of the vertices
  std::vector<Band> bands_;      // of one edge
  double volume_ = 0.0;          // three, four and five times the moments
  Double3 first_{0.0, 0.0, 0.0};
  Symmetric3 second_;
};

}  // namespace

Moments stp_moments(const StpSurface& surface, double radius, const Vector3& reference) {
  return Integral(surface, radius, reference).total();
}

}  // namespace tactum
