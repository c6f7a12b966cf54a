// SPDX-License-Identifier: BSD-2-Clause
// Inertia    M a is linear in the ten parameters: with a = [l; w], M a = [m l + w x mc; mc x l + I
//            w]. The motion of a free body at a known velocity has its inertia and its center in it
//            as well (tree_derivative.cpp has the symbols).
#include "sim/derivative/step_parameters.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>

#include "sim/derivative/shape_parameters.hpp"
#include "sim/step/row_blocks.hpp"

namespace tactum::sim {
namespace {

using Entries = ParameterEntries;

template <class... Arguments>
void add(Arguments&&... arguments) {
  Entries::add(std::forward<Arguments>(arguments)...);
}
template <class... Arguments>
void add_vector(Arguments&&... arguments) {
  Entries::add_vector(std::forward<Arguments>(arguments)...);
}

// -------------------------------------------------------------------------------------------------
// surfaces
/// Calls function(geometry, surface, partner) for both surfaces of a contact.
template <class Function>
void for_both_surfaces(const ModelData& model, const FoundContact& contact,
                       const Function& function) {
  const Surface &a = model.geometries[static_cast<std::size_t>(contact.geometry_a)].surface,
                &b = model.geometries[static_cast<std::size_t>(contact.geometry_b)].surface;
  function(contact.geometry_a, a, b);
  function(contact.geometry_b, b, a);
}

/// Without friction a contact has no rows for it, and the mean of both coefficients no slope.
void add_friction(const StepTape& tape, Entries& out) {
  for (std::size_t i = 0; i < tape.contacts.size(); ++i) {
    const FoundContact& contact = tape.contacts[i];
    if (!(contact.material.friction > 0.0)) {
      out.smooth &= is_open(tape, i);
      continue;
    }
    for_both_surfaces(
        tape.model.data(), contact, [&](int geometry, const Surface& own, const Surface& partner) {
          if (!own.friction) return;
          const double by_own = partner.friction ? 0.5 * contact.material.friction / *own.friction
                                                 : 1.0;
          add(out.friction, static_cast<Eigen::Index>(i), geometry, by_own);
        });
  }
}

/// Normal velocity of B relative to A at a contact, m/s.
double normal_velocity(const LinearizedStep& step, const FoundContact& contact,
                       BodyMotion::Velocity velocity) {
  const ModelData& model = step.tape.model.data();
  const int a = model.geometries[static_cast<std::size_t>(contact.geometry_a)].body,
            b = model.geometries[static_cast<std::size_t>(contact.geometry_b)].body;
  const Vector6 relative = step.motion.twist(b, contact.point, velocity) -
                           step.motion.twist(a, contact.point, velocity);
  return contact.frame.col(2).dot(relative.head<3>());
}

/// Whether the rule for bounces holds for a contact, or would with any restitution.
bool meets_to_bounce(const LinearizedStep& step, const FoundContact& contact) {
  return bounces(contact.distance, normal_velocity(step, contact, BodyMotion::Velocity::before),
                 step.tape.options, step.tape.dt);
}

/// Whether a contact goes another way as soon as its normal velocity must be at least `asked_for`:
/// one that is open stays so while it is faster.
bool is_caught(const LinearizedStep& step, std::size_t contact, double asked_for) {
  return !is_open(step.tape, contact) ||
         !(normal_velocity(step, step.tape.contacts[contact], BodyMotion::Velocity::found) >
           asked_for);
}

/// The larger restitution of two counts. Where they are equal each counts by half, which is right
/// for a change of both; where both are 0, any more changes the rule.
void add_restitution(const LinearizedStep& step, Entries& out) {
  const StepTape& tape = step.tape;
  for (std::size_t i = 0; i < tape.contacts.size(); ++i) {
    const FoundContact& contact = tape.contacts[i];
    const RowDerivative& block = step.blocks[i];
    if (contact.material.restitution == 0.0 && meets_to_bounce(step, contact))
      out.smooth &= !is_caught(step, i, 0.0);
    if (!block.bounces) continue;
    const Eigen::Index normal = block.row + block.J.rows() - 1;
    for_both_surfaces(tape.model.data(), contact,
                      [&](int geometry, const Surface& own, const Surface& partner) {
                        const double by_own = own.restitution > partner.restitution   ? 1.0
                                              : own.restitution < partner.restitution ? 0.0
                                                                                      : 0.5;
                        out.smooth &= by_own != 0.5;
                        add(out.asked_for, normal, geometry, by_own * block.approach);
                      });
  }
}

/// Whether any compliance takes a contact in penetration from the rule that takes it back to the
/// one that yields by its force.
bool would_yield(const LinearizedStep& step, std::size_t index) {
  const StepTape& tape = step.tape;
  const FoundContact& contact = tape.contacts[index];
  const double by_depth = contact.distance / tape.dt;
  const GapVelocity rigid = gap_velocity(contact.distance, 0.0, tape.options, tape.dt);
  if (rigid.gap + rigid.correction == by_depth) return false;
  if (contact.material.restitution > 0.0 && meets_to_bounce(step, contact)) return false;
  return is_caught(step, index, -by_depth);
}

void add_compliance(const LinearizedStep& step, Entries& out) {
  const StepTape& tape = step.tape;
  for (std::size_t i = 0; i < tape.contacts.size(); ++i) {
    const FoundContact& contact = tape.contacts[i];
    if (contact.material.compliance == 0.0) out.smooth &= !would_yield(step, i);
    const Eigen::Index normal = step.blocks[i].row + step.blocks[i].J.rows() - 1;
    const double rate = tape.solution.force[normal] / tape.dt;
    add(out.asked_for, normal, contact.geometry_a, rate);
    add(out.asked_for, normal, contact.geometry_b, rate);
  }
}

// -------------------------------------------------------------------------------------------------
// inertia
/// Columns of M a by the ten parameters of a body.
Eigen::Matrix<double, 6, 10> mass_columns(const Vector6& a) {
  const Vector3 linear = a.head<3>(), angular = a.tail<3>();
  Eigen::Matrix<double, 6, 10> out = Eigen::Matrix<double, 6, 10>::Zero();
  out.block<3, 1>(0, 0) = linear;
  out.block<3, 3>(0, 1) = cross_matrix(angular);
  out.block<3, 3>(3, 1) = -cross_matrix(linear);
  out.block<3, 6>(3, 4) << angular.x(), angular.y(), 0.0, angular.z(), 0.0, 0.0,  //
      0.0, angular.x(), angular.y(), 0.0, angular.z(), 0.0,                       //
      0.0, 0.0, 0.0, angular.x(), angular.y(), angular.z();
  return out;
}

/// Change of the inertia about the center and of the center, by one of the ten parameters.
struct InertiaChange {
  Matrix3 inertia;
  Vector3 center;
};
InertiaChange inertia_change(const BodyInertia& body, int parameter) {
  const Matrix3 hat = cross_matrix(body.center);
  if (parameter == 0) return {-hat * hat, -body.center / body.mass};
  if (parameter < 4) {
    const Vector3 axis = Vector3::Unit(parameter - 1);
    const Matrix3 product = cross_matrix(axis) * hat;
    return {product + product.transpose(), axis / body.mass};
  }
  constexpr int row[6] = {0, 0, 1, 0, 1, 2}, column[6] = {0, 1, 1, 2, 2, 2};
  Matrix3 inertia = Matrix3::Zero();
  inertia(row[parameter - 4], column[parameter - 4]) = 1.0;
  inertia(column[parameter - 4], row[parameter - 4]) = 1.0;
  return {inertia, Vector3::Zero()};
}

/// How the motion of a free body at the velocity u follows its inertia.
void add_free_motion(const FreeBody& body, const Vector6& u, double dt, Eigen::Index first_column,
                     Entries& out) {
  const Matrix3& inertia = body.inertia.inertia;
  const Vector3 center = body.inertia.center, turning = u.tail<3>(),
                center_velocity = u.head<3>() + turning.cross(center);
  const Vector3 next = advance(body, Pose{}, u, dt).velocity.tail<3>();
  const Vector3 middle = 0.5 * (turning + next);
  const Matrix3 back = rotation_exponential(dt * middle).transpose(),
                right = dt * rotation_exponential_jacobian(dt * middle);
  const Eigen::PartialPivLU<Matrix3> solver(inertia - 0.5 * cross_matrix(inertia * next) * right);
  for (int parameter = 0; parameter < 10; ++parameter) {
    const InertiaChange change = inertia_change(body.inertia, parameter);
    const Vector3 d_next = solver.solve(back * (change.inertia * turning) - change.inertia * next);
    const Vector3 d_angle = 0.5 * (right * d_next), d_velocity = turning.cross(change.center);
    Vector6 d_q, d_v;
    d_q << back * (change.center + dt * d_velocity) - d_angle.cross(center) - change.center,
        d_angle;
    d_v << back * d_velocity + (back * center_velocity).cross(d_angle) - d_next.cross(center) -
               next.cross(change.center),
        d_next;
    add_vector(out.next_q, body.v, first_column + parameter, d_q);
    add_vector(out.next_v, body.v, first_column + parameter, d_v);
  }
}

void add_inertia(const StepTape& tape, std::vector<ArticulationDerivative>& robots, Entries& out) {
  const ModelData& model = tape.model.data();
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const auto index = static_cast<std::size_t>(body.index);
    const auto first_column = static_cast<Eigen::Index>(10 * i);
    if (body.carrier == Carrier::free_body) {
      const FreeBody& free = model.free_bodies[index];
      const Vector6 u = tape.velocity.segment<6>(free.v);
      Vector6 acceleration = (u - tape.v.segment<6>(free.v)) / tape.dt;
      acceleration.head<3>() -= tape.body_poses[i].rotation.transpose() * model.gravity;
      const Eigen::Matrix<double, 6, 10> columns = mass_columns(acceleration);
      for (int k = 0; k < 10; ++k) add_vector(out.force, free.v, first_column + k, -columns.col(k));
      add_free_motion(free, u, tape.dt, first_column, out);
    } else {
      const Eigen::MatrixXd& regressor = robots[index].regressor();
      const int begin = 10 * (body.joint - 1);
      for (int k = 0; k < 10; ++k)
        add_vector(out.force, model.robots[index].v, first_column + k, -regressor.col(begin + k));
    }
  }
}

// -------------------------------------------------------------------------------------------------
// gravity and options
void add_gravity(const StepTape& tape, const std::vector<ArticulationDerivative>& robots,
                 Entries& out) {
  const ModelData& model = tape.model.data();
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.carrier != Carrier::free_body) continue;
    const FreeBody& free = model.free_bodies[static_cast<std::size_t>(body.index)];
    const Eigen::Matrix<double, 6, 3> columns = free.mass_matrix.leftCols<3>() *
                                                tape.body_poses[i].rotation.transpose();
    for (int k = 0; k < 3; ++k) add_vector(out.force, free.v, k, columns.col(k));
  }
  for (std::size_t i = 0; i < robots.size(); ++i) {
    const Eigen::MatrixX3d columns = robots[i].forces_by_gravity();
    for (int k = 0; k < 3; ++k) add_vector(out.force, model.robots[i].v, k, columns.col(k));
  }
}

/// Rows in penetration, whose velocity is k (d + slop) / dt, and closures, whose is k e / dt.
void add_correction(const StepTape& tape, const std::vector<RowDerivative>& blocks,
                    StepParameter parameter, Entries& out) {
  if (!tape.is_corrected) return;
  const StepOptions& options = tape.options;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const bool is_closure = i >= tape.first_closure_block();
    const bool yields = i < tape.contacts.size() && tape.contacts[i].material.compliance > 0.0;
    const bool counts = is_closure
                            ? parameter == StepParameter::position_correction
                            : !yields && !blocks[i].bounces && blocks[i].distance < -options.slop;
    if (!counts) continue;
    const double depth = blocks[i].distance + (is_closure ? 0.0 : options.slop);
    const double change = parameter == StepParameter::slop ? options.position_correction : depth;
    add(out.asked_for, blocks[i].row + blocks[i].J.rows() - 1, 0, change / tape.dt);
  }
}

// -------------------------------------------------------------------------------------------------
// the length of the step
/// How the motion of a free body at the velocity u follows the length of the step.
void add_free_motion_by_time(const FreeBody& body, const Vector6& u, double dt, Entries& out) {
  const Matrix3& inertia = body.inertia.inertia;
  const Vector3 center = body.inertia.center, turning = u.tail<3>(),
                center_velocity = u.head<3>() + turning.cross(center);
  const Vector3 next = advance(body, Pose{}, u, dt).velocity.tail<3>();
  const Vector3 middle = 0.5 * (turning + next), momentum = inertia * next;
  const Matrix3 back = rotation_exponential(dt * middle).transpose(),
                right = dt * rotation_exponential_jacobian(dt * middle);
  const Matrix3 implicit = inertia - 0.5 * cross_matrix(momentum) * right;
  const Vector3 d_next = implicit.partialPivLu().solve(momentum.cross(middle));
  const Vector3 d_angle = middle + 0.5 * (right * d_next), carried = back * center_velocity;
  Vector6 d_q, d_v;
  d_q << carried - d_angle.cross(center), d_angle;
  d_v << carried.cross(d_angle) - d_next.cross(center), d_next;
  add_vector(out.next_q, body.v, 0, d_q);
  add_vector(out.next_v, body.v, 0, d_v);
}

/// Adds the derivatives by dt of the motion of a robot, from the Jacobian of that motion by dt u.
void add_robot_motion_by_time(const StepTape& tape, const PlacedArticulation& robot,
                              const std::vector<MotionBlock>& motion, Entries& out) {
  Eigen::VectorXd d_q = tape.velocity.segment(robot.v, robot.robot->nv());
  for (const MotionBlock& block : motion)
    d_q.segment(block.v, block.size) = block.q_by_u *
                                       tape.velocity.segment(robot.v + block.v, block.size) /
                                       tape.dt;
  add_vector(out.next_q, robot.v, 0, d_q);
  for (const Articulation::Joint& joint : robot.robot->joints()) {
    if (!joint.floats) continue;
    const Vector6 u = tape.velocity.segment<6>(robot.v + joint.v);
    const Vector3 turning = u.tail<3>(),
                  carried = rotation_exponential(-tape.dt * turning) * u.head<3>();
    add_vector(out.next_v, robot.v + joint.v, 0, carried.cross(turning));
  }
}

/// With a the acceleration that the step found, M has dt D + dt^2 K of dampers and springs in it,
/// and springs pull at q + dt v.
void add_implicit_forces_by_time(const StepTape& tape, const PlacedArticulation& robot,
                                 Entries& out) {
  const Articulation& model = *robot.robot;
  const auto u = tape.velocity.segment(robot.v, model.nv()),
             v = tape.v.segment(robot.v, model.nv());
  const Eigen::VectorXd acceleration = (u - v) / tape.dt,
                        rate = model.damping() + 2.0 * tape.dt * model.stiffness();
  add_vector(out.force, robot.v, 0,
             (-rate.cwiseProduct(acceleration) - model.stiffness().cwiseProduct(v)).eval());
}

/// The velocity that rows ask for is (share of the distance) / dt, and a compliant contact moves by
/// its force times compliance / dt.
void add_rows_by_time(const StepTape& tape, const std::vector<RowDerivative>& blocks,
                      Entries& out) {
  const double rate = -1.0 / (tape.dt * tape.dt);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Eigen::Index normal = blocks[i].row + blocks[i].J.rows() - 1;
    const double compliance = i < tape.contacts.size() ? tape.contacts[i].material.compliance : 0.0;
    const bool is_corrected = i < tape.first_closure_block() && compliance == 0.0 &&
                              blocks[i].distance < 0.0;
    const double distance = blocks[i].distance + (is_corrected ? tape.options.slop : 0.0);
    add(out.asked_for, normal, 0,
        rate * (blocks[i].gap_share * distance + compliance * tape.solution.force[normal]));
  }
}

void add_time(const StepTape& tape, const std::vector<RowDerivative>& blocks,
              const std::vector<TreeDerivative>& trees, Entries& out) {
  const ModelData& model = tape.model.data();
  add_vector(out.velocity, 0, 0, ((tape.velocity - tape.v) / tape.dt).eval());
  for (std::size_t i = 0; i < model.trees.size(); ++i) {
    const auto index = static_cast<std::size_t>(model.trees[i].index);
    if (model.trees[i].carrier == Carrier::free_body) {
      const FreeBody& body = model.free_bodies[index];
      add_free_motion_by_time(body, tape.velocity.segment<6>(body.v), tape.dt, out);
    } else {
      add_robot_motion_by_time(tape, model.robots[index], trees[i].motion, out);
      add_implicit_forces_by_time(tape, model.robots[index], out);
    }
  }
  add_rows_by_time(tape, blocks, out);
}

}  // namespace

std::string_view to_string(StepParameter parameter) {
  switch (parameter) {
    case StepParameter::friction: return "friction";
    case StepParameter::restitution: return "restitution";
    case StepParameter::compliance: return "compliance";
    case StepParameter::inertia: return "inertia";
    case StepParameter::gravity: return "gravity";
    case StepParameter::position_correction: return "position_correction";
    case StepParameter::slop: return "slop";
    case StepParameter::dt: return "dt";
    case StepParameter::shape: return "shape";
  }
  return "unknown";
}

int parameter_size(const Model& model, StepParameter parameter) {
  switch (parameter) {
    case StepParameter::friction:
    case StepParameter::restitution:
    case StepParameter::compliance: return model.num_geometries();
    case StepParameter::inertia: return 10 * model.num_bodies();
    case StepParameter::gravity: return 3;
    case StepParameter::shape: return shape_offsets(model.data()).back();
    case StepParameter::position_correction:
    case StepParameter::slop:
    case StepParameter::dt: break;
  }
  return 1;
}

ParameterEffect parameter_effect(const LinearizedStep& step, StepParameter parameter) {
  const StepTape& tape = step.tape;
  ParameterEntries entries;
  switch (parameter) {
    case StepParameter::friction: add_friction(tape, entries); break;
    case StepParameter::restitution: add_restitution(step, entries); break;
    case StepParameter::compliance: add_compliance(step, entries); break;
    case StepParameter::inertia: add_inertia(tape, step.robots, entries); break;
    case StepParameter::gravity: add_gravity(tape, step.robots, entries); break;
    case StepParameter::position_correction:
    case StepParameter::slop: add_correction(tape, step.blocks, parameter, entries); break;
    case StepParameter::dt: add_time(tape, step.blocks, step.trees, entries); break;
    case StepParameter::shape: add_shapes(step, entries); break;
  }
  const int nv = tape.model.nv(), rows = tape.problem.rows(),
            size = parameter_size(tape.model, parameter);
  const auto matrix = [&](int height, const ParameterEntries::Target& values) {
    ParameterEffect::Matrix out(height, size);
    out.setFromTriplets(values.begin(), values.end());
    return out;
  };
  return {matrix(nv, entries.force),
          matrix(nv, entries.velocity),
          matrix(rows, entries.asked_for),
          matrix(static_cast<int>(step.blocks.size()), entries.friction),
          matrix(nv, entries.next_q),
          matrix(nv, entries.next_v),
          entries.smooth};
}

}  // namespace tactum::sim
