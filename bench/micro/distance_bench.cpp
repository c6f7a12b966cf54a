// SPDX-License-Identifier: BSD-2-Clause
// Time of one distance or collision query, for every pair of shape kinds, apart (1 mm to 0.3 m) and
// penetrating (1 mm to 5 cm).
//
// Names read distance/Box/Convex100/apart. Beside the time: support calls and iterations of a
// query, and how many did not converge.
#include <benchmark/benchmark.h>

#include <string>

#include "random_queries.hpp"

namespace tactum::bench {
namespace {

struct Side {
  ShapeKind kind;
  int num_points;  // of a hull

  std::string name() const {
    return std::string(to_string(kind)) +
           (kind == ShapeKind::convex ? std::to_string(num_points) : "");
  }
};

struct Range {
  const char* name;
  double low, high;  // m
};

constexpr Range kRanges[] = {{"apart", 0.001, 0.3}, {"penetrating", -0.05, -0.001}};

void run_distance(benchmark::State& state, Side a, Side b, Range range) {
  const Queries input = random_queries(a.kind, b.kind, std::max(a.num_points, b.num_points),
                                       range.low, range.high);
  std::size_t next = 0;
  double support_calls = 0.0, iterations = 0.0, not_converged = 0.0;
  for (auto _ : state) {
    const Query& query = input.queries[next];
    next = next + 1 == input.queries.size() ? 0 : next + 1;
    const auto& [shape_a, shape_b] = input.pairs[query.pair];
    const Distance result = distance(shape_a, query.X_WA, shape_b, query.X_WB);
    benchmark::DoNotOptimize(result.distance);
    support_calls += result.support_calls;
    iterations += result.iterations;
    not_converged += result.status == Status::not_converged ? 1.0 : 0.0;
  }
  state.counters["support_calls"] = benchmark::Counter(support_calls,
                                                       benchmark::Counter::kAvgIterations);
  state.counters["iterations"] = benchmark::Counter(iterations, benchmark::Counter::kAvgIterations);
  state.counters["not_converged"] = benchmark::Counter(not_converged,
                                                       benchmark::Counter::kAvgIterations);
}

void run_collide(benchmark::State& state, Side a, Side b, Range range) {
  const Queries input = random_queries(a.kind, b.kind, std::max(a.num_points, b.num_points),
                                       range.low, range.high);
  std::size_t next = 0;
  for (auto _ : state) {
    const Query& query = input.queries[next];
    next = next + 1 == input.queries.size() ? 0 : next + 1;
    const auto& [shape_a, shape_b] = input.pairs[query.pair];
    benchmark::DoNotOptimize(collide(shape_a, query.X_WA, shape_b, query.X_WB).colliding);
  }
}

/// A pair followed through small moves (1 mm and half a degree a step), each query warm-started by
/// the last.
void run_tracking(benchmark::State& state, Side a, Side b, Range range) {
  const Queries input = random_queries(a.kind, b.kind, std::max(a.num_points, b.num_points),
                                       range.low, range.high);
  Random random(7);
  std::vector<Pose> steps;
  for (int i = 0; i < 1000; ++i)
    steps.push_back({Eigen::AngleAxisd(0.00873, random.direction()).toRotationMatrix(),
                     0.001 * random.direction()});
  std::size_t next = 0;
  Query query = input.queries[0];
  WarmStart warm;
  for (auto _ : state) {
    if (next % 50 == 0) {
      // another pair now and then, so that no single one decides the figure
      query = input.queries[next];
      warm = {};
    }
    query.X_WB.rotation = query.X_WB.rotation * steps[next].rotation;
    query.X_WB.translation += steps[next].translation;
    next = next + 1 == steps.size() ? 0 : next + 1;
    const auto& [shape_a, shape_b] = input.pairs[query.pair];
    const Distance result = distance(shape_a, query.X_WA, shape_b, query.X_WB,
                                     {.warm_start = &warm});
    benchmark::DoNotOptimize(result.distance);
    warm = result.warm_start;
  }
}

int register_all() {
  const Side sides[] = {{ShapeKind::sphere, 0},     {ShapeKind::ellipsoid, 0}, {ShapeKind::box, 0},
                        {ShapeKind::capsule, 0},    {ShapeKind::cylinder, 0},  {ShapeKind::cone, 0},
                        {ShapeKind::half_space, 0}, {ShapeKind::convex, 100}};
  const auto add = [](const char* what, auto run, const Side& a, const Side& b,
                      const Range& range) {
    const std::string name = std::string(what) + "/" + a.name() + "/" + b.name() + "/" + range.name;
    benchmark::RegisterBenchmark(name.c_str(), run, a, b, range);
  };
  for (const Range& range : kRanges) {
    for (std::size_t i = 0; i < std::size(sides); ++i) {
      for (std::size_t j = i; j < std::size(sides); ++j) {
        if (i == j && sides[i].kind == ShapeKind::half_space) continue;
        add("distance", run_distance, sides[i], sides[j], range);
      }
    }
    for (const int num_points : {12, 1000, 4000}) {
      const Side hull{ShapeKind::convex, num_points};
      add("distance", run_distance, hull, hull, range);
    }
    for (const int num_points : {12, 100, 1000}) {
      const Side hull{ShapeKind::convex, num_points};
      add("collide", run_collide, hull, hull, range);
      add("tracking", run_tracking, hull, hull, range);
    }
    for (const Side& side : {sides[1], sides[2]}) {
      add("collide", run_collide, side, side, range);
      add("tracking", run_tracking, side, side, range);
    }
  }
  return 0;
}

[[maybe_unused]] const int registered = register_all();

}  // namespace
}  // namespace tactum::bench
