// SPDX-License-Identifier: BSD-2-Clause
// The checks of a contact problem. Solvers rely on them for finite numbers of moderate size and a
// semidefinite matrix.
//
// Definite   G is scaled to a unit diagonal first, so that light and heavy bodies count alike. Then
//            G plus 1e-8 times the identity must have a Cholesky factor. That costs n^3/3, as one
//            factorization of a solver does; check_definite = false leaves it out.
#include "tactum/contact_problem.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/format_number.hpp"
#include "solver/linear/dense_cholesky.hpp"
#include "solver/problem/delassus.hpp"
#include "solver/problem/dense_operator.hpp"
#include "solver/problem/islands.hpp"
#include "solver/problem/problem_checks.hpp"
#include "solver/problem/regularization.hpp"
#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

constexpr double kSymmetryTolerance = 1e-8;  // relative to the diagonal entries of the two rows
constexpr double kDefiniteTolerance = 1e-8;

void check_vector(const Eigen::VectorXd& values, const std::string& field, double least,
                  double most, const char* remedy) {
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    if (!(std::isfinite(values[i]) && values[i] >= least && values[i] <= most))
      throw InvalidInput(entry_name(field, i), exact_text(values[i]), remedy);
  }
}

void check_matrix(const Eigen::MatrixXd& values, const std::string& field) {
  for (Eigen::Index j = 0; j < values.cols(); ++j) {
    check_interrupt();
    for (Eigen::Index i = 0; i < values.rows(); ++i) {
      if (!is_number(values(i, j)))
        throw InvalidInput(entry_name(field, i, j), exact_text(values(i, j)),
                           "give finite numbers of at most 1e30");
    }
  }
}

/// Index of the value of a block, where values are given for each block, or only for each block of
/// the kind that reads them.
int value_index(Eigen::Index given, int blocks, int block, int nth_of_kind) {
  return given == blocks ? block : nth_of_kind;
}

void check_count(Eigen::Index given, int blocks, int of_kind, const char* field, const char* kind) {
  if (given == of_kind || given == blocks) return;
  const std::string each = std::to_string(of_kind) + ", one for each " + kind + " block";
  throw InvalidInput(
      field, given == 0 ? "none" : std::to_string(given) + " entries",
      "give " +
          (blocks == of_kind ? each : std::to_string(blocks) + ", one for each block, or " + each));
}

std::vector<ContactBlock> make_blocks(const ContactTerms& terms, Eigen::Index rows) {
  const std::vector<ContactKind> all_friction(
      terms.kinds.empty() ? static_cast<std::size_t>(rows / 3) : 0, ContactKind::friction);
  const std::vector<ContactKind>& kinds = terms.kinds.empty() ? all_friction : terms.kinds;
  if (terms.kinds.empty() && rows % 3 != 0)
    throw InvalidInput("ContactProblem.g", std::to_string(rows) + " rows",
                       "give a multiple of 3, or the kinds of the blocks");
  std::vector<ContactBlock> blocks(kinds.size());
  int row = 0, friction = 0, boxes = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    check_kind(kinds[i], "ContactProblem.kinds", static_cast<Eigen::Index>(i));
    blocks[i] = {.kind = kinds[i], .row = row};
    row += row_count(kinds[i]);
    friction += kinds[i] == ContactKind::friction;
    boxes += kinds[i] == ContactKind::box;
  }
  if (row != rows)
    throw InvalidInput("ContactProblem.g", std::to_string(rows) + " rows",
                       "give " + std::to_string(row) + " rows, as many as the kinds have");
  const int count = static_cast<int>(blocks.size());
  check_count(terms.mu.size(), count, friction, "ContactProblem.mu", "friction");
  check_count(terms.bounds.rows(), count, boxes, "ContactProblem.bounds", "box");
  int nth_friction = 0, nth_box = 0;
  for (int i = 0; i < count; ++i) {
    if (blocks[i].kind == ContactKind::friction) {
      const int at = value_index(terms.mu.size(), count, i, nth_friction++);
      blocks[i].mu = terms.mu[at];
      check_friction(blocks[i].mu, "ContactProblem.mu", at);
    } else if (blocks[i].kind == ContactKind::box) {
      const int at = value_index(terms.bounds.rows(), count, i, nth_box++);
      blocks[i].lower = terms.bounds(at, 0);
      blocks[i].upper = terms.bounds(at, 1);
      check_bounds(blocks[i].lower, blocks[i].upper, "ContactProblem.bounds", at);
    }
  }
  return blocks;
}

/// Makes G symmetric to the last bit. Throws InvalidInput where it is not symmetric, or where an
/// entry is too large for a semidefinite matrix.
void check_symmetric(Eigen::MatrixXd& G) {
  const double largest = G.size() > 0 ? G.diagonal().maxCoeff() : 0.0;
  for (Eigen::Index i = 0; i < G.cols(); ++i) {
    if (G(i, i) < 0)
      throw InvalidInput(entry_name("ContactProblem.G", i, i), exact_text(G(i, i)),
                         "give a positive semidefinite matrix");
  }
  for (Eigen::Index j = 0; j < G.cols(); ++j) {
    check_interrupt();
    for (Eigen::Index i = j + 1; i < G.rows(); ++i) {
      const double mean = 0.5 * (G(i, j) + G(j, i)),
                   scale = std::sqrt(G(i, i)) * std::sqrt(G(j, j));
      if (std::abs(G(i, j) - G(j, i)) > kSymmetryTolerance * (scale + 1e-8 * largest))
        throw InvalidInput(
            entry_name("ContactProblem.G", i, j), exact_text(G(i, j)),
            "give a symmetric matrix; the entry across the diagonal is " + exact_text(G(j, i)));
      if (std::abs(mean) > scale * (1 + kDefiniteTolerance) + 1e-16 * largest)
        throw InvalidInput(entry_name("ContactProblem.G", i, j), exact_text(G(i, j)),
                           "give a positive semidefinite matrix: at most the geometric mean of the "
                           "two diagonal entries, " +
                               exact_text(scale));
      G(i, j) = G(j, i) = mean;
    }
  }
}

void check_semidefinite(const Eigen::MatrixXd& G) {
  if (G.size() == 0) return;
  const Eigen::ArrayXd scale =
      (G.diagonal().array() > 0).select(G.diagonal().array().max(1e-300).rsqrt(), 1.0);
  Eigen::MatrixXd scaled = scale.matrix().asDiagonal() * G * scale.matrix().asDiagonal();
  scaled.diagonal().array() += kDefiniteTolerance;
  Eigen::MatrixXd factor = scaled;
  const Eigen::Index done = factorize_dense(factor);
  if (done == G.cols()) return;
  const Eigen::Index bad = first_bad_pivot(scaled, factor, done);
  throw InvalidInput(
      entry_name("ContactProblem.G", bad, bad), exact_text(G(bad, bad)),
      "give a positive semidefinite matrix: the rows up to this one have a negative eigenvalue");
}

ContactProblem::Data make_data(ContactTerms& terms, Eigen::Index columns, const char* matrix_name) {
  ContactProblem::Data data;
  if (terms.g.size() != columns)
    throw InvalidInput(
        "ContactProblem.g", std::to_string(terms.g.size()) + " rows",
        "give as many rows as " + std::string(matrix_name) + " has, " + std::to_string(columns));
  check_vector(terms.g, "ContactProblem.g", -kLargestNumber, kLargestNumber,
               "give finite numbers of at most 1e30");
  data.blocks = make_blocks(terms, columns);
  if (terms.R.size() == 0)
    data.R = Eigen::VectorXd::Zero(columns);
  else
    data.R = std::move(terms.R);
  if (data.R.size() != columns)
    throw InvalidInput("ContactProblem.R", std::to_string(data.R.size()) + " entries",
                       "give one entry for each row, or none");
  check_vector(data.R, "ContactProblem.R", 0.0, kLargestNumber, "give a number from 0 to 1e30");
  data.g = std::move(terms.g);
  return data;
}

/// x <- L^-1 x. It skips the zeros of L and x, which belong to bodies that a contact does not
/// touch.
void solve_lower(const Eigen::MatrixXd& L, Eigen::MatrixXd& x) {
  // last row of each column of L that is not zero
  std::vector<Eigen::Index> last(static_cast<std::size_t>(L.cols()));
  for (Eigen::Index k = 0; k < L.cols(); ++k) {
    Eigen::Index row = L.rows() - 1;
    while (row > k && L(row, k) == 0) --row;
    last[static_cast<std::size_t>(k)] = row;
  }
  for (Eigen::Index j = 0; j < x.cols(); ++j) {
    check_interrupt();
    for (Eigen::Index k = 0; k < L.cols(); ++k) {
      if (x(k, j) == 0) continue;
      x(k, j) /= L(k, k);
      const Eigen::Index below = last[static_cast<std::size_t>(k)] - k;
      x.col(j).segment(k + 1, below) -= x(k, j) * L.col(k).segment(k + 1, below);
    }
  }
}

}  // namespace

std::string_view to_string(ContactKind kind) {
  switch (kind) {
    case ContactKind::friction: return "friction";
    case ContactKind::frictionless: return "frictionless";
    case ContactKind::limit: return "limit";
    case ContactKind::box: return "box";
    case ContactKind::bilateral: return "bilateral";
  }
  return "unknown";
}

ContactProblem::ContactProblem(Eigen::MatrixXd G, ContactTerms terms, bool check_definite) {
  if (G.rows() != G.cols())
    throw InvalidInput("ContactProblem.G",
                       std::to_string(G.rows()) + " x " + std::to_string(G.cols()),
                       "give a square matrix");
  Data data = make_data(terms, G.cols(), "G");
  check_matrix(G, "ContactProblem.G");
  check_symmetric(G);
  if (check_definite) check_semidefinite(G);
  data.matrix = std::move(G);
  set_matrix_islands(data);
  data_ = std::make_shared<const Data>(std::move(data));
}

ContactProblem ContactProblem::from_operator(const Eigen::MatrixXd& J,
                                             const Eigen::MatrixXd& factor, ContactTerms terms) {
  if (factor.rows() != factor.cols() || factor.rows() != J.cols())
    throw InvalidInput(
        "ContactProblem.factor",
        std::to_string(factor.rows()) + " x " + std::to_string(factor.cols()),
        "give a square matrix with as many rows as J has columns, " + std::to_string(J.cols()));
  Data data = make_data(terms, J.rows(), "J");
  check_matrix(J, "ContactProblem.J");
  check_matrix(factor, "ContactProblem.factor");
  for (Eigen::Index i = 0; i < factor.cols(); ++i) {
    check_interrupt();
    if (factor(i, i) < 1e-30)
      throw InvalidInput(entry_name("ContactProblem.factor", i, i), exact_text(factor(i, i)),
                         "give a lower Cholesky factor: positive diagonal");
    for (Eigen::Index k = i + 1; k < factor.cols(); ++k) {
      if (factor(i, k) != 0)
        throw InvalidInput(entry_name("ContactProblem.factor", i, k), exact_text(factor(i, k)),
                           "give a lower triangular matrix");
    }
  }
  data.is_operator = true;
  data.matrix = J.transpose();
  if (data.matrix.rows() == 0)
    data.matrix.setZero(1, J.rows());  // nothing moves: there is one motion that no row uses
  if (J.size() > 0) solve_lower(factor, data.matrix);
  for (Eigen::Index i = 0; i < data.matrix.cols(); ++i) {
    if (data.matrix.col(i).cwiseAbs().maxCoeff() > kLargestEntry)
      throw InvalidInput("ContactProblem.factor",
                         "a matrix that scales row " + std::to_string(i) + " of J beyond 1e15",
                         "give masses of moderate size");
  }
  set_dense_operator(data);
  return ContactProblem(std::make_shared<const Data>(std::move(data)));
}

int ContactProblem::rows() const { return static_cast<int>(data_->g.size()); }
const std::vector<ContactBlock>& ContactProblem::blocks() const { return data_->blocks; }
const Eigen::VectorXd& ContactProblem::g() const { return data_->g; }
const Eigen::VectorXd& ContactProblem::R() const { return data_->R; }
bool ContactProblem::is_operator() const { return data_->is_operator; }

const Eigen::MatrixXd& ContactProblem::G() const {
  if (data_->is_operator)
    throw InvalidInput("ContactProblem.G", "a problem made from_operator",
                       "ask for dense_G, which forms it");
  return data_->matrix;
}

const Eigen::MatrixXd& ContactProblem::W() const {
  if (!data_->is_operator)
    throw InvalidInput("ContactProblem.W", "a problem made from G", "make it from_operator");
  if (data_->matrix.cols() != rows())
    throw InvalidInput("ContactProblem.W", "a problem made by a builder",
                       "ask for dense_W, which forms it");
  return data_->matrix;
}

Eigen::MatrixXd ContactProblem::dense_W() const {
  if (!data_->is_operator)
    throw InvalidInput("ContactProblem.W", "a problem made from G", "make it from_operator");
  return dense_operator(*data_);
}

Eigen::MatrixXd ContactProblem::dense_G() const {
  if (!data_->is_operator) return data_->matrix;
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(rows(), rows());
  Eigen::VectorXd column, scratch;
  for (const ContactIsland& island : data_->islands()) {
    column.resize(static_cast<Eigen::Index>(island.rows.size()));
    scratch.resize(island.columns.positions());
    for (std::size_t c = 0; c < island.blocks.size(); ++c) {
      check_interrupt();
      const ContactBlock& block = island.columns.blocks()[c];
      for (int k = 0; k < row_count(block.kind); ++k) {
        island.columns.set_column(c, k, scratch.data(), column.data());
        const int whole = island.rows[static_cast<std::size_t>(block.row + k)];
        for (std::size_t i = 0; i < island.rows.size(); ++i)
          G(island.rows[i], whole) = column[static_cast<Eigen::Index>(i)];
      }
    }
  }
  return G;
}

Eigen::VectorXd ContactProblem::diagonal_G() const {
  Eigen::VectorXd diagonal = Eigen::VectorXd::Zero(rows());
  add_diagonal(*data_, 1.0, diagonal);
  return diagonal;
}

Eigen::VectorXd ContactProblem::velocity(const Eigen::VectorXd& force) const {
  if (force.size() != data_->g.size())
    throw InvalidInput("force", std::to_string(force.size()) + " rows",
                       "give as many rows as the problem has, " + std::to_string(rows()));
  check_vector(force, "force", -1e60, 1e60, "give finite numbers of at most 1e60");
  Eigen::VectorXd result(rows()), R, own, scratch, velocity;
  for (const ContactIsland& island : data_->islands()) {
    gather_rows(island, data_->R, R);
    gather_rows(island, force, own);
    set_contact_velocity(view_of(island, R), own, scratch, velocity);
    scatter_rows(island, velocity, result);
  }
  return result;
}

}  // namespace tactum
