// SPDX-License-Identifier: BSD-2-Clause
// Compound, the queries of pairs with a compound, and ray_cast.
#include "tactum/compound.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/operators.h>
#include <nanobind/stl/string.h>

#include <limits>
#include <string>
#include <vector>

#include "batch_call.hpp"
#include "bindings.hpp"
#include "convert.hpp"
#include "geometry.hpp"
#include "keywords.hpp"
#include "pickle.hpp"
#include "shape_of.hpp"
#include "supports.hpp"
#include "tactum/contact_patch.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {

namespace {

/// Parts of a list of pairs (shape, X); a compound among them gives its parts.
Compound make_compound(nb::handle parts) {
  constexpr const char* remedy = "give a list of pairs (shape, pose)";
  if (!PyTuple_Check(parts.ptr()) && !PyList_Check(parts.ptr()))
    throw_type_error("Compound.parts", type_text(parts), remedy);
  std::vector<CompoundPart> all;
  std::size_t index = 0;
  for (nb::handle item : nb::borrow<nb::object>(parts)) {
    const std::string field = "Compound.parts[" + std::to_string(index++) + "]";
    if (!(PyTuple_Check(item.ptr()) || PyList_Check(item.ptr())) || nb::len(item) != 2)
      throw_type_error(field, type_text(item), remedy);
    const nb::object shape = item[0], X = item[1];
    const Geometry geometry = to_geometry(shape, (field + "[0]").c_str());
    const Pose pose =
        check_pose(to_pose(X, (field + "[1]").c_str()).pose, (field + "[1]").c_str()).pose;
    if (geometry.shape() != nullptr) {
      all.push_back({*geometry.shape(), pose});
    } else if (geometry.mesh() != nullptr) {
      throw_type_error(field + "[0]", type_text(shape),
                       "give convex parts: decompose(mesh) makes them");
    } else {
      for (CompoundPart& part : geometry.compound()->parts_at(pose)) all.push_back(std::move(part));
    }
  }
  return Compound(std::move(all));
}

nb::object pose_array(const Pose& X) {
  const nb::object array = numpy().attr("empty")(nb::make_tuple(4, 4));
  Eigen::Map<Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(float_span(array).data) = pose_matrix(X);
  return array;
}

nb::list parts_of(const Compound& self) {
  nb::list list;
  for (const CompoundPart& part : self.parts())
    list.append(nb::make_tuple(to_python(part.shape), pose_array(part.X_CP)));
  return list;
}

void bind_compound_class(nb::module_& m) {
  static constexpr const char* kCompound =
      "def __init__(self, parts: collections.abc.Sequence[tuple[Shape | "
      "Compound, " TACTUM_POSE_LIKE "]]) -> None";
  nb::class_<Compound> type(
      m, "Compound",
      R"(A union of convex parts, which represents a non-convex solid in distance() and scenes.

    table = Compound(parts=[(top, X_top), (leg, X_leg)])

Its distance is the smallest over its parts; in penetration it is that of the deepest parts.
Immutable.)");
  type.def(
          "__init__",
          [](Compound* self, const nb::args& args, const nb::kwargs& kwargs) {
            const Keywords given("Compound", kCompound, args, kwargs, {"parts"}, {}, {"parts"});
            new (self) Compound(make_compound(given["parts"]));
          },
          nb::sig(kCompound),
          R"(parts: pairs (shape, X), X the pose of the part in the frame of the compound, in any
form that pose_matrix takes. A compound among the shapes gives its own parts. Half-spaces are
refused.)")
      .def_prop_ro(
          "parts", &parts_of,
          nb::sig("def parts(self) -> list[tuple[Shape, " TACTUM_FLOAT_ARRAY "]]"),
          "Pairs (shape, X): the convex parts and their (4, 4) poses in the frame of the compound.")
      .def(
          "support",
          [](const Compound& self, nb::handle direction) { return supports_of(self, direction); },
          "direction"_a.none(),
          nb::sig("def support(self, direction: " TACTUM_ARRAY_LIKE ") -> " TACTUM_FLOAT_ARRAY),
          "A (3,) point of the compound farthest along a direction (3,) of any non-zero length, or "
          "(N, 3) for (N, 3) directions, in its frame, in metres.")
      .def(
          "to_mesh",
          [](nb::handle self, nb::handle resolution) {
            return nb::module_::import_("tactum._to_mesh").attr("compound_mesh")(self, resolution);
          },
          "resolution"_a.none() = 32, nb::sig("def to_mesh(self, resolution: int = 32) -> Mesh"),
          "The surfaces of all parts as triangles, also where parts overlap. resolution: points "
          "around a curved side, 4 to 1024.")
      .def(
          "aabb",
          [](const Compound& self, nb::handle X) {
            const Aabb box = self.aabb(X.is_none() ? Pose{}
                                                   : check_pose(to_pose(X, "X").pose, "X").pose);
            return nb::make_tuple(to_array(box.lower), to_array(box.upper));
          },
          "X"_a.none() = nb::none(),
          nb::sig("def aabb(self, X: " TACTUM_POSE_LIKE " = None) -> tuple[" TACTUM_FLOAT_ARRAY
                  ", " TACTUM_FLOAT_ARRAY "]"),
          "Tight axis-aligned box (lower, upper), each (3,) in metres, in the frame that X is "
          "given in.")
      .def(
          "volume",
          [](const Compound& self) { return interruptible([&] { return self.volume(); }); },
          "Sum of the volumes of the parts in m^3: where they overlap it counts twice.")
      .def(
          "mass_properties",
          [](const Compound& self, nb::handle density) {
            const double value = to_double(density, "density");
            return interruptible([&] { return self.mass_properties(value); });
          },
          "density"_a.none(),
          nb::sig("def mass_properties(self, density: float) -> MassProperties"),
          "Mass, center of mass and inertia, summed over the parts. density: in kg/m^3, positive.")
      .def_prop_ro("nbytes", &Compound::nbytes,
                   "Memory held, in bytes; hull tables that parts share count once.")
      .def(
          "__len__", [](const Compound& self) { return self.parts().size(); },
          "Number of convex parts.")
      .def("__repr__", &Compound::to_string)
      .def(nb::self == nb::self, nb::sig("def __eq__(self, other: object, /) -> bool"),
           "The same parts at the same poses.")
      .def(
          "__hash__", [](const Compound& self) { return static_cast<Py_hash_t>(self.hash()); },
          "Equal compounds have equal hashes.");
  bind_immutable(
      type, [](const Compound& self) { return nb::make_tuple(parts_of(self)); },
      [](const nb::tuple& state) { return make_compound(StateReader(state, 1).next()); });
}

nb::list call_contact_patches(nb::handle a, nb::handle X_WA, nb::handle b, nb::handle X_WB,
                              nb::handle max_points, nb::handle cutoff, nb::handle max_angle) {
  const Geometry geometry_a = to_geometry(a, "a"), geometry_b = to_geometry(b, "b");
  const Pose pose_a = to_pose(X_WA, "X_WA").pose, pose_b = to_pose(X_WB, "X_WB").pose;
  const ContactPatchOptions options{.max_points = to_int(max_points, "max_points"),
                                    .cutoff = to_double(cutoff, "cutoff"),
                                    .max_angle = to_double(max_angle, "max_angle")};
  std::vector<PartPatch> found;
  interruptible([&] { contact_patches(geometry_a, pose_a, geometry_b, pose_b, options, found); });
  nb::list patches;
  for (const PartPatch& part : found)
    patches.append(nb::make_tuple(part.part_a, part.part_b, part.patch));
  return patches;
}

void bind_patches(nb::module_& m) {
  m.def("contact_patches", &call_contact_patches, "a"_a.none(), "X_WA"_a.none(), "b"_a.none(),
        "X_WB"_a.none(), nb::kw_only(), "max_points"_a.none() = 8, "cutoff"_a.none() = 0.0,
        "max_angle"_a.none() = 0.05,
        nb::sig("def contact_patches(a: " TACTUM_GEOMETRY ", X_WA: " TACTUM_POSE_LIKE
                ", b: " TACTUM_GEOMETRY ", X_WB: " TACTUM_POSE_LIKE
                ", *, max_points: int = 8, cutoff: float = 0.0, max_angle: float = 0.05) -> "
                "list[tuple[int, int, ContactPatch]]"),
        R"(Contact patches of all pairs of parts that are at most `cutoff` metres apart, as
triples (part_a, part_b, patch).

a, b: shapes, compounds or meshes; a convex shape is its own part 0, the parts of a mesh are its
triangles. Where a mesh takes part there is one patch for each normal, with the parts of its nearest
pair. The other arguments are those of contact_patch().)");
}

void bind_ray(nb::module_& m) {
  nb::class_<RayHit> type(m, "RayHit",
                          "Where a ray enters a shape. World frame, metres. False when it misses.");
  type.def(
          "__bool__", [](const RayHit& self) { return self.hit; }, "Whether the ray hits.")
      .def_prop_ro(
          "hit", [](const RayHit& self) { return self.hit; }, "Whether the ray hits.")
      .def_prop_ro(
          "distance", [](const RayHit& self) { return self.distance; },
          "From the origin along the ray, in metres; inf when it misses.")
      .def_prop_ro(
          "point", [](const RayHit& self) { return to_frozen_array(self.point); },
          nb::sig("def point(self) -> " TACTUM_FLOAT_ARRAY), "(3,) where the ray enters.")
      .def_prop_ro(
          "normal", [](const RayHit& self) { return to_frozen_array(self.normal); },
          nb::sig("def normal(self) -> " TACTUM_FLOAT_ARRAY), "(3,) unit, out of the shape.")
      .def("__repr__", [](const RayHit& self) {
        return self.hit ? "RayHit(distance=" + repr(self.distance) + ", point=" + repr(self.point) +
                              ", normal=" + repr(self.normal) + ")"
                        : std::string("RayHit(hit=False)");
      });
  bind_immutable(
      type,
      [](const RayHit& self) {
        return nb::make_tuple(static_cast<int>(self.hit), self.distance, to_tuple(self.point),
                              to_tuple(self.normal));
      },
      [](const nb::tuple& state) {
        StateReader read(state, 4);
        RayHit hit;
        hit.hit = read.flag();
        hit.distance = read.number();
        hit.point = read.vector();
        hit.normal = read.vector();
        return hit;
      });
  m.def(
      "ray_cast",
      [](nb::handle shape, nb::handle X, nb::handle origin, nb::handle direction,
         nb::handle max_distance) {
        const Geometry geometry = to_geometry(shape, "shape");
        const Pose pose = to_pose(X, "X").pose;
        const Vector3 from = to_vector3(origin, "origin"),
                      along = to_vector3(direction, "direction");
        const double largest = to_double(max_distance, "max_distance");
        return interruptible([&] { return ray_cast(geometry, pose, from, along, largest); });
      },
      "shape"_a.none(), "X"_a.none(), "origin"_a.none(), "direction"_a.none(), nb::kw_only(),
      "max_distance"_a.none() = std::numeric_limits<double>::infinity(),
      nb::sig("def ray_cast(shape: " TACTUM_GEOMETRY ", X: " TACTUM_POSE_LIKE
              ", origin: " TACTUM_ARRAY_LIKE ", direction: " TACTUM_ARRAY_LIKE
              ", *, max_distance: float = math.inf) -> RayHit"),
      R"(The first point of a shape on a ray.

shape: a shape, a compound or a mesh; X: its pose in the world. origin: (3,) in the world. direction: (3,)
of any non-zero length.
max_distance: in metres. A ray that passes within a relative 1e-12 of the shape may count as
hit.)");
}

}  // namespace

void bind_compound(nb::module_& m) {
  bind_compound_class(m);
  bind_patches(m);
  bind_ray(m);
}

}  // namespace tactum::python
