// SPDX-License-Identifier: BSD-2-Clause
// From the answer of a query to the surfaces around its witness points, from which derivatives
// start.
//
// Checks     that the answer belongs to this pair: its lower bound is the separation along its
//            normal, which two support calls recompute, and its points lie on the planes of
//            support.
// Feature    the smallest one that contains the witness point, with the normal in its normal cone
//            within 1e-10 rad; answers of little accuracy are given up to 1e-6 rad.
// Ties       apart, the best normal is unique. Where the cores overlap another one may be as good
//            (a ball in the middle of a box): ambiguous_normal.hpp tries those that can be.
#pragma once

#include "narrow/derivative/witness_jacobian.hpp"
#include "narrow/pair/pair_frame.hpp"

namespace tactum {

/// The origin of an answer: one that the caller gives may belong to another pair.
enum class ValueOrigin : std::uint8_t { computed, given };

/// Makes the witness pair. Throws InvalidInput for poses that distance() refuses, and for a given
/// value that does not belong to this pair.
WitnessPair make_witness_pair(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                              const Distance& value, ValueOrigin origin = ValueOrigin::given);

}  // namespace tactum
