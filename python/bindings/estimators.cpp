// SPDX-License-Identifier: BSD-2-Clause
#include "estimators.hpp"

#include <nanobind/stl/string.h>

#include <optional>

#include "bindings.hpp"
#include "convert.hpp"
#include "keywords.hpp"
#include "pickle.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

/// One of a few words.
template <class Value, std::size_t N>
Value to_choice(nb::handle value, const char* field,
                const std::pair<const char*, Value> (&choices)[N]) {
  const bool is_text = PyUnicode_Check(value.ptr());
  for (const auto& [name, choice] : choices) {
    if (is_text && PyUnicode_CompareWithASCIIString(value.ptr(), name) == 0) return choice;
  }
  std::string remedy = "give one of";
  for (const auto& [name, unused] : choices) remedy += " '" + std::string(name) + "'";
  if (!is_text) throw_type_error(field, type_text(value), remedy);
  const nb::object text = nb::steal(PyObject_ASCII(value.ptr()));
  if (!text.is_valid()) throw nb::python_error();
  throw InvalidInput(field, nb::cast<std::string>(text).substr(0, 80), remedy);
}

RelativeTo to_relative(nb::handle value, const char* field) {
  constexpr std::pair<const char*, RelativeTo> choices[] = {{"direction", RelativeTo::direction},
                                                            {"separation", RelativeTo::separation}};
  return to_choice(value, field, choices);
}

const char* text_of(RelativeTo value) {
  return value == RelativeTo::direction ? "direction" : "separation";
}

std::uint64_t to_seed(nb::handle value, const char* field) {
  const char* const remedy = "give a whole number from 0 to 2^64 - 1";
  if (!PyLong_Check(value.ptr()) || PyBool_Check(value.ptr()))
    throw_type_error(field, type_text(value), remedy);
  const std::uint64_t seed = PyLong_AsUnsignedLongLong(value.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw InvalidInput(field, nb::cast<std::string>(nb::repr(value)).substr(0, 80), remedy);
  }
  return seed;
}

std::optional<double> to_temperature(nb::handle value) {
  if (value.is_none()) return std::nullopt;
  return to_double(value, "Gumbel.temperature");
}

}  // namespace

TangentFrame to_frame(nb::handle value) {
  constexpr std::pair<const char*, TangentFrame> choices[] = {
      {"local", TangentFrame::local},
      {"world", TangentFrame::world},
      {"local_world_aligned", TangentFrame::local_world_aligned}};
  return to_choice(value, "frame", choices);
}

bool to_flag(nb::handle value, const char* field) {
  if (!PyBool_Check(value.ptr())) throw_type_error(field, type_text(value), "give True or False");
  return value.ptr() == Py_True;
}

Estimator to_estimator(nb::handle value, const char* field) {
  Estimator estimator;
  const auto take = [&](auto kind) {
    const decltype(kind)* found = nullptr;
    if (value.is_none() || !nb::try_cast<const decltype(kind)*>(value, found) || found == nullptr)
      return false;
    estimator = *found;
    return true;
  };
  if (!(take(Exact{}) || take(FiniteDifference{}) || take(ZerothOrder{}) || take(Gaussian{}) ||
        take(Gumbel{})))
    throw_type_error(field, type_text(value),
                     "give Exact(), FiniteDifference(), ZerothOrder(), Gaussian() or Gumbel()");
  return estimator;
}

nb::object to_object(const Estimator& estimator) {
  return std::visit([](const auto& value) { return nb::cast(value); }, estimator);
}

// -------------------------------------------------------------------------------------------------
// classes
namespace {

/// Methods of all estimators: equality, hash, pickle; `state` is a tuple of their numbers, in the
/// order of their arguments.
template <class T, class State, class FromState>
void bind_value(nb::class_<T>& type, const char* name, const char* const* fields, State state,
                FromState from_state) {
  type.def("__repr__",
           [name, fields, state](const T& self) {
             std::string text = std::string(name) + "(";
             const nb::tuple values = state(self);
             for (std::size_t i = 0; i < values.size(); ++i)
               text += (i > 0 ? ", " : "") + std::string(fields[i]) + "=" +
                       nb::cast<std::string>(nb::repr(values[i]));
             return text + ")";
           })
      .def(
          "__eq__",
          [](const T& self, nb::handle other) {
            const T* same = nullptr;
            return nb::try_cast<const T*>(other, same) && same != nullptr && *same == self;
          },
          nb::arg("other").none(), nb::sig("def __eq__(self, other: object, /) -> bool"),
          "Same kind and the same numbers.")
      .def(
          "__hash__",
          [name, state](const T& self) { return nb::hash(nb::make_tuple(name, state(self))); },
          "Equal values have equal hashes.");
  bind_immutable(type, state, from_state);
}

void bind_exact(nb::module_& m) {
  nb::class_<Exact> type(
      m, "Exact",
      "The exact derivative, from the curvature of the shapes and the features in contact.");
  type.def(nb::init<>(), "Has no settings.");
  static constexpr const char* kFields[] = {""};
  bind_value(
      type, "Exact", kFields, [](const Exact&) { return nb::make_tuple(); },
      [](const nb::tuple& state) {
        StateReader(state, 0);
        return Exact{};
      });
}

FiniteDifference make_finite_difference(nb::handle step) {
  return {.step = to_double(step, "FiniteDifference.step")};
}

void bind_finite_difference(nb::module_& m) {
  static constexpr const char* kSignature = "def __init__(self, *, step: float = 1e-06) -> None";
  nb::class_<FiniteDifference> type(m, "FiniteDifference",
                                    "Central differences on the group of poses: 12 queries.");
  type.def(
          "__init__",
          [](FiniteDifference* self, const nb::args& args, const nb::kwargs& kwargs) {
            const Keywords given("FiniteDifference", kSignature, args, kwargs, {}, {"step"});
            new (self) FiniteDifference(make_finite_difference(given.get("step", nb::cast(1e-6))));
          },
          nb::sig(kSignature), "step: in metres and radians.")
      .def_ro("step", &FiniteDifference::step, "Step in metres and radians.");
  static constexpr const char* kFields[] = {"step"};
  bind_value(
      type, "FiniteDifference", kFields,
      [](const FiniteDifference& e) { return nb::make_tuple(e.step); },
      [](const nb::tuple& state) { return make_finite_difference(StateReader(state, 1).next()); });
}

ZerothOrder make_zeroth_order(nb::handle samples, nb::handle scale, nb::handle seed,
                              nb::handle variance_reduction) {
  return {.samples = to_int(samples, "ZerothOrder.samples"),
          .scale = to_double(scale, "ZerothOrder.scale"),
          .seed = to_seed(seed, "ZerothOrder.seed"),
          .variance_reduction = to_flag(variance_reduction, "ZerothOrder.variance_reduction")};
}

void bind_zeroth_order(nb::module_& m) {
  static constexpr const char* kSignature =
      "def __init__(self, *, samples: int = 50, scale: float = 0.01, seed: int = 0, "
      "variance_reduction: bool = True) -> None";
  nb::class_<ZerothOrder> type(
      m, "ZerothOrder",
      "Derivative of the answer averaged over Gaussian motions: one query for each sample.");
  type.def(
          "__init__",
          [](ZerothOrder* self, const nb::args& args, const nb::kwargs& kwargs) {
            const Keywords given("ZerothOrder", kSignature, args, kwargs, {},
                                 {"samples", "scale", "seed", "variance_reduction"});
            new (self) ZerothOrder(make_zeroth_order(
                given.get("samples", nb::cast(50)), given.get("scale", nb::cast(1e-2)),
                given.get("seed", nb::cast(0)), given.get("variance_reduction", nb::cast(true))));
          },
          nb::sig(kSignature),
          "scale: standard deviation of the motions, in metres and radians. variance_reduction: "
          "baseline and opposite pairs.")
      .def_ro("samples", &ZerothOrder::samples, "How many queries are made.")
      .def_ro("scale", &ZerothOrder::scale,
              "Standard deviation of the motions, in metres and radians.")
      .def_ro("seed", &ZerothOrder::seed, "Seed of the random numbers.")
      .def_ro("variance_reduction", &ZerothOrder::variance_reduction,
              "Whether baseline and opposite pairs are used.");
  static constexpr const char* kFields[] = {"samples", "scale", "seed", "variance_reduction"};
  bind_value(
      type, "ZerothOrder", kFields,
      [](const ZerothOrder& e) {
        return nb::make_tuple(e.samples, e.scale, e.seed, e.variance_reduction);
      },
      [](const nb::tuple& state) {
        StateReader read(state, 4);
        const nb::object samples = read.next(), scale = read.next(), seed = read.next(),
                         reduction = read.next();
        return make_zeroth_order(samples, scale, seed, reduction);
      });
}

Gaussian make_gaussian(nb::handle samples, nb::handle scale, nb::handle seed,
                       nb::handle variance_reduction, nb::handle relative_to) {
  return {.samples = to_int(samples, "Gaussian.samples"),
          .scale = to_double(scale, "Gaussian.scale"),
          .seed = to_seed(seed, "Gaussian.seed"),
          .variance_reduction = to_flag(variance_reduction, "Gaussian.variance_reduction"),
          .relative_to = to_relative(relative_to, "Gaussian.relative_to")};
}

void bind_gaussian(nb::module_& m) {
  static constexpr const char* kSignature =
      "def __init__(self, *, samples: int = 20, scale: float = 0.001, seed: int = 0, "
      "variance_reduction: bool = True, "
      "relative_to: typing.Literal['direction', 'separation'] = 'direction') -> None";
  nb::class_<Gaussian> type(m, "Gaussian",
                            "First-order smoothing: curvature averaged over Gaussian directions.");
  type.def(
          "__init__",
          [](Gaussian* self, const nb::args& args, const nb::kwargs& kwargs) {
            const Keywords given("Gaussian", kSignature, args, kwargs, {},
                                 {"samples", "scale", "seed", "variance_reduction", "relative_to"});
            new (self) Gaussian(make_gaussian(
                given.get("samples", nb::cast(20)), given.get("scale", nb::cast(1e-3)),
                given.get("seed", nb::cast(0)), given.get("variance_reduction", nb::cast(true)),
                given.get("relative_to", nb::str("direction"))));
          },
          nb::sig(kSignature),
          "scale: standard deviation, in radians, or in metres relative to the separation. "
          "samples: support points of each "
          "shape.")
      .def_ro("samples", &Gaussian::samples, "Support points of each shape.")
      .def_ro("scale", &Gaussian::scale,
              "Standard deviation: radians, or metres relative to the separation.")
      .def_ro("seed", &Gaussian::seed, "Seed of the random numbers.")
      .def_ro("variance_reduction", &Gaussian::variance_reduction,
              "Whether baseline and opposite pairs are used.")
      .def_prop_ro(
          "relative_to", [](const Gaussian& e) { return text_of(e.relative_to); },
          "What the scale acts on.");
  static constexpr const char* kFields[] = {"samples", "scale", "seed", "variance_reduction",
                                            "relative_to"};
  bind_value(
      type, "Gaussian", kFields,
      [](const Gaussian& e) {
        return nb::make_tuple(e.samples, e.scale, e.seed, e.variance_reduction,
                              text_of(e.relative_to));
      },
      [](const nb::tuple& state) {
        StateReader read(state, 5);
        const nb::object samples = read.next(), scale = read.next(), seed = read.next(),
                         reduction = read.next(), relative_to = read.next();
        return make_gaussian(samples, scale, seed, reduction, relative_to);
      });
}

Gumbel make_gumbel(nb::handle rings, nb::handle temperature, nb::handle relative_to) {
  return {.rings = to_int(rings, "Gumbel.rings"),
          .temperature = to_temperature(temperature),
          .relative_to = to_relative(relative_to, "Gumbel.relative_to")};
}

nb::object temperature_of(const Gumbel& e) {
  return e.temperature ? nb::cast(*e.temperature) : nb::none();
}

void bind_gumbel(nb::module_& m) {
  static constexpr const char* kSignature =
      "def __init__(self, *, rings: int = 1, temperature: float | None = None, "
      "relative_to: typing.Literal['direction', 'separation'] = 'direction') -> None";
  nb::class_<Gumbel> type(
      m, "Gumbel",
      "First-order smoothing: curvature of a soft maximum over vertices near the witness point.");
  type.def(
          "__init__",
          [](Gumbel* self, const nb::args& args, const nb::kwargs& kwargs) {
            const Keywords given("Gumbel", kSignature, args, kwargs, {},
                                 {"rings", "temperature", "relative_to"});
            new (self) Gumbel(make_gumbel(given.get("rings", nb::cast(1)),
                                          given.get("temperature", nb::none()),
                                          given.get("relative_to", nb::str("direction"))));
          },
          nb::sig(kSignature),
          "rings: edges between the support vertex and the last ones counted. temperature: in "
          "metres; None: from the edges met.")
      .def_ro("rings", &Gumbel::rings,
              "Edges between the support vertex and the last ones counted.")
      .def_prop_ro(
          "temperature", &temperature_of, nb::sig("def temperature(self) -> float | None"),
          "In metres, or square metres relative to the separation; None: from the edges met.")
      .def_prop_ro(
          "relative_to", [](const Gumbel& e) { return text_of(e.relative_to); },
          "What the temperature acts on.");
  static constexpr const char* kFields[] = {"rings", "temperature", "relative_to"};
  bind_value(
      type, "Gumbel", kFields,
      [](const Gumbel& e) {
        return nb::make_tuple(e.rings, temperature_of(e), text_of(e.relative_to));
      },
      [](const nb::tuple& state) {
        StateReader read(state, 3);
        const nb::object rings = read.next(), temperature = read.next(), relative_to = read.next();
        return make_gumbel(rings, temperature, relative_to);
      });
}

}  // namespace

void bind_estimators(nb::module_& m) {
  bind_exact(m);
  bind_finite_difference(m);
  bind_zeroth_order(m);
  bind_gaussian(m);
  bind_gumbel(m);
}

}  // namespace tactum::python
