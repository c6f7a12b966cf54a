// SPDX-License-Identifier: BSD-2-Clause
// Time of one support point of a core, over a thousand random directions: every kind, and hulls of growing size.
//
// A hull begins its climb where the last query ended, as inside a distance query, though random directions make that a poor start.
#include <benchmark/benchmark.h>

#include <string>

#include "random_queries.hpp"
#include "shape/core_support.hpp"

namespace tactum::bench {
namespace {

void run_support(benchmark::State& state, ShapeKind kind, int num_points) {
  Random random(3);
  const Shape shape = random_shape(kind, num_points, random);
  std::vector<Vector3> directions;
  for (int i = 0; i < 1000; ++i) directions.push_back(random.direction());
  std::size_t next = 0;
  int start = 0, visited = 0;
  for (auto _ : state) {
    const CorePoint point = core_support(shape.core(), directions[next], start, visited);
    next = next + 1 == directions.size() ? 0 : next + 1;
    start = point.piece;
    benchmark::DoNotOptimize(point.point.x());
  }
  state.counters["vertices_visited"] = benchmark::Counter(visited, benchmark::Counter::kAvgIterations);
}

int register_all() {
  for (const ShapeKind kind :
       {ShapeKind::sphere, ShapeKind::ellipsoid, ShapeKind::box, ShapeKind::capsule, ShapeKind::cylinder, ShapeKind::cone}) {
    benchmark::RegisterBenchmark(("support/" + std::string(to_string(kind))).c_str(), run_support, kind, 0);
  }
  for (const int num_points : {12, 100, 250, 1000, 4000}) {
    benchmark::RegisterBenchmark(("support/Convex" + std::to_string(num_points)).c_str(), run_support, ShapeKind::convex,
                                 num_points);
  }
  return 0;
}

[[maybe_unused]] const int registered = register_all();

}  // namespace
}  // namespace tactum::bench
