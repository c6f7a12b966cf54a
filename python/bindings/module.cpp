// SPDX-License-Identifier: BSD-2-Clause
// The extension module tactum._core: everything that needs numpy alone.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <Eigen/Core>

#include <string>

#include "bindings.hpp"
#include "core/simd_level.hpp"
#include "tactum/version.hpp"

namespace nb = nanobind;

namespace tactum::python {
namespace {

std::string eigen_version() {
  return std::to_string(EIGEN_WORLD_VERSION) + "." + std::to_string(EIGEN_MAJOR_VERSION) + "." +
         std::to_string(EIGEN_MINOR_VERSION);
}

std::string compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#elif defined(__GNUC__)
  return "gcc " __VERSION__;
#else
  return "unknown";
#endif
}

nb::dict build_info() {
  nb::dict info;
  info["version"] = TACTUM_VERSION;
  info["compiler"] = nb::str(compiler().c_str());
#if defined(NDEBUG)
  info["build"] = "release";
#else
  info["build"] = "debug";
#endif
  info["eigen"] = nb::str(eigen_version().c_str());
  return info;
}

}  // namespace
}  // namespace tactum::python

NB_MODULE(_core, m) {
  // objects that other packages keep to the end of the process, such as the caches of JAX and the
  // graphs of PyTorch, are not our leaks
  nb::set_leak_warnings(false);
  m.doc() = "Compiled part of tactum. Use the names of the package tactum.";
  m.def("build_info", &tactum::python::build_info, nb::sig("def build_info() -> dict[str, str]"),
        "How this module was built: version, compiler, build type, Eigen version.");
  m.def(
      "simd_level", [] { return std::string(tactum::to_string(tactum::simd_level())); },
      nb::sig("def simd_level() -> str"),
      "Vector instructions in use: baseline, avx2 or avx512. The environment variable TACTUM_SIMD "
      "lowers them.");
  tactum::python::bind_explained_call(m);
  tactum::python::bind_status(m);
  tactum::python::bind_pose(m);
  tactum::python::bind_shape(m);
  tactum::python::bind_convex(m);
  tactum::python::bind_mesh(m);
  tactum::python::bind_stp(m);
  tactum::python::bind_compound(m);
  tactum::python::bind_height_field(m);
  tactum::python::bind_bounding_volume(m);
  tactum::python::bind_broad_phase(m);
  tactum::python::bind_distance(m);
  tactum::python::bind_distance_derivative(m);
  tactum::python::bind_contact_patch(m);
  tactum::python::bind_distances(m);
  tactum::python::bind_signed_distance(m);
  tactum::python::bind_time_of_impact(m);
  tactum::python::bind_contact_pose(m);
  tactum::python::bind_contact_problem(m);
  tactum::python::bind_contact_solver(m);
  tactum::python::bind_contact_derivative(m);
  tactum::python::bind_contact_warm_start(m);
  tactum::python::bind_scene(m);
  tactum::python::bind_collision_network(m);
}
