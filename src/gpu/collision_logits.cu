// SPDX-License-Identifier: BSD-2-Clause
// The learned collision check: a warp takes 16 poses of one pair of objects from numbers to logits.
//
//   pool    weights of 16 cells at a time, straight into the operands of a matrix product with the
//           features of the cells
//   views   the averages of both objects, turned, as operands of the first layer
//   layers  three for each view, one for their sum, one product with the output
//
// Four warps share a tile and the fields of its two objects in shared memory; all warps of a
// multiprocessor share the weights there.
#include <limits>
#include <string>

#include "gpu/cell_field.hpp"
#include "gpu/device_memory.cuh"
#include "gpu/network_layers.cuh"
#include "gpu/packed_network.hpp"
#include "tactum/gpu/collision_network.hpp"

namespace tactum::gpu {

struct CollisionCodes::Memory {
  DeviceArray<std::uint16_t> weights, cells;
  DeviceArray<float> parameters;
  DeviceArray<CodeRecord> records;
  DeviceArray<CellCenter> centers;
  DeviceArray<std::uint32_t> fields;
  int num_features = 0, width = 0;
  int device = 0, num_processors = 0;
};

namespace {

constexpr int kGroupThreads = 128;  // four warps that share a tile
constexpr int kGroups = 2;          // of a block
constexpr float kUnit = static_cast<float>(kNetworkUnit);
constexpr float kFar = 1e-4F;       // as in src/neural/predictor.cpp
constexpr float kMostInput = 6e4F;  // what half precision can hold
constexpr float kFarthest = 1e5F;   // m

struct Task {
  const std::uint16_t* weights;
  const float* parameters;
  const CodeRecord* records;
  const CellCenter* centers;
  const std::uint16_t* cells;
  const std::uint32_t* fields;
  int num_objects;
  const PoseTile* tiles;
  std::uint32_t num_tiles;
  const float* poses;
  std::uint32_t num_rows;
  float2* predictions;
};

/// A pose of one object in another, of the two rows of a lane.
struct RowPose {
  float R[9], t[3];
};

/// Averages over the cells of one object for the two rows of a lane.
template <int F>
struct Pooled {
  std::uint32_t features[F / 8][2];           // of 8 columns each, two of them in this lane
  float center[2][2], gap[2][2], mass[2][2];  // [half][row], in units; the center along axis t
};

/// Rows of a matrix and an offset that take a center of `own` to nodes of the field of `other`.
__device__ __forceinline__ RowPose to_nodes(const RowPose& X, float spacing) {
  RowPose out;
  const float per = 1.0F / spacing;
#pragma unroll
  for (int i = 0; i < 9; ++i) out.R[i] = X.R[i] * per;
#pragma unroll
  for (int i = 0; i < 3; ++i) out.t[i] = fmaf(X.t[i], per, 5.0F);
  return out;
}

__device__ __forceinline__ RowPose inverse_of(const RowPose& X) {
  RowPose out;
#pragma unroll
  for (int i = 0; i < 3; ++i) {
#pragma unroll
    for (int j = 0; j < 3; ++j) out.R[3 * i + j] = X.R[3 * j + i];
    out.t[i] = -(X.R[i] * X.t[0] + X.R[3 + i] * X.t[1] + X.R[6 + i] * X.t[2]);
  }
  return out;
}

struct CellSample {
  CellWeights weights;
  float gap;
};

__device__ __forceinline__ CellSample sample_cell(const std::uint32_t* field, const RowPose& X,
                                                  const float4& c, float spacing, float per_cell) {
  const FieldPlace at = field_place(
      {fmaf(X.R[0], c.x, fmaf(X.R[1], c.y, fmaf(X.R[2], c.z, X.t[0]))),
       fmaf(X.R[3], c.x, fmaf(X.R[4], c.y, fmaf(X.R[5], c.z, X.t[1]))),
       fmaf(X.R[6], c.x, fmaf(X.R[7], c.y, fmaf(X.R[8], c.z, X.t[2])))});
  const float gap = fmaf(spacing, at.outside, field_value(field, at));
  return {cell_weights(gap * per_cell), gap};
}

/// `X` are the poses of the center frame of `own` in that of `other`, whose field is given.
template <int F>
__device__ __forceinline__ void pool(const Task& task, const CodeRecord& own,
                                     const CodeRecord& other, const std::uint32_t* field,
                                     const RowPose (&X)[2], Pooled<F>& out) {
  constexpr int kTiles = tiles_per_half(F), kFeatureTiles = kTiles - 1;
  const int lane = static_cast<int>(threadIdx.x) % 32, t = lane % 4;
  const float spacing = other.half_side / 5.5F, per_cell = 1.0F / own.cell_size;
  const RowPose nodes[2] = {to_nodes(X[0], spacing), to_nodes(X[1], spacing)};
  float sum[2 * kTiles][4] = {};
  float gaps[2][2] = {};
  for (int tile = own.first_tile; tile < own.first_tile + own.num_tiles; ++tile) {
    std::uint32_t weight[2][4];
    const auto* const centers = reinterpret_cast<const float4*>(task.centers) +
                                kCellsPerTile * tile + 2 * t;
#pragma unroll
    for (int upper = 0; upper < 2; ++upper) {
      const float4 c0 = __ldg(centers + 8 * upper), c1 = __ldg(centers + 8 * upper + 1);
#pragma unroll
      for (int row = 0; row < 2; ++row) {
        const CellSample s0 = sample_cell(field, nodes[row], c0, spacing, per_cell);
        const CellSample s1 = sample_cell(field, nodes[row], c1, spacing, per_cell);
        gaps[0][row] = fmaf(s0.weights.wide, s0.gap, fmaf(s1.weights.wide, s1.gap, gaps[0][row]));
        gaps[1][row] = fmaf(s0.weights.near, s0.gap, fmaf(s1.weights.near, s1.gap, gaps[1][row]));
        weight[0][2 * upper + row] = packed(s0.weights.wide, s1.weights.wide);
        weight[1][2 * upper + row] = packed(s0.weights.near, s1.weights.near);
      }
    }
    const auto* const cells = reinterpret_cast<const uint2*>(task.cells) +
                              (tile * 2 * kTiles) * 32 + lane;
#pragma unroll
    for (int n = 0; n < 2 * kTiles; ++n) {
      const uint2 b = __ldg(cells + 32 * n);
      multiply_tile(sum[n], weight[n / kTiles], b.x, b.y);
    }
  }
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float (&extra)[4] = sum[half * kTiles + kFeatureTiles];
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      const float mass = __shfl_sync(kQuadLanes, extra[2 * row], lane | 3);
      const float scale = 1.0F / (mass + kFar);
      out.mass[half][row] = mass;
      out.center[half][row] = extra[2 * row] * scale;
      out.gap[half][row] = quad_sum(gaps[half][row]) * scale * (1.0F / kUnit);
#pragma unroll
      for (int n = 0; n < kFeatureTiles; ++n) {
        const float (&value)[4] = sum[half * kTiles + n];
        out.features[half * kFeatureTiles + n][row] = packed(value[2 * row] * scale,
                                                             value[2 * row + 1] * scale);
      }
    }
  }
}

__device__ __forceinline__ float bounded(float value) {
  return fminf(fmaxf(value, -kMostInput), kMostInput);
}

/// One of three numbers, by the axis of a lane.
__device__ __forceinline__ float along(int t, float x, float y, float z) {
  return t == 0 ? x : t == 1 ? y : z;
}

/// The slots of a row: what `own` sees besides the features of `other`, whose pose is X.
template <int F>
__device__ __forceinline__ void fill_slots(const CodeRecord& own, const Pooled<F>& own_pool,
                                           const CodeRecord& other, const Pooled<F>& other_pool,
                                           const RowPose& X, int row,
                                           float (&slot)[kSlotsPerLane]) {
  const int lane = static_cast<int>(threadIdx.x) % 32, t = lane % 4;
  float seen[2];
  const float turn[3] = {along(t, X.R[0], X.R[3], X.R[6]), along(t, X.R[1], X.R[4], X.R[7]),
                         along(t, X.R[2], X.R[5], X.R[8])};
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    seen[half] = 0.0F;
#pragma unroll
    for (int k = 0; k < 3; ++k)
      seen[half] += turn[k] *
                    __shfl_sync(kQuadLanes, other_pool.center[half][row], (lane & ~3) + k);
  }
  const bool axis = t < 3;
  const auto choose = [axis](float of_axis, float of_row) { return axis ? of_axis : of_row; };
  constexpr float kPer = 1.0F / kUnit;
  slot[0] = choose(bounded(kPer * along(t, own.extents.x, own.extents.y, own.extents.z)),
                   bounded(own_pool.gap[0][row]));
  slot[1] = choose(bounded(kPer * along(t, other.extents.x, other.extents.y, other.extents.z)),
                   bounded(own_pool.gap[1][row]));
  slot[2] = choose(bounded(kPer * along(t, X.t[0], X.t[1], X.t[2])),
                   bounded(other_pool.gap[0][row]));
  slot[3] = choose(own_pool.center[0][row], bounded(other_pool.gap[1][row]));
  slot[4] = choose(own_pool.center[1][row], __logf(1.0F + own_pool.mass[0][row]));
  slot[5] = choose(seen[0], __logf(1.0F + own_pool.mass[1][row]));
  slot[6] = choose(seen[1], __logf(1.0F + other_pool.mass[0][row]));
  slot[7] = choose(turn[0], __logf(1.0F + other_pool.mass[1][row]));
  slot[8] = choose(turn[1], 0.0F);
  slot[9] = choose(turn[2], 0.0F);
  slot[10] = slot[11] = 0.0F;
}

/// The vectors among the features of a row, turned.
template <int F>
__device__ __forceinline__ void turn_features(const Pooled<F>& pooled, const RowPose& X, int row,
                                              std::uint32_t (&out)[F / 8][2]) {
  __half2 R[9];
#pragma unroll
  for (int i = 0; i < 9; ++i) R[i] = __float2half2_rn(X.R[i]);
#pragma unroll
  for (int n = 0; n < F / 8; ++n) out[n][row] = pooled.features[n][row];
#pragma unroll
  for (int first = 0; first < F / 8; first += F / 16) {
    const __half2 x = halves(pooled.features[first][row]);
    const __half2 y = halves(pooled.features[first + 1][row]);
    const __half2 z = halves(pooled.features[first + 2][row]);
#pragma unroll
    for (int i = 0; i < 3; ++i)
      out[first + i][row] = word(
          __hfma2(R[3 * i], x, __hfma2(R[3 * i + 1], y, __hmul2(R[3 * i + 2], z))));
  }
}

/// The operand of the first layer for one view.
template <int F>
__device__ __forceinline__ void make_view(const CodeRecord& own, const Pooled<F>& own_pool,
                                          const CodeRecord& other, const Pooled<F>& other_pool,
                                          const RowPose (&X)[2],
                                          std::uint32_t (&a)[(2 * F + kSlots) / 16][4]) {
  std::uint32_t turned[F / 8][2];
#pragma unroll
  for (int row = 0; row < 2; ++row) {
    turn_features<F>(other_pool, X[row], row, turned);
    float slot[kSlotsPerLane];
    fill_slots<F>(own, own_pool, other, other_pool, X[row], row, slot);
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      a[F / 8 + k][row] = packed(slot[4 * k], slot[4 * k + 1]);
      a[F / 8 + k][2 + row] = packed(slot[4 * k + 2], slot[4 * k + 3]);
    }
  }
#pragma unroll
  for (int n = 0; n < F / 8; ++n) {
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      a[n / 2][2 * (n % 2) + row] = own_pool.features[n][row];
      a[F / 16 + n / 2][2 * (n % 2) + row] = turned[n][row];
    }
  }
}

/// One layer. Weights in shared memory are multiplied by four warps together where the device can.
template <int P, int kTiles, bool kResident>
__device__ __forceinline__ void dense(float (&sum)[P / 8][4], const std::uint32_t (&a)[kTiles][4],
                                      const std::uint16_t* weights, const float* bias) {
  start_with<P>(sum, bias);
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  if constexpr (kResident) {
    multiply_group<P>(sum, a, weights);
    return;
  }
#endif
  multiply<P>(sum, a, LayerWeights<kResident>{weights});
}

/// Three layers of a view, each onto what is there but the first.
template <int F, int P, bool kResident>
__device__ __forceinline__ void view_layers(const std::uint32_t (&a)[(2 * F + kSlots) / 16][4],
                                            const std::uint16_t* weights, const float* parameters,
                                            std::uint32_t (&h)[P / 16][4]) {
  constexpr int kInputs = 2 * F + kSlots;
  float sum[P / 8][4];
  dense<P, kInputs / 16, kResident>(sum, a, weights, parameters);
  normalize<P, false>(sum, parameters + P, parameters + 2 * P, h);
  dense<P, P / 16, kResident>(sum, h, weights + kInputs * P, parameters + 3 * P);
  normalize<P, true>(sum, parameters + 4 * P, parameters + 5 * P, h);
  dense<P, P / 16, kResident>(sum, h, weights + (kInputs + P) * P, parameters + 6 * P);
  normalize<P, true>(sum, parameters + 7 * P, parameters + 8 * P, h);
}

/// Logit and distance of the two rows, in the lanes of their quads.
template <int F, int P, bool kResident>
__device__ __forceinline__ void output(const std::uint32_t (&h)[P / 16][4],
                                       const std::uint16_t* weights, const float* parameters,
                                       float2 (&out)[2]) {
  const int t = static_cast<int>(threadIdx.x) % 4;
  float sum[P / 8][4], mean[2], inverse[2];
  dense<P, P / 16, kResident>(sum, h, weights + (2 * F + kSlots + 2 * P) * P, parameters + 9 * P);
  rectify<P>(sum, mean, inverse);
  const float* const products = parameters + 12 * P;
  float logit[2] = {}, distance[2] = {};
#pragma unroll
  for (int n = 0; n < P / 8; ++n) {
    const float2 first = *reinterpret_cast<const float2*>(products + 8 * n + 2 * t);
    const float2 second = *reinterpret_cast<const float2*>(products + P + 8 * n + 2 * t);
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      logit[row] = fmaf(sum[n][2 * row], first.x, fmaf(sum[n][2 * row + 1], first.y, logit[row]));
      distance[row] = fmaf(sum[n][2 * row], second.x,
                           fmaf(sum[n][2 * row + 1], second.y, distance[row]));
    }
  }
  const float* const rest = products + 2 * P;
#pragma unroll
  for (int row = 0; row < 2; ++row) {
    out[row].x = fmaf(quad_sum(logit[row]) - mean[row] * rest[0], inverse[row], rest[1]);
    out[row].y = kUnit * fmaf(quad_sum(distance[row]) - mean[row] * rest[2], inverse[row], rest[3]);
  }
}

/// The pose of the center frame of b in that of a, and whether it is one.
__device__ __forceinline__ bool read_row(const float* pose, const CodeRecord& a,
                                         const CodeRecord& b, RowPose& X) {
  const auto* const four = reinterpret_cast<const float4*>(pose);
  float value[12];
  float largest = 0.0F;
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    const float4 part = __ldg(four + i);
    value[4 * i] = part.x, value[4 * i + 1] = part.y, value[4 * i + 2] = part.z,
              value[4 * i + 3] = part.w;
  }
#pragma unroll
  for (int i = 0; i < 12; ++i) {
    // a value that is no number is not less than the limit
    largest = fabsf(value[i]) < kFarthest ? fmaxf(largest, fabsf(value[i])) : kFarthest;
    if (i < 9) X.R[i] = value[i];
  }
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    const float own = i == 0 ? a.origin.x : i == 1 ? a.origin.y : a.origin.z;
    X.t[i] = value[9 + i] + X.R[3 * i] * b.origin.x + X.R[3 * i + 1] * b.origin.y +
             X.R[3 * i + 2] * b.origin.z - own;
  }
  return largest < kFarthest;
}

__device__ __forceinline__ void group_barrier(int group) {
  asm volatile("bar.sync %0, %1;" ::"r"(group + 1), "r"(kGroupThreads) : "memory");
}

template <int F, int P, bool kResident>
struct BlockMemory {
  static constexpr int kWeights = (2 * F + kSlots + 3 * P) * P;
  static constexpr int kParameters = 14 * P + 4;
  std::uint16_t weights[kResident ? kWeights : 8];
  float parameters[kParameters];
  std::uint32_t fields[kGroups][2][kFieldWords];
};

template <int F, int P, bool kResident>
__global__ void __launch_bounds__(kGroups* kGroupThreads, 1)
    logit_kernel(const __grid_constant__ Task task) {
  using Shared = BlockMemory<F, P, kResident>;
  extern __shared__ __align__(128) unsigned char bytes[];
  Shared& shared = *reinterpret_cast<Shared*>(bytes);
  const int thread = static_cast<int>(threadIdx.x);
  if constexpr (kResident) {
    auto* const to = reinterpret_cast<uint4*>(shared.weights);
    const auto* const from = reinterpret_cast<const uint4*>(task.weights);
    for (int i = thread; i < Shared::kWeights / 8; i += kGroups * kGroupThreads) to[i] = from[i];
  }
  for (int i = thread; i < Shared::kParameters; i += kGroups * kGroupThreads)
    shared.parameters[i] = task.parameters[i];
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  // the tensor cores of four warps read shared memory by a way of their own
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
  __syncthreads();
  const std::uint16_t* const weights = kResident ? shared.weights : task.weights;

  const int group = thread / kGroupThreads, in_group = thread % kGroupThreads;
  const int lane = thread % 32, g = lane / 4;
  const std::uint64_t workers = gridDim.x * kGroups;
  const std::uint64_t worker = blockIdx.x * kGroups + static_cast<unsigned>(group);
  const auto begin = static_cast<std::uint32_t>(worker * task.num_tiles / workers);
  const auto end = static_cast<std::uint32_t>((worker + 1) * task.num_tiles / workers);
  int loaded_a = -1, loaded_b = -1;
  for (std::uint32_t at = begin; at < end; ++at) {
    const PoseTile tile = task.tiles[at];
    const auto objects = static_cast<unsigned>(task.num_objects);
    const bool good = static_cast<unsigned>(tile.a) < objects &&
                      static_cast<unsigned>(tile.b) < objects && tile.first >= 0 &&
                      tile.count > 0 && tile.count <= kTileRows &&
                      static_cast<std::uint64_t>(tile.first) + tile.count <= task.num_rows;
    if (!good) continue;
    if (tile.a != loaded_a || tile.b != loaded_b) {
      group_barrier(group);
      const auto* const from_a = reinterpret_cast<const uint4*>(task.fields + tile.a * kFieldWords);
      const auto* const from_b = reinterpret_cast<const uint4*>(task.fields + tile.b * kFieldWords);
      auto* const to_a = reinterpret_cast<uint4*>(shared.fields[group][0]);
      auto* const to_b = reinterpret_cast<uint4*>(shared.fields[group][1]);
      for (int i = in_group; i < kFieldWords / 4; i += kGroupThreads) {
        to_a[i] = __ldg(from_a + i);
        to_b[i] = __ldg(from_b + i);
      }
      group_barrier(group);
      loaded_a = tile.a, loaded_b = tile.b;
    }
    const CodeRecord a = task.records[tile.a], b = task.records[tile.b];
    RowPose X[2];
    bool valid[2];
    const int first = in_group / 32 * 16 + g;
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      const int in_tile = min(first + 8 * row, tile.count - 1);
      valid[row] = read_row(task.poses + 12 * static_cast<std::size_t>(tile.first + in_tile), a, b,
                            X[row]);
    }
    const RowPose back[2] = {inverse_of(X[0]), inverse_of(X[1])};
    Pooled<F> pool_a, pool_b;
    pool<F>(task, a, b, shared.fields[group][1], back, pool_a);
    pool<F>(task, b, a, shared.fields[group][0], X, pool_b);
    std::uint32_t view[(2 * F + kSlots) / 16][4];
    std::uint32_t h[P / 16][4], sum[P / 16][4];
    make_view<F>(a, pool_a, b, pool_b, X, view);
    view_layers<F, P, kResident>(view, weights, shared.parameters, sum);
    make_view<F>(b, pool_b, a, pool_a, back, view);
    view_layers<F, P, kResident>(view, weights, shared.parameters, h);
#pragma unroll
    for (int k = 0; k < P / 16; ++k)
#pragma unroll
      for (int i = 0; i < 4; ++i) sum[k][i] = word(__hadd2(halves(sum[k][i]), halves(h[k][i])));
    float2 out[2];
    output<F, P, kResident>(sum, weights, shared.parameters, out);
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      if (lane % 4 != 0 || first + 8 * row >= tile.count) continue;
      const float none = std::numeric_limits<float>::quiet_NaN();
      task.predictions[tile.first + first + 8 * row] = valid[row] ? out[row]
                                                                  : make_float2(none, none);
    }
  }
}

template <int F, int P, bool kResident>
void launch(const Task& task, int num_processors, Stream stream) {
  constexpr int kBytes = static_cast<int>(sizeof(BlockMemory<F, P, kResident>));
  check_cuda(cudaFuncSetAttribute(logit_kernel<F, P, kResident>,
                                  cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes),
             "shared memory for the network");
  logit_kernel<F, P, kResident><<<num_processors, kGroups * kGroupThreads, kBytes, stream>>>(task);
  check_cuda(cudaGetLastError(), "the network");
}

bool has_kernel(int features, int width) {
  return (features == 64 && (width == 64 || width == 128)) || (features == 96 && width == 192);
}

}  // namespace

CollisionCodes::CollisionCodes(const CollisionNetwork& network, std::span<const ObjectCode> codes) {
  const PackedNetwork packed = pack_network(network.weights());
  if (!has_kernel(packed.num_features, packed.width))
    throw InvalidInput(
        "network",
        std::to_string(packed.num_features) + " features and width " + std::to_string(packed.width),
        "give one of 64 and 64, 64 and 128, or 96 and 192");
  const PackedCodes table = pack_codes(network.size(), codes);
  auto memory = std::make_shared<Memory>();
  check_cuda(cudaGetDevice(&memory->device), "the current device");
  check_cuda(cudaDeviceGetAttribute(&memory->num_processors, cudaDevAttrMultiProcessorCount,
                                    memory->device),
             "the device");
  memory->weights.copy_from(packed.weights);
  memory->parameters.copy_from(packed.parameters);
  memory->records.copy_from(table.records);
  memory->centers.copy_from(table.centers);
  memory->cells.copy_from(table.cells);
  memory->fields.copy_from(table.fields);
  memory->num_features = packed.num_features;
  memory->width = packed.width;
  memory_ = std::move(memory);
}

std::size_t CollisionCodes::size() const { return memory_->records.size(); }

std::size_t CollisionCodes::nbytes() const {
  return 2 * (memory_->weights.size() + memory_->cells.size()) +
         sizeof(float) * (memory_->parameters.size() + memory_->fields.size()) +
         sizeof(CodeRecord) * memory_->records.size() +
         sizeof(CellCenter) * memory_->centers.size();
}

void collision_logits(const CollisionCodes& codes, const PoseTile* tiles, std::size_t num_tiles,
                      const float* poses, std::size_t num_rows, float* predictions, Stream stream) {
  const CollisionCodes::Memory& memory = codes.memory();
  check_current_device(memory.device, "codes");
  if (num_tiles == 0) return;
  if (tiles == nullptr || poses == nullptr || predictions == nullptr)
    throw InvalidInput("poses", "null", "give device memory");
  if (num_tiles > 0xffffffffU || num_rows > 0x7fffffffU)
    throw InvalidInput("num_rows", std::to_string(num_rows), "give at most 2^31 - 1");
  const Task task{memory.weights.data(),
                  memory.parameters.data(),
                  memory.records.data(),
                  memory.centers.data(),
                  memory.cells.data(),
                  memory.fields.data(),
                  static_cast<int>(memory.records.size()),
                  tiles,
                  static_cast<std::uint32_t>(num_tiles),
                  poses,
                  static_cast<std::uint32_t>(num_rows),
                  reinterpret_cast<float2*>(predictions)};
  // the weights of the widest network do not fit shared memory
  if (memory.width == 192)
    launch<96, 192, false>(task, memory.num_processors, stream);
  else if (memory.width == 128)
    launch<64, 128, true>(task, memory.num_processors, stream);
  else
    launch<64, 64, true>(task, memory.num_processors, stream);
}

}  // namespace tactum::gpu
