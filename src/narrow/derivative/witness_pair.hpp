// SPDX-License-Identifier: BSD-2-Clause
// From the answer of a query to the surfaces around its witness points: what a derivative starts
// from.
//
// Checks     that the answer is one of this pair: its lower bound is the separation along its
//            normal, which two support calls give again, and its points lie on the planes of
//            support.
// Feature    the smallest one that holds the witness point, with the normal in its normal cone
//            within 1e-10 rad; answers of little accuracy are given up to 1e-6 rad.
// Ties       apart, the best normal is unique. Where the cores overlap another one may be as good
//            (a ball in the middle of a box): the opposite one and those of all faces are tried.
#pragma once

#include "narrow/derivative/witness_jacobian.hpp"
#include "narrow/pair/pair_frame.hpp"

namespace tactum {

/// Where an answer comes from: one that the caller gives may be of another pair.
enum class ValueOrigin : std::uint8_t { computed, given };

/// Throws InvalidInput for poses as distance() does, and for a given value that is not of this
/// pair.
WitnessPair make_witness_pair(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                              const Distance& value, ValueOrigin origin = ValueOrigin::given);

}  // namespace tactum
