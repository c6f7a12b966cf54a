// SPDX-License-Identifier: BSD-2-Clause
// Signed distance with a certificate: checks the options and takes the pair from the table.
#include "tactum/distance.hpp"

#include <atomic>

#include "core/format_number.hpp"
#include "narrow/pair/pair_frame.hpp"
#include "narrow/query/pair_table.hpp"
#include "narrow/query/try_distance.hpp"

namespace tactum {
namespace {

constexpr double kNoCutoff = std::numeric_limits<double>::infinity();

/// The table of the SIMD level in use; null until the first query. It is initialized at compile
/// time, so that reading it needs no guard.
constinit std::atomic<const PairTable*> table_in_use = nullptr;

/// Checks any options, then runs the query.
[[gnu::noinline]] Distance checked_distance(const Shape& a, const Pose& X_WA, const Shape& b,
                                            const Pose& X_WB, const DistanceOptions& options,
                                            MomentumWeight weight) {
  table_in_use.store(&pair_table(), std::memory_order_relaxed);
  check_distance_options(options);
  Distance result;
  const PairEntry& entry = pair_entry(pair_table(), a.core(), b.core());
  const bool solved = options.method == Method::automatic && entry.try_directly != nullptr &&
                      entry.try_directly(a.core(), X_WA, b.core(), X_WB, options, result);
  if (!solved) general_distance(entry.solvers, a, X_WA, b, X_WB, options, result, weight);
  return result;
}

}  // namespace

void check_distance_options(const DistanceOptions& options) {
  check_options(options.tolerance, options.max_iterations, options.initial_direction,
                options.warm_start);
  if (std::isnan(options.cutoff) || options.cutoff < 0.0)
    throw InvalidInput("cutoff", exact_text(options.cutoff),
                       "give a length >= 0 in metres, or infinity for none");
}

Distance distance(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                  const DistanceOptions& options) {
  const PairTable* const table = table_in_use.load(std::memory_order_relaxed);
  // compared by bits: those of positive numbers are in order, and a NaN is above them
  const bool has_cutoff = std::bit_cast<std::uint64_t>(options.cutoff) <=
                          std::bit_cast<std::uint64_t>(kNoCutoff);
  if (table != nullptr && has_cutoff && options.method == Method::automatic &&
      need_no_check(options))
    return pair_entry(*table, a.core(), b.core()).distance(a, X_WA, b, X_WB, options);
  return checked_distance(a, X_WA, b, X_WB, options, MomentumWeight::chosen);
}

Distance distance(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                  const DistanceOptions& options, MomentumWeight weight) {
  return weight == MomentumWeight::chosen ? distance(a, X_WA, b, X_WB, options)
                                          : checked_distance(a, X_WA, b, X_WB, options, weight);
}

bool try_distance(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                  const DistanceOptions& options, Distance& result) {
  const PairEntry& entry = pair_entry(pair_table(), a.core(), b.core());
  if (entry.try_directly != nullptr && options.method == Method::automatic &&
      entry.try_directly(a.core(), X_WA, b.core(), X_WB, options, result))
    return true;
  return try_general_distance(entry.solvers, a.core(), X_WA, b.core(), X_WB, options, result);
}

}  // namespace tactum
