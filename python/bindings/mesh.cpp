// SPDX-License-Identifier: BSD-2-Clause
// Mesh and its report. Files are read, and long work is done, without the GIL.
#include "tactum/mesh.hpp"

#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/operators.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <string>

#include "batch_call.hpp"
#include "bindings.hpp"
#include "convert.hpp"
#include "keywords.hpp"
#include "pickle.hpp"
#include "shape_of.hpp"
#include "supports.hpp"
#include "tactum/mesh_file.hpp"
#include "touch_file.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

using RowPairs = Eigen::Matrix<std::int32_t, Eigen::Dynamic, 2, Eigen::RowMajor>;
using RowPoints = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;

/// A read-only view of columns as rows; it keeps the mesh alive.
template <class Scalar, class Columns>
nb::ndarray<nb::numpy, const Scalar, nb::ndim<2>> view(nb::handle owner, const Columns& columns) {
  return {columns.data(), {static_cast<std::size_t>(columns.cols()), 3}, owner};
}

bool to_flag(nb::handle value, const char* field) {
  if (!PyBool_Check(value.ptr())) throw_type_error(field, type_text(value), "give True or False");
  return value.ptr() == Py_True;
}

std::filesystem::path to_path(nb::handle value) {
  const nb::object path = nb::steal(PyOS_FSPath(value.ptr()));
  if (!path.is_valid() || !PyUnicode_Check(path.ptr())) {
    PyErr_Clear();
    throw_type_error("path", type_text(value), "give a path");
  }
  const nb::object bytes = nb::steal(PyUnicode_EncodeFSDefault(path.ptr()));
  if (!bytes.is_valid()) throw nb::python_error();
  return nb::cast<nb::bytes>(bytes).c_str();
}

Mesh make_mesh(nb::handle vertices, nb::handle triangles, nb::handle solid) {
  Points points = to_points(vertices, "Mesh.vertices");
  Triangles corners = to_triangles(triangles, "Mesh.triangles");
  const bool filled = to_flag(solid, "Mesh.solid");
  return interruptible([&] { return Mesh(std::move(points), std::move(corners), filled); });
}

/// Raises what Python's open() raises for a path that is no file; returns where it is one.
void say_what_is_wrong_with(nb::handle path, const std::filesystem::path& file, const char* mode) {
  std::error_code ignored;
  // opening a pipe or a device may wait for ever
  if (!std::filesystem::is_other(std::filesystem::status(file, ignored))) touch_file(path, mode);
}

Mesh from_file(nb::handle path, nb::handle scale, nb::handle solid, nb::handle apply_up_axis,
               nb::handle merge_duplicates, nb::handle max_bytes) {
  const std::filesystem::path from = to_path(path);
  const int most = to_int(max_bytes, "max_bytes");
  if (most < 0) throw InvalidInput("max_bytes", std::to_string(most), "give 0 or more");
  const MeshFileOptions options{.scale = to_double(scale, "scale"),
                                .solid = to_flag(solid, "solid"),
                                .max_bytes = static_cast<std::size_t>(most),
                                .apply_up_axis = to_flag(apply_up_axis, "apply_up_axis"),
                                .merge_duplicates = to_flag(merge_duplicates, "merge_duplicates")};
  try {
    return interruptible([&] { return read_mesh(from, options); });
  } catch (const InvalidInput&) {
    say_what_is_wrong_with(path, from, "rb");
    throw;
  }
}

nb::tuple sample(const Mesh& self, nb::handle n, nb::handle seed, nb::handle method) {
  const int count = to_int(n, "n"), number = to_int(seed, "seed");
  if (number < 0) throw InvalidInput("seed", std::to_string(number), "give a seed from 0");
  const std::string name = PyUnicode_Check(method.ptr()) ? nb::cast<std::string>(method)
                                                         : type_text(method);
  if (name != "uniform" && name != "poisson")
    throw InvalidInput("method", name, "give 'uniform' or 'poisson'");
  const SampleMethod how = name == "uniform" ? SampleMethod::uniform : SampleMethod::poisson;
  const MeshSamples samples = interruptible(
      [&] { return self.sample(count, static_cast<std::uint64_t>(number), how); });
  return nb::make_tuple(RowPoints(samples.points.transpose()),
                        RowPoints(samples.normals.transpose()));
}

const char* flag_text(bool value) { return value ? "True" : "False"; }

std::string report_text(const MeshReport& r) {
  return std::string("MeshReport(closed=") + flag_text(r.closed) +
         ", manifold=" + flag_text(r.manifold) + ", oriented=" + flag_text(r.oriented) +
         ", num_components=" + std::to_string(r.num_components) + ", volume=" + repr(r.volume) +
         ", area=" + repr(r.area) + ")";
}

template <class Member>
auto reader(Member MeshReport::*member) {
  return [member](const MeshReport& self) { return self.*member; };
}

constexpr bool MeshReport::*kReportFlags[] = {&MeshReport::closed, &MeshReport::manifold,
                                              &MeshReport::oriented};
constexpr double MeshReport::*kReportSizes[] = {&MeshReport::volume, &MeshReport::area};
constexpr int MeshReport::*kReportCounts[] = {
    &MeshReport::num_components,           &MeshReport::num_boundary_edges,
    &MeshReport::num_non_manifold_edges,   &MeshReport::num_misoriented_edges,
    &MeshReport::num_duplicate_vertices,   &MeshReport::num_duplicate_triangles,
    &MeshReport::num_degenerate_triangles, &MeshReport::num_unused_vertices,
    &MeshReport::num_self_intersections};

nb::tuple report_state(const MeshReport& report) {
  nb::list values;
  for (const auto flag : kReportFlags) values.append(report.*flag);
  for (const auto size : kReportSizes) values.append(report.*size);
  for (const auto count : kReportCounts) values.append(report.*count);
  for (const std::int32_t vertex : report.first_offending_edge) values.append(vertex);
  return nb::tuple(values);
}

MeshReport report_from_state(const nb::tuple& state) {
  StateReader read(
      state, std::size(kReportFlags) + std::size(kReportSizes) + std::size(kReportCounts) + 2);
  MeshReport report;
  for (const auto flag : kReportFlags) report.*flag = to_flag(read.next(), "state");
  for (const auto size : kReportSizes) report.*size = read.number();
  for (const auto count : kReportCounts) report.*count = read.integer();
  for (std::int32_t& vertex : report.first_offending_edge) vertex = read.integer();
  return report;
}

void bind_report(nb::module_& m) {
  nb::class_<MeshReport> type(m, "MeshReport",
                              R"(What a mesh is like.

Vertices closer than 4 eps of the extent count as one. Triangles with two equal corners are left out
of everything about edges.)");
  type.def_prop_ro("closed", reader(&MeshReport::closed),
                   "Whether every edge has an even number of triangles.")
      .def_prop_ro("manifold", reader(&MeshReport::manifold),
                   "Whether every edge has at most two triangles, and those around a vertex are "
                   "one fan.")
      .def_prop_ro("oriented", reader(&MeshReport::oriented),
                   "Whether, of the triangles at every inner edge, as many run along it as "
                   "against.")
      .def_prop_ro("num_components", reader(&MeshReport::num_components),
                   "Number of pieces that share no vertex.")
      .def_prop_ro("volume", reader(&MeshReport::volume),
                   "Signed volume in m^3 of a closed mesh, by the divergence theorem; 0 for an "
                   "open one.")
      .def_prop_ro("area", reader(&MeshReport::area), "Area in m^2.")
      .def_prop_ro("num_boundary_edges", reader(&MeshReport::num_boundary_edges),
                   "Number of edges with an odd number of triangles.")
      .def_prop_ro("num_non_manifold_edges", reader(&MeshReport::num_non_manifold_edges),
                   "Number of edges with more than two triangles.")
      .def_prop_ro("num_misoriented_edges", reader(&MeshReport::num_misoriented_edges),
                   "Number of inner edges that are run along more often one way.")
      .def_prop_ro("num_duplicate_vertices", reader(&MeshReport::num_duplicate_vertices),
                   "Number of vertices that lie where one before them lies.")
      .def_prop_ro("num_duplicate_triangles", reader(&MeshReport::num_duplicate_triangles),
                   "Number of triangles with the corners of one before them.")
      .def_prop_ro("num_degenerate_triangles", reader(&MeshReport::num_degenerate_triangles),
                   "Number of triangles without area.")
      .def_prop_ro("num_unused_vertices", reader(&MeshReport::num_unused_vertices),
                   "Number of vertices of no triangle.")
      .def_prop_ro(
          "num_self_intersections",
          [](const MeshReport& self) -> nb::object {
            const int count = self.num_self_intersections;
            return count < 0 ? nb::none() : nb::object(nb::int_(count));
          },
          nb::sig("def num_self_intersections(self) -> int | None"),
          "Number of pairs of triangles that meet where they should not, at most a million; None: "
          "not asked for.")
      .def_prop_ro(
          "first_offending_edge",
          [](const MeshReport& self) -> nb::object {
            const auto [from, to] = self.first_offending_edge;
            return from < 0 ? nb::none() : nb::object(nb::make_tuple(from, to));
          },
          nb::sig("def first_offending_edge(self) -> tuple[int, int] | None"),
          "Vertices of the first edge that is open, of more than two triangles or misoriented; "
          "None: there is none.")
      .def("__repr__", &report_text);
  bind_immutable(type, &report_state, &report_from_state);
}

void bind_questions(nb::class_<Mesh>& type) {
  type.def(
          "report",
          [](const Mesh& self, nb::handle with_intersections) {
            const bool look = to_flag(with_intersections, "self_intersections");
            return interruptible([&] {
              MeshReport report = self.report();
              if (look)
                report.num_self_intersections = static_cast<int>(self_intersections(self).size());
              return report;
            });
          },
          nb::kw_only(), "self_intersections"_a.none() = false,
          nb::sig("def report(self, *, self_intersections: bool = False) -> MeshReport"),
          R"(What the mesh is like: closed, manifold, oriented, volume, first offending edge.

self_intersections: also count the pairs of triangles that meet where they should not.)")
      .def(
          "convex_hull",
          [](const Mesh& self, nb::handle margin) {
            const double radius = to_double(margin, "margin");
            return interruptible([&] { return ShapeOf<Convex>(self.convex_hull(radius)); });
          },
          nb::kw_only(), "margin"_a.none() = 0.0,
          nb::sig("def convex_hull(self, *, margin: float = 0.0) -> Convex"),
          "The convex hull of the vertices. margin: in metres, >= 0.")
      .def(
          "support",
          [](const Mesh& self, nb::handle direction) { return supports_of(self, direction); },
          "direction"_a.none(),
          nb::sig("def support(self, direction: " TACTUM_ARRAY_LIKE ") -> " TACTUM_FLOAT_ARRAY),
          "A (3,) vertex farthest along a direction (3,) of any non-zero length, or (N, 3) for "
          "(N, 3) directions, in the frame of the mesh, in metres.")
      .def(
          "to_mesh", [](nb::handle self, nb::handle) { return nb::borrow(self); },
          "resolution"_a.none() = 32, nb::sig("def to_mesh(self, resolution: int = 32) -> Mesh"),
          "The mesh itself, as the other shapes have it. resolution: of no use here.")
      .def(
          "aabb",
          [](const Mesh& self, nb::handle X) {
            const Aabb box = self.aabb(X.is_none() ? Pose{} : to_pose(X, "X").pose);
            return nb::make_tuple(to_array(box.lower), to_array(box.upper));
          },
          "X"_a.none() = nb::none(),
          nb::sig("def aabb(self, X: " TACTUM_POSE_LIKE " = None) -> tuple[" TACTUM_FLOAT_ARRAY
                  ", " TACTUM_FLOAT_ARRAY "]"),
          "Tight axis-aligned box (lower, upper), each (3,) in metres, in the frame that X is "
          "given in.")
      .def(
          "area", [](const Mesh& self) { return self.area(); }, "Area in m^2.")
      .def(
          "volume", [](const Mesh& self) { return interruptible([&] { return self.volume(); }); },
          "Volume in m^3. Raises InvalidInput unless the mesh is closed and oriented outward.")
      .def(
          "mass_properties",
          [](const Mesh& self, nb::handle density, nb::handle shell) {
            const double value = to_double(density, "density");
            const MassOf what = to_flag(shell, "shell") ? MassOf::shell : MassOf::solid;
            return interruptible([&] { return self.mass_properties(value, what); });
          },
          "density"_a.none(), nb::kw_only(), "shell"_a.none() = false,
          nb::sig("def mass_properties(self, density: float, *, shell: bool = False) -> "
                  "MassProperties"),
          R"(Mass, center of mass and inertia.

density: in kg/m^3, positive, of the inside, which the divergence theorem integrates over; raises
InvalidInput unless the mesh is closed and oriented outward. shell=True: in kg/m^2, of the surface.)")
      .def(
          "sample", &sample, "n"_a.none(), "seed"_a.none() = 0, nb::kw_only(),
          "method"_a.none() = "uniform",
          nb::sig("def sample(self, n: int, seed: int = 0, *, method: str = 'uniform') -> "
                  "tuple[" TACTUM_FLOAT_ARRAY ", " TACTUM_FLOAT_ARRAY "]"),
          R"(Points on the surface and the unit normals of their triangles, each (n, 3), in the frame of the mesh.

method: 'uniform' draws independent points; 'poisson' keeps the n of 5 n such points that are
farthest from each other. Same seed, same bits.)");
}

}  // namespace

void bind_mesh(nb::module_& m) {
  static constexpr const char* kMesh = "def __init__(self, *, vertices: " TACTUM_ARRAY_LIKE
                                       ", triangles: " TACTUM_ARRAY_LIKE
                                       ", solid: bool = False) -> None";
  bind_report(m);
  nb::class_<Mesh> type(m, "Mesh",
                        R"(A triangle mesh: a surface, or the solid that a closed one bounds.

    mesh = Mesh.from_file("mug.obj", solid=True)

Any triangles are accepted as a surface; report() says what they are like. Immutable.)");
  type.def(
          "__init__",
          [](Mesh* self, const nb::args& args, const nb::kwargs& kwargs) {
            const Keywords given("Mesh", kMesh, args, kwargs, {"vertices", "triangles"}, {"solid"});
            new (self) Mesh(make_mesh(given["vertices"], given["triangles"],
                                      given.get("solid", nb::bool_(false))));
          },
          nb::sig(kMesh),
          R"(vertices: (N, 3) in metres. triangles: (M, 3) indices of vertices, counter-clockwise seen from outside.

solid: queries take the inside for filled; the mesh then has to be closed and oriented outward.)")
      .def_static(
          "from_file", &from_file, "path"_a.none(), nb::kw_only(), "scale"_a.none() = 1.0,
          "solid"_a.none() = false, "apply_up_axis"_a.none() = true,
          "merge_duplicates"_a.none() = false, "max_bytes"_a.none() = 1 << 30,
          nb::sig("def from_file(path: str | os.PathLike[str], *, scale: float = 1.0, "
                  "solid: bool = False, apply_up_axis: bool = True, "
                  "merge_duplicates: bool = False, max_bytes: int = 1073741824) -> Mesh"),
          R"(Reads OBJ, STL (text or binary), PLY (text or binary) or Collada (.dae), by the ending of the path.

scale: coordinates are multiplied by it; 1e-3 for a file in millimetres. Polygons are cut into
triangles. Of Collada, every geometry that the scene shows, in metres by the unit of the file;
apply_up_axis=False leaves its axes alone, as programs that read robot descriptions do, else z is
up. merge_duplicates=True makes one of vertices closer than 4 eps of the extent, and leaves out
triangles without three different corners and vertices of no triangle. A file of more than
max_bytes is refused. Raises InvalidInput with the file, the line and the remedy, and what open()
raises for a file that cannot be read.)")
      .def(
          "save",
          [](const Mesh& self, nb::handle path) {
            const std::filesystem::path to = to_path(path);
            try {
              interruptible([&] { write_mesh(self, to); });
            } catch (const InvalidInput&) {
              if (!std::filesystem::is_directory(std::filesystem::absolute(to).parent_path()))
                say_what_is_wrong_with(path, to, "ab");
              throw;
            }
          },
          "path"_a.none(), nb::sig("def save(self, path: str | os.PathLike[str]) -> None"),
          "Writes .obj or .ply; from_file() gives back the same numbers, bit by bit.")
      .def_prop_ro(
          "vertices",
          [](nb::handle self) {
            return view<double>(self, nb::cast<const Mesh&>(self).vertices());
          },
          nb::sig("def vertices(self) -> " TACTUM_FLOAT_ARRAY),
          "(N, 3) in metres; a view that cannot be written to.")
      .def_prop_ro(
          "triangles",
          [](nb::handle self) {
            return view<std::int32_t>(self, nb::cast<const Mesh&>(self).triangles());
          },
          nb::sig("def triangles(self) -> " TACTUM_INT_ARRAY),
          "(M, 3) int32, counter-clockwise seen from outside; a view that cannot be written to.")
      .def_prop_ro("solid", &Mesh::is_solid, "Whether queries take the inside for filled.")
      .def_prop_ro("nbytes", &Mesh::nbytes, "Memory held, in bytes.")
      .def("__repr__", &Mesh::to_string)
      .def(nb::self == nb::self, nb::sig("def __eq__(self, other: object, /) -> bool"),
           "The same vertices and triangles in the same order, both solid or not.")
      .def(
          "__hash__", [](const Mesh& self) { return static_cast<Py_hash_t>(self.hash()); },
          "Equal meshes have equal hashes.");
  bind_questions(type);
  bind_immutable(
      type,
      [](const Mesh& self) {
        return nb::make_tuple(RowPoints(self.vertices().transpose()),
                              Eigen::Matrix<std::int32_t, Eigen::Dynamic, 3, Eigen::RowMajor>(
                                  self.triangles().transpose()),
                              self.is_solid());
      },
      [](const nb::tuple& state) {
        StateReader read(state, 3);
        const nb::object vertices = read.next(), triangles = read.next(), solid = read.next();
        return make_mesh(vertices, triangles, solid);
      });
  m.def(
      "self_intersections",
      [](const Mesh& mesh, nb::handle max_pairs) {
        const int most = to_int(max_pairs, "max_pairs");
        if (most < 0) throw InvalidInput("max_pairs", std::to_string(most), "give 0 or more");
        const auto pairs = interruptible(
            [&] { return self_intersections(mesh, static_cast<std::size_t>(most)); });
        RowPairs rows(static_cast<Eigen::Index>(pairs.size()), 2);
        for (std::size_t i = 0; i < pairs.size(); ++i)
          for (int k = 0; k < 2; ++k)
            rows(static_cast<Eigen::Index>(i), k) = pairs[i][static_cast<std::size_t>(k)];
        return rows;
      },
      "mesh"_a, nb::kw_only(), "max_pairs"_a.none() = 1'000'000,
      nb::sig(
          "def self_intersections(mesh: Mesh, *, max_pairs: int = 1000000) -> " TACTUM_INT_ARRAY),
      R"(Pairs of triangles (M, 2) int32 that share more than the corner or side they have in common.

Contact within rounding counts. The search ends after max_pairs. Triangles with the same three
corners are duplicates and not among them.)");
  m.def(
      "winding_number",
      [](const Mesh& mesh, nb::handle point) {
        const Vector3 at = to_vector3(point, "point");
        return interruptible([&] { return winding_number(mesh, at); });
      },
      "mesh"_a, "point"_a.none(),
      nb::sig("def winding_number(mesh: Mesh, point: " TACTUM_ARRAY_LIKE ") -> int"),
      R"(How often the surface winds around a point (3,), in metres, in the frame of the mesh.

1 inside a closed mesh that is oriented outward, 0 outside. Of an open mesh the generalised winding
number, rounded to the nearest integer.)");
}

}  // namespace tactum::python
