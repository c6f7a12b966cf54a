// SPDX-License-Identifier: BSD-2-Clause
// ModelBuilder, Model and State.
#include "tactum/sim/model.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "batch_call.hpp"
#include "bindings.hpp"
#include "contact_arrays.hpp"
#include "geometry.hpp"
#include "keywords.hpp"
#include "sim.hpp"
#include "tactum/scene.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {

const sim::Model& to_model(nb::handle value) {
  const sim::Model* model = nullptr;
  if (!nb::try_cast<const sim::Model*>(value, model) || model == nullptr)
    throw_type_error("model", type_text(value), "give what ModelBuilder.build() returned");
  return *model;
}

const sim::State& to_state(nb::handle value) {
  const sim::State* state = nullptr;
  if (!nb::try_cast<const sim::State*>(value, state) || state == nullptr)
    throw_type_error("state", type_text(value), "give what model.state() returned");
  return *state;
}

namespace {

using ArrayView = nb::ndarray<nb::numpy, double, nb::ndim<1>>;

/// A view of a vector that lives in `owner`.
ArrayView view_of(Eigen::VectorXd& values, nb::handle owner) {
  return ArrayView(values.data(), {static_cast<std::size_t>(values.size())}, owner);
}

/// Replaces the numbers of a vector, which keeps its size.
void assign(Eigen::VectorXd& values, nb::handle given, const char* field) {
  const Eigen::VectorXd numbers = to_vector(given, field);
  if (numbers.size() != values.size())
    throw InvalidInput(field, std::to_string(numbers.size()) + " numbers",
                       "give " + std::to_string(values.size()) + ", as many as the model has");
  values = numbers;
}

std::string to_text(nb::handle value, const char* field) {
  if (value.is_none()) return {};
  if (!PyUnicode_Check(value.ptr())) throw_type_error(field, type_text(value), "give text");
  return nb::cast<std::string>(value);
}

sim::Surface to_surface(nb::handle friction, nb::handle restitution, nb::handle compliance) {
  return {.friction = to_optional(friction, "friction"),
          .restitution = to_double(restitution, "restitution"),
          .compliance = to_double(compliance, "compliance")};
}

sim::BodyInertia to_inertia(nb::handle mass, nb::handle inertia, nb::handle center) {
  const Eigen::MatrixXd matrix = to_matrix(inertia, "inertia");
  if (matrix.rows() != 3 || matrix.cols() != 3)
    throw InvalidInput("inertia",
                       std::to_string(matrix.rows()) + " x " + std::to_string(matrix.cols()),
                       "give a 3 x 3 matrix in kg m^2, about the center of mass");
  if (mass.is_none()) throw InvalidInput("mass", "None", "give the mass in kg with the inertia");
  return {.mass = to_double(mass, "mass"),
          .center = center.is_none() ? Vector3(Vector3::Zero()) : to_vector3(center, "center"),
          .inertia = matrix};
}

int call_add_body(sim::ModelBuilder& self, nb::handle shape, nb::handle mass, nb::handle density,
                  nb::handle inertia, nb::handle center, nb::handle X, nb::handle name,
                  nb::handle friction, nb::handle restitution, nb::handle compliance,
                  nb::handle margin) {
  sim::BodyOptions options;
  if (inertia.is_none()) {
    options.mass = to_optional(mass, "mass");
    options.density = to_optional(density, "density");
  } else {
    options.density = to_optional(density, "density");
    options.inertia = to_inertia(mass, inertia, center);
  }
  options.X = to_pose_or_identity(X, "X");
  options.name = to_text(name, "name");
  options.surface = to_surface(friction, restitution, compliance);
  options.margin = to_double(margin, "margin");
  return self.add_body(to_geometry(shape, "shape"), options);
}

constexpr const char* kBuilderSignature = "def __init__(self, gravity: " TACTUM_ARRAY_LIKE
                                          " = (0.0, 0.0, -9.81)) -> None";

void bind_builder(nb::module_& m) {
  nb::class_<sim::ModelBuilder>(
      m, "ModelBuilder",
      "Collects bodies and robots and makes a model of them. Everything is checked when it is "
      "added: InvalidInput names field, value and remedy, and nothing has changed then.")
      .def(
          "__init__",
          [](sim::ModelBuilder* self, const nb::args& args, const nb::kwargs& keywords) {
            const Keywords given("ModelBuilder", kBuilderSignature, args, keywords, {}, {"gravity"},
                                 {"gravity"});
            const nb::object gravity = given.get("gravity", nb::make_tuple(0.0, 0.0, -9.81));
            new (self) sim::ModelBuilder(to_vector3(gravity, "gravity"));
          },
          nb::sig(kBuilderSignature), "Begin an empty model. gravity: (3,) in m/s^2, in the world.")
      .def(
          "add_ground",
          [](sim::ModelBuilder& self, nb::handle friction, nb::handle restitution,
             nb::handle compliance, nb::handle normal, nb::handle offset) {
            return self.add_ground(to_surface(friction, restitution, compliance),
                                   to_vector3(normal, "normal"), to_double(offset, "offset"));
          },
          nb::kw_only(), "friction"_a = nb::none(), "restitution"_a = 0.0, "compliance"_a = 0.0,
          "normal"_a = nb::make_tuple(0.0, 0.0, 1.0), "offset"_a = 0.0,
          nb::sig("def add_ground(self, *, friction: float | None = None, restitution: float = "
                  "0.0, compliance: float = 0.0, normal: " TACTUM_ARRAY_LIKE
                  " = (0.0, 0.0, 1.0), offset: float = 0.0) -> int"),
          "Add the solid half-space n . x <= offset. A friction of None takes that of whatever "
          "touches it. Returns the number of the geometry.")
      .def(
          "add_fixed",
          [](sim::ModelBuilder& self, nb::handle shape, nb::handle X, nb::handle name,
             nb::handle friction, nb::handle restitution, nb::handle compliance) {
            return self.add_fixed(to_geometry(shape, "shape"), to_pose_or_identity(X, "X"),
                                  to_surface(friction, restitution, compliance),
                                  to_text(name, "name"));
          },
          "shape"_a, "X"_a = nb::none(), nb::kw_only(), "name"_a = nb::none(),
          "friction"_a = nb::none(), "restitution"_a = 0.0, "compliance"_a = 0.0,
          nb::sig("def add_fixed(self, shape: typing.Any, X: " TACTUM_POSE_LIKE
                  " | None = None, *, name: str | None = None, friction: float | None = None, "
                  "restitution: float = 0.0, compliance: float = 0.0) -> int"),
          "Add a shape that is fixed to the world at the pose X. Returns the number of the "
          "geometry.")
      .def("add_body", call_add_body, "shape"_a, nb::kw_only(), "mass"_a = nb::none(),
           "density"_a = nb::none(), "inertia"_a = nb::none(), "center"_a = nb::none(),
           "X"_a = nb::none(), "name"_a = nb::none(), "friction"_a = nb::none(),
           "restitution"_a = 0.0, "compliance"_a = 0.0, "margin"_a = 0.0,
           nb::sig("def add_body(self, shape: typing.Any, *, mass: float | None = None, density: "
                   "float | None = None, inertia: " TACTUM_ARRAY_LIKE
                   " | None = None, center: " TACTUM_ARRAY_LIKE
                   " | None = None, X: " TACTUM_POSE_LIKE
                   " | None = None, name: str | None = None, friction: float | None = None, "
                   "restitution: float = 0.0, compliance: float = 0.0, margin: float = 0.0) -> "
                   "int"),
           "Add a free body with one shape. Give its mass in kg or its density in kg/m^3, and the "
           "inertia is that of the uniform solid; or mass, inertia (3, 3) in kg m^2 about the "
           "center of mass and center (3,) in m, all in the frame of the body. X: first pose in "
           "the world. Returns the number of the body.")
      .def(
          "add_geometry",
          [](sim::ModelBuilder& self, nb::handle body, nb::handle shape, nb::handle X,
             nb::handle name, nb::handle friction, nb::handle restitution, nb::handle compliance,
             nb::handle margin) {
            return self.add_geometry(to_int(body, "body"), to_geometry(shape, "shape"),
                                     to_pose_or_identity(X, "X"),
                                     to_surface(friction, restitution, compliance),
                                     to_double(margin, "margin"), to_text(name, "name"));
          },
          "body"_a, "shape"_a, "X"_a = nb::none(), nb::kw_only(), "name"_a = nb::none(),
          "friction"_a = nb::none(), "restitution"_a = 0.0, "compliance"_a = 0.0, "margin"_a = 0.0,
          nb::sig("def add_geometry(self, body: int, shape: typing.Any, X: " TACTUM_POSE_LIKE
                  " | None = None, *, name: str | None = None, friction: float | None = None, "
                  "restitution: float = 0.0, compliance: float = 0.0, margin: float = 0.0) -> int"),
          "Add one more shape to a body, at the pose X in its frame; its inertia stays. Returns "
          "the number of the geometry.")
      .def(
          "add_scene",
          [](sim::ModelBuilder& self, nb::handle scene, nb::handle density) {
            if (!nb::hasattr(scene, "to_text"))
              throw_type_error("scene", type_text(scene), "give a tactum.Scene");
            const std::string text = nb::cast<std::string>(scene.attr("to_text")());
            self.add_scene(Scene::from_text(text), to_double(density, "density"));
          },
          "scene"_a.none(), "density"_a = 1000.0,
          nb::sig("def add_scene(self, scene: typing.Any, density: float = 1000.0) -> None"),
          "Add the objects of a tactum.Scene with their materials and filters: static ones and "
          "half-spaces to the world, the others as free bodies of this density in kg/m^3.")
      .def(
          "add_weld",
          [](sim::ModelBuilder& self, nb::handle body_a, nb::handle body_b, nb::handle X_A,
             nb::handle X_B) {
            return self.add_weld(to_int(body_a, "body_a"), to_int(body_b, "body_b"),
                                 to_pose_or_identity(X_A, "X_A"),
                                 X_B.is_none() ? std::optional<Pose>() : to_pose(X_B, "X_B").pose);
          },
          "body_a"_a, "body_b"_a, "X_A"_a = nb::none(), "X_B"_a = nb::none(),
          nb::sig("def add_weld(self, body_a: int, body_b: int, X_A: " TACTUM_POSE_LIKE
                  " | None = None, X_B: " TACTUM_POSE_LIKE " | None = None) -> int"),
          "Hold the frame at X_A of body A together with that at X_B of body B; body 0 is the "
          "world. Without X_B they are together at the initial position. Closes loops. Returns "
          "the number of the closure.")
      .def(
          "add_connection",
          [](sim::ModelBuilder& self, nb::handle body_a, nb::handle body_b, nb::handle point_a,
             nb::handle point_b) {
            return self.add_connection(
                to_int(body_a, "body_a"), to_int(body_b, "body_b"), to_vector3(point_a, "point_a"),
                point_b.is_none() ? std::optional<Vector3>() : to_vector3(point_b, "point_b"));
          },
          "body_a"_a, "body_b"_a, "point_a"_a, "point_b"_a = nb::none(),
          nb::sig("def add_connection(self, body_a: int, body_b: int, point_a: " TACTUM_ARRAY_LIKE
                  ", point_b: " TACTUM_ARRAY_LIKE " | None = None) -> int"),
          "Hold a point (3,) of body A together with one of body B, each in m in the frame of its "
          "body, as a ball joint does. Without point_b they are together at the initial position. "
          "Returns the number of the closure.")
      .def(
          "add_coupling",
          [](sim::ModelBuilder& self, nb::handle joint_a, nb::handle joint_b, nb::handle ratio,
             nb::handle offset) {
            return self.add_coupling(to_text(joint_a, "joint_a"), to_text(joint_b, "joint_b"),
                                     to_double(ratio, "ratio"), to_double(offset, "offset"));
          },
          "joint_a"_a, "joint_b"_a = nb::none(), "ratio"_a = 1.0, "offset"_a = 0.0,
          nb::sig("def add_coupling(self, joint_a: str, joint_b: str | None = None, ratio: float = "
                  "1.0, offset: float = 0.0) -> int"),
          "Hold q_a = offset + ratio q_b, of joints with one coordinate each, given by their "
          "names; "
          "without joint_b, q_a is held at the offset. Returns its number.")
      .def("forbid", &sim::ModelBuilder::forbid, "geometry_a"_a, "geometry_b"_a,
           "Look for no contacts between two geometries.")
      .def("allow", &sim::ModelBuilder::allow, "geometry_a"_a, "geometry_b"_a,
           "Look for contacts between two geometries again.")
      .def(
          "find_body",
          [](const sim::ModelBuilder& self, const std::string& name) {
            return self.find_body(name);
          },
          "name"_a, "Number of the body of that name; -1: none.")
      .def(
          "find_geometry",
          [](const sim::ModelBuilder& self, const std::string& name) {
            return self.find_geometry(name);
          },
          "name"_a, "Number of the geometry of that name; -1: none.")
      .def("build", &sim::ModelBuilder::build, "Make a model of everything added so far.");
}

nb::object pose_arrays(const std::vector<Pose>& poses) {
  const nb::object array = numpy().attr("empty")(nb::make_tuple(poses.size(), 4, 4));
  double* out = float_span(array).data;
  for (const Pose& pose : poses) {
    Eigen::Map<Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>{out} = pose_matrix(pose);
    out += 16;
  }
  return array;
}

void bind_model(nb::module_& m) {
  nb::class_<sim::Model>(m, "Model",
                         "What is simulated: bodies, shapes, materials. It is immutable, and safe "
                         "to use from many threads.")
      .def_prop_ro("nq", &sim::Model::nq, "Number of coordinates in q.")
      .def_prop_ro("nv", &sim::Model::nv, "Number of velocities in v.")
      .def_prop_ro(
          "gravity", [](const sim::Model& self) { return to_array(self.gravity()); },
          nb::sig("def gravity(self) -> " TACTUM_FLOAT_ARRAY), "(3,), m/s^2, in the world.")
      .def_prop_ro("names", &sim::Model::names,
                   "Names of the joints in the order of q; that of a free body is its own.")
      .def_prop_ro("num_bodies", &sim::Model::num_bodies, "Bodies, the world among them.")
      .def_prop_ro("num_geometries", &sim::Model::num_geometries, "Shapes of all bodies.")
      .def_prop_ro("num_closures", &sim::Model::num_closures,
                   "Connections and welds, then couplings of joints.")
      .def_prop_ro(
          "body_names",
          [](const sim::Model& self) {
            std::vector<std::string> names;
            for (int i = 0; i < self.num_bodies(); ++i) names.push_back(self.body_name(i));
            return names;
          },
          "Names of the bodies; body 0 is the world.")
      .def_prop_ro(
          "geometry_names",
          [](const sim::Model& self) {
            std::vector<std::string> names;
            for (int i = 0; i < self.num_geometries(); ++i) names.push_back(self.geometry_name(i));
            return names;
          },
          "Names of the geometries.")
      .def_prop_ro(
          "geometry_bodies",
          [](const sim::Model& self) {
            std::vector<int> bodies;
            for (int i = 0; i < self.num_geometries(); ++i) bodies.push_back(self.geometry_body(i));
            return bodies;
          },
          "Body of each geometry.")
      .def_prop_ro(
          "lower_position_limit",
          [](const sim::Model& self) { return vector_array(self.lower_position_limit()); },
          "(nq,), -inf where there is none.")
      .def_prop_ro(
          "upper_position_limit",
          [](const sim::Model& self) { return vector_array(self.upper_position_limit()); },
          "(nq,), inf where there is none.")
      .def("state", &sim::Model::state,
           "The initial state: bodies where they were added, joints neutral, at rest.")
      .def(
          "integrate",
          [](const sim::Model& self, nb::handle q, nb::handle dq) {
            return vector_array(self.integrate(to_vector(q, "q"), to_vector(dq, "dq")));
          },
          "q"_a, "dq"_a,
          nb::sig("def integrate(self, q: " TACTUM_ARRAY_LIKE ", dq: " TACTUM_ARRAY_LIKE
                  ") -> " TACTUM_FLOAT_ARRAY),
          "Move q (nq,) along the tangent vector dq (nv,), in Pinocchio's convention.")
      .def(
          "difference",
          [](const sim::Model& self, nb::handle q0, nb::handle q1) {
            return vector_array(self.difference(to_vector(q0, "q0"), to_vector(q1, "q1")));
          },
          "q0"_a, "q1"_a,
          nb::sig("def difference(self, q0: " TACTUM_ARRAY_LIKE ", q1: " TACTUM_ARRAY_LIKE
                  ") -> " TACTUM_FLOAT_ARRAY),
          "The tangent vector (nv,) that integrate() takes from q0 to q1.")
      .def(
          "geometry",
          [](const sim::Model& self, int index) {
            if (index < 0 || index >= self.num_geometries())
              throw InvalidInput(
                  "index", std::to_string(index),
                  "give a number from 0 to " + std::to_string(self.num_geometries() - 1));
            return to_python(self.geometry(index));
          },
          "index"_a, nb::sig("def geometry(self, index: int) -> typing.Any"),
          "Shape of a geometry.")
      .def(
          "body_poses",
          [](const sim::Model& self, nb::handle q) {
            return pose_arrays(self.body_poses(to_vector(q, "q")));
          },
          "q"_a, nb::sig("def body_poses(self, q: " TACTUM_ARRAY_LIKE ") -> " TACTUM_FLOAT_ARRAY),
          "(num_bodies, 4, 4): poses of all bodies in the world at q; body 0 is the world.")
      .def(
          "geometry_poses",
          [](const sim::Model& self, nb::handle q) {
            return pose_arrays(self.geometry_poses(to_vector(q, "q")));
          },
          "q"_a,
          nb::sig("def geometry_poses(self, q: " TACTUM_ARRAY_LIKE ") -> " TACTUM_FLOAT_ARRAY),
          "(num_geometries, 4, 4): poses of all geometries in the world at q.")
      .def("may_meet", &sim::Model::may_meet, "geometry_a"_a, "geometry_b"_a,
           "Whether contacts between two geometries are looked for.")
      .def("__repr__", [](const sim::Model& self) {
        return "Model(nq=" + std::to_string(self.nq()) + ", nv=" + std::to_string(self.nv()) +
               ", bodies=" + std::to_string(self.num_bodies()) +
               ", geometries=" + std::to_string(self.num_geometries()) + ")";
      });
}

void bind_state(nb::module_& m) {
  nb::class_<sim::State>(m, "State",
                         "What changes with time. q and v may be written to, entry by entry or as "
                         "a whole; they are checked when a step begins.")
      .def_prop_rw(
          "q", [](nb::handle self) { return view_of(nb::cast<sim::State&>(self).q, self); },
          [](sim::State& self, nb::handle value) { assign(self.q, value, "q"); },
          nb::for_getter(nb::sig("def q(self) -> " TACTUM_FLOAT_ARRAY)),
          nb::for_setter(nb::sig("def q(self, value: " TACTUM_ARRAY_LIKE ") -> None")),
          "(nq,): coordinates, as Pinocchio has them.")
      .def_prop_rw(
          "v", [](nb::handle self) { return view_of(nb::cast<sim::State&>(self).v, self); },
          [](sim::State& self, nb::handle value) { assign(self.v, value, "v"); },
          nb::for_getter(nb::sig("def v(self) -> " TACTUM_FLOAT_ARRAY)),
          nb::for_setter(nb::sig("def v(self, value: " TACTUM_ARRAY_LIKE ") -> None")),
          "(nv,): velocities, those of free bodies in their own axes.")
      .def_rw("time", &sim::State::time, "s.")
      .def(
          "copy", [](const sim::State& self) { return self; },
          "A state of its own, with the contact forces that the next step begins from.")
      .def("__copy__", [](const sim::State& self) { return self; })
      .def(
          "__deepcopy__", [](const sim::State& self, nb::handle) { return self; }, "memo"_a)
      .def("__repr__", [](const sim::State& self) {
        return "State(nq=" + std::to_string(self.q.size()) +
               ", nv=" + std::to_string(self.v.size()) + ", time=" + repr(self.time) + ")";
      });
}

}  // namespace

void bind_sim_model(nb::module_& m) {
  bind_state(m);
  bind_model(m);
  bind_builder(m);
}

}  // namespace tactum::python
