// SPDX-License-Identifier: BSD-2-Clause
// Which vector instructions the leaf kernels use, chosen once when a program first asks.
//
// Rule       the library uses the best level the processor has; the environment variable
//            TACTUM_SIMD = baseline, avx2 or avx512 lowers it. Any other text is ignored. Where the
//            processor lacks the level named, the best one below it is used.
// Bits      levels differ in speed alone. Kernels are compiled without contraction to fused
//           operations, and return something that does not depend on the order of evaluation.
// Pattern   a kernel is written once in plain C++ (baseline), and again with intrinsics where that
//           pays, each variant a function marked TACTUM_TARGET_AVX2 or TACTUM_TARGET_AVX512 inside
//           #if TACTUM_HAS_X86_TARGETS. SimdVariants holds the pointers:
//
//             using Scan = int(const float*, int);
//             #if TACTUM_HAS_X86_TARGETS
//             constexpr SimdVariants<Scan> scans{scan_baseline, scan_avx2, scan_avx512};
//             #else
//             constexpr SimdVariants<Scan> scans{scan_baseline, scan_baseline, scan_baseline};
//             #endif
//             Scan* const scan = scans.at(simd_level()); // keep the pointer; the call costs about
//             a nanosecond
//
//           Only raw arrays and scalars cross the call: no Eigen type is compiled inside such a
//           function, because its layout and inline functions would differ between variants.
#pragma once

#include <array>
#include <string_view>

#if defined(__x86_64__) && defined(__GNUC__)
#define TACTUM_HAS_X86_TARGETS 1
#define TACTUM_TARGET_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define TACTUM_TARGET_AVX512 \
  __attribute__((target("avx2,bmi,bmi2,popcnt,avx512f,avx512vl,avx512dq,avx512bw")))
#else
#define TACTUM_HAS_X86_TARGETS 0
#endif

namespace tactum {

/// Levels in ascending order: a processor with one has all before it.
enum class SimdLevel { baseline, avx2, avx512 };

inline constexpr std::array kSimdLevels{SimdLevel::baseline, SimdLevel::avx2, SimdLevel::avx512};

std::string_view to_string(SimdLevel level);

/// The best level of this processor.
SimdLevel machine_simd_level();

/// The level that the rule above gives for the text of TACTUM_SIMD, which is null where the
/// variable is not set.
SimdLevel chosen_simd_level(const char* wanted, SimdLevel machine);

/// The level in use. The environment is read at the first call and never again.
SimdLevel simd_level();

/// Pointers to one function compiled for every level.
template <class Function>
struct SimdVariants {
  Function* baseline;
  Function* avx2;
  Function* avx512;

  constexpr Function* at(SimdLevel level) const {
    return level == SimdLevel::avx512 ? avx512 : level == SimdLevel::avx2 ? avx2 : baseline;
  }
};

}  // namespace tactum
