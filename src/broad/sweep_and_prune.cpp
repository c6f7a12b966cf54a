// SPDX-License-Identifier: BSD-2-Clause
// Boxes sorted by their lower ends along one axis; overlaps come from one sweep (Baraff 1992, along
// a single axis).
//
// Order      boxes are sorted by the lower end as a float, then by id: a total order, so that it
//            depends on the boxes alone. It is kept by insertion, which is linear for small
//            motions; when boxes have moved too much, by a full sort.
// Axis       boxes are sorted along the axis on which the centers vary most. It changes with the
//            boxes of a bulk call, when another is clearly better.
#include <algorithm>
#include <array>
#include <bit>

#include "broad/box_list.hpp"
#include "broad/sort_pairs.hpp"
#include "broad/sweep_scan.hpp"
#include "tactum/broad_phase.hpp"
#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

/// An integer that is ordered as the float is, with the id in the lower half.
std::uint64_t sort_key(float value, BoxId id) {
  const auto bits = std::bit_cast<std::uint32_t>(value + 0.0F);  // -0 is 0
  const std::uint32_t ordered = (bits & 0x8000'0000U) != 0 ? ~bits : bits | 0x8000'0000U;
  return static_cast<std::uint64_t>(ordered) << 32U | static_cast<std::uint32_t>(id);
}
BoxId id_of(std::uint64_t key) { return static_cast<BoxId>(key & 0xFFFF'FFFFU); }

/// How much better than the current axis another must be.
constexpr double kBetterAxis = 2.0;
/// Places that an entry may move by insertion, on average, before a full sort is faster.
constexpr std::size_t kMovesEach = 32;

}  // namespace

struct SweepAndPrune::State {
  BoxList boxes;
  int axis = 0;
  std::vector<std::uint64_t> order;           ///< keys, ascending
  std::array<std::vector<float>, 5> columns;  ///< the columns of SweepColumns, padded

  std::uint64_t key(Id id) const { return sort_key(clipped_box(boxes[id]).lower[axis], id); }
  std::size_t position(std::uint64_t key) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(order, key) - order.begin());
  }

  SweepLimits limits(const Aabb& box) const {
    const FloatBox f = clipped_box(box);
    const int second = (axis + 1) % 3, third = (axis + 2) % 3;
    return {f.upper[axis], f.lower[second], f.upper[second], f.lower[third], f.upper[third]};
  }

  SweepColumns view() const {
    return {columns[0].data(), columns[1].data(), columns[2].data(), columns[3].data(),
            columns[4].data()};
  }

  void write_row(std::size_t row, Id id) {
    const FloatBox f = clipped_box(boxes[id]);
    const int second = (axis + 1) % 3, third = (axis + 2) % 3;
    columns[0][row] = f.lower[axis];
    columns[1][row] = f.lower[second];
    columns[2][row] = f.upper[second];
    columns[3][row] = f.lower[third];
    columns[4][row] = f.upper[third];
  }

  void resize(std::size_t count) {
    order.resize(count);
    for (std::vector<float>& column : columns) {
      column.resize(count + kSweepBlock);
      std::fill_n(column.end() - kSweepBlock, kSweepBlock, std::numeric_limits<float>::infinity());
    }
  }

  void insert(Id id) {
    const std::uint64_t own = key(id);
    const std::size_t row = position(own), count = order.size();
    resize(count + 1);
    std::copy_backward(order.begin() + std::ptrdiff_t(row), order.begin() + std::ptrdiff_t(count),
                       order.end());
    for (std::vector<float>& column : columns) {
      std::copy_backward(column.begin() + std::ptrdiff_t(row),
                         column.begin() + std::ptrdiff_t(count),
                         column.begin() + std::ptrdiff_t(count) + 1);
    }
    order[row] = own;
    write_row(row, id);
  }

  void erase(Id id) {
    const std::size_t row = position(key(id));
    order.erase(order.begin() + std::ptrdiff_t(row));
    for (std::vector<float>& column : columns) column.erase(column.begin() + std::ptrdiff_t(row));
  }

  void move(Id id, const Aabb& box) {
    const std::size_t from = position(key(id));
    boxes[id] = box;
    const std::uint64_t own = key(id);
    const std::size_t past = position(own), to = past > from ? past - 1 : past;
    const auto shift = [&](auto& values) {
      const auto begin = values.begin();
      if (to > from)
        std::copy(begin + std::ptrdiff_t(from) + 1, begin + std::ptrdiff_t(to) + 1,
                  begin + std::ptrdiff_t(from));
      if (to < from)
        std::copy_backward(begin + std::ptrdiff_t(to), begin + std::ptrdiff_t(from),
                           begin + std::ptrdiff_t(from) + 1);
    };
    shift(order);
    for (std::vector<float>& column : columns) shift(column);
    order[to] = own;
    write_row(to, id);
  }

  /// The axis of largest variance of the centers. Unbounded boxes count with their clipped center.
  int best_axis() const {
    std::array<double, 3> sum{}, squares{};
    for (const std::uint64_t entry : order) {
      const Aabb& box = boxes[id_of(entry)];
      for (std::size_t i = 0; i < 3; ++i) {
        // clipped far inside the range of double, so that sums of squares stay finite
        const double center = 0.5 * std::clamp(box.lower[int(i)], -1e60, 1e60) +
                              0.5 * std::clamp(box.upper[int(i)], -1e60, 1e60);
        sum[i] += center;
        squares[i] += center * center;
      }
    }
    std::array<double, 3> variance{};
    for (std::size_t i = 0; i < 3; ++i)
      variance[i] = squares[i] - sum[i] * sum[i] / static_cast<double>(order.size());
    const auto best = static_cast<int>(std::ranges::max_element(variance) - variance.begin());
    return variance[std::size_t(best)] > kBetterAxis * variance[std::size_t(axis)] ? best : axis;
  }

  void sort_order() {
    std::size_t moves = kMovesEach * order.size();
    for (std::size_t i = 1; i < order.size(); ++i) {
      const std::uint64_t own = order[i];
      std::size_t j = i;
      for (; j > 0 && own < order[j - 1]; --j) order[j] = order[j - 1];
      order[j] = own;
      if (i - j > moves) {
        std::ranges::sort(order);
        return;
      }
      moves -= i - j;
    }
  }

  /// Sets all columns from the boxes, starting from the current order.
  void refresh() {
    if (order.empty()) return;
    axis = best_axis();
    for (std::uint64_t& entry : order) entry = key(id_of(entry));
    sort_order();
    for (std::size_t row = 0; row < order.size(); ++row) write_row(row, id_of(order[row]));
  }

  /// Calls visit(row) for all boxes from `row` on that may overlap, until it returns false.
  template <class Visit>
  void scan(const SweepLimits& wanted, std::size_t row, Visit&& visit) const {
    static SweepScan* const kKernel = sweep_scan();
    const SweepColumns all = view();
    for (;; row += kSweepBlock) {
      const SweepBlock block = kKernel(all, wanted, row);
      for (std::uint32_t hits = block.hits; hits != 0; hits &= hits - 1) {
        if (!visit(block.begin + static_cast<std::size_t>(std::countr_zero(hits)))) return;
      }
      if (block.last) return;
      row = block.begin;
    }
  }
};

SweepAndPrune::SweepAndPrune() : state_(std::make_unique<State>()) { state_->resize(0); }
SweepAndPrune::~SweepAndPrune() = default;
SweepAndPrune::SweepAndPrune(const SweepAndPrune& other)
    : state_(std::make_unique<State>(*other.state_)) {}
SweepAndPrune& SweepAndPrune::operator=(const SweepAndPrune& other) {
  if (this != &other) state_ = std::make_unique<State>(*other.state_);
  return *this;
}
SweepAndPrune::SweepAndPrune(SweepAndPrune&& other) noexcept = default;
SweepAndPrune& SweepAndPrune::operator=(SweepAndPrune&& other) noexcept = default;

SweepAndPrune::Id SweepAndPrune::insert(const Aabb& box) {
  BoxList::check_box(box, "box");
  const Id id = state_->boxes.add(box);
  state_->insert(id);
  return id;
}

void SweepAndPrune::insert(std::span<const Aabb> boxes, std::span<Id> ids) {
  BoxList::check_sizes(ids.size(), boxes.size());
  BoxList::check_boxes(boxes);
  const std::size_t old = state_->order.size();
  state_->resize(old + boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    ids[i] = state_->boxes.add(boxes[i]);
    state_->order[old + i] = static_cast<std::uint64_t>(static_cast<std::uint32_t>(ids[i]));
  }
  state_->refresh();
}

void SweepAndPrune::update(Id id, const Aabb& box) {
  state_->boxes.check_id(id, "id");
  BoxList::check_box(box, "box");
  state_->move(id, box);
}

void SweepAndPrune::update(std::span<const Id> ids, std::span<const Aabb> boxes) {
  BoxList::check_sizes(ids.size(), boxes.size());
  state_->boxes.check_ids(ids);
  BoxList::check_boxes(boxes);
  if (16 * ids.size() < state_->order.size()) {
    for (std::size_t i = 0; i < ids.size(); ++i) state_->move(ids[i], boxes[i]);
    return;
  }
  for (std::size_t i = 0; i < ids.size(); ++i) state_->boxes[ids[i]] = boxes[i];
  state_->refresh();
}

void SweepAndPrune::remove(Id id) {
  state_->boxes.check_id(id, "id");
  state_->erase(id);
  state_->boxes.remove(id);
}

bool SweepAndPrune::contains(Id id) const { return state_->boxes.contains(id); }

const Aabb& SweepAndPrune::box(Id id) const {
  state_->boxes.check_id(id, "id");
  return state_->boxes[id];
}

std::size_t SweepAndPrune::size() const { return state_->boxes.size(); }
int SweepAndPrune::axis() const { return state_->axis; }

std::size_t SweepAndPrune::nbytes() const {
  std::size_t bytes = sizeof(State) + state_->boxes.nbytes() +
                      state_->order.capacity() * sizeof(std::uint64_t);
  for (const std::vector<float>& column : state_->columns)
    bytes += column.capacity() * sizeof(float);
  return bytes;
}

void SweepAndPrune::pairs(BoxPairs& out) const {
  const State& s = *state_;
  out.clear();
  for (std::size_t row = 0; row < s.order.size(); ++row) {
    const Id i = id_of(s.order[row]);
    if (row % 64 == 0) check_interrupt();
    s.scan(s.limits(s.boxes[i]), row + 1, [&](std::size_t other) {
      const Id j = id_of(s.order[other]);
      if (boxes_overlap(s.boxes[i], s.boxes[j])) out.emplace_back(std::min(i, j), std::max(i, j));
      return true;
    });
  }
  sort_pairs(out, s.boxes.num_ids());
}

void SweepAndPrune::query(const Aabb& box, bool (*visit)(void*, Id), void* context) const {
  BoxList::check_box(box, "box");
  const State& s = *state_;
  // boxes before it in the order may reach it, so the scan starts at the first
  s.scan(s.limits(box), 0, [&](std::size_t row) {
    const Id id = id_of(s.order[row]);
    return !boxes_overlap(s.boxes[id], box) || visit(context, id);
  });
}

}  // namespace tactum
