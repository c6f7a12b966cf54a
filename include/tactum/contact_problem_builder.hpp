// SPDX-License-Identifier: BSD-2-Clause
// A contact problem that is built block by block, without a dense matrix, into memory that is used
// again. A simulator builds one in every step.
//
// Bodies     A body is a group of motions whose mass matrix has a factor of its own: a free body
//            with six motions, a robot with all of its joints, or a branch of a robot.
// Entry      A block has one entry W = L^-1 J^T for each body that it moves. J (rows of the block x
//            motions of the body) is the part of the Jacobian, and L the lower Cholesky factor of
//            the mass matrix of the body, M = L L^T. Any other W with W^T W = J M^-1 J^T does, such
//            as D^-1/2 U^-1 J^T for M = U D U^T.
// Islands    Blocks that no body connects are solved apart; the builder finds them.
#pragma once

#include <Eigen/Core>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "tactum/contact_problem.hpp"

namespace tactum {

/// Where the caller writes the numbers of a block. All of them are 0 at first. The memory is valid
/// until the next call of the builder.
class ContactBlockMemory {
 public:
  Eigen::Map<Eigen::VectorXd> g;  ///< velocity of the rows without contact forces
  Eigen::Map<Eigen::VectorXd> R;  ///< compliance of the rows, >= 0
  /// Entry of the k-th body of the block: motions of that body x rows of the block.
  Eigen::Map<Eigen::MatrixXd> W(int k) const;

 private:
  friend class ContactProblemBuilder;
  ContactBlockMemory(double* g_, double* R_, double* W_, std::span<const int> motions, int rows)
      : g(g_, rows), R(R_, rows), W_first_(W_), motions_(motions), rows_(rows) {}
  double* W_first_;
  std::span<const int> motions_;  ///< of each body of the block
  int rows_;
};

class ContactProblemBuilder {
 public:
  /// `full` checks what is given: sizes, bodies and numbers. `none` leaves that to assertions of
  /// debug builds, for a caller who knows that everything is right.
  enum class Checks : bool { none, full };

  explicit ContactProblemBuilder(Checks checks = Checks::full);
  ~ContactProblemBuilder();
  ContactProblemBuilder(ContactProblemBuilder&&) noexcept;
  ContactProblemBuilder& operator=(ContactProblemBuilder&&) noexcept;

  /// Begins a problem with the number of motions of each body. Its memory is that of the last
  /// problem, unless somebody holds a copy of it. Throws InvalidInput for a body without motions.
  void start(std::span<const int> motions_of_body);

  /// Puts bodies into one island, whether blocks join them or not: the branches of one robot, say,
  /// so that its island stays the same from step to step and keeps its memory. Throws InvalidInput
  /// for a body that is none.
  void unite(std::span<const int> bodies);

  /// Adds a block that moves different bodies: the two of a contact, one body on something fixed,
  /// or all that a loop closes over; a block may move nothing. `block.row` is not read: rows are
  /// numbered as blocks are added. Throws InvalidInput for a kind, body, friction coefficient or
  /// bound that is none.
  ContactBlockMemory add_block(const ContactBlock& block, std::span<const int> bodies);
  ContactBlockMemory add_block(const ContactBlock& block, std::initializer_list<int> bodies) {
    return add_block(block, std::span(bodies.begin(), bodies.size()));
  }

  /// Ends the problem, which stays as it is until the next start(); a copy of it stays for good.
  /// Throws InvalidInput for numbers that are not finite or too large, and for a negative R.
  const ContactProblem& finish();

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace tactum
