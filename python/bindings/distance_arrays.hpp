// SPDX-License-Identifier: BSD-2-Clause
// The Python class Distances: one array for each field of Distance and of DistanceDerivative.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "batch_input.hpp"
#include "buffer.hpp"
#include "tactum/distances.hpp"

namespace tactum::python {

/// Source of a field: the query itself, its derivative, samples, the sizes of the shapes.
enum class FieldGroup : std::uint8_t { value, derivative, standard_error, parameter };

struct FieldInfo {
  const char* name;
  FieldGroup group;
  char format;        ///< of an item, as in the struct module; 0: an object of its own
  const char* dtype;  ///< name of the type for numpy
  int rows;           ///< of each item: 0 for a number, and for a vector, which has columns alone
  int columns;        ///< 0 for a number
  const char* doc;
};

inline constexpr int kByParameters = -1;  ///< columns: one for each size of the shapes
inline constexpr std::size_t kNumFields = 24;
extern const std::array<FieldInfo, kNumFields> kDistanceFields;

/// Arrays by field; those not asked for are null.
struct DistanceArrays {
  std::size_t size = 0;
  std::array<nanobind::object, kNumFields> arrays;
  std::vector<std::string> parameters_a, parameters_b;  ///< names of the sizes, where asked for
};

/// Which fields a call can fill.
struct FieldChoice {
  bool derivative = false, standard_error = false, parameters = false;
  bool has(FieldGroup group) const;
};

/// Which fields a call writes, from `fields` (None or names) and `out` (None, a dict of arrays or a
/// Distances).
std::vector<std::size_t> wanted_fields(nanobind::handle fields, nanobind::handle out,
                                       const FieldChoice& choice);

/// The arrays of a call, made or taken from `out`, and their memory while it runs.
class OutputArrays {
 public:
  /// Names and number of rows come from `form`. Checks type, dtype, shape, order and writability of
  /// what is taken from `out`.
  OutputArrays(const std::vector<std::size_t>& fields, const DistanceArrays& form,
               nanobind::handle out, const std::string& prefix = "out.");

  /// Throws when an output shares memory with another or with one of the inputs.
  void check_overlap(const std::vector<Memory>& inputs) const;
  const DistanceColumns& columns() const { return columns_; }
  DistanceArrays result() const { return arrays_; }

 private:
  void take(std::size_t field, nanobind::handle array);
  void take_warm_starts(nanobind::handle starts);
  void take_standard_errors(const std::vector<std::size_t>& fields, nanobind::handle errors);
  std::string prefix_;
  DistanceArrays arrays_;
  std::deque<Buffer> buffers_;
  std::vector<std::pair<Memory, std::string>> memory_;
  std::unique_ptr<OutputArrays> errors_;
  DistanceColumns columns_;
};

void bind_distance_arrays(nanobind::module_& m);

}  // namespace tactum::python
