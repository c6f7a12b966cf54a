// SPDX-License-Identifier: BSD-2-Clause
// distance_derivative and its result.
#include "tactum/distance_derivative.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstring>
#include <optional>

#include "batch_call.hpp"
#include "bindings.hpp"
#include "convert.hpp"
#include "estimators.hpp"
#include "geometry.hpp"
#include "pickle.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

/// A new C-contiguous array with the rows of a matrix.
template <class Matrix>
nb::object to_matrix_array(const Matrix& matrix) {
  const nb::object array = numpy().attr("empty")(nb::make_tuple(matrix.rows(), matrix.cols()));
  Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      float_span(array).data, matrix.rows(), matrix.cols()) = matrix;
  return array;
}

template <class Row>
nb::object to_row_array(const Row& row) {
  const nb::object array = numpy().attr("empty")(row.size());
  if (row.size() > 0)
    std::memcpy(float_span(array).data, row.data(),
                static_cast<std::size_t>(row.size()) * sizeof(double));
  return array;
}

// -------------------------------------------------------------------------------------------------
// result
/// The derivative with respect to poses and, where asked for, sizes.
struct Result : DistanceDerivative {
  std::optional<DistanceParameterDerivative> parameters;
};

constexpr const char* kShape12 = "(3, 12), rows in the world, columns [v; w] of A, then of B.";

template <class T>
void bind_jacobians(nb::class_<T>& type) {
  type.def_prop_ro(
          "distance_jacobian",
          [](const T& self) { return frozen(to_row_array(self.distance_jacobian)); },
          nb::sig("def distance_jacobian(self) -> " TACTUM_FLOAT_ARRAY),
          "(12,), columns [v; w] of A, then of B.")
      .def_prop_ro(
          "normal_jacobian",
          [](const T& self) { return frozen(to_matrix_array(self.normal_jacobian)); },
          nb::sig("def normal_jacobian(self) -> " TACTUM_FLOAT_ARRAY), kShape12)
      .def_prop_ro(
          "point_a_jacobian",
          [](const T& self) { return frozen(to_matrix_array(self.point_a_jacobian)); },
          nb::sig("def point_a_jacobian(self) -> " TACTUM_FLOAT_ARRAY), kShape12)
      .def_prop_ro(
          "point_b_jacobian",
          [](const T& self) { return frozen(to_matrix_array(self.point_b_jacobian)); },
          nb::sig("def point_b_jacobian(self) -> " TACTUM_FLOAT_ARRAY), kShape12)
      .def_prop_ro(
          "separation_jacobian",
          [](const T& self) { return frozen(to_matrix_array(self.separation_jacobian)); },
          nb::sig("def separation_jacobian(self) -> " TACTUM_FLOAT_ARRAY),
          "Of point_b - point_a: (3, 12), rows in the world, columns [v; w] of A, then of B.");
}

nb::object names_of(const Result& self, ParameterDerivative DistanceParameterDerivative::* side) {
  if (!self.parameters) return nb::none();
  nb::list names;
  for (const std::string& name : ((*self.parameters).*side).names) names.append(name);
  return nb::tuple(names);
}

/// The columns of A and then of B; None where parameters were not asked for.
template <class Matrix>
nb::object columns_of(const Result& self, Matrix ParameterDerivative::* field) {
  if (!self.parameters) return nb::none();
  const Matrix &a = self.parameters->a.*field, &b = self.parameters->b.*field;
  Matrix both(a.rows(), a.cols() + b.cols());
  both << a, b;
  if constexpr (Matrix::RowsAtCompileTime == 1)
    return frozen(to_row_array(both));
  else
    return frozen(to_matrix_array(both));
}

// -------------------------------------------------------------------------------------------------
// pickles
/// Thirteen rows, one below the other: distance, normal, point_a, point_b, separation.
using Stacked = Eigen::Matrix<double, 13, Eigen::Dynamic>;

template <class Jacobians>
nb::object to_stacked_array(const Jacobians& from) {
  Stacked rows(13, from.distance_jacobian.cols());
  rows << from.distance_jacobian, from.normal_jacobian, from.point_a_jacobian,
      from.point_b_jacobian, from.separation_jacobian;
  return to_matrix_array(rows);
}

template <class Jacobians>
void read_stacked(nb::handle array, std::size_t num_columns, Jacobians& to) {
  const auto columns = static_cast<Eigen::Index>(num_columns);
  const nb::object numbers = to_float_array(array, "state", columns);
  const FloatSpan span = float_span(numbers);
  const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>
      rows(span.data, span.size / columns, columns);
  if (rows.rows() != 13 || !rows.allFinite())
    throw InvalidInput("state", shape_text(array), "unpickle what was pickled");
  to.distance_jacobian = rows.row(0);
  to.normal_jacobian = rows.middleRows<3>(1);
  to.point_a_jacobian = rows.middleRows<3>(4);
  to.point_b_jacobian = rows.middleRows<3>(7);
  to.separation_jacobian = rows.middleRows<3>(10);
}

nb::tuple get_state(const DistanceJacobians& self) {
  return nb::make_tuple(to_stacked_array(self));
}

DistanceJacobians jacobians_from_state(const nb::tuple& state) {
  DistanceJacobians jacobians;
  read_stacked(StateReader(state, 1).next(), 12, jacobians);
  return jacobians;
}

nb::tuple get_state(const ParameterDerivative& self) {
  nb::list names;
  for (const std::string& name : self.names) names.append(name);
  return nb::make_tuple(nb::tuple(names), to_stacked_array(self));
}

ParameterDerivative parameters_from_state(const nb::tuple& state) {
  StateReader read(state, 2);
  ParameterDerivative result;
  for (nb::handle name : read.tuple()) {
    if (!PyUnicode_Check(name.ptr()))
      throw_type_error("state", type_text(name), "unpickle what was pickled");
    result.names.push_back(nb::cast<std::string>(name));
  }
  if (result.names.empty()) throw InvalidInput("state", "no names", "unpickle what was pickled");
  read_stacked(read.next(), result.names.size(), result);
  return result;
}

nb::tuple get_result_state(const Result& self) {
  const nb::object error = self.standard_error ? nb::object(get_state(*self.standard_error))
                                               : nb::none();
  const nb::object sizes = self.parameters
                               ? nb::object(nb::make_tuple(
                                     get_state(self.parameters->a), get_state(self.parameters->b),
                                     static_cast<int>(self.parameters->smooth)))
                               : nb::none();
  return nb::make_tuple(nb::cast(self.value), to_stacked_array(self), static_cast<int>(self.smooth),
                        to_object(self.estimator), error, sizes);
}

Result result_from_state(const nb::tuple& state) {
  StateReader read(state, 6);
  Result result;
  const nb::object value = read.next();
  const Distance* given = nullptr;
  if (!nb::try_cast<const Distance*>(value, given) || given == nullptr)
    throw_type_error("state", type_text(value), "unpickle what was pickled");
  result.value = *given;
  read_stacked(read.next(), 12, static_cast<DistanceJacobians&>(result));
  result.smooth = read.flag();
  result.estimator = to_estimator(read.next(), "state");
  if (const auto error = read.optional_tuple())
    result.standard_error = jacobians_from_state(*error);
  if (const auto sizes = read.optional_tuple()) {
    StateReader sides(*sizes, 3);
    DistanceParameterDerivative& parameters = result.parameters.emplace();
    parameters.a = parameters_from_state(sides.tuple());
    parameters.b = parameters_from_state(sides.tuple());
    parameters.smooth = sides.flag();
  }
  return result;
}

// -------------------------------------------------------------------------------------------------
// classes
void bind_result(nb::module_& m) {
  nb::class_<DistanceJacobians> errors(
      m, "DistanceJacobians", "One number for each entry of the Jacobians of a derivative.");
  bind_jacobians(errors);
  bind_immutable(
      errors, [](const DistanceJacobians& self) { return get_state(self); }, &jacobians_from_state);
  nb::class_<Result> type(
      m, "DistanceDerivative",
      R"(Answer of distance_derivative(): how a distance, its normal and its points move.

smooth says whether the exact derivative exists here and is unique; where it is not, the numbers
are finite and one choice of several.)");
  bind_jacobians(type);
  type.def_prop_ro(
          "value", [](const Result& self) { return self.value; },
          "The Distance that was differentiated.")
      .def_prop_ro(
          "distance", [](const Result& self) { return self.value.distance; },
          "Signed distance in metres: that of `value`, under the name that batches use.")
      .def_prop_ro(
          "normal", [](const Result& self) { return to_frozen_array(self.value.normal); },
          nb::sig("def normal(self) -> " TACTUM_FLOAT_ARRAY), "(3,) normal of `value`.")
      .def_prop_ro(
          "point_a", [](const Result& self) { return to_frozen_array(self.value.point_a); },
          nb::sig("def point_a(self) -> " TACTUM_FLOAT_ARRAY), "(3,) point_a of `value`.")
      .def_prop_ro(
          "point_b", [](const Result& self) { return to_frozen_array(self.value.point_b); },
          nb::sig("def point_b(self) -> " TACTUM_FLOAT_ARRAY), "(3,) point_b of `value`.")
      .def_prop_ro(
          "status", [](const Result& self) { return self.value.status; }, "Status of `value`.")
      .def_prop_ro(
          "lower", [](const Result& self) { return self.value.lower; }, "Lower bound of `value`.")
      .def_prop_ro(
          "upper", [](const Result& self) { return self.value.upper; }, "Upper bound of `value`.")
      .def(
          "__bool__",
          [](const Result&) -> bool {
            throw nb::type_error(
                "DistanceDerivative: a result is neither true nor false; read smooth, or distance");
          },
          "Raises: a result is neither true nor false.")
      .def_prop_ro(
          "smooth",
          [](const Result& self) {
            return self.smooth && (!self.parameters || self.parameters->smooth);
          },
          "Whether the exact derivative exists here and is unique.")
      .def_prop_ro(
          "estimator", [](const Result& self) { return to_object(self.estimator); },
          nb::sig("def estimator(self) -> " TACTUM_ESTIMATOR), "The estimator that made it.")
      .def_prop_ro(
          "standard_error",
          [](const Result& self) {
            return self.standard_error ? nb::cast(*self.standard_error) : nb::none();
          },
          nb::sig("def standard_error(self) -> DistanceJacobians | None"),
          "Standard error of every entry, of the sampled estimators; else None.")
      .def_prop_ro(
          "parameters_a",
          [](const Result& self) { return names_of(self, &DistanceParameterDerivative::a); },
          nb::sig("def parameters_a(self) -> tuple[str, ...] | None"),
          "Names of the sizes of A, where asked for.")
      .def_prop_ro(
          "parameters_b",
          [](const Result& self) { return names_of(self, &DistanceParameterDerivative::b); },
          nb::sig("def parameters_b(self) -> tuple[str, ...] | None"),
          "Names of the sizes of B, where asked for.");
#define TACTUM_PARAMETER_JACOBIAN(name)                                                           \
  type.def_prop_ro(                                                                               \
      #name "_parameter_jacobian",                                                                \
      [](const Result& self) { return columns_of(self, &ParameterDerivative::name##_jacobian); }, \
      nb::sig("def " #name "_parameter_jacobian(self) -> " TACTUM_FLOAT_ARRAY " | None"),         \
      "By the sizes of A, then those of B, in the order of parameters_a and parameters_b; None "  \
      "where not asked for.")
  TACTUM_PARAMETER_JACOBIAN(distance);
  TACTUM_PARAMETER_JACOBIAN(normal);
  TACTUM_PARAMETER_JACOBIAN(point_a);
  TACTUM_PARAMETER_JACOBIAN(point_b);
  TACTUM_PARAMETER_JACOBIAN(separation);
#undef TACTUM_PARAMETER_JACOBIAN
  type.def("__repr__", [](const Result& self) {
    return "DistanceDerivative(distance=" + repr(self.value.distance) +
           ", smooth=" + (self.smooth ? "True" : "False") +
           ", estimator=" + nb::cast<std::string>(nb::repr(to_object(self.estimator))) + ")";
  });
  bind_immutable(type, &get_result_state, &result_from_state);
}

Result call_derivative(nb::handle a, nb::handle X_WA, nb::handle b, nb::handle X_WB,
                       nb::handle estimator, nb::handle value, nb::handle frame,
                       nb::handle parameters) {
  const Geometry geometry_a = to_geometry(a, "a"), geometry_b = to_geometry(b, "b");
  const CheckedPose pose_a = to_pose(X_WA, "X_WA"), pose_b = to_pose(X_WB, "X_WB");
  DistanceDerivativeOptions options{.estimator = to_estimator(estimator), .frame = to_frame(frame)};
  std::optional<Distance> known;
  if (!value.is_none()) {
    const Distance* given = nullptr;
    if (!nb::try_cast<const Distance*>(value, given) || given == nullptr)
      throw_type_error("value", type_text(value),
                       "give what distance() returned for this pair, or None");
    known = *given;
    options.value = &*known;
  }
  const bool with_parameters = to_flag(parameters, "parameters");
  const bool convex = geometry_a.shape() != nullptr && geometry_b.shape() != nullptr;
  if (with_parameters && !convex)
    throw InvalidInput("parameters", "True for a compound or a mesh",
                       "give convex shapes, or parameters=False");
  return interruptible([&] {
    Result result{distance_derivative(geometry_a, pose_a.pose, geometry_b, pose_b.pose, options),
                  std::nullopt};
    result.value.pose_corrected |= pose_a.corrected || pose_b.corrected;
    if (with_parameters)
      result.parameters = parameter_derivative(*geometry_a.shape(), pose_a.pose,
                                               *geometry_b.shape(), pose_b.pose, &result.value);
    return result;
  });
}

}  // namespace

void bind_distance_derivative(nb::module_& m) {
  bind_estimators(m);
  bind_result(m);
  m.def("distance_derivative", &call_derivative, "a"_a.none(), "X_WA"_a.none(), "b"_a.none(),
        "X_WB"_a.none(), nb::kw_only(), "estimator"_a.none() = Exact{},
        "value"_a.none() = nb::none(), "frame"_a.none() = "local", "parameters"_a.none() = false,
        nb::sig("def distance_derivative(a: " TACTUM_GEOMETRY ", X_WA: " TACTUM_POSE_LIKE
                ", b: " TACTUM_GEOMETRY ", X_WB: " TACTUM_POSE_LIKE
                ", *, estimator: " TACTUM_ESTIMATOR " = Exact(), value: Distance | None = None, "
                "frame: " TACTUM_FRAME " = 'local', parameters: bool = False) "
                "-> DistanceDerivative"),
        R"(How distance, normal and witness points of two shapes move when either shape moves.

a, X_WA, b, X_WB: as for distance(). The derivative of a compound or a mesh is that of the pair of
parts or triangles that attains the distance; smooth is False where another pair is as near with
other points, and where solids overlap.
estimator: Exact(), or one of FiniteDifference, ZerothOrder, Gaussian, Gumbel, which smooth the
derivative where it is not smooth.
value: the Distance of this very pair, if it is known already; one of another pair is refused. It is
not read where a compound or a mesh takes part.
frame: of the small motions [v; w], linear first: "local" is X exp([v; w]), "world" is exp([v; w])
X, "local_world_aligned" moves the origin of the shape by v and turns it about that origin by w,
in world axes.
parameters: also differentiate by the sizes of both shapes, which are convex, with the exact
derivative.
Raises InvalidInput (a ValueError) on bad values, TypeError on objects of the wrong type. The GIL
is released.)");
}

}  // namespace tactum::python
