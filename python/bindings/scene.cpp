// SPDX-License-Identifier: BSD-2-Clause
// Scene and its results.
//
// A scene is one object for all threads of Python: a call waits for the call of another thread to
// end, without the GIL. Results are copies.
#include "tactum/scene.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <atomic>
#include <cstring>
#include <limits>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "batch_call.hpp"
#include "batch_input.hpp"
#include "bindings.hpp"
#include "convert.hpp"
#include "geometry.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

struct SharedScene {
  SharedScene() = default;
  explicit SharedScene(Scene&& given) : scene(std::move(given)) {}
  Scene scene;
  std::mutex mutex;
  std::atomic<std::thread::id> user{};
};

/// The scene for this call alone.
class Lease {
 public:
  explicit Lease(SharedScene& shared) : shared_(shared) {
    // a signal handler of Python may run within a call
    if (shared.user == std::this_thread::get_id())
      throw InvalidInput("scene", "a call from within a call", "wait for the first to end");
    const nb::gil_scoped_release release;
    shared_.mutex.lock();
    shared_.user = std::this_thread::get_id();
  }
  ~Lease() {
    shared_.user = std::thread::id{};
    shared_.mutex.unlock();
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  Scene* operator->() const { return &shared_.scene; }
  Scene& operator*() const { return shared_.scene; }

 private:
  SharedScene& shared_;
};

// -------------------------------------------------------------------------------------------------
// arrays

/// A new array of `rows` x `columns` (columns 0: one axis), filled by write(row, first number of
/// the row).
template <class Number, class Write>
nb::object array_of(std::size_t rows, std::size_t columns, const char* dtype, Write&& write) {
  const nb::object shape = columns == 0 ? nb::object(nb::make_tuple(rows))
                                        : nb::object(nb::make_tuple(rows, columns));
  const nb::object array = numpy().attr("empty")(shape, dtype);
  const Buffer buffer(array);
  auto* const numbers = static_cast<Number*>(buffer.data());
  for (std::size_t i = 0; i < rows; ++i) write(i, numbers + i * std::max<std::size_t>(columns, 1));
  return array;
}

template <class Items, class Get>
nb::object numbers_of(const Items& items, Get&& get) {
  return array_of<double>(items.size(), 0, "float64",
                          [&](std::size_t i, double* out) { *out = get(items[i]); });
}

template <class Items, class Get>
nb::object vectors_of(const Items& items, Get&& get) {
  return array_of<double>(items.size(), 3, "float64", [&](std::size_t i, double* out) {
    Eigen::Map<Vector3>{out} = get(items[i]);
  });
}

nb::object pairs_array(std::span<const std::pair<SceneId, SceneId>> pairs) {
  return array_of<std::int32_t>(pairs.size(), 2, "int32", [&](std::size_t i, std::int32_t* out) {
    out[0] = pairs[i].first;
    out[1] = pairs[i].second;
  });
}

nb::object ids_array(const std::vector<SceneId>& ids) {
  return array_of<std::int32_t>(ids.size(), 0, "int32",
                                [&](std::size_t i, std::int32_t* out) { *out = ids[i]; });
}

// -------------------------------------------------------------------------------------------------
// results

struct DistancesOfScene {
  nb::object pairs, parts, status, distance, normal, point_a, point_b, lower, upper, iterations;
};

DistancesOfScene copied(const SceneDistances& found) {
  const auto& rows = found.distances;
  DistancesOfScene r;
  r.pairs = pairs_array(found.pairs);
  r.parts = array_of<std::int32_t>(rows.size(), 2, "int32", [&](std::size_t i, std::int32_t* out) {
    out[0] = rows[i].part_a;
    out[1] = rows[i].part_b;
  });
  r.status = array_of<std::uint8_t>(rows.size(), 0, "uint8", [&](std::size_t i, std::uint8_t* out) {
    *out = static_cast<std::uint8_t>(rows[i].status);
  });
  r.iterations = array_of<std::int32_t>(
      rows.size(), 0, "int32",
      [&](std::size_t i, std::int32_t* out) { *out = rows[i].iterations; });
  r.distance = numbers_of(rows, [](const GeometryDistance& row) { return row.distance; });
  r.lower = numbers_of(rows, [](const GeometryDistance& row) { return row.lower; });
  r.upper = numbers_of(rows, [](const GeometryDistance& row) { return row.upper; });
  r.normal = vectors_of(rows, [](const GeometryDistance& row) { return row.normal; });
  r.point_a = vectors_of(rows, [](const GeometryDistance& row) { return row.point_a; });
  r.point_b = vectors_of(rows, [](const GeometryDistance& row) { return row.point_b; });
  return r;
}

struct ContactsOfScene {
  nb::object pairs, offsets, pair, point_a, point_b, normal, distance, feature_id;
};

ContactsOfScene copied(const SceneContacts& found) {
  const auto& rows = found.contacts;
  ContactsOfScene r;
  r.pairs = pairs_array(found.pairs);
  r.offsets = array_of<std::int64_t>(
      found.offsets.size(), 0, "int64",
      [&](std::size_t i, std::int64_t* out) { *out = found.offsets[i]; });
  std::size_t of_pair = 0;
  r.pair = array_of<std::int32_t>(rows.size(), 2, "int32", [&](std::size_t i, std::int32_t* out) {
    while (static_cast<std::int64_t>(i) >= found.offsets[of_pair + 1]) ++of_pair;
    out[0] = found.pairs[of_pair].first;
    out[1] = found.pairs[of_pair].second;
  });
  r.point_a = vectors_of(rows, [](const SceneContact& row) { return row.point_a; });
  r.point_b = vectors_of(rows, [](const SceneContact& row) { return row.point_b; });
  r.normal = vectors_of(rows, [](const SceneContact& row) { return row.normal; });
  r.distance = numbers_of(rows, [](const SceneContact& row) { return row.distance; });
  r.feature_id = array_of<std::uint64_t>(
      rows.size(), 0, "uint64",
      [&](std::size_t i, std::uint64_t* out) { *out = rows[i].feature_id; });
  return r;
}

struct HitsOfScene {
  nb::object id, distance, point, normal;
};

template <class Class, class Member>
void column(nb::class_<Class>& type, const char* name, Member Class::* member, const char* dtype,
            const char* doc) {
  const std::string signature = std::string("def ") + name +
                                "(self) -> numpy.typing.NDArray[numpy." + dtype + "]";
  type.def_prop_ro(
      name, [member](const Class& self) { return self.*member; }, nb::sig(signature.c_str()), doc);
}

void bind_results(nb::module_& m) {
  nb::class_<DistancesOfScene> distances(
      m, "SceneDistances",
      R"(Close pairs of a scene and their distances, as arrays over the M pairs.

Pairs ascend; the smaller id is A. Fields are those of Distances, in metres, in the world frame.)");
  column(distances, "pairs", &DistancesOfScene::pairs, "int32", "(M, 2) ids of A and B.");
  column(distances, "parts", &DistancesOfScene::parts, "int32",
         "(M, 2) the convex parts of A and B that are nearest; 0 for a convex shape.");
  column(distances, "status", &DistancesOfScene::status, "uint8", "(M,) numbers of Status.");
  column(distances, "distance", &DistancesOfScene::distance, "float64",
         "(M,) signed distances in metres.");
  column(distances, "normal", &DistancesOfScene::normal, "float64",
         "(M, 3) unit normals from A to B.");
  column(distances, "point_a", &DistancesOfScene::point_a, "float64",
         "(M, 3) witness points on A, in metres.");
  column(distances, "point_b", &DistancesOfScene::point_b, "float64",
         "(M, 3) witness points on B, in metres.");
  column(distances, "lower", &DistancesOfScene::lower, "float64",
         "(M,) proved lower bounds, in metres.");
  column(distances, "upper", &DistancesOfScene::upper, "float64",
         "(M,) proved upper bounds, in metres.");
  column(distances, "iterations", &DistancesOfScene::iterations, "int32",
         "(M,) iterations of the main loop.");
  distances
      .def(
          "__len__", [](const DistancesOfScene& self) { return nb::len(self.pairs); },
          "Number of pairs.")
      .def("__repr__", [](const DistancesOfScene& self) {
        return "SceneDistances(" + std::to_string(nb::len(self.pairs)) + " pairs)";
      });

  nb::class_<ContactsOfScene> contacts(
      m, "Contacts", R"(Contact points of a scene, as flat arrays over the K points.

Points offsets[i] to offsets[i + 1] are those of pairs[i]. The frame is the world, lengths are in
metres, and point_b - point_a = distance * normal.)");
  column(contacts, "pairs", &ContactsOfScene::pairs, "int32",
         "(M, 2) ids of A and B of each pair, ascending.");
  column(contacts, "offsets", &ContactsOfScene::offsets, "int64",
         "(M + 1,) where the points of each pair begin.");
  column(contacts, "pair", &ContactsOfScene::pair, "int32", "(K, 2) ids of A and B of each point.");
  column(contacts, "point_a", &ContactsOfScene::point_a, "float64", "(K, 3) points on A.");
  column(contacts, "point_b", &ContactsOfScene::point_b, "float64", "(K, 3) points on B.");
  column(contacts, "normal", &ContactsOfScene::normal, "float64",
         "(K, 3) unit normals from A to B.");
  column(contacts, "distance", &ContactsOfScene::distance, "float64",
         "(K,) signed distances along the normals.");
  column(contacts, "feature_id", &ContactsOfScene::feature_id, "uint64",
         "(K,) stays while the features that make the point stay.");
  contacts
      .def(
          "__len__", [](const ContactsOfScene& self) { return nb::len(self.distance); },
          "Number of points.")
      .def("__repr__", [](const ContactsOfScene& self) {
        return "Contacts(" + std::to_string(nb::len(self.distance)) + " points, " +
               std::to_string(nb::len(self.pairs)) + " pairs)";
      });

  nb::class_<HitsOfScene> hits(m, "RayHits",
                               "Nearest objects on N rays, as arrays. World frame, metres.");
  column(hits, "id", &HitsOfScene::id, "int32", "(N,) ids; -1 where nothing is hit.");
  column(hits, "distance", &HitsOfScene::distance, "float64",
         "(N,) from the origins along the rays; inf where nothing is hit.");
  column(hits, "point", &HitsOfScene::point, "float64",
         "(N, 3) where the rays enter; zeros where nothing is hit.");
  column(hits, "normal", &HitsOfScene::normal, "float64", "(N, 3) unit, out of the objects.");
  hits.def("__len__", [](const HitsOfScene& self) { return nb::len(self.id); }, "Number of rays.");
}

// -------------------------------------------------------------------------------------------------
// scene

std::uint32_t to_bits(nb::handle value, const char* field) {
  constexpr const char* remedy = "give an integer from 0 to 0xFFFFFFFF";
  if (!PyIndex_Check(value.ptr()) || PyBool_Check(value.ptr()))
    throw_type_error(field, type_text(value), remedy);
  const nb::object number = nb::steal(PyNumber_Index(value.ptr()));
  if (!number.is_valid()) throw nb::python_error();
  int overflow = 0;
  const long long bits = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0 || bits < 0 || bits > 0xFFFFFFFFLL)
    throw InvalidInput(field, nb::cast<std::string>(nb::str(number)), remedy);
  return static_cast<std::uint32_t>(bits);
}

std::string to_text(nb::handle value, const char* field) {
  if (!PyUnicode_Check(value.ptr())) throw_type_error(field, type_text(value), "give text");
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (text == nullptr) {
    PyErr_Clear();  // a lone surrogate
    throw InvalidInput(field, "text that has no UTF-8 form", "give valid text");
  }
  return {text, static_cast<std::size_t>(size)};
}

std::string to_path(nb::handle value) {
  const nb::object path = nb::steal(PyOS_FSPath(value.ptr()));
  if (!path.is_valid()) {
    PyErr_Clear();
    throw_type_error("path", type_text(value), "give a path");
  }
  return to_text(path, "path");
}

SceneId add(SharedScene& self, nb::handle shape, nb::handle X, nb::handle group, nb::handle mask,
            nb::handle name) {
  SceneObject object{.geometry = to_geometry(shape, "shape"),
                     .X = X.is_none() ? Pose{} : to_pose(X, "X").pose,
                     .group = to_bits(group, "group"),
                     .mask = to_bits(mask, "mask"),
                     .name = to_text(name, "name")};
  return Lease(self)->add(std::move(object));
}

void set_poses(SharedScene& self, nb::handle ids, nb::handle X, nb::handle num_threads) {
  const nb::object given = as_integer_array(ids, "ids", "give an array of ids");
  const HeldArray numbers(to_int32(given, "ids", "give ids of objects of the scene"), 'i', "int32");
  if (numbers.ndim() != 1)
    throw InvalidInput("ids", shape_text(numbers.array()), "give an array of one axis");
  RowCount rows;
  rows.add(numbers.shape(0), "ids");
  const PoseArgument poses(X, "X", rows);
  const int threads = to_int(num_threads, "num_threads");
  const Lease lease(self);
  interruptible([&] { lease->set_poses(numbers.items<std::int32_t>(), poses.span(), threads); });
}

SceneOptions to_options(nb::handle margin, nb::handle tolerance, nb::handle num_threads) {
  return {.margin = to_double(margin, "margin"),
          .tolerance = to_double(tolerance, "tolerance"),
          .num_threads = to_int(num_threads, "num_threads")};
}

template <class Result, class Call>
auto run(SharedScene& self, Call&& call) {
  const Lease lease(self);
  Result found;
  interruptible([&] { call(*lease, found); });
  return copied(found);
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
  return {array_of<std::int32_t>(hits.size(), 0, "int32",
                                 [&](std::size_t i, std::int32_t* out) { *out = hits[i].id; }),
          numbers_of(hits, [](const SceneHit& hit) { return hit.distance; }),
          vectors_of(hits, [](const SceneHit& hit) { return hit.point; }),
          vectors_of(hits, [](const SceneHit& hit) { return hit.normal; })};
}

std::string text_of(SharedScene& self) {
  const Lease lease(self);
  return interruptible([&] { return lease->to_text(); });
}

Scene scene_of(nb::handle value, const char* field) {
  const std::string text = to_text(value, field);
  return interruptible([&] { return Scene::from_text(text); });
}

nb::object pose_of(SharedScene& self, nb::handle id) {
  const Matrix4 matrix = pose_matrix(Lease(self)->object(to_int(id, "id")).X);
  return array_of<double>(4, 4, "float64", [&](std::size_t row, double* out) {
    Eigen::Map<Eigen::RowVector4d>{out} = matrix.row(static_cast<Eigen::Index>(row));
  });
}

void bind_objects(nb::class_<SharedScene>& type) {
  type.def("add", &add, "shape"_a.none(), "X"_a.none() = nb::none(), nb::kw_only(),
           "group"_a.none() = 1, "mask"_a.none() = 0xFFFFFFFFU, "name"_a.none() = "",
           nb::sig(
               "def add(self, shape: Shape | Compound, X: " TACTUM_POSE_LIKE
               " | None = None, *, group: int = 1, mask: int = 0xFFFFFFFF, name: str = '') -> int"),
           R"(Adds an object and returns its id.

shape: a convex shape, a half-space or a compound. X: its pose in the world; None: the identity.
group, mask: 32 bits each; objects meet when group_a & mask_b and group_b & mask_a are not zero.
name: at most 255 bytes; need not be unique. Ids are small integers; the lowest id of a removed
object is given again first.)")
      .def(
          "remove", [](SharedScene& self, nb::handle id) { Lease(self)->remove(to_int(id, "id")); },
          "id"_a.none(), nb::sig("def remove(self, id: int) -> None"), "Removes an object.")
      .def(
          "set_pose",
          [](SharedScene& self, nb::handle id, nb::handle X) {
            Lease(self)->set_pose(to_int(id, "id"), to_pose(X, "X").pose);
          },
          "id"_a.none(), "X"_a.none(),
          nb::sig("def set_pose(self, id: int, X: " TACTUM_POSE_LIKE ") -> None"),
          "Moves an object to the pose X in the world.")
      .def("set_poses", &set_poses, "ids"_a.none(), "X"_a.none(), nb::kw_only(),
           "num_threads"_a.none() = 0,
           nb::sig("def set_poses(self, ids: " TACTUM_ARRAY_LIKE ", X: " TACTUM_POSE_LIKE
                   ", *, num_threads: int = 0) -> None"),
           R"(Moves many objects: ids (N,), X (N, 4, 4) or (N, 7), or one pose for all.

It moves all or none: an unknown id or a bad pose raises InvalidInput with its index.)")
      .def("pose", &pose_of, "id"_a.none(),
           nb::sig("def pose(self, id: int) -> " TACTUM_FLOAT_ARRAY),
           "(4, 4) pose of an object in the world.")
      .def(
          "shape",
          [](SharedScene& self, nb::handle id) {
            return to_python(Lease(self)->object(to_int(id, "id")).geometry);
          },
          "id"_a.none(), nb::sig("def shape(self, id: int) -> Shape | Compound"),
          "The shape or compound of an object.")
      .def(
          "name",
          [](SharedScene& self, nb::handle id) {
            return Lease(self)->object(to_int(id, "id")).name;
          },
          "id"_a.none(), nb::sig("def name(self, id: int) -> str"), "The name of an object.")
      .def(
          "group",
          [](SharedScene& self, nb::handle id) {
            return Lease(self)->object(to_int(id, "id")).group;
          },
          "id"_a.none(), nb::sig("def group(self, id: int) -> int"), "The group bits of an object.")
      .def(
          "mask",
          [](SharedScene& self, nb::handle id) {
            return Lease(self)->object(to_int(id, "id")).mask;
          },
          "id"_a.none(), nb::sig("def mask(self, id: int) -> int"), "The mask bits of an object.")
      .def(
          "find",
          [](SharedScene& self, nb::handle name) -> nb::object {
            const SceneId id = Lease(self)->find(to_text(name, "name"));
            return id < 0 ? nb::none() : nb::cast(id);
          },
          "name"_a.none(), nb::sig("def find(self, name: str) -> int | None"),
          "The lowest id of that name; None when there is none.")
      .def_prop_ro(
          "ids", [](SharedScene& self) { return ids_array(Lease(self)->ids()); },
          nb::sig("def ids(self) -> " TACTUM_INT_ARRAY), "(N,) ids of all objects, ascending.")
      .def_prop_ro(
          "nbytes", [](SharedScene& self) { return Lease(self)->nbytes(); },
          "Memory held, in bytes, without the shapes.")
      .def(
          "__len__", [](SharedScene& self) { return Lease(self)->size(); }, "Number of objects.")
      .def(
          "__contains__",
          [](SharedScene& self, nb::handle id) { return Lease(self)->contains(to_int(id, "id")); },
          "id"_a.none(), nb::sig("def __contains__(self, id: int, /) -> bool"),
          "Whether an object has this id.")
      .def("__repr__", [](SharedScene& self) {
        return "Scene(" + std::to_string(Lease(self)->size()) + " objects)";
      });
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
          [](SharedScene& self, nb::handle margin, nb::handle tolerance, nb::handle num_threads) {
            const SceneOptions options = to_options(margin, tolerance, num_threads);
            return run<SceneDistances>(self, [&](Scene& scene, SceneDistances& out) {
              return scene.distances(options, out);
            });
          },
          "margin"_a.none() = 0.0, nb::kw_only(), "tolerance"_a.none() = 1e-10,
          "num_threads"_a.none() = 0,
          nb::sig("def distances(self, margin: float = 0.0, *, tolerance: float = 1e-10, "
                  "num_threads: int = 0) -> SceneDistances"),
          R"(Distances of all pairs at most `margin` metres apart, with those that overlap.

Each pair is warm-started from its last query. The same calls give the same bits for any number of
threads. The GIL is released; Ctrl-C ends the call. tolerance: as for distance(). num_threads: at
most; 0: all cores.)")
      .def(
          "contacts",
          [](SharedScene& self, nb::handle margin, nb::handle max_points, nb::handle max_angle,
             nb::handle tolerance, nb::handle num_threads) {
            SceneOptions options = to_options(margin, tolerance, num_threads);
            options.max_points = to_int(max_points, "max_points");
            options.max_angle = to_double(max_angle, "max_angle");
            return run<SceneContacts>(self, [&](Scene& scene, SceneContacts& out) {
              return scene.contacts(options, out);
            });
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
            interruptible([&] { lease->save(to); });
          },
          "path"_a.none(), nb::sig("def save(self, path: str | os.PathLike[str]) -> None"),
          "Writes the scene to a text file, every number exact. A file that is there is replaced "
          "as a whole.")
      .def_static(
          "load",
          [](nb::handle path) {
            const std::string from = to_path(path);
            return new SharedScene(interruptible([&] { return Scene::load(from); }));
          },
          "path"_a.none(), nb::sig("def load(path: str | os.PathLike[str]) -> Scene"),
          "Reads a file that save() wrote, or that was written by hand. Raises InvalidInput with "
          "the line of what is wrong.")
      .def(
          "to_text", [](SharedScene& self) { return text_of(self); }, "What save() writes.")
      .def_static(
          "from_text", [](nb::handle text) { return new SharedScene(scene_of(text, "text")); },
          "text"_a.none(), nb::sig("def from_text(text: str) -> Scene"), "What load() reads.")
      .def_static(
          "from_pinocchio",
          [](nb::handle model, nb::handle data, nb::handle hulls) {
            return nb::module_::import_("tactum._pinocchio")
                .attr("scene")(model, data, "hulls"_a = hulls);
          },
          "geometry_model"_a.none(), "geometry_data"_a.none() = nb::none(), nb::kw_only(),
          "hulls"_a.none() = true,
          nb::sig("def from_pinocchio(geometry_model: typing.Any, geometry_data: typing.Any = "
                  "None, *, hulls: bool = True) -> Scene"),
          R"(A robot in Pinocchio: object i is geometry i of the model, with its name.

geometry_model: a pinocchio.GeometryModel with shapes of coal; swept sphere radii become margins.
geometry_data: its data, whose poses oMg are taken: call pinocchio.updateGeometryPlacements first.
Without it every object lies at its placement in the frame of its joint. Move them with
set_poses(range(model.ngeoms), [X.homogeneous for X in data.oMg]).

Pairs are those that the model lists, or all of different joints where it lists none. They become
groups and masks; where 32 groups are too few to tell all pairs apart, more pairs meet than are
listed, and existCollisionPair of the model says which count. Meshes become their convex hulls;
with hulls=False they raise InvalidInput.)")
      .def(
          "__getstate__", [](SharedScene& self) { return nb::make_tuple(text_of(self)); },
          nb::sig("def __getstate__(self) -> tuple[object, ...]"))
      .def(
          "__setstate__",
          [](SharedScene* self, const nb::tuple& state) {
            if (state.size() != 1)
              throw InvalidInput("state", std::to_string(state.size()) + " items",
                                 "unpickle what was pickled");
            new (self) SharedScene(scene_of(state[0], "state"));
          },
          nb::sig("def __setstate__(self, state: tuple[object, ...], /) -> None"))
      .def(
          "__copy__", [](SharedScene& self) { return new SharedScene(Scene(*Lease(self))); },
          nb::sig("def __copy__(self) -> Scene"),
          "A scene of its own with the same objects and the same knowledge of pairs.")
      .def(
          "__deepcopy__",
          [](SharedScene& self, nb::handle) { return new SharedScene(Scene(*Lease(self))); },
          "memo"_a.none(), nb::sig("def __deepcopy__(self, memo: object, /) -> Scene"));
}

}  // namespace

void bind_scene(nb::module_& m) {
  bind_results(m);
  nb::class_<SharedScene> type(
      m, "Scene", R"(Many shapes that move: close pairs, their distances and contacts, rays.

    scene = Scene()
    ground = scene.add(HalfSpace())
    ball = scene.add(Sphere(radius=0.1), X)
    contacts = scene.contacts(margin=0.01)

A scene may be used from many threads: calls wait for each other.)");
  type.def(nb::init<>(), "An empty scene.");
  bind_objects(type);
  bind_queries(type);
  bind_files(type);
}

}  // namespace tactum::python
