// SPDX-License-Identifier: BSD-2-Clause
// The status of an answer, and the one exception the library throws.
#pragma once

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace tactum {

/// Outcome of a query. Numerical outcomes are values, never exceptions.
enum class Status : std::uint8_t {
  separated,      ///< lower > 0, and the distance beyond the contact band
  touching,       ///< |distance| within the contact band, 64 eps times the scale, or lower <= 0 <=
                  ///< upper: no sign is proved
  penetrating,    ///< upper < 0, and the distance beyond the contact band
  beyond_cutoff,  ///< proved farther apart than the cutoff, and not touching; distance = lower =
                  ///< the proved bound
  not_converged,  ///< the bounds are valid but wider than asked; the points are the best found
  invalid_input,  ///< only in batches: this row could not be computed
};

/// Lower-case name of a status, as it is written in Python.
std::string_view to_string(Status status);

/// An enumeration whose values have names: to_string(value).
template <class Enum>
concept NamedEnum = std::is_enum_v<Enum> && requires(Enum value) {
  { to_string(value) } -> std::same_as<std::string_view>;
};

/// Writes the name of a status, of a contact mode, of a kind: std::cout << result.status.
template <NamedEnum Enum>
std::ostream& operator<<(std::ostream& out, Enum value) {
  return out << to_string(value);
}

/// Thrown for bad input by constructors, loaders and single queries. Nothing has changed when it is
/// thrown.
class InvalidInput : public std::invalid_argument {
 public:
  /// The message reads "field: got value; remedy".
  InvalidInput(std::string field, std::string value, std::string remedy);

  const std::string& field() const {
    return field_;
  }  ///< what was wrong, e.g. "Box.half_extents[1]"
  const std::string& value() const { return value_; }    ///< what was given, as text
  const std::string& remedy() const { return remedy_; }  ///< what to give instead

 private:
  std::string field_;
  std::string value_;
  std::string remedy_;
};

}  // namespace tactum
