// SPDX-License-Identifier: BSD-2-Clause
// signed_distance: points in, distances and gradients out, without the GIL.
#include "tactum/signed_distance.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <string>

#include "batch_call.hpp"
#include "batch_input.hpp"
#include "bindings.hpp"
#include "convert.hpp"
#include "geometry.hpp"
#include "tactum/status.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

const char* const kPointsRemedy = "give (N, 3) numbers in metres, or (..., 3)";

/// The answer has no place for a status, so that a bad point is an error of the call.
void check_points(std::span<const Vector3> points) {
  for (std::size_t row = 0; row < points.size(); ++row) {
    for (int i = 0; i < 3; ++i) {
      if (!(std::abs(points[row][i]) <= 1e30))
        throw InvalidInput("points[" + std::to_string(row) + ", " + std::to_string(i) + "]",
                           repr(points[row][i]), "give finite coordinates of at most 1e30 m");
    }
  }
}

nb::tuple call_signed_distance(nb::handle shape, nb::handle X, nb::handle points,
                               nb::handle num_threads) {
  const Geometry solid = to_geometry(shape, "shape");
  const Pose pose = to_pose(X, "X").pose;
  const nb::object given = as_real_array(points, "points", kPointsRemedy);
  const HeldArray array(given, 'd', "float64");
  if (array.shape(array.ndim() - 1) != 3)
    throw InvalidInput("points", shape_text(given), kPointsRemedy);
  const auto rows = array.items<Vector3>();
  check_points(rows);
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
  interruptible([&] { signed_distance(solid, pose, rows, options, lease.get(), out); });
  return nb::make_tuple(distances, gradients);
}

}  // namespace

void bind_signed_distance(nb::module_& m) {
  m.def("signed_distance", &call_signed_distance, "shape"_a.none(), "X"_a.none(), "points"_a.none(),
        nb::kw_only(), "num_threads"_a.none() = 0,
        nb::sig("def signed_distance(shape: " TACTUM_GEOMETRY ", X: " TACTUM_POSE_LIKE
                ", points: " TACTUM_ARRAY_LIKE
                ", *, num_threads: int = 0) -> tuple[" TACTUM_FLOAT_ARRAY ", " TACTUM_FLOAT_ARRAY
                "]"),
        R"(Signed distance of many points from one shape, compound or mesh, and its gradient with
respect to the point.

shape: a convex shape, whose margin belongs to it; a compound, with the smallest distance over its
parts; or a mesh, which has an inside, by its winding number, where it is closed and oriented. X: its pose in the world, in any form that
pose_matrix takes.
points: (N, 3) in metres, in the world; or (..., 3). A C-contiguous float64 array is read in
place.
num_threads: at most that many; 0: all cores. The answer has the same bits for any number.
Returns (distances, gradients): (N,) in metres, negative inside, and (N, 3) unit vectors in the
world frame, outward. Where the gradient is not unique (in the middle of a ball) any optimal one
is returned.
Raises InvalidInput (a ValueError) on a point that is not finite, TypeError on objects of the
wrong type. The GIL is released; Ctrl-C ends the call.)");
}

}  // namespace tactum::python
