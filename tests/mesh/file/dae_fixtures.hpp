// SPDX-License-Identifier: BSD-2-Clause
// Pieces of Collada files for tests.
#pragma once

#include <string>

namespace tactum::testing {

/// A <mesh> with the corners of the box [0, 1] x [0, 2] x [0, 3] and given primitives. Corner i is
/// at x = i & 1, y = 2 (i >> 1 & 1), z = 3 (i >> 2).
inline std::string dae_box_mesh(const std::string& primitives) {
  return R"(<mesh><source id="s"><float_array id="f" count="24">
0 0 0  1 0 0  0 2 0  1 2 0
0 0 3  1 0 3  0 2 3  1 2 3</float_array>
<technique_common><accessor source="#f" count="8" stride="3"><param name="X"/><param name="Y"/>
<param name="Z"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>)" +
         primitives + "</mesh>";
}

/// The six sides as quadrilaterals, counter-clockwise seen from outside.
inline std::string dae_box_sides() {
  return R"(<polylist count="6"><input semantic="VERTEX" source="#v" offset="0"/>
<vcount>4 4 4 4 4 4</vcount>
<p>0 2 3 1  4 5 7 6  0 1 5 4  2 6 7 3  0 4 6 2  1 3 7 5</p></polylist>)";
}

/// A document with the box as geometry "box" in z up, and the given libraries and scene.
inline std::string dae_document(const std::string& rest, const std::string& asset = "",
                                const std::string& primitives = dae_box_sides()) {
  return "<?xml version=\"1.0\"?>\n<COLLADA version=\"1.4.1\"><asset>" + asset +
         "<up_axis>Z_UP</up_axis></asset><library_geometries><geometry id=\"box\">" +
         dae_box_mesh(primitives) + "</geometry></library_geometries>" + rest + "</COLLADA>";
}

/// A visual scene with the given nodes, shown.
inline std::string dae_scene(const std::string& nodes) {
  return "<library_visual_scenes><visual_scene id=\"scene\">" + nodes +
         "</visual_scene></library_visual_scenes><scene><instance_visual_scene url=\"#scene\"/>"
         "</scene>";
}

}  // namespace tactum::testing
