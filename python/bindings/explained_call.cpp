// SPDX-License-Identifier: BSD-2-Clause
// Callables that wrap the functions of nanobind: they call through at the cost of a pointer, carry
// a signature and a text that begins with its sentence, and where the arguments do not fit they ask
// tactum._call_errors for one line that says which.
//
// _Function is a plain function, _Method one that binds to an instance.
#include <nanobind/nanobind.h>

#include <cstring>

#include "bindings.hpp"

#if !defined(Py_READONLY)
#include <structmember.h>
#define Py_READONLY READONLY
#define Py_T_PYSSIZET T_PYSSIZET
#endif

namespace nb = nanobind;

namespace tactum::python {
namespace {

struct ExplainedCall {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* target;
  PyObject* dict;
};

ExplainedCall* as_call(PyObject* self) { return reinterpret_cast<ExplainedCall*>(self); }

nb::dict keywords_of(PyObject* const* values, PyObject* names) {
  nb::dict keywords;
  if (names == nullptr) return keywords;
  for (Py_ssize_t i = 0; i < PyTuple_Size(names); ++i)
    keywords[nb::borrow(PyTuple_GetItem(names, i))] = nb::borrow(values[i]);
  return keywords;
}

/// Replaces the TypeError that is set, if it is nanobind's on arguments that do not fit.
void explain(PyObject* target, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  try {
    nb::python_error error;  // takes the error that is set
    if (std::strstr(error.what(), "incompatible function arguments") != nullptr) {
      nb::list positional;
      for (Py_ssize_t i = 0; i < count; ++i) positional.append(nb::borrow(args[i]));
      const nb::object text = nb::module_::import_("tactum._call_errors")
                                  .attr("explain")(nb::borrow(target), nb::tuple(positional),
                                                   keywords_of(args + count, names));
      if (!text.is_none()) {
        PyErr_SetObject(PyExc_TypeError, text.ptr());
        return;
      }
    }
    error.restore();
  } catch (nb::python_error& failed) {
    failed.restore();
  }
}

PyObject* call(PyObject* self, PyObject* const* args, size_t flags, PyObject* names) {
  PyObject* const target = as_call(self)->target;
  PyObject* const result = PyObject_Vectorcall(target, args, flags, names);
  if (result == nullptr && PyErr_ExceptionMatches(PyExc_TypeError))
    explain(target, args, PyVectorcall_NARGS(flags), names);
  return result;
}

PyObject* make(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject* target = nullptr;
  if (!PyArg_ParseTuple(args, "O", &target)) return nullptr;
  const auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  PyObject* const self = allocate(type, 0);
  if (self == nullptr) return nullptr;
  as_call(self)->vectorcall = &call;
  as_call(self)->target = Py_NewRef(target);
  as_call(self)->dict = nullptr;
  return self;
}

// these objects live as long as the module, so that they take no part in garbage collection
void destroy(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  Py_XDECREF(as_call(self)->target);
  Py_XDECREF(as_call(self)->dict);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

PyObject* describe(PyObject* self) {
  const nb::object name = nb::steal(PyObject_GetAttrString(self, "__qualname__"));
  if (!name.is_valid()) return nullptr;
  return PyUnicode_FromFormat("<function %U>", name.ptr());
}

PyObject* get_function(PyObject* self, PyObject*, PyObject*) { return Py_NewRef(self); }

PyObject* get_method(PyObject* self, PyObject* instance, PyObject*) {
  if (instance == nullptr) return Py_NewRef(self);
  static PyObject* const kMethodType =
      nb::object(nb::module_::import_("types").attr("MethodType")).release().ptr();
  return PyObject_CallFunctionObjArgs(kMethodType, self, instance, nullptr);
}

/// What tactum._call_errors says of the function: computed when it is asked for, so that the
/// package is imported as fast as without.
PyObject* ask(PyObject* self, void* name) {
  try {
    const nb::object asked = nb::module_::import_("tactum._call_errors")
                                 .attr(static_cast<const char*>(name))(
                                     nb::borrow(as_call(self)->target));
    return nb::object(asked).release().ptr();
  } catch (nb::python_error& failed) {
    failed.restore();
    return nullptr;
  }
}

PyObject* make_type(const char* name, descrgetfunc get, unsigned long binding) {
  static PyMemberDef members[] = {
      {"__vectorcalloffset__", Py_T_PYSSIZET, offsetof(ExplainedCall, vectorcall), Py_READONLY,
       nullptr},
      {"__dictoffset__", Py_T_PYSSIZET, offsetof(ExplainedCall, dict), Py_READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  static char document[] = "document", signature[] = "first_signature", entries[] = "entries";
  static PyGetSetDef getters[] = {{"__doc__", &ask, nullptr, nullptr, document},
                                  {"__signature__", &ask, nullptr, nullptr, signature},
                                  {"__nb_signature__", &ask, nullptr, nullptr, entries},
                                  {nullptr, nullptr, nullptr, nullptr, nullptr}};
  PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(&make)},
                         {Py_tp_dealloc, reinterpret_cast<void*>(&destroy)},
                         {Py_tp_repr, reinterpret_cast<void*>(&describe)},
                         {Py_tp_call, reinterpret_cast<void*>(&PyVectorcall_Call)},
                         {Py_tp_descr_get, reinterpret_cast<void*>(get)},
                         {Py_tp_members, static_cast<void*>(members)},
                         {Py_tp_getset, static_cast<void*>(getters)},
                         {0, nullptr}};
  PyType_Spec spec{name, sizeof(ExplainedCall), 0,
                   static_cast<unsigned>(Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | binding),
                   slots};
  PyObject* const type = PyType_FromSpec(&spec);
  if (type == nullptr) throw nb::python_error();
  return type;
}

}  // namespace

void bind_explained_call(nb::module_& m) {
  m.attr("_Function") = nb::steal(make_type("tactum._core._Function", &get_function, 0));
  m.attr("_Method") = nb::steal(
      make_type("tactum._core._Method", &get_method, Py_TPFLAGS_METHOD_DESCRIPTOR));
}

}  // namespace tactum::python
