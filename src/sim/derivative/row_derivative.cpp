// SPDX-License-Identifier: BSD-2-Clause
#include "sim/derivative/row_derivative.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "contact/contact_frame.hpp"
#include "narrow/derivative/gumbel_estimator.hpp"
#include "sim/step/row_blocks.hpp"

namespace tactum::sim {
namespace {

using Velocity = BodyMotion::Velocity;

/// Changes of a contact by the twists of both bodies at its point.
struct ContactMotion {
  Matrix3x12 point, rotation;
  RowVector12 distance;
  bool smooth = true;
};

/// Turns columns by motions of the frames of two geometries into columns by twists at a point.
template <class Jacobian>
void move_pivot(const Vector3& from_a, const Vector3& from_b, Jacobian& jacobian) {
  jacobian.template middleCols<3>(3) -= jacobian.template middleCols<3>(0) * cross_matrix(from_a);
  jacobian.template middleCols<3>(9) -= jacobian.template middleCols<3>(6) * cross_matrix(from_b);
}

/// The contacts of one pair of geometries, from the derivative of their patch.
void append_pair(const StepTape& tape, std::size_t first, const ContactPatchDerivative& patch,
                 std::vector<ContactMotion>& out) {
  const FoundContact& contact = tape.contacts[first];
  const Vector3
      origin_a = tape.geometry_poses[static_cast<std::size_t>(contact.geometry_a)].translation,
      origin_b = tape.geometry_poses[static_cast<std::size_t>(contact.geometry_b)].translation;
  const Matrix3 turn = contact_frame_rotation(contact.frame.col(2));
  for (std::size_t i = 0; i < static_cast<std::size_t>(patch.value.count); ++i) {
    const Vector3& point = tape.contacts[first + i].point;
    ContactMotion motion{0.5 * (patch.points_a_jacobian[i] + patch.points_b_jacobian[i]),
                         turn * patch.normal_jacobian, patch.distances_jacobian[i], patch.smooth};
    move_pivot(origin_a - point, origin_b - point, motion.point);
    move_pivot(origin_a - point, origin_b - point, motion.rotation);
    move_pivot(origin_a - point, origin_b - point, motion.distance);
    out.push_back(motion);
  }
}

/// Makes a contact stay where it is, with the exact derivative of its distance.
void freeze(const FoundContact& contact, ContactMotion& motion) {
  motion.point.setZero();
  motion.rotation.setZero();
  motion.distance.setZero();
  motion.distance.segment<3>(0) = -contact.frame.col(2).transpose();
  motion.distance.segment<3>(6) = contact.frame.col(2).transpose();
}

/// The estimator for a pair: Gumbel needs vertices.
Estimator estimator_of(const Estimator& wanted, const Geometry& a, const Geometry& b) {
  if (!std::holds_alternative<Gumbel>(wanted)) return wanted;
  const auto takes = [](const Shape& shape) {
    return has_vertices(shape) || shape.kind() == ShapeKind::half_space;
  };
  for (const Geometry* geometry : {&a, &b}) {
    if (const Shape* shape = geometry->shape(); shape != nullptr && !takes(*shape)) return Exact{};
    if (const Compound* compound = geometry->compound())
      for (const CompoundPart& part : compound->parts())
        if (!takes(part.shape)) return Exact{};
  }
  return wanted;
}

/// Motions of all contacts; those of pairs that are open are not filled in.
std::vector<ContactMotion> contact_motions(const StepTape& tape,
                                           const StepDerivativeOptions& wanted) {
  std::vector<ContactMotion> out;
  out.reserve(tape.contacts.size());
  const ModelData& model = tape.model.data();
  auto query = tape.queries.begin();
  std::vector<ContactPatchDerivative> patches;
  while (out.size() < tape.contacts.size()) {
    const std::size_t first = out.size(), end = end_of_pair(tape, first);
    const bool is_convex = query != tape.queries.end() && query->first_contact == first;
    if (all_open(tape, first, end)) {
      out.resize(end);
      if (is_convex) ++query;
      continue;
    }
    const auto a = static_cast<std::size_t>(tape.contacts[first].geometry_a),
               b = static_cast<std::size_t>(tape.contacts[first].geometry_b);
    const Geometry &of_a = model.geometries[a].geometry, &of_b = model.geometries[b].geometry;
    const Pose &X_WA = tape.geometry_poses[a], &X_WB = tape.geometry_poses[b];
    ContactPatchDerivativeOptions options = patch_options(tape, a, b);
    options.estimator = estimator_of(wanted.estimator, of_a, of_b);
    if (is_convex) {
      options.value = &query->value;
      append_pair(tape, first,
                  contact_patch_derivative(*of_a.shape(), X_WA, *of_b.shape(), X_WB, options), out);
      ++query;
      continue;
    }
    patches.clear();
    contact_patches_derivative(of_a, X_WA, of_b, X_WB, options, patches);
    for (const ContactPatchDerivative& patch : patches) append_pair(tape, out.size(), patch, out);
  }
  if (wanted.frozen_contacts)
    for (std::size_t i = 0; i < out.size(); ++i) freeze(tape.contacts[i], out[i]);
  return out;
}

// -------------------------------------------------------------------------------------------------
// the velocity that is asked for
/// The largest velocity of the rows without contact forces, m/s.
double largest_velocity(const StepTape& tape) {
  const double unit = tape.dt * tape.force_unit * tape.inverse_mass_unit;
  return unit > 0.0 ? unit : 1.0;
}

double share(double velocity, double largest) {
  return std::min(1.0, std::abs(velocity) / largest);
}

/// Sets the share of the distance that is asked for, and the margin to where it changes.
void set_gap(const StepTape& tape, double distance, double compliance, RowDerivative& out) {
  const StepOptions& options = tape.options;
  const double largest = largest_velocity(tape), k = options.position_correction;
  out.distance = distance;
  if (compliance > 0.0) {
    out.gap_share = 1.0;
    return;
  }
  const bool apart = distance >= 0.0, corrected = distance < -options.slop;
  out.gap_share = apart ? 1.0 : corrected ? k : 0.0;
  const auto kink = [&](double at) {
    out.margin = std::min(out.margin, share((distance - at) / tape.dt, largest));
  };
  if (options.slop > 0.0 || k != 1.0) kink(0.0);
  if (options.slop > 0.0 && k != 0.0) kink(-options.slop);
}

// -------------------------------------------------------------------------------------------------
// contacts
/// One of the two bodies of a contact.
struct Side {
  int body;
  double sign;         ///< of the force on it
  Eigen::Index begin;  ///< first of its columns among those of both
  Matrix6X twists;
};

/// Both bodies of a contact, with the motion of its frame and point by the columns of both.
struct ContactColumns : ContactChange {
  std::array<Side, 2> sides;
};

ContactColumns contact_columns(const ModelData& model, const BodyMotion& motion,
                               const FoundContact& contact, const ContactMotion& change) {
  const int a = model.geometries[static_cast<std::size_t>(contact.geometry_a)].body,
            b = model.geometries[static_cast<std::size_t>(contact.geometry_b)].body;
  ContactColumns out{{},
                     {Side{a, -1.0, 0, motion.twists(a, contact.point)},
                      Side{b, 1.0, 0, motion.twists(b, contact.point)}}};
  out.sides[1].begin = out.sides[0].twists.cols();
  const Eigen::Index size = out.sides[1].begin + out.sides[1].twists.cols();
  out.rotation.resize(3, size);
  out.point.resize(3, size);
  out.distance.resize(size);
  for (int k = 0; k < 2; ++k) {
    const Side& side = out.sides[static_cast<std::size_t>(k)];
    const Eigen::Index count = side.twists.cols();
    const Eigen::Matrix<double, 3, 6> rotation = change.rotation.middleCols<6>(6 * k),
                                      point = change.point.middleCols<6>(6 * k);
    const Eigen::Matrix<double, 1, 6> distance = change.distance.segment<6>(6 * k);
    out.rotation.middleCols(side.begin, count) = rotation.lazyProduct(side.twists);
    out.point.middleCols(side.begin, count) = point.lazyProduct(side.twists);
    out.distance.segment(side.begin, count) = distance.lazyProduct(side.twists);
  }
  return out;
}

/// Change of J times a velocity in the world when q changes and the velocity does not.
Eigen::Matrix3Xd relative_velocity_by_q(const BodyMotion& motion, const Vector3& point,
                                        const ContactColumns& columns, Velocity velocity) {
  const std::array<Side, 2>& sides = columns.sides;
  const Vector6 relative = motion.twist(sides[1].body, point, velocity) -
                           motion.twist(sides[0].body, point, velocity);
  const Matrix3 linear = cross_matrix(relative.head<3>()),
                angular = cross_matrix(relative.tail<3>());
  Eigen::Matrix3Xd out = linear.lazyProduct(columns.rotation) + angular.lazyProduct(columns.point);
  for (const Side& side : sides)
    if (side.twists.cols() > 0)
      out.middleCols(side.begin, side.twists.cols()) +=
          side.sign * motion.twist_by_q(side.body, point, side.twists, velocity).topRows<3>();
  return out;
}

/// J^T f by q: the force on B turns with the frame and moves with the point.
Eigen::MatrixXd contact_force_by_q(const Vector3& force, const ContactColumns& columns) {
  const Matrix6X wrench = wrench_by_change(force, columns);
  const Eigen::Index size = columns.rotation.cols();
  Eigen::MatrixXd out(size, size);
  for (const Side& side : columns.sides)
    out.middleRows(side.begin, side.twists.cols()) = side.sign *
                                                     side.twists.transpose().lazyProduct(wrench);
  return out;
}

/// Sets whether a contact bounces, and the margin to where that changes.
void set_bounce(const StepTape& tape, const FoundContact& contact, double approach,
                RowDerivative& out) {
  out.approach = approach;
  out.bounces = bounces(contact.distance, approach, tape.options, tape.dt);
  const double meets = -(contact.distance + tape.dt * approach) / tape.dt,
               fast = -approach - tape.options.restitution_threshold;
  // both must be positive: the one that decides is the smaller
  out.margin = share(std::min(meets, fast), largest_velocity(tape));
}

RowDerivative contact_row(const StepTape& tape, const BodyMotion& motion, std::size_t index,
                          const ContactMotion& change) {
  const FoundContact& contact = tape.contacts[index];
  const RowBlock& block = tape.blocks[index];
  RowDerivative out;
  out.row = block.row;
  out.smooth = change.smooth;
  const ContactColumns columns = contact_columns(tape.model.data(), motion, contact, change);
  const Eigen::Index size = columns.rotation.cols();
  out.columns.reserve(static_cast<std::size_t>(size));
  Eigen::Matrix3Xd world(3, size);  // J in the axes of the world
  for (const Side& side : columns.sides) {
    const std::vector<int>& entries = motion.columns(side.body);
    out.columns.insert(out.columns.end(), entries.begin(), entries.end());
    world.middleCols(side.begin, side.twists.cols()) = side.sign * side.twists.topRows<3>();
  }
  const auto rows = contact.frame.rightCols(block.size).transpose();
  out.J = rows.lazyProduct(world);
  out.velocity_by_q = rows.lazyProduct(
      relative_velocity_by_q(motion, contact.point, columns, Velocity::found));
  const Vector3 force = contact_force(tape, index);
  if (!force.isZero(0.0)) out.force_by_q = contact_force_by_q(force, columns);

  const int normal = block.size - 1;
  const double e = contact.material.restitution;
  if (e > 0.0) {
    const Vector6 relative = motion.twist(columns.sides[1].body, contact.point, Velocity::before) -
                             motion.twist(columns.sides[0].body, contact.point, Velocity::before);
    set_bounce(tape, contact, contact.frame.col(2).dot(relative.head<3>()), out);
  }
  if (out.bounces) {
    out.distance = contact.distance;
    out.velocity_by_v = Eigen::MatrixXd::Zero(block.size, size);
    out.velocity_by_v.row(normal) = e * out.J.row(normal);
    out.velocity_by_q.row(normal) += e * contact.frame.col(2).transpose() *
                                     relative_velocity_by_q(motion, contact.point, columns,
                                                            Velocity::before);
  } else {
    set_gap(tape, contact.distance, contact.material.compliance, out);
    out.velocity_by_q.row(normal) += out.gap_share / tape.dt * columns.distance;
  }
  return out;
}

/// A contact that is open: its force stays zero, whatever moves.
RowDerivative open_row(const RowBlock& block) {
  RowDerivative out;
  out.row = block.row;
  out.J.resize(block.size, 0);
  out.velocity_by_q.resize(block.size, 0);
  return out;
}

// -------------------------------------------------------------------------------------------------
// joints
RowDerivative joint_row(const StepTape& tape, std::size_t index) {
  const JointRow& given = tape.joint_rows[index];
  const ScalarJoint& joint =
      tape.model.data().scalar_joints[static_cast<std::size_t>(given.scalar_joint)];
  const double sign = given.kind == JointRow::Kind::upper_limit ? -1.0 : 1.0;
  RowDerivative out;
  out.row = tape.blocks[tape.contacts.size() + index].row;
  out.columns = {joint.v};
  out.J.setConstant(1, 1, sign);
  out.velocity_by_q.setZero(1, 1);
  if (given.kind == JointRow::Kind::dry_friction) return out;
  const double q = tape.q[joint.q];
  set_gap(tape, sign > 0.0 ? q - joint.lower : joint.upper - q, 0.0, out);
  out.velocity_by_q(0, 0) = sign * out.gap_share / tape.dt;
  return out;
}

}  // namespace

bool is_open(const StepTape& tape, std::size_t contact) {
  return tape.solution.modes[contact] == ContactMode::breaking;
}

bool all_open(const StepTape& tape, std::size_t first, std::size_t end) {
  for (std::size_t i = first; i < end; ++i)
    if (!is_open(tape, i)) return false;
  return true;
}

std::size_t end_of_pair(const StepTape& tape, std::size_t first) {
  const FoundContact& contact = tape.contacts[first];
  std::size_t end = first + 1;
  while (end < tape.contacts.size() && tape.contacts[end].geometry_a == contact.geometry_a &&
         tape.contacts[end].geometry_b == contact.geometry_b)
    ++end;
  return end;
}

ContactPatchDerivativeOptions patch_options(const StepTape& tape, std::size_t geometry_a,
                                            std::size_t geometry_b) {
  ContactPatchDerivativeOptions options;
  options.patch = {.max_points = tape.options.max_contacts,
                   .cutoff = tape.reach[geometry_a] + tape.reach[geometry_b],
                   .max_angle = tape.options.max_angle};
  options.frame = TangentFrame::local_world_aligned;
  return options;
}

Matrix6X wrench_by_change(const Vector3& force, const ContactChange& change) {
  const Matrix3 hat = cross_matrix(force);
  Matrix6X out(6, change.rotation.cols());
  out.topRows<3>() = -hat.lazyProduct(change.rotation);
  out.bottomRows<3>() = -hat.lazyProduct(change.point);
  return out;
}

Eigen::MatrixXd velocity_by_change(const StepTape& tape, const BodyMotion& motion,
                                   std::size_t contact, const RowDerivative& row,
                                   const ContactChange& change) {
  const FoundContact& found = tape.contacts[contact];
  const ModelData& model = tape.model.data();
  const int a = model.geometries[static_cast<std::size_t>(found.geometry_a)].body,
            b = model.geometries[static_cast<std::size_t>(found.geometry_b)].body;
  const auto relative = [&](Velocity velocity) -> Eigen::Matrix3Xd {
    const Vector6 twist = motion.twist(b, found.point, velocity) -
                          motion.twist(a, found.point, velocity);
    return cross_matrix(twist.head<3>()) * change.rotation +
           cross_matrix(twist.tail<3>()) * change.point;
  };
  const Eigen::Index size = tape.blocks[contact].size;
  Eigen::MatrixXd out = found.frame.rightCols(size).transpose() * relative(Velocity::found);
  out.row(size - 1) += row.gap_share / tape.dt * change.distance;
  if (row.bounces)
    out.row(size - 1) += found.material.restitution * found.frame.col(2).transpose() *
                         relative(Velocity::before);
  return out;
}

Vector3 contact_force(const StepTape& tape, std::size_t contact) {
  const RowBlock& block = tape.blocks[contact];
  return tape.contacts[contact].frame.rightCols(block.size) *
         tape.solution.force.segment(block.row, block.size);
}

std::vector<RowDerivative> row_derivatives(const StepTape& tape, const BodyMotion& motion,
                                           const StepDerivativeOptions& options) {
  std::vector<RowDerivative> out;
  const std::vector<ContactMotion> motions = contact_motions(tape, options);
  out.reserve(tape.blocks.size());
  for (std::size_t i = 0; i < tape.contacts.size(); ++i)
    out.push_back(is_open(tape, i) ? open_row(tape.blocks[i])
                                   : contact_row(tape, motion, i, motions[i]));
  for (std::size_t i = 0; i < tape.joint_rows.size(); ++i) out.push_back(joint_row(tape, i));
  return out;
}

}  // namespace tactum::sim
