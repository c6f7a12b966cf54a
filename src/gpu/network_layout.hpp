// SPDX-License-Identifier: BSD-2-Clause
// Where the numbers of a collision network lie in the tables of the device.
//
// The layers run on tensor cores, whose operands are spread over the 32 lanes of a warp: lane 4 g +
// t holds columns 2 t and 2 t + 1 of every 8, of the rows g and g + 8. What a layer leaves is what
// the next one takes, without any exchange. Two choices of the order of columns make this so:
//
// Vectors    the x of the first eight vectors of a half, then their y, then their z: a lane holds
//            whole vectors and turns them alone.
// Slots      the numbers of a view besides the features: lane t < 3 of a row has those of axis t,
//            lane 3 has gaps and sums of weights.
#pragma once

#include "gpu/host_device.hpp"

namespace tactum::gpu {

inline constexpr int kVectorsPerHalf = 8;  ///< what the tables can hold: a network must have these
inline constexpr int kSlots = 48;          ///< columns of a view behind the features
inline constexpr int kSlotsPerLane = 12;
inline constexpr int kCellsPerTile = 16;
inline constexpr int kFieldWords = 12 * 12 * 12;

/// Which feature of a cell stands in a column.
TACTUM_HOST_DEVICE constexpr int feature_of_column(int column, int num_features) {
  const int in_half = column % (num_features / 2);
  if (in_half >= 3 * kVectorsPerHalf) return column;
  return column - in_half + 3 * (in_half % kVectorsPerHalf) + in_half / kVectorsPerHalf;
}

/// Which number of a view, in the order of src/neural/predictor.cpp behind the features, lane t of
/// a row holds in slot s; -1: none.
TACTUM_HOST_DEVICE constexpr int input_of_slot(int t, int s) {
  if (t == 3) return s < 4 ? 21 + s : s < 8 ? 30 + s : -1;  // gaps, sums of weights
  if (s < 7) return 3 * s + t;              // extents, translation, centers: triples
  return s < 10 ? 25 + 3 * t + s - 7 : -1;  // row t of the rotation
}

/// The column, behind the features, of a slot.
TACTUM_HOST_DEVICE constexpr int column_of_slot(int t, int s) {
  return s / 4 * 16 + (s % 4) / 2 * 8 + 2 * t + s % 2;
}

/// Which input of the first layer stands in a column; -1: none.
constexpr int input_of_column(int column, int num_features) {
  if (column < num_features) return feature_of_column(column, num_features);
  if (column < 2 * num_features)
    return num_features + feature_of_column(column - num_features, num_features);
  for (int t = 0; t < 4; ++t) {
    for (int s = 0; s < kSlotsPerLane; ++s) {
      if (column_of_slot(t, s) != column - 2 * num_features) continue;
      return input_of_slot(t, s) < 0 ? -1 : 2 * num_features + input_of_slot(t, s);
    }
  }
  return -1;
}

/// Place of a weight, from input k to output n of a layer with `width` outputs: blocks of 8 x 8,
/// which the tensor cores read as they are.
TACTUM_HOST_DEVICE constexpr int place_of_weight(int k, int n, int width) {
  return (k / 8 * (width / 8) + n / 8) * 64 + n % 8 * 8 + k % 8;
}

/// Columns that are averaged with one weight: a half of the features and eight for the centers.
TACTUM_HOST_DEVICE constexpr int tiles_per_half(int num_features) { return num_features / 16 + 1; }

/// Place of column n of cell k in the table of an object: tiles of 16 cells and 8 columns, in the
/// order in which lanes hold them.
TACTUM_HOST_DEVICE constexpr int place_of_cell(int k, int n, int num_features) {
  const int tile = k / 16 * 2 * tiles_per_half(num_features) + n / 8;
  const int lane = n % 8 * 4 + k % 8 / 2;
  return (tile * 32 + lane) * 4 + k % 16 / 8 * 2 + k % 2;
}

}  // namespace tactum::gpu
