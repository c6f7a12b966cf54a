// SPDX-License-Identifier: BSD-2-Clause
// Modes and their equations, for all models.
//
// Breaking   f = 0.
// Sticking   s = 0.
// Sliding    The equations differ, with u = s_T / |s_T|.
//            In the ncp they are f_T + mu f_N u = 0 and s_N = 0.
//            In the ccp they are f_T + mu f_N u = 0 and s_N = mu |s_T|.
//            In the lcp they are d_k . f_T = mu f_N and t_k . s_T = 0 on side k of the polygon, or
//            f_T = mu f_N v on its corner v, and s_N = 0.
//            In raisim they are |f_T| = mu f_N, s_T parallel to w = f_T + mu^2 f_N G_TN / G_NN, and
//            s_N = 0. Where mu = 0, they are f_T = 0 and s_N = 0.
// One row    s = 0, or the force is at its bound.
#include "solver/problem/contact_modes.hpp"

namespace tactum {
namespace {

double positive_or_one(double value) { return value > 0 ? value : 1.0; }

BlockMode row_mode(const ContactBlock& block, double diagonal, double f, double s) {
  const double reach = s / positive_or_one(diagonal), y = f - reach,
               scale = std::abs(f) + std::abs(reach);
  const auto share = [&](double slack) { return scale > 0 ? std::min(1.0, slack / scale) : 0.0; };
  switch (block.kind) {
    case ContactKind::bilateral: return {ContactMode::sticking, 1.0};
    case ContactKind::box: {
      if (block.lower == block.upper) return {ContactMode::sliding, 1.0};
      if (y <= block.lower) return {ContactMode::sliding, share(block.lower - y)};
      if (y >= block.upper) return {ContactMode::sliding, share(y - block.upper)};
      return {ContactMode::sticking,
              scale > 0 ? share(std::min(y - block.lower, block.upper - y)) : 1.0};
    }
    default:
      return y > 0 ? BlockMode{ContactMode::sticking, share(y)}
                   : BlockMode{ContactMode::breaking, share(-y)};
  }
}

BlockMode ccp_mode(double mu, double diagonal, Double3 f, Double3 s) {
  const double inverse = 1 / positive_or_one(diagonal);
  const Double3 x = f - inverse * s;
  const double scale = (f.norm() + inverse * s.norm()) * std::sqrt(1 + mu * mu),
               tangent = tangent_norm(x);
  const auto share = [&](double slack) { return scale > 0 ? slack / scale : 0.0; };
  const double inside = mu * x.z - tangent, below = -x.z - mu * tangent;
  if (below >= 0) return {ContactMode::breaking, share(below)};
  if (mu == 0) return {ContactMode::sliding, share(x.z)};
  if (inside >= 0) return {ContactMode::sticking, share(inside)};
  return {ContactMode::sliding, share(std::min(-inside, -below))};
}

BlockMode split_mode(const ResidualRule& rule, const BlockMatrix& diagonal, double mu, Double3 f,
                     Double3 s) {
  const double normal_inverse = 1 / positive_or_one(diagonal[8]),
               tangent_inverse = 1 / positive_or_one(0.5 * (diagonal[0] + diagonal[4]));
  const double normal = f.z - normal_inverse * s.z;
  const Double2 tangent{f.x - tangent_inverse * s.x, f.y - tangent_inverse * s.y};
  const double scale = f.norm() + tangent_inverse * tangent_norm(s) +
                       normal_inverse * std::abs(s.z);
  const auto share = [&](double slack) { return scale > 0 ? slack / scale : 0.0; };
  if (normal <= 0) return {ContactMode::breaking, share(-normal)};
  if (mu == 0) {
    // the corner is the one that a little friction would pull to
    const Double2 outward = rule.polygon.place({-s.x, -s.y}, 0.0).outward;
    return {ContactMode::sliding, share(normal), true, outward};
  }
  const double radius = mu * normal;
  if (rule.model == ContactModel::lcp) {
    const Polygon::Place place = rule.polygon.place(tangent, radius);
    const ContactMode mode = place.state == Polygon::Place::inside ? ContactMode::sticking
                                                                   : ContactMode::sliding;
    return {mode, share(std::min(normal, place.slack)), place.state == Polygon::Place::vertex,
            place.outward};
  }
  const double outside = tangent.norm() - radius;
  if (outside <= 0) return {ContactMode::sticking, share(std::min(normal, -outside))};
  return {ContactMode::sliding, share(std::min(normal, outside))};
}

using Row = Eigen::RowVector3d;

void set_row(BlockEquations& e, int row, const Row& by_force, const Row& by_velocity, double by_mu,
             double value) {
  e.by_force.row(row) = by_force;
  e.by_velocity.row(row) = by_velocity;
  e.by_mu[row] = by_mu;
  e.value[row] = value;
}

/// Sets the rows f_T + mu f_N u = 0.
void set_dissipation_rows(BlockEquations& e, double mu, Double3 f, Double3 s) {
  const double speed = tangent_norm(s);
  if (!(speed > 0)) {
    set_row(e, 0, Row(1, 0, 0), Row::Zero(), 0, f.x);
    set_row(e, 1, Row(0, 1, 0), Row::Zero(), 0, f.y);
    return;
  }
  const double ux = s.x / speed, uy = s.y / speed, bend = mu * f.z / speed;
  set_row(e, 0, Row(1, 0, mu * ux), bend * Row(1 - ux * ux, -ux * uy, 0), f.z * ux,
          f.x + mu * f.z * ux);
  set_row(e, 1, Row(0, 1, mu * uy), bend * Row(-ux * uy, 1 - uy * uy, 0), f.z * uy,
          f.y + mu * f.z * uy);
}

void set_polygon_rows(BlockEquations& e, double mu, const BlockMode& mode, Double3 f, Double3 s) {
  const auto [dx, dy] = mode.outward;
  if (mode.on_corner) {
    set_row(e, 0, Row(1, 0, -mu * dx), Row::Zero(), -f.z * dx, f.x - mu * f.z * dx);
    set_row(e, 1, Row(0, 1, -mu * dy), Row::Zero(), -f.z * dy, f.y - mu * f.z * dy);
    return;
  }
  set_row(e, 0, Row(dx, dy, -mu), Row::Zero(), -f.z, dx * f.x + dy * f.y - mu * f.z);
  set_row(e, 1, Row::Zero(), Row(-dy, dx, 0), 0, dx * s.y - dy * s.x);
}

void set_raisim_rows(BlockEquations& e, const BlockMatrix& G, double mu, Double3 f, Double3 s) {
  const Double2 w = raisim_direction(G, mu, f);
  const double length = w.norm(), radius = tangent_norm(f), speed = tangent_norm(s);
  if (!(length > 0 && radius > 0)) return set_dissipation_rows(e, mu, f, s);
  const double tx = -w.y / length, ty = w.x / length;  // across w
  const double cx = G[8] > 0 ? G[2] / G[8] : 0.0, cy = G[8] > 0 ? G[5] / G[8] : 0.0,
               bend = speed / length;
  const double coupling = tx * cx + ty * cy;
  set_row(e, 0, Row(f.x / radius, f.y / radius, -mu), Row::Zero(), -f.z, radius - mu * f.z);
  set_row(e, 1, bend * Row(tx, ty, mu * mu * coupling), Row(tx, ty, 0),
          bend * 2 * mu * f.z * coupling, tx * s.x + ty * s.y);
  e.by_coupling = bend * mu * mu * f.z * Eigen::Vector2d(tx, ty);
}

}  // namespace

BlockMode block_mode(const ResidualRule& rule, const ContactBlock& block,
                     const BlockMatrix& diagonal, Double3 f, Double3 s) {
  if (block.kind != ContactKind::friction) return row_mode(block, diagonal[0], f.x, s.x);
  if (rule.model == ContactModel::ccp)
    return ccp_mode(block.mu, block_scale(diagonal, block), f, s);
  return split_mode(rule, diagonal, block.mu, f, s);
}

BlockEquations block_equations(const ResidualRule& rule, const ContactBlock& block,
                               const BlockMatrix& diagonal, const BlockMode& mode, Double3 f,
                               Double3 s) {
  BlockEquations e;
  if (block.kind != ContactKind::friction) {
    const bool free = mode.mode == ContactMode::sticking;  // s = 0; otherwise the force is given
    e.by_force(0, 0) = free ? 0 : 1;
    e.by_velocity(0, 0) = free ? 1 : 0;
    const double y = f.x - s.x / positive_or_one(diagonal[0]);
    e.value[0] = free ? s.x : f.x - project_row(block, y);
    return e;
  }
  if (mode.mode == ContactMode::breaking) {
    e.by_force.setIdentity();
    e.value = to_vector3(f);
    return e;
  }
  if (mode.mode == ContactMode::sticking) {
    e.by_velocity.setIdentity();
    e.value = to_vector3(s);
    return e;
  }
  const double mu = block.mu;
  if (rule.model == ContactModel::lcp)
    set_polygon_rows(e, mu, mode, f, s);
  else if (mu > 0 && rule.model == ContactModel::raisim)
    set_raisim_rows(e, diagonal, mu, f, s);
  else
    set_dissipation_rows(e, mu, f, s);
  const double speed = tangent_norm(s);
  if (rule.model == ContactModel::ccp && speed > 0)
    set_row(e, 2, Row::Zero(), Row(-mu * s.x / speed, -mu * s.y / speed, 1), -speed,
            s.z - mu * speed);
  else
    set_row(e, 2, Row::Zero(), Row(0, 0, 1), 0, s.z);
  return e;
}

}  // namespace tactum
