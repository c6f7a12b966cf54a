// SPDX-License-Identifier: BSD-2-Clause
// The table is compiled for each SIMD level from one body: three-operand instructions save the
// copies that half of the baseline consists of.
#include "narrow/query/pair_table.hpp"

#if defined(__GNUC__) && !defined(__clang__)
// Without this option the compiler packs two of three numbers; where registers run out, packed
// numbers go through the stack and stall.
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

#include "narrow/pair/result_writer.hpp"
#include "narrow/pairs/closed_forms.hpp"
#include "narrow/pairs/direct_form.hpp"
#include "narrow/pairs/stp_pair.hpp"

namespace tactum {
namespace {

using namespace direct;

/// An answer with the fields that most pairs share.
[[gnu::always_inline]] inline PairAnswer initial_answer(const CoreShape& a, const CoreShape& b) {
  PairAnswer answer;
  answer.radius = a.radius + b.radius;
  answer.iterations = 0;
  answer.support_calls = 1;
  answer.vertices_visited = 0;
  return answer;
}

/// Whether the gap that the pair proves is within the tolerance.
template <class Pair>
[[gnu::always_inline]] inline bool meets_tolerance(const DistanceOptions& options) {
  return Pair::kGap == 0.0 || options.tolerance > 2.0 * Pair::kGap;
}

/// Writes all of a result but its vectors.
[[gnu::always_inline]] inline void write_all_numbers(const PairAnswer& answer, double cutoff,
                                                     Distance& result) {
  write_numbers(answer, 0.0, cutoff, result);
  result.pose_corrected = false;
  result.warm_start.vertices = {0, 0};
  result.warm_start.polytope.clear();
}

struct BaselineLevel {
  template <class Pair>
  [[gnu::always_inline]] static bool solve(const CoreShape& a, const Pose& X_WA, const CoreShape& b,
                                           const Pose& X_WB, const DistanceOptions& options,
                                           Distance& result) {
    PairAnswer answer = initial_answer(a, b);
    if (!meets_tolerance<Pair>(options) || !ScalarWriter::are_in_range(X_WA, X_WB) ||
        !ScalarWriter::are_exact(X_WA, X_WB, Pair::kExactness) ||
        !Pair::solve(a, X_WA, b, X_WB, answer))
      return false;
    write_all_numbers(answer, options.cutoff, result);
    ScalarWriter::write_vectors<Pair>(answer, X_WA, X_WB, result);
    return true;
  }

  template <class Pair>
  static bool try_directly(const CoreShape& a, const Pose& X_WA, const CoreShape& b,
                           const Pose& X_WB, const DistanceOptions& options, Distance& result) {
    return solve<Pair>(a, X_WA, b, X_WB, options, result);
  }

  template <class Pair>
  static Distance distance(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                           const DistanceOptions& options) {
    Distance result;
    if (!solve<Pair>(a.core(), X_WA, b.core(), X_WB, options, result))
      general_distance({Pair::kClosedForm}, a, X_WA, b, X_WB, options, result);
    return result;
  }
};

#if TACTUM_HAS_X86_TARGETS
struct Avx2Level {
  template <class Pair>
  [[gnu::always_inline]] TACTUM_TARGET_AVX2 static bool solve(const CoreShape& a, const Pose& X_WA,
                                                              const CoreShape& b, const Pose& X_WB,
                                                              const DistanceOptions& options,
                                                              Distance& result) {
    PairAnswer answer = initial_answer(a, b);
    if (!meets_tolerance<Pair>(options) || !Avx2Writer::are_in_range(X_WA, X_WB) ||
        !Avx2Writer::are_exact(X_WA, X_WB, Pair::kExactness) ||
        !Pair::solve(a, X_WA, b, X_WB, answer))
      return false;
    write_all_numbers(answer, options.cutoff, result);
    Avx2Writer::write_vectors<Pair>(answer, X_WA, X_WB, result);
    return true;
  }

  template <class Pair>
  TACTUM_TARGET_AVX2 static bool try_directly(const CoreShape& a, const Pose& X_WA,
                                              const CoreShape& b, const Pose& X_WB,
                                              const DistanceOptions& options, Distance& result) {
    return solve<Pair>(a, X_WA, b, X_WB, options, result);
  }

  template <class Pair>
  TACTUM_TARGET_AVX2 static Distance distance(const Shape& a, const Pose& X_WA, const Shape& b,
                                              const Pose& X_WB, const DistanceOptions& options) {
    Distance result;
    if (!solve<Pair>(a.core(), X_WA, b.core(), X_WB, options, result))
      general_distance({Pair::kClosedForm}, a, X_WA, b, X_WB, options, result);
    return result;
  }
};

/// Direct forms at the level AVX-512, which has twice the registers of AVX2: a robust closed form
/// can begin before the rotations are checked, which fills the time of its square root and
/// division.
struct Avx512Level {
  template <class Pair>
  [[gnu::always_inline]] TACTUM_TARGET_AVX512 static bool solve(
      const CoreShape& a, const Pose& X_WA, const CoreShape& b, const Pose& X_WB,
      const DistanceOptions& options, Distance& result) {
    PairAnswer answer = initial_answer(a, b);
    if (!meets_tolerance<Pair>(options) || !Avx2Writer::are_in_range(X_WA, X_WB)) return false;
    if (!Pair::kIsRobust && !Avx2Writer::are_exact(X_WA, X_WB, Pair::kExactness)) return false;
    if (!Pair::solve(a, X_WA, b, X_WB, answer)) return false;
    if (Pair::kIsRobust && !Avx2Writer::are_exact(X_WA, X_WB, Pair::kExactness)) return false;
    write_all_numbers(answer, options.cutoff, result);
    Avx2Writer::write_vectors<Pair>(answer, X_WA, X_WB, result);
    return true;
  }

  template <class Pair>
  TACTUM_TARGET_AVX512 static bool try_directly(const CoreShape& a, const Pose& X_WA,
                                                const CoreShape& b, const Pose& X_WB,
                                                const DistanceOptions& options, Distance& result) {
    return solve<Pair>(a, X_WA, b, X_WB, options, result);
  }

  template <class Pair>
  TACTUM_TARGET_AVX512 static Distance distance(const Shape& a, const Pose& X_WA, const Shape& b,
                                                const Pose& X_WB, const DistanceOptions& options) {
    Distance result;
    if (!solve<Pair>(a.core(), X_WA, b.core(), X_WB, options, result))
      general_distance({Pair::kClosedForm}, a, X_WA, b, X_WB, options, result);
    return result;
  }
};
#else
using Avx2Level = BaselineLevel;
using Avx512Level = BaselineLevel;
#endif

/// The entry of a pair without a direct form.
template <ClosedForm* closed_form, PairSearch* search>
Distance distance_in_frame(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                           const DistanceOptions& options) {
  Distance result;
  general_distance({closed_form, search}, a, X_WA, b, X_WB, options, result);
  return result;
}

template <ClosedForm* closed_form, PairSearch* search>
constexpr PairEntry entry_in_frame(CollideBy collide_by) {
  return {distance_in_frame<closed_form, search>, nullptr, {closed_form, search}, collide_by};
}

template <class Level>
constexpr PairTable make_table() {
  using Kind = CoreShape::Kind;
  PairTable table{};
  const auto entry = [&](Kind a, Kind b) -> PairEntry& {
    return table[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
  };
  for (auto& row : table) row.fill(entry_in_frame<nullptr, nullptr>(CollideBy::search));
  for (const Kind kind : {Kind::half_space, Kind::stp}) {
    entry(Kind::half_space, kind) = entry(
        kind, Kind::half_space) = entry_in_frame<solve_half_space, nullptr>(CollideBy::distance);
  }
  entry(Kind::stp, Kind::stp) = entry(Kind::stp, Kind::point) = entry(
      Kind::point, Kind::stp) = entry_in_frame<nullptr, solve_stp_pair>(CollideBy::search);

  const auto set = [&]<class Pair>(Kind a, Kind b, Pair) {
    // the direct forms of ellipsoids take more steps than GJK to decide a sign
    const bool searches = Pair::kCollideBy != CollideBy::distance &&
                          (a == Kind::ellipsoid || b == Kind::ellipsoid);
    entry(a, b) = {Level::template distance<Pair>,
                   Level::template try_directly<Pair>,
                   {Pair::kClosedForm},
                   searches ? CollideBy::search : Pair::kCollideBy};
  };
  for (const Kind kind : {Kind::point, Kind::segment, Kind::ellipsoid, Kind::box, Kind::cylinder,
                          Kind::cone, Kind::polytope}) {
    set(Kind::half_space, kind, HalfSpacePair<true>{});
    set(kind, Kind::half_space, HalfSpacePair<false>{});
  }
  set(Kind::point, Kind::point, Spheres{});
  set(Kind::point, Kind::segment, SphereCapsule<true>{});
  set(Kind::segment, Kind::point, SphereCapsule<false>{});
  set(Kind::segment, Kind::segment, Capsules{});
  set(Kind::box, Kind::box, Boxes{});
  set(Kind::ellipsoid, Kind::ellipsoid, Ellipsoids{});
  set(Kind::point, Kind::ellipsoid, SpherePrimitive<PointEllipsoid, true>{});
  set(Kind::ellipsoid, Kind::point, SpherePrimitive<PointEllipsoid, false>{});
  set(Kind::point, Kind::box, SpherePrimitive<PointBox, true>{});
  set(Kind::box, Kind::point, SpherePrimitive<PointBox, false>{});
  set(Kind::point, Kind::cylinder, SpherePrimitive<PointCylinder, true>{});
  set(Kind::cylinder, Kind::point, SpherePrimitive<PointCylinder, false>{});
  set(Kind::point, Kind::cone, SpherePrimitive<PointCone, true>{});
  set(Kind::cone, Kind::point, SpherePrimitive<PointCone, false>{});
  set(Kind::segment, Kind::box, CapsulePrimitive<PointBox, true>{});
  set(Kind::box, Kind::segment, CapsulePrimitive<PointBox, false>{});
  set(Kind::segment, Kind::ellipsoid, CapsulePrimitive<PointEllipsoid, true>{});
  set(Kind::ellipsoid, Kind::segment, CapsulePrimitive<PointEllipsoid, false>{});
  set(Kind::segment, Kind::cylinder, CapsulePrimitive<PointCylinder, true>{});
  set(Kind::cylinder, Kind::segment, CapsulePrimitive<PointCylinder, false>{});
  set(Kind::segment, Kind::cone, CapsulePrimitive<PointCone, true>{});
  set(Kind::cone, Kind::segment, CapsulePrimitive<PointCone, false>{});
  // the kind that is named first is the first core of solve_pair
  const auto set_both = [&]<SolvePair * solve_pair>(
                            Kind first, Kind second,
                            std::integral_constant<SolvePair*, solve_pair>) {
    set(first, second, CurvedPrimitives<solve_pair, true>{});
    set(second, first, CurvedPrimitives<solve_pair, false>{});
  };
  set_both(Kind::box, Kind::cylinder, std::integral_constant<SolvePair*, solve_box_cylinder>{});
  set_both(Kind::box, Kind::cone, std::integral_constant<SolvePair*, solve_box_cone>{});
  set_both(Kind::cone, Kind::cylinder, std::integral_constant<SolvePair*, solve_cone_cylinder>{});
  set_both(Kind::ellipsoid, Kind::box, std::integral_constant<SolvePair*, solve_ellipsoid_box>{});
  set_both(Kind::ellipsoid, Kind::cylinder,
           std::integral_constant<SolvePair*, solve_ellipsoid_cylinder>{});
  set_both(Kind::ellipsoid, Kind::cone, std::integral_constant<SolvePair*, solve_ellipsoid_cone>{});
  set_both(Kind::polytope, Kind::point, std::integral_constant<SolvePair*, solve_hull_point>{});
  set(Kind::cylinder, Kind::cylinder, CurvedPrimitives<solve_cylinders, true>{});
  set(Kind::cone, Kind::cone, CurvedPrimitives<solve_cones, true>{});
  return table;
}

constexpr PairTable kBaseline = make_table<BaselineLevel>(), kAvx2 = make_table<Avx2Level>(),
                    kAvx512 = make_table<Avx512Level>();

}  // namespace

const PairTable& pair_table(SimdLevel level) {
  return level == SimdLevel::avx512 ? kAvx512 : level == SimdLevel::avx2 ? kAvx2 : kBaseline;
}

const PairTable& pair_table() {
  static const PairTable& chosen = pair_table(simd_level());
  return chosen;
}

}  // namespace tactum
