// SPDX-License-Identifier: BSD-2-Clause
// Scene: its queries and files. Results are copies.
#include "tactum/scene.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "batch_call.hpp"
#include "batch_input.hpp"
#include "bindings.hpp"
#include "convert.hpp"
#include "estimators.hpp"
#include "geometry.hpp"
#include "pickle.hpp"
#include "scene_derivative.hpp"
#include "scene_results.hpp"
#include "shared_scene.hpp"
#include "touch_file.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

std::string to_path(nb::handle value) {
  const nb::object path = nb::steal(PyOS_FSPath(value.ptr()));
  if (!path.is_valid()) {
    PyErr_Clear();
    throw_type_error("path", type_text(value), "give a path");
  }
  return to_text(path, "path");
}

SceneOptions to_options(nb::handle margin, nb::handle tolerance, nb::handle num_threads) {
  return {.margin = to_double(margin, "margin"),
          .tolerance = to_double(tolerance, "tolerance"),
          .num_threads = to_int(num_threads, "num_threads")};
}

DistancesOfScene find_distances(SharedScene& self, const SceneOptions& options,
                                nb::handle derivative, nb::handle frame) {
  const bool wanted = !derivative.is_none();
  const Estimator estimator = wanted ? to_estimator(derivative, "derivative") : Estimator(Exact{});
  const TangentFrame axes = to_frame(frame);
  const Lease lease(self);
  WorkspaceLease threads;
  SceneDistances found;
  SceneJacobians jacobians;
  interruptible([&] {
    found = lease->distances(options);
    if (wanted)
      jacobians = scene_jacobians(*lease, found, estimator, axes, options.num_threads,
                                  threads.get());
  });
  DistancesOfScene result = copied(found);
  if (wanted) result.jacobians = jacobians_dict(jacobians);
  return result;
}

/// (N, 3) numbers, or (3,) for one row.
Points to_rows(nb::handle value, const char* field) {
  return to_points(numpy().attr("atleast_2d")(as_real_array(
                       value, field, "give a (3,) or an (N, 3) array of real numbers")),
                   field);
}

HitsOfScene raycast(SharedScene& self, nb::handle origins, nb::handle directions,
                    nb::handle max_distance) {
  const Points from = to_rows(origins, "origins"), along = to_rows(directions, "directions");
  const double largest = to_double(max_distance, "max_distance");
  const Eigen::Index count = std::max(from.cols(), along.cols());
  if ((from.cols() != count && from.cols() != 1) || (along.cols() != count && along.cols() != 1)) {
    throw InvalidInput("directions", std::to_string(along.cols()) + " rows",
                       "give as many as origins (" + std::to_string(from.cols()) + "), or one");
  }
  std::vector<SceneHit> hits(static_cast<std::size_t>(count));
  const Lease lease(self);
  interruptible([&] {
    for (Eigen::Index i = 0; i < count; ++i) {
      check_interrupt();
      hits[static_cast<std::size_t>(i)] = lease->raycast(
          from.col(from.cols() == 1 ? 0 : i), along.col(along.cols() == 1 ? 0 : i), largest);
    }
  });
  return copied(hits);
}

std::string text_of(SharedScene& self) {
  const Lease lease(self);
  return interruptible([&] { return lease->to_text(); });
}

Scene scene_of(nb::handle value, const char* field, const SceneFileOptions& options) {
  const std::string text = to_text(value, field);
  return interruptible([&] { return Scene::from_text(text, options); });
}

SceneFileOptions to_file_options(nb::handle roots) {
  if (!PyTuple_Check(roots.ptr()) && !PyList_Check(roots.ptr()))
    throw_type_error("roots", type_text(roots), "give a list of folders");
  SceneFileOptions options;
  for (nb::handle root : nb::borrow<nb::object>(roots)) options.roots.emplace_back(to_path(root));
  return options;
}

/// The text, the meshes that it refers to, and the ids of the links of a model.
nb::tuple state_of(SharedScene& self) {
  const Lease lease(self);
  nb::list meshes;
  for (const Mesh& mesh : lease->meshes()) meshes.append(nb::cast(mesh));
  const std::string text = interruptible([&] { return lease->to_text(); });
  nb::list links;
  for (const SceneId id : self.links) links.append(id);
  return nb::make_tuple(text, meshes, nb::tuple(links));
}

/// The links of a state, each the id of an object or -1, none twice.
std::vector<SceneId> links_of_state(const nb::tuple& state, const Scene& scene) {
  std::vector<SceneId> links;
  for (nb::handle item : state) {
    const SceneId id = to_int(item, "state");
    if (id != -1 && (!scene.contains(id) || std::ranges::find(links, id) != links.end()))
      throw InvalidInput("state", std::to_string(id), "unpickle what was pickled");
    links.push_back(id);
  }
  return links;
}

void set_state(SharedScene* self, const nb::tuple& state) {
  StateReader read(state, 3);
  const nb::object text = read.next(), meshes = read.next();
  const nb::tuple links = read.tuple();
  if (!PyList_Check(meshes.ptr()))
    throw_type_error("state", type_text(meshes), "unpickle what was pickled");
  SceneFileOptions options;
  for (nb::handle item : meshes) {
    const Mesh* mesh = nullptr;
    if (!nb::try_cast<const Mesh*>(item, mesh) || mesh == nullptr)
      throw_type_error("state", type_text(item), "unpickle what was pickled");
    options.meshes.push_back(*mesh);
  }
  Scene scene = scene_of(text, "state", options);
  std::vector<SceneId> ids = links_of_state(links, scene);
  new (self) SharedScene(std::move(scene), std::move(ids));
}

SharedScene* copy_of(SharedScene& self) {
  const Lease lease(self);
  return new SharedScene(Scene(*lease), self.links);
}

/// The scene that tactum._pinocchio makes, which knows its links: all of its objects.
nb::object from_pinocchio(nb::handle model, nb::handle data, nb::handle hulls) {
  const nb::object made =
      nb::module_::import_("tactum._pinocchio").attr("scene")(model, data, "hulls"_a = hulls);
  SharedScene& scene = nb::cast<SharedScene&>(made);
  scene.links = Lease(scene)->ids();
  return made;
}

/// The distance of two objects where they are, whether they may meet or not.
GeometryDistance distance_of(SharedScene& self, nb::handle id_a, nb::handle id_b,
                             nb::handle tolerance) {
  const SceneId a = to_int(id_a, "id_a"), b = to_int(id_b, "id_b");
  const DistanceOptions options{.tolerance = to_double(tolerance, "tolerance")};
  const Lease lease(self);
  return interruptible([&] {
    const SceneObject &of_a = lease->object(a), &of_b = lease->object(b);
    return distance(of_a.geometry, of_a.X, of_b.geometry, of_b.X, options);
  });
}

/// Whether a pair that may meet touches or penetrates, or is within the margin.
bool collides(SharedScene& self, nb::handle margin) {
  const SceneOptions options{.margin = to_double(margin, "margin")};
  const Lease lease(self);
  return interruptible([&] { return lease->collides(options); });
}

void bind_queries(nb::class_<SharedScene>& type) {
  type.def(
          "pairs",
          [](SharedScene& self, nb::handle margin) {
            const double length = to_double(margin, "margin");
            const Lease lease(self);
            std::span<const std::pair<SceneId, SceneId>> found;
            interruptible([&] { found = lease->pairs(length); });
            return pairs_array(found);
          },
          "margin"_a.none() = 0.0,
          nb::sig("def pairs(self, margin: float = 0.0) -> " TACTUM_INT_ARRAY),
          R"((M, 2) ids of the pairs whose bounding boxes, each grown by half the margin in
metres, overlap; ascending.)")
      .def(
          "distances",
          [](SharedScene& self, nb::handle margin, nb::handle tolerance, nb::handle num_threads,
             nb::handle derivative, nb::handle frame) {
            return find_distances(self, to_options(margin, tolerance, num_threads), derivative,
                                  frame);
          },
          "margin"_a.none() = 0.0, nb::kw_only(), "tolerance"_a.none() = 1e-10,
          "num_threads"_a.none() = 0, "derivative"_a.none() = nb::none(),
          "frame"_a.none() = "local",
          nb::sig("def distances(self, margin: float = 0.0, *, tolerance: float = 1e-10, "
                  "num_threads: int = 0, derivative: " TACTUM_ESTIMATOR
                  " | None = None, frame: " TACTUM_FRAME " = 'local') -> SceneDistances"),
          R"(Distances of all pairs at most `margin` metres apart, with those that overlap.

Each pair is warm-started from its last query. The same calls give the same bits for any number of
threads. The GIL is released; Ctrl-C ends the call. tolerance: as for distance(). num_threads: at
most; 0: all cores. derivative: an estimator, such as Exact(): the result then has the Jacobians of
distance_derivative(), by the motions of A and B in `frame`.)")
      .def("distance", &distance_of, "id_a"_a.none(), "id_b"_a.none(), nb::kw_only(),
           "tolerance"_a.none() = 1e-10,
           nb::sig("def distance(self, id_a: int, id_b: int, *, tolerance: float = 1e-10) -> "
                   "GeometryDistance"),
           "The distance of two objects where they are now, whether they may meet or not.")
      .def("collides", &collides, "margin"_a.none() = 0.0,
           nb::sig("def collides(self, margin: float = 0.0) -> bool"),
           "Whether any pair that may meet touches or penetrates, or is within the margin in "
           "metres.")
      .def(
          "contacts",
          [](SharedScene& self, nb::handle margin, nb::handle max_points, nb::handle max_angle,
             nb::handle tolerance, nb::handle num_threads) {
            SceneOptions options = to_options(margin, tolerance, num_threads);
            options.max_points = to_int(max_points, "max_points");
            options.max_angle = to_double(max_angle, "max_angle");
            const Lease lease(self);
            SceneContacts found;
            interruptible([&] { found = lease->contacts(options); });
            return copied(found, *lease);
          },
          "margin"_a.none() = 0.0, nb::kw_only(), "max_points"_a.none() = 8,
          "max_angle"_a.none() = 0.05, "tolerance"_a.none() = 1e-10, "num_threads"_a.none() = 0,
          nb::sig("def contacts(self, margin: float = 0.0, *, max_points: int = 8, max_angle: "
                  "float = 0.05, "
                  "tolerance: float = 1e-10, num_threads: int = 0) -> Contacts"),
          R"(Contact patches of all pairs that are at most `margin` metres apart: contact_patch()
for each, as flat arrays.

max_points, max_angle: options of one patch, as for contact_patch(). The other arguments are those
of distances().)")
      .def(
          "raycast", &raycast, "origins"_a.none(), "directions"_a.none(), nb::kw_only(),
          "max_distance"_a.none() = std::numeric_limits<double>::infinity(),
          nb::sig("def raycast(self, origins: " TACTUM_ARRAY_LIKE ", directions: " TACTUM_ARRAY_LIKE
                  ", *, max_distance: float = math.inf) -> RayHits"),
          R"(The nearest object on each of N rays, or on one ray.

origins, directions: (3,) or (N, 3), world frame; no direction is zero. max_distance: in metres.)");
}

void bind_files(nb::class_<SharedScene>& type) {
  type.def(
          "save",
          [](SharedScene& self, nb::handle path) {
            const std::string to = to_path(path);
            const Lease lease(self);
            try {
              interruptible([&] { lease->save(to); });
            } catch (const InvalidInput&) {
              touch_file(path, "ab");  // says in Python's own words what is wrong with the path
              throw;
            }
          },
          "path"_a.none(), nb::sig("def save(self, path: str | os.PathLike[str]) -> None"),
          "Writes the scene to a text file, every number exact, and its meshes to files of the "
          "folder meshes beside it. A file that is there is replaced as a whole.")
      .def_static(
          "load",
          [](nb::handle path, nb::handle roots) {
            const std::string from = to_path(path);
            touch_file(path, "rb");
            const SceneFileOptions options = to_file_options(roots);
            return new SharedScene(interruptible([&] { return Scene::load(from, options); }));
          },
          "path"_a.none(), nb::kw_only(), "roots"_a.none() = nb::make_tuple(),
          nb::sig("def load(path: str | os.PathLike[str], *, "
                  "roots: collections.abc.Sequence[str | os.PathLike[str]] = ()) -> Scene"),
          R"(Reads a file that save() wrote, or that was written by hand. Raises InvalidInput with
the line of what is wrong, and what open() raises for a file that cannot be read.

roots: folders that the mesh files it refers to may lie in, at any depth, besides the folder of the
file itself. Nothing outside of them is read.)")
      .def(
          "to_text", [](SharedScene& self) { return text_of(self); }, "What save() writes.")
      .def_static(
          "from_text",
          [](nb::handle text, nb::handle roots) {
            return new SharedScene(scene_of(text, "text", to_file_options(roots)));
          },
          "text"_a.none(), nb::kw_only(), "roots"_a.none() = nb::make_tuple(),
          nb::sig("def from_text(text: str, *, "
                  "roots: collections.abc.Sequence[str | os.PathLike[str]] = ()) -> Scene"),
          "What load() reads. roots: folders of the mesh files that it refers to.")
      .def_static(
          "from_pinocchio", &from_pinocchio, "geometry_model"_a.none(),
          "geometry_data"_a.none() = nb::none(), nb::kw_only(), "hulls"_a.none() = nb::none(),
          nb::sig("def from_pinocchio(geometry_model: typing.Any, geometry_data: typing.Any = "
                  "None, *, hulls: bool | None = None) -> Scene"),
          R"(A robot in Pinocchio: object i is geometry i of the model, with its name.

geometry_model: a pinocchio.GeometryModel with shapes of coal; swept sphere radii become margins.
geometry_data: its data, whose poses oMg are taken: call pinocchio.updateGeometryPlacements first.
Without it every object lies at its placement in the frame of its joint. Move them with
update(geometry_data).

Pairs of links are exactly those that the model lists and the data has not deactivated. Where it
lists none, all links of different joints meet, and a warning says so. What is added to the scene later meets every link. Meshes
become their convex hulls, with one warning that names them; hulls=True accepts that in silence,
hulls=False raises InvalidInput.)")
      .def(
          "__getstate__", [](SharedScene& self) { return state_of(self); },
          nb::sig("def __getstate__(self) -> tuple[object, ...]"))
      .def("__setstate__", &set_state,
           nb::sig("def __setstate__(self, state: tuple[object, ...], /) -> None"))
      .def("__copy__", &copy_of, nb::sig("def __copy__(self) -> Scene"),
           "A scene of its own with the same objects and the same knowledge of pairs.")
      .def(
          "__deepcopy__", [](SharedScene& self, nb::handle) { return copy_of(self); },
          "memo"_a.none(), nb::sig("def __deepcopy__(self, memo: object, /) -> Scene"));
}

}  // namespace

void bind_scene(nb::module_& m) {
  bind_scene_results(m);
  nb::class_<SharedScene> type(
      m, "Scene", R"(Many shapes that move: close pairs, their distances and contacts, rays.

    scene = Scene()
    ground = scene.add(HalfSpace())
    ball = scene.add(Sphere(radius=0.1), X)
    contacts = scene.contacts(margin=0.01)

A scene may be used from many threads: calls wait for each other.)");
  type.def(nb::init<>(), "An empty scene.");
  bind_scene_objects(type);
  bind_queries(type);
  bind_files(type);
}

}  // namespace tactum::python
