// SPDX-License-Identifier: BSD-2-Clause
// The contact problem asks which forces keep bodies apart and slow their sliding.
//
// Unknown    The force f has one entry for each constraint row; the velocity is s = (G + R) f + g.
// G          The Delassus matrix J M^-1 J^T says how a force changes the velocities. It is
//            symmetric and positive semidefinite.
// g          This is the velocity of the rows without contact forces, with whatever is asked for
//            beyond s >= 0 (contact_free_velocity).
// R          The compliance is a diagonal >= 0: a row with force f yields by R f.
// Blocks     Rows come in blocks of one kind each. A friction block has three rows: tangent,
//            tangent, normal. Its force lies in the cone |f_T| <= mu f_N.
// Units      They are N and m/s, or N s and m, or any other pair that G connects.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "tactum/status.hpp"

namespace tactum {

/// The kinds of blocks of rows.
enum class ContactKind : std::uint8_t {
  friction,      ///< 3 rows: tangent, tangent, normal; |f_T| <= mu f_N
  frictionless,  ///< 1 row: f >= 0, s >= 0, f s = 0
  limit,         ///< 1 row: f >= 0, s >= 0, f s = 0, of a joint limit
  box,  ///< 1 row: lower <= f <= upper; s > 0 only at the lower bound, s < 0 only at the upper
  bilateral,  ///< 1 row: any force, s = 0
};

std::string_view to_string(ContactKind kind);

/// Number of rows of a block of that kind: 3 or 1.
constexpr int row_count(ContactKind kind) { return kind == ContactKind::friction ? 3 : 1; }

/// One block of a problem.
struct ContactBlock {
  ContactKind kind = ContactKind::friction;
  int row = 0;         ///< first row
  double mu = 0.0;     ///< friction coefficient of a friction block
  double lower = 0.0;  ///< smallest force of a box block
  double upper = 0.0;  ///< largest force of a box block
};

using BoundsMatrix = Eigen::Matrix<double, Eigen::Dynamic, 2>;

/// Everything that defines a problem besides G. `mu` and `bounds` have one entry for each block, of
/// which those of other kinds are not read, or one entry for each block that needs it.
struct ContactTerms {
  Eigen::VectorXd g;
  Eigen::VectorXd mu = {};
  Eigen::VectorXd R = {};               ///< compliance; 0 where empty
  std::vector<ContactKind> kinds = {};  ///< friction blocks only where empty
  BoundsMatrix bounds = {};             ///< lower and upper, which may be infinite
};

/// A contact problem that was checked once. It is immutable, cheap to copy, and safe to use from
/// many threads.
class ContactProblem {
 public:
  /// Makes a problem from the Delassus matrix. Throws InvalidInput, which names field, index and
  /// value, where sizes do not fit, where numbers are not finite or too large, where G is not
  /// symmetric or not positive semidefinite, where mu or R is negative, and where bounds are in the
  /// wrong order.
  ContactProblem(Eigen::MatrixXd G, ContactTerms terms, bool check_definite = true);

  /// Makes a problem from the Jacobian J (rows x nv) and the lower Cholesky factor L of the mass
  /// matrix, M = L L^T. Everything is computed from W = L^-1 J^T, with G = W^T W; G is formed for
  /// small islands only, where it has no more numbers than W. ContactProblemBuilder makes such a
  /// problem from the parts of W that are not zero.
  static ContactProblem from_operator(const Eigen::MatrixXd& J, const Eigen::MatrixXd& factor,
                                      ContactTerms terms);

  int rows() const;
  const std::vector<ContactBlock>& blocks() const;
  const Eigen::VectorXd& g() const;
  const Eigen::VectorXd& R() const;

  /// Whether the problem holds W instead of G.
  bool is_operator() const;
  const Eigen::MatrixXd& G() const;  ///< throws InvalidInput for a problem that holds W
  const Eigen::MatrixXd& W() const;  ///< throws InvalidInput for a problem made from G or built
                                     ///< block by block
  Eigen::MatrixXd dense_W() const;   ///< W, which is formed for a problem built block by block
  Eigen::MatrixXd dense_G() const;   ///< G, which is formed for a problem that holds W
  Eigen::VectorXd diagonal_G() const;

  /// Velocity of the rows under a force: s = (G + R) f + g.
  Eigen::VectorXd velocity(const Eigen::VectorXd& force) const;

  struct Data;
  const Data& data() const { return *data_; }

 private:
  friend class ContactProblemBuilder;
  explicit ContactProblem(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

/// The parts of the free term g of a contact problem. All velocities are in the frames of the
/// contacts.
struct FreeVelocityTerms {
  Eigen::VectorXd free_velocity;     ///< J v_f after the step without contact forces
  Eigen::VectorXd velocity = {};     ///< J v before the step; 0 where empty
  Eigen::VectorXd separation = {};   ///< signed distance of each block in m; 0 where empty
  Eigen::VectorXd restitution = {};  ///< e of each block, in [0, 1]; 0 where empty
  double time_step = 1e-3;           ///< s
  double position_gain = 0.0;  ///< K_p: one step takes back the share 1 - K_p of a penetration
  double damping_gain = 0.0;   ///< K_d: taken off the restitution
};

/// Free term g of a problem whose unknowns are forces in N. Normal rows of friction and
/// frictionless contacts, and limits, get ((J v_f)_N + d/dt - K_p min(d, 0)/dt + (e - K_d) (J v)_N)
/// / dt; tangential rows get (J v_f)_T / dt. The d of a bilateral row is an error of either sign,
/// of which a step takes back the share 1 - K_p: the row gets (J v_f + (1 - K_p) d/dt) / dt. Box
/// rows get J v_f / dt. Bilateral and box rows neither bounce nor are damped. Throws InvalidInput
/// for wrong sizes, a restitution outside [0, 1], dt <= 0 and numbers that are not finite.
Eigen::VectorXd contact_free_velocity(const std::vector<ContactKind>& kinds,
                                      const FreeVelocityTerms& terms);

/// R = compliance / dt^2 for compliances in m/N, one for each row, and a step dt: a row then yields
/// by its compliance times the force.
Eigen::VectorXd contact_compliance(const Eigen::VectorXd& compliance, double time_step);

}  // namespace tactum
