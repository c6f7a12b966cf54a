// SPDX-License-Identifier: BSD-2-Clause
// time_queries: how long queries take and what they count, for experiments. A name of
// tactum.reproduce._timing.
//
// A call from Python costs more than a query, so the clock is read here, around each single query,
// and the cost of reading it is taken off. A problem is solved `repeats` times in a row, as in the
// measurements of the papers; the caller decides which of the repetitions count. One thread.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "batch/pose_reader.hpp"
#include "batch_call.hpp"
#include "batch_input.hpp"
#include "bindings.hpp"
#include "clock.hpp"
#include "convert.hpp"
#include "method.hpp"
#include "narrow/gjkpp/methods.hpp"
#include "narrow/pair/pair_frame.hpp"
#include "tactum/distances.hpp"
#include "timing.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

/// One float64 column of the answer, and where it lies.
struct Column {
  nb::object array;
  double* data;
  explicit Column(nb::handle shape)
      : array(numpy().attr("zeros")(shape, "float64")), data(float_span(array).data) {}
};

struct Columns {
  Column time, status, distance, iterations, support_calls, vertices_visited;
  Columns(std::size_t rows, int repeats)
      : time(nb::make_tuple(rows, repeats)),
        status(nb::make_tuple(rows)),
        distance(nb::make_tuple(rows)),
        iterations(nb::make_tuple(rows)),
        support_calls(nb::make_tuple(rows)),
        vertices_visited(nb::make_tuple(rows)) {}

  void put(std::size_t row, const Distance& result) const {
    status.data[row] = static_cast<double>(result.status);
    distance.data[row] = result.distance;
    iterations.data[row] = result.iterations;
    support_calls.data[row] = result.support_calls;
    vertices_visited.data[row] = result.vertices_visited;
  }
  void put(std::size_t row, const Collision& result) const {
    status.data[row] = static_cast<double>(result.status);
    distance.data[row] = result.lower;
    iterations.data[row] = result.iterations;
  }
  nb::dict result() const {
    nb::dict all;
    all["nanoseconds"] = time.array;
    all["status"] = status.array;
    all["distance"] = distance.array;
    all["iterations"] = iterations.array;
    all["support_calls"] = support_calls.array;
    all["vertices_visited"] = vertices_visited.array;
    return all;
  }
};

/// The search of a method of the paper alone, without the exact stage after it, as its authors time
/// it. Distance and bounds are unset.
Distance search(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                const DistanceOptions& options, MomentumWeight weight) {
  const PairFrame frame = make_pair_frame(a, X_WA, b, X_WB);
  CorePair pair = make_core_pair(a.core(), b.core(), frame, nullptr);
  ClimbingPair climbing(pair);
  GjkState state;
  const MethodLimits limits{.epsilon = options.tolerance * frame.scale * frame.scale,
                            .max_iterations = options.max_iterations};
  run_method(options.method, climbing,
             first_iterate(pair, frame.X_WA.rotation, options.initial_direction, nullptr, weight),
             limits, state);
  Distance result;
  result.iterations = state.iterations;
  result.support_calls = climbing.support_calls;
  result.vertices_visited = climbing.vertices_visited;
  return result;
}

void check_search(Method method, const PairBatch& pairs) {
  if (method == Method::automatic)
    throw InvalidInput("method", "'auto'",
                       "give a method of the paper: 'auto' is more than a search");
  for (const BatchSide& side : {pairs.a, pairs.b}) {
    for (const Shape& shape : side.shapes) {
      if (std::holds_alternative<HalfSpace>(shape.parameters()))
        throw InvalidInput("a, b", "a HalfSpace", "give bounded shapes to search for");
    }
  }
}

/// The pairs of a call, row by row.
struct Problems {
  PairBatch pairs;
  std::span<const Vector3> directions;
  bool tolerance_is_gap;  ///< in square metres; else relative to the scale of each pair
  PoseReader poses_a{pairs.a.poses};
  PoseReader poses_b{pairs.b.poses};

  static const Shape& shape(const BatchSide& side, std::size_t row) {
    return side.shapes[side.index.empty() ? 0 : static_cast<std::size_t>(side.index[row])];
  }
  static Pose pose(const PoseReader& reader, std::size_t row, const char* field) {
    CheckedPose scratch;
    const Pose* const found = reader.read(row, scratch);
    if (found == nullptr) throw InvalidInput(field, "row " + std::to_string(row), "give poses");
    return *found;
  }

  /// False when a signal handler raised.
  template <class Options, class Query>
  bool run(Options options, int repeats, const Columns& out, Query query) const {
    const double clock = cost_of_clock(), tolerance = options.tolerance;
    for (std::size_t row = 0; row < pairs.size; ++row) {
      const Shape& a = shape(pairs.a, row);
      const Shape& b = shape(pairs.b, row);
      const Pose X_WA = pose(poses_a, row, "X_WA"), X_WB = pose(poses_b, row, "X_WB");
      if (!directions.empty()) options.initial_direction = directions[row];
      if (tolerance_is_gap)
        options.tolerance = std::clamp(tolerance / std::pow(pair_scale(a, X_WA, b, X_WB), 2), 1e-13,
                                       1.0);
      for (int k = 0; k < repeats; ++k) {
        const auto begin = Clock::now();
        const auto result = query(a, X_WA, b, X_WB, options);
        const auto end = Clock::now();
        out.time.data[row * static_cast<std::size_t>(repeats) + static_cast<std::size_t>(k)] =
            std::max(nanoseconds(end - begin) - clock, 0.0);
        if (k == 0) out.put(row, result);
      }
      if (row % 256 == 255 && signal_raised()) return false;
    }
    return true;
  }
};

nb::dict call_time_queries(nb::handle a, nb::handle X_WA, nb::handle b, nb::handle X_WB,
                           const std::string& query, nb::handle method, double tolerance,
                           bool tolerance_is_gap, int max_iterations, int repeats,
                           nb::handle initial_direction, nb::handle momentum_weight) {
  if (query != "distance" && query != "collide" && query != "search")
    throw InvalidInput("query", query, "give 'distance', 'collide' or 'search'");
  if (!(tolerance > 0.0)) throw InvalidInput("tolerance", repr(tolerance), "give a number > 0");
  if (max_iterations < 1)
    throw InvalidInput("max_iterations", std::to_string(max_iterations), "give a number >= 1");
  if (repeats < 1) throw InvalidInput("repeats", std::to_string(repeats), "give a number >= 1");
  RowCount rows;
  const ShapeArgument shape_a(a, "a", rows), shape_b(b, "b", rows);
  const PoseArgument pose_a(X_WA, "X_WA", rows), pose_b(X_WB, "X_WB", rows);
  std::optional<HeldArray> directions;
  if (!initial_direction.is_none()) {
    directions.emplace(as_real_array(initial_direction, "initial_direction", "give (N, 3) numbers"),
                       'd', "float64");
    if (directions->ndim() != 2 || directions->shape(1) != 3 ||
        directions->shape(0) != static_cast<Py_ssize_t>(rows.get()))
      throw InvalidInput("initial_direction", shape_text(directions->array()),
                         "give (N, 3) numbers, one row for each pair");
  }
  PairBatch pairs{.size = rows.get(), .a = {.poses = pose_a.span()}, .b = {.poses = pose_b.span()}};
  shape_a.fill(pairs.a, pairs.size);
  shape_b.fill(pairs.b, pairs.size);
  const Problems problems{pairs,
                          directions ? directions->items<Vector3>() : std::span<const Vector3>{},
                          tolerance_is_gap};
  const Method chosen = to_method(method);
  const MomentumWeight weight = to_momentum_weight(momentum_weight);
  if (query == "search") check_search(chosen, pairs);
  const Columns out(pairs.size, repeats);
  bool finished = false;
  {
    const nb::gil_scoped_release release;
    const auto run = [&](auto options, auto asked) {
      options.method = chosen;
      options.tolerance = tolerance;
      options.max_iterations = max_iterations;
      return problems.run(options, repeats, out,
                          [&](const auto&... arguments) { return asked(arguments..., weight); });
    };
    if (query == "distance") {
      finished = run(DistanceOptions{}, [](const auto&... x) { return distance(x...); });
    } else if (query == "search") {
      finished = run(DistanceOptions{}, [](const auto&... x) { return search(x...); });
    } else {
      finished = run(CollideOptions{}, [](const auto&... x) { return collide(x...); });
    }
  }
  if (!finished) throw nb::python_error();  // what the signal handler raised
  return out.result();
}

#define TACTUM_SIDE "tactum.Shape | tuple[tactum.ShapeTable, " TACTUM_ARRAY_LIKE "]"

}  // namespace

void bind_time_queries(nb::module_& m) {
  m.def("time_queries", &call_time_queries, "a"_a.none(), "X_WA"_a.none(), "b"_a.none(),
        "X_WB"_a.none(), nb::kw_only(), "query"_a = "distance", "method"_a.none() = "auto",
        "tolerance"_a = 1e-10, "tolerance_is_gap"_a = false, "max_iterations"_a = 128,
        "repeats"_a = 1, "initial_direction"_a.none() = nb::none(),
        "momentum_weight"_a.none() = "chosen",
        nb::sig("def time_queries(a: " TACTUM_SIDE ", X_WA: " TACTUM_POSE_LIKE ", b: " TACTUM_SIDE
                ", X_WB: " TACTUM_POSE_LIKE
                ", *, query: str = 'distance', method: str = 'auto', tolerance: float = 1e-10, "
                "tolerance_is_gap: bool = False, max_iterations: int = 128, "
                "repeats: int = 1, initial_direction: " TACTUM_ARRAY_LIKE
                " | None = None, momentum_weight: str = 'chosen') -> dict[str, " TACTUM_FLOAT_ARRAY
                "]"),
        R"(Time and counters of N queries, for experiments: shapes and poses as for distances().

query: 'distance', 'collide', or 'search': what a method of the paper does before the exact stage
that all of them end in.
tolerance_is_gap: the tolerance is the Frank-Wolfe gap of the paper in square metres, not relative
to the scale of each pair.
repeats: how often each is solved. initial_direction: (N, 3), from A to B in the world, or None.
momentum_weight: as for tactum.distance().
Returns float64 arrays: nanoseconds (N, repeats), and of the first repetition, each (N,): status,
iterations, distance (for 'collide' the proved lower bound, for 'search' zero), support_calls and
vertices_visited (for 'collide' zero). One thread, without the GIL.)");
}

}  // namespace tactum::python
