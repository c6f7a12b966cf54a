// SPDX-License-Identifier: BSD-2-Clause
// Batches against a loop of single calls: ns for each pair, one thread, and with threads; mixed
// kinds and one kind.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "random_queries.hpp"
#include "tactum/distances.hpp"
#include "tactum/signed_distance.hpp"

namespace tactum::bench {
namespace {

constexpr std::size_t kPairs = 20000;

/// Shapes of the given kinds, and pairs of them at random, some apart and some not.
struct Input {
  std::vector<Shape> shapes;
  std::vector<std::int32_t> index_a, index_b;
  std::vector<Pose> poses_a, poses_b;
};

Input make_input(const std::vector<ShapeKind>& kinds) {
  Random random(7);
  Input input;
  for (int i = 0; i < 40; ++i)
    input.shapes.push_back(
        random_shape(kinds[static_cast<std::size_t>(i) % kinds.size()], 12, random));
  for (std::size_t i = 0; i < kPairs; ++i) {
    input.index_a.push_back(static_cast<std::int32_t>(random.below(input.shapes.size())));
    input.index_b.push_back(static_cast<std::int32_t>(random.below(input.shapes.size())));
    input.poses_a.push_back({random.rotation(), random.direction()});
    input.poses_b.push_back({random.rotation(), input.poses_a.back().translation +
                                                    random.uniform(0.3, 1.5) * random.direction()});
  }
  return input;
}

void run_loop(benchmark::State& state, const std::vector<ShapeKind>& kinds) {
  const Input input = make_input(kinds);
  std::vector<double> distance(kPairs);
  for (auto _ : state) {
    for (std::size_t i = 0; i < kPairs; ++i) {
      distance[i] = tactum::distance(
                        input.shapes[static_cast<std::size_t>(input.index_a[i])], input.poses_a[i],
                        input.shapes[static_cast<std::size_t>(input.index_b[i])], input.poses_b[i])
                        .distance;
    }
    benchmark::DoNotOptimize(distance.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kPairs));
}

void run_batch(benchmark::State& state, const std::vector<ShapeKind>& kinds, int num_threads,
               bool all_fields) {
  const Input input = make_input(kinds);
  std::vector<double> distance(kPairs), lower(kPairs), upper(kPairs);
  std::vector<Status> status(kPairs);
  std::vector<Vector3> normal(kPairs), point_a(kPairs), point_b(kPairs);
  const PairBatch pairs{
      .size = kPairs,
      .a = {.shapes = input.shapes, .index = input.index_a, .poses = input.poses_a},
      .b = {.shapes = input.shapes, .index = input.index_b, .poses = input.poses_b}};
  DistanceColumns out{.distance = distance};
  if (all_fields) {
    out = {.status = status,
           .distance = distance,
           .normal = normal,
           .point_a = point_a,
           .point_b = point_b,
           .lower = lower,
           .upper = upper};
  }
  BatchWorkspace work;
  for (auto _ : state) {
    distances(pairs, {.num_threads = num_threads}, work, out);
    benchmark::DoNotOptimize(distance.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kPairs));
}

void run_signed_distance(benchmark::State& state, ShapeKind kind) {
  Random random(8);
  const Shape shape = random_shape(kind, 100, random);
  const Pose X{random.rotation(), random.direction()};
  std::vector<Vector3> points(kPairs), gradient(kPairs);
  for (Vector3& point : points)
    point = X.translation + random.uniform(0.0, 1.0) * random.direction();
  std::vector<double> distance(kPairs);
  BatchWorkspace work;
  for (auto _ : state) {
    signed_distance(shape, X, points, {.num_threads = 1}, work,
                    {.distance = distance, .gradient = gradient});
    benchmark::DoNotOptimize(distance.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kPairs));
}

int register_all() {
  const std::vector<ShapeKind> all = {ShapeKind::sphere,  ShapeKind::ellipsoid, ShapeKind::box,
                                      ShapeKind::capsule, ShapeKind::cylinder,  ShapeKind::cone,
                                      ShapeKind::convex};
  const std::pair<std::string, std::vector<ShapeKind>> groups[] = {
      {"Sphere", {ShapeKind::sphere}},
      {"Convex12", {ShapeKind::convex}},
      {"simple", {ShapeKind::sphere, ShapeKind::box, ShapeKind::capsule}},
      {"all", all}};
  const auto add = [](const std::string& name, auto run) {
    benchmark::RegisterBenchmark(name.c_str(), run)->Unit(benchmark::kMillisecond)->UseRealTime();
  };
  for (const auto& [name, kinds] : groups) {
    add("distances/" + name + "/loop", [kinds](benchmark::State& s) { run_loop(s, kinds); });
    add("distances/" + name + "/1",
        [kinds](benchmark::State& s) { run_batch(s, kinds, 1, false); });
    add("distances/" + name + "/1_all_fields",
        [kinds](benchmark::State& s) { run_batch(s, kinds, 1, true); });
    add("distances/" + name + "/2",
        [kinds](benchmark::State& s) { run_batch(s, kinds, 2, false); });
  }
  for (const ShapeKind kind : all)
    add("signed_distance/" + std::string(to_string(kind)),
        [kind](benchmark::State& s) { run_signed_distance(s, kind); });
  return 0;
}

[[maybe_unused]] const int registered = register_all();

}  // namespace
}  // namespace tactum::bench
