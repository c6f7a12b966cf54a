// SPDX-License-Identifier: BSD-2-Clause
// Contact forces: four contact models, ten solvers, one residual.
//
// Models     s = (G + R) f + g, cone K of each block, dual cone K*, Gamma(s) = (0, 0, mu |s_T|) (de
//            Saxce and Feng 1998). ncp K contains f, orthogonal to s + Gamma(s), which is in K*:
//            Signorini, Coulomb, maximum dissipation ccp K contains f, orthogonal to s in K*:
//            convex; sliding contacts lift off with s_N = mu |s_T| lcp as ncp with a polygon in
//            place of the disc |f_T| <= mu f_N raisim s_N = 0 and, in that plane, the least energy
//            on the cone: slides not quite against s_T
// Numbers of algorithms, tables and equations: Le Lidec et al., Contact Models in Robotics: a
// Comparative Analysis (2023).
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

enum class ContactSolver : std::uint8_t {
  lcp_pgs,         ///< Alg. 1
  lcp_staggered,   ///< Alg. 6 with polygons
  ccp_pgs,         ///< Alg. 2
  ccp_newton,      ///< Newton on the dual of MuJoCo's regularized problem, inside proximal steps
  ccp_admm,        ///< Alg. 3
  raisim,          ///< Alg. 4
  raisim_desaxce,  ///< Alg. 4 with maximum dissipation: its model is ncp
  ncp_pgs,         ///< Alg. 5
  ncp_staggered,   ///< Alg. 6
  ncp_admm,        ///< Alg. 3 with the shift Gamma
};
inline constexpr int contact_solver_count = 10;

std::string_view to_string(ContactSolver solver);
ContactModel model_of(ContactSolver solver);

/// How a solve ended. Above the tolerance the force is the best one met, or the last one where a
/// relative stop was asked for and met.
enum class ContactStatus : std::uint8_t {
  converged,       ///< the residual is at most the tolerance: nothing else is called so
  max_iterations,  ///< the iterations were used up above the tolerance
  invalid_input,   ///< only in batches: this problem could not be solved
  stalled,  ///< above the tolerance the steps became small, or the solver found no more: more
            ///< iterations would not help
};
std::string_view to_string(ContactStatus status);

/// Of a block with one row, `sticking` means that its constraint holds (s = 0) and `sliding` that a
/// box force is at a bound.
enum class ContactMode : std::uint8_t { breaking, sticking, sliding };
std::string_view to_string(ContactMode mode);

/// The polygon that the lcp model puts around the disc |f_T| <= mu f_N: `facets` tangents, the
/// first at `angle` from the first axis.
struct FrictionPolygon {
  int facets = 4;      ///< 3 to 64
  double angle = 0.0;  ///< rad
};

/// How far a force is from solving a model. Largest over all blocks.
struct ContactResidual {
  double primal = 0.0;           ///< distance of f from its cone
  double dual = 0.0;             ///< distance of the velocity from the dual cone
  double complementarity = 0.0;  ///< power |f . s| that should be 0
  double worst() const;
};

/// Principles of the survey's Table II, each as the largest amount by which a block breaks it.
struct ContactPrinciples {
  double signorini = 0.0;    ///< |f_N s_N| with f_N or s_N below 0 counted as well
  double coulomb = 0.0;      ///< |f_T| - mu f_N
  double dissipation = 0.0;  ///< |f_T + mu f_N s_T/|s_T|| of blocks that slide
};

/// The residual of a force in a model, from fresh velocities. `regularization` as in SolveOptions.
ContactResidual contact_residual(const ContactProblem& problem, const Eigen::VectorXd& force,
                                 ContactModel model = ContactModel::ncp,
                                 const FrictionPolygon& polygon = {}, double regularization = 0.0);

ContactPrinciples contact_principles(const ContactProblem& problem, const Eigen::VectorXd& force);

/// |(I - G^+ G) f|: the part of the force that moves nothing. Costs a factorization of G.
double internal_force(const ContactProblem& problem, const Eigen::VectorXd& force);

struct ContactSolution;

struct SolveOptions {
  ContactSolver solver = ContactSolver::ncp_admm;
  double tolerance = 1e-8;  ///< of the worst residual of the solver's model
  /// Stops as well where the largest change of the force in an iteration is at most this share of
  /// the largest force; 0: not asked. A small step is no small residual: such a stop above the
  /// tolerance is `stalled`.
  double relative_tolerance = 0.0;
  int max_iterations = 1000;
  double over_relaxation = 1.0;  ///< in (0, 2)
  double regularization = 0.0;   ///< adds this share of the diagonal of G to R: MuJoCo's shift, and
                                 ///< one answer where many exist
  FrictionPolygon polygon = {};  ///< of the lcp solvers
  bool polish = false;           ///< Newton on the active set afterwards, down to rounding
  bool history = false;          ///< residual after every iteration
  const ContactSolution* warm_start = nullptr;  ///< a solution of a similar problem with as many
                                                ///< rows
};

struct ContactSolution {
  Eigen::VectorXd force;
  Eigen::VectorXd velocity;  ///< (G + R) f + g
  ContactStatus status = ContactStatus::max_iterations;
  int iterations = 0;     ///< of the island that took most
  int islands = 0;        ///< independent groups of blocks, solved apart
  double residual = 0.0;  ///< worst of the three
  double primal = 0.0;    ///< of the solver's own model, with the regularization that was asked for
  double dual = 0.0;
  double complementarity = 0.0;
  double ncp_residual = 0.0;  ///< worst residual of the ncp, without regularization
  double signorini = 0.0;
  double coulomb = 0.0;
  double dissipation = 0.0;
  std::vector<ContactMode> modes;  ///< one for each block
  Eigen::VectorXd mode_margin;     ///< of each block: to the next mode, as a share of the force at
                                   ///< stake there; 0 on the boundary
  std::vector<double> history;
  // what made it, for warm starts and derivatives
  ContactSolver solver = ContactSolver::ncp_admm;
  double regularization = 0.0;
  FrictionPolygon polygon = {};
  bool polished = false;          ///< the polish was asked for and lowered the residual
  Eigen::VectorXd dual_velocity;  ///< the multiplier of ADMM, or what it would tend to
  double penalty_exponent = 0.0;  ///< the proximal parameter of ADMM
};

/// Scratch of solve(); keep it and problems of the same size allocate nothing but what Eigen takes
/// for large factorizations.
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

/// Throws InvalidInput on bad options. Always ends, with finite numbers.
ContactSolution solve(const ContactProblem& problem, const SolveOptions& options = {});
void solve(const ContactProblem& problem, const SolveOptions& options, ContactWorkspace& work,
           ContactSolution& solution);

struct SolveManyOptions {
  int num_threads = 0;                     ///< at most; 0: all that the machine has
  std::function<bool()> interrupted = {};  ///< asked now and then on the calling thread; true ends
                                           ///< the call early
};

/// Problems of any sizes on all cores, each with the bits of solve(). Warm starts: one pointer for
/// each problem, or none. Returns false when it was interrupted. Throws InvalidInput before
/// anything is solved.
bool solve_many(std::span<const ContactProblem> problems, const SolveOptions& options,
                const SolveManyOptions& many, std::span<const ContactSolution* const> warm_starts,
                BatchWorkspace& work, std::span<ContactSolution> solutions);

}  // namespace tactum
