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
#include <memory>
#include <string>
#include <string_view>

#include "batch/pose_reader.hpp"
#include "batch_call.hpp"
#include "batch_input.hpp"
#include "bindings.hpp"
#include "clock.hpp"
#include "convert.hpp"
#include "narrow/pair/pair_frame.hpp"
#include "patch_bodies.hpp"
#include "separation_search.hpp"
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

/// What moves.
class Movers {
 public:
  Movers() = default;
  Movers(const Movers&) = delete;
  Movers& operator=(const Movers&) = delete;
  virtual ~Movers() = default;
  virtual Distance query(const Pose& X_WA, const Pose& X_WB,
                         const DistanceOptions& options) const = 0;
  /// The shapes where their derivatives are timed as well, else null.
  virtual const Shape* differentiable_a() const { return nullptr; }
  virtual const Shape* differentiable_b() const { return nullptr; }
};

/// Two shapes, by the query of the library.
class MovingShapes final : public Movers {
 public:
  MovingShapes(const Shape& a, const Shape& b) : a_(a), b_(b) {}
  Distance query(const Pose& X_WA, const Pose& X_WB,
                 const DistanceOptions& options) const override {
    return distance(a_, X_WA, b_, X_WB, options);
  }
  const Shape* differentiable_a() const override { return &a_; }
  const Shape* differentiable_b() const override { return &b_; }

 private:
  const Shape &a_, &b_;
};

const Stp& volume_of(const Shape& shape, const char* field) {
  const auto* const stp = std::get_if<Stp>(&shape.parameters());
  if (stp == nullptr)
    throw InvalidInput(field, shape.to_string(), "give an Stp: the iterations are made for one");
  return *stp;
}

/// Two bodies of STP volumes, by the iterations of separation_search.hpp.
template <class Body>
class IteratedBodies final : public Movers {
 public:
  IteratedBodies(const Shape& a, const Shape& b)
      : core_a_(a.core()),
        core_b_(b.core()),
        body_a_(volume_of(a, "a")),
        body_b_(volume_of(b, "b")) {}

  Distance query(const Pose& X_WA, const Pose& X_WB,
                 const DistanceOptions& options) const override {
    PairFrame frame;
    if (!try_pair_frame(core_a_, X_WA, core_b_, X_WB, frame))
      throw InvalidInput("X_WA, X_WB", "not a rigid transform", "give rigid poses");
    const Vector3 start = first_direction(core_a_, core_b_, frame, options.initial_direction,
                                          options.warm_start);
    SeparationSearch<Body> search(body_a_, body_b_, frame.X_AB, frame.scale);
    const Separation found = search.run(start, options.tolerance * frame.scale);
    return in_world(frame.X_WA, found);
  }

 private:
  Distance in_world(const Pose& X_WA, const Separation& found) const {
    Distance result;
    result.normal = X_WA.rotation * found.normal;
    result.point_a = X_WA * Vector3(found.point_a + body_a_.radius() * found.normal);
    result.point_b = X_WA * Vector3(found.point_b - body_b_.radius() * found.normal);
    result.distance = found.value - body_a_.radius() - body_b_.radius();
    result.status = !found.converged        ? Status::not_converged
                    : result.distance > 0.0 ? Status::separated
                                            : Status::penetrating;
    result.iterations = found.iterations;
    result.support_calls = found.support_calls;
    result.warm_start.direction_A = found.normal;
    return result;
  }

  const CoreShape &core_a_, &core_b_;
  Body body_a_, body_b_;
};

std::unique_ptr<Movers> make_movers(const Shape& a, const Shape& b, std::string_view what) {
  if (what == "shapes") return std::make_unique<MovingShapes>(a, b);
  if (what == "iterated") return std::make_unique<IteratedBodies<VolumeBody>>(a, b);
  if (what == "sphere patches") return std::make_unique<IteratedBodies<SpherePatchBody>>(a, b);
  throw InvalidInput("what", std::string(what), "give 'shapes', 'iterated' or 'sphere patches'");
}

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
  const Shape *const a = movers.differentiable_a(), *const b = movers.differentiable_b();
  WarmStart last;
  for (std::size_t row = 0; row < pairs.size; ++row) {
    const Pose X_WA = pose_of(poses_a, row, "X_WA"), X_WB = pose_of(poses_b, row, "X_WB");
    const DistanceOptions options{.tolerance = tolerance, .warm_start = tracked ? &last : nullptr};
    const Distance value = timed(clock, columns[0][row],
                                 [&] { return movers.query(X_WA, X_WB, options); });
    timed(clock, columns[1][row], [&] { return gradients(X_WA, X_WB, value); });
    if (a != nullptr && b != nullptr)
      timed(clock, columns[2][row],
            [&] { return distance_derivative(*a, X_WA, *b, X_WB, {.value = &value}); });
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
  const std::unique_ptr<Movers> movers = make_movers(pairs.a.shapes[0], pairs.b.shapes[0], what);
  nb::dict all;
  double* columns[kColumns] = {};
  for (std::size_t k = 0; k < kColumns; ++k) {
    if (k == kDerivative && movers->differentiable_a() == nullptr) continue;
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
      finished = time_pass(pairs, *movers, tracked, tolerance, clock, columns);
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
what: 'shapes'; 'iterated', two STP volumes by Newton's method on the separation along a direction
instead of the search among patches of the library; 'sphere patches', by that method the bodies
between the big spheres of two STP volumes. A depth by that method is the local optimum next to
where it began. Both have no derivative_ns.
Returns float64 arrays (N,): distance_ns, gradient_ns (of the distance, its value given),
derivative_ns (all of them, the value given), status, distance, iterations, support_calls. One
thread, without the GIL.)");
}

}  // namespace tactum::python
