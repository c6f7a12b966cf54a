// SPDX-License-Identifier: BSD-2-Clause
#include "sim/row_derivative.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "contact/contact_frame.hpp"
#include "sim/row_blocks.hpp"
#include "tactum/contact_patch.hpp"

namespace tactum::sim {
namespace {

using Velocity = BodyMotion::Velocity;
using Matrix12X = Eigen::Matrix<double, 12, Eigen::Dynamic>;

/// Changes of a contact by the twists of both bodies at its point.
struct ContactMotion {
  Matrix3x12 point, rotation;
  RowVector12 distance;
  bool smooth;
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

/// A contact that stays where it is, with the exact derivative of its distance.
ContactMotion frozen_contact(const FoundContact& contact) {
  ContactMotion motion{Matrix3x12::Zero(), Matrix3x12::Zero(), RowVector12::Zero(), true};
  motion.distance.segment<3>(0) = -contact.frame.col(2).transpose();
  motion.distance.segment<3>(6) = contact.frame.col(2).transpose();
  return motion;
}

std::vector<ContactMotion> contact_motions(const StepTape& tape, bool frozen_contacts) {
  std::vector<ContactMotion> out;
  if (frozen_contacts) {
    for (const FoundContact& contact : tape.contacts) out.push_back(frozen_contact(contact));
    return out;
  }
  const ModelData& model = tape.model.data();
  auto query = tape.queries.begin();
  std::vector<ContactPatchDerivative> patches;
  while (out.size() < tape.contacts.size()) {
    const std::size_t first = out.size();
    const auto a = static_cast<std::size_t>(tape.contacts[first].geometry_a),
               b = static_cast<std::size_t>(tape.contacts[first].geometry_b);
    const Geometry &of_a = model.geometries[a].geometry, &of_b = model.geometries[b].geometry;
    const Pose &X_WA = tape.geometry_poses[a], &X_WB = tape.geometry_poses[b];
    ContactPatchDerivativeOptions options;
    options.patch = {.max_points = tape.options.max_contacts,
                     .cutoff = tape.reach[a] + tape.reach[b],
                     .max_angle = tape.options.max_angle};
    options.frame = TangentFrame::local_world_aligned;
    if (query != tape.queries.end() && query->first_contact == first) {
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
  double sign;  ///< of the force on it
  Matrix6X twists;
};

/// What J times a velocity changes in the world when q changes and the velocity does not.
Eigen::Matrix3Xd relative_velocity_by_q(const BodyMotion& motion, const Vector3& point,
                                        const std::array<Side, 2>& sides,
                                        const ContactMotion& contact, const Matrix12X& both,
                                        Velocity velocity) {
  const Vector6 relative = motion.twist(sides[1].body, point, velocity) -
                           motion.twist(sides[0].body, point, velocity);
  Eigen::Matrix3Xd out = (cross_matrix(relative.head<3>()) * contact.rotation +
                          cross_matrix(relative.tail<3>()) * contact.point) *
                         both;
  Eigen::Index begin = 0;
  for (const Side& side : sides) {
    out.middleCols(begin, side.twists.cols()) +=
        side.sign * motion.twist_by_q(side.body, point, side.twists, velocity).topRows<3>();
    begin += side.twists.cols();
  }
  return out;
}

RowDerivative contact_row(const StepTape& tape, const BodyMotion& motion, std::size_t index,
                          const ContactMotion& change) {
  const ModelData& model = tape.model.data();
  const FoundContact& contact = tape.contacts[index];
  const RowBlock& block = tape.blocks[index];
  const std::array<Side, 2> sides = [&] {
    const int a = model.geometries[static_cast<std::size_t>(contact.geometry_a)].body,
              b = model.geometries[static_cast<std::size_t>(contact.geometry_b)].body;
    return std::array<Side, 2>{Side{a, -1.0, motion.twists(a, contact.point)},
                               Side{b, 1.0, motion.twists(b, contact.point)}};
  }();
  RowDerivative out;
  out.row = block.row;
  out.smooth = change.smooth;
  const Eigen::Index size = sides[0].twists.cols() + sides[1].twists.cols();
  Matrix12X both = Matrix12X::Zero(12, size);
  Eigen::Matrix3Xd world(3, size);  // J in the axes of the world
  Eigen::Index begin = 0;
  for (int k = 0; k < 2; ++k) {
    const Side& side = sides[static_cast<std::size_t>(k)];
    const std::vector<int>& columns = motion.columns(side.body);
    out.columns.insert(out.columns.end(), columns.begin(), columns.end());
    both.block(6 * k, begin, 6, side.twists.cols()) = side.twists;
    world.middleCols(begin, side.twists.cols()) = side.sign * side.twists.topRows<3>();
    begin += side.twists.cols();
  }
  const auto rows = contact.frame.rightCols(block.size).transpose();
  out.J = rows * world;
  out.velocity_by_q = rows * relative_velocity_by_q(motion, contact.point, sides, change, both,
                                                    Velocity::found);
  const Vector3 force = contact_force(tape, index);
  if (!force.isZero(0.0)) {
    Matrix6X wrench(6, size);  // on B at the point
    const Matrix3 hat = cross_matrix(force);
    wrench.topRows<3>() = -hat * (change.rotation * both);
    wrench.bottomRows<3>() = -hat * (change.point * both);
    out.force_by_q.resize(size, size);
    begin = 0;
    for (const Side& side : sides) {
      out.force_by_q.middleRows(begin, side.twists.cols()) = side.sign * side.twists.transpose() *
                                                             wrench;
      begin += side.twists.cols();
    }
  }

  const int normal = block.size - 1;
  const double e = contact.material.restitution, dt = tape.dt;
  if (e > 0.0) {
    const Vector6 relative = motion.twist(sides[1].body, contact.point, Velocity::before) -
                             motion.twist(sides[0].body, contact.point, Velocity::before);
    out.approach = contact.frame.col(2).dot(relative.head<3>());
    out.bounces = bounces(contact.distance, out.approach, tape.options, dt);
    const double largest = largest_velocity(tape);
    const double meets = -(contact.distance + dt * out.approach) / dt,
                 fast = -out.approach - tape.options.restitution_threshold;
    // both must be positive: the one that decides is the smaller
    out.margin = share(std::min(meets, fast), largest);
  }
  if (out.bounces) {
    out.distance = contact.distance;
    out.velocity_by_v = Eigen::MatrixXd::Zero(block.size, size);
    out.velocity_by_v.row(normal) = e * out.J.row(normal);
    out.velocity_by_q.row(normal) += e * contact.frame.col(2).transpose() *
                                     relative_velocity_by_q(motion, contact.point, sides, change,
                                                            both, Velocity::before);
  } else {
    set_gap(tape, contact.distance, contact.material.compliance, out);
    out.velocity_by_q.row(normal) += out.gap_share / dt * (change.distance * both);
  }
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

Vector3 contact_force(const StepTape& tape, std::size_t contact) {
  const RowBlock& block = tape.blocks[contact];
  return tape.contacts[contact].frame.rightCols(block.size) *
         tape.solution.force.segment(block.row, block.size);
}

std::vector<RowDerivative> row_derivatives(const StepTape& tape, const BodyMotion& motion,
                                           bool frozen_contacts) {
  std::vector<RowDerivative> out;
  const std::vector<ContactMotion> motions = contact_motions(tape, frozen_contacts);
  for (std::size_t i = 0; i < tape.contacts.size(); ++i)
    out.push_back(contact_row(tape, motion, i, motions[i]));
  for (std::size_t i = 0; i < tape.joint_rows.size(); ++i) out.push_back(joint_row(tape, i));
  append_closure_derivatives(tape, motion, out);
  return out;
}

}  // namespace tactum::sim
