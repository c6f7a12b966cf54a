// SPDX-License-Identifier: BSD-2-Clause
// The polygons of a <geometry> of Collada, in its own coordinates.
//
// Read       <triangles>, <polylist>, <polygons>, <trifans> and <tristrips>, by their positions.
// Skipped    <lines>, <linestrips> and splines, which are no surface; normals, colors, textures.
// Refused    polygons with holes apart (<ph>), <convex_mesh>, boundary representations; counts and
//            indices that do not fit what is there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/xml_element.hpp"
#include "tactum/pose.hpp"

namespace tactum {

struct DaeGeometry {
  std::vector<Vector3> vertices;
  std::vector<std::int32_t> corners;  ///< of all polygons, one after the other; in range
  std::vector<std::size_t> ends;      ///< where each polygon ends in them
  std::vector<std::size_t> lines;     ///< of the file, for each polygon
};

DaeGeometry read_dae_geometry(const XmlElement& geometry);

}  // namespace tactum
