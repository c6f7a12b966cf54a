// SPDX-License-Identifier: BSD-2-Clause
// What has to hold for any bytes that are given as a mesh file: they are refused in UTF-8, or they
// are a mesh that comes back from its own files and answers. Shared by the fuzz targets and the
// regression test over their corpus.
#pragma once

#include <cmath>
#include <string_view>

#include "core/quote_text.hpp"
#include "tactum/mesh_file.hpp"
#include "tactum/status.hpp"

namespace tactum::testing {

/// Whether all of it holds.
inline bool mesh_bytes_hold(std::string_view bytes, MeshFormat format) {
  try {
    const Mesh mesh = parse_mesh(bytes, format, "file");
    const MeshReport report = mesh.report();
    if (!std::isfinite(report.volume) || !(report.area >= 0.0)) return false;
    if (report.area > 0.0 && !mesh.sample(3, 1).points.allFinite()) return false;
    for (const MeshFormat other : {MeshFormat::obj, MeshFormat::ply})
      if (!(parse_mesh(mesh_bytes(mesh, other), other, "copy") == mesh)) return false;
    return true;
  } catch (const InvalidInput& error) {
    return is_utf8(error.what());
  }
}

}  // namespace tactum::testing
