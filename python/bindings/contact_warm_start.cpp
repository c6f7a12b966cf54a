// SPDX-License-Identifier: BSD-2-Clause
// ContactWarmStart: features of contacts as arrays.
#include "tactum/contact_warm_start.hpp"

#include <nanobind/nanobind.h>

#include "bindings.hpp"
#include "contact_arrays.hpp"
#include "convert.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

#define TACTUM_FEATURES                                                                       \
  "pairs: " TACTUM_ARRAY_LIKE ", features: " TACTUM_ARRAY_LIKE ", frames: " TACTUM_ARRAY_LIKE \
  " | None = None, points: " TACTUM_ARRAY_LIKE                                                \
  " | None = None, pair_sizes: float | " TACTUM_ARRAY_LIKE " | None = None"

namespace tactum::python {
namespace {

/// Reads (n,) whole numbers.
std::vector<std::int64_t> to_numbers(nb::handle value, const char* field) {
  const char* const remedy = "give an array of whole numbers, one for each block";
  const nb::object array = numpy().attr("asarray")(value);
  const std::string kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
  const bool is_empty = nb::cast<Py_ssize_t>(array.attr("size")) == 0;
  if (kind != "i" && kind != "u" && !is_empty) throw_type_error(field, type_text(value), remedy);
  if (nb::cast<int>(array.attr("ndim")) != 1) throw InvalidInput(field, shape_text(array), remedy);
  std::vector<std::int64_t> numbers;
  for (const nb::handle item : array.attr("tolist")()) {
    std::int64_t number = 0;
    if (!nb::try_cast(item, number))
      throw InvalidInput(field, nb::cast<std::string>(nb::repr(item)), "give 64-bit numbers");
    numbers.push_back(number);
  }
  return numbers;
}

/// Reads (n, rest...) real numbers as a matrix with one row for each block.
Eigen::MatrixXd to_rows(nb::handle value, const char* field, Eigen::Index blocks,
                        const nb::tuple& rest, Eigen::Index columns) {
  const nb::object array = as_real_array(value, field, "give an array of real numbers");
  const nb::object wanted = nb::make_tuple(blocks) + rest;
  if (!array.attr("shape").equal(wanted))
    throw InvalidInput(field, shape_text(array),
                       "give the shape " + nb::cast<std::string>(nb::repr(wanted)));
  return to_matrix(array.attr("reshape")(blocks, columns), field);
}

std::vector<ContactFeature> to_features(const ContactProblem& problem, nb::handle pairs,
                                        nb::handle features, nb::handle frames, nb::handle points,
                                        nb::handle pair_sizes) {
  const std::size_t count = problem.blocks().size();
  const auto blocks = static_cast<Eigen::Index>(count);
  const std::vector<std::int64_t> pair = to_numbers(pairs, "pairs"),
                                  feature = to_numbers(features, "features");
  const auto check = [&](std::size_t size, const char* field) {
    if (size != count)
      throw InvalidInput(field, std::to_string(size) + " items",
                         "give one for each block, " + std::to_string(count));
  };
  check(pair.size(), "pairs");
  check(feature.size(), "features");
  Eigen::MatrixXd frame, point;
  if (!frames.is_none()) frame = to_rows(frames, "frames", blocks, nb::make_tuple(3, 3), 9);
  if (!points.is_none()) point = to_rows(points, "points", blocks, nb::make_tuple(3), 3);
  const Eigen::VectorXd size = to_vector_or_number(pair_sizes, "pair_sizes", blocks);
  if (!pair_sizes.is_none()) check(static_cast<std::size_t>(size.size()), "pair_sizes");
  std::vector<ContactFeature> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    result[i].pair = pair[i];
    result[i].feature = feature[i];
    for (Eigen::Index k = 0; k < frame.cols(); ++k)  // numpy has the rows one after the other
      result[i].frame(k / 3, k % 3) = frame(at, k);
    if (!points.is_none()) result[i].point = point.row(at).transpose();
    if (!pair_sizes.is_none()) result[i].pair_size = size[at];
  }
  return result;
}

void keep(ContactWarmStart& self, nb::handle problem, nb::handle solution, nb::handle pairs,
          nb::handle features, nb::handle frames, nb::handle points, nb::handle pair_sizes) {
  const ContactProblem& of = to_problem(problem, "problem");
  self.keep(of, to_features(of, pairs, features, frames, points, pair_sizes),
            to_solution(solution, "solution"));
}

/// A start as a solution that says what it is worth in the ncp.
BoundSolution start(ContactWarmStart& self, nb::handle problem, nb::handle pairs,
                    nb::handle features, nb::handle frames, nb::handle points,
                    nb::handle pair_sizes) {
  const ContactProblem& of = to_problem(problem, "problem");
  BoundSolution result{self.start(of, to_features(of, pairs, features, frames, points, pair_sizes)),
                       of};
  result.velocity = of.velocity(result.force);
  result.modes.resize(of.blocks().size());
  result.mode_margin.setZero(static_cast<Eigen::Index>(of.blocks().size()));
  const ContactResidual residual = contact_residual(of, result.force);
  result.primal = residual.primal;
  result.dual = residual.dual;
  result.complementarity = residual.complementarity;
  result.residual = result.ncp_residual = residual.worst();
  return result;
}

}  // namespace

void bind_contact_warm_start(nb::module_& m) {
  nb::class_<ContactWarmStart>(
      m, "ContactWarmStart",
      R"(Keeps the last solution, and turns it into a start for a problem with other contacts.

A block of the same kind with the same pair and feature is the same contact: its force is turned
into the new frame. Another block takes the force of the nearest old point of its pair within a
tenth of pair_sizes, else the mean force of the pair, else zero. The proximal parameter of ADMM goes
along, island by island. There is one entry for each block:

pairs: whole numbers, (n,): which two bodies touch.
features: whole numbers, (n,): which contact of the pair it is.
frames: rotation matrices, (n, 3, 3), whose columns are the axes of the three rows of a friction
    block (tangent, tangent, normal), in a frame that all contacts of a pair share; the identity
    where none are given.
points: places in that frame, (n, 3), in m.
pair_sizes: sizes of the pairs in m, (n,) or one number.)")
      .def(nb::init<>(), "Keeps nothing yet: the first start is zero.")
      .def("keep", &keep, "problem"_a.none(), "solution"_a.none(), nb::kw_only(), "pairs"_a.none(),
           "features"_a.none(), "frames"_a.none() = nb::none(), "points"_a.none() = nb::none(),
           "pair_sizes"_a.none() = nb::none(),
           nb::sig("def keep(self, problem: ContactProblem, solution: ContactSolution, "
                   "*, " TACTUM_FEATURES ") -> None"),
           "Keeps a solution of a problem in place of the last one.")
      .def("start", &start, "problem"_a.none(), nb::kw_only(), "pairs"_a.none(),
           "features"_a.none(), "frames"_a.none() = nb::none(), "points"_a.none() = nb::none(),
           "pair_sizes"_a.none() = nb::none(),
           nb::sig("def start(self, problem: ContactProblem, *, " TACTUM_FEATURES
                   ") -> ContactSolution"),
           "Start for a problem, as the `warm_start` of solve(). Its forces solve nothing yet; its "
           "residuals are those of the nonlinear complementarity problem.")
      .def("clear", &ContactWarmStart::clear, "Forgets the solution: the next start is zero.");
}

}  // namespace tactum::python
