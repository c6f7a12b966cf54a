// SPDX-License-Identifier: BSD-2-Clause
// Box-on-box patches beside the query of the same pairs: boxes laid on top of each other with
// random offsets and turns, 1 mm deep, flat or tilted by 0.01 rad; the same with hulls of eight
// points. The patch is timed with its query, and from an answer that is known; so is its derivative
// by both poses, exact and smoothed, and by the sizes of both shapes.
#include <benchmark/benchmark.h>

#include <string>

#include "random_queries.hpp"
#include "tactum/contact_patch.hpp"

namespace tactum::bench {
namespace {

struct Stack {
  Shape a, b;
  Pose X_WA, X_WB;
};

Shape as_hull(const Vector3& half) {
  Points corners(3, 8);
  for (int i = 0; i < 8; ++i)
    corners.col(i) = Vector3((i & 1) ? half.x() : -half.x(), (i & 2) ? half.y() : -half.y(),
                             (i & 4) ? half.z() : -half.z());
  return Convex::from_points(corners);
}

/// B lies on A, its middle above the face of A; then both are turned together.
std::vector<Stack> random_stacks(double tilt, bool hulls) {
  Random random(3);
  std::vector<Stack> stacks;
  for (int i = 0; i < 1000; ++i) {
    const auto size = [&] { return random.uniform(0.1, 0.5); };
    const Vector3 half_a(size(), size(), size()), half_b(size(), size(), size());
    const Shape a = hulls ? as_hull(half_a) : Shape(Box{.half_extents = half_a});
    const Shape b = hulls ? as_hull(half_b) : Shape(Box{.half_extents = half_b});
    const Pose world{random.rotation(), random.direction()};
    Pose X_AB;
    const Vector3 axis(std::cos(random.uniform(0.0, 6.28)), std::sin(random.uniform(0.0, 6.28)),
                       0.0);
    X_AB.rotation = (Eigen::AngleAxisd(tilt, axis.normalized()) *
                     Eigen::AngleAxisd(random.uniform(0.0, 3.0), Vector3::UnitZ()))
                        .toRotationMatrix();
    X_AB.translation = {random.uniform(-1.0, 1.0) * half_a.x(),
                        random.uniform(-1.0, 1.0) * half_a.y(), half_a.z() + half_b.z()};
    const Distance there = distance(a, {}, b, X_AB);
    X_AB.translation.z() -= there.distance + 1e-3;
    stacks.push_back({a, b, world, world * X_AB});
  }
  return stacks;
}

enum class What { query, patch, patch_of_answer, derivative, smoothed, by_sizes };

/// The derivative of a patch whose query is known; returns the number of points.
int differentiate(const Stack& stack, const Distance& answer, What what) {
  ContactPatchDerivativeOptions options{.value = &answer};
  if (what == What::by_sizes) {
    const ContactPatchParameterDerivative d = contact_patch_parameter_derivative(
        stack.a, stack.X_WA, stack.b, stack.X_WB, options);
    benchmark::DoNotOptimize(&d);
    return d.value.count;
  }
  if (what == What::smoothed) options.estimator = Gumbel{};
  const ContactPatchDerivative d = contact_patch_derivative(stack.a, stack.X_WA, stack.b,
                                                            stack.X_WB, options);
  benchmark::DoNotOptimize(&d);
  return d.value.count;
}

void run(benchmark::State& state, What what, double tilt, bool hulls) {
  const std::vector<Stack> stacks = random_stacks(tilt, hulls);
  std::vector<Distance> answers;
  for (const Stack& stack : stacks)
    answers.push_back(distance(stack.a, stack.X_WA, stack.b, stack.X_WB));
  std::size_t next = 0;
  double points = 0.0;
  for (auto _ : state) {
    const Stack& stack = stacks[next];
    if (what == What::query) {
      const Distance answer = distance(stack.a, stack.X_WA, stack.b, stack.X_WB);
      benchmark::DoNotOptimize(&answer);
    } else if (what != What::patch && what != What::patch_of_answer) {
      points += differentiate(stack, answers[next], what);
    } else {
      const ContactPatch patch = what == What::patch
                                     ? contact_patch(stack.a, stack.X_WA, stack.b, stack.X_WB)
                                     : contact_patch(answers[next], stack.a, stack.X_WA, stack.b,
                                                     stack.X_WB);
      points += patch.count;
      benchmark::DoNotOptimize(&patch);
    }
    next = next + 1 == stacks.size() ? 0 : next + 1;
  }
  state.counters["points"] = benchmark::Counter(points, benchmark::Counter::kAvgIterations);
}

int register_all() {
  for (const bool hulls : {false, true}) {
    for (const double tilt : {0.0, 0.01}) {
      const std::string name = std::string("contact_patch/") + (hulls ? "hull8_hull8" : "box_box") +
                               (tilt > 0.0 ? "/tilted" : "/flat");
      benchmark::RegisterBenchmark((name + "/query").c_str(), run, What::query, tilt, hulls);
      benchmark::RegisterBenchmark((name + "/patch").c_str(), run, What::patch, tilt, hulls);
      benchmark::RegisterBenchmark((name + "/patch_of_answer").c_str(), run, What::patch_of_answer,
                                   tilt, hulls);
      benchmark::RegisterBenchmark((name + "/derivative_of_answer").c_str(), run, What::derivative,
                                   tilt, hulls);
      benchmark::RegisterBenchmark((name + "/smoothed_of_answer").c_str(), run, What::smoothed,
                                   tilt, hulls);
      benchmark::RegisterBenchmark((name + "/by_sizes_of_answer").c_str(), run, What::by_sizes,
                                   tilt, hulls);
    }
  }
  return 0;
}

const int kRegistered = register_all();

}  // namespace
}  // namespace tactum::bench
