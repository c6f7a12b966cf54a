// SPDX-License-Identifier: BSD-2-Clause
// The extension module tactum._gpu: tables, workspaces and calls of tactum::gpu on plain addresses.
//
// What arguments mean, which shapes of arrays fit and where results lie is decided in Python, in
// tactum/gpu.py. The shapes that it is given are those of tactum._core.
#include <cuda_runtime.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tactum/gpu/collision_network.hpp"
#include "tactum/gpu/distances.hpp"
#include "tactum/gpu/implicit_surface.hpp"
#include "tactum/gpu/signed_distance.hpp"
#include "tactum/gpu/uniform_flow.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::gpu {
namespace {

/// Throws DeviceError, and forgets the error, which CUDA would report again after the next launch.
void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  cudaGetLastError();
  throw DeviceError(std::string(what) + ": " + cudaGetErrorString(error));
}

template <class T>
T* pointer(std::uintptr_t address) {
  return reinterpret_cast<T*>(address);
}

/// A table of convex shapes where there is no compound: its kernels are faster.
ShapeTable table_of(const std::vector<Geometry>& items) {
  std::vector<Shape> shapes;
  for (const Geometry& item : items) {
    if (item.shape() == nullptr) return ShapeTable(std::span<const Geometry>(items));
    shapes.push_back(*item.shape());
  }
  return ShapeTable(std::span<const Shape>(shapes));
}

/// A table, and the device that it was made on.
struct Table {
  explicit Table(const std::vector<Geometry>& items) : shapes(table_of(items)) {
    check(cudaGetDevice(&device), "the current device");
  }
  ShapeTable shapes;
  int device = 0;
};

/// Meshes for the baseline of implicit surfaces, and the device that they were copied to.
struct Surfaces {
  Surfaces(const std::vector<Mesh>& meshes, const ImplicitSurfaceOptions& options)
      : surfaces(meshes, options) {
    check(cudaGetDevice(&device), "the current device");
  }
  ImplicitSurfaces surfaces;
  int device = 0;
};

std::vector<Geometry> to_geometries(const nb::list& items) {
  std::vector<Geometry> geometries;
  for (nb::handle item : items) {
    const Shape* shape = nullptr;
    const Compound* compound = nullptr;
    if (nb::try_cast<const Shape*>(item, shape) && shape != nullptr) {
      geometries.emplace_back(*shape);
    } else if (nb::try_cast<const Compound*>(item, compound) && compound != nullptr) {
      geometries.emplace_back(*compound);
    } else {
      throw InvalidInput("ShapeTable.shapes[" + std::to_string(geometries.size()) + "]",
                         nb::type_name(item.type()).c_str(), "give a convex shape or a compound");
    }
  }
  return geometries;
}

/// Memory on the current device, freed with the last array that shows it.
class Memory {
 public:
  explicit Memory(std::size_t nbytes) {
    check(cudaGetDevice(&device), "the current device");
    check(cudaMalloc(&data, nbytes == 0 ? 1 : nbytes), "memory on the device");
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { cudaFree(data); }

  void* data = nullptr;
  int device = 0;
};

nb::dlpack::dtype dtype_of(const std::string& name) {
  if (name == "uint8") return nb::dtype<std::uint8_t>();
  if (name == "int32") return nb::dtype<std::int32_t>();
  if (name == "float32") return nb::dtype<float>();
  return nb::dtype<double>();
}

/// An array that other packages take over by DLPack, not filled.
nb::object make_empty(const std::vector<std::size_t>& shape, const std::string& dtype) {
  const nb::dlpack::dtype type = dtype_of(dtype);
  std::size_t nbytes = type.bits / 8U;
  for (const std::size_t length : shape) nbytes *= length;
  auto memory = std::make_unique<Memory>(nbytes);
  void* const data = memory->data;
  const int device = memory->device;
  const nb::capsule owner(memory.release(),
                          [](void* held) noexcept { delete static_cast<Memory*>(held); });
  return nb::cast(nb::ndarray<nb::array_api>(data, shape.size(), shape.data(), owner, nullptr, type,
                                             nb::device::cuda::value, device));
}

using HostArray = nb::ndarray<nb::ro, nb::device::cpu, nb::c_contig>;

/// A copy on the device of an array of the host.
nb::object to_device(const HostArray& array) {
  std::vector<std::size_t> shape;
  for (std::size_t axis = 0; axis < array.ndim(); ++axis) shape.push_back(array.shape(axis));
  const auto code = static_cast<nb::dlpack::dtype_code>(array.dtype().code);
  const bool real = code == nb::dlpack::dtype_code::Float;
  nb::object copy = make_empty(shape, real                       ? "float64"
                                      : array.dtype().bits == 32 ? "int32"
                                                                 : "uint8");
  const nb::ndarray<> there = nb::cast<nb::ndarray<>>(copy);
  if (there.nbytes() != array.nbytes())
    throw InvalidInput("array", "numbers of " + std::to_string(array.dtype().bits) + " bits",
                       "give float64, int32 or uint8");
  check(cudaMemcpy(there.data(), array.data(), array.nbytes(), cudaMemcpyHostToDevice),
        "copy to the device");
  return copy;
}

/// Copies an array of the device, by its address, to one of the host. Waits for the stream.
void to_host(std::uintptr_t address, const nb::ndarray<nb::device::cpu, nb::c_contig>& host,
             std::uintptr_t stream) {
  check(cudaMemcpyAsync(host.data(), pointer<void>(address), host.nbytes(), cudaMemcpyDeviceToHost,
                        pointer<CUstream_st>(stream)),
        "copy to the host");
  check(cudaStreamSynchronize(pointer<CUstream_st>(stream)), "the stream");
}

/// Time between two points of a stream, measured on the device.
class Timer {
 public:
  Timer() {
    check(cudaEventCreate(&begin_), "an event");
    check(cudaEventCreate(&end_), "an event");
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }

  void start(std::uintptr_t stream) {
    check(cudaEventRecord(begin_, pointer<CUstream_st>(stream)), "an event");
  }
  /// Seconds since start(). Waits.
  double stop(std::uintptr_t stream) {
    check(cudaEventRecord(end_, pointer<CUstream_st>(stream)), "an event");
    check(cudaEventSynchronize(end_), "an event");
    float milliseconds = 0.0F;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_), "an event");
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  cudaEvent_t begin_{}, end_{};
};

std::string device_name() {
  cudaDeviceProp properties{};
  int device = 0;
  check(cudaGetDevice(&device), "the current device");
  check(cudaGetDeviceProperties(&properties, device), "the device");
  return properties.name;
}

/// What an array is: address, shape, name of its numbers, the GPU it lies on (-1: on none), whether
/// its numbers follow each other. The last item keeps the memory alive.
template <class Array>
nb::tuple described(const Array& array) {
  nb::list shape;
  bool contiguous = true;
  std::int64_t step = 1;
  for (std::size_t axis = array.ndim(); axis-- > 0;) {
    const auto length = static_cast<std::int64_t>(array.shape(axis));
    contiguous = contiguous && (length <= 1 || array.stride(axis) == step);
    step *= length;
  }
  for (std::size_t axis = 0; axis < array.ndim(); ++axis) shape.append(array.shape(axis));
  const auto code = static_cast<nb::dlpack::dtype_code>(array.dtype().code);
  const char* const kind = code == nb::dlpack::dtype_code::Float  ? "float"
                           : code == nb::dlpack::dtype_code::Int  ? "int"
                           : code == nb::dlpack::dtype_code::UInt ? "uint"
                                                                  : "other";
  const bool on_gpu = array.device_type() == nb::device::cuda::value;
  return nb::make_tuple(reinterpret_cast<std::uintptr_t>(array.data()), nb::tuple(shape),
                        std::string(kind) + std::to_string(array.dtype().bits),
                        on_gpu ? array.device_id() : -1, contiguous, nb::cast(array));
}

nb::object describe(nb::handle value, bool writable) {
  if (writable) {
    nb::ndarray<> array;
    if (nb::try_cast<nb::ndarray<>>(value, array)) return described(array);
  } else {
    nb::ndarray<nb::ro> array;
    if (nb::try_cast<nb::ndarray<nb::ro>>(value, array)) return described(array);
  }
  return nb::none();
}

/// One side of a batch: addresses of the indices (0: the first shape for all) and of the poses,
/// whether there is one pose for all.
BatchSide to_side(const nb::tuple& side) {
  return {pointer<const std::int32_t>(nb::cast<std::uintptr_t>(side[0])),
          pointer<const double>(nb::cast<std::uintptr_t>(side[1])), nb::cast<bool>(side[2])};
}

DistanceColumns to_columns(const nb::dict& columns) {
  const auto at = [&columns](const char* name) -> std::uintptr_t {
    return columns.contains(name) ? nb::cast<std::uintptr_t>(columns[name]) : 0;
  };
  return {pointer<Status>(at("status")),
          pointer<double>(at("distance")),
          pointer<double>(at("normal")),
          pointer<double>(at("point_a")),
          pointer<double>(at("point_b")),
          pointer<double>(at("lower")),
          pointer<double>(at("upper")),
          pointer<double>(at("distance_jacobian")),
          pointer<std::int32_t>(at("iterations")),
          pointer<double>(at("normal_jacobian")),
          pointer<double>(at("point_a_jacobian")),
          pointer<double>(at("point_b_jacobian"))};
}

SignedDistanceColumns to_point_columns(const nb::dict& columns) {
  const auto at = [&columns](const char* name) -> std::uintptr_t {
    return columns.contains(name) ? nb::cast<std::uintptr_t>(columns[name]) : 0;
  };
  return {pointer<double>(at("distance")), pointer<double>(at("gradient")),
          pointer<Status>(at("status")), pointer<double>(at("lower")),
          pointer<double>(at("upper"))};
}

/// Objects of the core in a list, by value.
template <class T>
std::vector<T> items_of(const nb::list& items) {
  std::vector<T> found;
  for (nb::handle item : items) found.push_back(nb::cast<const T&>(item));
  return found;
}

/// The learned check, and the two baselines that it is compared with.
void bind_learned(nb::module_& m) {
  nb::class_<CollisionCodes>(m, "CollisionCodes")
      .def("__init__",
           [](CollisionCodes* self, nb::handle network, const nb::list& codes) {
             new (self) CollisionCodes(nb::cast<const CollisionNetwork&>(network),
                                       items_of<ObjectCode>(codes));
           })
      .def("__len__", &CollisionCodes::size)
      .def_prop_ro("nbytes", &CollisionCodes::nbytes);
  m.def(
      "collision_logits",
      [](const CollisionCodes& codes, std::uintptr_t tiles, std::size_t num_tiles,
         std::uintptr_t poses, std::size_t num_rows, std::uintptr_t predictions,
         std::uintptr_t stream) {
        collision_logits(codes, pointer<const PoseTile>(tiles), num_tiles,
                         pointer<const float>(poses), num_rows, pointer<float>(predictions),
                         pointer<CUstream_st>(stream));
      },
      "codes"_a, "tiles"_a, "num_tiles"_a, "poses"_a, "num_rows"_a, "predictions"_a, "stream"_a);
  nb::class_<Surfaces>(m, "ImplicitSurfaces")
      .def("__init__",
           [](Surfaces* self, const nb::list& meshes, int num_points, int resolution) {
             new (self) Surfaces(items_of<Mesh>(meshes),
                                 {.num_points = num_points, .resolution = resolution});
           })
      .def("__len__", [](const Surfaces& self) { return self.surfaces.size(); })
      .def_prop_ro("nbytes", [](const Surfaces& self) { return self.surfaces.nbytes(); })
      .def_ro("device", &Surfaces::device);
  m.def("implicit_surface_distances",
        [](const Surfaces& self, std::size_t size, const nb::tuple& a, const nb::tuple& b,
           std::uintptr_t distance, std::uintptr_t stream) {
          implicit_surface_distances(self.surfaces, {size, to_side(a), to_side(b)},
                                     pointer<float>(distance), pointer<CUstream_st>(stream));
        });
  m.def("uniform_flow_collides",
        [](const Table& table, std::size_t size, const nb::tuple& a, const nb::tuple& b,
           int iterations, std::uintptr_t hits, std::uintptr_t stream) {
          uniform_flow_collides(table.shapes, {size, to_side(a), to_side(b)}, iterations,
                                pointer<std::uint8_t>(hits), pointer<CUstream_st>(stream));
        });
}

nb::tuple counts_of(const Workspace& work, std::uintptr_t stream) {
  const Counts counts = [&] {
    const nb::gil_scoped_release released;
    return work.counts(pointer<CUstream_st>(stream));
  }();
  return nb::make_tuple(counts.searched_again, counts.not_converged, counts.overlapping,
                        counts.on_cpu);
}

}  // namespace
}  // namespace tactum::gpu

NB_MODULE(_gpu, m) {
  using namespace tactum::gpu;  // NOLINT: one module, one namespace
  nb::set_leak_warnings(false);
  m.doc() = "Compiled part of tactum.gpu. Not part of the interface.";
  m.def("num_devices", &num_devices);
  m.def("empty", &make_empty, "shape"_a, "dtype"_a);
  m.def("to_device", &to_device, "array"_a);
  m.def("to_host", &to_host, "address"_a, "host"_a, "stream"_a);
  m.def("device_name", &device_name);
  nb::class_<Timer>(m, "Timer")
      .def(nb::init<>())
      .def("start", &Timer::start, "stream"_a)
      .def("stop", &Timer::stop, "stream"_a, nb::call_guard<nb::gil_scoped_release>());
  m.def("describe", &describe, "value"_a.none(), "writable"_a);
  nb::class_<Table>(m, "Table")
      .def("__init__",
           [](Table* self, const nb::list& shapes) { new (self) Table(to_geometries(shapes)); })
      .def("__len__", [](const Table& self) { return self.shapes.size(); })
      .def_prop_ro("nbytes", [](const Table& self) { return self.shapes.nbytes(); })
      .def_ro("device", &Table::device);
  bind_learned(m);
  nb::class_<Workspace>(m, "Workspace").def(nb::init<>()).def("counts", &counts_of, "stream"_a);
  m.def(
      "distances",
      [](const Table& table, std::size_t size, const nb::tuple& a, const nb::tuple& b,
         double tolerance, bool depth, Workspace& work, const nb::dict& columns,
         std::uintptr_t stream) {
        distances(table.shapes, {size, to_side(a), to_side(b)},
                  {.tolerance = tolerance, .depth = depth}, work, to_columns(columns),
                  pointer<CUstream_st>(stream));
      },
      "table"_a, "size"_a, "a"_a, "b"_a, "tolerance"_a, "depth"_a, "work"_a, "columns"_a,
      "stream"_a);
  m.def(
      "finish_on_cpu",
      [](const Table& table, std::size_t size, const nb::tuple& a, const nb::tuple& b,
         double tolerance, Workspace& work, const nb::dict& columns, std::uintptr_t stream) {
        const PairBatch pairs{size, to_side(a), to_side(b)};
        const DistanceColumns out = to_columns(columns);
        const nb::gil_scoped_release released;
        return finish_on_cpu(table.shapes, pairs, {.tolerance = tolerance}, work, out,
                             pointer<CUstream_st>(stream));
      },
      "table"_a, "size"_a, "a"_a, "b"_a, "tolerance"_a, "work"_a, "columns"_a, "stream"_a);
  m.def(
      "signed_distance",
      [](const Table& table, std::size_t size, const nb::tuple& shapes, std::uintptr_t points,
         double tolerance, bool depth, Workspace& work, const nb::dict& columns,
         std::uintptr_t stream) {
        signed_distance(table.shapes, {size, to_side(shapes), pointer<const double>(points)},
                        {.tolerance = tolerance, .depth = depth}, work, to_point_columns(columns),
                        pointer<CUstream_st>(stream));
      },
      "table"_a, "size"_a, "shapes"_a, "points"_a, "tolerance"_a, "depth"_a, "work"_a, "columns"_a,
      "stream"_a);
  m.def(
      "collides",
      [](const Table& table, std::size_t size, const nb::tuple& a, const nb::tuple& b,
         Workspace& work, std::uintptr_t status, std::uintptr_t stream) {
        collides(table.shapes, {size, to_side(a), to_side(b)}, work,
                 pointer<tactum::Status>(status), pointer<CUstream_st>(stream));
      },
      "table"_a, "size"_a, "a"_a, "b"_a, "work"_a, "status"_a, "stream"_a);
}
