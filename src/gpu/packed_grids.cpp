// SPDX-License-Identifier: BSD-2-Clause
#include "gpu/packed_grids.hpp"

#include <cmath>
#include <string>

#include "core/format_number.hpp"
#include "tactum/signed_distance.hpp"
#include "tactum/status.hpp"

namespace tactum::gpu {
namespace {

void check_options(const ImplicitSurfaceOptions& options) {
  if (options.num_points < 1 || options.num_points > 1'000'000)
    throw InvalidInput("options.num_points", std::to_string(options.num_points),
                       "give a number from 1 to 1,000,000");
  if (options.resolution < 4 || options.resolution > 512)
    throw InvalidInput("options.resolution", std::to_string(options.resolution),
                       "give a number from 4 to 512");
  if (!std::isfinite(options.border) || options.border < 0.0 || options.border > 1.0)
    throw InvalidInput("options.border", shortest_text(options.border),
                       "give a number from 0 to 1");
}

/// The grid of a mesh without its values: cells are cubes, and the box of the mesh with its border
/// is covered.
GridRecord grid_around(const Mesh& mesh, const ImplicitSurfaceOptions& options) {
  const Aabb box = mesh.aabb();
  const Vector3 size = box.upper - box.lower;
  const double border = options.border * size.maxCoeff();
  const double spacing = (size.maxCoeff() + 2.0 * border) / (options.resolution - 1);
  const auto nodes = [&](double length) {
    return std::max(2, static_cast<int>(std::ceil((length + 2.0 * border) / spacing - 1e-9)) + 1);
  };
  GridRecord grid{};
  const Vector3 origin = box.lower - Vector3::Constant(border);
  grid.origin = {static_cast<float>(origin.x()), static_cast<float>(origin.y()),
                 static_cast<float>(origin.z())};
  grid.spacing = static_cast<float>(spacing);
  grid.num_x = nodes(size.x());
  grid.num_y = nodes(size.y());
  grid.num_z = nodes(size.z());
  return grid;
}

/// The nodes as the kernel places them, layer by layer.
std::vector<Vector3> layer_nodes(const GridRecord& grid, int z) {
  std::vector<Vector3> nodes;
  nodes.reserve(static_cast<std::size_t>(grid.num_x) * static_cast<std::size_t>(grid.num_y));
  const auto at = [&grid](float origin, int k) {
    return static_cast<double>(origin) + static_cast<double>(grid.spacing) * k;
  };
  for (int y = 0; y < grid.num_y; ++y) {
    for (int x = 0; x < grid.num_x; ++x)
      nodes.emplace_back(at(grid.origin.x, x), at(grid.origin.y, y), at(grid.origin.z, z));
  }
  return nodes;
}

void append_values(PackedGrids& packed, const Mesh& mesh, const GridRecord& grid, int num_threads,
                   BatchWorkspace& work) {
  const Geometry geometry(mesh);
  for (int z = 0; z < grid.num_z; ++z) {
    const std::vector<Vector3> nodes = layer_nodes(grid, z);
    std::vector<double> distance(nodes.size());
    signed_distance(geometry, {}, nodes, {.num_threads = num_threads}, work,
                    {.distance = distance});
    for (const double value : distance) packed.values.push_back(static_cast<float>(value));
  }
}

}  // namespace

PackedGrids pack_grids(std::span<const Mesh> meshes, const ImplicitSurfaceOptions& options) {
  check_options(options);
  if (meshes.empty()) throw InvalidInput("meshes", "none", "give one mesh or more");
  PackedGrids packed;
  BatchWorkspace work;
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    const Mesh& mesh = meshes[i];
    if (!mesh.has_inside()) {
      throw InvalidInput("meshes[" + std::to_string(i) + "]", "a mesh that is not closed",
                         "give one with an inside: mesh.report() names the first open edge");
    }
    GridRecord grid = grid_around(mesh, options);
    grid.first_value = packed.values.size();
    grid.first_point = static_cast<std::int32_t>(packed.points.size());
    grid.num_points = options.num_points;
    append_values(packed, mesh, grid, options.num_threads, work);
    const MeshSamples samples = mesh.sample(options.num_points, i);
    for (Eigen::Index k = 0; k < samples.points.cols(); ++k) {
      const Vector3 point = samples.points.col(k);
      packed.points.push_back({static_cast<float>(point.x()), static_cast<float>(point.y()),
                               static_cast<float>(point.z())});
    }
    packed.grids.push_back(grid);
  }
  return packed;
}

}  // namespace tactum::gpu
