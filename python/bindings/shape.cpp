// SPDX-License-Identifier: BSD-2-Clause
// Shape and the classes of the primitives. Convex has a file of its own.
//
// A pickle holds the parameters, and unpickling runs the constructor: a damaged pickle raises, it
// never makes a bad shape.
#include "tactum/shape.hpp"

#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>
#include <nanobind/operators.h>
#include <nanobind/stl/string.h>

#include "batch_call.hpp"
#include "bindings.hpp"
#include "buffer.hpp"
#include "convert.hpp"
#include "keywords.hpp"
#include "pickle.hpp"
#include "shape_of.hpp"
#include "supports.hpp"
#include "tactum/interrupt.hpp"
#include "tactum/status.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

void bind_mass_properties(nb::module_& m) {
  using RowMatrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  nb::class_<MassProperties> type(
      m, "MassProperties", "Mass, center of mass and inertia of a shape of uniform density.");
  type.def_prop_ro(
          "mass", [](const MassProperties& self) { return self.mass; }, "Mass in kg.")
      .def_prop_ro(
          "center_of_mass",
          [](const MassProperties& self) { return to_frozen_array(self.center_of_mass); },
          nb::sig("def center_of_mass(self) -> " TACTUM_FLOAT_ARRAY),
          "(3,) center of mass in the frame of the shape, in metres.")
      .def_prop_ro(
          "inertia",
          [](const MassProperties& self) { return frozen(nb::cast(RowMatrix3(self.inertia))); },
          nb::sig("def inertia(self) -> " TACTUM_FLOAT_ARRAY),
          "(3, 3) inertia about the center of mass, in the axes of the shape, in kg m^2.")
      .def("__repr__", [](const MassProperties& self) {
        return "MassProperties(mass=" + repr(self.mass) +
               ", center_of_mass=" + short_repr(self.center_of_mass) + ")";
      });
  bind_immutable(
      type,
      [](const MassProperties& self) {
        const auto row = [&](int i) { return to_tuple(self.inertia.row(i)); };
        return nb::make_tuple(self.mass, to_tuple(self.center_of_mass), row(0), row(1), row(2));
      },
      [](const nb::tuple& state) {
        StateReader read(state, 5);
        MassProperties value{.mass = read.number(), .center_of_mass = read.vector()};
        for (int i = 0; i < 3; ++i) value.inertia.row(i) = read.vector();
        return value;
      });
}

void bind_base(nb::module_& m) {
  nb::class_<Shape>(
      m, "Shape",
      R"(A convex shape: immutable, safe to use from many threads. Make one of its subclasses.

All lengths are in metres, in the frame of the shape. Every shape takes margin=0.0, the radius of
a sphere swept around it.)")
      .def_prop_ro("margin", &Shape::margin,
                   "Radius of the sphere swept around the shape, in metres.")
      .def(
          "support",
          [](const Shape& self, nb::handle direction) { return supports_of(self, direction); },
          "direction"_a.none(),
          nb::sig("def support(self, direction: " TACTUM_ARRAY_LIKE ") -> " TACTUM_FLOAT_ARRAY),
          R"(A point of the shape farthest along a direction.

direction: (3,) of any non-zero length, in the frame of the shape, or (N, 3) for many. Returns a
(3,) point in metres, or (N, 3), in the same frame, margin included. A half-space has one only along
its normal.)")
      .def(
          "to_mesh",
          [](nb::handle self, nb::handle resolution) {
            return nb::module_::import_("tactum._to_mesh").attr("shape_mesh")(self, resolution);
          },
          "resolution"_a.none() = 32, nb::sig("def to_mesh(self, resolution: int = 32) -> Mesh"),
          R"(The surface as triangles, counter-clockwise seen from outside, for drawing and export.

resolution: points around a curved side, 4 to 1024. Boxes and hulls are exact, curved shapes are the
hull of points of their surface.)")
      .def(
          "aabb",
          [](const Shape& self, nb::handle X) {
            const Aabb box = self.aabb(X.is_none() ? Pose{}
                                                   : check_pose(to_pose(X, "X").pose, "X").pose);
            return nb::make_tuple(to_array(box.lower), to_array(box.upper));
          },
          "X"_a.none() = nb::none(),
          nb::sig("def aabb(self, X: " TACTUM_POSE_LIKE " = None) -> tuple[" TACTUM_FLOAT_ARRAY
                  ", " TACTUM_FLOAT_ARRAY "]"),
          R"(Tight axis-aligned bounding box.

X: pose of the shape, in any form that pose_matrix takes; None: the identity. Returns (lower,
upper), each (3,) in metres, in the frame that X is given in, margin included, rounded outward;
infinite sides for a half-space.)")
      .def(
          "volume", [](const Shape& self) { return interruptible([&] { return self.volume(); }); },
          "Volume in m^3, margin included; infinite for a half-space.")
      .def(
          "mass_properties",
          [](const Shape& self, nb::handle density) {
            const double value = to_double(density, "density");
            return interruptible([&] { return self.mass_properties(value); });
          },
          "density"_a.none(),
          nb::sig("def mass_properties(self, density: float) -> MassProperties"),
          R"(Mass, center of mass and inertia at a uniform density.

density: in kg/m^3, positive. Raises InvalidInput for a half-space.)")
      .def_prop_ro("nbytes", &Shape::nbytes, "Memory held, in bytes, hull tables included.")
      .def("__repr__", &Shape::to_string)
      .def(nb::self == nb::self, nb::sig("def __eq__(self, other: object, /) -> bool"),
           "Same kind and the same parameters, bit by bit.")
      .def(
          "__hash__", [](const Shape& self) { return static_cast<Py_hash_t>(self.hash()); },
          "Equal shapes have equal hashes.");
}

void bind_sphere(nb::module_& m) {
  static constexpr const char* kSphere =
      "def __init__(self, *, radius: float, margin: float = 0.0) -> None";
  using Class = ShapeOf<Sphere>;
  const auto make = [](nb::handle radius, nb::handle margin) {
    return Class({.radius = to_double(radius, "Sphere.radius"),
                  .margin = to_double(margin, "Sphere.margin")});
  };
  nb::class_<Class, Shape> type(m, "Sphere",
                                "A ball around the origin. A radius of zero is a point.");
  type.def(
          "__init__",
          [make](Class* self, const nb::args& args, const nb::kwargs& kwargs) {
            const Keywords given("Sphere", kSphere, args, kwargs, {"radius"}, {"margin"});
            new (self) Class(make(given["radius"], given.margin()));
          },
          nb::sig(kSphere), "radius: in metres, >= 0. margin: in metres, >= 0.")
      .def_prop_ro(
          "radius", [](const Class& self) { return self.get().radius; }, "Radius in metres.");
  bind_immutable(
      type, [](const Class& self) { return nb::make_tuple(self.get().radius, self.margin()); },
      [make](const nb::tuple& state) {
        StateReader read(state, 2);
        const nb::object radius = read.next(), margin = read.next();
        return make(radius, margin);
      });
}

/// Differences between the kinds with one vector as size (Box, Ellipsoid).
struct VectorNames {
  const char* name;
  const char* doc;
  const char* size;
  const char* size_doc;
  const char* signature;
  const char* signature_doc;
};

template <class Kind>
void bind_vector_shape(nb::module_& m, const VectorNames& names, Vector3 Kind::*size) {
  using Class = ShapeOf<Kind>;
  const auto make = [size, names](nb::handle sizes, nb::handle margin) {
    const std::string prefix = std::string(names.name) + ".";
    Kind kind;
    kind.*size = to_vector3(sizes, prefix + names.size);
    kind.margin = to_double(margin, (prefix + "margin").c_str());
    return Class(kind);
  };
  nb::class_<Class, Shape> type(m, names.name, names.doc);
  type.def(
          "__init__",
          [make, names](Class* self, const nb::args& args, const nb::kwargs& kwargs) {
            const Keywords given(names.name, names.signature, args, kwargs, {names.size},
                                 {"margin"});
            new (self) Class(make(given[names.size], given.margin()));
          },
          nb::sig(names.signature), names.signature_doc)
      .def_prop_ro(
          names.size, [size](const Class& self) { return to_frozen_array(self.get().*size); },
          nb::sig((std::string("def ") + names.size + "(self) -> " TACTUM_FLOAT_ARRAY).c_str()),
          names.size_doc);
  bind_immutable(
      type,
      [size](const Class& self) {
        return nb::make_tuple(to_tuple(self.get().*size), self.margin());
      },
      [make](const nb::tuple& state) {
        StateReader read(state, 2);
        const nb::object sizes = read.next(), margin = read.next();
        return make(sizes, margin);
      });
}

constexpr const char* kAxisShape =
    "def __init__(self, *, radius: float, half_length: float, margin: float = 0.0) -> None";

/// Capsule, Cylinder and Cone: a radius and a half length along z.
template <class Kind>
void bind_axis_shape(nb::module_& m, const char* name, const char* doc, const char* radius_doc,
                     const char* half_length_doc, const char* init_doc) {
  using Class = ShapeOf<Kind>;
  const auto make = [name](nb::handle radius, nb::handle half_length, nb::handle margin) {
    const std::string prefix = std::string(name) + ".";
    return Class({.radius = to_double(radius, (prefix + "radius").c_str()),
                  .half_length = to_double(half_length, (prefix + "half_length").c_str()),
                  .margin = to_double(margin, (prefix + "margin").c_str())});
  };
  nb::class_<Class, Shape> type(m, name, doc);
  type.def(
          "__init__",
          [make, name](Class* self, const nb::args& args, const nb::kwargs& kwargs) {
            const Keywords given(name, kAxisShape, args, kwargs, {"radius", "half_length"},
                                 {"margin"});
            new (self) Class(make(given["radius"], given["half_length"], given.margin()));
          },
          nb::sig(kAxisShape), init_doc)
      .def_prop_ro(
          "radius", [](const Class& self) { return self.get().radius; }, radius_doc)
      .def_prop_ro(
          "half_length", [](const Class& self) { return self.get().half_length; }, half_length_doc);
  bind_immutable(
      type,
      [](const Class& self) {
        return nb::make_tuple(self.get().radius, self.get().half_length, self.margin());
      },
      [make](const nb::tuple& state) {
        StateReader read(state, 3);
        const nb::object first = read.next(), second = read.next(), margin = read.next();
        return make(first, second, margin);
      });
}

void bind_half_space(nb::module_& m) {
  static constexpr const char* kHalfSpace =
      "def __init__(self, *, normal: " TACTUM_ARRAY_LIKE
      " = (0.0, 0.0, 1.0), offset: float = 0.0, margin: float = 0.0) -> None";
  using Class = ShapeOf<HalfSpace>;
  const auto make = [](nb::handle normal, nb::handle offset, nb::handle margin) {
    return Class({.normal = to_vector3(normal, "HalfSpace.normal"),
                  .offset = to_double(offset, "HalfSpace.offset"),
                  .margin = to_double(margin, "HalfSpace.margin")});
  };
  nb::class_<Class, Shape> type(
      m, "HalfSpace",
      "The solid of all points x with normal . x <= offset + margin. Its volume is infinite.");
  type.def(
          "__init__",
          [make](Class* self, const nb::args& args, const nb::kwargs& kwargs) {
            const Keywords given("HalfSpace", kHalfSpace, args, kwargs, {},
                                 {"normal", "offset", "margin"});
            new (self) Class(make(given.get("normal", nb::make_tuple(0.0, 0.0, 1.0)),
                                  given.get("offset", nb::float_(0.0)), given.margin()));
          },
          nb::sig(kHalfSpace),
          "normal: (3,) outward, of any non-zero length. offset: in metres, along the unit normal. "
          "margin: in metres, >= 0.")
      .def_prop_ro(
          "normal", [](const Class& self) { return to_frozen_array(self.get().normal); },
          nb::sig("def normal(self) -> " TACTUM_FLOAT_ARRAY),
          "(3,) outward unit normal, in the frame of the shape.")
      .def(
          "to_mesh",
          [](nb::handle self, nb::handle resolution, nb::handle size) {
            return nb::module_::import_("tactum._to_mesh")
                .attr("shape_mesh")(self, resolution, size);
          },
          "resolution"_a.none() = 32, nb::kw_only(), "size"_a.none() = 1.0,
          nb::sig("def to_mesh(self, resolution: int = 32, *, size: float = 1.0) -> Mesh"),
          "A square of the plane that bounds it, around the point nearest to the origin. size: "
          "half "
          "its side, in metres.")
      .def_prop_ro(
          "offset", [](const Class& self) { return self.get().offset; },
          "Distance of the plane from the origin along the normal, in metres.");
  bind_immutable(
      type,
      [](const Class& self) {
        return nb::make_tuple(to_tuple(self.get().normal), self.get().offset, self.margin());
      },
      [make](const nb::tuple& state) {
        StateReader read(state, 3);
        const nb::object first = read.next(), second = read.next(), margin = read.next();
        return make(first, second, margin);
      });
}

}  // namespace

void bind_shape(nb::module_& m) {
  bind_mass_properties(m);
  bind_base(m);
  bind_sphere(m);
  bind_vector_shape<Ellipsoid>(
      m,
      {"Ellipsoid", "An ellipsoid around the origin, its axes along x, y and z.", "semi_axes",
       "(3,) half lengths of the axes, in metres.",
       "def __init__(self, *, semi_axes: " TACTUM_ARRAY_LIKE ", margin: float = 0.0) -> None",
       "semi_axes: (3,) half lengths of the axes along x, y, z in metres, positive. margin: in "
       "metres, >= 0."},
      &Ellipsoid::semi_axes);
  bind_vector_shape<Box>(
      m,
      {"Box", "A box around the origin, its edges along x, y and z.", "half_extents",
       "(3,) half edge lengths, in metres.",
       "def __init__(self, *, half_extents: " TACTUM_ARRAY_LIKE ", margin: float = 0.0) -> None",
       "half_extents: (3,) half edge lengths along x, y, z in metres, positive. margin: in metres, "
       ">= 0."},
      &Box::half_extents);
  bind_axis_shape<Capsule>(m, "Capsule",
                           "A sphere swept along the z axis from -half_length to +half_length.",
                           "Radius of the swept sphere, in metres.",
                           "Half the length of the segment, without the caps, in metres.",
                           "radius: in metres, positive. half_length: of the segment, in metres, "
                           ">= 0. margin: in metres, >= 0.");
  bind_axis_shape<Cylinder>(
      m, "Cylinder", "A solid cylinder around the z axis, from -half_length to +half_length.",
      "Radius of the discs, in metres.", "Half the height, in metres.",
      "radius: in metres, positive. half_length: half the height in metres, positive. margin: in "
      "metres, >= 0.");
  bind_axis_shape<Cone>(
      m, "Cone", "A solid cone around the z axis: apex at +half_length, disc at -half_length.",
      "Radius of the disc, in metres.", "Half the height, in metres.",
      "radius: of the disc in metres, positive. half_length: half the height in metres, positive. "
      "margin: in metres, >= 0.");
  bind_half_space(m);
}

}  // namespace tactum::python
