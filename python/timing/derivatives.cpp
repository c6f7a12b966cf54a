// SPDX-License-Identifier: BSD-2-Clause
// time_derivatives: how long derivatives take, for experiments. A name of tactum.reproduce._timing.
//
// The query itself is answered beforehand: the clock runs around distance_derivative with the value
// given, as the measurements of the paper do, and the cost of reading it is taken off. One thread.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "batch/pose_reader.hpp"
#include "batch_call.hpp"
#include "batch_input.hpp"
#include "bindings.hpp"
#include "clock.hpp"
#include "convert.hpp"
#include "estimators.hpp"
#include "timing.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

const Shape& shape_of(const BatchSide& side, std::size_t row) {
  return side.shapes[side.index.empty() ? 0 : static_cast<std::size_t>(side.index[row])];
}

Pose pose_of(const PoseReader& reader, std::size_t row, const char* field) {
  CheckedPose scratch;
  const Pose* const found = reader.read(row, scratch);
  if (found == nullptr) throw InvalidInput(field, "row " + std::to_string(row), "give poses");
  return *found;
}

/// False when a signal handler raised.
bool time_rows(const PairBatch& pairs, const Estimator& estimator, int repeats, double* out) {
  const PoseReader poses_a(pairs.a.poses), poses_b(pairs.b.poses);
  const double clock = cost_of_clock();
  for (std::size_t row = 0; row < pairs.size; ++row) {
    const Shape &a = shape_of(pairs.a, row), &b = shape_of(pairs.b, row);
    const Pose X_WA = pose_of(poses_a, row, "X_WA"), X_WB = pose_of(poses_b, row, "X_WB");
    const WarmStart first;
    const Distance value = distance(a, X_WA, b, X_WB, {.warm_start = &first});
    const DistanceDerivativeOptions options{.estimator = estimator, .value = &value};
    for (int k = 0; k < repeats; ++k) {
      const auto begin = Clock::now();
      const DistanceDerivative derivative = distance_derivative(a, X_WA, b, X_WB, options);
      const auto end = Clock::now();
      // N.B. the result is looked at, so that nothing of it can be left out
      const bool finite = derivative.separation_jacobian.allFinite();
      *out++ = finite ? std::max(nanoseconds(end - begin) - clock, 0.0) : 0.0;
    }
    if (row % 64 == 63 && signal_raised()) return false;
  }
  return true;
}

nb::object call_time_derivatives(nb::handle a, nb::handle X_WA, nb::handle b, nb::handle X_WB,
                                 nb::handle estimator, nb::handle repeats) {
  const int times = to_int(repeats, "repeats");
  if (times < 1) throw InvalidInput("repeats", std::to_string(times), "give a number >= 1");
  RowCount rows;
  const ShapeArgument shape_a(a, "a", rows), shape_b(b, "b", rows);
  const PoseArgument pose_a(X_WA, "X_WA", rows), pose_b(X_WB, "X_WB", rows);
  PairBatch pairs{.size = rows.get(), .a = {.poses = pose_a.span()}, .b = {.poses = pose_b.span()}};
  shape_a.fill(pairs.a, pairs.size);
  shape_b.fill(pairs.b, pairs.size);
  const Estimator chosen = to_estimator(estimator);
  const nb::object times_of_rows = numpy().attr("zeros")(nb::make_tuple(pairs.size, times),
                                                         "float64");
  double* const out = float_span(times_of_rows).data;
  bool finished = false;
  {
    const nb::gil_scoped_release release;
    finished = time_rows(pairs, chosen, times, out);
  }
  if (!finished) throw nb::python_error();  // what the signal handler raised
  return times_of_rows;
}

#define TACTUM_SIDE "tactum.Shape | tuple[tactum.ShapeTable, " TACTUM_ARRAY_LIKE "]"

}  // namespace

void bind_time_derivatives(nb::module_& m) {
  m.def("time_derivatives", &call_time_derivatives, "a"_a.none(), "X_WA"_a.none(), "b"_a.none(),
        "X_WB"_a.none(), nb::kw_only(), "estimator"_a.none(), "repeats"_a.none() = 1,
        nb::sig("def time_derivatives(a: " TACTUM_SIDE ", X_WA: " TACTUM_POSE_LIKE
                ", b: " TACTUM_SIDE ", X_WB: " TACTUM_POSE_LIKE ", *, estimator: "
                "tactum.Exact | tactum.FiniteDifference | tactum.ZerothOrder | tactum.Gaussian | "
                "tactum.Gumbel, repeats: int = "
                "1) -> " TACTUM_FLOAT_ARRAY),
        R"(Nanoseconds of N derivatives, (N, repeats), for experiments: shapes and poses as for
distances().

The query is answered beforehand and not timed. One thread, without the GIL.)");
}

}  // namespace tactum::python
