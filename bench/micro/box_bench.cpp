// SPDX-License-Identifier: BSD-2-Clause
// Pairs of boxes and the other closed forms, without the public call around them: cores in the
// frame of A, poses that do not repeat.
#include <benchmark/benchmark.h>

#include <string>

#include "narrow/formula/box_facets.hpp"
#include "narrow/pairs/box_box.hpp"
#include "narrow/query/pair_table.hpp"
#include "random_queries.hpp"

namespace tactum::bench {
namespace {

/// The cores of random queries at one distance. Off the center line: B is put anywhere near A
/// first, so that the line of centers is not the normal.
std::vector<CorePair> core_pairs(const Queries& input, double distance_wanted, bool off_center) {
  Random random(17);
  std::vector<CorePair> pairs;
  for (Query query : input.queries) {
    const auto& [a, b] = input.pairs[query.pair];
    if (off_center) {
      const auto within = [&] { return random.uniform(-1.0, 1.0); };
      query.X_WB.translation = query.X_WA.translation + Vector3(within(), within(), within());
      const Distance there = distance(a, query.X_WA, b, query.X_WB);
      query.X_WB.translation += (distance_wanted - there.distance) * there.normal;
    }
    const Matrix3 R_AW = query.X_WA.rotation.transpose();
    pairs.emplace_back(
        a.core(), b.core(),
        Pose{R_AW * query.X_WB.rotation, R_AW * (query.X_WB.translation - query.X_WA.translation)},
        pair_scale(a, query.X_WA, b, query.X_WB));
  }
  return pairs;
}

void run_closed_form(benchmark::State& state, ShapeKind kind_a, ShapeKind kind_b,
                     double distance_wanted, bool off_center) {
  const Queries input = random_queries(kind_a, kind_b, 0, distance_wanted, distance_wanted);
  std::vector<CorePair> pairs = core_pairs(input, distance_wanted, off_center);
  std::size_t next = 0;
  double left_over = 0.0;
  for (auto _ : state) {
    CoreDistance answer;
    ClosedForm* const solve =
        pair_entry(pair_table(), pairs[next].a(), pairs[next].b()).solvers.closed_form;
    left_over += solve != nullptr && solve(pairs[next], answer) ? 0.0 : 1.0;
    next = next + 1 == pairs.size() ? 0 : next + 1;
    benchmark::DoNotOptimize(answer.optimum.lower);
  }
  state.counters["left_over"] = benchmark::Counter(left_over, benchmark::Counter::kAvgIterations);
}

void run_best_facet(benchmark::State& state, SimdLevel level) {
  const Queries input = random_queries(ShapeKind::box, ShapeKind::box, 0, -0.01, 0.1);
  const std::vector<CorePair> pairs = core_pairs(input, 0.0, false);
  BestBoxFacet* const best_facet = best_box_facet(level);
  std::size_t next = 0;
  for (auto _ : state) {
    const CorePair& pair = pairs[next];
    next = next + 1 == pairs.size() ? 0 : next + 1;
    benchmark::DoNotOptimize(best_facet(pair.a().size.data(), pair.b().size.data(),
                                        pair.X_AB().rotation.data(),
                                        pair.X_AB().translation.data()));
  }
}

int register_all() {
  struct Pair {
    const char* name;
    ShapeKind a, b;
  };
  const Pair pairs[] = {{"box_box", ShapeKind::box, ShapeKind::box},
                        {"box_sphere", ShapeKind::box, ShapeKind::sphere},
                        {"sphere_box", ShapeKind::sphere, ShapeKind::box},
                        {"capsule_capsule", ShapeKind::capsule, ShapeKind::capsule},
                        {"sphere_sphere", ShapeKind::sphere, ShapeKind::sphere},
                        {"box_capsule", ShapeKind::box, ShapeKind::capsule}};
  for (const Pair& pair : pairs) {
    for (const double gap : {1.0, 0.01, -0.01}) {
      for (const bool off_center : {false, true}) {
        const std::string name = std::string("closed_form/") + pair.name + "/" +
                                 std::to_string(static_cast<int>(1000.0 * gap)) + "mm" +
                                 (off_center ? "/off_center" : "");
        benchmark::RegisterBenchmark(name.c_str(), run_closed_form, pair.a, pair.b, gap,
                                     off_center);
      }
    }
  }
  for (const SimdLevel level : kSimdLevels) {
    if (level <= machine_simd_level())
      benchmark::RegisterBenchmark(("box_facets/" + std::string(to_string(level))).c_str(),
                                   run_best_facet, level);
  }
  return 0;
}

const int kRegistered = register_all();

}  // namespace
}  // namespace tactum::bench
