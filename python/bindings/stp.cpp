// SPDX-License-Identifier: BSD-2-Clause
// Stp: sphere-torus-patch volumes from arrays. The volume is built without the GIL.
#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "batch_call.hpp"
#include "bindings.hpp"
#include "convert.hpp"
#include "pickle.hpp"
#include "shape_of.hpp"
#include "tactum/mesh.hpp"
#include "tactum/shape.hpp"
#include "tactum/status.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

using Class = ShapeOf<Stp>;
using RowPoints = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
using RowTriangles = Eigen::Matrix<std::int32_t, Eigen::Dynamic, 3, Eigen::RowMajor>;

Class from_points(nb::handle points, nb::handle small_radius, nb::handle big_radius,
                  nb::handle margin) {
  const Points columns = to_points(points, "Stp.points");
  const StpSizes sizes{.small_radius = to_double(small_radius, "Stp.small_radius"),
                       .big_radius = to_double(big_radius, "Stp.big_radius"),
                       .margin = to_double(margin, "Stp.margin")};
  return interruptible([&] { return Class(Stp::from_points(columns, sizes)); });
}

RowPoints points(const Class& self) { return self.get().points().transpose(); }
RowTriangles faces(const Class& self) { return self.get().faces().transpose(); }

nb::tuple get_state(const Class& self) {
  return nb::make_tuple(points(self), self.get().small_radius(), self.get().big_radius(),
                        self.margin());
}

Class from_state(const nb::tuple& state) {
  StateReader read(state, 4);
  const nb::object points = read.next(), small_radius = read.next(), big_radius = read.next(),
                   margin = read.next();
  return from_points(points, small_radius, big_radius, margin);
}

using Codes = Eigen::Matrix<std::uint8_t, Eigen::Dynamic, 1>;

/// A mesh that knows the kind of patch of each triangle.
struct PatchedMesh : Mesh {
  PatchedMesh(Mesh mesh, Codes codes_) : Mesh(std::move(mesh)), codes(std::move(codes_)) {}
  Codes codes;
};

PatchedMesh to_mesh(const Class& self, nb::handle resolution) {
  const int segments = to_int(resolution, "resolution");
  return interruptible([&] {
    const StpMesh mesh = self.get().to_mesh(segments);
    Codes codes(static_cast<Eigen::Index>(mesh.patches.size()));
    for (Eigen::Index t = 0; t < codes.size(); ++t)
      codes[t] = static_cast<std::uint8_t>(mesh.patches[static_cast<std::size_t>(t)]);
    return PatchedMesh(Mesh(mesh.vertices, mesh.triangles), std::move(codes));
  });
}

PatchedMesh mesh_from_state(const nb::tuple& state) {
  StateReader read(state, 3);
  const nb::object vertices = read.next(), triangles = read.next(), patches = read.next();
  Mesh mesh(to_points(vertices, "state"), to_triangles(triangles, "state"));
  Codes codes = nb::cast<Codes>(patches);
  if (codes.size() != mesh.triangles().cols())
    throw InvalidInput("state", std::to_string(codes.size()) + " patches",
                       "unpickle what was pickled");
  return PatchedMesh(std::move(mesh), std::move(codes));
}

void bind_stp_mesh(nb::module_& m) {
  nb::class_<PatchedMesh, Mesh> type(
      m, "StpMesh", "The surface of an Stp as a mesh, each triangle with the kind of its patch.");
  type.def_prop_ro(
      "patches", [](const PatchedMesh& self) -> const Codes& { return self.codes; },
      nb::rv_policy::copy, nb::sig("def patches(self) -> numpy.typing.NDArray[numpy.uint8]"),
      "(M,) uint8: 0 a small sphere, 1 a torus, 2 a big sphere; a new array each time.");
  bind_immutable(
      type,
      [](const PatchedMesh& self) {
        return nb::make_tuple(RowPoints(self.vertices().transpose()),
                              RowTriangles(self.triangles().transpose()), self.codes);
      },
      &mesh_from_state);
}

}  // namespace

void bind_stp(nb::module_& m) {
  bind_stp_mesh(m);
  nb::class_<Class, Shape> type(
      m, "Stp",
      R"(A strictly convex volume of spheres and tori around points, with a continuous normal.

It has a small sphere on each point, a big one over each face of three points, and a torus along
each edge. Distances to it have a continuous gradient.)");
  type.def_static(
          "from_points", &from_points, "points"_a.none(), nb::kw_only(), "small_radius"_a.none(),
          "big_radius"_a.none(), "margin"_a.none() = 0.0,
          nb::sig("def from_points(points: " TACTUM_ARRAY_LIKE
                  ", *, small_radius: float, big_radius: float, margin: float = 0.0) -> Stp"),
          R"(The volume of points.

points: (N, 3) in metres, at least one; one gives a ball, two a spindle, points on a plane a lens.
small_radius: r >= 0, how far the volume keeps from every point at least. big_radius: R, of the
spheres over the faces; R - r must be at least the radius of the smallest ball around the points,
and the larger it is, the closer the volume is to the hull. margin: in metres, >= 0. Raises
InvalidInput with the smallest big radius that works when the one given is too small.)")
      .def_prop_ro(
          "points", [](const Class& self) { return frozen(nb::cast(points(self))); },
          nb::sig("def points(self) -> " TACTUM_FLOAT_ARRAY),
          "(N, 3) points that carry a small sphere, in metres in the frame of the shape, in the "
          "order given; all others are covered. A new array each time.")
      .def_prop_ro(
          "faces", [](const Class& self) { return frozen(nb::cast(faces(self))); },
          nb::sig("def faces(self) -> " TACTUM_INT_ARRAY),
          "(M, 3) int32 points of each big sphere, counter-clockwise seen from outside; a "
          "new array each time.")
      .def_prop_ro(
          "small_radius", [](const Class& self) { return self.get().small_radius(); },
          "Radius of the small spheres, in metres.")
      .def_prop_ro(
          "big_radius", [](const Class& self) { return self.get().big_radius(); },
          "Radius of the big spheres, in metres.")
      .def_prop_ro(
          "num_points", [](const Class& self) { return self.get().num_points(); },
          "Number of patches of small spheres.")
      .def_prop_ro(
          "num_edges", [](const Class& self) { return self.get().num_edges(); },
          "Number of patches of tori.")
      .def_prop_ro(
          "num_faces", [](const Class& self) { return self.get().num_faces(); },
          "Number of patches of big spheres.")
      .def("to_mesh", &to_mesh, "resolution"_a.none() = 8,
           nb::sig("def to_mesh(self, resolution: int = 8) -> StpMesh"),
           R"(Triangles on the surface, margin included.

resolution: segments along each edge and each quarter turn, from 1 to 256. Neighboring patches
share the vertices of their border. Raises InvalidInput for a point without radius, which has no
surface.)");
  bind_immutable(type, &get_state, &from_state);
}

}  // namespace tactum::python
