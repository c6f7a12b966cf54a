// SPDX-License-Identifier: BSD-2-Clause
// tactum_compare_stp: two geodesic spheres that move, as STP volumes and as hulls of the same
// points, by tactum, and as hulls by coal, in one process. Writes one JSON object a line;
// tools/compare_stp.py makes rows of them.
//
//   tactum_compare_stp [--quick] [--seed N]
//
// Moves      of section VI-B of the paper on STP volumes: spheres of 20 cm, small radius 1 cm;
//            between two queries both turn about their three axes by 2 degrees and the distance
//            changes by 2 mm (small), or by 20 degrees and 2 cm (large). Places: the paper's range
//            of 40 cm from slight penetration on, and besides 60 cm and 5 cm apart.
// Hulls      have the small radius as a margin, so that both go through the same contacts. coal
//            gets it as its swept sphere.
// Measured   all queries but those of coal's default guess begin where the last one of the pair
//            ended. Sides take turns, each round in another order, and go through the same moves,
//            which never repeat within a round; the least time of each query counts.
#include <coal/distance.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "coal_hull.hpp"
#include "stopwatch.hpp"
#include "support/geodesic.hpp"
#include "support/random.hpp"
#include "tactum/distance.hpp"

namespace tactum::compare {
namespace {

constexpr double kRadius = 0.2, kSmallRadius = 0.01, kTolerance = 1e-12, kDegree = M_PI / 180.0;

struct Step {
  Pose X_WA, X_WB;
};

struct Place {
  const char* name;
  double nearest, range;  ///< m between the centers
};

struct Moves {
  const char* name;
  double angle, shift;
};

constexpr Place kPlaces[] = {
    {"range", 0.405, 0.4}, {"0.6 m", 0.999, 0.002}, {"5 cm", 0.449, 0.002}};
constexpr Moves kMoves[] = {{"small", 2.0 * kDegree, 0.002}, {"large", 20.0 * kDegree, 0.02}};

std::vector<Step> make_steps(const Place& place, const Moves& moves, int count,
                             std::uint64_t seed) {
  testing::Random random(seed, static_cast<std::uint64_t>(1e6 * place.nearest));
  std::vector<Step> steps;
  Pose A{.rotation = random.rotation()}, B{.rotation = random.rotation()};
  double at = place.nearest + random.uniform() * place.range, heading = 1.0;
  const auto turn = [&](Matrix3& R) {
    for (int axis = 0; axis < 3; ++axis)
      R *= testing::Random::turn(Vector3::Unit(axis), moves.angle * random.uniform(0.8, 1.2));
    // products of many rotations drift
    R.col(0).normalize();
    R.col(1) = (R.col(1) - R.col(0).dot(R.col(1)) * R.col(0)).normalized();
    R.col(2) = R.col(0).cross(R.col(1));
  };
  for (int i = 0; i < count; ++i) {
    turn(A.rotation);
    turn(B.rotation);
    at += heading * moves.shift * random.uniform(0.5, 1.5);
    if (at > place.nearest + place.range) heading = -1.0;
    if (at < place.nearest) heading = 1.0;
    at = std::clamp(at, place.nearest - moves.shift, place.nearest + place.range + moves.shift);
    B.translation = {at, 0.0, 0.0};
    steps.push_back({A, B});
  }
  return steps;
}

/// The answer of one side to one step.
struct Answer {
  double distance = 0.0;
  double error = 0.0;  ///< proved, relative to the scale; of coal, against tactum's hull
  int supports = 0;
  bool failed = false;
};

/// One way to answer all queries, from the first to the last.
struct Side {
  std::string name;
  std::function<void()> begin;
  std::function<Answer(const Step&)> ask;
  std::vector<double> nanoseconds = {};
  std::vector<Answer> answers = {};
};

Side tactum_side(const std::string& name, const Shape& shape) {
  const auto last = std::make_shared<WarmStart>();
  return {name, [last] { *last = {}; },
          [last, shape](const Step& step) {
            const Distance found = distance(shape, step.X_WA, shape, step.X_WB,
                                            {.tolerance = kTolerance, .warm_start = last.get()});
            *last = found.warm_start;
            return Answer{found.distance, found.upper - found.lower, found.support_calls,
                          found.status == Status::not_converged};
          }};
}

std::shared_ptr<coal::ConvexBase> to_coal(const Convex& hull) {
  std::shared_ptr<coal::ConvexBase> shape = coal_hull(hull);
  shape->setSweptSphereRadius(hull.margin);
  shape->computeLocalAABB();
  return shape;
}

Side coal_side(const std::string& name, const Convex& hull, coal::GJKInitialGuess guess) {
  struct Coal {
    std::shared_ptr<coal::ConvexBase> a, b;
    coal::ComputeDistance query;
    coal::DistanceRequest first, request;
    coal::DistanceResult result;
  };
  const auto shape_a = to_coal(hull), shape_b = to_coal(hull);
  coal::DistanceRequest request;
  request.enable_signed_distance = true;
  request.gjk_initial_guess = guess;
  const auto coal = std::make_shared<Coal>(Coal{
      shape_a, shape_b, coal::ComputeDistance(shape_a.get(), shape_b.get()), request, request, {}});
  return {name, [coal] { coal->request = coal->first; },
          [coal](const Step& step) {
            coal->result.clear();
            const double found = coal->query(
                coal::Transform3s(step.X_WA.rotation, step.X_WA.translation),
                coal::Transform3s(step.X_WB.rotation, step.X_WB.translation), coal->request,
                coal->result);
            coal->request.updateGuess(coal->result);
            return Answer{found, 0.0, 0, false};
          }};
}

void run_rounds(std::vector<Side>& sides, const std::vector<Step>& steps, int rounds) {
  for (Side& side : sides) {
    side.nanoseconds.assign(steps.size(), 1e30);
    side.answers.resize(steps.size());
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t k = 0; k < sides.size(); ++k) {
      Side& side = sides[(k + static_cast<std::size_t>(round)) % sides.size()];
      side.begin();
      for (std::size_t i = 0; i < steps.size(); ++i) {
        const std::uint64_t start = Stopwatch::now();
        side.answers[i] = side.ask(steps[i]);
        side.nanoseconds[i] = std::min(side.nanoseconds[i],
                                       Stopwatch::nanoseconds(start, Stopwatch::now()));
      }
    }
  }
}

double quantile(std::vector<double> values, double share) {
  const auto place = values.begin() +
                     static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

void print_side(const Side& side, const Side& hull, bool last) {
  double mean = 0.0, error = 0.0, supports = 0.0;
  int failed = 0;
  for (std::size_t i = 0; i < side.answers.size(); ++i) {
    const Answer& answer = side.answers[i];
    mean += side.nanoseconds[i];
    supports += answer.supports;
    failed += answer.failed ? 1 : 0;
    error = std::max(error, answer.supports > 0
                                ? answer.error
                                : std::abs(answer.distance - hull.answers[i].distance));
  }
  const double count = static_cast<double>(side.answers.size());
  std::printf(
      R"({"name": "%s", "median": %.1f, "mean": %.1f, "spread": %.1f, "error": %.3g, "supports": %.2f, "failed": %d}%s)",
      side.name.c_str(), quantile(side.nanoseconds, 0.5), mean / count,
      quantile(side.nanoseconds, 0.75) - quantile(side.nanoseconds, 0.25), error, supports / count,
      failed, last ? "" : ", ");
}

void run_cells(int frequency, int count, int rounds, std::uint64_t seed) {
  const Points points = testing::geodesic_sphere(frequency, kRadius);
  const Convex hull = Convex::from_points(points, kSmallRadius);
  for (const Place& place : kPlaces) {
    for (const Moves& moves : kMoves) {
      std::vector<Side> sides;
      sides.push_back(tactum_side("hull", hull));
      for (const double big_radius : {10.0, 100.0}) {
        const std::string name = big_radius == 10.0 ? "stp 10 m" : "stp 100 m";
        sides.push_back(tactum_side(name, Stp::from_points(points, {.small_radius = kSmallRadius,
                                                                    .big_radius = big_radius})));
      }
      sides.push_back(coal_side("coal, cached guess", hull, coal::CachedGuess));
      sides.push_back(coal_side("coal, default guess", hull, coal::DefaultGuess));
      run_rounds(sides, make_steps(place, moves, count, seed), rounds);
      std::printf(R"({"vertices": %d, "place": "%s", "moves": "%s", "steps": %d, "sides": [)",
                  hull.num_vertices(), place.name, moves.name, count);
      for (const Side& side : sides) print_side(side, sides[0], &side == &sides.back());
      std::printf("]}\n");
      std::fflush(stdout);
    }
  }
}

}  // namespace
}  // namespace tactum::compare

int main(int argc, char** argv) {
  bool quick = false;
  std::uint64_t seed = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--quick") == 0) quick = true;
    if (std::strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
      seed = std::strtoull(argv[++i], nullptr, 10);
  }
  // 42, 162, 642 and 2562 vertices
  for (const int frequency : {2, 4, 8, 16})
    tactum::compare::run_cells(frequency, quick ? 300 : 5000, quick ? 3 : 9, seed);
}
