// SPDX-License-Identifier: BSD-2-Clause
// Time of the solver of ellipsoid pairs alone, and the share of pairs it proves, by distance.
//
// Names read ellipsoids/+0.01: B is moved along the normal of contact until the pair is that far
// apart; ellipsoids/anywhere draws the center of B within reach of A. Semi axes are 0.1 to 0.5 m.
// Pairs that are not proved here are left to the general methods, whose time is not in these
// figures.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "narrow/pairs/ellipsoid_pair.hpp"
#include "random_queries.hpp"

namespace tactum::bench {
namespace {

struct CoreQuery {
  std::size_t pair;
  Pose X_AB;
  double scale;
};

void run_solver(benchmark::State& state, double distance_wanted, bool anywhere) {
  const Queries input = random_queries(ShapeKind::ellipsoid, ShapeKind::ellipsoid, 0,
                                       distance_wanted, distance_wanted);
  Random random(5);
  std::vector<CoreQuery> queries;
  for (const Query& query : input.queries) {
    const auto& [a, b] = input.pairs[query.pair];
    Pose X_AB = inverse(query.X_WA) * query.X_WB;
    const double reach = a.core().bounding_radius + b.core().bounding_radius;
    if (anywhere) X_AB.translation = random.uniform(0.0, 0.5) * reach * random.direction();
    queries.push_back(
        {query.pair, X_AB,
         std::max({X_AB.translation.norm(), a.core().bounding_radius, b.core().bounding_radius})});
  }
  std::size_t next = 0;
  double proved = 0.0, steps = 0.0;
  for (auto _ : state) {
    const CoreQuery& query = queries[next];
    next = next + 1 == queries.size() ? 0 : next + 1;
    const auto& [a, b] = input.pairs[query.pair];
    CorePair pair(a.core(), b.core(), query.X_AB, query.scale);
    CoreDistance answer;
    proved += solve_ellipsoids(pair, answer) ? 1.0 : 0.0;
    steps += answer.iterations;
    benchmark::DoNotOptimize(answer.optimum.lower);
  }
  state.counters["proved"] = benchmark::Counter(proved, benchmark::Counter::kAvgIterations);
  state.counters["steps"] = benchmark::Counter(steps, benchmark::Counter::kAvgIterations);
}

int register_all() {
  struct Case {
    const char* name;
    double distance;
  };
  for (const Case& c :
       {Case{"+1", 1.0}, Case{"+0.1", 0.1}, Case{"+0.01", 0.01}, Case{"+0.001", 0.001},
        Case{"-0.001", -0.001}, Case{"-0.01", -0.01}, Case{"-0.1", -0.1}})
    benchmark::RegisterBenchmark((std::string("ellipsoids/") + c.name).c_str(), run_solver,
                                 c.distance, false);
  benchmark::RegisterBenchmark("ellipsoids/anywhere", run_solver, -0.1, true);
  return 0;
}

[[maybe_unused]] const int registered = register_all();

}  // namespace
}  // namespace tactum::bench
