// SPDX-License-Identifier: BSD-2-Clause
// The objects of a scene: adding and moving them, what they are, and which pairs meet.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "batch_call.hpp"
#include "batch_input.hpp"
#include "bindings.hpp"
#include "convert.hpp"
#include "estimators.hpp"
#include "geometry.hpp"
#include "link_poses.hpp"
#include "scene_results.hpp"
#include "shared_scene.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

std::uint32_t to_bits(nb::handle value, const char* field) {
  constexpr const char* remedy = "give an integer from 0 to 0xFFFFFFFF";
  if (!PyIndex_Check(value.ptr()) || PyBool_Check(value.ptr()))
    throw_type_error(field, type_text(value), remedy);
  const nb::object number = nb::steal(PyNumber_Index(value.ptr()));
  if (!number.is_valid()) throw nb::python_error();
  int overflow = 0;
  const long long bits = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0 || bits < 0 || bits > 0xFFFFFFFFLL)
    throw InvalidInput(field, nb::cast<std::string>(nb::str(number)), remedy);
  return static_cast<std::uint32_t>(bits);
}

Material to_material(nb::handle friction, nb::handle restitution, nb::handle compliance) {
  return {.friction = to_double(friction, "friction"),
          .restitution = to_double(restitution, "restitution"),
          .compliance = to_double(compliance, "compliance")};
}

SceneId add(SharedScene& self, nb::handle shape, nb::handle X, nb::handle group, nb::handle mask,
            nb::handle name, nb::handle is_static, nb::handle margin, nb::handle friction,
            nb::handle restitution, nb::handle compliance) {
  SceneObject object{.geometry = to_geometry(shape, "shape"),
                     .X = to_pose(X, "X").pose,
                     .group = to_bits(group, "group"),
                     .mask = to_bits(mask, "mask"),
                     .name = to_text(name, "name"),
                     .is_static = to_flag(is_static, "static"),
                     .margin = to_double(margin, "margin"),
                     .material = to_material(friction, restitution, compliance)};
  return Lease(self)->add(std::move(object));
}

/// Adds one object for each pose, all or none; the ids of the new objects.
nb::object add_many(SharedScene& self, nb::handle shapes, nb::handle X, nb::handle group,
                    nb::handle mask, nb::handle names, nb::handle is_static, nb::handle margin,
                    nb::handle friction, nb::handle restitution, nb::handle compliance) {
  const nb::list poses(nb::module_::import_("tactum._scene_poses").attr("matrices")(X));
  const std::size_t count = poses.size();
  const auto item_of = [&](nb::handle list, std::size_t i, const char* field) -> nb::object {
    if (!PyList_Check(list.ptr()) && !PyTuple_Check(list.ptr())) return nb::borrow(list);
    if (nb::len(list) != count)
      throw InvalidInput(field, std::to_string(nb::len(list)) + " items",
                         "give one, or one for each of the " + std::to_string(count) + " poses");
    return list[i];
  };
  const std::uint32_t group_bits = to_bits(group, "group"), mask_bits = to_bits(mask, "mask");
  const bool fixed = to_flag(is_static, "static");
  const double wide = to_double(margin, "margin");
  const Material material = to_material(friction, restitution, compliance);
  std::vector<SceneObject> objects;
  for (std::size_t i = 0; i < count; ++i) {
    const nb::object pose = poses[i];
    SceneObject object{.geometry = to_geometry(item_of(shapes, i, "shapes"), "shapes"),
                       .X = check_pose(to_pose(pose, "X").pose, "X").pose,
                       .group = group_bits,
                       .mask = mask_bits,
                       .is_static = fixed,
                       .margin = wide,
                       .material = material};
    if (!names.is_none()) object.name = to_text(item_of(names, i, "names"), "names");
    objects.push_back(std::move(object));
  }
  const Lease lease(self);
  std::vector<SceneId> ids;
  try {
    for (SceneObject& object : objects) ids.push_back(lease->add(std::move(object)));
  } catch (...) {
    for (const SceneId id : ids) lease->remove(id);
    throw;
  }
  return ids_array(ids);
}

/// (M, 2) ids as pairs.
std::vector<std::pair<SceneId, SceneId>> to_pairs(nb::handle value) {
  constexpr const char* remedy = "give an (M, 2) array of ids";
  const nb::object given = as_integer_array(value, "pairs", remedy);
  const HeldArray numbers(to_int32(given, "pairs", "give ids of objects of the scene"), 'i',
                          "int32");
  if (numbers.items<std::int32_t>().empty()) return {};
  if (numbers.ndim() != 2 || numbers.shape(1) != 2)
    throw InvalidInput("pairs", shape_text(numbers.array()), remedy);
  std::vector<std::pair<SceneId, SceneId>> pairs;
  const std::span<const std::int32_t> items = numbers.items<std::int32_t>();
  for (std::size_t i = 0; i < items.size(); i += 2) pairs.emplace_back(items[i], items[i + 1]);
  return pairs;
}

/// Throws what is wrong with the pose of a link, by the name of its geometry.
[[noreturn]] void throw_bad_link(const InvalidInput& error, std::size_t link,
                                 const std::string& name) {
  throw InvalidInput("geometry_data.oMg[" + std::to_string(link) + "] of geometry '" + name + "'",
                     error.value(),
                     "call pinocchio.updateGeometryPlacements(model, data, geometry_model, "
                     "geometry_data, q) first");
}

/// Moves the links that from_pinocchio() made to the poses of a pinocchio.GeometryData.
void update(SharedScene& self, nb::handle data) {
  std::vector<SceneId> links;
  {
    const Lease lease(self);
    links = self.links;
  }
  if (links.empty())
    throw InvalidInput("scene", "a scene without links of a model",
                       "call update() of a scene that Scene.from_pinocchio() made; "
                       "set_poses(ids, X) moves the objects of any scene");
  const std::vector<Pose> given = link_poses(data, links.size());
  std::vector<Pose> poses;
  std::vector<SceneId> ids;
  std::vector<std::size_t> indices;
  const Lease lease(self);
  for (std::size_t link = 0; link < links.size(); ++link) {
    if (self.links[link] < 0) continue;  // it was removed
    ids.push_back(self.links[link]);
    poses.push_back(given[link]);
    indices.push_back(link);
  }
  try {
    lease->set_poses(ids, poses, 1);
  } catch (const InvalidInput& error) {
    for (std::size_t row = 0; row < ids.size(); ++row) {
      if (error.field().starts_with("X[" + std::to_string(row) + "]"))
        throw_bad_link(error, indices[row], lease->object(ids[row]).name);
    }
    throw;
  }
}

/// Removes an object. If it is a link, update() leaves out its pose from then on: its id may be
/// given to something else.
void remove_object(SharedScene& self, nb::handle given) {
  const SceneId id = to_int(given, "id");
  const Lease lease(self);
  lease->remove(id);
  std::ranges::replace(self.links, id, SceneId{-1});
}

void set_poses(SharedScene& self, nb::handle ids, nb::handle X, nb::handle num_threads) {
  const nb::object given = as_integer_array(ids, "ids", "give an array of ids");
  const HeldArray numbers(to_int32(given, "ids", "give ids of objects of the scene"), 'i', "int32");
  if (numbers.ndim() != 1)
    throw InvalidInput("ids", shape_text(numbers.array()), "give an array of one axis");
  RowCount rows;
  rows.add(numbers.shape(0), "ids");
  const PoseArgument poses(X, "X", rows);
  const int threads = to_int(num_threads, "num_threads");
  const Lease lease(self);
  interruptible([&] { lease->set_poses(numbers.items<std::int32_t>(), poses.span(), threads); });
}

nb::object pose_of(SharedScene& self, nb::handle id) {
  const Matrix4 matrix = pose_matrix(Lease(self)->object(to_int(id, "id")).X);
  const nb::object array = numpy().attr("empty")(nb::make_tuple(4, 4));
  Eigen::Map<Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(float_span(array).data) = matrix;
  return array;
}

/// (N, 4, 4) poses of all objects, by ascending id.
nb::object poses_of(SharedScene& self) {
  const Lease lease(self);
  const std::vector<SceneId> ids = lease->ids();
  const nb::object array = numpy().attr("empty")(nb::make_tuple(ids.size(), 4, 4));
  double* out = float_span(array).data;
  for (const SceneId id : ids) {
    Eigen::Map<Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>{out} = pose_matrix(
        lease->object(id).X);
    out += 16;
  }
  return frozen(array);
}

nb::list names_of(SharedScene& self) {
  const Lease lease(self);
  nb::list names;
  for (const SceneId id : lease->ids()) names.append(lease->object(id).name);
  return names;
}

void bind_filter(nb::class_<SharedScene>& type) {
  type.def(
          "forbid",
          [](SharedScene& self, nb::handle id_a, nb::handle id_b) {
            Lease(self)->forbid(to_int(id_a, "id_a"), to_int(id_b, "id_b"));
          },
          "id_a"_a.none(), "id_b"_a.none(),
          nb::sig("def forbid(self, id_a: int, id_b: int) -> None"),
          "Says that two objects never meet, whatever their groups and masks.")
      .def(
          "allow",
          [](SharedScene& self, nb::handle id_a, nb::handle id_b) {
            Lease(self)->allow(to_int(id_a, "id_a"), to_int(id_b, "id_b"));
          },
          "id_a"_a.none(), "id_b"_a.none(),
          nb::sig("def allow(self, id_a: int, id_b: int) -> None"),
          "Says that two objects meet, whatever their groups and masks.")
      .def(
          "set_pairs",
          [](SharedScene& self, nb::handle pairs) {
            const std::vector<std::pair<SceneId, SceneId>> listed = to_pairs(pairs);
            Lease(self)->set_pairs(listed);
          },
          "pairs"_a.none(), nb::sig("def set_pairs(self, pairs: " TACTUM_ARRAY_LIKE ") -> None"),
          R"(Says which pairs of the objects that are here now meet: those listed, and no others.

pairs: (M, 2) ids, in any order. It replaces what forbid() and allow() said before, and says nothing
of objects that are added later: these meet by their groups and masks.)")
      .def(
          "may_meet",
          [](SharedScene& self, nb::handle id_a, nb::handle id_b) {
            return Lease(self)->may_meet(to_int(id_a, "id_a"), to_int(id_b, "id_b"));
          },
          "id_a"_a.none(), "id_b"_a.none(),
          nb::sig("def may_meet(self, id_a: int, id_b: int) -> bool"),
          "Whether two objects meet when they are near.")
      .def(
          "set_group",
          [](SharedScene& self, nb::handle id, nb::handle group) {
            Lease(self)->set_group(to_int(id, "id"), to_bits(group, "group"));
          },
          "id"_a.none(), "group"_a.none(),
          nb::sig("def set_group(self, id: int, group: int) -> None"),
          "Sets the group bits of an object.")
      .def(
          "set_mask",
          [](SharedScene& self, nb::handle id, nb::handle mask) {
            Lease(self)->set_mask(to_int(id, "id"), to_bits(mask, "mask"));
          },
          "id"_a.none(), "mask"_a.none(), nb::sig("def set_mask(self, id: int, mask: int) -> None"),
          "Sets the mask bits of an object.")
      .def(
          "set_material",
          [](SharedScene& self, nb::handle id, nb::handle friction, nb::handle restitution,
             nb::handle compliance) {
            Lease(self)->set_material(to_int(id, "id"),
                                      to_material(friction, restitution, compliance));
          },
          "id"_a.none(), nb::kw_only(), "friction"_a.none() = Material{}.friction,
          "restitution"_a.none() = Material{}.restitution,
          "compliance"_a.none() = Material{}.compliance,
          nb::sig("def set_material(self, id: int, *, friction: float = 0.5, restitution: float = "
                  "0.0, compliance: float = 0.0) -> None"),
          "Sets friction, restitution and compliance (m/N) of the surface of an object.")
      .def(
          "material",
          [](SharedScene& self, nb::handle id) {
            const Material m = Lease(self)->object(to_int(id, "id")).material;
            return nb::make_tuple(m.friction, m.restitution, m.compliance);
          },
          "id"_a.none(), nb::sig("def material(self, id: int) -> tuple[float, float, float]"),
          "(friction, restitution, compliance) of an object.")
      .def(
          "margin",
          [](SharedScene& self, nb::handle id) {
            return Lease(self)->object(to_int(id, "id")).margin;
          },
          "id"_a.none(), nb::sig("def margin(self, id: int) -> float"),
          "The margin of an object, in metres.")
      .def(
          "is_static",
          [](SharedScene& self, nb::handle id) {
            return Lease(self)->object(to_int(id, "id")).is_static;
          },
          "id"_a.none(), nb::sig("def is_static(self, id: int) -> bool"),
          "Whether an object was added as static.");
}

void bind_objects(nb::class_<SharedScene>& type) {
  type.def("add", &add, "shape"_a.none(), "X"_a.none() = nb::none(), nb::kw_only(),
           "group"_a.none() = 1, "mask"_a.none() = 0xFFFFFFFFU, "name"_a.none() = "",
           "static"_a.none() = false, "margin"_a.none() = 0.0,
           "friction"_a.none() = Material{}.friction,
           "restitution"_a.none() = Material{}.restitution,
           "compliance"_a.none() = Material{}.compliance,
           nb::sig("def add(self, shape: " TACTUM_GEOMETRY ", X: " TACTUM_POSE_LIKE
                   " = None, *, group: int = 1, mask: int = 0xFFFFFFFF, name: str = '', "
                   "static: bool = False, margin: float = 0.0, friction: float = 0.5, "
                   "restitution: float = 0.0, compliance: float = 0.0) -> int"),
           R"(Adds an object and returns its id. It meets every object unless it is told not to.

shape: a convex shape, a half-space, a compound or a mesh. X: its pose in the world; None: the identity.
group, mask: 32 bits each; objects meet when group_a & mask_b and group_b & mask_a are not zero.
name: at most 255 bytes; need not be unique. static: it does not move by itself, and two such
objects do not meet. margin: in metres, how far beyond its surface it looks for contacts, added to
the margin of every query. friction, restitution, compliance (m/N): of its surface. Ids are small
integers; the lowest id of a removed object is given again first.)")
      .def("add_many", &add_many, "shapes"_a.none(), "X"_a.none(), nb::kw_only(),
           "group"_a.none() = 1, "mask"_a.none() = 0xFFFFFFFFU, "names"_a.none() = nb::none(),
           "static"_a.none() = false, "margin"_a.none() = 0.0,
           "friction"_a.none() = Material{}.friction,
           "restitution"_a.none() = Material{}.restitution,
           "compliance"_a.none() = Material{}.compliance,
           nb::sig("def add_many(self, shapes: " TACTUM_GEOMETRY " | "
                   "collections.abc.Sequence[" TACTUM_GEOMETRY "], X: " TACTUM_POSE_LIKE
                   ", *, group: int = 1, mask: int = 0xFFFFFFFF, "
                   "names: collections.abc.Sequence[str] | None = None, static: bool = False, "
                   "margin: float = 0.0, friction: float = 0.5, restitution: float = 0.0, "
                   "compliance: float = 0.0) -> " TACTUM_INT_ARRAY),
           R"(Adds one object for each pose, all or none, and returns their (N,) ids.

shapes: one for all, or a list of one for each pose. X: (N, 4, 4) or (N, 7) poses, or a list of
poses. names: a list of one for each. group, mask, static, margin, friction, restitution and
compliance: as for add(), one value for all.)")
      .def("update", &update, "geometry_data"_a.none(),
           nb::sig("def update(self, geometry_data: typing.Any) -> None"),
           R"(Moves the links of a scene made by from_pinocchio() to the poses of its data.

geometry_data: a pinocchio.GeometryData of the same model after updateGeometryPlacements; the link
of geometry i goes to oMg[i]. Links that were removed are left out; a number of poses that is not
that of the model, and a scene that was not made from one, raise InvalidInput. Copies and pickles of
the scene know its links, text files do not.)")
      .def("remove", &remove_object, "id"_a.none(), nb::sig("def remove(self, id: int) -> None"),
           "Removes an object.")
      .def(
          "set_pose",
          [](SharedScene& self, nb::handle id, nb::handle X) {
            Lease(self)->set_pose(to_int(id, "id"), to_pose(X, "X").pose);
          },
          "id"_a.none(), "X"_a.none(),
          nb::sig("def set_pose(self, id: int, X: " TACTUM_POSE_LIKE ") -> None"),
          "Moves an object to the pose X in the world.")
      .def("set_poses", &set_poses, "ids"_a.none(), "X"_a.none(), nb::kw_only(),
           "num_threads"_a.none() = 0,
           nb::sig("def set_poses(self, ids: " TACTUM_ARRAY_LIKE ", X: " TACTUM_POSE_LIKE
                   ", *, num_threads: int = 0) -> None"),
           R"(Moves many objects: ids (N,), X (N, 4, 4) or (N, 7), or one pose for all.

It moves all or none: an unknown id or a bad pose raises InvalidInput with its index.)")
      .def("pose", &pose_of, "id"_a.none(),
           nb::sig("def pose(self, id: int) -> " TACTUM_FLOAT_ARRAY),
           "(4, 4) pose of an object in the world.")
      .def(
          "shape",
          [](SharedScene& self, nb::handle id) {
            return to_python(Lease(self)->object(to_int(id, "id")).geometry);
          },
          "id"_a.none(), nb::sig("def shape(self, id: int) -> " TACTUM_GEOMETRY),
          "The shape, compound or mesh of an object.")
      .def(
          "name",
          [](SharedScene& self, nb::handle id) {
            return Lease(self)->object(to_int(id, "id")).name;
          },
          "id"_a.none(), nb::sig("def name(self, id: int) -> str"), "The name of an object.")
      .def(
          "group",
          [](SharedScene& self, nb::handle id) {
            return Lease(self)->object(to_int(id, "id")).group;
          },
          "id"_a.none(), nb::sig("def group(self, id: int) -> int"), "The group bits of an object.")
      .def(
          "mask",
          [](SharedScene& self, nb::handle id) {
            return Lease(self)->object(to_int(id, "id")).mask;
          },
          "id"_a.none(), nb::sig("def mask(self, id: int) -> int"), "The mask bits of an object.")
      .def(
          "find",
          [](SharedScene& self, nb::handle name) -> nb::object {
            const SceneId id = Lease(self)->find(to_text(name, "name"));
            return id < 0 ? nb::none() : nb::cast(id);
          },
          "name"_a.none(), nb::sig("def find(self, name: str) -> int | None"),
          "The lowest id of that name; None when there is none.")
      .def_prop_ro(
          "ids", [](SharedScene& self) { return ids_array(Lease(self)->ids()); },
          nb::sig("def ids(self) -> " TACTUM_INT_ARRAY), "(N,) ids of all objects, ascending.")
      .def_prop_ro("poses", &poses_of, nb::sig("def poses(self) -> " TACTUM_FLOAT_ARRAY),
                   "(N, 4, 4) poses of all objects, by ascending id; a copy.")
      .def_prop_ro("names", &names_of, nb::sig("def names(self) -> list[str]"),
                   "Names of all objects, by ascending id.")
      .def_prop_ro(
          "nbytes", [](SharedScene& self) { return Lease(self)->nbytes(); },
          "Memory held, in bytes, without the shapes.")
      .def(
          "__len__", [](SharedScene& self) { return Lease(self)->size(); }, "Number of objects.")
      .def(
          "__contains__",
          [](SharedScene& self, nb::handle id) { return Lease(self)->contains(to_int(id, "id")); },
          "id"_a.none(), nb::sig("def __contains__(self, id: int, /) -> bool"),
          "Whether an object has this id.")
      .def(
          "__iter__",
          [](SharedScene& self) {
            return nb::iter(ids_array(Lease(self)->ids()).attr("tolist")());
          },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[int]"), "The ids, ascending.")
      .def("__repr__", [](SharedScene& self) {
        return "Scene(" + std::to_string(Lease(self)->size()) + " objects)";
      });
}

}  // namespace

std::string to_text(nb::handle value, const char* field) {
  if (!PyUnicode_Check(value.ptr())) throw_type_error(field, type_text(value), "give text");
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (text == nullptr) {
    PyErr_Clear();  // a lone surrogate
    throw InvalidInput(field, "text that has no UTF-8 form", "give valid text");
  }
  return {text, static_cast<std::size_t>(size)};
}

void bind_scene_objects(nb::class_<SharedScene>& type) {
  bind_filter(type);
  bind_objects(type);
}

}  // namespace tactum::python
