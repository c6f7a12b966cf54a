// SPDX-License-Identifier: BSD-2-Clause
// Moments of polytopes with a ball swept around them.
//
// Computes   the body of points within r of the polytope, split by their nearest point: the
//            polytope itself, a prism on each face, a wedge of a cylinder at each edge, a sector of
//            a ball at each vertex (Steiner's decomposition). A polygon is a solid with two faces
//            back to back.
// Edge       between faces with normals n and n', direction e along the first face's boundary, b =
//            e x n: the wedge holds the directions u(t) = n cos t + b sin t for 0 <= t <= theta =
//            atan2(b.n', n.n'). Let w = int u dt.
// Vertex     the sector holds the normal cone, a spherical polygon Q bounded by the arcs of the
//            edges. Its area is the angle defect, 2 pi - sum of face angles. Coordinates and their
//            products (less the trace) are eigenfunctions of the Laplacian on the sphere, with -2
//            and -6, and the conormal of an arc is the constant -m (m: unit axis of its rotation),
//            so by Green
//              int_Q u = 1/2 sum theta m,     int_Q u u^T = area / 3 I + 1/6 sum (m w^T + w m^T),
//            with m = e at the far end of an edge and -e at its near end.
#include "shape/mass/rounded_polytope_moments.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <vector>

#include "math/constants.hpp"
#include "shape/hull/convex_polytope.hpp"

namespace tactum {
namespace {

/// The symmetric matrix a b^T + b a^T.
Matrix3 symmetric_product(const Vector3& a, const Vector3& b) {
  const Matrix3 ab = a * b.transpose();
  return ab + ab.transpose();
}

/// Adds the tetrahedron of the origin and the triangle a, b, c, with its sign.
Moments tetrahedron(const Vector3& a, const Vector3& b, const Vector3& c) {
  const Vector3 s = a + b + c;
  const double volume = a.dot(b.cross(c)) / 6.0;
  const Matrix3 squares = a * a.transpose() + b * b.transpose() + c * c.transpose() +
                          s * s.transpose();
  return {volume, volume / 4.0 * s, volume / 20.0 * squares};
}

/// Adds the prism of height r on the triangle a, b, c along the unit normal n.
Moments prism(const Vector3& a, const Vector3& b, const Vector3& c, const Vector3& n, double r) {
  const Vector3 s = a + b + c;
  const double area = 0.5 * (b - a).cross(c - a).norm();
  const Matrix3 squares = a * a.transpose() + b * b.transpose() + c * c.transpose() +
                          s * s.transpose();
  Moments moments;
  moments.volume = area * r;
  moments.first = area * r * (s / 3.0 + 0.5 * r * n);
  moments.second = area * r *
                   (squares / 12.0 + r * symmetric_product(s / 3.0, n) / 2.0 +
                    r * r / 3.0 * n * n.transpose());
  return moments;
}

/// The arc of normals at an edge.
struct Arc {
  Vector3 n, b;  // first normal, and the direction it turns to
  double angle;
  Vector3 w;  // integral of the normals along it

  Arc(const Vector3& normal, const Vector3& bending, double arc_angle)
      : n(normal), b(bending), angle(arc_angle) {
    w = n * std::sin(angle) + b * (2.0 * std::pow(std::sin(0.5 * angle), 2));
  }
  Matrix3 squares() const {
    const double half = 0.5 * angle;
    const double quarter = 0.25 * std::sin(2.0 * angle);
    const double mixed = 0.5 * std::pow(std::sin(angle), 2);
    return (half + quarter) * n * n.transpose() + (half - quarter) * b * b.transpose() +
           mixed * symmetric_product(n, b);
  }
};

/// Adds the wedge of radius r around the edge from p to q (unit direction e).
Moments wedge(const Vector3& p, const Vector3& q, const Vector3& e, const Arc& arc, double r) {
  const double length = (q - p).norm();
  const Vector3 middle = 0.5 * (p + q);
  const double area = 0.5 * r * r * arc.angle;
  const double r3 = r * r * r / 3.0;
  Moments moments;
  moments.volume = length * area;
  moments.first = length * (area * middle + r3 * arc.w);
  moments.second = length *
                   (area *
                        (middle * middle.transpose() + length * length / 12.0 * e * e.transpose()) +
                    r3 * symmetric_product(middle, arc.w) + 0.25 * r * r * r * r * arc.squares());
  return moments;
}

/// Integrals over the normal cone of a vertex, gathered from faces and edges.
struct NormalCone {
  double area = 2.0 * kPi;
  Vector3 first = Vector3::Zero();
  Matrix3 traceless = Matrix3::Zero();
};

/// Adds the sector of radius r of the ball around p.
Moments sector(const Vector3& p, const NormalCone& cone, double r) {
  const double r3 = std::pow(r, 3) / 3.0;
  const double r4 = std::pow(r, 4) / 4.0;
  const double r5 = std::pow(r, 5) / 5.0;
  Moments moments;
  moments.volume = r3 * cone.area;
  moments.first = moments.volume * p + r4 * cone.first;
  moments.second = moments.volume * p * p.transpose() + r4 * symmetric_product(p, cone.first) +
                   r5 * (cone.area / 3.0 * Matrix3::Identity() + cone.traceless);
  return moments;
}

/// Signed angle from n towards b at which `other` lies.
double signed_angle(const Vector3& other, const Vector3& n, const Vector3& b) {
  return std::atan2(b.dot(other), n.dot(other));
}

double angle_between(const Vector3& a, const Vector3& b) {
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

}  // namespace

Moments rounded_polytope_moments(const ConvexPolytope& polytope, double margin) {
  const bool flat = polytope.dimension() == 2;
  const auto at = [&](std::int32_t i) { return Vector3(polytope.vertex(i) - polytope.centroid()); };
  Moments sum;
  if (!flat) {
    for (const auto& face : polytope.faces())
      sum += tetrahedron(at(face.vertices[0]), at(face.vertices[1]), at(face.vertices[2]));
  }
  if (margin == 0.0) return sum;

  std::vector<NormalCone> cones(static_cast<std::size_t>(polytope.num_vertices()));
  for (std::size_t f = 0; f < polytope.faces().size(); ++f) {
    const auto& v = polytope.faces()[f].vertices;
    const Vector3& n = polytope.planes()[f].normal;
    sum += prism(at(v[0]), at(v[1]), at(v[2]), n, margin);
    if (flat) sum += prism(at(v[0]), at(v[1]), at(v[2]), -n, margin);
    for (int k = 0; k < 3; ++k) {
      const double angle = angle_between(at(v[(k + 1) % 3]) - at(v[k]),
                                         at(v[(k + 2) % 3]) - at(v[k]));
      cones[v[k]].area -= flat ? 2.0 * angle : angle;
    }
  }
  for (const auto& edge : polytope.edges()) {
    // from the near to the far end along the boundary of the face that the arc starts at
    const bool forward = edge.faces[0] >= 0;
    const std::int32_t near = edge.vertices[forward ? 0 : 1];
    const std::int32_t far = edge.vertices[forward ? 1 : 0];
    const Vector3& n = polytope.planes()[edge.faces[forward ? 0 : 1]].normal;
    const Vector3 e = (at(far) - at(near)).normalized();
    const Vector3 b = e.cross(n);
    const Arc arc(n, b, flat ? kPi : signed_angle(polytope.planes()[edge.faces[1]].normal, n, b));
    sum += wedge(at(near), at(far), e, arc, margin);
    const Matrix3 traceless = symmetric_product(e, arc.w) / 6.0;
    cones[far].first += 0.5 * arc.angle * e;
    cones[near].first -= 0.5 * arc.angle * e;
    cones[far].traceless += traceless;
    cones[near].traceless -= traceless;
  }
  for (std::int32_t i = 0; i < polytope.num_vertices(); ++i) sum += sector(at(i), cones[i], margin);
  return sum;
}

Moments rounded_box_moments(const Vector3& half_extents, double margin) {
  const double r = margin;
  const double ball = 4.0 / 3.0 * kPi * r * r * r;
  const double disc = kPi * r * r;
  Moments moments;
  moments.volume = 8.0 * half_extents.prod() + ball;
  for (int i = 0; i < 3; ++i) {
    const double a = half_extents[i];
    const double b = half_extents[(i + 1) % 3];
    const double c = half_extents[(i + 2) % 3];
    moments.volume += 8.0 * b * c * r + 2.0 * a * disc;
    // core, the two slabs across i, the four slabs along i, cylinders across i and along i, octants
    // of a ball pushed out by a
    double& second = moments.second(i, i);
    second = 8.0 / 3.0 * a * a * a * b * c;
    second += 8.0 * b * c * r * (a * a + a * r + r * r / 3.0);
    second += 8.0 / 3.0 * a * a * a * r * (b + c);
    second += 2.0 * (b + c) * (disc * a * a + 8.0 / 3.0 * a * r * r * r + disc * r * r / 4.0);
    second += 2.0 / 3.0 * a * a * a * disc;
    second += ball * (a * a + r * r / 5.0) + kPi * a * std::pow(r, 4);
  }
  return moments;
}

}  // namespace tactum
