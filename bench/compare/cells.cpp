// SPDX-License-Identifier: BSD-2-Clause
#include "cells.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "support/random.hpp"
#include "tactum/distance.hpp"

namespace tactum::compare {
namespace {

using testing::Random;

constexpr std::array<const char*, 7> mixed_shapes = {"sphere",   "ellipsoid", "box",    "capsule",
                                                     "cylinder", "cone",      "hull100"};
constexpr std::array<const char*, 9> same_shapes = {"sphere",    "capsule",  "box",
                                                    "ellipsoid", "hull12",   "hull100",
                                                    "hull250",   "hull1000", "hull4000"};
constexpr std::array<const char*, 9> collide_shapes = {"sphere",    "capsule",  "box",
                                                       "ellipsoid", "hull12",   "hull100",
                                                       "hull250",   "hull1000", "hull4000"};
constexpr std::array<const char*, 6> tracked_shapes = {"box",     "ellipsoid", "hull12",
                                                       "hull100", "hull1000",  "hull4000"};
constexpr std::array<const char*, 5> batch_shapes = {"sphere", "box", "ellipsoid", "hull12",
                                                     "hull100"};
constexpr std::array<const char*, 5> derivative_shapes = {"ellipsoid", "hull12", "hull100",
                                                          "hull250", "hull1000"};
constexpr std::array<double, 7> kDistanceGaps = {1.0, 0.1, 0.01, 0.001, -0.001, -0.01, -0.1};
constexpr std::array<double, 3> kCollideGaps = {1.0, 0.1, -0.01};
constexpr std::array<double, 2> kTrackedGaps = {0.01, -0.01}, kBatchGaps = kTrackedGaps,
                                kDerivativeGaps = kTrackedGaps;
constexpr int kBatchFactor = 10;  // a batch has that many times the poses of another cell
constexpr double kStepLength = 1e-3, kStepAngle = 0.5 * 3.141592653589793 / 180.0;

// FNV-1a: the stream of random numbers of a name
std::uint64_t stream_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char letter : name)
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3ULL;
  return hash;
}

Shape draw_shape(const std::string& name, bool elongated, Random& random) {
  const auto size = [&] { return random.uniform(0.1, 0.5); };
  const auto thin = [&] { return elongated ? random.uniform(0.1, 0.15) : size(); };
  const auto thick = [&] { return elongated ? random.uniform(0.4, 0.5) : size(); };
  const auto sizes = [&] { return Vector3(thick(), thin(), thin()); };
  if (name == "sphere") return Sphere{.radius = size()};
  if (name == "ellipsoid") return Ellipsoid{.semi_axes = sizes()};
  if (name == "box") return Box{.half_extents = sizes()};
  if (name == "capsule") return Capsule{.radius = thin(), .half_length = thick()};
  if (name == "cylinder") return Cylinder{.radius = thin(), .half_length = thick()};
  if (name == "cone") return Cone{.radius = thin(), .half_length = thick()};
  const int num_points = std::stoi(name.substr(std::string_view("hull").size()));
  const Vector3 axes = sizes();
  Points points(3, num_points);
  for (auto point : points.colwise()) point = axes.cwiseProduct(random.direction());
  return Convex::from_points(points);
}

/// Moves B along the normal until the signed distance is `gap`; nothing when that does not settle,
/// which happens deep inside where the normal jumps from one face to another.
std::optional<Pose> place(const Shape& a, const Pose& X_WA, const Shape& b, Pose X_WB, double gap) {
  constexpr int max_moves = 40;
  constexpr double accuracy = 1e-10;  // m
  for (int move = 0; move < max_moves; ++move) {
    const Distance found = distance(a, X_WA, b, X_WB);
    if (found.status == Status::not_converged) return std::nullopt;
    if (std::abs(found.distance - gap) <= accuracy) return X_WB;
    X_WB.translation += (gap - found.distance) * found.normal;
  }
  return std::nullopt;
}

Query draw_query(int pair, const Family& family, const CellPlan& cell, Random& random) {
  constexpr int max_draws = 100;
  const Shape &a = family.a[pair], &b = family.b[pair];
  for (int draw = 0; draw < max_draws; ++draw) {
    const Pose X_WA{random.rotation(), random.in_box(1.0)};
    const Vector3 offset = cell.poses == "offset" ? random.in_box(0.6)
                                                  : Vector3(3.0 * random.direction());
    const Pose start{random.rotation(), X_WA.translation + offset};
    if (const std::optional<Pose> X_WB = place(a, X_WA, b, start, cell.gap))
      return {pair, X_WA, *X_WB};
  }
  throw std::runtime_error(cell.name() + ": no pose with this distance was found");
}

/// A small motion that keeps the distance: 1 mm and half a degree in random directions, then back
/// along the normal.
Query draw_motion(const Query& last, const Family& family, const CellPlan& cell, Random& random) {
  constexpr int max_draws = 100;
  for (int draw = 0; draw < max_draws; ++draw) {
    const Matrix3 turn = Random::turn(random.direction(), kStepAngle);
    const Pose start{turn * last.X_WB.rotation,
                     last.X_WB.translation + kStepLength * random.direction()};
    const std::optional<Pose> X_WB = place(family.a[last.pair], last.X_WA, family.b[last.pair],
                                           start, cell.gap);
    if (X_WB) return {last.pair, last.X_WA, *X_WB};
  }
  throw std::runtime_error(cell.name() + ": a motion could not be continued");
}

/// All pairs, then all again after a motion of each, and so on: as in a scene, where many pairs
/// move at once.
std::vector<Query> draw_tracked(const Family& family, const CellPlan& cell, const Plan& plan,
                                Random& random) {
  std::vector<Query> queries;
  for (int pair = 0; pair < plan.pairs; ++pair)
    queries.push_back(draw_query(pair, family, cell, random));
  for (int i = 0; i < plan.pairs * plan.poses; ++i)
    queries.push_back(draw_motion(queries[i], family, cell, random));
  return queries;
}

/// In every round each pair comes once, in an order drawn anew.
std::vector<int> shuffled_pairs(const Plan& plan, int poses, Random& random) {
  std::vector<int> order;
  for (int round = 0; round < poses; ++round) {
    const std::size_t first = order.size();
    for (int pair = 0; pair < plan.pairs; ++pair) order.push_back(pair);
    for (int left = plan.pairs; left > 1; --left)
      std::swap(order[first + left - 1], order[first + random.below(left)]);
    if (first > 0 && order[first] == order[first - 1]) std::swap(order[first], order.back());
  }
  return order;
}

std::string family_of(const char* a, const char* b) { return std::string(a) + "-" + b; }

std::vector<std::string> distance_families() {
  std::vector<std::string> families;
  for (const char* shape : same_shapes) families.push_back(family_of(shape, shape));
  for (std::size_t i = 0; i < mixed_shapes.size(); ++i) {
    for (std::size_t j = i; j < mixed_shapes.size(); ++j) {
      const std::string family = family_of(mixed_shapes[i], mixed_shapes[j]);
      if (std::find(families.begin(), families.end(), family) == families.end())
        families.push_back(family);
    }
  }
  return families;
}

template <std::size_t N>
bool contains(const std::array<const char*, N>& shapes, const std::string& family) {
  return std::any_of(shapes.begin(), shapes.end(),
                     [&](const char* shape) { return family_of(shape, shape) == family; });
}

}  // namespace

const char* task_name(Task task) {
  switch (task) {
    case Task::distance: return "distance";
    case Task::collide: return "collide";
    case Task::tracked: return "tracked";
    case Task::batch: return "batch";
    case Task::derivative: return "derivative";
  }
  return "";
}

std::string CellPlan::name() const {
  char distance_text[32];
  std::snprintf(distance_text, sizeof distance_text, "%+g m", gap);
  const std::string prefix = task == Task::distance ? "" : std::string(task_name(task)) + " ";
  return prefix + family + " " + distance_text + (poses == "offset" ? ", offset" : "");
}

std::vector<CellPlan> narrow_cells() {
  std::vector<CellPlan> cells;
  for (const std::string& family : distance_families()) {
    for (const char* poses : {"approach", "offset"}) {
      for (const double gap : kDistanceGaps) cells.push_back({family, poses, Task::distance, gap});
      if (std::string_view(poses) == "offset") continue;
      if (contains(collide_shapes, family)) {
        for (const double gap : kCollideGaps) cells.push_back({family, poses, Task::collide, gap});
      }
      if (contains(tracked_shapes, family)) {
        for (const double gap : kTrackedGaps) cells.push_back({family, poses, Task::tracked, gap});
      }
      if (contains(batch_shapes, family)) {
        for (const double gap : kBatchGaps) cells.push_back({family, poses, Task::batch, gap});
      }
    }
  }
  return cells;
}

std::vector<CellPlan> derivative_cells() {
  std::vector<CellPlan> cells;
  for (const char* shape : derivative_shapes) {
    for (const char* poses : {"approach", "offset"}) {
      for (const double gap : kDerivativeGaps)
        cells.push_back({family_of(shape, shape), poses, Task::derivative, gap});
    }
  }
  return cells;
}

Family make_family(const CellPlan& cell, const Plan& plan) {
  Random random(plan.seed, stream_of(cell.family + cell.poses));
  const std::size_t dash = cell.family.find('-');
  Family family{.name = cell.family, .a = {}, .b = {}};
  for (int pair = 0; pair < plan.pairs; ++pair) {
    family.a.push_back(draw_shape(cell.family.substr(0, dash), cell.poses == "offset", random));
    family.b.push_back(draw_shape(cell.family.substr(dash + 1), cell.poses == "offset", random));
  }
  return family;
}

Cell make_cell(const CellPlan& plan_of_cell, const Family& family, const Plan& plan) {
  Random random(plan.seed, stream_of(plan_of_cell.name()));
  Cell cell{.name = plan_of_cell.name(),
            .family = family.name,
            .task = plan_of_cell.task,
            .gap = plan_of_cell.gap,
            .poses = plan_of_cell.poses,
            .num_pairs = plan.pairs,
            .queries = {}};
  if (cell.task == Task::tracked) {
    cell.queries = draw_tracked(family, plan_of_cell, plan, random);
  } else {
    const int poses = cell.task == Task::batch ? kBatchFactor * plan.poses : plan.poses;
    for (const int pair : shuffled_pairs(plan, poses, random))
      cell.queries.push_back(draw_query(pair, family, plan_of_cell, random));
  }
  return cell;
}

}  // namespace tactum::compare
