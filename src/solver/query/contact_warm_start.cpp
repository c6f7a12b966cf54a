// SPDX-License-Identifier: BSD-2-Clause
// Old blocks are sorted by pair and feature, so that a block finds its partner, or all blocks of
// its pair, by bisection. Equal keys stay in the order of blocks, and of two points that are
// equally near the first one counts: the result does not depend on anything but the input.
#include "tactum/contact_warm_start.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/format_number.hpp"
#include "solver/method/proximal_admm.hpp"
#include "solver/problem/residual.hpp"
#include "solver/query/solve_checked.hpp"

namespace tactum {
namespace {

constexpr double kNear = 0.1;  // share of the size of a pair within which a point counts as near

/// Force and multiplier of a block: vectors in the frame of the pair for a friction block, one
/// number for others.
struct BlockState {
  Vector3 force = Vector3::Zero(), dual = Vector3::Zero();
};

struct OldBlock {
  std::int64_t pair, feature;
  int index;  ///< in the order of blocks
  ContactKind kind;
  Vector3 point;
  BlockState state;
  double exponent;
};

struct ByKey {
  bool operator()(const OldBlock& a, const OldBlock& b) const {
    if (a.pair != b.pair) return a.pair < b.pair;
    return a.feature != b.feature ? a.feature < b.feature : a.index < b.index;
  }
};

void check_features(const ContactProblem& problem, std::span<const ContactFeature> features) {
  if (features.size() != problem.blocks().size())
    throw InvalidInput("features", std::to_string(features.size()) + " items",
                       "give one for each block, " + std::to_string(problem.blocks().size()));
  for (std::size_t i = 0; i < features.size(); ++i) {
    const ContactFeature& f = features[i];
    const auto refuse = [&](const char* part, double value, const char* remedy) {
      throw InvalidInput("features[" + std::to_string(i) + "]." + part, exact_text(value), remedy);
    };
    for (const double value : f.point.reshaped())
      if (!(std::isfinite(value) && std::abs(value) <= 1e60))
        refuse("point", value, "give finite numbers of at most 1e60");
    for (const double value : f.frame.reshaped())
      if (!(std::isfinite(value) && std::abs(value) <= 1 + 1e-6))
        refuse("frame", value, "give a rotation matrix");
    if (!(std::isfinite(f.pair_size) && f.pair_size >= 0 && f.pair_size <= 1e60))
      refuse("pair_size", f.pair_size, "give a number >= 0");
  }
}

/// The numbers of a block as a vector, which a friction block has in the frame of the pair.
Vector3 to_pair(const Eigen::VectorXd& values, const ContactBlock& block, const Matrix3& frame) {
  if (block.kind != ContactKind::friction) return {values[block.row], 0, 0};
  return frame * values.segment<3>(block.row);
}

Double3 from_pair(const Vector3& value, const ContactBlock& block, const Matrix3& frame) {
  if (block.kind != ContactKind::friction) return {value.x(), 0, 0};
  const Vector3 local = frame.transpose() * value;
  return {local.x(), local.y(), local.z()};
}

}  // namespace

struct ContactWarmStart::Data {
  std::vector<OldBlock> old;
  ContactSolution start;
  std::vector<char> known;  ///< whether a block of the new problem has an old exponent

  /// Old blocks of the pair of a feature.
  std::span<const OldBlock> of_pair(const ContactFeature& feature) const {
    const auto less = [](const OldBlock& a, const OldBlock& b) { return a.pair < b.pair; };
    OldBlock key{};
    key.pair = feature.pair;
    const auto [first, last] = std::equal_range(old.begin(), old.end(), key, less);
    return {first, last};
  }
  bool find(const ContactFeature& feature, ContactKind kind, BlockState& state,
            double& exponent) const;
  void set_exponents(const ContactProblem& problem);
};

/// Finds the force of a block among the old blocks of its pair. Returns false where the pair is
/// new.
bool ContactWarmStart::Data::find(const ContactFeature& feature, ContactKind kind,
                                  BlockState& state, double& exponent) const {
  const OldBlock *same = nullptr, *near = nullptr;
  double same_distance = 0, near_distance = kNear * feature.pair_size;
  int count = 0;
  BlockState mean;
  double mean_exponent = 0;
  for (const OldBlock& block : of_pair(feature)) {
    if (block.kind != kind) continue;
    const double distance = (block.point - feature.point).norm();
    if (block.feature == feature.feature && (same == nullptr || distance < same_distance)) {
      same = &block;
      same_distance = distance;
    }
    if (feature.pair_size > 0 && distance <= near_distance &&
        (near == nullptr || distance < near_distance)) {
      near = &block;
      near_distance = distance;
    }
    ++count;
    mean.force += block.state.force;
    mean.dual += block.state.dual;
    mean_exponent += block.exponent;
  }
  if (count == 0) return false;
  const OldBlock* const one = same != nullptr ? same : near;
  state = one != nullptr ? one->state : BlockState{mean.force / count, mean.dual / count};
  exponent = one != nullptr ? one->exponent : mean_exponent / count;
  return true;
}

/// Gives all blocks of an island the mean exponent of those that have an old one.
void ContactWarmStart::Data::set_exponents(const ContactProblem& problem) {
  for (const ContactIsland& island : problem.data().islands()) {
    double sum = 0;
    int count = 0;
    for (const int block : island.blocks) {
      if (!known[static_cast<std::size_t>(block)]) continue;
      sum += start.penalty_exponents[block];
      ++count;
    }
    const double mean = count > 0 ? sum / count : ProximalAdmm::kFirstExponent;
    for (const int block : island.blocks) start.penalty_exponents[block] = mean;
  }
}

ContactWarmStart::ContactWarmStart() : data_(std::make_unique<Data>()) {}
ContactWarmStart::~ContactWarmStart() = default;
ContactWarmStart::ContactWarmStart(ContactWarmStart&&) noexcept = default;
ContactWarmStart& ContactWarmStart::operator=(ContactWarmStart&&) noexcept = default;

void ContactWarmStart::clear() { data_->old.clear(); }

void ContactWarmStart::keep(const ContactProblem& problem, std::span<const ContactFeature> features,
                            const ContactSolution& solution) {
  check_features(problem, features);
  check_warm_start(problem, solution);
  const std::vector<ContactBlock>& blocks = problem.blocks();
  const bool has_dual = solution.dual_velocity.size() == problem.rows(),
             has_exponents = solution.penalty_exponents.size() ==
                             static_cast<Eigen::Index>(blocks.size());
  data_->old.clear();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const ContactFeature& feature = features[i];
    BlockState state;
    state.force = to_pair(solution.force, blocks[i], feature.frame);
    if (has_dual) state.dual = to_pair(solution.dual_velocity, blocks[i], feature.frame);
    data_->old.push_back({feature.pair, feature.feature, static_cast<int>(i), blocks[i].kind,
                          feature.point, state,
                          has_exponents ? solution.penalty_exponents[static_cast<Eigen::Index>(i)]
                                        : solution.penalty_exponent});
  }
  std::sort(data_->old.begin(), data_->old.end(), ByKey());
}

const ContactSolution& ContactWarmStart::start(const ContactProblem& problem,
                                               std::span<const ContactFeature> features) {
  check_features(problem, features);
  ContactSolution& start = data_->start;
  const std::vector<ContactBlock>& blocks = problem.blocks();
  set_start_force(blocks, problem.rows(), start.force);
  start.dual_velocity.setZero(problem.rows());
  start.penalty_exponents.resize(static_cast<Eigen::Index>(blocks.size()));
  data_->known.assign(blocks.size(), 0);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    BlockState state;
    double exponent = 0;
    if (!data_->find(features[i], blocks[i].kind, state, exponent)) continue;
    // the friction coefficient and the bounds may have changed
    set_block_value(start.force, blocks[i],
                    project_block(blocks[i], from_pair(state.force, blocks[i], features[i].frame)));
    set_block_value(start.dual_velocity, blocks[i],
                    from_pair(state.dual, blocks[i], features[i].frame));
    start.penalty_exponents[static_cast<Eigen::Index>(i)] = exponent;
    data_->known[i] = 1;
  }
  data_->set_exponents(problem);
  start.penalty_exponent = ProximalAdmm::kFirstExponent;
  return start;
}

}  // namespace tactum
