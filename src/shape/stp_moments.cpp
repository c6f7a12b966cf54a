// SPDX-License-Identifier: BSD-2-Clause
// Volume integrals as integrals over the surface, patch by patch.
//
// For f homogeneous of degree k about the reference, the integral of f over the
// body is that of f (x.n) / (3 + k) over its surface (divergence theorem). The
// area at the normal n is r_1 r_2 times the solid angle of the normals, r_1 and
// r_2 the principal radii. Normals of
//     an edge    n = s a + sqrt(1 - s^2) g(phi):  solid angle ds dphi;
//     a vertex   a fan from a direction inside it to its border circles: y = (1
//     - t) d + t b(phi), n = y / |y|: t det[d b b'] / |y|^3 dt dphi; a face the
//     cone over a triangle, y = sum of w_k d_k: det[d_0 d_1 d_2] / |y|^3 dw.
// All are analytic there: Gauss-Legendre on pieces of at most kPiece rad.
#include "shape/stp_moments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "shape/stp_arc.hpp"

namespace tactum {
namespace {

constexpr double kPiece = 0.6;       // rad
constexpr double kSmallPiece = 0.1;  // rad: four nodes are enough

struct Node {
  double place, weight;  ///< on [0, 1]
};

std::span<const Node> nodes(double size) {
  // zeros of the Legendre polynomials of degree 4 and 8
  static constexpr auto make = []<std::size_t N>(const std::array<std::array<double, 2>, N>& half) {
    std::array<Node, 2 * N> all{};
    for (std::size_t i = 0; i < N; ++i) {
      all[2 * i] = {0.5 - 0.5 * half[i][0], 0.5 * half[i][1]};
      all[2 * i + 1] = {0.5 + 0.5 * half[i][0], 0.5 * half[i][1]};
    }
    return all;
  };
  static constexpr std::array<Node, 4> four = make(std::array<std::array<double, 2>, 2>{
      {{0.33998104358485626, 0.65214515486254614}, {0.86113631159405258, 0.34785484513745386}}});
  static constexpr std::array<Node, 8> eight =
      make(std::array<std::array<double, 2>, 4>{{{0.18343464249564980, 0.36268378337836198},
                                                 {0.52553240991632899, 0.31370664587788729},
                                                 {0.79666647741362674, 0.22238103445337447},
                                                 {0.96028985649753623, 0.10122853629037626}}});
  if (size <= kSmallPiece) return four;
  return eight;
}

double determinant(Double3 a, Double3 b, Double3 c) { return dot(a, cross(b, c)); }

class Integral {
 public:
  Integral(const StpSurface& surface, double radius, const Vector3& reference)
      : surface_(surface), radius_(radius), reference_(plain(reference)) {}

  Moments total() {
    for (std::size_t e = 0; e < surface_.edges().size(); ++e) add_edge(static_cast<std::int32_t>(e));
    for (std::size_t v = 0; v < surface_.vertices().size(); ++v) add_vertex(static_cast<std::int32_t>(v));
    for (std::size_t f = 0; f < surface_.faces().size(); ++f) add_face(static_cast<std::int32_t>(f));
    return sum_;
  }

 private:
  void add(StpSurface::Patch patch, Double3 n, double solid_angle) {
    const StpSurface::Bend bend = surface_.bend(patch, n);
    const Vector3 x = eigen(bend.point - reference_ + radius_ * n);
    const double area = (bend.radius + radius_) * (bend.across_radius + radius_) * solid_angle;
    const double share = area * x.dot(eigen(n));
    sum_.volume += share / 3.0;
    sum_.first += (share / 4.0) * x;
    sum_.second += (share / 5.0) * x * x.transpose();
  }

  template <class Visit>
  static void each_piece(double low, double high, const Visit& visit) {
    const int count = 1 + static_cast<int>((high - low) / kPiece);
    const double step = (high - low) / count;
    for (int piece = 0; piece < count; ++piece) {
      for (const Node& node : nodes(step)) visit(low + (piece + node.place) * step, node.weight * step);
    }
  }

  void add_edge(std::int32_t index) {
    const StpSurface::Edge& edge = surface_.edges()[index];
    const StpArc arc(edge);
    const double latitude = std::asin(std::min(1.0, edge.sine));
    each_piece(0.0, arc.angle, [&](double phi, double phi_weight) {
      const Double3 g = arc.outward(phi);
      each_piece(-latitude, latitude, [&](double theta, double theta_weight) {
        const double c = std::cos(theta);
        add({StpSurface::Kind::edge, index}, std::sin(theta) * edge.axis + c * g, phi_weight * theta_weight * c);
      });
    });
  }

  void add_vertex(std::int32_t index) {
    if (radius_ == 0.0) return;
    const StpSurface::Patch patch{StpSurface::Kind::vertex, index};
    const StpSurface::Vertex& vertex = surface_.vertices()[index];
    if (vertex.num_spokes == 0) return add_ball(patch);
    const Double3 d = inner_normal(surface_, index);
    for (const StpSurface::Spoke& spoke : surface_.spokes(vertex)) {
      const StpSurface::Edge& edge = surface_.edges()[spoke.edge];
      const StpArc arc(edge);
      const double cosine = edge.radius / surface_.alpha(), sign = edge.vertices[1] == index ? 1.0 : -1.0;
      const Double3 up = sign * edge.sine * edge.axis;
      each_piece(0.0, arc.angle, [&](double phi, double phi_weight) {
        const Double3 b = up + cosine * arc.outward(phi);
        const double factor = sign * cosine * determinant(d, b, arc.tangent(phi)) * phi_weight;
        each_piece(0.0, 1.0, [&](double t, double t_weight) {
          const Double3 y = (1.0 - t) * d + t * b;
          const double length = y.norm();
          add(patch, (1.0 / length) * y, factor * t * t_weight / (length * length * length));
        });
      });
    }
  }

  void add_ball(StpSurface::Patch patch) {
    each_piece(0.0, 2.0 * std::numbers::pi, [&](double phi, double phi_weight) {
      each_piece(-1.0, 1.0, [&](double z, double z_weight) {
        const double c = std::sqrt(1.0 - z * z);
        add(patch, {c * std::cos(phi), c * std::sin(phi), z}, phi_weight * z_weight);
      });
    });
  }

  Double3 corner(const StpSurface::Face& face, int k) const { return surface_.vertices()[face.vertices[k]].point; }

  void add_face(std::int32_t index) {
    const StpSurface::Face& face = surface_.faces()[index];
    const Double3 center = face.center;
    std::array<Double3, 3> d{};
    for (int k = 0; k < 3; ++k) {
      d[k] = corner(face, k) - center;
      d[k] = (1.0 / d[k].norm()) * d[k];
    }
    // of this triangle: no corner is opposite to it, which may be with the
    // normal of a sphere that it shares
    const Double3 across = cross(corner(face, 1) - corner(face, 0), corner(face, 2) - corner(face, 0));
    const Double3 normal = (1.0 / across.norm()) * across;
    if (2.0 * face.height > surface_.alpha()) {
      add_cone(index, d[0], d[1], d[2]);
    } else {
      // signed cones from the normal: right for any triangle, and not thin
      // where the centre is near its plane
      for (int k = 0; k < 3; ++k) add_cone(index, normal, d[k], d[(k + 1) % 3]);
    }
  }

  /// Directions in the cone of three unit vectors, negative where they turn the
  /// other way.
  void add_cone(std::int32_t index, Double3 a, Double3 b, Double3 c) {
    const double ab = (b - a).norm(), bc = (c - b).norm(), ca = (a - c).norm();
    const double size = std::max({ab, bc, ca});
    if (size > kPiece) {
      if (ab == size) return halve(index, c, a, b);
      if (bc == size) return halve(index, a, b, c);
      return halve(index, b, c, a);
    }
    const double six_volumes = determinant(a, b - a, c - a);
    for (const Node& u : nodes(size)) {
      for (const Node& v : nodes(size)) {
        const Double3 y = a + u.place * ((b - a) + v.place * (c - b));
        const double length = y.norm();
        const double weight = u.weight * v.weight * u.place * six_volumes / (length * length * length);
        add({StpSurface::Kind::face, index}, (1.0 / length) * y, weight);
      }
    }
  }

  void halve(std::int32_t index, Double3 apex, Double3 from, Double3 to) {
    const Double3 sum = from + to;
    const double length = sum.norm();
    if (length < 1e-6) return;  // opposite to each other: no triangle
    const Double3 middle = (1.0 / length) * sum;
    add_cone(index, apex, from, middle);
    add_cone(index, apex, middle, to);
  }

  const StpSurface& surface_;
  double radius_;
  Double3 reference_;
  Moments sum_;
};

}  // namespace

Moments stp_moments(const StpSurface& surface, double radius, const Vector3& reference) {
  return Integral(surface, radius, reference).total();
}

}  // namespace tactum
