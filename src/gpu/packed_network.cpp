// SPDX-License-Identifier: BSD-2-Clause
#include "gpu/packed_network.hpp"

#include <algorithm>
#include <string>

#include "gpu/half_bits.hpp"
#include "tactum/status.hpp"

namespace tactum::gpu {
namespace {

// Where a cell that only fills a tile is put: so far away that it does not count.
constexpr float kNowhere = 1e4F;

std::uint16_t half_of(double value) { return to_half_bits(static_cast<float>(value)); }

/// Appends a layer. `input(k)` names the input in column k; -1: none.
template <class Input>
void add_layer(PackedNetwork& packed, const DenseLayer& layer, int columns, Input input) {
  const std::size_t first = packed.weights.size();
  packed.weights.resize(first + static_cast<std::size_t>(columns * packed.width));
  for (int k = 0; k < columns; ++k) {
    if (input(k) < 0) continue;
    for (int n = 0; n < packed.width; ++n) {
      const auto place = static_cast<std::size_t>(place_of_weight(k, n, packed.width));
      packed.weights[first + place] = half_of(layer.linear.weight(n, input(k)));
    }
  }
  for (const Eigen::VectorXd* part : {&layer.linear.bias, &layer.norm.scale, &layer.norm.shift})
    for (const double value : *part) packed.parameters.push_back(static_cast<float>(value));
}

void add_output(PackedNetwork& packed, const NormLayer& norm, const LinearLayer& out) {
  const Eigen::MatrixXd scaled = out.weight * norm.scale.asDiagonal();
  for (int row = 0; row < 2; ++row)
    for (int n = 0; n < packed.width; ++n)
      packed.parameters.push_back(static_cast<float>(scaled(row, n)));
  for (int row = 0; row < 2; ++row) {
    packed.parameters.push_back(static_cast<float>(scaled.row(row).sum()));
    packed.parameters.push_back(
        static_cast<float>(out.weight.row(row) * norm.shift + out.bias[row]));
  }
}

bool fits(const CollisionNetworkSize& size, const ObjectCode& code) {
  return code.features.rows() == size.features && code.features.cols() == code.centers.cols() &&
         code.field.size() == kFieldWords && code.features.cols() > 0 && code.cell_size > 0.0 &&
         code.half_side > 0.0;
}

void add_field(PackedCodes& packed, const ObjectCode& code) {
  for (Eigen::Index i = 0; i < kFieldWords; ++i) {
    const Eigen::Index above = i % 12 == 11 ? i : i + 1;
    packed.fields.push_back(static_cast<std::uint32_t>(half_of(code.field[i])) |
                            static_cast<std::uint32_t>(half_of(code.field[above])) << 16U);
  }
}

/// Returns the entry of a column of the table of cells.
double column_value(const ObjectCode& code, Eigen::Index cell, int column) {
  const int features = static_cast<int>(code.features.rows());
  const int columns = 8 * tiles_per_half(features), half = column / columns;
  const int in_half = column % columns;
  if (in_half < features / 2)
    return code.features(feature_of_column(half * features / 2 + in_half, features), cell);
  const int extra = in_half - features / 2;
  if (extra == 6) return 1.0;
  return extra % 2 == 0 ? code.centers(extra / 2, cell) / kNetworkUnit : 0.0;
}

void add_cells(PackedCodes& packed, const ObjectCode& code) {
  const auto count = static_cast<int>(code.features.cols());
  const int features = static_cast<int>(code.features.rows());
  const int tiles = (count + kCellsPerTile - 1) / kCellsPerTile;
  const int columns = 16 * tiles_per_half(features);
  const std::size_t first = packed.cells.size();
  packed.cells.resize(first + static_cast<std::size_t>(tiles * kCellsPerTile * columns));
  for (int cell = 0; cell < tiles * kCellsPerTile; ++cell) {
    if (cell >= count) {
      packed.centers.push_back({kNowhere, kNowhere, kNowhere, 0.0F});
      continue;
    }
    const Vector3 center = code.centers.col(cell);
    packed.centers.push_back({static_cast<float>(center.x()), static_cast<float>(center.y()),
                              static_cast<float>(center.z()), 0.0F});
    for (int column = 0; column < columns; ++column) {
      const auto place = static_cast<std::size_t>(place_of_cell(cell, column, features));
      packed.cells[first + place] = half_of(column_value(code, cell, column));
    }
  }
}

Vector<float> three(const Vector3& v) {
  return {static_cast<float>(v.x()), static_cast<float>(v.y()), static_cast<float>(v.z())};
}

}  // namespace

PackedNetwork pack_network(const NetworkWeights& weights) {
  const CollisionNetworkSize& size = weights.size;
  if (size.features % 32 != 0 || size.hidden % 32 != 0 || size.vectors != 2 * kVectorsPerHalf)
    throw InvalidInput("network",
                       std::to_string(size.features) + " features, " +
                           std::to_string(size.vectors) + " vectors, width " +
                           std::to_string(size.hidden),
                       "give one with multiples of 32 and 16 vectors");
  PackedNetwork packed;
  packed.num_features = size.features;
  packed.width = size.hidden;
  const auto same = [](int k) { return k; };
  add_layer(packed, weights.first, packed.inputs(),
            [&](int k) { return input_of_column(k, size.features); });
  for (const DenseLayer* layer : {&weights.second, &weights.third, &weights.joint})
    add_layer(packed, *layer, size.hidden, same);
  add_output(packed, weights.joint.norm, weights.out);
  return packed;
}

PackedCodes pack_codes(const CollisionNetworkSize& size, std::span<const ObjectCode> codes) {
  if (codes.empty()) throw InvalidInput("codes", "none", "give one code at least");
  PackedCodes packed;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const ObjectCode& code = codes[i];
    if (!fits(size, code))
      throw InvalidInput("codes[" + std::to_string(i) + "]", "a code of another network",
                         "encode it with this network");
    const auto first = static_cast<std::int32_t>(packed.centers.size() / kCellsPerTile);
    add_field(packed, code);
    add_cells(packed, code);
    const auto last = static_cast<std::int32_t>(packed.centers.size() / kCellsPerTile);
    packed.records.push_back({three(code.origin), three(code.extents),
                              static_cast<float>(code.half_side),
                              static_cast<float>(code.cell_size), first, last - first});
  }
  return packed;
}

}  // namespace tactum::gpu
