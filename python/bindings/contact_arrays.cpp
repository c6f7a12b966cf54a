// SPDX-License-Identifier: BSD-2-Clause
#include "contact_arrays.hpp"

#include <cstring>

#include "convert.hpp"

namespace nb = nanobind;

namespace tactum::python {
namespace {

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
constexpr const char* kNumbers = "give an array of real numbers";

nb::object contiguous(nb::handle array) {
  return numpy().attr("ascontiguousarray")(array, "float64");
}

}  // namespace

Eigen::VectorXd to_vector(nb::handle value, const std::string& field) {
  const nb::object array = as_real_array(value, field.c_str(), kNumbers);
  if (nb::cast<int>(array.attr("ndim")) != 1)
    throw InvalidInput(field, shape_text(array), "give an array with one axis");
  const nb::object values = contiguous(array);
  const FloatSpan span = float_span(values);
  return Eigen::Map<const Eigen::VectorXd>(span.data, span.size);
}

Eigen::VectorXd to_vector_or_number(nb::handle value, const std::string& field, Eigen::Index size) {
  if (value.is_none()) return {};
  if (PyFloat_Check(value.ptr()) || PyLong_Check(value.ptr()))
    return Eigen::VectorXd::Constant(size, to_double(value, field.c_str()));
  return to_vector(value, field);
}

Eigen::MatrixXd to_matrix(nb::handle value, const std::string& field) {
  const nb::object array = as_real_array(value, field.c_str(), kNumbers);
  const nb::tuple shape = nb::cast<nb::tuple>(array.attr("shape"));
  if (shape.size() != 2)
    throw InvalidInput(field, shape_text(array), "give an array with two axes");
  const nb::object values = contiguous(array);
  return Eigen::Map<const RowMajorMatrix>(float_span(values).data, nb::cast<Py_ssize_t>(shape[0]),
                                          nb::cast<Py_ssize_t>(shape[1]));
}

nb::object vector_array(const Eigen::VectorXd& values) {
  const nb::object array = numpy().attr("empty")(values.size());
  if (values.size() > 0)
    std::memcpy(float_span(array).data, values.data(),
                static_cast<std::size_t>(values.size()) * sizeof(double));
  return array;
}

nb::object matrix_array(const Eigen::MatrixXd& values) {
  const nb::object array = numpy().attr("empty")(nb::make_tuple(values.rows(), values.cols()));
  Eigen::Map<RowMajorMatrix>(float_span(array).data, values.rows(), values.cols()) = values;
  return array;
}

const ContactProblem& to_problem(nb::handle value, const char* field) {
  const ContactProblem* problem = nullptr;
  if (value.is_none() || !nb::try_cast<const ContactProblem*>(value, problem) || problem == nullptr)
    throw_type_error(field, type_text(value), "give a tactum.ContactProblem");
  return *problem;
}

const BoundSolution& to_solution(nb::handle value, const char* field) {
  const BoundSolution* solution = nullptr;
  if (value.is_none() || !nb::try_cast<const BoundSolution*>(value, solution) ||
      solution == nullptr)
    throw_type_error(field, type_text(value), "give what tactum.solve() returned");
  return *solution;
}

}  // namespace tactum::python
