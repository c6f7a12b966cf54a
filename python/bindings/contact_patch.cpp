// SPDX-License-Identifier: BSD-2-Clause
// contact_patch, its derivative, and their results.
#include "tactum/contact_patch.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstring>
#include <optional>

#include "batch_call.hpp"
#include "bindings.hpp"
#include "buffer.hpp"
#include "convert.hpp"
#include "estimators.hpp"
#include "geometry.hpp"
#include "pickle.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

constexpr const char* kUnpickle = "unpickle what was pickled";

// -------------------------------------------------------------------------------------------------
// arrays
template <class... Sizes>
nb::object empty_array(Sizes... sizes) {
  return numpy().attr("empty")(nb::make_tuple(static_cast<int>(sizes)...));
}

/// (K, 3) of the first points.
nb::object to_points_array(const std::array<Vector3, ContactPatch::capacity>& points, int count) {
  const nb::object array = empty_array(count, 3);
  double* to = float_span(array).data;
  for (int i = 0; i < count; ++i, to += 3)
    std::memcpy(to, points[static_cast<std::size_t>(i)].data(), 3 * sizeof(double));
  return array;
}

nb::object to_numbers_array(const std::array<double, ContactPatch::capacity>& numbers, int count) {
  const nb::object array = empty_array(count);
  if (count > 0)
    std::memcpy(float_span(array).data, numbers.data(),
                static_cast<std::size_t>(count) * sizeof(double));
  return array;
}

nb::object to_ids_array(const ContactPatch& patch) {
  const nb::object array = numpy().attr("empty")(patch.count, "uint64");
  const Buffer memory(array, PyBUF_WRITABLE | PyBUF_STRIDES);
  if (patch.count > 0)
    std::memcpy(memory.data(), patch.feature_ids.data(),
                static_cast<std::size_t>(patch.count) * sizeof(std::uint64_t));
  return frozen(array);
}

/// (K, rows, 12) of the first Jacobians, or (K, 12) where they are rows.
template <class Jacobian>
nb::object to_jacobians_array(const std::array<Jacobian, ContactPatch::capacity>& jacobians,
                              int count) {
  constexpr int rows = Jacobian::RowsAtCompileTime;
  const nb::object array = rows == 1 ? empty_array(count, 12) : empty_array(count, rows, 12);
  double* to = float_span(array).data;
  for (int i = 0; i < count; ++i, to += rows * 12) {
    Eigen::Map<Eigen::Matrix<double, rows, 12, Eigen::RowMajor>> rows_of(to);
    rows_of = jacobians[static_cast<std::size_t>(i)];
  }
  return array;
}

template <class Jacobian>
nb::object frozen_jacobians(const std::array<Jacobian, ContactPatch::capacity>& jacobians,
                            int count) {
  return frozen(to_jacobians_array(jacobians, count));
}

/// Numbers of a pickle: as many as expected, all finite.
nb::object read_numbers(nb::handle array, Py_ssize_t last, Py_ssize_t expected) {
  const nb::object numbers = to_float_array(array, "state", last);
  const FloatSpan span = float_span(numbers);
  const Eigen::Map<const Eigen::VectorXd> all(span.data, span.size);
  if (span.size != expected || !all.allFinite())
    throw InvalidInput("state", shape_text(array), kUnpickle);
  return numbers;
}

// -------------------------------------------------------------------------------------------------
// pickles
nb::tuple get_state(const ContactPatch& patch) {
  nb::list ids;
  for (int i = 0; i < patch.count; ++i)
    ids.append(nb::int_(patch.feature_ids[static_cast<std::size_t>(i)]));
  return nb::make_tuple(nb::cast(patch.distance), patch.count,
                        to_points_array(patch.points_a, patch.count),
                        to_points_array(patch.points_b, patch.count),
                        to_numbers_array(patch.distances, patch.count), nb::tuple(ids));
}

template <class Vectors>
void read_points(const nb::object& from, int count, Vectors& to) {
  const nb::object numbers = read_numbers(from, 3, 3 * count);
  for (int i = 0; i < count; ++i)
    to[static_cast<std::size_t>(i)] = Eigen::Map<const Vector3>(float_span(numbers).data +
                                                                3 * static_cast<Py_ssize_t>(i));
}

ContactPatch patch_from_state(const nb::tuple& state) {
  StateReader read(state, 6);
  ContactPatch patch;
  const nb::object value = read.next();
  const Distance* distance = nullptr;
  if (!nb::try_cast<const Distance*>(value, distance) || distance == nullptr)
    throw_type_error("state", type_text(value), kUnpickle);
  patch.distance = *distance;
  patch.normal = distance->normal;
  patch.status = distance->status;
  const int count = read.integer();
  if (count < 0 || count > ContactPatch::capacity)
    throw InvalidInput("state", std::to_string(count), kUnpickle);
  read_points(read.next(), count, patch.points_a);
  read_points(read.next(), count, patch.points_b);
  const nb::object distances = read_numbers(read.next(), count, count);
  const nb::tuple ids = read.tuple();
  if (ids.size() != static_cast<std::size_t>(count))
    throw InvalidInput("state", std::to_string(ids.size()) + " ids", kUnpickle);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    patch.distances[i] = float_span(distances).data[i];
    if (!nb::try_cast<std::uint64_t>(ids[i], patch.feature_ids[i]))
      throw_type_error("state", type_text(ids[i]), kUnpickle);
  }
  patch.count = count;
  return patch;
}

nb::tuple get_derivative_state(const ContactPatchDerivative& d) {
  const int count = d.value.count;
  const nb::object normal = empty_array(3, 12);
  Eigen::Map<Eigen::Matrix<double, 3, 12, Eigen::RowMajor>>(
      float_span(normal).data) = d.normal_jacobian;
  return nb::make_tuple(nb::cast(d.value), static_cast<int>(d.smooth), normal,
                        to_jacobians_array(d.points_a_jacobian, count),
                        to_jacobians_array(d.points_b_jacobian, count),
                        to_jacobians_array(d.distances_jacobian, count));
}

template <class Jacobian>
void read_jacobians(const nb::object& from, int count, Jacobian* to) {
  constexpr int rows = Jacobian::RowsAtCompileTime;
  const nb::object numbers = read_numbers(from, 12, static_cast<Py_ssize_t>(12) * rows * count);
  const double* data = float_span(numbers).data;
  for (int i = 0; i < count; ++i, data += rows * 12)
    to[i] = Eigen::Map<const Eigen::Matrix<double, rows, 12, Eigen::RowMajor>>(data);
}

ContactPatchDerivative derivative_from_state(const nb::tuple& state) {
  StateReader read(state, 6);
  ContactPatchDerivative d;
  const nb::object value = read.next();
  const ContactPatch* patch = nullptr;
  if (!nb::try_cast<const ContactPatch*>(value, patch) || patch == nullptr)
    throw_type_error("state", type_text(value), kUnpickle);
  d.value = *patch;
  d.smooth = read.flag();
  read_jacobians(read.next(), 1, &d.normal_jacobian);
  read_jacobians(read.next(), d.value.count, d.points_a_jacobian.data());
  read_jacobians(read.next(), d.value.count, d.points_b_jacobian.data());
  read_jacobians(read.next(), d.value.count, d.distances_jacobian.data());
  return d;
}

// -------------------------------------------------------------------------------------------------
// classes
void bind_patch(nb::module_& m) {
  nb::class_<ContactPatch> type(
      m, "ContactPatch",
      R"(Answer of contact_patch(): points on both shapes, world frame, metres.

points_b - points_a = distances * normal, row by row; the least distance is that of the query.
len(patch) is the number of points K.)");
  type.def("__len__", [](const ContactPatch& self) { return self.count; })
      .def_prop_ro(
          "points_a",
          [](const ContactPatch& self) {
            return frozen(to_points_array(self.points_a, self.count));
          },
          nb::sig("def points_a(self) -> " TACTUM_FLOAT_ARRAY), "(K, 3) points on A.")
      .def_prop_ro(
          "points_b",
          [](const ContactPatch& self) {
            return frozen(to_points_array(self.points_b, self.count));
          },
          nb::sig("def points_b(self) -> " TACTUM_FLOAT_ARRAY), "(K, 3) points on B.")
      .def_prop_ro(
          "distances",
          [](const ContactPatch& self) {
            return frozen(to_numbers_array(self.distances, self.count));
          },
          nb::sig("def distances(self) -> " TACTUM_FLOAT_ARRAY),
          "(K,) signed distances along the normal.")
      .def_prop_ro("feature_ids", &to_ids_array,
                   nb::sig("def feature_ids(self) -> numpy.typing.NDArray[numpy.uint64]"),
                   "(K,) names of the features that make the points: those of A in the upper 32 "
                   "bits, those of B in the lower. "
                   "The same while\n"
                   "the features stay, so that forces can be warm-started.")
      .def_prop_ro(
          "normal", [](const ContactPatch& self) { return to_frozen_array(self.normal); },
          nb::sig("def normal(self) -> " TACTUM_FLOAT_ARRAY),
          "(3,) unit normal from A to B, that of the query.")
      .def_prop_ro(
          "status", [](const ContactPatch& self) { return self.status; },
          "Status of the query; beyond_cutoff has no points.")
      .def_prop_ro(
          "distance", [](const ContactPatch& self) { return self.distance; },
          "The Distance that the patch was made from.")
      .def("__repr__", [](const ContactPatch& self) {
        return "ContactPatch(points=" + std::to_string(self.count) +
               ", distance=" + repr(self.distance.distance) + ", normal=" + repr(self.normal) + ")";
      });
  bind_immutable(type, [](const ContactPatch& self) { return get_state(self); }, &patch_from_state);
}

void bind_patch_derivative(nb::module_& m) {
  using Derivative = ContactPatchDerivative;
  nb::class_<Derivative> type(
      m, "ContactPatchDerivative",
      R"(Answer of contact_patch_derivative(): how a patch moves with the shapes.

smooth says whether every point keeps its features for small motions and whether the normal has
one derivative; where not, the numbers are finite and one choice of several.)");
  type.def_prop_ro(
          "value", [](const Derivative& self) { return self.value; },
          "The ContactPatch that was differentiated.")
      .def_prop_ro(
          "smooth", [](const Derivative& self) { return self.smooth; },
          "Whether the derivative exists here and is unique.")
      .def_prop_ro(
          "normal_jacobian",
          [](const Derivative& self) {
            const nb::object array = empty_array(3, 12);
            Eigen::Map<Eigen::Matrix<double, 3, 12, Eigen::RowMajor>>(
                float_span(array).data) = self.normal_jacobian;
            return frozen(array);
          },
          nb::sig("def normal_jacobian(self) -> " TACTUM_FLOAT_ARRAY),
          "(3, 12), rows in the world, columns [v; w] of A, then of B.")
      .def_prop_ro(
          "points_a_jacobian",
          [](const Derivative& self) {
            return frozen_jacobians(self.points_a_jacobian, self.value.count);
          },
          nb::sig("def points_a_jacobian(self) -> " TACTUM_FLOAT_ARRAY),
          "(K, 3, 12), one for each point.")
      .def_prop_ro(
          "points_b_jacobian",
          [](const Derivative& self) {
            return frozen_jacobians(self.points_b_jacobian, self.value.count);
          },
          nb::sig("def points_b_jacobian(self) -> " TACTUM_FLOAT_ARRAY),
          "(K, 3, 12), one for each point.")
      .def_prop_ro(
          "distances_jacobian",
          [](const Derivative& self) {
            return frozen_jacobians(self.distances_jacobian, self.value.count);
          },
          nb::sig("def distances_jacobian(self) -> " TACTUM_FLOAT_ARRAY),
          "(K, 12), one for each point.")
      .def("__repr__", [](const Derivative& self) {
        return "ContactPatchDerivative(points=" + std::to_string(self.value.count) +
               ", smooth=" + (self.smooth ? "True" : "False") + ")";
      });
  bind_immutable(type, &get_derivative_state, &derivative_from_state);
}

// -------------------------------------------------------------------------------------------------
// calls
/// The arguments that both calls share.
struct Call {
  Geometry a, b;
  CheckedPose X_WA, X_WB;
  ContactPatchOptions options;
  std::optional<WarmStart> start;
  std::optional<Distance> known;

  Call(nb::handle a_, nb::handle X_WA_, nb::handle b_, nb::handle X_WB_, nb::handle max_points,
       nb::handle cutoff, nb::handle max_angle, nb::handle value)
      : a(to_geometry(a_, "a")),
        b(to_geometry(b_, "b")),
        X_WA(to_pose(X_WA_, "X_WA")),
        X_WB(to_pose(X_WB_, "X_WB")) {
    options.max_points = to_int(max_points, "max_points");
    options.cutoff = to_double(cutoff, "cutoff");
    options.max_angle = to_double(max_angle, "max_angle");
    if (value.is_none()) return;
    const Distance* given = nullptr;
    if (!nb::try_cast<const Distance*>(value, given) || given == nullptr)
      throw_type_error("value", type_text(value),
                       "give what distance() returned for this pair, or None");
    if (a.shape() == nullptr || b.shape() == nullptr)
      throw InvalidInput("value", "a Distance of a compound or a mesh",
                         "give None: which parts belong to the patch is found anew");
    known = *given;
  }
  void set_warm_start(nb::handle warm_start) {
    if (warm_start.is_none()) return;
    const WarmStart* given = nullptr;
    if (!nb::try_cast<const WarmStart*>(warm_start, given) || given == nullptr)
      throw_type_error("warm_start", type_text(warm_start),
                       "give the warm_start of an earlier result, or None");
    start = *given;
    options.warm_start = &*start;
  }
  bool corrected() const { return X_WA.corrected || X_WB.corrected; }
};

ContactPatch call_patch(nb::handle a, nb::handle X_WA, nb::handle b, nb::handle X_WB,
                        nb::handle max_points, nb::handle cutoff, nb::handle max_angle,
                        nb::handle value, nb::handle warm_start) {
  Call call(a, X_WA, b, X_WB, max_points, cutoff, max_angle, value);
  call.set_warm_start(warm_start);
  ContactPatch patch = interruptible([&] {
    return call.known ? contact_patch(*call.known, *call.a.shape(), call.X_WA.pose, *call.b.shape(),
                                      call.X_WB.pose, call.options)
                      : contact_patch(call.a, call.X_WA.pose, call.b, call.X_WB.pose, call.options);
  });
  patch.distance.pose_corrected |= call.corrected();
  return patch;
}

ContactPatchDerivative call_derivative(nb::handle a, nb::handle X_WA, nb::handle b, nb::handle X_WB,
                                       nb::handle max_points, nb::handle cutoff,
                                       nb::handle max_angle, nb::handle value, nb::handle frame,
                                       nb::handle estimator) {
  const Call call(a, X_WA, b, X_WB, max_points, cutoff, max_angle, value);
  const ContactPatchDerivativeOptions options{
      .patch = call.options,
      .value = call.known ? &*call.known : nullptr,
      .frame = to_frame(frame),
      .estimator = estimator.is_none() ? Estimator{Exact{}} : to_estimator(estimator)};
  ContactPatchDerivative result = interruptible([&] {
    return contact_patch_derivative(call.a, call.X_WA.pose, call.b, call.X_WB.pose, options);
  });
  result.value.distance.pose_corrected |= call.corrected();
  return result;
}

nb::tuple to_names(const std::vector<std::string>& names) {
  nb::list list;
  for (const std::string& name : names) list.append(name);
  return nb::tuple(list);
}

/// Columns of A and then of B: (rows, n), or (K, rows, n) from one matrix for each point.
template <class Rows>
nb::object to_both_array(const PatchParameterDerivative& a, const PatchParameterDerivative& b,
                         int points, Eigen::Index rows, const Rows& rows_of) {
  const Eigen::Index left = a.normal_jacobian.cols(), right = b.normal_jacobian.cols();
  const nb::object array = empty_array(points, rows, left + right);
  double* to = float_span(array).data;
  for (int i = 0; i < points; ++i, to += rows * (left + right)) {
    Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> both(
        to, rows, left + right);
    both.leftCols(left) = rows_of(a, i);
    both.rightCols(right) = rows_of(b, i);
  }
  return array;
}

/// The patch, the names of the sizes of A and B, the four Jacobians and `smooth`.
nb::tuple call_parameters(nb::handle a, nb::handle X_WA, nb::handle b, nb::handle X_WB,
                          nb::handle max_points, nb::handle cutoff, nb::handle max_angle,
                          nb::handle value) {
  const Call call(a, X_WA, b, X_WB, max_points, cutoff, max_angle, value);
  const Shape *shape_a = call.a.shape(), *shape_b = call.b.shape();
  if (shape_a == nullptr || shape_b == nullptr)
    throw InvalidInput("a, b", "a compound or a mesh", "give convex shapes, which have sizes");
  ContactPatchParameterDerivative d = interruptible([&] {
    return contact_patch_parameter_derivative(
        *shape_a, call.X_WA.pose, *shape_b, call.X_WB.pose,
        {.patch = call.options, .value = call.known ? &*call.known : nullptr});
  });
  d.value.distance.pose_corrected |= call.corrected();
  using Side = PatchParameterDerivative;
  const int count = d.value.count;
  const auto normal = [](const Side& side, int) -> Eigen::MatrixXd { return side.normal_jacobian; };
  const auto point_a = [](const Side& side, int i) -> Eigen::MatrixXd {
    return side.points_a_jacobian[static_cast<std::size_t>(i)];
  };
  const auto point_b = [](const Side& side, int i) -> Eigen::MatrixXd {
    return side.points_b_jacobian[static_cast<std::size_t>(i)];
  };
  const auto distance = [](const Side& side, int i) -> Eigen::MatrixXd {
    return side.distances_jacobian.row(i);
  };
  return nb::make_tuple(nb::cast(d.value), to_names(d.a.names), to_names(d.b.names),
                        to_both_array(d.a, d.b, 1, 3, normal),
                        to_both_array(d.a, d.b, count, 3, point_a),
                        to_both_array(d.a, d.b, count, 3, point_b),
                        to_both_array(d.a, d.b, count, 1, distance), d.smooth);
}

}  // namespace

void bind_contact_patch(nb::module_& m) {
  bind_patch(m);
  bind_patch_derivative(m);
  const double infinity = std::numeric_limits<double>::infinity();
  m.def("contact_patch", &call_patch, "a"_a.none(), "X_WA"_a.none(), "b"_a.none(), "X_WB"_a.none(),
        nb::kw_only(), "max_points"_a.none() = 8, "cutoff"_a.none() = infinity,
        "max_angle"_a.none() = 0.05, "value"_a.none() = nb::none(),
        "warm_start"_a.none() = nb::none(),
        nb::sig("def contact_patch(a: " TACTUM_GEOMETRY ", X_WA: " TACTUM_POSE_LIKE
                ", b: " TACTUM_GEOMETRY ", X_WB: " TACTUM_POSE_LIKE
                ", *, max_points: int = 8, cutoff: float = float('inf'), max_angle: float = 0.05, "
                "value: Distance | None = None, "
                "warm_start: WarmStart | None = None) -> ContactPatch"),
        R"(Contact points of two shapes: a polygon where flat features meet, two points for lines,
one for curved contact.

a, X_WA, b, X_WB: as for distance(). The patch of a compound or a mesh is that of the parts that
attain the distance, with all others of the same normal; contact_patches() gives those of all
normals.
max_points: 1 to 32; of a larger polygon the deepest point is kept and then those that keep most
of its area.
cutoff: points farther along the normal than this many metres are dropped; the patch is empty
where the shapes are farther apart.
max_angle: rad, 1e-6 to 0.5; faces and edges this close to facing the normal count as flat.
value: the Distance of this very pair, if it is known already; it is not checked, and no query is
made.
warm_start: the warm start of the query.
Raises InvalidInput (a ValueError) on bad values, TypeError on objects of the wrong type. The GIL
is released.)");
  m.def("contact_patch_derivative", &call_derivative, "a"_a.none(), "X_WA"_a.none(), "b"_a.none(),
        "X_WB"_a.none(), nb::kw_only(), "max_points"_a.none() = 8, "cutoff"_a.none() = infinity,
        "max_angle"_a.none() = 0.05, "value"_a.none() = nb::none(), "frame"_a.none() = "local",
        "estimator"_a.none() = nb::none(),
        nb::sig("def contact_patch_derivative(a: " TACTUM_GEOMETRY ", X_WA: " TACTUM_POSE_LIKE
                ", b: " TACTUM_GEOMETRY ", X_WB: " TACTUM_POSE_LIKE
                ", *, max_points: int = 8, cutoff: float = float('inf'), max_angle: float = 0.05, "
                "value: Distance | None = None, "
                "frame: " TACTUM_FRAME " = 'local', "
                "estimator: " TACTUM_ESTIMATOR " | None = None) -> ContactPatchDerivative"),
        R"(How the points, distances and normal of a contact patch move when either shape moves.

a, X_WA, b, X_WB, max_points, cutoff, max_angle: as for contact_patch().
value: the Distance of this very pair, if it is known already; one of another pair is refused.
frame: of the small motions [v; w], as for distance_derivative().
estimator: None for the exact derivative. With another one the normal and the witness points move as
in distance_derivative() by it; the only point of a patch follows the witness, and more points follow
their features with that normal. `smooth` stays that of the exact derivative.
Raises InvalidInput (a ValueError) on bad values, TypeError on objects of the wrong type. The GIL
is released.)");
  m.def("contact_patch_parameters", &call_parameters, "a"_a.none(), "X_WA"_a.none(), "b"_a.none(),
        "X_WB"_a.none(), "max_points"_a.none(), "cutoff"_a.none(), "max_angle"_a.none(),
        "value"_a.none(),
        nb::sig("def contact_patch_parameters(a: " TACTUM_GEOMETRY ", X_WA: " TACTUM_POSE_LIKE
                ", b: " TACTUM_GEOMETRY ", X_WB: " TACTUM_POSE_LIKE
                ", max_points: int, cutoff: float, max_angle: float, value: Distance | None) -> "
                "tuple[ContactPatch, tuple[str, ...], tuple[str, ...], " TACTUM_FLOAT_ARRAY
                ", " TACTUM_FLOAT_ARRAY ", " TACTUM_FLOAT_ARRAY ", " TACTUM_FLOAT_ARRAY ", bool]"),
        "The parts of what contact_patch_parameter_derivative() returns.");
}

}  // namespace tactum::python
