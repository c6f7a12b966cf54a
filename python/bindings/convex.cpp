// SPDX-License-Identifier: BSD-2-Clause
// Convex: hulls from arrays. The hull is computed without the GIL.
#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "batch_call.hpp"
#include "bindings.hpp"
#include "convert.hpp"
#include "keywords.hpp"
#include "pickle.hpp"
#include "shape_of.hpp"
#include "tactum/shape.hpp"
#include "tactum/status.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

using Class = ShapeOf<Convex>;
using RowPoints = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
using RowTriangles = Eigen::Matrix<std::int32_t, Eigen::Dynamic, 3, Eigen::RowMajor>;
using Indices = Eigen::Matrix<std::int32_t, Eigen::Dynamic, 1>;

Class from_points(nb::handle points, nb::handle margin) {
  if (nb::hasattr(points, "vertices"))
    throw_type_error("Convex.points", type_text(points),
                     "give its vertices, Convex.from_points(mesh.vertices)");
  const Points columns = to_points(points, "Convex.points");
  const double radius = to_double(margin, "Convex.margin");
  return interruptible([&] { return Class(Convex::from_points(columns, radius)); });
}

Class from_mesh(nb::handle vertices, nb::handle faces, nb::handle margin) {
  const Points columns = to_points(vertices, "Convex.vertices");
  const Triangles triangles = to_triangles(faces, "Convex.faces");
  const double radius = to_double(margin, "Convex.margin");
  return interruptible([&] { return Class(Convex::from_mesh(columns, triangles, radius)); });
}

RowPoints vertices(const Class& self) { return self.get().vertices().transpose(); }
RowTriangles faces(const Class& self) { return self.get().faces().transpose(); }

nb::list neighbors(const Class& self) {
  nb::list all;
  for (int i = 0; i < self.get().num_vertices(); ++i) {
    const auto indices = self.get().neighbors(i);
    all.append(Indices(
        Eigen::Map<const Indices>(indices.data(), static_cast<Eigen::Index>(indices.size()))));
  }
  return all;
}

/// A solid keeps its faces, so that it comes back with the same tables; the smaller hulls follow
/// from their vertices.
nb::tuple get_state(const Class& self) {
  const nb::object triangles = self.get().dimension() == 3 ? nb::cast(faces(self)) : nb::none();
  return nb::make_tuple(vertices(self), triangles, self.margin());
}

Class from_state(const nb::tuple& state) {
  StateReader read(state, 3);
  const nb::object vertices = read.next(), faces = read.next(), margin = read.next();
  return faces.is_none() ? from_points(vertices, margin) : from_mesh(vertices, faces, margin);
}

}  // namespace

void bind_convex(nb::module_& m) {
  static constexpr const char* kConvex = "def __init__(self, *, vertices: " TACTUM_ARRAY_LIKE
                                         ", faces: " TACTUM_ARRAY_LIKE
                                         ", margin: float = 0.0) -> None";
  nb::class_<Class, Shape> type(
      m, "Convex",
      R"(The convex hull of finitely many points: a point, a segment, a planar polygon or a solid.

Convex.from_points computes the hull; the constructor takes a hull that is known already.)");
  type.def(
          "__init__",
          [](Class* self, const nb::args& args, const nb::kwargs& kwargs) {
            const Keywords given("Convex", kConvex, args, kwargs, {"vertices", "faces"},
                                 {"margin"});
            new (self) Class(from_mesh(given["vertices"], given["faces"], given.margin()));
          },
          nb::sig(kConvex),
          R"(A solid from its vertices and the triangles that bound it.

vertices: (N, 3) in metres. faces: (M, 3) integers, counter-clockwise seen from outside. margin:
in metres, >= 0.
Raises InvalidInput when an index is out of range or the triangles are not the closed, outward,
convex boundary.)")
      .def_static("from_points", &from_points, "points"_a.none(), nb::kw_only(),
                  "margin"_a.none() = 0.0,
                  nb::sig("def from_points(points: " TACTUM_ARRAY_LIKE
                          ", *, margin: float = 0.0) -> Convex"),
                  R"(The hull of points.

points: (N, 3) in metres, at least one; duplicates and points inside are dropped. margin: in
metres, >= 0. Points on a plane, a line or one spot give a hull of dimension 2, 1 or 0.)")
      .def_prop_ro(
          "vertices", [](const Class& self) { return frozen(nb::cast(vertices(self))); },
          nb::sig("def vertices(self) -> " TACTUM_FLOAT_ARRAY),
          "(N, 3) extreme points in metres, in the frame of the shape; a new array each time.")
      .def_prop_ro(
          "faces", [](const Class& self) { return frozen(nb::cast(faces(self))); },
          nb::sig("def faces(self) -> " TACTUM_INT_ARRAY),
          R"((M, 3) int32 triangles, counter-clockwise seen from outside; a new array each time.

A polygon has a fan on one side; a segment and a point have none.)")
      .def_prop_ro("neighbors", &neighbors,
                   nb::sig("def neighbors(self) -> list[" TACTUM_INT_ARRAY "]"),
                   "For each vertex, the int32 indices of the vertices joined to it by an edge of "
                   "a face; a new list each time.")
      .def_prop_ro(
          "dimension", [](const Class& self) { return self.get().dimension(); },
          "0 a point, 1 a segment, 2 a polygon, 3 a solid.");
  bind_immutable(type, &get_state, &from_state);
}

}  // namespace tactum::python
