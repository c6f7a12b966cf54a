// SPDX-License-Identifier: BSD-2-Clause
// The parts of the extension module, one for each public header.
#pragma once

#include <nanobind/nanobind.h>

namespace tactum::python {

void bind_explained_call(nanobind::module_& m);
void bind_status(nanobind::module_& m);
void bind_pose(nanobind::module_& m);
void bind_shape(nanobind::module_& m);
void bind_convex(nanobind::module_& m);           // after bind_shape: Convex is a Shape
void bind_mesh(nanobind::module_& m);             // after bind_convex: it has a hull
void bind_stp(nanobind::module_& m);              // after bind_mesh: it is drawn as one
void bind_compound(nanobind::module_& m);         // after bind_shape: parts are shapes
void bind_height_field(nanobind::module_& m);     // after bind_compound: it is one
void bind_bounding_volume(nanobind::module_& m);  // after bind_convex: it takes every shape
void bind_broad_phase(nanobind::module_& m);
void bind_distance(nanobind::module_& m);             // after bind_compound: it takes compounds
void bind_distance_derivative(nanobind::module_& m);  // after bind_distance: it uses Distance
void bind_contact_patch(nanobind::module_& m);        // after bind_distance: it uses Distance
void bind_distances(nanobind::module_& m);            // after bind_distance: it uses WarmStart
void bind_signed_distance(nanobind::module_& m);
void bind_time_of_impact(nanobind::module_& m);  // after bind_distance: it has a GeometryDistance
void bind_contact_pose(nanobind::module_& m);    // after bind_distances: it uses ShapeTable
void bind_contact_problem(nanobind::module_& m);
void bind_contact_solver(nanobind::module_& m);      // after bind_contact_problem: it uses
                                                     // ContactProblem
void bind_contact_derivative(nanobind::module_& m);  // after bind_contact_solver: it uses
                                                     // ContactSolution
void bind_contact_warm_start(nanobind::module_& m);  // after bind_contact_solver, likewise

void bind_scene(nanobind::module_& m);              // after bind_compound: it holds compounds
void bind_collision_network(nanobind::module_& m);  // after bind_mesh: it encodes meshes

}  // namespace tactum::python

// Type annotations of the signatures that users and type checkers read.
#define TACTUM_GEOMETRY "Shape | Compound | Mesh"
#define TACTUM_ARRAY_LIKE "numpy.typing.ArrayLike"
#define TACTUM_POSE_LIKE \
  TACTUM_ARRAY_LIKE " | tuple[" TACTUM_ARRAY_LIKE ", " TACTUM_ARRAY_LIKE "] | None"
#define TACTUM_FLOAT_ARRAY "numpy.typing.NDArray[numpy.float64]"
#define TACTUM_INT_ARRAY "numpy.typing.NDArray[numpy.int32]"
