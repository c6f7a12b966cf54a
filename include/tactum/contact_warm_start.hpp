// SPDX-License-Identifier: BSD-2-Clause
// A warm start for a contact problem whose contacts are not those of the last one: some have
// appeared, some have gone, and the frames of the others have turned.
//
// Same       A block of the same kind with the same pair and feature is the same contact. Its force
//            is turned into the new frame; so is its multiplier of ADMM.
// New        A block without such a partner takes the force of the nearest old point of its pair
//            within a tenth of the size of the pair, else the mean force of the pair, else zero.
// Islands    Each island begins with the mean proximal parameter of the blocks that it takes
//            forces from.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "tactum/contact_solver.hpp"
#include "tactum/pose.hpp"

namespace tactum {

/// The names and the place of a block, by which a warm start finds it again.
struct ContactFeature {
  std::int64_t pair = 0;            ///< number of the two bodies, or of the joint
  std::int64_t feature = 0;         ///< number of the contact within its pair
  Vector3 point = Vector3::Zero();  ///< place of the contact in m, in any frame that all contacts
                                    ///< of the pair share
  Matrix3 frame = Matrix3::Identity();  ///< its columns are the axes of the three rows, in the same
                                        ///< frame; blocks of one row do not read it
  double pair_size = 0.0;               ///< size of the pair in m; 0 where it is not known
};

/// Keeps the last solution, and turns it into a start for the next problem. Its memory is used
/// again.
class ContactWarmStart {
 public:
  ContactWarmStart();
  ~ContactWarmStart();
  ContactWarmStart(ContactWarmStart&&) noexcept;
  ContactWarmStart& operator=(ContactWarmStart&&) noexcept;

  /// Keeps a solution of a problem, with one feature for each block, in place of the last one.
  /// Throws InvalidInput where sizes do not fit or numbers are not finite.
  void keep(const ContactProblem& problem, std::span<const ContactFeature> features,
            const ContactSolution& solution);

  /// Start for a problem with one feature for each block: `force`, `dual_velocity` and
  /// `penalty_exponents` of a solution that SolveOptions::warm_start can point to. It is valid
  /// until the next call. Throws InvalidInput where sizes do not fit or numbers are not finite.
  const ContactSolution& start(const ContactProblem& problem,
                               std::span<const ContactFeature> features);

  /// Forgets the solution: the next start is zero.
  void clear();

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace tactum
