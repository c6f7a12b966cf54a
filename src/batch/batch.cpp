// SPDX-License-Identifier: BSD-2-Clause
#include "tactum/batch.hpp"

#include <string>

#include "core/thread_team.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

std::size_t num_poses(std::span<const double> values, std::size_t numbers_a_pose,
                      const char* field) {
  if (values.size() % numbers_a_pose != 0)
    throw InvalidInput(field, std::to_string(values.size()) + " numbers",
                       "give " + std::to_string(numbers_a_pose) + " a pose");
  return values.size() / numbers_a_pose;
}

}  // namespace

PoseSpan PoseSpan::from_matrices(std::span<const double> values) {
  return {values.data(), num_poses(values, 16, "matrices"), Form::matrix};
}

PoseSpan PoseSpan::from_xyz_xyzw(std::span<const double> values) {
  return {values.data(), num_poses(values, 7, "xyz_xyzw"), Form::xyz_xyzw};
}

BatchWorkspace::BatchWorkspace() : team_(std::make_unique<ThreadTeam>()) {}
BatchWorkspace::~BatchWorkspace() = default;
BatchWorkspace::BatchWorkspace(BatchWorkspace&&) noexcept = default;
BatchWorkspace& BatchWorkspace::operator=(BatchWorkspace&&) noexcept = default;

}  // namespace tactum
