// SPDX-License-Identifier: BSD-2-Clause
// Detection of the processor's vector instructions, and the rule of TACTUM_SIMD.
#include "core/simd_level.hpp"

#include <algorithm>
#include <cstdlib>

namespace tactum {

std::string_view to_string(SimdLevel level) {
  switch (level) {
    case SimdLevel::baseline: return "baseline";
    case SimdLevel::avx2: return "avx2";
    case SimdLevel::avx512: return "avx512";
  }
  return "baseline";
}

SimdLevel machine_simd_level() {
#if TACTUM_HAS_X86_TARGETS
  // each of these also asks whether the operating system saves the wider registers
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512bw");
  if (avx512) return SimdLevel::avx512;
  if (avx2) return SimdLevel::avx2;
#endif
  return SimdLevel::baseline;
}

SimdLevel chosen_simd_level(const char* wanted, SimdLevel machine) {
  if (wanted == nullptr) return machine;
  for (const SimdLevel level : kSimdLevels) {
    if (to_string(level) == wanted) return std::min(level, machine);
  }
  return machine;
}

SimdLevel simd_level() {
  static const SimdLevel kLevel = chosen_simd_level(std::getenv("TACTUM_SIMD"),
                                                    machine_simd_level());
  return kLevel;
}

}  // namespace tactum
