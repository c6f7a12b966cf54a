// SPDX-License-Identifier: BSD-2-Clause
// solve_contact_poses: arrays in, arrays out, without the GIL. tactum.contact_pose gives them
// names.
#include "tactum/contact_pose.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <optional>
#include <vector>

#include "batch_call.hpp"
#include "batch_input.hpp"
#include "bindings.hpp"
#include "convert.hpp"
#include "estimators.hpp"
#include "text_enum.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

const char* const kTargetRemedy = "give 3 numbers in metres in the frame of the shape, or (N, 3)";

/// One point or many, read in place.
class TargetArgument {
 public:
  TargetArgument(nb::handle value, const char* field, RowCount& rows)
      : array_(as_real_array(value, field, kTargetRemedy), 'd', "float64") {
    const int last = array_.ndim() - 1;
    if (last > 1 || array_.shape(last) != 3)
      throw InvalidInput(field, shape_text(array_.array()), kTargetRemedy);
    if (last == 1) rows.add(array_.shape(0), field);
  }
  std::span<const Vector3> points() const { return array_.items<Vector3>(); }

 private:
  HeldArray array_;
};

/// A column of numbers, one row for each answer.
template <class Read>
nb::object column(const std::vector<ContactPose>& answers, int width, const char* dtype,
                  Read read) {
  const nb::object array = numpy().attr("empty")(nb::make_tuple(answers.size(), width), "float64");
  double* to = float_span(array).data;
  for (const ContactPose& answer : answers) {
    read(answer, to);
    to += width;
  }
  return array.attr("astype")(dtype);
}

void put_vector(const Vector3& from, double* to) { Eigen::Map<Vector3>{to} = from; }

nb::tuple to_columns(const std::vector<ContactPose>& answers, nb::handle history) {
  const auto pose = [](const ContactPose& r, double* to) {
    Eigen::Map<Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>{to} = pose_matrix(r.pose);
  };
  const auto numbers = [&](const char* dtype, auto field) {
    return column(
               answers, 1, dtype,
               [field](const ContactPose& r, double* to) { *to = static_cast<double>(r.*field); })
        .attr("ravel")();
  };
  const auto vectors = [&](Vector3 ContactPose::*field) {
    return column(answers, 3, "float64",
                  [field](const ContactPose& r, double* to) { put_vector(r.*field, to); });
  };
  return nb::make_tuple(
      column(answers, 16, "float64", pose).attr("reshape")(nb::make_tuple(answers.size(), 4, 4)),
      numbers("float64", &ContactPose::cost), history, vectors(&ContactPose::residual_a),
      vectors(&ContactPose::residual_b), vectors(&ContactPose::separation),
      enum_array(numbers("uint8", &ContactPose::status), "ContactPoseStatusArray"),
      numbers("int32", &ContactPose::iterations), numbers("int32", &ContactPose::queries));
}

nb::tuple call_contact_poses(nb::handle a, nb::handle b, nb::handle target_a, nb::handle target_b,
                             nb::handle start, nb::handle estimator, nb::handle max_iterations,
                             nb::handle tolerance, nb::handle damping, nb::handle num_threads,
                             bool single) {
  RowCount rows;
  const ShapeArgument shape_a(a, "a", rows), shape_b(b, "b", rows);
  const TargetArgument points_a(target_a, "target_a", rows), points_b(target_b, "target_b", rows);
  const PoseArgument poses(start, "start", rows);
  ContactPosesOptions options;
  if (!estimator.is_none()) options.estimator = to_estimator(estimator);
  options.max_iterations = to_int(max_iterations, "max_iterations");
  options.tolerance = to_double(tolerance, "tolerance");
  options.damping = to_double(damping, "damping");
  options.num_threads = to_int(num_threads, "num_threads");

  PairBatch pairs{.size = rows.get(), .a = {.poses = poses.span()}, .b = {.poses = poses.span()}};
  shape_a.fill(pairs.a, pairs.size);
  shape_b.fill(pairs.b, pairs.size);
  std::vector<ContactPose> answers(pairs.size);
  const int length = options.max_iterations >= 0 && options.max_iterations <= 100000
                         ? options.max_iterations + 1
                         : 1;
  const nb::object history = numpy().attr("empty")(nb::make_tuple(pairs.size, length), "float64");
  const std::span<double> costs{float_span(history).data,
                                pairs.size * static_cast<std::size_t>(length)};
  const ContactPoseBatch problems{.size = pairs.size,
                                  .a = {pairs.a.shapes, pairs.a.index, points_a.points()},
                                  .b = {pairs.b.shapes, pairs.b.index, points_b.points()},
                                  .start = poses.span()};
  WorkspaceLease lease;
  if (single) {
    const Pose X_AB = to_pose(start, "start").pose;
    answers[0] = interruptible([&] {
      return contact_pose(pairs.a.shapes[0], pairs.b.shapes[0], points_a.points()[0],
                          points_b.points()[0], X_AB, options, costs);
    });
  } else {
    interruptible([&] {
      contact_poses(problems, options, lease.get(), {.answer = answers, .history = costs});
    });
  }
  return to_columns(answers, history);
}

}  // namespace

void bind_contact_pose(nb::module_& m) {
  nb::enum_<ContactPoseStatus> status(
      m, "ContactPoseStatus", nb::is_arithmetic(),
      "How a search for a contact pose ended. str(status) is its name, int(status) its number in "
      "arrays.");
  status
      .value("converged", ContactPoseStatus::converged,
             "the cost is at most the tolerance times the squared size of the pair")
      .value("max_iterations", ContactPoseStatus::max_iterations, "the budget is spent")
      .value("stalled", ContactPoseStatus::stalled,
             "no step decreases the cost: a local minimum, or rounding")
      .value("invalid_input", ContactPoseStatus::invalid_input,
             "only among many: this problem could not be computed")
      .def(
          "__str__", [](ContactPoseStatus status) { return to_string(status); },
          "Name of the status, such as 'converged'.")
      .def(
          "__format__",
          [](ContactPoseStatus status, const nb::str& spec) {
            return nb::str(nb::cast(to_string(status))).attr("__format__")(spec);
          },
          "Name of the status, formatted as text.");
  bind_text_comparison(status, "status", static_cast<int>(ContactPoseStatus::invalid_input) + 1);
  m.def("solve_contact_poses", &call_contact_poses, "a"_a.none(), "b"_a.none(), "target_a"_a.none(),
        "target_b"_a.none(), "start"_a.none(), "estimator"_a.none(), "max_iterations"_a.none(),
        "tolerance"_a.none(), "damping"_a.none(), "num_threads"_a.none(), "single"_a,
        nb::sig("def solve_contact_poses(a: object, b: object, target_a: object, target_b: object, "
                "start: object, "
                "estimator: object, max_iterations: object, tolerance: object, damping: object, "
                "num_threads: object, "
                "single: bool) -> tuple[typing.Any, ...]"),
        "The columns of tactum.contact_pose: use that. single: raise where a batch would have a "
        "row with status invalid_input.");
  m.def(
      "contact_pose_size",
      [](nb::handle a, nb::handle b) {
        return contact_pose_size(to_shape(a, "a"), to_shape(b, "b"));
      },
      "a"_a.none(), "b"_a.none(), nb::sig("def contact_pose_size(a: Shape, b: Shape) -> float"),
      "Sum of the bounding radii of both shapes about their origins, in metres: what the tolerance "
      "of contact_pose is relative "
      "to.");
}

}  // namespace tactum::python
