// SPDX-License-Identifier: BSD-2-Clause
// time_moves: how long the queries of one pair take while it moves, for experiments. A name of
// tactum.reproduce._timing.
//
// The pair is at another pose in each row; a tracked query is warm-started from the last one. The
// whole sequence runs `repeats` times and the least time of each row counts, so that the inputs
// never repeat within a run. Distance, gradient and all derivatives are timed separately, and the
// cost of reading the clock is subtracted. One thread.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "batch/pose_reader.hpp"
#include "batch_call.hpp"
#include "batch_input.hpp"
#include "bindings.hpp"
#include "clock.hpp"
#include "convert.hpp"
#include "narrow/pair/pair_frame.hpp"
#include "narrow/query/general_distance.hpp"
#include "shape/stp/sphere_patches.hpp"
#include "tactum/distance_derivative.hpp"
#include "timing.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

constexpr const char* kNames[] = {"distance_ns", "gradient_ns", "derivative_ns", "status",
                                  "distance",    "iterations",  "support_calls"};
constexpr std::size_t kColumns = std::size(kNames), kTimes = 3, kDerivative = 2;

Pose pose_of(const PoseReader& reader, std::size_t row, const char* field) {
  CheckedPose scratch;
  const Pose* const found = reader.read(row, scratch);
  if (found == nullptr) throw InvalidInput(field, "row " + std::to_string(row), "give poses");
  return *found;
}

/// Runs what it is given; its time goes to `least` if it is the least so far.
template <class Work>
auto timed(double clock, double& least, Work work) {
  const auto begin = Clock::now();
  auto result = work();
  const auto end = Clock::now();
  least = std::min(least, std::max(nanoseconds(end - begin) - clock, 0.0));
  return result;
}

/// The pair that moves: two shapes, with the solver of their kinds or with the general iterations,
/// or the bodies of sphere patches of two STP volumes, which are no shapes and have the iterations
/// alone.
class Movers {
 public:
  Movers(const Shape& a, const Shape& b, std::string_view what)
      : a_(a), b_(b), core_a_(&a.core()), core_b_(&b.core()) {
    if (what == "shapes") return;
    iterated_ = true;
    if (what == "iterated") return;
    if (what != "sphere patches")
      throw InvalidInput("what", std::string(what),
                         "give 'shapes', 'iterated' or 'sphere patches'");
    core_a_ = &patches_a_.emplace(volume(a, "a")).core();
    core_b_ = &patches_b_.emplace(volume(b, "b")).core();
  }

  Distance query(const Pose& X_WA, const Pose& X_WB, const DistanceOptions& options) const {
    if (!iterated_) return distance(a_, X_WA, b_, X_WB, options);
    Distance result;
    if (!try_iterated_distance(*core_a_, X_WA, *core_b_, X_WB, options, result))
      throw InvalidInput("X_WA, X_WB", "not a rigid transform", "give rigid poses");
    return result;
  }
  /// Sphere patches have no derivative.
  bool has_derivative() const { return !patches_a_; }
  DistanceDerivative derivative(const Pose& X_WA, const Pose& X_WB, const Distance& value) const {
    return distance_derivative(a_, X_WA, b_, X_WB, {.value = &value});
  }

 private:
  static const Stp& volume(const Shape& shape, const char* field) {
    const auto* const stp = std::get_if<Stp>(&shape.parameters());
    if (stp == nullptr)
      throw InvalidInput(field, shape.to_string(), "give an Stp: sphere patches are made of one");
    return *stp;
  }

  const Shape &a_, &b_;
  bool iterated_ = false;
  const CoreShape *core_a_, *core_b_;
  std::optional<SpherePatches> patches_a_, patches_b_;
};

/// One gradient is a few ticks of the clock, so it is taken many times, each of another normal.
constexpr int kGradients = 64;

double gradients(const Pose& X_WA, const Pose& X_WB, Distance value) {
  double sum = 0.0;
  for (int k = 0; k < kGradients; ++k) {
    sum += distance_jacobian(X_WA, X_WB, value)[k % 12];
    value.normal.x() = std::nextafter(value.normal.x(), 2.0);
  }
  return sum;
}

/// One pass over all rows. False when a signal handler raised.
bool time_pass(const PairBatch& pairs, const Movers& movers, bool tracked, double tolerance,
               double clock, double* const (&columns)[kColumns]) {
  const PoseReader poses_a(pairs.a.poses), poses_b(pairs.b.poses);
  WarmStart last;
  for (std::size_t row = 0; row < pairs.size; ++row) {
    const Pose X_WA = pose_of(poses_a, row, "X_WA"), X_WB = pose_of(poses_b, row, "X_WB");
    const DistanceOptions options{.tolerance = tolerance, .warm_start = tracked ? &last : nullptr};
    const Distance value = timed(clock, columns[0][row],
                                 [&] { return movers.query(X_WA, X_WB, options); });
    timed(clock, columns[1][row], [&] { return gradients(X_WA, X_WB, value); });
    if (movers.has_derivative())
      timed(clock, columns[2][row], [&] { return movers.derivative(X_WA, X_WB, value); });
    last = value.warm_start;
    columns[3][row] = static_cast<double>(value.status);
    columns[4][row] = value.distance;
    columns[5][row] = value.iterations;
    columns[6][row] = value.support_calls;
    if (row % 256 == 255 && signal_raised()) return false;
  }
  return true;
}

nb::dict call_time_moves(nb::handle a, nb::handle X_WA, nb::handle b, nb::handle X_WB, bool tracked,
                         double tolerance, int repeats, const std::string& what) {
  if (repeats < 1) throw InvalidInput("repeats", std::to_string(repeats), "give a number >= 1");
  check_options(tolerance, DistanceOptions().max_iterations, Vector3::Zero(), nullptr);
  RowCount rows;
  const ShapeArgument shape_a(a, "a", rows), shape_b(b, "b", rows);
  const PoseArgument pose_a(X_WA, "X_WA", rows), pose_b(X_WB, "X_WB", rows);
  PairBatch pairs{.size = rows.get(), .a = {.poses = pose_a.span()}, .b = {.poses = pose_b.span()}};
  shape_a.fill(pairs.a, pairs.size);
  shape_b.fill(pairs.b, pairs.size);
  if (!pairs.a.index.empty() || !pairs.b.index.empty())
    throw InvalidInput("a, b", "a ShapeTable",
                       "give one shape on each side: it is one pair that moves");
  const Movers movers(pairs.a.shapes[0], pairs.b.shapes[0], what);
  nb::dict all;
  double* columns[kColumns] = {};
  for (std::size_t k = 0; k < kColumns; ++k) {
    if (k == kDerivative && !movers.has_derivative()) continue;
    const nb::object array = numpy().attr("full")(
        pairs.size, k < kTimes ? std::numeric_limits<double>::infinity() : 0.0);
    columns[k] = float_span(array).data;
    all[kNames[k]] = array;
  }
  bool finished = true;
  {
    const nb::gil_scoped_release release;
    const double clock = cost_of_clock();
    for (int k = 0; k < repeats && finished; ++k)
      finished = time_pass(pairs, movers, tracked, tolerance, clock, columns);
  }
  if (!finished) throw nb::python_error();  // what the signal handler raised
  for (std::size_t row = 0; row < pairs.size; ++row) columns[1][row] /= kGradients;
  return all;
}

}  // namespace

void bind_time_moves(nb::module_& m) {
  m.def(
      "time_moves", &call_time_moves, "a"_a.none(), "X_WA"_a.none(), "b"_a.none(), "X_WB"_a.none(),
      nb::kw_only(), "tracked"_a = true, "tolerance"_a = 1e-12, "repeats"_a = 1,
      "what"_a = "shapes",
      nb::sig("def time_moves(a: tactum.Shape, X_WA: " TACTUM_POSE_LIKE
              ", b: tactum.Shape, X_WB: " TACTUM_POSE_LIKE
              ", *, tracked: bool = True, tolerance: float = 1e-12, repeats: int = 1, what: str = "
              "'shapes') -> "
              "dict[str, " TACTUM_FLOAT_ARRAY "]"),
      R"(Times and counters of one pair that moves, for experiments: poses as for distances(), a
row for each step.

tracked: every query begins where the last one ended. repeats: how often the sequence is run; the
least time of each row counts.
what: 'shapes'; 'iterated' by the iterations that serve every pair, without any search of their
own; 'sphere patches', of two STP volumes the bodies between their big spheres alone, iterated as
well; these have no derivative_ns.
Returns float64 arrays (N,): distance_ns, gradient_ns (of the distance, its value given),
derivative_ns (all of them, the value given), status, distance, iterations, support_calls. One
thread, without the GIL.)");
}

}  // namespace tactum::python
