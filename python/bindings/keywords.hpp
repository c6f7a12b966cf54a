// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <nanobind/nanobind.h>

#include <initializer_list>

namespace tactum::python {

/// The arguments of a constructor by name. One that does not fit is named in one line: nanobind
/// would list all signatures.
class Keywords {
 public:
  /// positional: the names that arguments without one stand for, in order.
  Keywords(const char* name, const char* signature, const nanobind::args& args,
           const nanobind::kwargs& given, std::initializer_list<const char*> required,
           std::initializer_list<const char*> optional,
           std::initializer_list<const char*> positional = {})
      : given_(given) {
    bool fits = args.size() <= positional.size();
    if (fits && args.size() > 0) {
      given_ = nanobind::borrow<nanobind::dict>(given.attr("copy")());
      for (std::size_t i = 0; i < args.size(); ++i) {
        const char* const key = *(positional.begin() + i);
        fits = fits && !given.contains(key);
        given_[key] = args[i];
      }
    }
    std::size_t known = required.size();
    for (const char* const key : required) fits = fits && given_.contains(key);
    for (const char* const key : optional) known += given_.contains(key) ? 1 : 0;
    if (fits && known == given_.size()) return;
    const nanobind::object text = nanobind::module_::import_("tactum._call_errors")
                                      .attr("misfit")(name, signature, args, given);
    throw nanobind::type_error(nanobind::cast<std::string>(text).c_str());
  }

  nanobind::object operator[](const char* key) const { return given_[key]; }
  nanobind::object get(const char* key, nanobind::object otherwise) const {
    return given_.contains(key) ? nanobind::object(given_[key]) : otherwise;
  }
  nanobind::object margin() const { return get("margin", nanobind::float_(0.0)); }

 private:
  nanobind::dict given_;
};

}  // namespace tactum::python
