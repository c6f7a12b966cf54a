// SPDX-License-Identifier: BSD-2-Clause
// How often a random test repeats. Instrumented builds look for what a few repetitions show as
// well, and are ten times slower.
#pragma once

namespace tactum::testing {

#ifdef TACTUM_INSTRUMENTED  // by tests/CMakeLists.txt, for sanitizers and coverage
inline constexpr int kInstrumentedShare = 10;
#else
inline constexpr int kInstrumentedShare = 1;
#endif

/// `full` in an optimized build, a tenth of it under a sanitizer; counts that a test expects go
/// through it as well.
constexpr int repetitions(int full) { return full / kInstrumentedShare; }

}  // namespace tactum::testing
