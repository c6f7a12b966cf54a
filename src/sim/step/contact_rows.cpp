// SPDX-License-Identifier: BSD-2-Clause
// Rows of the contact problem: how velocities move contacts, and the free term of every row. Those
// of joints and closures are in joint_rows.cpp and closure_rows.cpp.
//
// Rows       A contact has the velocity of B relative to A at the contact point, in the contact
//            frame: J u = C^T (u_B(p) - u_A(p)). Both bodies use the same point p, so that the
//            force on one is the opposite of that on the other and total momentum is kept exactly.
// Free term  With J u_f the velocity without contact forces, tangential rows get J u_f / dt. Normal
//            rows get (J u_f + d / dt) / dt while the gap d is positive: the surfaces may meet but
//            not pass. In penetration they get (J u_f + k min(d + slop, 0) / dt) / dt, with k the
//            share of position correction. A contact that bounces gets (J u_f + e J v) / dt.
// Compliance A contact that yields by c per newton has R = c / dt^2 and its whole d, apart or not.
#include "sim/step/row_blocks.hpp"

namespace tactum::sim {
namespace {

void add_contact(const ModelData& model, const State& state, const StepOptions& options, double dt,
                 const FoundContact& contact, StepData& work) {
  const int body_a = model.geometries[static_cast<std::size_t>(contact.geometry_a)].body,
            body_b = model.geometries[static_cast<std::size_t>(contact.geometry_b)].body;
  const bool friction = contact.material.friction > 0.0;
  const RowBlock block = add_block(model,
                                   {friction ? ContactKind::friction : ContactKind::frictionless, 0,
                                    contact.material.friction, 0.0, 0.0},
                                   model.bodies[static_cast<std::size_t>(body_a)].tree,
                                   model.bodies[static_cast<std::size_t>(body_b)].tree, work);
  const auto directions = contact.frame.rightCols(block.size);
  add_point_velocity(model, body_a, contact.point, directions, -1.0, block, work);
  add_point_velocity(model, body_b, contact.point, directions, 1.0, block, work);

  const int normal = block.size - 1;
  Vector3 rate = row_velocity(model, block, work.free_velocity, work);
  const double approach = contact.material.restitution > 0.0
                              ? row_velocity(model, block, state.v, work)[normal]
                              : 0.0;
  GapVelocity added{contact.material.restitution * approach, 0.0};
  if (!bounces(contact.distance, approach, options, dt))
    added = gap_velocity(contact.distance, contact.material.compliance, options, dt);
  if (options.as_printed && contact.distance > 0.0) added = {0.0, 0.0};
  rate[normal] += added.gap + added.correction;
  const auto row = static_cast<std::size_t>(block.row),
             last = row + static_cast<std::size_t>(normal);
  for (std::size_t k = row; k <= last; ++k)
    work.g[k] = rate[static_cast<Eigen::Index>(k - row)] / dt;
  work.correction[last] = added.correction / dt;
  work.R[last] = contact.material.compliance / (dt * dt);
}

}  // namespace

void set_contact_rows(const ModelData& model, const State& state, const StepOptions& options,
                      double dt, StepData& work) {
  work.blocks.clear();
  work.problem_blocks.clear();
  work.values.clear();
  work.g.clear();
  work.R.clear();
  work.correction.clear();
  for (const FoundContact& contact : work.contacts)
    add_contact(model, state, options, dt, contact, work);
  find_joint_rows(model, state, dt, work);
  add_joint_rows(model, options, dt, work);
  add_closure_rows(model, state, options, dt, work);
}

}  // namespace tactum::sim
