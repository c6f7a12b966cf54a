// SPDX-License-Identifier: BSD-2-Clause
// Shapes and random poses for the programs that test and time the GPU: made on the device, from a
// seed, so that nothing is read and nothing is sent.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "gpu/device_memory.cuh"
#include "tactum/geometry.hpp"
#include "tactum/gpu/distances.hpp"
#include "tactum/shape.hpp"

namespace tactum::gpu {

/// Number k of a stream, uniform in [0, 1): SplitMix64 (Steele, Lea, Flood 2014).
__host__ __device__ inline double uniform(std::uint64_t seed, std::uint64_t k) {
  std::uint64_t x = seed * 0xd1342543de82ef95ULL + 0x9e3779b97f4a7c15ULL * (k + 1);
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  x ^= x >> 31U;
  return static_cast<double>(x >> 11U) * 0x1p-53;
}

__host__ __device__ inline Vector<double> random_direction(std::uint64_t seed, std::uint64_t k) {
  const double z = 2.0 * uniform(seed, k) - 1.0, angle = 6.283185307179586 * uniform(seed, k + 1),
               r = std::sqrt(1.0 - z * z);
  return {r * std::cos(angle), r * std::sin(angle), z};
}

__host__ __device__ inline Quaternion random_quaternion(std::uint64_t seed, std::uint64_t k) {
  const double u = uniform(seed, k), a = 6.283185307179586 * uniform(seed, k + 1),
               b = 6.283185307179586 * uniform(seed, k + 2);
  const double r = std::sqrt(1.0 - u), s = std::sqrt(u);
  return {r * std::sin(a), r * std::cos(a), s * std::sin(b), s * std::cos(b)};
}

/// Pairs on the device.
struct PairData {
  DeviceArray<std::int32_t> index_a, index_b;
  DeviceArray<double> poses_a, poses_b;

  void grow(std::size_t size) {
    index_a.grow(size);
    index_b.grow(size);
    poses_a.grow(7 * size);
    poses_b.grow(7 * size);
  }
  PairBatch batch(std::size_t size) const {
    return {size, {index_a.data(), poses_a.data()}, {index_b.data(), poses_b.data()}};
  }
};

struct PairPointers {
  std::int32_t *index_a, *index_b;
  double *poses_a, *poses_b;
};
inline PairPointers pointers(const PairData& data) {
  return {data.index_a.data(), data.index_b.data(), data.poses_a.data(), data.poses_b.data()};
}

/// Random shapes of the table at random poses, their origins up to `spread` apart, both near a
/// random point up to a metre from the origin.
static __global__ void random_pairs(PairPointers to, std::size_t size, int num_shapes,
                                    double spread, std::uint64_t seed) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < size;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const std::uint64_t k = 32 * i;
    to.index_a[i] = static_cast<std::int32_t>(uniform(seed, k) * num_shapes);
    to.index_b[i] = static_cast<std::int32_t>(uniform(seed, k + 1) * num_shapes);
    const Quaternion qa = random_quaternion(seed, k + 2), qb = random_quaternion(seed, k + 5);
    const Vector<double> middle = uniform(seed, k + 8) * random_direction(seed, k + 9);
    const Vector<double> apart = spread * std::cbrt(uniform(seed, k + 11)) *
                                 random_direction(seed, k + 12);
    double* const a = to.poses_a + 7 * i;
    double* const b = to.poses_b + 7 * i;
    a[0] = middle.x, a[1] = middle.y, a[2] = middle.z, a[3] = qa.x, a[4] = qa.y, a[5] = qa.z,
    a[6] = qa.w;
    b[0] = middle.x + apart.x, b[1] = middle.y + apart.y, b[2] = middle.z + apart.z, b[3] = qb.x,
    b[4] = qb.y, b[5] = qb.z, b[6] = qb.w;
  }
}

/// Moves B along the normal until the shapes are 1e-2 to 1e-12 m apart, or as deep in each other,
/// wherever the distance is known.
static __global__ void graze(PairPointers pairs, std::size_t size, const double* distance,
                             const double* normal, std::uint64_t seed) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < size;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const double wanted = (uniform(seed, 2 * i) < 0.5 ? -1.0 : 1.0) *
                          std::exp(-2.302585092994046 * (2.0 + 10.0 * uniform(seed, 2 * i + 1)));
    for (int axis = 0; axis < 3; ++axis)
      pairs.poses_b[7 * i + axis] -= (distance[i] - wanted) * normal[3 * i + axis];
  }
}

/// Moves B along the normal until the shapes are as far apart, or as deep in each other, as a
/// normal distribution with a standard deviation of `spread` says.
static __global__ void near_contact(PairPointers pairs, std::size_t size, const double* distance,
                                    const double* normal, double spread, std::uint64_t seed) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < size;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const double wanted = spread * std::sqrt(-2.0 * std::log(1.0 - uniform(seed, 2 * i))) *
                          std::cos(6.283185307179586 * uniform(seed, 2 * i + 1));
    for (int axis = 0; axis < 3; ++axis)
      pairs.poses_b[7 * i + axis] -= (distance[i] - wanted) * normal[3 * i + axis];
  }
}

inline constexpr int kDataBlocks = 1056, kDataThreads = 256;

inline void fill_random(PairData& data, std::size_t size, int num_shapes, double spread,
                        std::uint64_t seed) {
  data.grow(size);
  random_pairs<<<kDataBlocks, kDataThreads>>>(pointers(data), size, num_shapes, spread, seed);
  check_cuda(cudaGetLastError(), "random pairs");
}

/// The hull of points on a random ellipsoid, so that every point is a vertex.
inline Shape random_hull(int num_vertices, std::uint64_t seed, double unit = 1.0) {
  Points points(3, num_vertices);
  const Vector3 axes(0.1 + 0.4 * uniform(seed, 0), 0.1 + 0.4 * uniform(seed, 1),
                     0.1 + 0.4 * uniform(seed, 2));
  for (int i = 0; i < num_vertices; ++i) {
    const Vector<double> u = random_direction(seed, 16 + 2 * static_cast<std::uint64_t>(i));
    points.col(i) = unit * axes.cwiseProduct(Vector3(u.x, u.y, u.z));
  }
  return Convex::from_points(points);
}

inline std::vector<Shape> hulls(int count, int num_vertices) {
  std::vector<Shape> shapes;
  for (int i = 0; i < count; ++i)
    shapes.push_back(random_hull(num_vertices, 1000 + static_cast<std::uint64_t>(i)));
  return shapes;
}

inline std::vector<Shape> boxes(int count) {
  std::vector<Shape> shapes;
  for (int i = 0; i < count; ++i) {
    const auto seed = 2000 + static_cast<std::uint64_t>(i);
    shapes.push_back(
        Box{.half_extents = {0.1 + 0.4 * uniform(seed, 0), 0.1 + 0.4 * uniform(seed, 1),
                             0.1 + 0.4 * uniform(seed, 2)}});
  }
  return shapes;
}

/// Eight kinds in turn, every third shape with a margin.
inline std::vector<Shape> all_kinds(int count) {
  std::vector<Shape> shapes;
  for (int i = 0; i < count; ++i) {
    const auto seed = 3000 + static_cast<std::uint64_t>(i);
    const auto size = [seed](std::uint64_t k) { return 0.1 + 0.4 * uniform(seed, k); };
    const double margin = i % 3 == 0 ? 0.02 + 0.05 * uniform(seed, 9) : 0.0;
    switch (i % 8) {
      case 0: shapes.push_back(Sphere{.radius = size(0), .margin = margin}); break;
      case 1:
        shapes.push_back(Ellipsoid{.semi_axes = {size(0), size(1), size(2)}, .margin = margin});
        break;
      case 2:
        shapes.push_back(Box{.half_extents = {size(0), size(1), size(2)}, .margin = margin});
        break;
      case 3:
        shapes.push_back(Capsule{.radius = size(0), .half_length = size(1), .margin = margin});
        break;
      case 4:
        shapes.push_back(Cylinder{.radius = size(0), .half_length = size(1), .margin = margin});
        break;
      case 5:
        shapes.push_back(Cone{.radius = size(0), .half_length = size(1), .margin = margin});
        break;
      case 6:
        shapes.push_back(
            HalfSpace{.normal = {size(0), size(1), size(2)}, .offset = size(3), .margin = margin});
        break;
      default: shapes.push_back(random_hull(4 + 4 * (i / 8), seed)); break;
    }
  }
  return shapes;
}

/// Objects that are not convex: hulls of so many vertices around a wavy ring about 0.9 m across.
inline std::vector<Geometry> rings(int count, int num_parts, int num_vertices) {
  std::vector<Geometry> objects;
  for (int i = 0; i < count; ++i) {
    const auto seed = 5000 + static_cast<std::uint64_t>(i);
    std::vector<CompoundPart> parts;
    for (int k = 0; k < num_parts; ++k) {
      const double angle = 6.283185307179586 * k / num_parts;
      const Quaternion q = random_quaternion(seed, 8 * static_cast<std::uint64_t>(k));
      Vector7 X;
      X << 0.4 * std::cos(angle), 0.4 * std::sin(angle), 0.1 * std::sin(3.0 * angle + i), q.x, q.y,
          q.z, q.w;
      parts.push_back(
          {random_hull(num_vertices, 97 * seed + static_cast<std::uint64_t>(k), 6.4 / num_parts),
           pose_from_xyz_xyzw(X)});
    }
    objects.emplace_back(Compound(std::move(parts)));
  }
  return objects;
}

/// Rings whose parts are of every kind, and a ball and a half-space.
inline std::vector<Geometry> mixed_objects(int count) {
  std::vector<Geometry> objects = {Shape(Sphere{.radius = 0.3}), Shape(HalfSpace{})};
  const std::vector<Shape> shapes = all_kinds(64);
  for (int i = 2; i < count; ++i) {
    std::vector<CompoundPart> parts;
    const int num_parts = 1 + (7 * i) % 20;
    for (int k = 0; k < num_parts; ++k) {
      const Shape& shape = shapes[static_cast<std::size_t>(5 * i + k) % 64];
      if (shape.kind() == ShapeKind::half_space) continue;
      const Quaternion q = random_quaternion(6000 + static_cast<std::uint64_t>(i),
                                             8 * static_cast<std::uint64_t>(k));
      const double angle = 6.283185307179586 * k / num_parts;
      Vector7 X;
      X << 0.9 * std::cos(angle), 0.9 * std::sin(angle), 0.0, q.x, q.y, q.z, q.w;
      parts.push_back({shape, pose_from_xyz_xyzw(X)});
    }
    if (parts.empty()) parts.push_back({shapes[0], {}});
    objects.emplace_back(Compound(std::move(parts)));
  }
  return objects;
}

/// Name and clock of the device, for reports.
inline std::string device_name() {
  cudaDeviceProp properties{};
  return cudaGetDeviceProperties(&properties, 0) == cudaSuccess ? properties.name : "unknown";
}

/// Machine, versions of CUDA and the day, as members of a JSON object.
inline std::string machine_members() {
  int runtime = 0, driver = 0;
  check_cuda(cudaRuntimeGetVersion(&runtime), "the version of CUDA");
  check_cuda(cudaDriverGetVersion(&driver), "the version of the driver");
  const auto version = [](int number) {
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
  };
  const std::time_t now = std::time(nullptr);
  char day[16];
  std::strftime(day, sizeof day, "%Y-%m-%d", std::gmtime(&now));
  return "\"machine\": \"" + device_name() + "\", \"cuda\": \"" + version(runtime) +
         "\", \"driver_cuda\": \"" + version(driver) + "\", \"date\": \"" + day + "\"";
}

}  // namespace tactum::gpu
