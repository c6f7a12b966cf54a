// SPDX-License-Identifier: BSD-2-Clause
// Times the queries on the GPU: data on the device, CUDA events, the median of 20 calls. Writes
// JSON after every part: tactum_gpu_bench [FILE] [--quick] [--only NAME]. With --only profile
// [--pairs N] [--weights FILE], each query runs once and nothing is written: for ncu and
// compute-sanitizer. Weights are those of the learned check, a safetensors file.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "pair_data.cuh"
#include "tactum/gpu/collision_network.hpp"
#include "tactum/gpu/implicit_surface.hpp"
#include "tactum/gpu/signed_distance.hpp"
#include "tactum/gpu/uniform_flow.hpp"

namespace {

using namespace tactum;
using namespace tactum::gpu;

struct Columns {
  DeviceArray<Status> status;
  DeviceArray<double> distance, normal, point_a, point_b, lower, upper, jacobian, normal_jacobian;

  void grow(std::size_t size) {
    status.grow(size);
    distance.grow(size);
    normal.grow(3 * size);
  }
  void grow_all(std::size_t size) {
    grow(size);
    point_a.grow(3 * size);
    point_b.grow(3 * size);
    lower.grow(size);
    upper.grow(size);
    jacobian.grow(12 * size);
  }
};

struct Row {
  std::string query, shapes;
  std::size_t size;
  double seconds, spread;
  std::optional<Counts> counts;  ///< of queries that count, through the workspace
};

class Bench {
 public:
  /// `repeats` 1: every call once, without warming up.
  explicit Bench(int repeats) : repeats_(repeats) {
    check_cuda(cudaEventCreate(&begin_), "an event");
    check_cuda(cudaEventCreate(&end_), "an event");
  }

  /// Times a query that leaves its counts in the workspace.
  template <class Call>
  void time(const std::string& query, const std::string& shapes, std::size_t size, Call call) {
    time_uncounted(query, shapes, size, call);
    const Counts counts = work.counts();
    rows_.back().counts = counts;
    const auto share = [size](std::uint64_t rows) {
      return static_cast<double>(rows) / static_cast<double>(size);
    };
    std::printf("    again %.2e  not converged %.2e  overlapping %.3f\n",
                share(counts.searched_again), share(counts.not_converged - counts.overlapping),
                share(counts.overlapping));
    std::fflush(stdout);
  }

  /// Times a query that counts nothing.
  template <class Call>
  void time_uncounted(const std::string& query, const std::string& shapes, std::size_t size,
                      Call call) {
    for (int i = 0; i < 3 && repeats_ > 1; ++i) call();
    std::vector<double> seconds;
    for (int i = 0; i < repeats_; ++i) {
      check_cuda(cudaEventRecord(begin_), "an event");
      call();
      check_cuda(cudaEventRecord(end_), "an event");
      check_cuda(cudaEventSynchronize(end_), query.c_str());
      float milliseconds = 0.0F;
      check_cuda(cudaEventElapsedTime(&milliseconds, begin_, end_), "an event");
      seconds.push_back(1e-3 * static_cast<double>(milliseconds));
    }
    std::sort(seconds.begin(), seconds.end());
    const std::size_t count = seconds.size();
    rows_.push_back({query, shapes, size, seconds[count / 2],
                     seconds[(3 * count) / 4] - seconds[count / 4], std::nullopt});
    std::printf("%-22s %-12s %10zu pairs  %10.3f us  %7.3f G/s\n", query.c_str(), shapes.c_str(),
                size, 1e6 * rows_.back().seconds,
                1e-9 * static_cast<double>(size) / rows_.back().seconds);
    std::fflush(stdout);
  }

  void write(const char* path) const {
    std::FILE* const file = std::fopen(path, "w");
    if (file == nullptr) throw std::runtime_error(std::string("cannot write ") + path);
    std::fprintf(file, "{\"name\": \"gpu-scaling\", %s, \"repeats\": %d, \"rows\": [",
                 machine_members().c_str(), repeats_);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Row& row = rows_[i];
      std::fprintf(file,
                   "%s\n  {\"query\": \"%s\", \"shapes\": \"%s\", \"pairs\": %zu, \"seconds\": "
                   "%.6e, \"spread\": %.3e, "
                   "\"pairs_per_second\": %.6e",
                   i == 0 ? "" : ",", row.query.c_str(), row.shapes.c_str(), row.size, row.seconds,
                   row.spread, static_cast<double>(row.size) / row.seconds);
      if (row.counts) {
        std::fprintf(file,
                     ", \"searched_again\": %llu, \"not_converged\": %llu, \"overlapping\": %llu",
                     static_cast<unsigned long long>(row.counts->searched_again),
                     static_cast<unsigned long long>(row.counts->not_converged),
                     static_cast<unsigned long long>(row.counts->overlapping));
      }
      std::fprintf(file, "}");
    }
    std::fprintf(file, "\n]}\n");
    std::fclose(file);
  }

  Workspace work;

 private:
  int repeats_;
  cudaEvent_t begin_{}, end_{};
  std::vector<Row> rows_;
};

/// Distance and normal, with everything else, with the Jacobian of the distance, and the Boolean
/// query, of one table of shapes.
void time_table(Bench& bench, const std::string& name, const std::vector<Shape>& shapes,
                double spread, std::size_t size) {
  const ShapeTable table(shapes);
  PairData data;
  Columns columns;
  columns.grow_all(size);
  fill_random(data, size, static_cast<int>(shapes.size()), spread, 1);
  const PairBatch pairs = data.batch(size);
  DistanceColumns out{.status = columns.status.data(),
                      .distance = columns.distance.data(),
                      .normal = columns.normal.data()};
  bench.time("collides", name, size,
             [&] { collides(table, pairs, bench.work, columns.status.data()); });
  bench.time("distance, normal", name, size, [&] { distances(table, pairs, {}, bench.work, out); });
  bench.time("depth bounded", name, size,
             [&] { distances(table, pairs, {.depth = false}, bench.work, out); });
  out.distance_jacobian = columns.jacobian.data();
  bench.time("with Jacobian", name, size, [&] { distances(table, pairs, {}, bench.work, out); });
  columns.normal_jacobian.grow(36 * size);
  out.normal_jacobian = columns.normal_jacobian.data();
  bench.time("with normal Jacobian", name, size,
             [&] { distances(table, pairs, {.depth = false}, bench.work, out); });
  out.normal_jacobian = nullptr;
  out.distance_jacobian = nullptr;
  out.point_a = columns.point_a.data();
  out.point_b = columns.point_b.data();
  out.lower = columns.lower.data();
  out.upper = columns.upper.data();
  bench.time("with points, bounds", name, size,
             [&] { distances(table, pairs, {}, bench.work, out); });
  bench.time("tolerance 1e-10", name, size,
             [&] { distances(table, pairs, {.tolerance = 1e-10}, bench.work, out); });
}

/// Objects near contact: the Boolean query, distance and normal, and the baseline in uniform flow.
void time_objects(Bench& bench, const std::string& name, const std::vector<Geometry>& objects,
                  std::size_t size) {
  const ShapeTable table(objects);
  PairData data;
  Columns columns;
  columns.grow_all(size);
  fill_random(data, size, static_cast<int>(objects.size()), 1.0, 3);
  const PairBatch pairs = data.batch(size);
  const DistanceColumns out{.status = columns.status.data(),
                            .distance = columns.distance.data(),
                            .normal = columns.normal.data()};
  distances(table, pairs, {}, bench.work, out);
  near_contact<<<kDataBlocks, kDataThreads>>>(pointers(data), size, out.distance, out.normal, 0.02,
                                              4);
  bench.time("collides", name, size,
             [&] { collides(table, pairs, bench.work, columns.status.data()); });
  bench.time("distance, normal", name, size, [&] { distances(table, pairs, {}, bench.work, out); });
  bench.time("depth bounded", name, size,
             [&] { distances(table, pairs, {.depth = false}, bench.work, out); });
  DeviceArray<std::uint8_t> hits;
  const std::size_t few = std::min<std::size_t>(size, std::size_t{1} << 16U);
  hits.grow(few);
  for (const int iterations : {8, 16}) {
    bench.time_uncounted("uniform flow, " + std::to_string(iterations), name, few, [&] {
      uniform_flow_collides(table, data.batch(few), iterations, hits.data());
    });
  }
}

/// Points about one shape each, distance and gradient.
void time_points(Bench& bench, const std::string& name, const std::vector<Shape>& shapes,
                 std::size_t size) {
  const ShapeTable table(shapes);
  PairData data;
  Columns columns;
  columns.grow(size);
  fill_random(data, size, static_cast<int>(shapes.size()), 1.0, 5);
  DeviceArray<double> points;
  points.grow(3 * size);
  check_cuda(cudaMemcpy2D(points.data(), 3 * sizeof(double), data.poses_b.data(),
                          7 * sizeof(double), 3 * sizeof(double), size, cudaMemcpyDeviceToDevice),
             "points");
  bench.time("signed distance", name, size, [&] {
    signed_distance(table, {size, {data.index_a.data(), data.poses_a.data()}, points.data()}, {},
                    bench.work,
                    {.distance = columns.distance.data(),
                     .gradient = columns.normal.data(),
                     .status = columns.status.data()});
  });
}

/// A closed wavy ring, for the baseline that needs meshes.
Mesh ring_mesh(int number) {
  constexpr int around = 96, across = 32;
  constexpr double turn = 6.283185307179586;
  Points points(3, around * across);
  Triangles triangles(3, 2 * around * across);
  for (int i = 0; i < around; ++i) {
    const double u = turn * i / around;
    for (int k = 0; k < across; ++k) {
      const double v = turn * k / across, r = 0.4 + 0.08 * std::cos(v);
      const int at = i * across + k, right = (i + 1) % around * across + k,
                up = i * across + (k + 1) % across,
                both = (i + 1) % around * across + (k + 1) % across;
      points.col(at) << r * std::cos(u), r * std::sin(u),
          0.08 * std::sin(v) + 0.1 * std::sin(3.0 * u + number);
      triangles.col(2 * at) << at, right, both;
      triangles.col(2 * at + 1) << at, both, up;
    }
  }
  return {points, triangles};
}

void time_implicit(Bench& bench, std::size_t size) {
  std::vector<Mesh> meshes;
  for (int i = 0; i < 8; ++i) meshes.push_back(ring_mesh(i));
  PairData data;
  fill_random(data, size, 8, 1.0, 6);
  DeviceArray<float> distance;
  distance.grow(size);
  for (const int points : {500, 1500}) {
    const ImplicitSurfaces surfaces(meshes, {.num_points = points, .resolution = 64});
    bench.time_uncounted("implicit surface, " + std::to_string(points), "rings", size, [&] {
      implicit_surface_distances(surfaces, data.batch(size), distance.data());
    });
  }
}

/// The learned check on random poses of two rings, with the weights of a file: `size` rows in tiles
/// of one pair each.
void run_network(Bench& bench, const char* weights, std::size_t size) {
  const CollisionNetwork network = CollisionNetwork::read(weights);
  const std::vector<ObjectCode> objects = {network.encode(ring_mesh(0)),
                                           network.encode(ring_mesh(1))};
  const CollisionCodes codes(network, objects);
  std::vector<PoseTile> tiles;
  std::vector<float> poses;
  for (std::size_t first = 0; first < size; first += kTileRows) {
    const std::size_t count = std::min<std::size_t>(kTileRows, size - first);
    tiles.push_back({0, 1, static_cast<std::int32_t>(first), static_cast<std::int32_t>(count)});
  }
  for (std::size_t i = 0; i < size; ++i) {
    const float x = static_cast<float>(uniform(7, i));
    poses.insert(poses.end(), {1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, 0});
  }
  DeviceArray<PoseTile> tiles_there;
  DeviceArray<float> poses_there, predictions;
  tiles_there.copy_from(tiles);
  poses_there.copy_from(poses);
  predictions.grow(2 * size);
  bench.time_uncounted("network", "rings", size, [&] {
    collision_logits(codes, tiles_there.data(), tiles.size(), poses_there.data(), size,
                     predictions.data());
  });
}

/// Each query once, for a profiler: on hulls of 27 vertices alone, which is what ncu looks at, or
/// with a file of weights on every kind of table, and the network, which is what compute-sanitizer
/// looks at.
void run_once(std::size_t size, const char* weights) {
  Bench bench(1);
  time_table(bench, "hull27", hulls(64, 27), 0.74, size);
  time_points(bench, "hull27", hulls(64, 27), size);
  time_objects(bench, "objects, 32 hulls", rings(32, 32, 27), size / 4);
  time_implicit(bench, size / 64);
  if (weights == nullptr) return;
  time_table(bench, "box", boxes(64), 1.15, size);
  time_table(bench, "all kinds", all_kinds(64), 1.5, size);
  time_table(bench, "hull256", hulls(16, 256), 0.74, size);
  time_points(bench, "all kinds", all_kinds(64), size);
  run_network(bench, weights, size);
}

/// Time against the number of pairs.
void time_sizes(Bench& bench, std::size_t largest) {
  const std::vector<Shape> shapes = hulls(64, 27);
  const ShapeTable table(shapes);
  PairData data;
  Columns columns;
  columns.grow(largest);
  fill_random(data, largest, 64, 0.74, 2);
  const DistanceColumns out{.status = columns.status.data(),
                            .distance = columns.distance.data(),
                            .normal = columns.normal.data()};
  for (std::size_t size = 1; size <= largest; size *= 10) {
    const PairBatch pairs = data.batch(size);
    bench.time("distance, normal", "hull27", size,
               [&] { distances(table, pairs, {}, bench.work, out); });
    bench.time("collides", "hull27", size,
               [&] { collides(table, pairs, bench.work, columns.status.data()); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  bool quick = false;
  const char* path = "gpu-scaling.json";
  std::string only;
  const char* weights = nullptr;
  std::size_t pairs = std::size_t{1} << 22U;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--quick") == 0)
      quick = true;
    else if (std::strcmp(argv[i], "--only") == 0 && i + 1 < argc)
      only = argv[++i];
    else if (std::strcmp(argv[i], "--pairs") == 0 && i + 1 < argc)
      pairs = std::strtoull(argv[++i], nullptr, 10);
    else if (std::strcmp(argv[i], "--weights") == 0 && i + 1 < argc)
      weights = argv[++i];
    else
      path = argv[i];
  }
  if (num_devices() == 0) {
    std::fprintf(stderr, "no CUDA device was found; this program needs one\n");
    return 2;
  }
  try {
    std::printf("%s\n", device_name().c_str());
    if (only == "profile") {
      run_once(pairs, weights);
      return 0;
    }
    const std::size_t size = quick ? std::size_t{1} << 22U : std::size_t{1} << 24U;
    Bench bench(quick ? 5 : 20);
    const auto part = [&](const char* name, auto times) {
      if (!only.empty() && only != name) return;
      times();
      bench.write(path);
    };
    part("hull27", [&] { time_table(bench, "hull27", hulls(64, 27), 0.74, size); });
    part("box", [&] { time_table(bench, "box", boxes(64), 1.15, size); });
    part("all kinds", [&] { time_table(bench, "all kinds", all_kinds(64), 1.5, size); });
    part("sizes", [&] { time_sizes(bench, quick ? 1000000 : 100000000); });
    part("deep", [&] {
      // origins at most a few centimetres apart: all pairs overlap
      time_table(bench, "hull27, deep", hulls(64, 27), 0.05, size / 4);
      time_table(bench, "box, deep", boxes(64), 0.05, size / 4);
    });
    part("objects", [&] {
      time_objects(bench, "objects, 32 hulls", rings(32, 32, 27), size / 4);
      time_objects(bench, "objects, 8 hulls", rings(32, 8, 27), size / 4);
      time_objects(bench, "objects, 64 hulls", rings(32, 64, 27), size / 8);
    });
    part("hull256", [&] { time_table(bench, "hull256", hulls(16, 256), 0.74, size / 4); });
    part("points", [&] {
      time_points(bench, "hull27", hulls(64, 27), size);
      time_points(bench, "all kinds", all_kinds(64), size);
    });
    part("implicit", [&] { time_implicit(bench, size / 16); });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return 0;
}
