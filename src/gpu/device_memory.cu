// SPDX-License-Identifier: BSD-2-Clause
#include "gpu/device_memory.cuh"

#include <algorithm>

#include "gpu/packed_objects.hpp"

namespace tactum::gpu {
namespace {

/// Whether a table with lists of directions may fit shared memory beside its vertices:
/// 227 KB at most, of which the queues of rows take 32.
bool may_be_listed(const PackedShapes& packed) {
  const std::size_t vertices = packed.blocks.size() / 3 * 4;
  return sizeof(FourFloats) * vertices + sizeof(DirectionList) * kNumCells * packed.exact.size() <=
         std::size_t{195} * 1024;
}

void check_side(const BatchSide& side, const char* name) {
  if (side.poses == nullptr)
    throw InvalidInput(std::string(name) + ".poses", "null",
                       "give device memory with seven numbers a pose");
}

std::unique_ptr<ShapeTable::Memory> memory_of(const PackedShapes& packed) {
  auto memory = std::make_unique<ShapeTable::Memory>();
  check_cuda(cudaGetDevice(&memory->device), "the current device");
  check_cuda(cudaDeviceGetAttribute(&memory->num_processors, cudaDevAttrMultiProcessorCount,
                                    memory->device),
             "the device");
  check_cuda(cudaDeviceGetAttribute(&memory->shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                    memory->device),
             "the device");
  memory->single.copy_from(packed.single);
  memory->exact.copy_from(packed.exact);
  memory->blocks.copy_from(packed.blocks);
  memory->vertices.copy_from(packed.vertices);
  memory->lists.copy_from(packed.lists);
  memory->kinds = packed.kinds;
  memory->num_shapes = static_cast<int>(packed.exact.size());
  memory->num_records = static_cast<int>(packed.blocks.size());
  for (const CoreRecord<double>& record : packed.exact)
    memory->most_blocks = std::max(memory->most_blocks, record.num_blocks);
  return memory;
}

std::unique_ptr<ShapeTable::Memory> memory_of(const PackedObjects& packed) {
  auto memory = memory_of(packed.shapes);
  memory->objects.copy_from(packed.objects);
  memory->bounds.copy_from(packed.bounds);
  memory->part_poses.copy_from(packed.poses);
  memory->num_objects = static_cast<int>(packed.objects.size());
  for (const ObjectRecord& object : packed.objects)
    memory->most_parts = std::max(memory->most_parts, object.num_parts);
  return memory;
}

}  // namespace

int num_devices() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

ShapeTable::ShapeTable(std::span<const Shape> shapes) {
  if (shapes.empty()) throw InvalidInput("shapes", "none", "give one shape or more");
  PackedShapes packed = pack_shapes(shapes);
  if (may_be_listed(packed)) append_lists(packed);
  auto memory = memory_of(packed);
  memory->geometries.assign(shapes.begin(), shapes.end());
  memory_ = std::move(memory);
}

ShapeTable::ShapeTable(std::span<const Geometry> objects) {
  if (objects.empty()) throw InvalidInput("shapes", "none", "give one shape or more");
  auto memory = memory_of(pack_objects(objects));
  memory->geometries.assign(objects.begin(), objects.end());
  memory_ = std::move(memory);
}

const ShapeTable::Memory& ShapeTable::Memory::with_point() const {
  std::call_once(point_made_, [this] {
    if (num_objects > 0) {
      PackedObjects packed = pack_objects(geometries);
      append_point(packed);
      with_point_ = memory_of(packed);
    } else {
      std::vector<Shape> shapes;
      for (const Geometry& geometry : geometries) shapes.push_back(*geometry.shape());
      PackedShapes packed = pack_shapes(shapes);
      append_point(packed);
      with_point_ = memory_of(packed);
    }
  });
  return *with_point_;
}

std::size_t ShapeTable::size() const {
  const bool has_objects = memory_->num_objects > 0;
  return static_cast<std::size_t>(has_objects ? memory_->num_objects : memory_->num_shapes);
}

std::size_t ShapeTable::nbytes() const {
  return memory_->single.size() * sizeof(CoreRecord<float>) +
         memory_->exact.size() * sizeof(CoreRecord<double>) +
         memory_->blocks.size() * sizeof(FourFloats) + memory_->vertices.size() * sizeof(double) +
         memory_->lists.size() * sizeof(DirectionList) +
         memory_->objects.size() * sizeof(ObjectRecord) +
         memory_->bounds.size() * sizeof(PartBounds) + memory_->part_poses.size() * sizeof(double);
}

Workspace::Workspace() : memory_(std::make_unique<Memory>()) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

Counts Workspace::counts(Stream stream) const {
  if (memory_->counters.data() == nullptr) return {};
  Counters counters{};
  check_cuda(cudaMemcpyAsync(&counters, memory_->counters.data(), sizeof(Counters),
                             cudaMemcpyDeviceToHost, stream),
             "the counters");
  check_cuda(cudaStreamSynchronize(stream), "the batch");
  return {counters.searched_again, counters.not_converged, counters.overlapping, memory_->on_cpu};
}

TableArrays arrays_of(const ShapeTable::Memory& memory) {
  return {memory.single.data(),   memory.exact.data(), memory.blocks.data(),
          memory.vertices.data(), memory.lists.data(), static_cast<int>(memory.lists.size()),
          memory.num_shapes,      memory.num_records};
}

ObjectArrays objects_of(const ShapeTable::Memory& memory) {
  return {memory.objects.data(), memory.bounds.data(), memory.part_poses.data(),
          memory.num_objects};
}

BatchView rows_of(const PairBatch& pairs, std::size_t first, std::size_t size) {
  const auto side = [first](const BatchSide& from) {
    return SideView{from.index != nullptr ? from.index + first : nullptr,
                    from.one_pose ? from.poses : from.poses + 7 * first, from.one_pose ? 0 : 7};
  };
  return {side(pairs.a), side(pairs.b), static_cast<std::uint32_t>(size), nullptr};
}

void reset_counts(Workspace::Memory& scratch, Stream stream) {
  scratch.counters.grow(kNumCounters);
  scratch.on_cpu = 0;
  check_cuda(cudaMemsetAsync(scratch.counters.data(), 0, sizeof(Counters), stream), "the counters");
}

DistanceColumns columns_from(const DistanceColumns& out, std::size_t first) {
  const auto moved = [](auto* column, std::size_t numbers) {
    return column != nullptr ? column + numbers : nullptr;
  };
  return {moved(out.status, first),
          moved(out.distance, first),
          moved(out.normal, 3 * first),
          moved(out.point_a, 3 * first),
          moved(out.point_b, 3 * first),
          moved(out.lower, first),
          moved(out.upper, first),
          moved(out.distance_jacobian, 12 * first),
          moved(out.iterations, first),
          moved(out.normal_jacobian, 36 * first),
          moved(out.point_a_jacobian, 36 * first),
          moved(out.point_b_jacobian, 36 * first)};
}

void check_current_device(int made_on, const char* field) {
  int device = 0;
  check_cuda(cudaGetDevice(&device), "the current device");
  if (device == made_on) return;
  throw InvalidInput(field, "of device " + std::to_string(made_on),
                     "make device " + std::to_string(made_on) + " the current one");
}

void check_pairs(const PairBatch& pairs) {
  if (pairs.size == 0) return;
  check_side(pairs.a, "a");
  check_side(pairs.b, "b");
}

void check_batch(const ShapeTable& table, const PairBatch& pairs) {
  check_current_device(table.memory().device, "table");
  check_pairs(pairs);
}

void check_tolerance(double tolerance) {
  constexpr double smallest = 64.0 * std::numeric_limits<double>::epsilon();
  if (tolerance >= smallest && tolerance <= 1.0) return;
  throw InvalidInput("options.tolerance", std::to_string(tolerance),
                     "give a number from 64 eps to 1");
}

}  // namespace tactum::gpu
