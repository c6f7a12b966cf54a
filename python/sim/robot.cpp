// SPDX-License-Identifier: BSD-2-Clause
// Robots from URDF and MJCF files, and models in files and pickles.
#include "tactum/sim/robot.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>

#include "batch_call.hpp"
#include "bindings.hpp"
#include "contact_arrays.hpp"
#include "geometry.hpp"
#include "sim.hpp"
#include "tactum/sim/model_file.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

#define TACTUM_ROBOT_OPTIONS                                                                      \
  "X: " TACTUM_POSE_LIKE                                                                          \
  " | None = None, name: str | None = None, friction: float | None = None, restitution: float = " \
  "0.0, compliance: float = 0.0, margin: float = 0.0, meshes: typing.Literal['hull', 'exact'] = " \
  "'hull', geometries: bool = True, any_path: bool = False"

namespace tactum::python {
namespace {

/// Text, or a path: anything that os.fspath takes.
std::string to_path(nb::handle value, const char* field) {
  const nb::object path = nb::steal(PyOS_FSPath(value.ptr()));
  if (!path.is_valid() || !PyUnicode_Check(path.ptr())) {
    PyErr_Clear();
    throw_type_error(field, type_text(value), "give the path of a file");
  }
  return nb::cast<std::string>(path);
}

std::vector<std::string> to_paths(nb::handle value, const char* field) {
  std::vector<std::string> paths;
  for (nb::handle each : nb::iter(value)) paths.push_back(to_path(each, field));
  return paths;
}

bool to_base(nb::handle base) {
  const std::string text = nb::cast<std::string>(nb::str(base));
  if (text == "free") return true;
  if (text == "fixed") return false;
  throw InvalidInput("base", nb::cast<std::string>(nb::repr(base)), "give 'free' or 'fixed'");
}

sim::RobotOptions::Meshes to_meshes(nb::handle meshes) {
  const std::string text = nb::cast<std::string>(nb::str(meshes));
  if (text == "hull") return sim::RobotOptions::Meshes::hull;
  if (text == "exact") return sim::RobotOptions::Meshes::exact;
  throw InvalidInput("meshes", nb::cast<std::string>(nb::repr(meshes)), "give 'hull' or 'exact'");
}

sim::RobotOptions to_options(nb::handle X, nb::handle name, nb::handle friction,
                             nb::handle restitution, nb::handle compliance, nb::handle margin,
                             nb::handle meshes, bool geometries, bool any_path) {
  sim::RobotOptions options;
  options.X = to_pose_or_identity(X, "X");
  if (!name.is_none()) options.name = nb::cast<std::string>(name);
  options.surface = {.friction = to_optional(friction, "friction"),
                     .restitution = to_double(restitution, "restitution"),
                     .compliance = to_double(compliance, "compliance")};
  options.margin = to_double(margin, "margin");
  options.meshes = to_meshes(meshes);
  options.geometries = geometries;
  options.any_path = any_path;
  return options;
}

sim::RobotOptions to_urdf_options(nb::handle package_dirs, nb::handle base, nb::handle srdf,
                                  sim::RobotOptions options) {
  options.package_dirs = to_paths(package_dirs, "package_dirs");
  options.free_base = to_base(base);
  if (!srdf.is_none()) options.srdf = to_path(srdf, "srdf");
  return options;
}

int call_add_urdf(sim::ModelBuilder& self, nb::handle path, nb::handle package_dirs,
                  nb::handle base, nb::handle srdf, nb::handle X, nb::handle name,
                  nb::handle friction, nb::handle restitution, nb::handle compliance,
                  nb::handle margin, nb::handle meshes, bool geometries, bool any_path) {
  return self.add_urdf(to_path(path, "path"),
                       to_urdf_options(package_dirs, base, srdf,
                                       to_options(X, name, friction, restitution, compliance,
                                                  margin, meshes, geometries, any_path)));
}

sim::Model call_load_urdf(nb::handle path, nb::handle package_dirs, nb::handle base,
                          nb::handle srdf, nb::handle X, nb::handle name, nb::handle friction,
                          nb::handle restitution, nb::handle compliance, nb::handle margin,
                          nb::handle meshes, bool geometries, bool any_path) {
  return sim::load_urdf(to_path(path, "path"),
                        to_urdf_options(package_dirs, base, srdf,
                                        to_options(X, name, friction, restitution, compliance,
                                                   margin, meshes, geometries, any_path)));
}

int call_add_mjcf(sim::ModelBuilder& self, nb::handle path, bool ignore_unsupported, nb::handle X,
                  nb::handle name, nb::handle friction, nb::handle restitution,
                  nb::handle compliance, nb::handle margin, nb::handle meshes, bool geometries,
                  bool any_path) {
  sim::RobotOptions options = to_options(X, name, friction, restitution, compliance, margin, meshes,
                                         geometries, any_path);
  options.ignore_unsupported = ignore_unsupported;
  return self.add_mjcf(to_path(path, "path"), options);
}

sim::Model call_load_mjcf(nb::handle path, bool ignore_unsupported, nb::handle X, nb::handle name,
                          nb::handle friction, nb::handle restitution, nb::handle compliance,
                          nb::handle margin, nb::handle meshes, bool geometries, bool any_path) {
  sim::RobotOptions options = to_options(X, name, friction, restitution, compliance, margin, meshes,
                                         geometries, any_path);
  options.ignore_unsupported = ignore_unsupported;
  return sim::load_mjcf(to_path(path, "path"), options);
}

#define TACTUM_ROBOT_ARGUMENTS                                                                 \
  "X"_a = nb::none(), "name"_a = nb::none(), "friction"_a = nb::none(), "restitution"_a = 0.0, \
  "compliance"_a = 0.0, "margin"_a = 0.0, "meshes"_a = "hull", "geometries"_a = true,          \
  "any_path"_a = false
#define TACTUM_PATH "str | os.PathLike[str]"
#define TACTUM_URDF_OPTIONS                                                        \
  "path: " TACTUM_PATH ", package_dirs: collections.abc.Sequence[" TACTUM_PATH     \
  "] = (), *, base: typing.Literal['free', 'fixed'] = 'fixed', srdf: " TACTUM_PATH \
  " | None = None, " TACTUM_ROBOT_OPTIONS
#define TACTUM_MJCF_OPTIONS \
  "path: " TACTUM_PATH ", *, ignore_unsupported: bool = False, " TACTUM_ROBOT_OPTIONS

// -------------------------------------------------------------------------------------------------
// robots as plain data, which tactum.sim.from_pinocchio makes
template <typename Value>
Value item(const nb::dict& values, const char* name) {
  return nb::cast<Value>(values[name]);
}

sim::JointKind to_kind(const std::string& name) {
  constexpr std::array<const char*, 6> kKinds = {"free",     "spherical",  "planar",
                                                 "revolute", "continuous", "prismatic"};
  const auto found = std::find(kKinds.begin(), kKinds.end(), name);
  if (found == kKinds.end()) throw InvalidInput("joint kind", name, "give a kind of joint");
  return static_cast<sim::JointKind>(found - kKinds.begin());
}

sim::RobotJoint to_joint(const nb::dict& values) {
  const auto number = [&](const char* name) { return to_double(values[name], name); };
  sim::RobotJoint joint{.name = item<std::string>(values, "name"),
                        .parent = item<int>(values, "parent"),
                        .kind = to_kind(item<std::string>(values, "kind")),
                        .axis = to_vector3(values["axis"], "axis"),
                        .X_PJ = to_pose(values["X"], "X").pose};
  joint.inertia = {number("mass"), to_vector3(values["center"], "center"),
                   to_matrix(values["inertia"], "inertia")};
  joint.lower = number("lower");
  joint.upper = number("upper");
  joint.effort_limit = number("effort_limit");
  joint.velocity_limit = number("velocity_limit");
  joint.damping = number("damping");
  joint.dry_friction = number("dry_friction");
  joint.armature = number("armature");
  return joint;
}

/// Adds a robot of dictionaries: joints, geometries as (shape, joint, X, name), pairs that never
/// meet, and the initial q or None.
int call_add_robot(sim::ModelBuilder& self, const nb::list& joints, const nb::list& geometries,
                   const nb::list& forbidden, bool overlaps_meet, nb::handle q, nb::handle X,
                   nb::handle name, nb::handle friction, nb::handle restitution,
                   nb::handle compliance, nb::handle margin) {
  const sim::RobotOptions options = to_options(X, name, friction, restitution, compliance, margin,
                                               nb::str("hull"), true, false);
  sim::RobotDescription robot;
  for (nb::handle joint : joints) robot.joints.push_back(to_joint(nb::cast<nb::dict>(joint)));
  for (nb::handle each : geometries) {
    const nb::tuple given = nb::cast<nb::tuple>(each);
    robot.geometries.push_back({.geometry = to_geometry(given[0], "shape"),
                                .joint = nb::cast<int>(given[1]),
                                .X_JG = to_pose(given[2], "placement").pose,
                                .surface = options.surface,
                                .margin = options.margin,
                                .name = nb::cast<std::string>(given[3])});
  }
  for (nb::handle pair : forbidden) robot.forbidden.push_back(nb::cast<std::pair<int, int>>(pair));
  if (!q.is_none()) robot.initial_q = to_vector(q, "q");
  robot.overlaps_meet = overlaps_meet;
  return self.add_robot(robot, options.X, options.name);
}

void bind_robot_data(nb::module_& m) {
  m.def("add_robot_data", call_add_robot, "builder"_a, "joints"_a, "geometries"_a, "forbidden"_a,
        "overlaps_meet"_a, "q"_a.none(), "X"_a.none(), "name"_a.none(), "friction"_a.none(),
        "restitution"_a, "compliance"_a, "margin"_a,
        nb::sig("def add_robot_data(builder: ModelBuilder, joints: list[dict[str, typing.Any]], "
                "geometries: list[tuple[typing.Any, ...]], forbidden: list[tuple[int, int]], "
                "overlaps_meet: bool, q: "
                "typing.Any, X: typing.Any, name: str | None, friction: float | None, restitution: "
                "float, compliance: float, margin: float) -> int"),
        "Add a robot of plain data to a builder; returns the first of its bodies.");
}

constexpr const char* kUrdfText =
    "Read a robot from a URDF file. package_dirs: folders in which package:// paths are looked "
    "for. "
    "base: 'fixed' to the world at the pose X, or 'free'. srdf: a file with pairs of links that "
    "never collide. meshes: as their convex 'hull', or 'exact'. friction, restitution, compliance "
    "and margin "
    "are those of all its shapes. name: put before the names of joints, with a slash.";
constexpr const char* kMjcfText =
    "Read robots and objects from an MJCF file. What a step cannot do is an error unless "
    "ignore_unsupported is True. Frictions are those of the file where it gives them.";

}  // namespace

void bind_sim_robot(nb::module_& m) {
  const auto builder = nb::borrow<nb::class_<sim::ModelBuilder>>(m.attr("ModelBuilder"));
  nb::class_<sim::ModelBuilder> methods(builder);
  methods
      .def("add_urdf", call_add_urdf, "path"_a, "package_dirs"_a = nb::make_tuple(), nb::kw_only(),
           "base"_a = "fixed", "srdf"_a = nb::none(), TACTUM_ROBOT_ARGUMENTS,
           nb::sig("def add_urdf(self, " TACTUM_URDF_OPTIONS ") -> int"), kUrdfText)
      .def("add_mjcf", call_add_mjcf, "path"_a, nb::kw_only(), "ignore_unsupported"_a = false,
           TACTUM_ROBOT_ARGUMENTS, nb::sig("def add_mjcf(self, " TACTUM_MJCF_OPTIONS ") -> int"),
           kMjcfText);
  m.def("load_urdf", call_load_urdf, "path"_a, "package_dirs"_a = nb::make_tuple(), nb::kw_only(),
        "base"_a = "fixed", "srdf"_a = nb::none(), TACTUM_ROBOT_ARGUMENTS,
        nb::sig("def load_urdf(" TACTUM_URDF_OPTIONS ") -> Model"), kUrdfText);
  m.def("load_mjcf", call_load_mjcf, "path"_a, nb::kw_only(), "ignore_unsupported"_a = false,
        TACTUM_ROBOT_ARGUMENTS, nb::sig("def load_mjcf(" TACTUM_MJCF_OPTIONS ") -> Model"),
        kMjcfText);
  const auto model = nb::borrow<nb::class_<sim::Model>>(m.attr("Model"));
  nb::class_<sim::Model> of_model(model);
  of_model
      .def(
          "save",
          [](const sim::Model& self, nb::handle path) {
            sim::save_model(self, to_path(path, "path"));
          },
          "path"_a, nb::sig("def save(self, path: " TACTUM_PATH ") -> None"),
          "Write a file with every number exact; the old file stays until the new one is complete.")
      .def_static(
          "load", [](nb::handle path) { return sim::load_model(to_path(path, "path")); }, "path"_a,
          nb::sig("def load(path: " TACTUM_PATH ") -> Model"), "Read what save() wrote.")
      .def("__getstate__", [](const sim::Model& self) { return sim::model_text(self); })
      .def("__setstate__", [](sim::Model& self, const std::string& text) {
        new (&self) sim::Model(sim::model_from_text(text));
      });
  const auto state = nb::borrow<nb::class_<sim::State>>(m.attr("State"));
  nb::class_<sim::State> of_state(state);
  of_state
      .def(
          "save",
          [](const sim::State& self, nb::handle path) {
            sim::save_state(self, to_path(path, "path"));
          },
          "path"_a, nb::sig("def save(self, path: " TACTUM_PATH ") -> None"),
          "Write a file with every number exact and the contact forces that the next step begins "
          "from.")
      .def_static(
          "load", [](nb::handle path) { return sim::load_state(to_path(path, "path")); }, "path"_a,
          nb::sig("def load(path: " TACTUM_PATH ") -> State"),
          "Read what save() wrote; a rollout goes on with the same bits.")
      .def("__getstate__", [](const sim::State& self) { return sim::state_text(self); })
      .def("__setstate__", [](sim::State& self, const std::string& text) {
        new (&self) sim::State(sim::state_from_text(text));
      });
  bind_robot_data(m);
}

}  // namespace tactum::python
