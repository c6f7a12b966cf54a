// SPDX-License-Identifier: BSD-2-Clause
// Contact forces by ten solvers of four contact models, which share one residual.
//
// Symbols    The velocity is s = (G + R) f + g. K is the friction cone of a block and K* its dual
//            cone; Gamma(s) = (0, 0, mu |s_T|) (de Saxce and Feng 1998).
// ncp        K contains f, which is orthogonal to s + Gamma(s) in K*: the laws of Signorini, of
//            Coulomb and of maximum dissipation.
// ccp        K contains f, which is orthogonal to s in K*. The problem is convex, and sliding
//            contacts lift off with s_N = mu |s_T|.
// lcp        The model is the ncp with a polygon in place of the disc |f_T| <= mu f_N.
// raisim     s_N is 0, and f has the least energy on the cone in that plane. Contacts do not slide
//            quite against their force.
// Source     Numbers of algorithms, tables and equations are those of Le Lidec et al., Contact
//            Models in Robotics: a Comparative Analysis (2023).
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tactum/batch.hpp"
#include "tactum/contact_problem.hpp"

namespace tactum {

enum class ContactModel : std::uint8_t { lcp, ccp, raisim, ncp };

/// The names are those of the algorithms that the solvers grew from. All return the best force that
/// they met. SolveOptions::as_printed runs the algorithms themselves.
enum class ContactSolver : std::uint8_t {
  lcp_pgs,         ///< Alg. 1, with stiction tried first and 1 over the largest eigenvalue as the
                   ///< tangential step
  lcp_staggered,   ///< Alg. 6 with polygons, which averages where its two programs turn in circles
  ccp_pgs,         ///< Alg. 2, with steps of at most 3/2 over the largest eigenvalue
  ccp_newton,      ///< Newton's method on MuJoCo's regularized dual problem, in proximal steps
  ccp_admm,        ///< Alg. 3 in the scale of the blocks, which ends in proximal Newton steps
  raisim,          ///< Alg. 4, with the least energy of all angles and steps that become shorter
  raisim_desaxce,  ///< Alg. 4 with maximum dissipation; its model is the ncp
  ncp_pgs,         ///< Alg. 5, changed as lcp_pgs is
  ncp_staggered,   ///< Alg. 6, changed as lcp_staggered is
  ncp_admm,        ///< Alg. 3 with the shift Gamma, which ends in Newton's method on accelerated
                   ///< shifts and, where that fails, on the modes that Gauss-Seidel finds; with a
                   ///< warm start, Newton's method and interior points come before Alg. 3
};
inline constexpr int contact_solver_count = 10;

std::string_view to_string(ContactSolver solver);
/// Model whose residual a solver lowers.
ContactModel model_of(ContactSolver solver);

/// How a solve ended. Above the tolerance the force is the best one that was met, or the last one
/// where the caller asked for a relative stop that was met.
enum class ContactStatus : std::uint8_t {
  converged,       ///< the residual is at most the tolerance
  max_iterations,  ///< the iterations were used up above the tolerance
  invalid_input,   ///< this problem of a batch could not be solved
  stalled,     ///< the steps became small above the tolerance, or the solver found no better force:
               ///< more iterations would not help
  infeasible,  ///< above the tolerance, and proved to have no solution in any model: a push that
               ///< moves nothing meets rows that close. The form of solve() that returns the
               ///< solution and solve_many() look for the proof, in problems of at most 300 rows
               ///< that it may use: the normals of contacts and all rows of other blocks, but for
               ///< box forces.
};
std::string_view to_string(ContactStatus status);

/// Motion of a contact under the solved force. For a block with one row, `sticking` means that its
/// constraint holds (s = 0), and `sliding` that a box force is at a bound.
enum class ContactMode : std::uint8_t { breaking, sticking, sliding };
std::string_view to_string(ContactMode mode);

/// The polygon that the lcp model puts around the disc |f_T| <= mu f_N. It has `facets` tangents,
/// the first of which is at `angle` from the first axis.
struct FrictionPolygon {
  int facets = 4;      ///< 3 to 64
  double angle = 0.0;  ///< rad
};

/// How far a force is from solving a model: the largest numbers of all blocks.
struct ContactResidual {
  double primal = 0.0;           ///< distance of f from its cone
  double dual = 0.0;             ///< distance of the velocity from the dual cone
  double complementarity = 0.0;  ///< power |f . s| that should be 0
  double worst() const;          ///< largest of the three
};

/// Largest amounts by which a block breaks the principles of Table II.
struct ContactPrinciples {
  double signorini = 0.0;    ///< |f_N s_N|, -f_N or -s_N, whichever is largest
  double coulomb = 0.0;      ///< |f_T| - mu f_N
  double dissipation = 0.0;  ///< |f_T + mu f_N s_T/|s_T|| for blocks that slide
};

/// Residual of a force in a model, from fresh velocities. `regularization` is that of SolveOptions.
ContactResidual contact_residual(const ContactProblem& problem, const Eigen::VectorXd& force,
                                 ContactModel model = ContactModel::ncp,
                                 const FrictionPolygon& polygon = {}, double regularization = 0.0);

/// Amounts by which a force breaks the principles of contact, from fresh velocities.
ContactPrinciples contact_principles(const ContactProblem& problem, const Eigen::VectorXd& force);

/// Norm |(I - G^+ G) f| of the part of the force that moves nothing. It costs a factorization of G.
double internal_force(const ContactProblem& problem, const Eigen::VectorXd& force);

struct ContactSolution;

struct SolveOptions {
  ContactSolver solver = ContactSolver::ncp_admm;
  double tolerance = 1e-8;  ///< largest residual of the solver's model that counts as converged
  /// If positive, the solver stops as well where the largest change of the force in an iteration is
  /// at most this share of the largest force. A small step is not a small residual: such a stop
  /// above the tolerance is `stalled`.
  double relative_tolerance = 0.0;
  int max_iterations = 1000;
  double over_relaxation = 1.0;  ///< in (0, 2)
  double regularization = 0.0;   ///< share of the diagonal of G that is added to R, as MuJoCo does;
                                 ///< it makes the force unique
  FrictionPolygon polygon = {};  ///< polygon of the lcp solvers
  bool polish = false;           ///< run Newton's method on the active set afterwards, to rounding
  /// Run the survey's algorithm of that name as it is printed: a plain loop with its steps and its
  /// stopping rule, from zero or the force of the warm start; the answer is the last iterate. For
  /// claims about the survey, not for use. ccp_newton and raisim_desaxce are not in it; ncp_admm is
  /// Alg. 3 with Gamma in its linear term. docs/theory/04-contact-forces.md has what it leaves
  /// open.
  bool as_printed = false;
  bool history = false;                         ///< keep the residual after every iteration
  const ContactSolution* warm_start = nullptr;  ///< a solution of a similar problem with as many
                                                ///< rows
};

struct ContactSolution {
  Eigen::VectorXd force;
  Eigen::VectorXd velocity;  ///< (G + R) f + g
  ContactStatus status = ContactStatus::max_iterations;
  int iterations = 0;     ///< iterations of the island that took most
  int islands = 0;        ///< number of independent groups of blocks, which are solved apart
  double residual = 0.0;  ///< worst of primal, dual and complementarity
  double primal = 0.0;    ///< in the solver's own model, with the regularization of the options
  double dual = 0.0;
  double complementarity = 0.0;
  double ncp_residual = 0.0;  ///< worst residual of the ncp, without regularization
  double signorini = 0.0;
  double coulomb = 0.0;
  double dissipation = 0.0;
  std::vector<ContactMode> modes;  ///< one for each block
  Eigen::VectorXd mode_margin;     ///< distance of each block from the next mode, as a share of the
                                   ///< force at stake there; 0 on the boundary
  std::vector<double> history;
  // warm starts and derivatives need to know how the solution was made
  ContactSolver solver = ContactSolver::ncp_admm;
  double regularization = 0.0;
  FrictionPolygon polygon = {};
  bool polished = false;              ///< the polish was asked for and lowered the residual
  Eigen::VectorXd dual_velocity;      ///< multiplier of ADMM, or the vector that it would tend to
  double penalty_exponent = 0.0;      ///< proximal parameter of ADMM, of the last island
  Eigen::VectorXd penalty_exponents;  ///< proximal parameter of the island of each block; a warm
                                      ///< start that has none begins with `penalty_exponent`
};

/// Scratch of solve(). If it is kept, problems of the same size allocate nothing but the scratch of
/// large factorizations.
class ContactWorkspace {
 public:
  ContactWorkspace();
  ~ContactWorkspace();
  ContactWorkspace(ContactWorkspace&&) noexcept;
  ContactWorkspace& operator=(ContactWorkspace&&) noexcept;
  struct Data;
  Data& data() { return *data_; }

 private:
  std::unique_ptr<Data> data_;
};

/// Solves a problem. It always ends, with finite numbers. Throws InvalidInput for bad options.
ContactSolution solve(const ContactProblem& problem, const SolveOptions& options = {});
void solve(const ContactProblem& problem, const SolveOptions& options, ContactWorkspace& work,
           ContactSolution& solution);

struct SolveManyOptions {
  int num_threads = 0;                     ///< most threads; 0 means as many as the machine has
  std::function<bool()> interrupted = {};  ///< asked now and then on the calling thread; true ends
                                           ///< the call early
};

/// Solves problems of any sizes on all cores. Each solution has the bits and the status that the
/// form of solve() gives that returns its solution. There
/// is one pointer to a warm start for each problem, or none at all. Returns false when it was
/// interrupted. Throws InvalidInput before anything is solved.
bool solve_many(std::span<const ContactProblem> problems, const SolveOptions& options,
                const SolveManyOptions& many, std::span<const ContactSolution* const> warm_starts,
                BatchWorkspace& work, std::span<ContactSolution> solutions);

}  // namespace tactum
