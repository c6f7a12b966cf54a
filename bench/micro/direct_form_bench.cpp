// SPDX-License-Identifier: BSD-2-Clause
// What the direct form of a pair saves: the time of the same queries by the direct form and by the
// general road, whose closed form is written for all inputs.
//
// Names read direct/sphere_box/+0.01 and general/sphere_box/+0.01.
#include <benchmark/benchmark.h>

#include "narrow/query/pair_table.hpp"
#include "random_queries.hpp"

namespace tactum::bench {
namespace {

void run_road(benchmark::State& state, ShapeKind kind_a, ShapeKind kind_b, double distance_wanted,
              bool direct) {
  const Queries input = random_queries(kind_a, kind_b, 0, distance_wanted, distance_wanted);
  std::size_t next = 0;
  Distance result;
  for (auto _ : state) {
    const Query& query = input.queries[next];
    next = next + 1 == input.queries.size() ? 0 : next + 1;
    const CoreShape &a = input.pairs[query.pair].first.core(),
                    &b = input.pairs[query.pair].second.core();
    const PairEntry& entry = pair_entry(pair_table(), a, b);
    const bool solved = direct ? entry.try_directly(a, query.X_WA, b, query.X_WB, {}, result)
                               : try_general_distance(entry.solvers, a, query.X_WA, b, query.X_WB,
                                                      {}, result);
    if (!solved) state.SkipWithError("the direct form refuses a pair");
    benchmark::DoNotOptimize(result.distance);
  }
}

int register_all() {
  struct Case {
    const char* name;
    ShapeKind a, b;
  };
  for (const Case& c : {Case{"sphere_sphere", ShapeKind::sphere, ShapeKind::sphere},
                        Case{"sphere_capsule", ShapeKind::sphere, ShapeKind::capsule},
                        Case{"capsule_capsule", ShapeKind::capsule, ShapeKind::capsule},
                        Case{"sphere_box", ShapeKind::sphere, ShapeKind::box},
                        Case{"sphere_cylinder", ShapeKind::sphere, ShapeKind::cylinder},
                        Case{"sphere_cone", ShapeKind::sphere, ShapeKind::cone},
                        Case{"sphere_half_space", ShapeKind::sphere, ShapeKind::half_space},
                        Case{"box_box", ShapeKind::box, ShapeKind::box}}) {
    for (const bool direct : {true, false})
      benchmark::RegisterBenchmark(
          ((direct ? "direct/" : "general/") + std::string(c.name) + "/+0.01").c_str(), run_road,
          c.a, c.b, 0.01, direct);
  }
  return 0;
}

[[maybe_unused]] const int registered = register_all();

}  // namespace
}  // namespace tactum::bench
