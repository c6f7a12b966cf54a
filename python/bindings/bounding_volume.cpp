// SPDX-License-Identifier: BSD-2-Clause
// BoundingSphere, OrientedBox and SweptBox: values with their tests as methods, and the functions
// that fit them.
#include "tactum/bounding_volume.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "bindings.hpp"
#include "convert.hpp"
#include "pickle.hpp"
#include "tactum/status.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

void check_extents(const Vector3& half_extents) {
  for (int i = 0; i < 3; ++i) {
    if (!(half_extents[i] >= 0.0))
      throw InvalidInput("half_extents[" + std::to_string(i) + "]", repr(half_extents[i]),
                         "give zero or more metres");
  }
}

double checked_radius(nb::handle value) {
  const double radius = to_double(value, "radius");
  if (!(radius >= 0.0)) throw InvalidInput("radius", repr(radius), "give zero or more metres");
  return radius;
}

Pose checked(nb::handle X) { return check_pose(to_pose(X, "X").pose, "X").pose; }

nb::object pose_array(const Pose& pose) {
  const nb::object array = numpy().attr("empty")(nb::make_tuple(4, 4));
  Eigen::Map<Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(float_span(array).data) = pose_matrix(
      pose);
  return array;
}

/// The other volume of a test, whatever it is, as a swept box.
SweptBox to_swept(nb::handle value) {
  if (const BoundingSphere* sphere = nullptr; nb::try_cast(value, sphere) && sphere != nullptr)
    return as_swept_box(*sphere);
  if (const OrientedBox* box = nullptr; nb::try_cast(value, box) && box != nullptr)
    return as_swept_box(*box);
  if (const SweptBox* box = nullptr; nb::try_cast(value, box) && box != nullptr) return *box;
  throw_type_error("other", type_text(value),
                   "give a BoundingSphere, an OrientedBox or a SweptBox");
}

#define TACTUM_VOLUME "BoundingSphere | OrientedBox | SweptBox"

template <class Volume>
void bind_tests(nb::class_<Volume>& type) {
  type.def(
          "overlaps",
          [](const Volume& self, nb::handle other) {
            if (const Volume* same = nullptr; nb::try_cast(other, same) && same != nullptr)
              return overlaps(self, *same);
            return overlaps(as_swept_box(self), to_swept(other));
          },
          "other"_a.none(), nb::sig("def overlaps(self, other: " TACTUM_VOLUME ") -> bool"),
          "Whether the two have a point in common. Never false where they do; within rounding of "
          "each other it may be true where "
          "they do not.")
      .def(
          "distance",
          [](const Volume& self, nb::handle other) {
            if (const Volume* same = nullptr; nb::try_cast(other, same) && same != nullptr)
              return distance(self, *same);
            return distance(as_swept_box(self), to_swept(other));
          },
          "other"_a.none(), nb::sig("def distance(self, other: " TACTUM_VOLUME ") -> float"),
          "Distance of the two in metres; 0 where they overlap.")
      .def(
          "volume", [](const Volume& self) { return volume(self); },
          nb::sig("def volume(self) -> float"), "Volume in m^3.");
}

void bind_sphere(nb::module_& m) {
  nb::class_<BoundingSphere> type(m, "BoundingSphere", "A ball around something. Immutable.");
  type.def(
          "__init__",
          [](BoundingSphere* self, nb::handle center, nb::handle radius) {
            new (self) BoundingSphere{to_vector3(center, "center"), checked_radius(radius)};
          },
          nb::kw_only(), "center"_a.none(), "radius"_a.none(),
          nb::sig("def __init__(self, *, center: " TACTUM_ARRAY_LIKE ", radius: float) -> None"),
          "center: (3,) in metres. radius: in metres, zero or more; inf holds everything.")
      .def_prop_ro(
          "center", [](const BoundingSphere& self) { return to_frozen_array(self.center); },
          nb::sig("def center(self) -> " TACTUM_FLOAT_ARRAY),
          "Center, (3,) in metres, in the frame of what is inside.")
      .def_prop_ro(
          "radius", [](const BoundingSphere& self) { return self.radius; }, "Radius in metres.")
      .def("__repr__", [](const BoundingSphere& self) {
        return "BoundingSphere(center=" + repr(self.center) + ", radius=" + repr(self.radius) + ")";
      });
  bind_tests(type);
  bind_immutable(
      type,
      [](const BoundingSphere& self) { return nb::make_tuple(to_tuple(self.center), self.radius); },
      [](const nb::tuple& state) {
        StateReader read(state, 2);
        const Vector3 center = read.vector();
        return BoundingSphere{center, checked_radius(read.next())};
      });
}

void bind_oriented(nb::module_& m) {
  nb::class_<OrientedBox> type(m, "OrientedBox", "A box with axes of its own. Immutable.");
  type.def(
          "__init__",
          [](OrientedBox* self, nb::handle X, nb::handle half_extents) {
            const Vector3 half = to_vector3(half_extents, "half_extents");
            check_extents(half);
            new (self) OrientedBox{checked(X), half};
          },
          nb::kw_only(), "X"_a.none(), "half_extents"_a.none(),
          nb::sig("def __init__(self, *, X: " TACTUM_POSE_LIKE ", half_extents: " TACTUM_ARRAY_LIKE
                  ") -> None"),
          "X: pose of the center and the axes, in any form that pose_matrix takes. half_extents: "
          "(3,) in metres.")
      .def_prop_ro(
          "X", [](const OrientedBox& self) { return frozen(pose_array(self.pose)); },
          nb::sig("def X(self) -> " TACTUM_FLOAT_ARRAY), "Pose of the center and the axes, (4, 4).")
      .def_prop_ro(
          "half_extents",
          [](const OrientedBox& self) { return to_frozen_array(self.half_extents); },
          nb::sig("def half_extents(self) -> " TACTUM_FLOAT_ARRAY),
          "Half the sides, (3,) in metres.")
      .def("__repr__", [](const OrientedBox& self) {
        return "OrientedBox(center=" + repr(self.pose.translation) +
               ", half_extents=" + repr(self.half_extents) + ")";
      });
  bind_tests(type);
  bind_immutable(
      type,
      [](const OrientedBox& self) {
        return nb::make_tuple(pose_array(self.pose), to_tuple(self.half_extents));
      },
      [](const nb::tuple& state) {
        StateReader read(state, 2);
        const Pose pose = checked(read.next());
        const Vector3 half = read.vector();
        check_extents(half);
        return OrientedBox{pose, half};
      });
}

void bind_swept(nb::module_& m) {
  nb::class_<SweptBox> type(m, "SweptBox",
                            "All points within a radius of an oriented box, which may be a "
                            "rectangle, a segment or a point. Immutable.");
  type.def(
          "__init__",
          [](SweptBox* self, nb::handle X, nb::handle half_extents, nb::handle radius) {
            const Vector3 half = to_vector3(half_extents, "half_extents");
            check_extents(half);
            new (self) SweptBox{checked(X), half, checked_radius(radius)};
          },
          nb::kw_only(), "X"_a.none(), "half_extents"_a.none(), "radius"_a.none(),
          nb::sig("def __init__(self, *, X: " TACTUM_POSE_LIKE ", half_extents: " TACTUM_ARRAY_LIKE
                  ", radius: float) -> None"),
          "X: pose of the center and the axes, in any form that pose_matrix takes. half_extents: "
          "(3,) in metres. radius: in "
          "metres.")
      .def_prop_ro(
          "X", [](const SweptBox& self) { return frozen(pose_array(self.pose)); },
          nb::sig("def X(self) -> " TACTUM_FLOAT_ARRAY), "Pose of the center and the axes, (4, 4).")
      .def_prop_ro(
          "half_extents", [](const SweptBox& self) { return to_frozen_array(self.half_extents); },
          nb::sig("def half_extents(self) -> " TACTUM_FLOAT_ARRAY),
          "Half the sides of the box, (3,) in metres.")
      .def_prop_ro(
          "radius", [](const SweptBox& self) { return self.radius; },
          "Radius of the sphere swept around the box, in metres.")
      .def("__repr__", [](const SweptBox& self) {
        return "SweptBox(center=" + repr(self.pose.translation) +
               ", half_extents=" + repr(self.half_extents) + ", radius=" + repr(self.radius) + ")";
      });
  bind_tests(type);
  bind_immutable(
      type,
      [](const SweptBox& self) {
        return nb::make_tuple(pose_array(self.pose), to_tuple(self.half_extents), self.radius);
      },
      [](const nb::tuple& state) {
        StateReader read(state, 3);
        const Pose pose = checked(read.next());
        const Vector3 half = read.vector();
        check_extents(half);
        return SweptBox{pose, half, checked_radius(read.next())};
      });
}

/// Fits a volume to a shape at a pose, or to points.
template <class Volume, Volume (*of_shape)(const Shape&, const Pose&),
          Volume (*of_points)(const Points&)>
Volume fitted(nb::handle value, nb::handle X) {
  const Shape* shape = nullptr;
  if (!value.is_none() && nb::try_cast<const Shape*>(value, shape) && shape != nullptr)
    return of_shape(*shape, X.is_none() ? Pose{} : to_pose(X, "X").pose);
  const Points points = to_points(value, "shape");
  if (X.is_none()) return of_points(points);
  const Pose pose = checked(X);
  return of_points((pose.rotation * points).colwise() + pose.translation);
}

#define TACTUM_FIT(name, type)                                              \
  "def " name "(shape: Shape | " TACTUM_ARRAY_LIKE ", X: " TACTUM_POSE_LIKE \
  " | None = None) -> " type

}  // namespace

void bind_bounding_volume(nb::module_& m) {
  bind_sphere(m);
  bind_oriented(m);
  bind_swept(m);
  m.def("bounding_sphere", &fitted<BoundingSphere, &bounding_sphere, &bounding_sphere>,
        "shape"_a.none(), "X"_a.none() = nb::none(),
        nb::sig(TACTUM_FIT("bounding_sphere", "BoundingSphere")),
        R"(The smallest ball around a shape, or around (N, 3) points in metres.

X: pose of the shape or the points, in any form that pose_matrix takes; None: the identity.
Rounding is on the safe side. For a half-space the radius is infinite.)");
  m.def("oriented_box", &fitted<OrientedBox, &oriented_box, &oriented_box>, "shape"_a.none(),
        "X"_a.none() = nb::none(), nb::sig(TACTUM_FIT("oriented_box", "OrientedBox")),
        R"(A small box with axes of its own around a shape, or around (N, 3) points in metres.

For a primitive this is the box along its axes; for a hull it is the smallest along one of its
faces or its principal axes, improved by small rotations.
X: pose of the shape or the points; None: the identity. For a half-space the half extents are
infinite.)");
  m.def("swept_box", &fitted<SweptBox, &swept_box, &swept_box>, "shape"_a.none(),
        "X"_a.none() = nb::none(), nb::sig(TACTUM_FIT("swept_box", "SweptBox")),
        R"(A small box with a sphere swept around it that contains a shape, or (N, 3) points in
metres; it is tightest for round shapes.

X: pose of the shape or the points; None: the identity. For a half-space the half extents are
infinite.)");
}

}  // namespace tactum::python
