// SPDX-License-Identifier: BSD-2-Clause
// distance, collide, pair_scale and their results.
//
// All arguments are converted with the GIL held and kept by value (shapes by reference: the
// caller's frame holds them), then the query runs without the GIL.
#include "tactum/distance.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/operators.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "batch_call.hpp"
#include "bindings.hpp"
#include "convert.hpp"
#include "geometry.hpp"
#include "method.hpp"
#include "pickle.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

std::optional<WarmStart> to_warm_start(nb::handle value) {
  if (value.is_none()) return std::nullopt;
  const WarmStart* warm_start = nullptr;
  if (!nb::try_cast<const WarmStart*>(value, warm_start) || warm_start == nullptr)
    throw_type_error("warm_start", type_text(value),
                     "give the warm_start of an earlier result, or None");
  return *warm_start;
}

/// A shape; leaves a compound or a mesh to the next overload.
const Shape& shape_or_next(nb::handle value, const char* field) {
  const Shape* shape = nullptr;
  if (!value.is_none() && nb::try_cast<const Shape*>(value, shape) && shape != nullptr)
    return *shape;
  if (nb::isinstance<Compound>(value) || nb::isinstance<Mesh>(value)) throw nb::next_overload();
  return to_shape(value, field);  // throws the error
}

/// Converted arguments that distance and collide have in common.
struct Query {
  const Shape& a;
  const Shape& b;
  CheckedPose X_WA;
  CheckedPose X_WB;
  std::optional<WarmStart> warm_start;

  Query(nb::handle a_, nb::handle X_WA_, nb::handle b_, nb::handle X_WB_, nb::handle warm_start_)
      : a(shape_or_next(a_, "a")),
        b(shape_or_next(b_, "b")),
        X_WA(to_pose(X_WA_, "X_WA")),
        X_WB(to_pose(X_WB_, "X_WB")),
        warm_start(to_warm_start(warm_start_)) {}

  template <class Options>
  void set(Options& options, nb::handle method, nb::handle tolerance, nb::handle max_iterations,
           nb::handle initial_direction) const {
    options.method = to_method(method);
    options.tolerance = to_double(tolerance, "tolerance");
    options.max_iterations = to_int(max_iterations, "max_iterations");
    if (!initial_direction.is_none())
      options.initial_direction = to_vector3(initial_direction, "initial_direction");
    if (warm_start) options.warm_start = &*warm_start;
  }
  bool corrected() const { return X_WA.corrected || X_WB.corrected; }
};

Distance call_distance(nb::handle a, nb::handle X_WA, nb::handle b, nb::handle X_WB,
                       nb::handle method, nb::handle tolerance, nb::handle max_iterations,
                       nb::handle cutoff, nb::handle initial_direction, nb::handle warm_start,
                       nb::handle momentum_weight) {
  const Query query(a, X_WA, b, X_WB, warm_start);
  DistanceOptions options;
  query.set(options, method, tolerance, max_iterations, initial_direction);
  const MomentumWeight weight = to_momentum_weight(momentum_weight);
  options.cutoff = to_double(cutoff, "cutoff");
  Distance result = interruptible([&] {
    return distance(query.a, query.X_WA.pose, query.b, query.X_WB.pose, options, weight);
  });
  result.pose_corrected |= query.corrected();
  return result;
}

Collision call_collide(nb::handle a, nb::handle X_WA, nb::handle b, nb::handle X_WB,
                       nb::handle method, nb::handle tolerance, nb::handle max_iterations,
                       nb::handle initial_direction, nb::handle warm_start,
                       nb::handle momentum_weight) {
  const Query query(a, X_WA, b, X_WB, warm_start);
  CollideOptions options;
  query.set(options, method, tolerance, max_iterations, initial_direction);
  const MomentumWeight weight = to_momentum_weight(momentum_weight);
  Collision result = interruptible(
      [&] { return collide(query.a, query.X_WA.pose, query.b, query.X_WB.pose, options, weight); });
  result.pose_corrected |= query.corrected();
  return result;
}

GeometryDistance call_geometry_distance(nb::handle a, nb::handle X_WA, nb::handle b,
                                        nb::handle X_WB, nb::handle method, nb::handle tolerance,
                                        nb::handle max_iterations, nb::handle cutoff,
                                        nb::handle initial_direction, nb::handle warm_start) {
  const Geometry geometry_a = to_geometry(a, "a"), geometry_b = to_geometry(b, "b");
  const CheckedPose pose_a = to_pose(X_WA, "X_WA"), pose_b = to_pose(X_WB, "X_WB");
  DistanceOptions options{.method = to_method(method),
                          .tolerance = to_double(tolerance, "tolerance"),
                          .max_iterations = to_int(max_iterations, "max_iterations"),
                          .cutoff = to_double(cutoff, "cutoff")};
  if (!initial_direction.is_none())
    options.initial_direction = to_vector3(initial_direction, "initial_direction");
  const std::optional<WarmStart> last = to_warm_start(warm_start);
  if (last) options.warm_start = &*last;
  GeometryDistance result = interruptible(
      [&] { return distance(geometry_a, pose_a.pose, geometry_b, pose_b.pose, options); });
  result.pose_corrected |= pose_a.corrected || pose_b.corrected;
  return result;
}

Collision call_geometry_collide(nb::handle a, nb::handle X_WA, nb::handle b, nb::handle X_WB,
                                nb::handle method, nb::handle tolerance, nb::handle max_iterations,
                                nb::handle initial_direction, nb::handle warm_start) {
  const Geometry geometry_a = to_geometry(a, "a"), geometry_b = to_geometry(b, "b");
  const CheckedPose pose_a = to_pose(X_WA, "X_WA"), pose_b = to_pose(X_WB, "X_WB");
  CollideOptions options{.method = to_method(method),
                         .tolerance = to_double(tolerance, "tolerance"),
                         .max_iterations = to_int(max_iterations, "max_iterations")};
  if (!initial_direction.is_none())
    options.initial_direction = to_vector3(initial_direction, "initial_direction");
  const std::optional<WarmStart> last = to_warm_start(warm_start);
  if (last) options.warm_start = &*last;
  Collision result = interruptible(
      [&] { return collide(geometry_a, pose_a.pose, geometry_b, pose_b.pose, options); });
  result.pose_corrected |= pose_a.corrected || pose_b.corrected;
  return result;
}

double call_pair_scale(nb::handle a, nb::handle X_WA, nb::handle b, nb::handle X_WB) {
  const Query query(a, X_WA, b, X_WB, nb::none());
  return pair_scale(query.a, check_pose(query.X_WA.pose, "X_WA").pose, query.b,
                    check_pose(query.X_WB.pose, "X_WB").pose);
}

// -------------------------------------------------------------------------------------------------
// pickles
constexpr const char* kUnpickle = "unpickle what was pickled";

/// The names of vertices and triangles, as many integers as there are.
template <class Items>
nb::tuple flat_tuple(const Items& items) {
  nb::list all;
  for (const auto& item : items)
    for (const auto number : item) all.append(static_cast<int>(number));
  return nb::tuple(all);
}

/// Reads a flat tuple back; a tuple with numbers out of range, or with an incomplete last item, is
/// refused.
template <class Item>
std::vector<Item> from_flat_tuple(const nb::tuple& numbers, int most) {
  const Item shape{};
  if (numbers.size() % shape.size() != 0)
    throw InvalidInput("state", std::to_string(numbers.size()) + " items", kUnpickle);
  std::vector<Item> items(numbers.size() / shape.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const int number = to_int(numbers[i], "state");
    if (number < 0 || number > most) throw InvalidInput("state", std::to_string(number), kUnpickle);
    items[i / shape.size()][i % shape.size()] = static_cast<typename Item::value_type>(number);
  }
  return items;
}

nb::tuple get_state(const WarmStart& w) {
  return nb::make_tuple(to_tuple(w.direction_A), w.vertices[0], w.vertices[1],
                        flat_tuple(w.polytope.vertices()), flat_tuple(w.polytope.triangles()));
}

WarmStart warm_start_from_state(const nb::tuple& state) {
  StateReader read(state, 5);
  WarmStart w;
  w.direction_A = read.vector();
  for (auto& vertex : w.vertices) vertex = read.integer();
  const auto vertices = from_flat_tuple<WarmPolytope::VertexPair>(read.tuple(), 0xFFFF);
  const auto triangles = from_flat_tuple<WarmPolytope::Triangle>(read.tuple(), 0xFF);
  if (!w.polytope.assign(vertices, triangles))
    throw InvalidInput("state", "triangles that are no closed surface", kUnpickle);
  return w;
}

nb::tuple get_state(const Distance& r) {
  return nb::make_tuple(static_cast<int>(r.status), r.distance, to_tuple(r.normal),
                        to_tuple(r.point_a), to_tuple(r.point_b), r.lower, r.upper, r.iterations,
                        r.support_calls, r.vertices_visited, static_cast<int>(r.pose_corrected),
                        get_state(r.warm_start));
}

Distance distance_from_state(const nb::tuple& state) {
  StateReader read(state, 12);
  Distance r;
  r.status = read.status();
  r.distance = read.number();
  r.normal = read.vector();
  r.point_a = read.vector();
  r.point_b = read.vector();
  r.lower = read.number();
  r.upper = read.number();
  r.iterations = read.integer();
  r.support_calls = read.integer();
  r.vertices_visited = read.integer();
  r.pose_corrected = read.flag();
  r.warm_start = warm_start_from_state(read.tuple());
  return r;
}

nb::tuple get_state(const Collision& r) {
  return nb::make_tuple(static_cast<int>(r.colliding), static_cast<int>(r.status),
                        to_tuple(r.normal), r.lower, r.iterations,
                        static_cast<int>(r.pose_corrected), get_state(r.warm_start));
}

Collision collision_from_state(const nb::tuple& state) {
  StateReader read(state, 7);
  Collision r;
  r.colliding = read.flag();
  r.status = read.status();
  r.normal = read.vector();
  r.lower = read.number();
  r.iterations = read.integer();
  r.pose_corrected = read.flag();
  r.warm_start = warm_start_from_state(read.tuple());
  return r;
}

// -------------------------------------------------------------------------------------------------
// classes
void bind_warm_start(nb::module_& m) {
  nb::class_<WarmStart> type(
      m, "WarmStart",
      R"(Where the last query of a pair ended: give it to the next query of the same pair.

It is a plain value. The default means no knowledge; a wrong warm start costs time and never
changes the answer.)");
  type.def(
          "__init__",
          [](WarmStart* self, nb::handle direction_A, nb::handle vertices) {
            if (!PyTuple_Check(vertices.ptr()) || PyTuple_Size(vertices.ptr()) != 2)
              throw_type_error("WarmStart.vertices", type_text(vertices),
                               "give a tuple of two integers");
            const nb::tuple pair = nb::borrow<nb::tuple>(vertices);
            new (self) WarmStart{to_vector3(direction_A, "WarmStart.direction_A"),
                                 {to_int(pair[0], "WarmStart.vertices[0]"),
                                  to_int(pair[1], "WarmStart.vertices[1]")},
                                 {}};
          },
          nb::kw_only(), "direction_A"_a.none() = nb::make_tuple(0.0, 0.0, 0.0),
          "vertices"_a.none() = nb::make_tuple(0, 0),
          nb::sig("def __init__(self, *, direction_A: " TACTUM_ARRAY_LIKE
                  " = (0.0, 0.0, 0.0), vertices: tuple[int, int] = (0, 0)) -> None"),
          "direction_A: (3,) last normal, in the frame of A; zero: none. vertices: where the hull "
          "supports of A and B ended.")
      .def_prop_ro(
          "direction_A", [](const WarmStart& self) { return to_frozen_array(self.direction_A); },
          nb::sig("def direction_A(self) -> " TACTUM_FLOAT_ARRAY),
          "(3,) last normal, in the frame of A; zero: none.")
      .def_prop_ro(
          "vertices",
          [](const WarmStart& self) { return nb::make_tuple(self.vertices[0], self.vertices[1]); },
          nb::sig("def vertices(self) -> tuple[int, int]"),
          "Vertices of A and B where the hull supports ended.")
      .def("__repr__",
           [](const WarmStart& self) {
             return "WarmStart(direction_A=" + repr(self.direction_A) + ", vertices=(" +
                    std::to_string(self.vertices[0]) + ", " + std::to_string(self.vertices[1]) +
                    "))";
           })
      .def(nb::self == nb::self, nb::sig("def __eq__(self, other: object, /) -> bool"),
           "Same direction, vertices and polytope.")
      .def(
          "__hash__", [](const WarmStart& self) { return nb::hash(get_state(self)); },
          "Equal values have equal hashes.");
  bind_immutable(
      type, [](const WarmStart& self) { return get_state(self); }, &warm_start_from_state);
}

void bind_distance_result(nb::module_& m) {
  nb::class_<Distance> type(
      m, "Distance", R"(Answer of distance(). World frame, metres; the normal points from A to B.

point_b - point_a = distance * normal, and lower <= true distance <= upper is proved.)");
  type.def_prop_ro(
          "distance", [](const Distance& self) { return self.distance; },
          "Signed distance in metres: minus the depth in penetration.")
      .def_prop_ro(
          "normal", [](const Distance& self) { return to_frozen_array(self.normal); },
          nb::sig("def normal(self) -> " TACTUM_FLOAT_ARRAY),
          "(3,) unit normal from A to B, world frame.")
      .def_prop_ro(
          "point_a", [](const Distance& self) { return to_frozen_array(self.point_a); },
          nb::sig("def point_a(self) -> " TACTUM_FLOAT_ARRAY),
          "(3,) witness point on A, world frame, in metres.")
      .def_prop_ro(
          "point_b", [](const Distance& self) { return to_frozen_array(self.point_b); },
          nb::sig("def point_b(self) -> " TACTUM_FLOAT_ARRAY),
          "(3,) witness point on B, world frame, in metres.")
      .def_prop_ro(
          "status", [](const Distance& self) { return self.status; }, "Outcome of the query.")
      .def_prop_ro(
          "lower", [](const Distance& self) { return self.lower; },
          "Proved lower bound of the true distance, in metres.")
      .def_prop_ro(
          "upper", [](const Distance& self) { return self.upper; },
          "Proved upper bound of the true distance, in metres.")
      .def_prop_ro(
          "iterations", [](const Distance& self) { return self.iterations; },
          "Iterations of the main loop.")
      .def_prop_ro(
          "support_calls", [](const Distance& self) { return self.support_calls; },
          "How often a support point was computed.")
      .def_prop_ro(
          "vertices_visited", [](const Distance& self) { return self.vertices_visited; },
          "Hull vertices looked at in all supports.")
      .def_prop_ro(
          "pose_corrected", [](const Distance& self) { return self.pose_corrected; },
          "Whether a rotation was off by 1e-12 to 1e-6 and was made orthonormal.")
      .def_prop_ro(
          "warm_start", [](const Distance& self) { return self.warm_start; },
          "Give it to the next query of this pair.")
      .def(
          "__bool__",
          [](const Distance&) -> bool {
            throw nb::type_error(
                "Distance: a result is neither true nor false; compare its distance, "
                "or ask collide()");
          },
          "Raises: a result is neither true nor false.")
      .def("__repr__", [](const Distance& r) {
        return "Distance(" + std::string(to_string(r.status)) + ", distance=" + repr(r.distance) +
               ", normal=" + short_repr(r.normal) + ")";
      });
  bind_immutable(
      type, [](const Distance& self) { return get_state(self); }, &distance_from_state);
}

void bind_geometry_distance_result(nb::module_& m) {
  nb::class_<GeometryDistance, Distance> type(
      m, "GeometryDistance",
      "Answer of distance() where a compound or a mesh takes part: which parts are nearest.");
  type.def_prop_ro(
          "part_a", [](const GeometryDistance& self) { return self.part_a; },
          "The part of A that is nearest: 0 for a convex shape, a triangle for a mesh.")
      .def_prop_ro(
          "part_b", [](const GeometryDistance& self) { return self.part_b; },
          "The part of B that is nearest: 0 for a convex shape, a triangle for a mesh.");
  bind_immutable(
      type,
      [](const GeometryDistance& self) {
        return nb::make_tuple(get_state(self), self.part_a, self.part_b);
      },
      [](const nb::tuple& state) {
        StateReader read(state, 3);
        GeometryDistance r{distance_from_state(read.tuple()), 0, 0};
        r.part_a = read.integer();
        r.part_b = read.integer();
        return r;
      });
}

void bind_collision_result(nb::module_& m) {
  nb::class_<Collision> type(m, "Collision",
                             R"(Answer of collide(). True when the shapes share a point.

When apart, lower is a proved gap along the normal, which points from A to B, in the world
frame.)");
  type.def(
          "__bool__", [](const Collision& self) { return self.colliding; },
          "Whether the shapes share a point.")
      .def_prop_ro(
          "colliding", [](const Collision& self) { return self.colliding; },
          "Whether the shapes share a point.")
      .def_prop_ro(
          "normal", [](const Collision& self) { return to_frozen_array(self.normal); },
          nb::sig("def normal(self) -> " TACTUM_FLOAT_ARRAY),
          "(3,) unit normal from A to B, world frame.")
      .def_prop_ro(
          "lower", [](const Collision& self) { return self.lower; },
          "Proved lower bound of the distance, in metres; <= 0 unless apart, -inf where compounds "
          "or meshes collide.")
      .def_prop_ro(
          "status", [](const Collision& self) { return self.status; }, "Outcome of the query.")
      .def_prop_ro(
          "iterations", [](const Collision& self) { return self.iterations; },
          "Iterations of the main loop.")
      .def_prop_ro(
          "pose_corrected", [](const Collision& self) { return self.pose_corrected; },
          "Whether a rotation was off by 1e-12 to 1e-6 and was made orthonormal.")
      .def_prop_ro(
          "warm_start", [](const Collision& self) { return self.warm_start; },
          "Give it to the next query of this pair.")
      .def("__repr__", [](const Collision& r) {
        return "Collision(colliding=" + std::string(r.colliding ? "True" : "False") +
               ", status=" + std::string(to_string(r.status)) + ", normal=" + short_repr(r.normal) +
               ")";
      });
  bind_immutable(
      type, [](const Collision& self) { return get_state(self); }, &collision_from_state);
}

#define TACTUM_PAIR "a: Shape, X_WA: " TACTUM_POSE_LIKE ", b: Shape, X_WB: " TACTUM_POSE_LIKE
#define TACTUM_GEOMETRY_SEARCH TACTUM_SEARCH "cutoff: float = math.inf, " TACTUM_START
#define TACTUM_GEOMETRIES                                                   \
  "a: " TACTUM_GEOMETRY ", X_WA: " TACTUM_POSE_LIKE ", b: " TACTUM_GEOMETRY \
  ", X_WB: " TACTUM_POSE_LIKE
#define TACTUM_SEARCH \
  "*, method: " TACTUM_METHOD " = 'auto', tolerance: float = 1e-10, max_iterations: int = 128, "
#define TACTUM_START \
  "initial_direction: " TACTUM_ARRAY_LIKE " | None = None, warm_start: WarmStart | None = None"
#define TACTUM_WEIGHT ", momentum_weight: " TACTUM_MOMENTUM_WEIGHT " = 'chosen'"

}  // namespace

void bind_distance(nb::module_& m) {
  bind_warm_start(m);
  bind_distance_result(m);
  bind_geometry_distance_result(m);
  bind_collision_result(m);
  m.def("distance", &call_distance, "a"_a.none(), "X_WA"_a.none(), "b"_a.none(), "X_WB"_a.none(),
        nb::kw_only(), "method"_a.none() = "auto", "tolerance"_a.none() = 1e-10,
        "max_iterations"_a.none() = 128,
        "cutoff"_a.none() = std::numeric_limits<double>::infinity(),
        "initial_direction"_a.none() = nb::none(), "warm_start"_a.none() = nb::none(),
        "momentum_weight"_a.none() = "chosen",
        nb::sig("def distance(" TACTUM_PAIR ", " TACTUM_SEARCH
                "cutoff: float = math.inf, " TACTUM_START TACTUM_WEIGHT ") -> Distance"),
        R"(Signed distance between two convex shapes, with normal, witness points, status and
proved bounds.

a, b: the shapes. X_WA, X_WB: their poses in the world, in any form that pose_matrix takes.
method: "auto" takes closed forms where they exist, else GJK with a second-order finish. The
    others search as the GJK++ paper writes them, up to a duality gap of tolerance *
    pair_scale**2, and count as it does; then the exact stage of "auto" proves the answer.
tolerance: upper - lower <= tolerance * pair_scale on return, at least 64 eps.
max_iterations: of the main loop, 1 to 100000.
cutoff: in metres, >= 0; the search stops, with status beyond_cutoff, once the distance is proved
larger.
initial_direction: (3,) guess of the normal from A to B, in the world; None: chosen by the
library.
warm_start: the warm_start of the last result of this pair.
momentum_weight: of the methods polyak, nesterov and their normalized forms: "printed" in the
    paper, that of its "authors" in their code, or "chosen": the authors' for Polyak, the printed
    one for Nesterov.
Raises InvalidInput (a ValueError) on bad values and for two half-spaces, TypeError on objects of
the wrong type.
The GIL is released during the query.)");
  // two signatures of one function, disjoint from the first, so that type checkers know what each
  // pair returns
  const auto define_geometry_distance = [&m](const char* signature, const char* doc) {
    m.def("distance", &call_geometry_distance, "a"_a.none(), "X_WA"_a.none(), "b"_a.none(),
          "X_WB"_a.none(), nb::kw_only(), "method"_a.none() = "auto", "tolerance"_a.none() = 1e-10,
          "max_iterations"_a.none() = 128,
          "cutoff"_a.none() = std::numeric_limits<double>::infinity(),
          "initial_direction"_a.none() = nb::none(), "warm_start"_a.none() = nb::none(),
          nb::sig(signature), doc);
  };
  define_geometry_distance(
      "def distance(a: Compound | Mesh, X_WA: " TACTUM_POSE_LIKE ", b: " TACTUM_GEOMETRY
      ", X_WB: " TACTUM_POSE_LIKE ", " TACTUM_GEOMETRY_SEARCH ") -> GeometryDistance",
      R"(Overload for a compound or a mesh a: the smallest signed distance over all pairs of parts;
the parts of a mesh are its triangles.

Bounds and status are proved for the pair of unions. Of a solid mesh, what is inside counts: where
solids overlap, lower is a translation that parts them for sure, along the normal, and upper < 0
proves the overlap; the status is not_converged unless both bounds meet. warm_start: of the last
result of this pair; triangles of meshes are looked at first. A Scene keeps warm starts and parts for
each of its pairs.)");
  define_geometry_distance("def distance(a: Shape, X_WA: " TACTUM_POSE_LIKE
                           ", b: Compound | Mesh, X_WB: " TACTUM_POSE_LIKE
                           ", " TACTUM_GEOMETRY_SEARCH ") -> GeometryDistance",
                           "Overload for a compound or a mesh b: the smallest signed distance over "
                           "all pairs of parts, with\n"
                           "bounds and status that are proved for the pair of unions.");
  m.def("collide", &call_collide, "a"_a.none(), "X_WA"_a.none(), "b"_a.none(), "X_WB"_a.none(),
        nb::kw_only(), "method"_a.none() = "auto", "tolerance"_a.none() = 1e-10,
        "max_iterations"_a.none() = 128, "initial_direction"_a.none() = nb::none(),
        "warm_start"_a.none() = nb::none(), "momentum_weight"_a.none() = "chosen",
        nb::sig("def collide(" TACTUM_PAIR ", " TACTUM_SEARCH TACTUM_START TACTUM_WEIGHT
                ") -> Collision"),
        R"(Whether two convex shapes share a point; stops at the first separating plane.

Arguments and errors are those of distance(). The result is true when the shapes touch or
penetrate.)");
  m.def(
      "collide", &call_geometry_collide, "a"_a.none(), "X_WA"_a.none(), "b"_a.none(),
      "X_WB"_a.none(), nb::kw_only(), "method"_a.none() = "auto", "tolerance"_a.none() = 1e-10,
      "max_iterations"_a.none() = 128, "initial_direction"_a.none() = nb::none(),
      "warm_start"_a.none() = nb::none(),
      nb::sig("def collide(" TACTUM_GEOMETRIES ", " TACTUM_SEARCH TACTUM_START ") -> Collision"),
      R"(Overload for a compound or a mesh a or b: lower bounds the distance, and the normal is that of
the nearest parts.)");
  m.def("pair_scale", &call_pair_scale, "a"_a.none(), "X_WA"_a.none(), "b"_a.none(),
        "X_WB"_a.none(), nb::sig("def pair_scale(" TACTUM_PAIR ") -> float"),
        R"(Scale of a pair in metres, to which tolerances and error bounds are relative.

It is the largest of the distance between the origins of the shapes and their bounding radii.
Arguments are those of distance().)");
}

}  // namespace tactum::python
