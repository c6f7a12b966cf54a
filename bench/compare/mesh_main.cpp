// SPDX-License-Identifier: BSD-2-Clause
// tactum_compare_mesh: hierarchies of tactum, coal and FCL on the same pairs of meshes, in one
// process. Writes one JSON object a line; tools/compare_mesh.py makes the rows.
//
//   tactum_compare_mesh [--quick] [--seed N] A.ply B.ply
//   tactum_compare_mesh [--quick] [--seed N] --impacts A.ply B.ply     times of impact alone
//   tactum_compare_mesh [--quick] [--seed N] --parts A.obj B.obj       convex parts, one group each
//
// Poses      B is turned at random and moved along a random direction until the surfaces are 1 m,
//            1 cm or 1 mm apart, by tactum's own distance, or until they cross by 5 mm. A path of
//            small steps around each pose is what tracked queries follow.
// Measured   medians over poses of one query; every side follows each path by itself, so that its
//            memory is as warm as in a loop of its own. A side whose distance differs from the
//            first by more than 1e-9 m, or that answers another collision, is counted. The time to
//            build both hierarchies is measured at the start, on one core.
// Rays       from a sphere around A towards random points of its surface; tactum alone, because the
//            peers have no rays against meshes.
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "mesh_side.hpp"
#include "stopwatch.hpp"
#include "support/random.hpp"
#include "tactum/geometry.hpp"
#include "tactum/mesh_file.hpp"

namespace tactum::compare {
namespace {

struct MeshCell {
  const char* name;
  double gap;  ///< m; negative: the surfaces cross
};

constexpr MeshCell kCells[] = {{"1 m", 1.0}, {"1 cm", 0.01}, {"1 mm", 0.001}, {"crossing", -0.005}};

struct Times {
  std::vector<double> distance, collide;  // us
  int differences = 0;
};

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0.0;
  const auto at = values.begin() +
                  static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// A pose of B at which the surfaces are as far apart as the cell says.
Pose pose_at(const Geometry& a, const Geometry& b, double gap, testing::Random& random) {
  Pose X{random.rotation(), (a.mesh()->reach() + b.mesh()->reach() + 1.0) * random.direction()};
  for (int i = 0; i < 50; ++i) {
    const GeometryDistance found = distance(a, {}, b, X);
    const double excess = found.distance - std::max(gap, 1e-4);
    if (std::abs(excess) < 1e-9) break;
    X.translation -= excess * found.normal;
  }
  if (gap < 0.0) X.translation -= (1e-4 - gap) * distance(a, {}, b, X).normal;
  return X;
}

template <class Query>
double timed(std::vector<double>& times, Query&& query) {
  const std::uint64_t start = Stopwatch::now();
  const double answer = static_cast<double>(query());
  times.push_back(1e-3 * Stopwatch::nanoseconds(start, Stopwatch::now()));
  return answer;
}

void write(const MeshCell& cell, const MeshSides& sides, const std::vector<Times>& times,
           const std::vector<double>& builds) {
  std::printf("{\"case\": \"%s\", \"columns\": [", cell.name);
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const Times& t = times[i];
    std::printf(
        "%s{\"library\": \"%s\", \"setting\": \"%s\", \"build\": %.6g, \"distance\": %.6g, "
        "\"distance_spread\": %.6g, \"collide\": %.6g, \"differences\": %d}",
        i == 0 ? "" : ", ", sides[i]->library().c_str(), sides[i]->setting().c_str(), builds[i],
        quantile(t.distance, 0.5), quantile(t.distance, 0.75) - quantile(t.distance, 0.25),
        quantile(t.collide, 0.5), t.differences);
  }
  std::printf("]}\n");
  std::fflush(stdout);
}

/// Poses along short paths, each from a pose of the cell.
std::vector<Pose> paths_of(const MeshCell& cell, const Mesh& a, const Mesh& b, bool quick,
                           testing::Random& random) {
  std::vector<Pose> poses;
  const int num_paths = quick ? 2 : 10, num_steps = quick ? 3 : 10;
  for (int k = 0; k < num_paths; ++k) {
    Pose X = pose_at(a, b, cell.gap, random);
    const Vector3 step = 1e-5 * random.direction();
    for (int i = 0; i < num_steps; ++i, X.translation += step) poses.push_back(X);
  }
  return poses;
}

struct Answers {
  std::vector<double> distance, collides;
};

/// Follows the poses with one side.
Answers follow(MeshSide& side, const std::vector<Pose>& poses, Times& times) {
  Answers found;
  side.place(poses.front());
  side.distance();  // what only the first query of a side has to do
  for (const Pose& X : poses) {
    side.place(X);
    found.distance.push_back(timed(times.distance, [&] { return side.distance(); }));
    if (std::isnan(found.distance.back())) times.distance.pop_back();
  }
  for (const Pose& X : poses) {
    if (!side.is_asked_for_collisions()) break;
    side.place(X);
    found.collides.push_back(timed(times.collide, [&] { return side.collide(); }));
  }
  return found;
}

void measure(const MeshCell& cell, const Mesh& a, const Mesh& b, MeshSides& sides,
             const std::vector<double>& builds, bool quick, testing::Random& random) {
  std::vector<Times> times(sides.size());
  const std::vector<Pose> poses = paths_of(cell, a, b, quick, random);
  Answers expected;
  for (std::size_t s = 0; s < sides.size(); ++s) {
    const Answers found = follow(*sides[s], poses, times[s]);
    if (s == 0) expected = found;
    for (std::size_t i = 0; i < poses.size(); ++i) {
      const double d = found.distance[i];
      const bool same = std::isnan(d) ||
                        std::abs(std::max(d, 0.0) - std::max(expected.distance[i], 0.0)) < 1e-9;
      const bool agrees = found.collides.empty() || found.collides[i] == expected.collides[i];
      times[s].differences += same && agrees ? 0 : 1;
    }
  }
  write(cell, sides, times, builds);
}

void measure_rays(const Mesh& mesh, bool quick, testing::Random& random) {
  const Geometry geometry(mesh);
  const MeshSamples targets = mesh.sample(quick ? 1000 : 20000, 1);
  std::vector<Vector3> origins;
  for (Eigen::Index i = 0; i < targets.points.cols(); ++i)
    origins.push_back(2.0 * mesh.reach() * random.direction());
  std::vector<double> times;
  int hits = 0;
  for (int round = 0; round < 3; ++round)
    timed(times, [&] {
      for (std::size_t i = 0; i < origins.size(); ++i)
        hits += ray_cast(geometry, {}, origins[i],
                         targets.points.col(static_cast<Eigen::Index>(i)) - origins[i])
                        .hit
                    ? 1
                    : 0;
      return 0.0;
    });
  const auto count = static_cast<double>(origins.size());
  std::printf("{\"case\": \"rays\", \"ray\": %.6g, \"hit_share\": %.6g}\n",
              quantile(times, 0.5) / count, hits / (3.0 * count));
}

/// Keeps the process on one core while it lives.
class OneCore {
 public:
  OneCore() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE; ++i) {
      if (!CPU_ISSET(i, &before_)) continue;
      CPU_SET(i, &one);
      break;
    }
    sched_setaffinity(0, sizeof one, &one);
  }
  ~OneCore() { sched_setaffinity(0, sizeof before_, &before_); }
  OneCore(const OneCore&) = delete;
  OneCore& operator=(const OneCore&) = delete;

 private:
  cpu_set_t before_;
};

std::vector<double> times_to_build(MeshSides& sides, bool quick) {
  const OneCore one_core;
  std::vector<double> builds;
  for (const auto& side : sides) {
    std::vector<double> times;
    for (int i = 0; i < (quick ? 1 : 3); ++i)
      timed(times, [&] {
        side->build();
        return 0.0;
      });
    builds.push_back(quantile(times, 0.5));
  }
  return builds;
}

/// The tree of tactum alone, on one core and on all, and the hull that the first query makes.
void measure_trees(const Mesh& mesh, bool quick) {
  const int rounds = quick ? 3 : 15;
  const auto time_of_tree = [&] {
    std::vector<double> times;
    for (int i = 0; i < rounds; ++i)
      timed(times, [&] {
        return static_cast<double>(Mesh(mesh.vertices(), mesh.triangles()).triangles().cols());
      });
    return quantile(times, 0.5);
  };
  const double all = time_of_tree();
  const OneCore one_core;
  std::vector<double> hulls;
  for (int i = 0; i < rounds; ++i) {
    const Mesh copy(mesh.vertices(), mesh.triangles());
    timed(hulls, [&] { return copy.hull() == nullptr ? 0.0 : 1.0; });
  }
  std::printf(
      "{\"case\": \"trees\", \"triangles\": %d, \"one\": %.6g, \"all\": %.6g, \"hull\": %.6g}\n",
      static_cast<int>(mesh.triangles().cols()), time_of_tree(), all, quantile(hulls, 0.5));
}

int run(int argc, char** argv) {
  bool quick = false, parts = false, impacts = false;
  std::uint64_t seed = 0;
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--quick") {
      quick = true;
    } else if (flag == "--parts") {
      parts = true;
    } else if (flag == "--impacts") {
      impacts = true;
    } else if (i + 1 < argc && flag == "--seed") {
      seed = std::stoull(argv[++i]);
    } else {
      files.push_back(flag);
    }
  }
  if (files.size() != 2) throw std::invalid_argument("give two mesh files");
  if (parts) return measure_parts(files[0], files[1], quick, seed), 0;
  const Mesh a = read_mesh(files[0]), b = read_mesh(files[1]);
  MeshSides sides;
  add_tactum_meshes(a, b, sides);
  add_coal_meshes(a, b, sides);
#ifdef TACTUM_COMPARE_FCL
  add_fcl_meshes(a, b, sides);
#endif
  if (impacts) return measure_impacts(a, b, sides, quick, seed), 0;
  const std::vector<double> builds = times_to_build(sides, quick);
  testing::Random random(seed, 22);
  for (const MeshCell& cell : kCells) measure(cell, a, b, sides, builds, quick, random);
  measure_trees(a, quick);
  measure_rays(a, quick, random);
  return 0;
}

}  // namespace
}  // namespace tactum::compare

int main(int argc, char** argv) {
  int code = 2;
  try {
    code = tactum::compare::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tactum_compare_mesh: %s\n", error.what());
  }
  std::fflush(stdout);
  // coal and FCL bring two versions of octomap, whose static objects are freed twice by a normal
  // exit
  std::quick_exit(code);
}
