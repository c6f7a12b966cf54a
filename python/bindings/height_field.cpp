// SPDX-License-Identifier: BSD-2-Clause
// HeightField.
#include "tactum/height_field.hpp"

#include <nanobind/nanobind.h>

#include <optional>

#include "batch_call.hpp"
#include "batch_input.hpp"
#include "bindings.hpp"
#include "convert.hpp"
#include "keywords.hpp"
#include "pickle.hpp"
#include "tactum/status.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::MatrixXd to_heights(nb::handle heights) {
  const char* const remedy = "give numbers of shape (nx, ny), in metres";
  const nb::object given = as_real_array(heights, "HeightField.heights", remedy);
  const HeldArray array(given, 'd', "float64");
  if (array.ndim() != 2) throw InvalidInput("HeightField.heights", shape_text(given), remedy);
  return Eigen::Map<const RowMajor>(array.items<double>().data(), array.shape(0), array.shape(1));
}

Eigen::Vector2d to_spacing(nb::handle spacing) {
  const char* const remedy = "give a positive length in metres, or a pair of them for x and y";
  if (PyNumber_Check(spacing.ptr()) != 0 && PySequence_Check(spacing.ptr()) == 0)
    return Eigen::Vector2d::Constant(to_double(spacing, "HeightField.spacing"));
  const nb::object given = as_real_array(spacing, "HeightField.spacing", remedy);
  const HeldArray array(given, 'd', "float64");
  const auto items = array.items<double>();
  if (items.size() != 2 || array.ndim() != 1)
    throw InvalidInput("HeightField.spacing", shape_text(given), remedy);
  return {items[0], items[1]};
}

HeightField make_height_field(nb::handle heights, nb::handle spacing, nb::handle base) {
  Eigen::MatrixXd grid = to_heights(heights);
  const Eigen::Vector2d between = to_spacing(spacing);
  const std::optional<double> bottom = base.is_none()
                                           ? std::nullopt
                                           : std::optional(to_double(base, "HeightField.base"));
  return interruptible([&] { return HeightField(std::move(grid), between, bottom); });
}

nb::object heights_of(const HeightField& self) {
  const nb::object array = numpy().attr("empty")(
      nb::make_tuple(self.heights().rows(), self.heights().cols()));
  Eigen::Map<RowMajor>(float_span(array).data, self.heights().rows(),
                       self.heights().cols()) = self.heights();
  return frozen(array);
}

nb::tuple spacing_of(const HeightField& self) {
  return nb::make_tuple(self.spacing()[0], self.spacing()[1]);
}

}  // namespace

void bind_height_field(nb::module_& m) {
  static constexpr const char* kHeightField = "def __init__(self, *, heights: " TACTUM_ARRAY_LIKE
                                              ", spacing: " TACTUM_ARRAY_LIKE
                                              ", base: float | None = None) -> None";
  nb::class_<HeightField, Compound> type(
      m, "HeightField",
      R"(Ground as a grid of heights, solid below: a compound of prisms for every query and scene.

    ground = HeightField(heights=np.zeros((101, 101)), spacing=0.05)

heights[i, j] is at x = (i - (nx - 1) / 2) * spacing, and likewise y by j: the middle of the grid is
at the origin. Queries look at the cells under the other shape alone. Immutable.)");
  type.def(
          "__init__",
          [](HeightField* self, const nb::args& args, const nb::kwargs& kwargs) {
            const Keywords given("HeightField", kHeightField, args, kwargs, {"heights", "spacing"},
                                 {"base"});
            new (self) HeightField(make_height_field(given["heights"], given["spacing"],
                                                     given.get("base", nb::none())));
          },
          nb::sig(kHeightField),
          R"(heights: (nx, ny) in metres, at most 262144 cells. spacing: between neighbors, in
metres, one number or one for x and one for y.
base: height of the flat bottom, below every height; None: deeper than the grid is long.)")
      .def_prop_ro("heights", &heights_of, nb::sig("def heights(self) -> " TACTUM_FLOAT_ARRAY),
                   "(nx, ny) heights in metres.")
      .def_prop_ro("spacing", &spacing_of, nb::sig("def spacing(self) -> tuple[float, float]"),
                   "Distance of neighbors along x and y, in metres.")
      .def_prop_ro(
          "base", [](const HeightField& self) { return self.base(); },
          "Height of the flat bottom, in metres.")
      .def("__repr__", [](const HeightField& self) {
        return "HeightField(heights=(" + std::to_string(self.heights().rows()) + ", " +
               std::to_string(self.heights().cols()) + "), spacing=(" + repr(self.spacing()[0]) +
               ", " + repr(self.spacing()[1]) + "))";
      });
  bind_immutable(
      type,
      [](const HeightField& self) {
        return nb::make_tuple(heights_of(self), spacing_of(self), self.base());
      },
      [](const nb::tuple& state) {
        StateReader read(state, 3);
        const nb::object heights = read.next(), spacing = read.next(), base = read.next();
        return make_height_field(heights, spacing, base);
      });
}

}  // namespace tactum::python
