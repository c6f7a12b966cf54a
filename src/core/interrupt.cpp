// SPDX-License-Identifier: BSD-2-Clause
#include "tactum/interrupt.hpp"

#include <chrono>

namespace tactum {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kTimeBetweenCalls = std::chrono::milliseconds(10);

// plain values: reading them needs no guard of initialization
constinit thread_local const std::function<bool()>* in_scope = nullptr;
constinit thread_local Clock::time_point next_question{};

}  // namespace

const char* Interrupted::what() const noexcept { return "interrupted"; }

InterruptScope::InterruptScope(const std::function<bool()>& interrupted) : outer_(in_scope) {
  in_scope = &interrupted;
  if (outer_ == nullptr) next_question = Clock::now() + kTimeBetweenCalls;
}

InterruptScope::~InterruptScope() { in_scope = outer_; }

void check_interrupt() {
  if (in_scope == nullptr) return;
  const Clock::time_point now = Clock::now();
  if (now < next_question) return;
  next_question = now + kTimeBetweenCalls;
  if ((*in_scope)()) throw Interrupted();
}

}  // namespace tactum
