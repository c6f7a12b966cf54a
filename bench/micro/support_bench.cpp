// SPDX-License-Identifier: BSD-2-Clause
// Time of one support point of a core, over random directions and many shapes in turn: every kind,
// and hulls of growing size.
//
// `support` asks one question after the other, as a loop over shapes does. `support_chain` cannot
// begin a question before it has the answer of the last, as inside a distance query: the time from
// direction to point. Forty shapes in turn, as in a scene: tables of large hulls then come from the
// outer caches.
#include <benchmark/benchmark.h>

#include <string>

#include "random_queries.hpp"
#include "shape/support/core_support.hpp"

namespace tactum::bench {
namespace {

constexpr std::size_t kNumShapes = 40, kNumDirections = 10000;

struct Questions {
  std::vector<Shape> shapes;
  std::vector<Vector3> directions;
  std::vector<const CoreShape*> cores;  // which shape each direction is for
};

Questions random_questions(ShapeKind kind, int num_points) {
  Random random(3);
  Questions result;
  for (std::size_t i = 0; i < kNumShapes; ++i)
    result.shapes.push_back(random_shape(kind, num_points, random));
  for (std::size_t i = 0; i < kNumDirections; ++i) {
    result.directions.push_back(random.direction());
    result.cores.push_back(&result.shapes[random.below(kNumShapes)].core());
  }
  return result;
}

void run_support(benchmark::State& state, ShapeKind kind, int num_points, bool chain) {
  const Questions questions = random_questions(kind, num_points);
  std::size_t next = 0;
  int visited = 0;
  double sum = 0.0;
  for (auto _ : state) {
    Vector3 direction = questions.directions[next];
    if (chain) direction.x() += 1e-300 * sum;  // changes nothing, but has to wait
    const CorePoint point = core_support(*questions.cores[next], direction, visited);
    next = next + 1 == kNumDirections ? 0 : next + 1;
    sum += point.point.x();
  }
  benchmark::DoNotOptimize(sum);
  state.counters["vertices_visited"] = benchmark::Counter(visited,
                                                          benchmark::Counter::kAvgIterations);
}

void register_one(const std::string& name, ShapeKind kind, int num_points) {
  benchmark::RegisterBenchmark(("support/" + name).c_str(), run_support, kind, num_points, false);
  benchmark::RegisterBenchmark(("support_chain/" + name).c_str(), run_support, kind, num_points,
                               true);
}

int register_all() {
  for (const ShapeKind kind : {ShapeKind::sphere, ShapeKind::ellipsoid, ShapeKind::box,
                               ShapeKind::capsule, ShapeKind::cylinder, ShapeKind::cone}) {
    register_one(std::string(to_string(kind)), kind, 0);
  }
  for (const int num_points : {12, 16, 32, 64, 100, 250, 1000, 4000}) {
    register_one("Convex" + std::to_string(num_points), ShapeKind::convex, num_points);
  }
  return 0;
}

[[maybe_unused]] const int registered = register_all();

}  // namespace
}  // namespace tactum::bench
