// SPDX-License-Identifier: BSD-2-Clause
#include "scene/pair_filter.hpp"

#include <algorithm>

namespace tactum {

void PairFilter::cover(std::int32_t slot) {
  const auto needed = static_cast<std::size_t>(slot) + 1;
  if (slots_.size() < needed) slots_.resize(needed);
}

void PairFilter::set(std::int32_t a, std::int32_t b, PairRule rule) {
  set_one_way(a, b, rule);
  set_one_way(b, a, rule);
  in_use_ = true;
}

void PairFilter::set(std::vector<Rule> rules) {
  // in this order every rule is the last one of both its slots
  const auto key = [](const Rule& rule) { return std::minmax(rule.a, rule.b); };
  std::ranges::stable_sort(
      rules, [&](const Rule& p, const Rule& q) { return std::pair(key(p)) < std::pair(key(q)); });
  for (const Rule& rule : rules) set(rule.a, rule.b, rule.rule);
}

void PairFilter::set_one_way(std::int32_t from, std::int32_t to, PairRule rule) {
  std::vector<Partner>& partners = slots_[static_cast<std::size_t>(from)].partners;
  const auto at = std::ranges::lower_bound(partners, to, {}, &Partner::slot);
  const bool known = at != partners.end() && at->slot == to;
  if (rule == PairRule::none) {
    if (known) {
      partners.erase(at);
      --num_partners_;
    }
  } else if (known) {
    at->rule = rule;
  } else {
    partners.insert(at, {to, rule});
    ++num_partners_;
  }
}

void PairFilter::close(std::int32_t slot) {
  bool& closed = slots_[static_cast<std::size_t>(slot)].closed;
  if (!closed) ++num_closed_;
  closed = in_use_ = true;
}

PairRule PairFilter::find(std::int32_t a, std::int32_t b) const {
  const Slot &of_a = slots_[static_cast<std::size_t>(a)],
             &of_b = slots_[static_cast<std::size_t>(b)];
  const bool a_is_shorter = of_a.partners.size() <= of_b.partners.size();
  const std::vector<Partner>& partners = a_is_shorter ? of_a.partners : of_b.partners;
  const std::int32_t other = a_is_shorter ? b : a;
  const auto at = std::ranges::lower_bound(partners, other, {}, &Partner::slot);
  if (at != partners.end() && at->slot == other) return at->rule;
  return of_a.closed && of_b.closed ? PairRule::avoid : PairRule::none;
}

void PairFilter::forget(std::int32_t slot) {
  Slot& gone = slots_[static_cast<std::size_t>(slot)];
  for (const Partner& partner : gone.partners) set_one_way(partner.slot, slot, PairRule::none);
  num_partners_ -= gone.partners.size();
  if (gone.closed) --num_closed_;
  gone = {};
}

void PairFilter::clear() {
  for (Slot& slot : slots_) slot = {};
  in_use_ = false;
  num_closed_ = num_partners_ = 0;
}

std::size_t PairFilter::nbytes() const {
  std::size_t bytes = slots_.capacity() * sizeof(Slot);
  for (const Slot& slot : slots_) bytes += slot.partners.capacity() * sizeof(Partner);
  return bytes;
}

}  // namespace tactum
