// SPDX-License-Identifier: BSD-2-Clause
// solution_derivative and its products.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "batch_call.hpp"
#include "bindings.hpp"
#include "contact_arrays.hpp"
#include "convert.hpp"
#include "pickle.hpp"
#include "tactum/solution_derivative.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

/// A gradient and the problem that it belongs to, which the dense gradient by G needs.
struct BoundGradient {
  ContactCotangent cotangent;
  ContactProblem problem;
};

/// The part of a gradient by G. It is kept as left right^T plus blocks on the diagonal until it is
/// asked for as a matrix.
struct DelassusGradient : BoundGradient {};

/// A derivative with the problem and the solution that it was made from, which a pickle holds.
struct BoundDerivative {
  SolutionDerivative derivative;
  ContactProblem problem;
  BoundSolution solution;
};

nb::tuple get_state(const BoundGradient& self) {
  const ContactCotangent& c = self.cotangent;
  return nb::make_tuple(self.problem, vector_array(c.g), vector_array(c.mu), vector_array(c.R),
                        vector_array(c.G_left), vector_array(c.G_right), matrix_array(c.G_blocks));
}

BoundGradient gradient_from_state(const nb::tuple& state) {
  StateReader read(state, 7);
  BoundGradient gradient{{}, to_problem(read.next(), "state")};
  ContactCotangent& c = gradient.cotangent;
  for (Eigen::VectorXd* const field : {&c.g, &c.mu, &c.R, &c.G_left, &c.G_right})
    *field = to_vector(read.next(), "state");
  const Eigen::MatrixXd blocks = to_matrix(read.next(), "state");
  const Eigen::Index rows = gradient.problem.rows();
  if (c.g.size() != rows || c.R.size() != rows || c.G_left.size() != rows ||
      c.G_right.size() != rows ||
      c.mu.size() != static_cast<Eigen::Index>(gradient.problem.blocks().size()) ||
      (blocks.size() != 0 && (blocks.rows() != 3 || blocks.cols() != rows)))
    throw InvalidInput("state", "arrays of other sizes", "unpickle what was pickled");
  if (blocks.size() != 0) c.G_blocks = blocks;
  return gradient;
}

BoundDerivative derivative_of(const ContactProblem& problem, const BoundSolution& solution) {
  return interruptible(
      [&] { return BoundDerivative{solution_derivative(problem, solution), problem, solution}; });
}

#define TACTUM_VECTOR(type, name, field, text)                                            \
  def_prop_ro(                                                                            \
      #name, [](const type& self) { return frozen(vector_array(self.cotangent.field)); }, \
      nb::sig("def " #name "(self) -> " TACTUM_FLOAT_ARRAY), text)

void bind_gradient(nb::module_& m) {
  nb::class_<DelassusGradient> factored(m, "DelassusGradient",
                                        "Gradient by the entries of G in factored form: left "
                                        "right^T, symmetrized, plus diagonal blocks.");
  factored.TACTUM_VECTOR(DelassusGradient, left, G_left, "Left factor, (n,).")
      .TACTUM_VECTOR(DelassusGradient, right, G_right, "Right factor, (n,).")
      .def_prop_ro(
          "blocks",
          [](const DelassusGradient& self) {
            return frozen(matrix_array(self.cotangent.G_blocks));
          },
          nb::sig("def blocks(self) -> " TACTUM_FLOAT_ARRAY),
          "(3, n): diagonal blocks to be added, of raisim and of regularized solutions; empty "
          "otherwise.")
      .def(
          "dense",
          [](const DelassusGradient& self) {
            return matrix_array(self.cotangent.dense_G(self.problem));
          },
          nb::sig("def dense(self) -> " TACTUM_FLOAT_ARRAY),
          "The gradient as a symmetric matrix, (n, n).");
  bind_immutable(
      factored, [](const DelassusGradient& self) { return get_state(self); },
      [](const nb::tuple& state) { return DelassusGradient{gradient_from_state(state)}; });
  nb::class_<BoundGradient> gradient(
      m, "SolutionGradient",
      "Gradient of a scalar by a contact problem, from its gradient by the force.");
  gradient.TACTUM_VECTOR(BoundGradient, d_g, g, "By the free velocity g, (n,).")
      .TACTUM_VECTOR(BoundGradient, d_mu, mu, "By the friction coefficients, one for each block.")
      .TACTUM_VECTOR(BoundGradient, d_R, R, "By the compliance R, (n,).")
      .def_prop_ro(
          "d_G", [](const BoundGradient& self) { return DelassusGradient{self}; },
          nb::sig("def d_G(self) -> DelassusGradient"), "By the entries of G, in factored form.");
  bind_immutable(
      gradient, [](const BoundGradient& self) { return get_state(self); }, &gradient_from_state);
}
#undef TACTUM_VECTOR

void bind_derivative(nb::module_& m) {
  nb::class_<BoundDerivative> type(m, "SolutionDerivative",
                                   "How contact forces move when their problem changes.");
  type.def_prop_ro(
          "smooth", [](const BoundDerivative& self) { return self.derivative.smooth(); },
          "False at the boundary of two modes, where the force is not unique, and where the "
          "solution has not converged.")
      .def_prop_ro(
          "rule", [](const BoundDerivative& self) { return to_string(self.derivative.rule()); },
          "unique, regularized, or minimum_norm where the force is not unique.")
      .def_prop_ro(
          "force_wrt_g",
          [](const BoundDerivative& self) {
            return frozen(
                matrix_array(interruptible([&] { return self.derivative.force_wrt_g(); })));
          },
          nb::sig("def force_wrt_g(self) -> " TACTUM_FLOAT_ARRAY),
          "By the free velocity g: (n, n).")
      .def_prop_ro(
          "force_wrt_mu",
          [](const BoundDerivative& self) {
            return frozen(
                matrix_array(interruptible([&] { return self.derivative.force_wrt_mu(); })));
          },
          nb::sig("def force_wrt_mu(self) -> " TACTUM_FLOAT_ARRAY),
          "By the friction coefficients: (n, blocks).")
      .def_prop_ro(
          "force_wrt_R",
          [](const BoundDerivative& self) {
            return frozen(
                matrix_array(interruptible([&] { return self.derivative.force_wrt_R(); })));
          },
          nb::sig("def force_wrt_R(self) -> " TACTUM_FLOAT_ARRAY), "By the diagonal of R: (n, n).")
      .def(
          "jvp",
          [](const BoundDerivative& self, nb::handle d_g, nb::handle d_mu, nb::handle d_R,
             nb::handle d_G) {
            ContactTangent tangent;
            if (!d_g.is_none()) tangent.g = to_vector(d_g, "d_g");
            if (!d_mu.is_none()) tangent.mu = to_vector(d_mu, "d_mu");
            if (!d_R.is_none()) tangent.R = to_vector(d_R, "d_R");
            if (!d_G.is_none()) tangent.G = to_matrix(d_G, "d_G");
            return vector_array(interruptible([&] { return self.derivative.jvp(tangent); }));
          },
          nb::kw_only(), "d_g"_a.none() = nb::none(), "d_mu"_a.none() = nb::none(),
          "d_R"_a.none() = nb::none(), "d_G"_a.none() = nb::none(),
          nb::sig(
              "def jvp(self, *, d_g: " TACTUM_ARRAY_LIKE " | None = None, d_mu: " TACTUM_ARRAY_LIKE
              " | None = None, d_R: " TACTUM_ARRAY_LIKE " | None = None, d_G: " TACTUM_ARRAY_LIKE
              " | None = None) -> " TACTUM_FLOAT_ARRAY),
          "Change of the force, (n,), when the problem changes by these. d_G: symmetric; one that "
          "is not within "
          "1e-8 of its largest entry raises InvalidInput.")
      .def(
          "vjp",
          [](const BoundDerivative& self, nb::handle d_force) {
            return BoundGradient{self.derivative.vjp(to_vector(d_force, "d_force")), self.problem};
          },
          "d_force"_a.none(),
          nb::sig("def vjp(self, d_force: " TACTUM_ARRAY_LIKE ") -> SolutionGradient"),
          "Gradient by the problem of a scalar whose gradient by the force is d_force.")
      .def("__repr__", [](const BoundDerivative& self) {
        return "SolutionDerivative(smooth=" +
               std::string(self.derivative.smooth() ? "True" : "False") + ", rule='" +
               std::string(to_string(self.derivative.rule())) + "')";
      });
  bind_immutable(
      type, [](const BoundDerivative& self) { return nb::make_tuple(self.problem, self.solution); },
      [](const nb::tuple& state) {
        StateReader read(state, 2);
        const nb::object problem = read.next(), solution = read.next();
        return derivative_of(to_problem(problem, "state"), to_solution(solution, "state"));
      });
}

}  // namespace

void bind_contact_derivative(nb::module_& m) {
  bind_gradient(m);
  bind_derivative(m);
  m.def(
      "solution_derivative",
      [](nb::handle problem, nb::handle solution) {
        const ContactProblem& of = to_problem(problem, "problem");
        return derivative_of(of, to_solution(solution, "solution"));
      },
      "problem"_a.none(), "solution"_a.none(),
      nb::sig("def solution_derivative(problem: ContactProblem, solution: ContactSolution) -> "
              "SolutionDerivative"),
      R"(Derivative of the forces of a solution by g, G, mu and R of its problem.

The model is that of the solver that found the solution. Raises InvalidInput (a ValueError) where
the solution is not one of this problem: its residual here is larger than the one that it reports.
A solution that has not converged is accepted; its derivative is not smooth.)");
}

}  // namespace tactum::python
