// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/pairs/box_box.hpp"

#include <algorithm>
#include <cmath>

#include "math/double3.hpp"
#include "math/epsilon.hpp"
#include "narrow/formula/box_facets.hpp"
#include "narrow/pair/tolerance.hpp"

namespace tactum {
namespace {

constexpr double kSlack = 4.0 * kEpsilon;  ///< of the scale: loss of separation at which an edge
                                           ///< still counts as parallel to the plane of contact
constexpr int kMaxRounds = 8;              ///< rounds of the search along parallel features

double dot(const double* u, const double* v) { return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]; }
constexpr int next(int i) { return i == 2 ? 0 : i + 1; }

void cross(const double* u, const double* v, double* w) {
  w[0] = u[1] * v[2] - u[2] * v[1];
  w[1] = u[2] * v[0] - u[0] * v[2];
  w[2] = u[0] * v[1] - u[1] * v[0];
}

/// Computes the point of B with coordinates y, in the frame of A.
void place(const BoxPair& boxes, const double* y, double* p) {
  const double* R = boxes.rotation;
  for (int m = 0; m < 3; ++m) p[m] = boxes.t[m] + (R[m] * y[0] + R[3 + m] * y[1] + R[6 + m] * y[2]);
}

// -------------------------------------------------------------------------------------------------
// proof

/// Coordinates of the two points, each in its own box.
struct Contact {
  double x[3];
  double y[3];
};

/// Accepts the unit normal n with its separation, if the points agree with it.
bool accept(const BoxPair& boxes, const double* x, const double* p, const double* n, double lower,
            CoreDistance& answer) {
  double squared = 0.0;
  SeparationOptimum& optimum = answer.optimum;
  for (int m = 0; m < 3; ++m) {
    const double error = p[m] - x[m] - lower * n[m];
    squared += error * error;
    optimum.normal[m] = n[m];
    optimum.point_a[m] = x[m];
    optimum.point_b[m] = p[m];
  }
  const double residual = std::sqrt(squared);
  optimum.lower = lower;
  optimum.residual = residual;
  answer.upper = lower + residual;
  return residual <= kRounding * boxes.scale;
}

/// Like accept(), for a direction q of any length, whose separation is evaluated here.
bool accept_direction(const BoxPair& boxes, const double* x, const double* p, const double* q,
                      CoreDistance& answer) {
  const double squared = dot(q, q);
  if (!(squared > 0.0)) return false;
  const double inverse = 1.0 / std::sqrt(squared);
  const double *a = boxes.a, *b = boxes.b;
  const double reach_a = a[0] * std::abs(q[0]) + a[1] * std::abs(q[1]) + a[2] * std::abs(q[2]);
  const double reach_b = b[0] * std::abs(dot(q, boxes.axis(0))) +
                         b[1] * std::abs(dot(q, boxes.axis(1))) +
                         b[2] * std::abs(dot(q, boxes.axis(2)));
  const double lower = (dot(q, boxes.t) - reach_a - reach_b) * inverse;
  const double n[3] = {q[0] * inverse, q[1] * inverse, q[2] * inverse};
  return accept(boxes, x, p, n, lower, answer);
}

// -------------------------------------------------------------------------------------------------
// facets
//
// One instance of a template for each facet, so that every coordinate has its own register.

/// Coordinate of the support point of a box for a component m of the direction; zero, the middle,
/// where the edge is parallel to the plane.
double extreme(const BoxPair& boxes, double m, double half_extent) {
  return std::abs(m) * half_extent > kSlack * boxes.scale ? std::copysign(half_extent, m) : 0.0;
}

/// Solves for face i of A: the deepest vertex of B, and the point of the face below it.
template <int i>
bool solve_face_of_a(const BoxPair& boxes, Contact& found, CoreDistance& answer) {
  constexpr int u = next(i), v = next(u);
  const double *a = boxes.a, *b = boxes.b, *R = boxes.rotation, *t = boxes.t;
  const double side = std::copysign(1.0, t[i]);
  Contact contact;
  double p[3];
  for (int j = 0; j < 3; ++j) contact.y[j] = -side * extreme(boxes, R[3 * j + i], b[j]);
  place(boxes, contact.y, p);
  contact.x[i] = side * a[i];
  contact.x[u] = clamped(p[u], a[u]);
  contact.x[v] = clamped(p[v], a[v]);
  bool proved = false;
  if (contact.x[u] == p[u] && contact.x[v] == p[v]) {
    const double reach_b = b[0] * std::abs(R[i]) + b[1] * std::abs(R[3 + i]) +
                           b[2] * std::abs(R[6 + i]);
    double n[3] = {0.0, 0.0, 0.0};
    n[i] = side;
    proved = accept(boxes, contact.x, p, n, std::abs(t[i]) - a[i] - reach_b, answer);
  } else {
    // beside the face there is an edge or a vertex of A, which counts only when the boxes are apart
    const double q[3] = {p[0] - contact.x[0], p[1] - contact.x[1], p[2] - contact.x[2]};
    proved = side * q[i] > 0.0 && accept_direction(boxes, contact.x, p, q, answer);
  }
  if (!proved) found = contact;
  return proved;
}

/// Solves for face j of B: the deepest vertex of A, and the point of the face below it.
template <int j>
bool solve_face_of_b(const BoxPair& boxes, Contact& found, CoreDistance& answer) {
  constexpr int k = next(j), l = next(k);
  const double *a = boxes.a, *b = boxes.b, *R = boxes.rotation, *t = boxes.t;
  double n[3], z[3];
  cross(boxes.axis(k), boxes.axis(l), n);
  const double side = std::copysign(1.0, dot(n, t));
  Contact contact;
  for (int i = 0; i < 3; ++i) contact.x[i] = side * extreme(boxes, n[i], a[i]);
  const double from_b[3] = {contact.x[0] - t[0], contact.x[1] - t[1], contact.x[2] - t[2]};
  for (int m = 0; m < 3; ++m) z[m] = dot(boxes.axis(m), from_b);
  contact.y[j] = -side * b[j];
  contact.y[k] = clamped(z[k], b[k]);
  contact.y[l] = clamped(z[l], b[l]);
  double p[3];
  place(boxes, contact.y, p);
  bool proved = false;
  if (contact.y[k] == z[k] && contact.y[l] == z[l]) {
    // the length is one to within the accuracy of the rotation, so one Newton step is exact
    const double inverse = side * (1.5 - 0.5 * dot(n, n));
    for (int i = 0; i < 3; ++i) n[i] *= inverse;
    const double reach_a = a[0] * std::abs(n[0]) + a[1] * std::abs(n[1]) + a[2] * std::abs(n[2]);
    proved = accept(boxes, contact.x, p, n,
                    dot(n, t) - reach_a - b[j] * std::abs(dot(n, boxes.axis(j))), answer);
  } else {
    // the free coordinates vanish in the frame of B, so the direction is orthogonal to those edges
    const double excess[3] = {contact.y[0] - z[0], contact.y[1] - z[1], contact.y[2] - z[2]};
    double q[3];
    for (int m = 0; m < 3; ++m)
      q[m] = R[m] * excess[0] + R[3 + m] * excess[1] + R[6 + m] * excess[2];
    proved = side * excess[j] > 0.0 && accept_direction(boxes, contact.x, p, q, answer);
  }
  if (!proved) found = contact;
  return proved;
}

/// Solves for edge i of A and edge j of B: the nearest points of two segments.
template <int i, int j>
bool solve_edges(const BoxPair& boxes, Contact& found, CoreDistance& answer) {
  constexpr int u = next(i), v = next(u), k = next(j), l = next(k);
  const double *a = boxes.a, *b = boxes.b, *t = boxes.t;
  const double *Rj = boxes.axis(j), *Rk = boxes.axis(k), *Rl = boxes.axis(l);
  const double side = std::copysign(1.0, Rj[u] * t[v] - Rj[v] * t[u]);
  const double nu = -side * Rj[v], nv = side * Rj[u], squared = nu * nu + nv * nv;
  const double along_k = nu * Rk[u] + nv * Rk[v], along_l = nu * Rl[u] + nv * Rl[v];
  Contact contact;
  contact.x[u] = extreme(boxes, nu, a[u]);
  contact.x[v] = extreme(boxes, nv, a[v]);
  contact.y[k] = -extreme(boxes, along_k, b[k]);
  contact.y[l] = -extreme(boxes, along_l, b[l]);
  // from the middle of one edge to the middle of the other
  const double wi = t[i] + (Rk[i] * contact.y[k] + Rl[i] * contact.y[l]);
  const double wu = t[u] - contact.x[u] + (Rk[u] * contact.y[k] + Rl[u] * contact.y[l]);
  const double wv = t[v] - contact.x[v] + (Rk[v] * contact.y[k] + Rl[v] * contact.y[l]);
  // (R_j)_u and (R_j)_v are the part of R_j orthogonal to edge i, without cancellation however
  // parallel the edges are
  const double across = wu * Rj[u] + wv * Rj[v], cosine = Rj[i];
  contact.x[i] = clamped(wi + clamped(-across / squared, b[j]) * cosine, a[i]);
  contact.y[j] = clamped((contact.x[i] - wi) * cosine - across, b[j]);
  const bool free_a = std::abs(contact.x[i]) < a[i], free_b = std::abs(contact.y[j]) < b[j];
  double p[3], q[3];
  place(boxes, contact.y, p);
  bool proved = false;
  if (free_a && free_b) {
    const double inverse = 1.0 / std::sqrt(squared);
    q[i] = 0.0;
    q[u] = nu * inverse;
    q[v] = nv * inverse;
    const double reach_a = a[u] * std::abs(nu) + a[v] * std::abs(nv);
    const double reach_b = b[k] * std::abs(along_k) + b[l] * std::abs(along_l);
    proved = accept(boxes, contact.x, p, q, (nu * t[u] + nv * t[v] - reach_a - reach_b) * inverse,
                    answer);
  } else if (nu * wu + nv * wv > 0.0) {
    q[i] = free_a ? 0.0 : wi + contact.y[j] * cosine - contact.x[i];
    q[u] = wu + contact.y[j] * Rj[u];
    q[v] = wv + contact.y[j] * Rj[v];
    const double rest = free_b ? dot(q, Rj) : 0.0;
    for (int m = 0; m < 3; ++m) q[m] -= rest * Rj[m];
    proved = accept_direction(boxes, contact.x, p, q, answer);
  }
  if (!proved) found = contact;
  return proved;
}

using FacetSolver = bool(const BoxPair&, Contact&, CoreDistance&);

constexpr FacetSolver* kFacetSolvers[15] = {
    solve_face_of_a<0>, solve_face_of_a<1>, solve_face_of_a<2>, solve_face_of_b<0>,
    solve_face_of_b<1>, solve_face_of_b<2>, solve_edges<0, 0>,  solve_edges<1, 0>,
    solve_edges<2, 0>,  solve_edges<0, 1>,  solve_edges<1, 1>,  solve_edges<2, 1>,
    solve_edges<0, 2>,  solve_edges<1, 2>,  solve_edges<2, 2>};

// -------------------------------------------------------------------------------------------------
// parallel features

/// Unit normal of a facet, from A to B.
void facet_normal(const BoxPair& boxes, int facet, double* n) {
  if (facet < 6) {
    const int k = next(facet % 3);
    n[0] = n[1] = n[2] = 0.0;
    if (facet < 3) n[facet] = 1.0;
    if (facet >= 3) cross(boxes.axis(k), boxes.axis(next(k)), n);
  } else {
    const int i = (facet - 6) % 3, u = next(i), v = next(u);
    const double* Rj = boxes.axis((facet - 6) / 3);
    n[i] = 0.0;
    n[u] = -Rj[v];
    n[v] = Rj[u];
  }
  const double scaling = std::copysign(1.0, dot(n, boxes.t)) / std::sqrt(dot(n, n));
  for (int m = 0; m < 3; ++m) n[m] *= scaling;
}

/// Separation along a unit vector from A to B.
double separation(const BoxPair& boxes, const double* n) {
  const double *a = boxes.a, *b = boxes.b;
  return dot(n, boxes.t) - (a[0] * std::abs(n[0]) + a[1] * std::abs(n[1]) + a[2] * std::abs(n[2])) -
         (b[0] * std::abs(dot(n, boxes.axis(0))) + b[1] * std::abs(dot(n, boxes.axis(1))) +
          b[2] * std::abs(dot(n, boxes.axis(2))));
}

/// Finds the points that touch along the normal of a facet with more than two edges: B is moved
/// into contact, and each box in turn takes the point nearest to that of the other. Aligned boxes
/// need one round.
bool solve_contact(const BoxPair& boxes, const double* n, double lower, Contact contact,
                   CoreDistance& answer) {
  const double moved[3] = {boxes.t[0] - lower * n[0], boxes.t[1] - lower * n[1],
                           boxes.t[2] - lower * n[2]};
  const BoxPair moved_boxes{boxes.a, boxes.b, boxes.rotation, moved, boxes.scale};
  for (int round = 0; round < kMaxRounds; ++round) {
    double p[3], p_moved[3];
    place(boxes, contact.y, p);
    place(moved_boxes, contact.y, p_moved);
    for (int i = 0; i < 3; ++i) contact.x[i] = clamped(p_moved[i], boxes.a[i]);
    if (accept(boxes, contact.x, p, n, lower, answer)) return true;
    const double from_b[3] = {contact.x[0] - moved[0], contact.x[1] - moved[1],
                              contact.x[2] - moved[2]};
    for (int j = 0; j < 3; ++j) contact.y[j] = clamped(dot(boxes.axis(j), from_b), boxes.b[j]);
  }
  return false;
}

/// Solves boxes that are apart and whose nearest points are not on the facet, or whose nearest
/// features are parallel. Newton minimizes half the squared distance of y from A within the bounds
/// of B; a component of A counts only where p is outside, and the Hessian is taken as diagonal.
bool solve_apart(const BoxPair& boxes, Contact contact, CoreDistance& answer) {
  for (int round = 0; round < kMaxRounds; ++round) {
    double p[3], q[3], gap[3];
    place(boxes, contact.y, p);
    for (int i = 0; i < 3; ++i) {
      contact.x[i] = clamped(p[i], boxes.a[i]);
      q[i] = gap[i] = p[i] - contact.x[i];
    }
    for (int j = 0; j < 3; ++j) {
      const double* Rj = boxes.axis(j);
      const double rest = std::abs(contact.y[j]) < boxes.b[j] ? dot(q, Rj) : 0.0;
      for (int i = 0; i < 3; ++i) q[i] -= rest * Rj[i];
    }
    if (accept_direction(boxes, contact.x, p, q, answer)) return true;
    for (int j = 0; j < 3; ++j) {
      const double* Rj = boxes.axis(j);
      double curvature = 0.0;
      for (int i = 0; i < 3; ++i) curvature += gap[i] != 0.0 ? Rj[i] * Rj[i] : 0.0;
      contact.y[j] = clamped(contact.y[j] - dot(gap, Rj) / std::max(curvature, kEpsilon),
                             boxes.b[j]);
    }
  }
  return false;
}

/// Solves the cases that the features of one facet do not decide.
bool solve_degenerate(const BoxPair& boxes, int facet, const Contact& start, CoreDistance& answer) {
  double n[3];
  facet_normal(boxes, facet, n);
  const double lower = separation(boxes, n);
  return solve_contact(boxes, n, lower, start, answer) ||
         (lower > 0.0 && solve_apart(boxes, start, answer));
}

}  // namespace

bool solve_boxes(const BoxPair& boxes, CoreDistance& answer) {
  static BestBoxFacet* const best_facet = best_box_facet(simd_level());
  const int facet = best_facet(boxes.a, boxes.b, boxes.rotation, boxes.t);
  Contact contact;
  return kFacetSolvers[facet](boxes, contact, answer) ||
         solve_degenerate(boxes, facet, contact, answer);
}

bool solve_boxes(CorePair& pair, CoreDistance& answer) {
  ++pair.support_calls;
  return solve_boxes({pair.a().size.data(), pair.b().size.data(), pair.X_AB().rotation.data(),
                      pair.X_AB().translation.data(), pair.scale()},
                     answer);
}

}  // namespace tactum
