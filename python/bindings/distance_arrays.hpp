// SPDX-License-Identifier: BSD-2-Clause
// The Python class Distances: one array for each field of Distance.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <deque>
#include <string_view>
#include <vector>

#include "batch_input.hpp"
#include "buffer.hpp"
#include "tactum/distances.hpp"

namespace tactum::python {

struct FieldInfo {
  const char* name;
  char format;        ///< of an item, as in the struct module; 0: WarmStarts
  const char* dtype;  ///< the same for numpy
  int width;          ///< numbers a row
  const char* doc;
};

inline constexpr std::size_t num_fields = 12;
extern const std::array<FieldInfo, num_fields> distance_fields;

/// Arrays by field; those not asked for are null.
struct DistanceArrays {
  std::size_t size = 0;
  std::array<nanobind::object, num_fields> arrays;
};

/// Which fields a call writes, from `fields` (None or names) and `out` (None, a dict of arrays or a Distances).
std::vector<std::size_t> wanted_fields(nanobind::handle fields, nanobind::handle out);

/// The arrays of a call, made or taken from `out`, and their memory while it runs.
class OutputArrays {
 public:
  /// Checks type, dtype, shape, order and writability of what is taken from `out`.
  OutputArrays(const std::vector<std::size_t>& fields, std::size_t num_rows, nanobind::handle out);

  /// Throws when an output shares memory with another or with one of the inputs.
  void check_overlap(const std::vector<Memory>& inputs) const;
  const DistanceColumns& columns() const { return columns_; }
  DistanceArrays result() const { return arrays_; }

 private:
  void take(std::size_t field, nanobind::handle array);
  DistanceArrays arrays_;
  std::deque<Buffer> buffers_;
  std::vector<std::pair<Memory, std::size_t>> memory_;
  DistanceColumns columns_;
};

void bind_distance_arrays(nanobind::module_& m);

}  // namespace tactum::python
