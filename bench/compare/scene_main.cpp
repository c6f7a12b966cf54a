// SPDX-License-Identifier: BSD-2-Clause
// tactum_compare_scene: broad phases of tactum, coal and Bullet on the same moving boxes, in one
// process. Writes one JSON object a line; tools/compare_scene.py makes the rows.
//
//   tactum_compare_scene [--quick] [--seed N] [--filter REGEX]
//
// Scene      boxes with sides of 0.2 to 0.6 m, one for every m^3 of a cube: about one pair for
//            every four boxes. They fly straight and bounce off the walls, so no step repeats
//            another.
// Measured   a step is the update of all boxes and the search for all pairs, each timed. Sides take
//            turns within a step. Times are medians over steps; a slow side leaves out the last
//            ones. Pairs of all sides are compared at every step, with those of trying all where
//            that is quick enough; a side that differs is reported.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <regex>
#include <stdexcept>

#include "scene_side.hpp"
#include "stopwatch.hpp"
#include "support/random.hpp"

namespace tactum::compare {
namespace {

struct SceneCell {
  const char* name;
  int boxes;
  double speed;  ///< m a step
};

constexpr SceneCell kCells[] = {
    {"1k boxes, slow", 1000, 0.005},
    {"1k boxes, fast", 1000, 0.1},
    {"10k boxes, slow", 10000, 0.005},
    {"10k boxes, fast", 10000, 0.1},
};

class FlyingBoxes {
 public:
  FlyingBoxes(int count, double speed, std::uint64_t seed) : size_(std::cbrt(count)) {
    testing::Random random(seed, static_cast<std::uint64_t>(count));
    for (int i = 0; i < count; ++i) {
      centers_.emplace_back(random.uniform(0, size_), random.uniform(0, size_),
                            random.uniform(0, size_));
      halves_.emplace_back(random.uniform(0.1, 0.3), random.uniform(0.1, 0.3),
                           random.uniform(0.1, 0.3));
      steps_.push_back(random.uniform(0.5, 1.5) * speed * random.direction());
    }
    boxes_.resize(centers_.size());
    advance();
  }

  void advance() {
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      centers_[i] += steps_[i];
      for (int axis = 0; axis < 3; ++axis) {
        const double at = centers_[i][axis];
        if (at < 0 || at > size_)
          steps_[i][axis] = at < 0 ? std::abs(steps_[i][axis]) : -std::abs(steps_[i][axis]);
      }
      boxes_[i] = {centers_[i] - halves_[i], centers_[i] + halves_[i]};
    }
  }

  std::span<const Aabb> boxes() const { return boxes_; }
  Aabb world() const { return {Vector3::Constant(-2), Vector3::Constant(size_ + 2)}; }

 private:
  double size_;
  std::vector<Vector3> centers_, halves_, steps_;
  std::vector<Aabb> boxes_;
};

struct Times {
  std::vector<double> update, pairs, total;  // us
  double spent = 0.0;
  int differences = 0;
};

double quantile(std::vector<double> values, double share) {
  const auto at = values.begin() +
                  static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

void time_side(BoxSide& side, std::span<const Aabb> boxes, BoxPairs& found, Times& times) {
  side.prepare(boxes);
  const std::uint64_t start = Stopwatch::now();
  side.update();
  const std::uint64_t middle = Stopwatch::now();
  side.pairs(found);
  const std::uint64_t end = Stopwatch::now();
  times.update.push_back(1e-3 * Stopwatch::nanoseconds(start, middle));
  times.pairs.push_back(1e-3 * Stopwatch::nanoseconds(middle, end));
  times.total.push_back(1e-3 * Stopwatch::nanoseconds(start, end));
  times.spent += times.total.back();
}

BoxPairs brute_force(std::span<const Aabb> boxes) {
  BoxPairs found;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t j = i + 1; j < boxes.size(); ++j) {
      if ((boxes[i].lower.array() <= boxes[j].upper.array()).all() &&
          (boxes[j].lower.array() <= boxes[i].upper.array()).all())
        found.emplace_back(static_cast<BoxId>(i), static_cast<BoxId>(j));
    }
  }
  return found;
}

void write(const SceneCell& cell, std::size_t pairs, const BoxSides& sides,
           const std::vector<Times>& times) {
  std::printf("{\"case\": \"%s\", \"boxes\": %d, \"pairs\": %zu, \"columns\": [", cell.name,
              cell.boxes, pairs);
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const Times& t = times[i];
    const double spread = quantile(t.total, 0.75) - quantile(t.total, 0.25);
    std::printf(
        "%s{\"library\": \"%s\", \"setting\": \"%s\", \"update\": %.6g, \"pairs\": %.6g, "
        "\"total\": %.6g, \"spread\": %.6g, "
        "\"steps\": %zu, \"differences\": %d}",
        i == 0 ? "" : ", ", sides[i]->library().c_str(), sides[i]->setting().c_str(),
        quantile(t.update, 0.5), quantile(t.pairs, 0.5), quantile(t.total, 0.5), spread,
        t.total.size(), t.differences);
  }
  std::printf("]}\n");
  std::fflush(stdout);
}

void measure(const SceneCell& cell, bool quick, std::uint64_t seed) {
  FlyingBoxes scene(cell.boxes, cell.speed, seed);
  BoxSides sides;
  add_tactum_sides(scene.boxes(), sides);
  add_coal_sides(scene.boxes(), 0.6, scene.world(), sides);
#ifdef TACTUM_COMPARE_BULLET
  add_bullet_sides(scene.boxes(), scene.world(), sides);
#endif
  std::vector<Times> times(sides.size());
  const int steps = quick ? 3 : 200, least = quick ? 3 : 12;
  const double budget = 1e6;  // us of one side
  BoxPairs expected, found;
  for (int step = 0; step < steps; ++step) {
    scene.advance();
    // trying all pairs of 10k boxes takes longer than all sides together; in between, the first
    // side is the reference
    const bool tries_all = cell.boxes <= 1000 || step % 50 == 0;
    if (tries_all) expected = brute_force(scene.boxes());
    for (std::size_t turn = 0; turn < sides.size(); ++turn) {
      const std::size_t i = turn == 0 || tries_all
                                ? turn
                                : 1 + (turn + static_cast<std::size_t>(step)) % (sides.size() - 1);
      if (step >= least && times[i].spent > budget) continue;
      time_side(*sides[i], scene.boxes(), found, times[i]);
      std::ranges::sort(found);
      found.erase(std::ranges::unique(found).begin(), found.end());
      if (i == 0 && !tries_all) expected = found;
      times[i].differences += found != expected ? 1 : 0;
    }
  }
  write(cell, expected.size(), sides, times);
}

int run(int argc, char** argv) {
  bool quick = false;
  std::uint64_t seed = 0;
  std::regex filter(".*");
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--quick") {
      quick = true;
    } else if (i + 1 < argc && flag == "--seed") {
      seed = std::stoull(argv[++i]);
    } else if (i + 1 < argc && flag == "--filter") {
      filter = argv[++i];
    } else {
      throw std::invalid_argument(flag + " is unknown or lacks its value");
    }
  }
  bool any = false;
  for (const SceneCell& cell : kCells) {
    if (!std::regex_search(cell.name, filter)) continue;
    any = true;
    measure(cell, quick, seed);
  }
  if (!any) throw std::invalid_argument("no cell matches the filter");
  return 0;
}

}  // namespace
}  // namespace tactum::compare

int main(int argc, char** argv) {
  try {
    return tactum::compare::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tactum_compare_scene: %s\n", error.what());
    return 2;
  }
}
