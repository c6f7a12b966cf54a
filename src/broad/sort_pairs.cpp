// SPDX-License-Identifier: BSD-2-Clause
// One pass of counting sort into buckets of neighboring first ids, then a comparison sort of each
// bucket. The vector is made twice as long for the time being, and its upper half takes the sorted
// pairs: nothing is allocated once it has grown.
#include "broad/sort_pairs.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace tactum {
namespace {

constexpr int kMostBuckets = 4096;  // their counters fit the first-level cache
constexpr std::size_t kFewPairs = 32;

void sort_bucket(std::pair<BoxId, BoxId>* first, std::pair<BoxId, BoxId>* last) {
  if (last - first > 16) return std::sort(first, last);
  for (auto* i = first + 1; i < last; ++i) {
    const std::pair<BoxId, BoxId> pair = *i;
    auto* j = i;
    for (; j > first && pair < j[-1]; --j) *j = j[-1];
    *j = pair;
  }
}

}  // namespace

void sort_pairs(BoxPairs& pairs, BoxId num_ids) {
  const std::size_t size = pairs.size();
  if (size <= kFewPairs) return std::sort(pairs.begin(), pairs.end());
  int shift = 0;
  while (((num_ids - 1) >> shift) >= kMostBuckets) ++shift;
  const auto buckets = static_cast<std::size_t>((num_ids - 1) >> shift) + 1;
  std::array<std::uint32_t, kMostBuckets> next;  // where the next pair of a bucket goes; counters
                                                 // at first
  std::fill_n(next.begin(), buckets, 0U);
  for (const auto& pair : pairs) ++next[static_cast<std::size_t>(pair.first >> shift)];
  std::uint32_t total = 0;
  for (std::size_t b = 0; b < buckets; ++b) total += std::exchange(next[b], total);

  pairs.resize(2 * size);
  std::pair<BoxId, BoxId>* const sorted = pairs.data() + size;
  for (std::size_t i = 0; i < size; ++i)
    sorted[next[static_cast<std::size_t>(pairs[i].first >> shift)]++] = pairs[i];
  // now next[b] is the end of bucket b
  std::uint32_t begin = 0;
  for (std::size_t b = 0; b < buckets; ++b) {
    if (next[b] > begin + 1) sort_bucket(sorted + begin, sorted + next[b]);
    begin = next[b];
  }
  std::copy(sorted, sorted + size, pairs.data());
  pairs.resize(size);
}

}  // namespace tactum
