// SPDX-License-Identifier: BSD-2-Clause
// ContactProblem, its kinds, and the helpers that build its free term.
#include "tactum/contact_problem.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>

#include "batch_call.hpp"
#include "bindings.hpp"
#include "contact_arrays.hpp"
#include "convert.hpp"
#include "keywords.hpp"
#include "pickle.hpp"
#include "text_enum.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

ContactKind to_kind(nb::handle value, const std::string& field) {
  const char* const remedy =
      "give 'friction', 'frictionless', 'limit', 'box', 'bilateral' or their number, 0 to 4";
  if (PyUnicode_Check(value.ptr())) {
    for (int kind = 0; kind <= 4; ++kind) {
      if (nb::cast<std::string>(value) == to_string(static_cast<ContactKind>(kind)))
        return static_cast<ContactKind>(kind);
    }
    throw InvalidInput(field, nb::cast<std::string>(nb::repr(value)).substr(0, 80), remedy);
  }
  const int kind = to_int(value, field.c_str());
  if (kind < 0 || kind > 4) throw InvalidInput(field, std::to_string(kind), remedy);
  return static_cast<ContactKind>(kind);
}

std::vector<ContactKind> to_kinds(nb::handle value, const char* field) {
  std::vector<ContactKind> kinds;
  if (value.is_none()) return kinds;
  if (PyUnicode_Check(value.ptr()) || !PySequence_Check(value.ptr()))
    throw_type_error(field, type_text(value), "give a sequence of kinds, one for each block");
  const Py_ssize_t size = PySequence_Size(value.ptr());
  if (size < 0) throw nb::python_error();
  for (Py_ssize_t i = 0; i < size; ++i) {
    const nb::object item = nb::steal(PySequence_GetItem(value.ptr(), i));
    if (!item.is_valid()) throw nb::python_error();
    kinds.push_back(to_kind(item, std::string(field) + "[" + std::to_string(i) + "]"));
  }
  return kinds;
}

ContactTerms to_terms(nb::handle g, nb::handle mu, nb::handle R, nb::handle kinds,
                      nb::handle bounds) {
  ContactTerms terms;
  terms.g = to_vector(g, "ContactProblem.g");
  terms.kinds = to_kinds(kinds, "ContactProblem.kinds");
  const Eigen::Index friction = terms.kinds.empty()
                                    ? terms.g.size() / 3
                                    : std::count(terms.kinds.begin(), terms.kinds.end(),
                                                 ContactKind::friction);
  terms.mu = to_vector_or_number(mu, "ContactProblem.mu", friction);
  terms.R = to_vector_or_number(R, "ContactProblem.R", terms.g.size());
  if (!bounds.is_none()) {
    const Eigen::MatrixXd values = to_matrix(bounds, "ContactProblem.bounds");
    if (values.cols() != 2)
      throw InvalidInput("ContactProblem.bounds", std::to_string(values.cols()) + " columns",
                         "give two: lower, upper");
    terms.bounds = values;
  }
  return terms;
}

nb::object kind_array(const ContactProblem& problem) {
  nb::list kinds;
  for (const ContactBlock& block : problem.blocks()) kinds.append(static_cast<int>(block.kind));
  return enum_array(frozen(numpy().attr("array")(kinds, "uint8")), "KindArray");
}

Eigen::VectorXd mu_of(const ContactProblem& problem) {
  Eigen::VectorXd mu(static_cast<Eigen::Index>(problem.blocks().size()));
  for (Eigen::Index i = 0; i < mu.size(); ++i)
    mu[i] = problem.blocks()[static_cast<std::size_t>(i)].mu;
  return mu;
}

Eigen::MatrixXd bounds_of(const ContactProblem& problem) {
  Eigen::MatrixXd bounds(static_cast<Eigen::Index>(problem.blocks().size()), 2);
  for (Eigen::Index i = 0; i < bounds.rows(); ++i) {
    const ContactBlock& block = problem.blocks()[static_cast<std::size_t>(i)];
    bounds.row(i) << block.lower, block.upper;
  }
  return bounds;
}

void bind_kind(nb::module_& m) {
  nb::enum_<ContactKind> type(m, "ContactKind", nb::is_arithmetic(),
                              "What a block of rows of a contact problem is.");
  type.value("friction", ContactKind::friction, "3 rows: tangent, tangent, normal; |f_T| <= mu f_N")
      .value("frictionless", ContactKind::frictionless, "1 row: f >= 0")
      .value("limit", ContactKind::limit, "1 row: f >= 0, of a joint limit")
      .value("box", ContactKind::box, "1 row: lower <= f <= upper")
      .value("bilateral", ContactKind::bilateral, "1 row: any force, velocity 0")
      .def(
          "__str__", [](ContactKind kind) { return to_string(kind); },
          "Name of the kind, such as 'friction'.");
  bind_text_comparison(type, "kind", static_cast<int>(ContactKind::bilateral) + 1);
}

#define TACTUM_TERMS                                                            \
  "g: " TACTUM_ARRAY_LIKE ", mu: float | " TACTUM_ARRAY_LIKE                    \
  " | None = None, R: float | " TACTUM_ARRAY_LIKE                               \
  " | None = None, kinds: collections.abc.Sequence[ContactKind | int | str] | " \
  "numpy.typing.NDArray[numpy.uint8] | None = None, "                           \
  "bounds: " TACTUM_ARRAY_LIKE " | None = None"

void bind_class(nb::module_& m) {
  static constexpr const char* kProblem = "def __init__(self, *, G: " TACTUM_ARRAY_LIKE
                                          ", " TACTUM_TERMS ") -> None";
  nb::class_<ContactProblem> type(
      m, "ContactProblem",
      R"(The question which forces keep bodies apart: velocity = (G + R) force + g.

A problem is immutable and checked once. Rows come in blocks. A friction block has three rows:
tangent, tangent, normal, with |f_T| <= mu f_N.)");
  type.def(
          "__init__",
          [](ContactProblem* self, const nb::args& args, const nb::kwargs& kwargs) {
            const Keywords given("ContactProblem", kProblem, args, kwargs, {"G", "g"},
                                 {"mu", "R", "kinds", "bounds"});
            const auto term = [&](const char* key) { return given.get(key, nb::none()); };
            ContactTerms terms = to_terms(given["g"], term("mu"), term("R"), term("kinds"),
                                          term("bounds"));
            Eigen::MatrixXd matrix = to_matrix(given["G"], "ContactProblem.G");
            interruptible([&] { new (self) ContactProblem(std::move(matrix), std::move(terms)); });
          },
          nb::sig(kProblem),
          R"(G: (n, n), symmetric and positive semidefinite. g: (n,), velocity of the rows without
contact forces. mu: friction coefficients, one for each block or each friction block, or one number.
R: compliance >= 0 of each row, or one number. kinds: one for each block; None means friction blocks
only. bounds: (blocks, 2) or one row for each box block; they may be infinite.
Raises InvalidInput, which names field, index and value.)")
      .def_static(
          "from_operator",
          [](nb::handle J, nb::handle factor, nb::handle g, nb::handle mu, nb::handle R,
             nb::handle kinds, nb::handle bounds) {
            ContactTerms terms = to_terms(g, mu, R, kinds, bounds);
            const Eigen::MatrixXd jacobian = to_matrix(J, "ContactProblem.J"),
                                  lower = to_matrix(factor, "ContactProblem.factor");
            return interruptible(
                [&] { return ContactProblem::from_operator(jacobian, lower, std::move(terms)); });
          },
          nb::kw_only(), "J"_a.none(), "factor"_a.none(), "g"_a.none(), "mu"_a.none() = nb::none(),
          "R"_a.none() = nb::none(), "kinds"_a.none() = nb::none(), "bounds"_a.none() = nb::none(),
          nb::sig("def from_operator(*, J: " TACTUM_ARRAY_LIKE ", factor: " TACTUM_ARRAY_LIKE
                  ", " TACTUM_TERMS ") -> ContactProblem"),
          "Problem made from the Jacobian J (n, nv) and the lower Cholesky factor of the mass "
          "matrix (nv, nv). "
          "G is never formed.")
      .def_static(
          "from_contacts",
          [](const nb::args& args, const nb::kwargs& kwargs) {
            return nb::module_::import_("tactum._contact_assembly")
                .attr("from_contacts")(*args, **kwargs);
          },
          nb::sig("def from_contacts(contacts: Contacts, *, time_step: float, "
                  "bodies: collections.abc.Mapping[int, typing.Any] | None = None, "
                  "gravity: " TACTUM_ARRAY_LIKE " = (0.0, 0.0, -9.81), "
                  "jacobians: collections.abc.Mapping[int, " TACTUM_ARRAY_LIKE "] | None = None, "
                  "mass_matrix: " TACTUM_ARRAY_LIKE " | None = None, "
                  "velocity: " TACTUM_ARRAY_LIKE " | None = None, "
                  "force: " TACTUM_ARRAY_LIKE " | None = None, "
                  "friction: float | " TACTUM_ARRAY_LIKE " | None = None, "
                  "restitution: float | " TACTUM_ARRAY_LIKE " | None = None, "
                  "compliance: float | " TACTUM_ARRAY_LIKE " | None = None, "
                  "position_gain: float = 0.0) -> ContactProblem"),
          R"(The problem of the contacts of a scene, whose unknowns are forces in N: three rows for
each contact, along its tangents and its normal.

contacts: what Scene.contacts() returned. time_step: in s. Say what moves in one of two ways:
bodies: a dict from the id of an object to (mass_properties, X_WB) or (mass_properties, X_WB,
    velocity): free bodies, with the velocity of the center of mass and the angular velocity,
    (6,) in world axes; gravity: (3,) in m/s^2.
jacobians: a dict from the id of an object to its (6, nv) Jacobian in the world frame, as
    pinocchio.getJointJacobian(..., pinocchio.WORLD) gives it, with mass_matrix (nv, nv), velocity
    (nv,) and force (nv,): the generalized force tau - nle that acts besides the contacts.
Objects without an entry do not move. friction, restitution, compliance (m/N): one number, or one
for each contact; None: those of the scene. position_gain: the share of a penetration that is left
after a step. contacts.world_forces(solution.force) turns the solution into forces on B.)")
      .def_prop_ro("rows", &ContactProblem::rows, "Number of rows.")
      .def_prop_ro("is_operator", &ContactProblem::is_operator,
                   "Whether the problem was made from_operator.")
      .def_prop_ro(
          "G",
          [](const ContactProblem& self) {
            return frozen(matrix_array(interruptible([&] { return self.dense_G(); })));
          },
          nb::sig("def G(self) -> " TACTUM_FLOAT_ARRAY),
          "The Delassus matrix, (n, n): a copy, which is formed where the problem was made "
          "from_operator.")
      .def_prop_ro(
          "g", [](const ContactProblem& self) { return frozen(vector_array(self.g())); },
          nb::sig("def g(self) -> " TACTUM_FLOAT_ARRAY),
          "Velocity of the rows without contact forces, (n,).")
      .def_prop_ro(
          "R", [](const ContactProblem& self) { return frozen(vector_array(self.R())); },
          nb::sig("def R(self) -> " TACTUM_FLOAT_ARRAY), "Compliance of the rows, (n,).")
      .def_prop_ro(
          "mu", [](const ContactProblem& self) { return frozen(vector_array(mu_of(self))); },
          nb::sig("def mu(self) -> " TACTUM_FLOAT_ARRAY),
          "Friction coefficients, one for each block; 0 where a block is not of friction.")
      .def_prop_ro("kinds", &kind_array,
                   nb::sig("def kinds(self) -> numpy.typing.NDArray[numpy.uint8]"),
                   "One for each block.")
      .def_prop_ro(
          "bounds",
          [](const ContactProblem& self) { return frozen(matrix_array(bounds_of(self))); },
          nb::sig("def bounds(self) -> " TACTUM_FLOAT_ARRAY),
          "Bounds of the forces, (blocks, 2): lower and upper; 0 where a block is not a box.")
      .def(
          "velocity",
          [](const ContactProblem& self, nb::handle force) {
            return vector_array(self.velocity(to_vector(force, "force")));
          },
          "force"_a.none(),
          nb::sig("def velocity(self, force: " TACTUM_ARRAY_LIKE ") -> " TACTUM_FLOAT_ARRAY),
          "Velocity of the rows under a force, (n,): (G + R) force + g.")
      .def("__repr__", [](const ContactProblem& self) {
        return "ContactProblem(rows=" + std::to_string(self.rows()) +
               ", blocks=" + std::to_string(self.blocks().size()) +
               (self.is_operator() ? ", operator)" : ")");
      });
  bind_immutable(
      type,
      [](const ContactProblem& self) {
        const nb::object matrix = matrix_array(self.is_operator() ? self.dense_W() : self.G());
        return nb::make_tuple(self.is_operator(), matrix, vector_array(self.g()),
                              vector_array(mu_of(self)), vector_array(self.R()), kind_array(self),
                              matrix_array(bounds_of(self)));
      },
      [](const nb::tuple& state) {
        StateReader read(state, 7);
        const bool is_operator = nb::cast<bool>(read.next());
        const nb::object matrix = read.next(), g = read.next(), mu = read.next(), R = read.next(),
                         kinds = read.next(), bounds = read.next();
        ContactTerms terms = to_terms(g, mu, R, kinds, bounds);
        Eigen::MatrixXd values = to_matrix(matrix, "state");
        if (!is_operator) return ContactProblem(std::move(values), std::move(terms), false);
        return ContactProblem::from_operator(
            values.transpose(), Eigen::MatrixXd::Identity(values.rows(), values.rows()),
            std::move(terms));
      });
}

void bind_helpers(nb::module_& m) {
  m.def(
      "contact_free_velocity",
      [](nb::handle free_velocity, nb::handle velocity, nb::handle separation,
         nb::handle restitution, nb::handle time_step, nb::handle position_gain,
         nb::handle damping_gain, nb::handle kinds) {
        FreeVelocityTerms terms;
        terms.free_velocity = to_vector(free_velocity, "free_velocity");
        std::vector<ContactKind> blocks = to_kinds(kinds, "kinds");
        if (kinds.is_none())
          blocks.assign(static_cast<std::size_t>(terms.free_velocity.size() / 3),
                        ContactKind::friction);
        const auto count = static_cast<Eigen::Index>(blocks.size());
        terms.velocity = to_vector_or_number(velocity, "velocity", terms.free_velocity.size());
        terms.separation = to_vector_or_number(separation, "separation", count);
        terms.restitution = to_vector_or_number(restitution, "restitution", count);
        terms.time_step = to_double(time_step, "time_step");
        terms.position_gain = to_double(position_gain, "position_gain");
        terms.damping_gain = to_double(damping_gain, "damping_gain");
        return vector_array(contact_free_velocity(blocks, terms));
      },
      nb::kw_only(), "free_velocity"_a.none(), "velocity"_a.none() = nb::none(),
      "separation"_a.none() = nb::none(), "restitution"_a.none() = nb::none(), "time_step"_a.none(),
      "position_gain"_a.none() = 0.0, "damping_gain"_a.none() = 0.0, "kinds"_a.none() = nb::none(),
      nb::sig("def contact_free_velocity(*, free_velocity: " TACTUM_ARRAY_LIKE
              ", velocity: " TACTUM_ARRAY_LIKE
              " | None = None, separation: float | " TACTUM_ARRAY_LIKE
              " | None = None, restitution: float | " TACTUM_ARRAY_LIKE
              " | None = None, time_step: float, position_gain: float = 0.0, damping_gain: float = "
              "0.0, kinds: "
              "collections.abc.Sequence[ContactKind | int | str] | "
              "numpy.typing.NDArray[numpy.uint8] | None = None) "
              "-> " TACTUM_FLOAT_ARRAY),
      R"(The free term g of a contact problem whose unknowns are forces in N.

free_velocity: (n,), J v after the step without contact forces. velocity: (n,), J v before the step.
separation: signed distance of each block in m. restitution: one number from 0 to 1 for each block.
time_step: in s. position_gain: the share of a penetration that is left after a step; for a
bilateral row, the share of an error of either sign. damping_gain: it is taken off the restitution.
Box rows get the free velocity alone.)");
  m.def(
      "contact_compliance",
      [](nb::handle compliance, nb::handle time_step) {
        return vector_array(contact_compliance(to_vector(compliance, "compliance"),
                                               to_double(time_step, "time_step")));
      },
      "compliance"_a.none(), nb::kw_only(), "time_step"_a.none(),
      nb::sig("def contact_compliance(compliance: " TACTUM_ARRAY_LIKE
              ", *, time_step: float) -> " TACTUM_FLOAT_ARRAY),
      "Compliance R of a problem, compliance / time_step^2, for compliances in m/N, one for each "
      "row.");
}

}  // namespace

void bind_contact_problem(nb::module_& m) {
  bind_kind(m);
  bind_class(m);
  bind_helpers(m);
}

}  // namespace tactum::python
