// SPDX-License-Identifier: BSD-2-Clause
// Converters between the forms of a pose and between the two orders of a quaternion.
#include "tactum/pose.hpp"

#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <array>
#include <cmath>

#include "bindings.hpp"
#include "convert.hpp"
#include "tactum/status.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

using RowMatrix4 = Eigen::Matrix<double, 4, 4, Eigen::RowMajor>;

Pose checked(nb::handle X) { return check_pose(to_pose(X, "X").pose, "X").pose; }

/// A copy of (..., 4) numbers with item order[k] of each quaternion at place k.
nb::object reorder(nb::handle quat, const char* field, const std::array<int, 4>& order) {
  nb::object array = to_float_array(quat, field, 4);
  const FloatSpan span = float_span(array);
  for (Py_ssize_t row = 0; row < span.size; row += 4) {
    double* const q = span.data + row;
    const std::array<double, 4> old = {q[0], q[1], q[2], q[3]};
    for (int k = 0; k < 4; ++k) {
      if (!std::isfinite(old[k])) throw InvalidInput(field, repr(old[k]), "give finite numbers");
      q[k] = old[order[k]];
    }
  }
  return array;
}

}  // namespace

void bind_pose(nb::module_& m) {
  m.def(
      "pose_matrix", [](nb::handle X) -> RowMatrix4 { return pose_matrix(checked(X)); },
      "X"_a.none(), nb::sig("def pose_matrix(X: " TACTUM_POSE_LIKE ") -> " TACTUM_FLOAT_ARRAY),
      R"(Homogeneous matrix of a pose.

X: the pose, as a (4, 4) matrix with last row (0, 0, 0, 1), anything with __array__ of that shape,
a (7,) array x, y, z, qx, qy, qz, qw, or a pair (R, t) of a (3, 3) rotation and a (3,) translation
in metres.
Returns a (4, 4) float64 array. A rotation that is off by at most 1e-6 is made orthonormal; a
worse one raises InvalidInput.)");
  m.def(
      "pose_xyz_xyzw", [](nb::handle X) { return pose_xyz_xyzw(checked(X)); }, "X"_a.none(),
      nb::sig("def pose_xyz_xyzw(X: " TACTUM_POSE_LIKE ") -> " TACTUM_FLOAT_ARRAY),
      R"(Translation and quaternion of a pose.

X: the pose, in any form that pose_matrix takes.
Returns a (7,) float64 array x, y, z in metres, then qx, qy, qz, qw with qw >= 0.)");
  m.def(
      "quat_xyzw_from_wxyz",
      [](nb::handle quat) { return reorder(quat, "quat_wxyz", {1, 2, 3, 0}); },
      "quat_wxyz"_a.none(),
      nb::sig("def quat_xyzw_from_wxyz(quat_wxyz: " TACTUM_ARRAY_LIKE ") -> " TACTUM_FLOAT_ARRAY),
      R"(Quaternion in the order of this library (also Eigen, SciPy, Pinocchio, ROS) from the
order w, x, y, z (MuJoCo).

quat_wxyz: (..., 4) numbers. Returns a new float64 array of the same shape; the numbers are
reordered, not normalized.)");
  m.def(
      "quat_wxyz_from_xyzw",
      [](nb::handle quat) { return reorder(quat, "quat_xyzw", {3, 0, 1, 2}); },
      "quat_xyzw"_a.none(),
      nb::sig("def quat_wxyz_from_xyzw(quat_xyzw: " TACTUM_ARRAY_LIKE ") -> " TACTUM_FLOAT_ARRAY),
      R"(Quaternion in the order w, x, y, z (MuJoCo) from the order of this library (also Eigen,
SciPy, Pinocchio, ROS).

quat_xyzw: (..., 4) numbers. Returns a new float64 array of the same shape; the numbers are
reordered, not normalized.)");
}

}  // namespace tactum::python
