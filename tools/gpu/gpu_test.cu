// SPDX-License-Identifier: BSD-2-Clause
// Checks the queries on the GPU, on data that it makes itself, and writes what it found as JSON,
// after every case: tactum_gpu_test [FILE] [--pairs N] [--sample N]
//
//   Every row   no NaN, lower <= distance <= upper, bounds as close as the status says, unit
//               normals, points that fit the distance.
//   A sample    against tactum::distance on the CPU: bounds that meet, signs that agree beyond the
//               tolerance, Jacobians.
//   Order       the same rows in reverse order have the same bits in every column.
//   Bad input   rows of NaN, of indices out of range and of two half-spaces; calls with missing
//               pointers.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <type_traits>

#include "gpu/packed_objects.hpp"
#include "pair_data.cuh"
#include "tactum/distance.hpp"
#include "tactum/distance_derivative.hpp"

namespace {

using namespace tactum;
using namespace tactum::gpu;

struct Columns {
  DeviceArray<Status> status, collision;
  DeviceArray<double> distance, normal, point_a, point_b, lower, upper, jacobian;

  DistanceColumns grown(std::size_t size) {
    status.grow(size);
    collision.grow(size);
    for (DeviceArray<double>* column : {&distance, &lower, &upper}) column->grow(size);
    for (DeviceArray<double>* column : {&normal, &point_a, &point_b}) column->grow(3 * size);
    jacobian.grow(12 * size);
    return {status.data(), distance.data(), normal.data(),   point_a.data(), point_b.data(),
            lower.data(),  upper.data(),    jacobian.data(), nullptr};
  }
};

/// What went wrong, by class; all must be zero.
struct Faults {
  unsigned long long not_finite, bounds_crossed, too_wide, not_unit, points_off, jacobian_off,
      collision_wrong;
};
struct Tally {
  unsigned long long separated, touching, penetrating, not_converged, other;
};

__device__ bool all_finite(const double* numbers, int count) {
  bool finite = true;
  for (int i = 0; i < count; ++i) finite = finite && isfinite(numbers[i]);
  return finite;
}

__device__ Vector<double> vector_of(const double* column, std::size_t row) {
  return {column[3 * row], column[3 * row + 1], column[3 * row + 2]};
}

/// Whether the Jacobian is that of the normal and the points of the row.
__device__ bool jacobian_fits(const DistanceColumns& rows, std::size_t i, const double* pose_a,
                              const double* pose_b) {
  const WorldPose X_WA = read_pose(pose_a), X_WB = read_pose(pose_b);
  const Quaternion to_a = conjugate(X_WA.rotation);
  PairAnswer answer = refused_answer();
  answer.normal = rotated(to_a, vector_of(rows.normal, i));
  answer.point_a = rotated(to_a, vector_of(rows.point_a, i) - X_WA.translation);
  answer.point_b = rotated(to_a, vector_of(rows.point_b, i) - X_WA.translation);
  const DistanceJacobian expected = distance_jacobian(relative_pose(X_WA, X_WB), answer);
  const double* const found = rows.distance_jacobian + 12 * i;
  const Vector<double> parts[4] = {expected.linear_a, expected.angular_a, expected.linear_b,
                                   expected.angular_b};
  bool fits = true;
  for (int k = 0; k < 4; ++k) {
    const Vector<double> off = parts[k] - vector_of(found, static_cast<std::size_t>(k));
    fits = fits && norm(off) <= 1e-11 * (1.0 + norm(parts[k]));
  }
  return fits;
}

/// Checks that need no reference. Two half-spaces are refused and counted as other.
__global__ void check_rows(PairPointers pairs, const double* reaches, DistanceColumns rows,
                           const Status* collision, double tolerance, std::size_t size,
                           Faults* faults, Tally* tally) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < size;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const Status status = rows.status[i];
    atomicAdd(status == Status::separated       ? &tally->separated
              : status == Status::touching      ? &tally->touching
              : status == Status::penetrating   ? &tally->penetrating
              : status == Status::not_converged ? &tally->not_converged
                                                : &tally->other,
              1ULL);
    if (status == Status::invalid_input) continue;
    const double* const a = pairs.poses_a + 7 * i;
    const double* const b = pairs.poses_b + 7 * i;
    const Vector<double> between{b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const double scale = larger(norm(between),
                                larger(reaches[pairs.index_a[i]], reaches[pairs.index_b[i]]));
    const double distance = rows.distance[i], lower = rows.lower[i], upper = rows.upper[i];
    const double* const n = rows.normal + 3 * i;
    const double* const p = rows.point_a + 3 * i;
    const double* const q = rows.point_b + 3 * i;
    const bool finite = isfinite(distance) && isfinite(lower) && isfinite(upper) &&
                        all_finite(n, 3) && all_finite(p, 3) && all_finite(q, 3) &&
                        all_finite(rows.distance_jacobian + 12 * i, 12);
    if (!finite) atomicAdd(&faults->not_finite, 1ULL);
    if (!(lower <= distance && distance <= upper)) atomicAdd(&faults->bounds_crossed, 1ULL);
    const bool proved = status != Status::not_converged;
    if (proved && !(upper - lower <= 1.0001 * tolerance * scale))
      atomicAdd(&faults->too_wide, 1ULL);
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!(fabs(length - 1.0) < 1e-12)) atomicAdd(&faults->not_unit, 1ULL);
    double off = 0.0;
    for (int axis = 0; axis < 3; ++axis)
      off = fmax(off, fabs(q[axis] - p[axis] - distance * n[axis]));
    // a tolerance of the distance is the square of one of the points across the normal
    if (proved && !(off <= 1e-12 * (scale + 1.0) + 2.0 * sqrt(tolerance) * scale))
      atomicAdd(&faults->points_off, 1ULL);
    if (!jacobian_fits(rows, i, a, b)) atomicAdd(&faults->jacobian_off, 1ULL);
    const bool contradicts = (collision[i] == Status::separated && upper < 0.0) ||
                             (collision[i] == Status::penetrating && lower > 0.0);
    if (contradicts) atomicAdd(&faults->collision_wrong, 1ULL);
  }
}

/// What the CPU says about a sample.
struct SampleResult {
  std::atomic<std::uint64_t> rows{0}, bounds_apart{0}, wrong_signs{0}, wrong_collisions{0},
      jacobian_off{0}, separated{0}, penetrating{0};
  std::atomic<std::uint64_t> proved{0};
};

template <class T>
std::vector<T> fetched(const T* from, std::size_t count) {
  std::vector<T> values(count);
  check_cuda(cudaMemcpy(values.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost),
             "copy from the device");
  return values;
}

struct HostRows {
  std::vector<std::int32_t> index_a, index_b;
  std::vector<double> poses_a, poses_b, distance, lower, upper, normal, jacobian;
  std::vector<Status> status, collision;
};

HostRows fetched_rows(const PairData& data, const Columns& columns, std::size_t count) {
  return {fetched(data.index_a.data(), count),          fetched(data.index_b.data(), count),
          fetched(data.poses_a.data(), 7 * count),      fetched(data.poses_b.data(), 7 * count),
          fetched(columns.distance.data(), count),      fetched(columns.lower.data(), count),
          fetched(columns.upper.data(), count),         fetched(columns.normal.data(), 3 * count),
          fetched(columns.jacobian.data(), 12 * count), fetched(columns.status.data(), count),
          fetched(columns.collision.data(), count)};
}

Distance exact_distance(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB) {
  if (a.shape() != nullptr && b.shape() != nullptr)
    return distance(*a.shape(), X_WA, *b.shape(), X_WB);
  return distance(a, X_WA, b, X_WB);
}

void compare_row(const std::vector<Geometry>& shapes, const HostRows& rows, double tolerance,
                 std::size_t i, SampleResult& result) {
  if (rows.status[i] == Status::invalid_input) return;
  const Geometry &a = shapes[static_cast<std::size_t>(rows.index_a[i])],
                 &b = shapes[static_cast<std::size_t>(rows.index_b[i])];
  const Pose X_WA = pose_from_xyz_xyzw(Eigen::Map<const Vector7>(&rows.poses_a[7 * i]));
  const Pose X_WB = pose_from_xyz_xyzw(Eigen::Map<const Vector7>(&rows.poses_b[7 * i]));
  const Distance exact = exact_distance(a, X_WA, b, X_WB);
  ++result.rows;
  if (!(rows.lower[i] <= exact.upper && exact.lower <= rows.upper[i])) ++result.bounds_apart;
  const bool apart = exact.status == Status::separated,
             inside = exact.status == Status::penetrating;
  result.separated += apart ? 1 : 0;
  result.penetrating += inside ? 1 : 0;
  result.proved += rows.status[i] != Status::not_converged ? 1 : 0;
  if ((rows.status[i] == Status::separated && inside) ||
      (rows.status[i] == Status::penetrating && apart))
    ++result.wrong_signs;
  if ((rows.collision[i] == Status::separated && inside) ||
      (rows.collision[i] == Status::penetrating && apart))
    ++result.wrong_collisions;
  // with wide bounds another feature may be as good, with another derivative
  if (rows.status[i] != Status::separated || exact.distance < 1e-3 || tolerance > 1e-9) return;
  if (a.shape() == nullptr || b.shape() == nullptr) return;
  // the derivative is that of the returned normal and points, and points of curved shapes are right
  // to the root of the tolerance
  const Vector3 normal(rows.normal[3 * i], rows.normal[3 * i + 1], rows.normal[3 * i + 2]);
  if ((normal - exact.normal).norm() > std::sqrt(tolerance)) return;
  const DistanceDerivative reference = distance_derivative(*a.shape(), X_WA, *b.shape(), X_WB,
                                                           {.value = &exact});
  if (!reference.smooth) return;
  for (int k = 0; k < 12; ++k) {
    if (std::abs(reference.distance_jacobian[k] -
                 rows.jacobian[12 * i + static_cast<std::size_t>(k)]) >
        1e-9 + 8.0 * std::sqrt(tolerance)) {
      ++result.jacobian_off;
      return;
    }
  }
}

void compare_sample(const std::vector<Geometry>& shapes, const HostRows& rows, double tolerance,
                    SampleResult& result) {
  const unsigned num_threads = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  const std::size_t count = rows.status.size();
  for (unsigned t = 0; t < num_threads; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < count; i += num_threads)
        compare_row(shapes, rows, tolerance, i, result);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

struct CaseResult {
  std::string name;
  std::uint64_t pairs = 0;
  Faults faults{};
  Tally tally{};
  Counts counts;
  std::uint64_t sample = 0, sample_proved = 0, bounds_apart = 0, wrong_signs = 0,
                wrong_collisions = 0, jacobian_off = 0, order_differs = 0;

  std::uint64_t num_faults() const {
    const Faults& f = faults;
    return f.not_finite + f.bounds_crossed + f.too_wide + f.not_unit + f.points_off +
           f.jacobian_off + f.collision_wrong + bounds_apart + wrong_signs + wrong_collisions +
           jacobian_off + order_differs;
  }
};

__global__ void reverse_rows(PairPointers from, PairPointers to, std::size_t size) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < size;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const std::size_t j = size - 1 - i;
    to.index_a[j] = from.index_a[i];
    to.index_b[j] = from.index_b[i];
    for (int k = 0; k < 7; ++k) to.poses_a[7 * j + k] = from.poses_a[7 * i + k];
    for (int k = 0; k < 7; ++k) to.poses_b[7 * j + k] = from.poses_b[7 * i + k];
  }
}

/// Marks rows whose words of a column differ from those of the same rows in reverse order.
template <class Word>
__global__ void mark_differences(const Word* first, const Word* second, std::size_t width,
                                 std::size_t size, bool* differs) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < size;
       i += std::size_t{gridDim.x} * blockDim.x) {
    for (std::size_t k = 0; k < width; ++k) {
      if (first[width * i + k] != second[width * (size - 1 - i) + k]) differs[i] = true;
    }
  }
}

__global__ void count_marked(const bool* marked, std::size_t size, unsigned long long* count) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < size;
       i += std::size_t{gridDim.x} * blockDim.x) {
    if (marked[i]) atomicAdd(count, 1ULL);
  }
}

class Tester {
 public:
  void run(const std::string& name, const std::vector<Shape>& shapes, double spread,
           DistancesOptions options, std::uint64_t pairs, std::size_t sample) {
    run(name, std::vector<Geometry>(shapes.begin(), shapes.end()), ShapeTable(shapes), spread,
        options, pairs, sample);
  }

  void run(const std::string& name, const std::vector<Geometry>& shapes, const ShapeTable& table,
           double spread, DistancesOptions options, std::uint64_t pairs, std::size_t sample) {
    reaches_.copy_from(reaches_of(shapes));
    const double tolerance = options.tolerance;
    for (const bool grazing : {false, true}) {
      CaseResult result;
      result.name = name + (grazing ? ", grazing" : ", random");
      SampleResult compared;
      for (std::uint64_t done = 0; done < pairs; done += kChunk) {
        const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kChunk, pairs - done));
        run_chunk(table, shapes.size(), size, spread, options, grazing, result);
        if (done == 0) {
          compare_sample(shapes, fetched_rows(data_, columns_, std::min(size, sample)), tolerance,
                         compared);
        }
        result.order_differs += reversed_differences(table, size, options);
      }
      result.sample = compared.rows;
      result.sample_proved = compared.proved;
      result.bounds_apart = compared.bounds_apart;
      result.wrong_signs = compared.wrong_signs;
      result.wrong_collisions = compared.wrong_collisions;
      result.jacobian_off = compared.jacobian_off;
      report(result);
      results.push_back(result);
    }
  }

  std::vector<CaseResult> results;

 private:
  static constexpr std::uint64_t kChunk = std::uint64_t{1} << 24U;

  void run_chunk(const ShapeTable& table, std::size_t num_shapes, std::size_t size, double spread,
                 DistancesOptions options, bool grazing, CaseResult& result) {
    fill_random(data_, size, static_cast<int>(num_shapes), spread, ++seed_);
    const DistanceColumns out = columns_.grown(size);
    if (grazing) {
      distances(table, data_.batch(size), {.tolerance = 1e-6}, work_, out);
      graze<<<kDataBlocks, kDataThreads>>>(pointers(data_), size, out.distance, out.normal, seed_);
    }
    check_cuda(cudaMemset(out.distance, 0xFF, size * sizeof(double)), "poison");
    check_cuda(cudaMemset(out.status, 0xFF, size), "poison");
    collides(table, data_.batch(size), work_, columns_.collision.data());
    distances(table, data_.batch(size), options, work_, out);
    faults_.grow(1);
    tally_.grow(1);
    check_cuda(cudaMemset(faults_.data(), 0, sizeof(Faults)), "counters");
    check_cuda(cudaMemset(tally_.data(), 0, sizeof(Tally)), "counters");
    check_rows<<<kDataBlocks, kDataThreads>>>(pointers(data_), reaches_.data(), out,
                                              columns_.collision.data(), options.tolerance, size,
                                              faults_.data(), tally_.data());
    check_cuda(cudaDeviceSynchronize(), "the check");
    const Counts counts = work_.counts();
    result.pairs += size;
    result.counts.searched_again += counts.searched_again;
    result.counts.not_converged += counts.not_converged;
    result.counts.overlapping += counts.overlapping;
    add(result.faults, fetched(faults_.data(), 1)[0]);
    add(result.tally, fetched(tally_.data(), 1)[0]);
  }

  /// Sums structs of counters.
  template <class T>
  static void add(T& sum, const T& value) {
    unsigned long long to[sizeof(T) / 8], from[sizeof(T) / 8];
    std::memcpy(to, &sum, sizeof(T));
    std::memcpy(from, &value, sizeof(T));
    for (std::size_t i = 0; i < sizeof(T) / 8; ++i) to[i] += from[i];
    std::memcpy(&sum, to, sizeof(T));
  }

  /// How many rows of the last call differ in any column when they are asked in reverse order.
  std::uint64_t reversed_differences(const ShapeTable& table, std::size_t size,
                                     DistancesOptions options) {
    reversed_.grow(size);
    reverse_rows<<<kDataBlocks, kDataThreads>>>(pointers(data_), pointers(reversed_), size);
    const DistanceColumns out = reversed_columns_.grown(size);
    collides(table, reversed_.batch(size), work_, reversed_columns_.collision.data());
    distances(table, reversed_.batch(size), options, work_, out);
    differs_.grow(size);
    check_cuda(cudaMemset(differs_.data(), 0, size * sizeof(bool)), "marks");
    const Columns &one = columns_, &other = reversed_columns_;
    mark(one.status, other.status, 1, size);
    mark(one.collision, other.collision, 1, size);
    mark(one.distance, other.distance, 1, size);
    mark(one.lower, other.lower, 1, size);
    mark(one.upper, other.upper, 1, size);
    mark(one.normal, other.normal, 3, size);
    mark(one.point_a, other.point_a, 3, size);
    mark(one.point_b, other.point_b, 3, size);
    mark(one.jacobian, other.jacobian, 12, size);
    DeviceArray<unsigned long long> count;
    count.grow(1);
    check_cuda(cudaMemset(count.data(), 0, sizeof(unsigned long long)), "counters");
    count_marked<<<kDataBlocks, kDataThreads>>>(differs_.data(), size, count.data());
    return fetched(count.data(), 1)[0];
  }

  /// Compares one column with its rows in reverse order, bit by bit.
  template <class T>
  void mark(const DeviceArray<T>& one, const DeviceArray<T>& other, std::size_t width,
            std::size_t size) {
    using Word = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned char>;
    static_assert(sizeof(T) == sizeof(Word));
    mark_differences<<<kDataBlocks, kDataThreads>>>(reinterpret_cast<const Word*>(one.data()),
                                                    reinterpret_cast<const Word*>(other.data()),
                                                    width, size, differs_.data());
    check_cuda(cudaGetLastError(), "the comparison");
  }

  static void report(const CaseResult& r) {
    std::printf(
        "%-32s %11llu pairs: %llu faults; apart %llu, touching %llu, penetrating %llu, not "
        "converged %llu (overlapping %llu), "
        "refused %llu; "
        "searched again %llu; sample %llu (proved %llu)\n",
        r.name.c_str(), static_cast<unsigned long long>(r.pairs),
        static_cast<unsigned long long>(r.num_faults()), r.tally.separated, r.tally.touching,
        r.tally.penetrating, r.tally.not_converged,
        static_cast<unsigned long long>(r.counts.overlapping), r.tally.other,
        static_cast<unsigned long long>(r.counts.searched_again),
        static_cast<unsigned long long>(r.sample),
        static_cast<unsigned long long>(r.sample_proved));
    if (r.num_faults() != 0) {
      std::printf(
          "  FAULTS: not finite %llu, crossed %llu, wide %llu, unit %llu, points %llu, collision "
          "%llu; sample: bounds %llu, "
          "signs %llu, "
          "collisions %llu, Jacobians %llu; order %llu\n",
          r.faults.not_finite, r.faults.bounds_crossed, r.faults.too_wide, r.faults.not_unit,
          r.faults.points_off, r.faults.collision_wrong,
          static_cast<unsigned long long>(r.bounds_apart),
          static_cast<unsigned long long>(r.wrong_signs),
          static_cast<unsigned long long>(r.wrong_collisions),
          static_cast<unsigned long long>(r.jacobian_off),
          static_cast<unsigned long long>(r.order_differs));
    }
    std::fflush(stdout);
  }

  /// How far each shape reaches from its origin; for a half-space, the distance of its plane.
  static std::vector<double> reaches_of(const std::vector<Geometry>& shapes) {
    std::vector<double> reaches;
    for (const ObjectRecord& object : pack_objects(shapes).objects) reaches.push_back(object.reach);
    return reaches;
  }

  std::uint64_t seed_ = 0;
  DeviceArray<double> reaches_;
  PairData data_, reversed_;
  Columns columns_, reversed_columns_;
  Workspace work_;
  DeviceArray<Faults> faults_;
  DeviceArray<Tally> tally_;
  DeviceArray<bool> differs_;
};

template <class Call>
bool throws_invalid_input(Call call) {
  try {
    call();
  } catch (const InvalidInput&) {
    return true;
  }
  return false;
}

/// Number of bad inputs that are not answered as they should be, by a table of three shapes: a ball
/// of radius 0.5, a half-space, a box of half extents 1.
int bad_input_faults(const ShapeTable& table) {
  const double nan = std::nan(""), good[7] = {0, 0, 3, 0, 0, 0, 1};
  // a good row; NaN; infinity; quaternions of length 0 and 2; indices out of range; two
  // half-spaces; a good row again
  std::vector<double> poses_a, poses_b;
  for (int row = 0; row < 9; ++row) {
    poses_a.insert(poses_a.end(), {0, 0, 0, 0, 0, 0, 1});
    poses_b.insert(poses_b.end(), good, good + 7);
  }
  poses_b[7 * 1 + 2] = nan;
  poses_a[7 * 2 + 4] = HUGE_VAL;
  poses_b[7 * 3 + 6] = 0.0;
  poses_b[7 * 4 + 6] = 2.0;
  const std::vector<std::int32_t> index_a = {0, 0, 0, 0, 0, -1, 3, 1, 1},
                                  index_b = {2, 2, 2, 2, 2, 2, 2, 1, 0};
  PairData data;
  data.poses_a.copy_from(poses_a);
  data.poses_b.copy_from(poses_b);
  data.index_a.copy_from(index_a);
  data.index_b.copy_from(index_b);
  Columns columns;
  Workspace work;
  distances(table, data.batch(9), {}, work, columns.grown(9));
  collides(table, data.batch(9), work, columns.collision.data());
  const std::vector<Status> status = fetched(columns.status.data(), 9),
                            collision = fetched(columns.collision.data(), 9);
  const std::vector<double> distance = fetched(columns.distance.data(), 9);
  int faults = 0;
  for (int row = 0; row < 9; ++row) {
    const bool good_row = row == 0 || row == 8;
    faults += (status[row] == Status::invalid_input) == good_row ? 1 : 0;
    faults += (collision[row] == Status::invalid_input) == good_row ? 1 : 0;
    faults += std::isfinite(distance[row]) ? 0 : 1;
  }
  faults += std::abs(distance[0] - 1.5) < 1e-12 && std::abs(distance[8] - 2.5) < 1e-12 ? 0 : 1;
  faults += throws_invalid_input([&] { distances(table, {.size = 4}, {}, work, {}); }) ? 0 : 1;
  faults += throws_invalid_input(
                [&] { distances(table, data.batch(9), {.tolerance = nan}, work, {}); })
                ? 0
                : 1;
  faults += throws_invalid_input([&] { collides(table, data.batch(9), work, nullptr); }) ? 0 : 1;
  faults += throws_invalid_input([&] { ShapeTable{std::span<const Shape>{}}; }) ? 0 : 1;
  distances(table, {}, {}, work, {});  // an empty batch is no error
  check_cuda(cudaDeviceSynchronize(), "an empty batch");
  return faults;
}

/// Whether a call that finds no memory throws, and the next one is answered.
bool survives_no_memory(const ShapeTable& table) {
  constexpr std::size_t size = std::size_t{1} << 22U, left = std::size_t{64} << 20U;
  PairData data;
  fill_random(data, size, static_cast<int>(table.size()), 1.0, 1);
  Columns columns;
  const DistanceColumns out = columns.grown(size);
  std::size_t free = 0, all = 0;
  check_cuda(cudaMemGetInfo(&free, &all), "the memory left");
  Workspace work;
  bool refused = false;
  {
    DeviceArray<std::uint8_t> filling;
    filling.grow(free > left ? free - left : 0);
    try {
      distances(table, data.batch(size), {}, work, out);
    } catch (const DeviceError&) {
      refused = true;
    }
  }
  distances(table, data.batch(size), {}, work, out);
  check_cuda(cudaDeviceSynchronize(), "a call after one without memory");
  return refused;
}

void write_json(const char* path, const std::vector<CaseResult>& results, int bad_input) {
  std::FILE* const file = std::fopen(path, "w");
  if (file == nullptr) throw std::runtime_error(std::string("cannot write ") + path);
  std::fprintf(
      file,
      "{\"name\": \"gpu-test\", %s, \"bad_input_faults\": %d, \"order_covers\": \"every column of "
      "all rows\", \"cases\": [",
      machine_members().c_str(), bad_input);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const CaseResult& r = results[i];
    std::fprintf(file,
                 "%s\n  {\"case\": \"%s\", \"pairs\": %llu, \"faults\": %llu, \"separated\": %llu, "
                 "\"touching\": %llu, "
                 "\"penetrating\": %llu, "
                 "\"not_converged\": %llu, \"overlapping\": %llu, \"refused\": %llu, "
                 "\"searched_again\": %llu, \"sample\": %llu, "
                 "\"sample_proved\": %llu, "
                 "\"sample_bounds_apart\": %llu, \"sample_wrong_signs\": %llu, "
                 "\"sample_wrong_collisions\": %llu, "
                 "\"order_differs\": %llu}",
                 i == 0 ? "" : ",", r.name.c_str(), static_cast<unsigned long long>(r.pairs),
                 static_cast<unsigned long long>(r.num_faults()), r.tally.separated,
                 r.tally.touching, r.tally.penetrating, r.tally.not_converged,
                 static_cast<unsigned long long>(r.counts.overlapping), r.tally.other,
                 static_cast<unsigned long long>(r.counts.searched_again),
                 static_cast<unsigned long long>(r.sample),
                 static_cast<unsigned long long>(r.sample_proved),
                 static_cast<unsigned long long>(r.bounds_apart),
                 static_cast<unsigned long long>(r.wrong_signs),
                 static_cast<unsigned long long>(r.wrong_collisions),
                 static_cast<unsigned long long>(r.order_differs));
  }
  std::fprintf(file, "\n]}\n");
  std::fclose(file);
}

}  // namespace

int main(int argc, char** argv) {
  const char* path = "gpu-test.json";
  std::uint64_t pairs = 1000000000, sample = 10000000;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--pairs") == 0 && i + 1 < argc)
      pairs = std::strtoull(argv[++i], nullptr, 10);
    else if (std::strcmp(argv[i], "--sample") == 0 && i + 1 < argc)
      sample = std::strtoull(argv[++i], nullptr, 10);
    else
      path = argv[i];
  }
  if (num_devices() == 0) {
    std::fprintf(stderr, "no CUDA device was found; this program needs one\n");
    return 2;
  }
  try {
    std::printf("%s\n", device_name().c_str());
    const std::vector<Shape> shapes = {Sphere{.radius = 0.5}, HalfSpace{},
                                       Box{.half_extents = {1, 1, 1}}};
    const std::vector<Geometry> objects(shapes.begin(), shapes.end());
    const int bad_input = bad_input_faults(ShapeTable(shapes)) +
                          bad_input_faults(ShapeTable(objects)) +
                          (survives_no_memory(ShapeTable(shapes)) ? 0 : 1);
    std::printf("bad input: %d faults\n", bad_input);
    Tester tester;
    const std::uint64_t share = std::max<std::uint64_t>(1, pairs / 20);
    const auto some = static_cast<std::size_t>(std::max<std::uint64_t>(1, sample / 20));
    const DistancesOptions usual{.tolerance = 1e-6}, close{.tolerance = 1e-10},
        bounded{.tolerance = 1e-6, .depth = false};
    const auto run = [&](const auto&... arguments) {
      tester.run(arguments...);
      write_json(path, tester.results, bad_input);
    };
    run("all kinds", all_kinds(64), 1.5, usual, 3 * share, 3 * some);
    run("all kinds, depth bounded", all_kinds(64), 1.5, bounded, share, some);
    run("all kinds, 1e-10", all_kinds(64), 1.5, close, share, some);
    run("hull27", hulls(64, 27), 1.0, usual, 2 * share, 2 * some);
    run("hull27, depth bounded", hulls(64, 27), 1.0, bounded, share, some);
    run("box, depth bounded", boxes(64), 1.2, bounded, share / 2, some / 2);
    run("hull27, 1e-10", hulls(64, 27), 1.0, close, share, some);
    run("box", boxes(64), 1.2, usual, share, some);
    run("hull256", hulls(16, 256), 1.0, usual, share, some);
    for (const DistancesOptions& options : {usual, close}) {
      const std::vector<Geometry> ring_objects = rings(32, 32, 27), mixed = mixed_objects(32);
      const std::string end = options.tolerance < 1e-9 ? ", 1e-10" : "";
      run("objects of 32 hulls" + end, ring_objects, ShapeTable(ring_objects), 1.0, options,
          share / 16 + 1, some / 16 + 1);
      run("objects of all kinds" + end, mixed, ShapeTable(mixed), 2.0, options, share / 16 + 1,
          some / 16 + 1);
    }
    std::uint64_t faults = static_cast<std::uint64_t>(bad_input);
    for (const CaseResult& result : tester.results) faults += result.num_faults();
    std::printf("%llu faults\n", static_cast<unsigned long long>(faults));
    return faults == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
