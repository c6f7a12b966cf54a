// SPDX-License-Identifier: BSD-2-Clause
// time_of_impact and its answer.
#include "tactum/time_of_impact.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "batch_call.hpp"
#include "bindings.hpp"
#include "convert.hpp"
#include "geometry.hpp"
#include "pickle.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

GeometryDistance to_value(const nb::object& value) {
  GeometryDistance found;
  if (!nb::try_cast<GeometryDistance>(value, found))
    throw_type_error("state", type_text(value), "unpickle what was pickled");
  return found;
}

void bind_impact(nb::module_& m) {
  nb::class_<Impact> type(
      m, "Impact",
      R"(Answer of time_of_impact(). True when there is an impact. Times are in [0, 1].

lower <= first time within the distance <= upper is proved.)");
  type.def(
          "__bool__", [](const Impact& self) { return static_cast<bool>(self); },
          "Whether the bodies come within the distance.")
      .def_prop_ro(
          "time", [](const Impact& self) { return self.time; },
          "Within the distance plus the tolerance at this time; inf: never.")
      .def_prop_ro(
          "lower", [](const Impact& self) { return self.lower; },
          "Proved: not within the distance at any time before; inf: never.")
      .def_prop_ro(
          "upper", [](const Impact& self) { return self.upper; },
          "Proved: within the distance at this time; inf: nothing is proved.")
      .def_prop_ro(
          "value", [](const Impact& self) { return self.value; },
          nb::sig("def value(self) -> GeometryDistance"),
          "The distance at `time`; of bodies that never meet, at the last time looked at.")
      .def_prop_ro(
          "status", [](const Impact& self) { return self.status; },
          R"(separated: they never meet. touching: they do, at `time`. penetrating: they are within the
distance from the start. not_converged: the queries ran out; until `time` they are proved apart.)")
      .def_prop_ro(
          "iterations", [](const Impact& self) { return self.iterations; }, "Distance queries.")
      .def("__repr__", [](const Impact& self) {
        return "Impact(status=" + std::string(to_string(self.status)) +
               ", time=" + repr(self.time) + ", lower=" + repr(self.lower) +
               ", upper=" + repr(self.upper) + ", iterations=" + std::to_string(self.iterations) +
               ")";
      });
  bind_immutable(
      type,
      [](const Impact& self) {
        return nb::make_tuple(static_cast<int>(self.status), self.time, self.lower, self.upper,
                              self.value, self.iterations);
      },
      [](const nb::tuple& state) {
        StateReader read(state, 6);
        Impact impact;
        impact.status = read.status();
        impact.time = read.number();
        impact.lower = read.number();
        impact.upper = read.number();
        impact.value = to_value(read.next());
        impact.iterations = read.integer();
        return impact;
      });
}

Impact call_time_of_impact(nb::handle a, nb::handle X0_WA, nb::handle X1_WA, nb::handle b,
                           nb::handle X0_WB, nb::handle X1_WB, nb::handle distance,
                           nb::handle tolerance, nb::handle max_iterations) {
  const Geometry geometry_a = to_geometry(a, "a"), geometry_b = to_geometry(b, "b");
  const CheckedPose from_a = to_pose(X0_WA, "X0_WA"), to_a = to_pose(X1_WA, "X1_WA"),
                    from_b = to_pose(X0_WB, "X0_WB"), to_b = to_pose(X1_WB, "X1_WB");
  const ImpactOptions options{.distance = to_double(distance, "distance"),
                              .tolerance = to_double(tolerance, "tolerance"),
                              .max_iterations = to_int(max_iterations, "max_iterations")};
  Impact impact = interruptible([&] {
    return time_of_impact(geometry_a, from_a.pose, to_a.pose, geometry_b, from_b.pose, to_b.pose,
                          options);
  });
  impact.value.pose_corrected |= from_a.corrected || to_a.corrected || from_b.corrected ||
                                 to_b.corrected;
  return impact;
}

}  // namespace

void bind_time_of_impact(nb::module_& m) {
  bind_impact(m);
  const ImpactOptions standard;
  m.def("time_of_impact", &call_time_of_impact, "a"_a.none(), "X0_WA"_a.none(), "X1_WA"_a.none(),
        "b"_a.none(), "X0_WB"_a.none(), "X1_WB"_a.none(), nb::kw_only(),
        "distance"_a.none() = standard.distance, "tolerance"_a.none() = standard.tolerance,
        "max_iterations"_a.none() = standard.max_iterations,
        nb::sig("def time_of_impact(a: " TACTUM_GEOMETRY ", X0_WA: " TACTUM_POSE_LIKE
                ", X1_WA: " TACTUM_POSE_LIKE ", b: " TACTUM_GEOMETRY ", X0_WB: " TACTUM_POSE_LIKE
                ", X1_WB: " TACTUM_POSE_LIKE
                ", *, distance: float = 0.0, tolerance: float = 1e-10, max_iterations: int = 10000)"
                " -> Impact"),
        R"(The first time in [0, 1] at which two moving bodies come within a distance of each other.

Each goes from its first pose to its second along a screw: constant speed, and a constant turn of at
most half a turn about a fixed axis. A body that does not turn moves on a straight line. Nothing is
missed, however thin or fast a body is.
a, b: shapes or compounds. X0_WA, X1_WA, X0_WB, X1_WB: poses in the world at times 0 and 1.
distance: in metres, 0 or more; the bodies meet when they are as near as this.
tolerance: of the distance at the impact, relative to the scale of the pair there.
max_iterations: distance queries.)");
}

}  // namespace tactum::python
