// SPDX-License-Identifier: BSD-2-Clause
// Where the solver of a step begins: at the forces of the step before.
//
// Contacts   A contact begins with the force that the contact of the same features had. Features
//            flicker where edges are parallel or faces coplanar: the contact stays in its place and
//            changes its name. So what is left of a pair is given to the nearest of its contacts
//            that are left. A contact that comes in addition begins without a force, so that the
//            forces of the pair keep their sum.
// Joints     are known by their joint, rows of closures by their order.
#include <algorithm>
#include <limits>
#include <span>

#include "sim/step/step_data.hpp"

namespace tactum::sim {
namespace {

constexpr double kNoExponent = 1e9;     // of a block that was not there
constexpr double kFirstExponent = 0.2;  // where no block was there
constexpr double kLargestStart = 1e30;  // in the units of the problem

/// Writes the start of one block with its numbers in N and m/s^2.
void start_block(std::size_t block, const Eigen::Ref<const Eigen::VectorXd>& force,
                 const Eigen::Ref<const Eigen::VectorXd>& dual, double exponent, StepData& work) {
  const RowBlock& rows = work.blocks[block];
  work.start.force.segment(rows.row, rows.size) = force / work.force_unit;
  work.start.dual_velocity.segment(rows.row, rows.size) = dual / work.velocity_unit;
  work.start.penalty_exponents[static_cast<Eigen::Index>(block)] = exponent;
}

void start_row(std::size_t block, const RememberedRow& old, StepData& work) {
  const Eigen::Matrix<double, 1, 1> force(old.force), dual(old.dual);
  start_block(block, force, dual, old.penalty_exponent, work);
}

/// Turns the force of an earlier contact into the frame of the present one.
void start_contact(std::size_t block, const RememberedForce& old, StepData& work) {
  const Matrix3& frame = work.contacts[block].frame;
  const Vector3 force = frame.transpose() * old.force, dual = frame.transpose() * old.dual;
  const int size = work.blocks[block].size;  // a contact without friction has its normal alone
  start_block(block, force.tail(size), dual.tail(size), old.penalty_exponent, work);
}

/// The contacts of one pair, as half-open ranges of those that are and of those that were.
struct Pair {
  std::size_t first, last;
  std::span<const RememberedForce> old;
};

constexpr std::size_t kNothing = std::numeric_limits<std::size_t>::max();

/// The earlier contact with the name, if it is still free.
std::size_t of_same_feature(const Pair& pair, std::uint64_t feature_id,
                            std::span<const std::uint8_t> taken) {
  for (std::size_t k = 0; k < pair.old.size(); ++k)
    if (taken[k] == 0 && pair.old[k].feature_id == feature_id) return k;
  return kNothing;
}

std::size_t nearest(const Pair& pair, const Vector3& point, std::span<const std::uint8_t> taken) {
  std::size_t best = kNothing;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < pair.old.size(); ++k) {
    const double squared = (pair.old[k].point - point).squaredNorm();
    if (taken[k] == 0 && squared < least) least = squared, best = k;
  }
  return best;
}

void start_pair(const Pair& pair, StepData& work) {
  std::vector<std::uint8_t>& taken = work.taken;
  taken.assign(pair.old.size(), 0);
  std::vector<std::size_t>& left = work.without_past;
  left.clear();
  for (std::size_t i = pair.first; i < pair.last; ++i) {
    const std::size_t k = of_same_feature(pair, work.contacts[i].feature_id, taken);
    if (k == kNothing) {
      left.push_back(i);
      continue;
    }
    taken[k] = 1;
    start_contact(i, pair.old[k], work);
  }
  for (const std::size_t i : left) {
    const std::size_t k = nearest(pair, work.contacts[i].point, taken);
    if (k == kNothing) return;
    taken[k] = 1;
    start_contact(i, pair.old[k], work);
  }
}

/// Contacts are ascending by pair, now and in the memory.
void start_contacts(const ContactMemory& memory, StepData& work) {
  const auto pair_of = [](const auto& contact) {
    return std::pair{contact.geometry_a, contact.geometry_b};
  };
  auto first = memory.contacts.begin();
  for (std::size_t i = 0, next = 0; i < work.contacts.size(); i = next) {
    const auto pair = pair_of(work.contacts[i]);
    while (next < work.contacts.size() && pair_of(work.contacts[next]) == pair) ++next;
    while (first != memory.contacts.end() && pair_of(*first) < pair) ++first;
    const auto begin = first;
    while (first != memory.contacts.end() && pair_of(*first) == pair) ++first;
    if (begin != first) start_pair({i, next, {begin, first}}, work);
  }
}

void start_joints(const ContactMemory& memory, StepData& work) {
  auto old = memory.joints.begin();
  for (std::size_t i = 0; i < work.joint_rows.size(); ++i) {
    const JointRow& row = work.joint_rows[i];
    while (old != memory.joints.end() && old->row.key() < row.key()) ++old;
    if (old != memory.joints.end() && old->row.key() == row.key())
      start_row(work.joint_block(i), old->value, work);
  }
}

void start_closures(const ContactMemory& memory, StepData& work) {
  if (work.closure_block(memory.closures.size()) != work.blocks.size()) return;
  for (std::size_t i = 0; i < memory.closures.size(); ++i)
    start_row(work.closure_block(i), memory.closures[i], work);
}

/// Blocks without a past take the mean of the others.
void complete_exponents(ContactSolution& start) {
  double sum = 0.0;
  int known = 0;
  for (const double exponent : start.penalty_exponents) {
    if (exponent == kNoExponent) continue;
    sum += exponent;
    ++known;
  }
  const double mean = known == 0 ? kFirstExponent : sum / known;
  for (double& exponent : start.penalty_exponents)
    if (exponent == kNoExponent) exponent = mean;
  start.penalty_exponent = mean;
}

}  // namespace

bool set_start(const ContactMemory* memory, StepData& work) {
  if (work.blocks.empty()) return false;
  const auto rows = static_cast<Eigen::Index>(work.g.size());
  work.start.force.setZero(rows);
  work.start.dual_velocity.setZero(rows);
  work.start.penalty_exponents.setConstant(static_cast<Eigen::Index>(work.blocks.size()),
                                           kNoExponent);
  if (memory != nullptr) {
    start_contacts(*memory, work);
    start_joints(*memory, work);
    start_closures(*memory, work);
  }
  complete_exponents(work.start);
  // numbers of a file may be anything
  const double largest = std::max(work.start.force.cwiseAbs().maxCoeff(),
                                  work.start.dual_velocity.cwiseAbs().maxCoeff());
  return largest < kLargestStart && std::abs(work.start.penalty_exponent) < kLargestStart;
}

}  // namespace tactum::sim
