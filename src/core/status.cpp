// SPDX-License-Identifier: BSD-2-Clause
#include "tactum/status.hpp"

#include <utility>

namespace tactum {

std::string_view to_string(Status status) {
  switch (status) {
    case Status::separated: return "separated";
    case Status::touching: return "touching";
    case Status::penetrating: return "penetrating";
    case Status::beyond_cutoff: return "beyond_cutoff";
    case Status::not_converged: return "not_converged";
    case Status::invalid_input: return "invalid_input";
  }
  return "unknown";
}

InvalidInput::InvalidInput(std::string field, std::string value, std::string remedy)
    : std::invalid_argument(field + ": got " + value + "; " + remedy),
      field_(std::move(field)),
      value_(std::move(value)),
      remedy_(std::move(remedy)) {}

}  // namespace tactum
