// SPDX-License-Identifier: BSD-2-Clause
// The contact problem: which forces keep bodies apart, and slow their sliding.
//
// Unknown    force f, one entry for each constraint row; velocity s = (G + R) f + g.
// G          J M^-1 J^T, symmetric and positive semidefinite: how a force changes the velocities
// (Delassus matrix). g          velocity of the rows without contact forces, with whatever is asked
// for beyond s >= 0 (contact_free_velocity). R          compliance, a diagonal >= 0: a row with
// force f yields by R f. Blocks     rows come in blocks of one kind each. A friction block has
// three: tangent, tangent,
//            normal. Its force lies in the cone |f_T| <= mu f_N. Units: N and m/s, or N s and m, or
//            any pair that G connects.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "tactum/status.hpp"

namespace tactum {

/// What a block of rows is.
enum class ContactKind : std::uint8_t {
  friction,      ///< 3 rows: tangent, tangent, normal; |f_T| <= mu f_N
  frictionless,  ///< 1 row: f >= 0, s >= 0, f s = 0
  limit,         ///< 1 row: the same, of a joint limit
  box,  ///< 1 row: lower <= f <= upper; s > 0 only at the lower bound, s < 0 only at the upper
  bilateral,  ///< 1 row: any force, s = 0
};

std::string_view to_string(ContactKind kind);

/// 3 or 1.
int row_count(ContactKind kind);

/// One block of a problem.
struct ContactBlock {
  ContactKind kind = ContactKind::friction;
  int row = 0;         ///< its first
  double mu = 0.0;     ///< of friction blocks
  double lower = 0.0;  ///< of box blocks
  double upper = 0.0;
};

using BoundsMatrix = Eigen::Matrix<double, Eigen::Dynamic, 2>;

/// Everything but G. `mu` and `bounds` have one entry for each block (those of other kinds are not
/// read), or one for each block that needs them.
struct ContactTerms {
  Eigen::VectorXd g;
  Eigen::VectorXd mu = {};
  Eigen::VectorXd R = {};               ///< empty: 0
  std::vector<ContactKind> kinds = {};  ///< empty: friction blocks only
  BoundsMatrix bounds = {};             ///< lower, upper; infinite ones are allowed
};

/// Validated once, immutable, cheap to copy. Safe to use from many threads.
class ContactProblem {
 public:
  /// From the Delassus matrix. Throws InvalidInput with field, index and value: wrong sizes,
  /// numbers that are not finite or too large, G not symmetric or not positive semidefinite,
  /// negative mu or R, bounds in the wrong order.
  ContactProblem(Eigen::MatrixXd G, ContactTerms terms, bool check_definite = true);

  /// From the Jacobian J (rows x nv) and the lower Cholesky factor L of the mass matrix, M = L L^T.
  /// G is never formed: everything is computed from W = L^-1 J^T, with G = W^T W.
  static ContactProblem from_operator(const Eigen::MatrixXd& J, const Eigen::MatrixXd& factor,
                                      ContactTerms terms);

  int rows() const;
  const std::vector<ContactBlock>& blocks() const;
  const Eigen::VectorXd& g() const;
  const Eigen::VectorXd& R() const;

  /// Whether it holds W instead of G.
  bool is_operator() const;
  const Eigen::MatrixXd& G() const;  ///< of a dense problem
  const Eigen::MatrixXd& W() const;  ///< of an operator
  Eigen::MatrixXd dense_G() const;   ///< formed where it is an operator
  Eigen::VectorXd diagonal_G() const;

  /// s = (G + R) f + g.
  Eigen::VectorXd velocity(const Eigen::VectorXd& force) const;

  struct Data;
  const Data& data() const { return *data_; }

 private:
  explicit ContactProblem(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

/// What makes up the free term g of a friction or unilateral contact. All velocities in the frame
/// of the contact.
struct FreeVelocityTerms {
  Eigen::VectorXd free_velocity;     ///< J v_f: after the step without contact forces
  Eigen::VectorXd velocity = {};     ///< J v: before the step; empty: 0
  Eigen::VectorXd separation = {};   ///< signed distance of each block, m; empty: 0
  Eigen::VectorXd restitution = {};  ///< e of each block, in [0, 1]; empty: 0
  double time_step = 1e-3;           ///< s
  double position_gain = 0.0;  ///< K_p: share of a penetration that one step takes back is 1 - K_p;
                               ///< 0: all of it
  double damping_gain = 0.0;   ///< K_d
};

/// g with g_N = (J v_f)_N + d/dt - K_p min(d, 0)/dt + (e - K_d) (J v)_N, all divided by dt so that
/// the unknowns are forces in N, for friction and frictionless contacts and limits; tangential rows
/// (J v_f)_T / dt. Of a bilateral row d is an error of either sign, of which a step takes back the
/// share 1 - K_p: ((J v_f) + (1 - K_p) d/dt) / dt. Box rows (J v_f) / dt. Neither bounces or is
/// damped. Throws InvalidInput on sizes, restitution outside [0, 1], dt <= 0 and numbers that are
/// not finite.
Eigen::VectorXd contact_free_velocity(const std::vector<ContactKind>& kinds,
                                      const FreeVelocityTerms& terms);

/// R of compliances in m/N (one for each row) for a step dt: a row then yields by its compliance
/// times the force. R = compliance / dt^2.
Eigen::VectorXd contact_compliance(const Eigen::VectorXd& compliance, double time_step);

}  // namespace tactum
