// SPDX-License-Identifier: BSD-2-Clause
// distance, collide, signed_distance, ray_cast and winding_number where a mesh takes part: further
// overloads of the functions of the same names.
#include "tactum/mesh_query.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <limits>
#include <string>
#include <variant>

#include "batch_call.hpp"
#include "batch_input.hpp"
#include "bindings.hpp"
#include "convert.hpp"
#include "tactum/status.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

using MeshOrShape = std::variant<const Mesh*, const Shape*>;

MeshOrShape to_mesh_or_shape(nb::handle value, const char* field) {
  const Mesh* mesh = nullptr;
  if (!value.is_none() && nb::try_cast<const Mesh*>(value, mesh) && mesh != nullptr) return mesh;
  const Shape* shape = nullptr;
  if (!value.is_none() && nb::try_cast<const Shape*>(value, shape) && shape != nullptr)
    return shape;
  throw_type_error(field, type_text(value), "give a Mesh or a convex shape");
}

const Mesh& to_mesh(nb::handle value, const char* field) {
  const Mesh* mesh = nullptr;
  if (!value.is_none() && nb::try_cast<const Mesh*>(value, mesh) && mesh != nullptr) return *mesh;
  throw_type_error(field, type_text(value), "give a Mesh or a convex shape");
}

/// Both of a pair with poses and a warm start.
struct Pair {
  Pair(nb::handle a_, nb::handle X_WA_, nb::handle b_, nb::handle X_WB_, nb::handle warm_start_)
      : a(to_mesh_or_shape(a_, "a")),
        b(to_mesh_or_shape(b_, "b")),
        X_WA(to_pose(X_WA_, "X_WA")),
        X_WB(to_pose(X_WB_, "X_WB")) {
    if (warm_start_.is_none()) return;
    const WarmStart* last = nullptr;
    if (!nb::try_cast<const WarmStart*>(warm_start_, last) || last == nullptr)
      throw_type_error("warm_start", type_text(warm_start_),
                       "give the warm_start of an earlier result, or None");
    warm_start = *last;
    has_warm_start = true;
  }

  /// query(a, X_WA, b, X_WB) of the kinds that they are.
  template <class Query>
  auto ask(Query&& query) const {
    using Result = decltype(query(std::declval<const Mesh&>(), std::declval<const Mesh&>()));
    return interruptible([&] {
      Result result = std::visit(
          [&](const auto* first, const auto* second) -> Result {
            if constexpr (std::is_same_v<decltype(first), const Shape*> &&
                          std::is_same_v<decltype(second), const Shape*>) {
              throw InvalidInput("a", "two convex shapes", "give a Mesh among them");
            } else {
              return query(*first, *second);
            }
          },
          a, b);
      result.pose_corrected |= X_WA.corrected || X_WB.corrected;
      return result;
    });
  }

  MeshOrShape a, b;
  CheckedPose X_WA, X_WB;
  WarmStart warm_start;
  bool has_warm_start = false;
};

GeometryDistance call_distance(nb::handle a, nb::handle X_WA, nb::handle b, nb::handle X_WB,
                               nb::handle tolerance, nb::handle max_iterations, nb::handle cutoff,
                               nb::handle warm_start) {
  const Pair pair(a, X_WA, b, X_WB, warm_start);
  DistanceOptions options{.tolerance = to_double(tolerance, "tolerance"),
                          .max_iterations = to_int(max_iterations, "max_iterations"),
                          .cutoff = to_double(cutoff, "cutoff")};
  if (pair.has_warm_start) options.warm_start = &pair.warm_start;
  return pair.ask([&](const auto& first, const auto& second) {
    return distance(first, pair.X_WA.pose, second, pair.X_WB.pose, options);
  });
}

Collision call_collide(nb::handle a, nb::handle X_WA, nb::handle b, nb::handle X_WB,
                       nb::handle tolerance, nb::handle max_iterations, nb::handle warm_start) {
  const Pair pair(a, X_WA, b, X_WB, warm_start);
  CollideOptions options{.tolerance = to_double(tolerance, "tolerance"),
                         .max_iterations = to_int(max_iterations, "max_iterations")};
  if (pair.has_warm_start) options.warm_start = &pair.warm_start;
  return pair.ask([&](const auto& first, const auto& second) {
    return collide(first, pair.X_WA.pose, second, pair.X_WB.pose, options);
  });
}

const char* const points_remedy = "give (N, 3) numbers in metres, or (..., 3)";

nb::tuple call_signed_distance(nb::handle mesh, nb::handle X, nb::handle points,
                               nb::handle num_threads) {
  const Mesh& surface = to_mesh(mesh, "shape");
  const Pose pose = to_pose(X, "X").pose;
  const nb::object given = as_real_array(points, "points", points_remedy);
  const HeldArray array(given, 'd', "float64");
  if (array.shape(array.ndim() - 1) != 3)
    throw InvalidInput("points", shape_text(given), points_remedy);
  const auto rows = array.items<Vector3>();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (int i = 0; i < 3; ++i) {
      if (!(std::abs(rows[row][i]) <= 1e30))
        throw InvalidInput("points[" + std::to_string(row) + ", " + std::to_string(i) + "]",
                           repr(rows[row][i]), "give finite coordinates of at most 1e30 m");
    }
  }
  const SignedDistanceOptions options{.num_threads = to_int(num_threads, "num_threads")};
  const nb::tuple shape_of_gradients = nb::cast<nb::tuple>(given.attr("shape"));
  const nb::object shape_of_distances = nb::steal(
      PyTuple_GetSlice(shape_of_gradients.ptr(), 0, array.ndim() - 1));
  nb::object distances = numpy().attr("empty")(shape_of_distances, "float64");
  nb::object gradients = numpy().attr("empty")(shape_of_gradients, "float64");
  const FloatSpan to_distances = float_span(distances), to_gradients = float_span(gradients);
  const SignedDistanceColumns out{
      .distance = {to_distances.data, rows.size()},
      .gradient = {reinterpret_cast<Vector3*>(to_gradients.data), rows.size()}};
  WorkspaceLease lease;
  interruptible([&] { signed_distance(surface, pose, rows, options, lease.get(), out); });
  return nb::make_tuple(distances, gradients);
}

RayHit call_ray_cast(nb::handle mesh, nb::handle X, nb::handle origin, nb::handle direction,
                     nb::handle max_distance) {
  const Mesh& surface = to_mesh(mesh, "shape");
  const Pose pose = to_pose(X, "X").pose;
  const Vector3 from = to_vector3(origin, "origin"), along = to_vector3(direction, "direction");
  const double largest = to_double(max_distance, "max_distance");
  return interruptible([&] { return ray_cast(surface, pose, from, along, largest); });
}

#define TACTUM_MESH_SEARCH "*, tolerance: float = 1e-10, max_iterations: int = 128, "
#define TACTUM_MESH_PAIR \
  "a: Mesh, X_WA: " TACTUM_POSE_LIKE ", b: Mesh | Shape, X_WB: " TACTUM_POSE_LIKE ", "
#define TACTUM_SHAPE_MESH_PAIR \
  "a: Shape, X_WA: " TACTUM_POSE_LIKE ", b: Mesh, X_WB: " TACTUM_POSE_LIKE ", "

void bind_pairs(nb::module_& m) {
  const auto define_distance = [&m](const char* signature, const char* doc) {
    m.def("distance", &call_distance, "a"_a.none(), "X_WA"_a.none(), "b"_a.none(), "X_WB"_a.none(),
          nb::kw_only(), "tolerance"_a.none() = 1e-10, "max_iterations"_a.none() = 128,
          "cutoff"_a.none() = std::numeric_limits<double>::infinity(),
          "warm_start"_a.none() = nb::none(), nb::sig(signature), doc);
  };
  define_distance(
      "def distance(" TACTUM_MESH_PAIR TACTUM_MESH_SEARCH
      "cutoff: float = math.inf, warm_start: WarmStart | None = None) -> GeometryDistance",
      R"(If a is a mesh: the smallest signed distance over all pairs of triangles; part_a and part_b are triangles.

Of a solid mesh, what is inside counts: where solids overlap, lower is a translation that parts them
for sure, along the normal, and upper < 0 proves the overlap; the status is not_converged unless both
bounds meet. warm_start: of the last result of this pair; its triangles are looked at first.)");
  define_distance(
      "def distance(" TACTUM_SHAPE_MESH_PAIR TACTUM_MESH_SEARCH
      "cutoff: float = math.inf, warm_start: WarmStart | None = None) -> GeometryDistance",
      "If b is a mesh: the smallest signed distance over its triangles.");
  const auto define_collide = [&m](const char* signature, const char* doc) {
    m.def("collide", &call_collide, "a"_a.none(), "X_WA"_a.none(), "b"_a.none(), "X_WB"_a.none(),
          nb::kw_only(), "tolerance"_a.none() = 1e-10, "max_iterations"_a.none() = 128,
          "warm_start"_a.none() = nb::none(), nb::sig(signature), doc);
  };
  define_collide("def collide(" TACTUM_MESH_PAIR TACTUM_MESH_SEARCH
                 "warm_start: WarmStart | None = None) -> Collision",
                 "If a is a mesh: stops at the first triangles that touch.");
  define_collide("def collide(" TACTUM_SHAPE_MESH_PAIR TACTUM_MESH_SEARCH
                 "warm_start: WarmStart | None = None) -> Collision",
                 "If b is a mesh: stops at the first triangle that touches.");
}

}  // namespace

void bind_mesh_query(nb::module_& m) {
  bind_pairs(m);
  m.def("signed_distance", &call_signed_distance, "shape"_a.none(), "X"_a.none(), "points"_a.none(),
        nb::kw_only(), "num_threads"_a.none() = 0,
        nb::sig(
            "def signed_distance(shape: Mesh, X: " TACTUM_POSE_LIKE ", points: " TACTUM_ARRAY_LIKE
            ", *, num_threads: int = 0) -> tuple[" TACTUM_FLOAT_ARRAY ", " TACTUM_FLOAT_ARRAY "]"),
        R"(If shape is a mesh: distance from its surface, negative inside by the winding number.

A mesh that is not closed and oriented has no inside: distances are then never negative.)");
  m.def("ray_cast", &call_ray_cast, "shape"_a.none(), "X"_a.none(), "origin"_a.none(),
        "direction"_a.none(), nb::kw_only(),
        "max_distance"_a.none() = std::numeric_limits<double>::infinity(),
        nb::sig("def ray_cast(shape: Mesh, X: " TACTUM_POSE_LIKE ", origin: " TACTUM_ARRAY_LIKE
                ", direction: " TACTUM_ARRAY_LIKE ", *, max_distance: float = math.inf) -> RayHit"),
        "If shape is a mesh: the first triangle on the ray.");
  m.def(
      "winding_number",
      [](nb::handle mesh, nb::handle point) {
        const Mesh& surface = to_mesh(mesh, "mesh");
        const Vector3 at = to_vector3(point, "point");
        return interruptible([&] { return winding_number(surface, at); });
      },
      "mesh"_a.none(), "point"_a.none(),
      nb::sig("def winding_number(mesh: Mesh, point: " TACTUM_ARRAY_LIKE ") -> int"),
      R"(How often the surface winds around a point (3,), in metres, in the frame of the mesh.

1 inside a closed mesh that is oriented outward, 0 outside. Of an open mesh the generalised winding
number, rounded to the nearest integer.)");
}

}  // namespace tactum::python
