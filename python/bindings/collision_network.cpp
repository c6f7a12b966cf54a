// SPDX-License-Identifier: BSD-2-Clause
// The learned collision network: codes of objects, logits and gradients of arrays of poses, without
// the GIL.
#include "tactum/collision_network.hpp"

#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <string>
#include <utility>

#include "batch/pose_reader.hpp"
#include "batch_call.hpp"
#include "batch_input.hpp"
#include "bindings.hpp"
#include "convert.hpp"
#include "pickle.hpp"
#include "tactum/status.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Any array of real numbers with two axes, as a matrix of its own.
RowMatrix to_matrix(nb::handle value, const char* field) {
  const char* const remedy = "give an array of real numbers with two axes";
  const nb::object given = as_real_array(value, field, remedy);
  const HeldArray array(given, 'd', "float64");
  if (array.ndim() != 2) throw InvalidInput(field, shape_text(given), remedy);
  const auto items = array.items<double>();
  return Eigen::Map<const RowMatrix>(items.data(), array.shape(0), array.shape(1));
}

nb::tuple code_state(const ObjectCode& code) {
  return nb::make_tuple(RowMatrix(code.features.transpose()), RowMatrix(code.centers.transpose()),
                        code.origin, code.extents, code.half_side, code.cell_size,
                        RowMatrix(code.field.transpose()));
}

ObjectCode code_from_state(const nb::tuple& state) {
  StateReader read(state, 7);
  ObjectCode code;
  code.features = to_matrix(read.next(), "features").transpose();
  code.centers = to_points(read.next(), "centers");
  code.origin = read.vector();
  code.extents = read.vector();
  code.half_side = read.number();
  code.cell_size = read.number();
  code.field = to_matrix(read.next(), "field").reshaped<Eigen::RowMajor>();
  const bool finite = code.features.allFinite() && code.centers.allFinite() &&
                      code.origin.allFinite() && code.extents.allFinite() &&
                      code.field.allFinite() && std::isfinite(code.half_side) &&
                      std::isfinite(code.cell_size);
  if (!finite || code.centers.cols() != code.features.cols())
    throw InvalidInput("state", "numbers that are no code", "load what was saved");
  return code;
}

/// (N, 2) logits and distances, or (N, 6) gradients of the logits; one row for each pose.
nb::object predict(const CollisionNetwork& self, const ObjectCode& a, const ObjectCode& b,
                   nb::handle X_AB, bool gradient) {
  RowCount rows;
  const PoseArgument argument(X_AB, "X_AB", rows);
  const PoseSpan poses = argument.span();
  const PoseReader reader(poses);
  RowMatrix out(static_cast<Eigen::Index>(rows.get()), gradient ? 6 : 2);
  interruptible([&] {
    CheckedPose scratch;
    for (Eigen::Index row = 0; row < out.rows(); ++row) {
      check_interrupt();
      const Pose* const pose = reader.read(static_cast<std::size_t>(row), scratch);
      if (pose == nullptr) {
        throw InvalidInput("X_AB[" + std::to_string(row) + "]", "numbers that are no pose",
                           "give a rotation and a translation");
      }
      if (gradient) {
        out.row(row) = self.predict_derivative(a, b, *pose).logit_gradient.transpose();
      } else {
        const CollisionPrediction found = self.predict(a, b, *pose);
        out.row(row) << found.logit, found.distance;
      }
    }
  });
  return nb::cast(std::move(out));
}

void bind_code(nb::module_& m) {
  nb::class_<ObjectCode> type(m, "ObjectCode",
                              "What a collision network knows about one object. Made by "
                              "CollisionNetwork.encode; it can be pickled.");
  type.def_prop_ro(
          "features", [](const ObjectCode& self) { return RowMatrix(self.features.transpose()); },
          nb::sig("def features(self) -> " TACTUM_FLOAT_ARRAY),
          "(cells, features) of the cells that have points.")
      .def_prop_ro(
          "centers", [](const ObjectCode& self) { return RowMatrix(self.centers.transpose()); },
          nb::sig("def centers(self) -> " TACTUM_FLOAT_ARRAY),
          "(cells, 3) in metres, from the origin of the code.")
      .def_prop_ro(
          "origin", [](const ObjectCode& self) { return self.origin; },
          nb::sig("def origin(self) -> " TACTUM_FLOAT_ARRAY),
          "(3,) center of the bounding box of the points, in the frame of the object, m.")
      .def_prop_ro(
          "extents", [](const ObjectCode& self) { return self.extents; },
          nb::sig("def extents(self) -> " TACTUM_FLOAT_ARRAY),
          "(3,) half sizes of that box, grown by 1 cm, m.");
  bind_immutable(type, &code_state, &code_from_state);
}

}  // namespace

void bind_collision_network(nb::module_& m) {
  bind_code(m);
  nb::class_<CollisionNetwork>(m, "CollisionNetwork",
                               "Inference of the learned collision network. Use "
                               "tactum.neural.CollisionNetwork.")
      .def_static(
          "from_bytes",
          [](const nb::bytes& content, const std::string& name) {
            return CollisionNetwork::parse({content.c_str(), content.size()}, name);
          },
          "content"_a, "name"_a,
          nb::sig("def from_bytes(content: bytes, name: str) -> CollisionNetwork"),
          "From the bytes of a safetensors file; the name stands for it in messages.")
      .def_prop_ro(
          "num_points", [](const CollisionNetwork& self) { return self.size().points; },
          "How many points of a surface encode() takes.")
      .def_prop_ro(
          "num_cells", [](const CollisionNetwork& self) { return self.size().cells; },
          "Cells of the grid along an axis.")
      .def(
          "encode",
          [](const CollisionNetwork& self, const Mesh& mesh) {
            return interruptible([&] { return self.encode(mesh); });
          },
          "mesh"_a, "Code of a mesh.")
      .def(
          "encode_points",
          [](const CollisionNetwork& self, nb::handle points, nb::handle normals) {
            const Points from = to_points(points, "points"), along = to_points(normals, "normals");
            return interruptible([&] { return self.encode(from, along); });
          },
          "points"_a.none(), "normals"_a.none(),
          nb::sig("def encode_points(self, points: " TACTUM_ARRAY_LIKE
                  ", normals: " TACTUM_ARRAY_LIKE ") -> ObjectCode"),
          "Code of a cloud: (N, 3) points in metres and (N, 3) outward unit normals.")
      .def(
          "predict",
          [](const CollisionNetwork& self, const ObjectCode& a, const ObjectCode& b,
             nb::handle X_AB) { return predict(self, a, b, X_AB, false); },
          "a"_a, "b"_a, "X_AB"_a.none(),
          nb::sig("def predict(self, a: ObjectCode, b: ObjectCode, X_AB: " TACTUM_POSE_LIKE
                  ") -> " TACTUM_FLOAT_ARRAY),
          "(N, 2) logits and estimated signed distances in metres, one row for each pose.")
      .def(
          "gradient",
          [](const CollisionNetwork& self, const ObjectCode& a, const ObjectCode& b,
             nb::handle X_AB) { return predict(self, a, b, X_AB, true); },
          "a"_a, "b"_a, "X_AB"_a.none(),
          nb::sig("def gradient(self, a: ObjectCode, b: ObjectCode, X_AB: " TACTUM_POSE_LIKE
                  ") -> " TACTUM_FLOAT_ARRAY),
          "(N, 6) derivatives of the logits by [v; w], small motions of B in its own frame.");
}

}  // namespace tactum::python
