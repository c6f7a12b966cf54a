// SPDX-License-Identifier: BSD-2-Clause
// Pairs of objects for which a scene was told whether they meet, by slot.
//
// Rules      a rule for a pair says that the two meet or that they do not; it decides before groups
//            and masks. Slots that were closed together do not meet without a rule. A new slot is
//            neither closed nor part of a rule, so that a new object meets what groups and masks
//            let it meet.
// Cost       memory follows the number of slots and of rules, and a question is a binary search
//            among the rules of one slot, or one comparison where no rule was ever given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tactum {

enum class PairRule : std::uint8_t { none, meet, avoid };

class PairFilter {
 public:
  /// Makes room for this slot.
  void cover(std::int32_t slot);

  /// Sets the rule of a pair of different slots that are covered, in both orders.
  void set(std::int32_t a, std::int32_t b, PairRule rule);

  struct Rule {
    std::int32_t a, b;
    PairRule rule;
  };
  /// Sets many rules, of which the last for a pair counts, in n log n for any order.
  void set(std::vector<Rule> rules);

  /// Closes a slot: from now on it meets other closed slots only by a rule.
  void close(std::int32_t slot);
  bool is_closed(std::int32_t slot) const { return slots_[static_cast<std::size_t>(slot)].closed; }
  std::size_t num_closed() const { return num_closed_; }
  std::size_t num_rules() const { return num_partners_ / 2; }

  /// Returns the rule of a pair: its own, or `avoid` for two closed slots without one.
  PairRule rule(std::int32_t a, std::int32_t b) const {
    return in_use_ ? find(a, b) : PairRule::none;
  }

  /// Forgets everything about a slot, whose object is gone.
  void forget(std::int32_t slot);
  /// Forgets everything about all slots.
  void clear();

  struct Partner {
    std::int32_t slot;
    PairRule rule;
  };
  /// The rules of a slot, by ascending partner.
  const std::vector<Partner>& partners(std::int32_t slot) const {
    return slots_[static_cast<std::size_t>(slot)].partners;
  }

  std::size_t nbytes() const;

 private:
  struct Slot {
    std::vector<Partner> partners;
    bool closed = false;
  };
  PairRule find(std::int32_t a, std::int32_t b) const;
  void set_one_way(std::int32_t from, std::int32_t to, PairRule rule);

  std::vector<Slot> slots_;
  bool in_use_ = false;  // whether any slot was ever closed or given a rule
  std::size_t num_closed_ = 0;
  std::size_t num_partners_ = 0;  // of all slots
};

}  // namespace tactum
