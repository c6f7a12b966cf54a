// SPDX-License-Identifier: BSD-2-Clause
// How one point of a contact patch follows the features that make it.
//
// Symbols    n normal, dn its change, m a surface normal scaled so that m.n = 1, p_A and p_B the
//            points of the cores, e = (p_B - p_A).n, v_X(p) the velocity of the point p of shape X,
//            w_X its rotation. Shapes that change their sizes have a v_X as well.
// Corner     a corner of A on a face of B: dp_A = v_A + H_A (dn - w_A x n), de = m_B . (v_B(p_B) -
//            dp_A - e dn); likewise with A and B exchanged.
// Crossing   two edges f_A, f_B: dp_X = v_X + H_X (...) + l_X f_X, dp_B - dp_A = de n + e dn: three
//            equations for l_A, l_B and de.
// Chord      an edge of an outline that is no edge of its hull: the equations of a crossing give
//            the line of sight, and the points of the hull on it, s_X n away from the chord, follow
//            their triangles: ds_X = m_X . (v_X(p_X) - dq_X - s_X dn), with q_X the point of the
//            chord of A.
// Hessian    H is that of a rim where a generator ends, else zero. Swept radii add r_A dn and -r_B
//            dn.
#pragma once

#include "contact/patch_geometry.hpp"

namespace tactum {

/// Where a velocity of a shape is asked for: at a corner or on an edge of its feature, or on the
/// face over which a point of the other shape lies.
enum class PatchPlace : std::uint8_t { feature, surface };

/// The motion of a point of the core of A, and the change of the distance of the point of B from
/// it.
struct PointChange {
  Double3 core_a;
  double distance;
};

/// H times the rotation of the normal, at a fraction of the line of a feature.
inline Double3 curvature_motion(const TangentPlane& plane, const FlatFeature& feature,
                                double fraction, Double3 turn) {
  const double curvature_radius = feature.curvature_radius[0] +
                                  fraction *
                                      (feature.curvature_radius[1] - feature.curvature_radius[0]);
  return plane.lift(curvature_radius * dot(feature.around, plane.project(turn)) * feature.around);
}

inline double fraction_at_corner(int corner) { return corner == 1 ? 1.0 : 0.0; }

/// The surface normal with m.n = 1 that has the given slope.
inline Double3 surface_normal(const TangentPlane& plane, Double2 slope) {
  return plane.normal - plane.lift(slope);
}

/// The surface normal with m.n = 1 of a feature over a place. `kinked` is set where it is not
/// unique.
inline Double3 surface_normal_at(const PatchGeometry& patch, const SeenCore& seen,
                                 const FlatFeature& feature, Double2 at, bool& kinked) {
  const FeatureHeight surface = height_at(seen, feature, at);
  kinked |= has_kink_at(seen, surface, at);
  return surface_normal(patch.plane, surface.slope);
}

/// How one point of a patch follows a motion. A Motion has the change of the normal in the world,
/// `normal`; velocities of the points of both cores, velocity_a(point, place) and velocity_b; and
/// the change of the normal relative to each shape, turn_a(n) and turn_b(n).
class PatchResponse {
 public:
  PatchResponse(const PatchGeometry& patch, const PatchPoint& point)
      : patch_(patch), point_(point) {
    const OverlapPoint& at = point.overlap;
    core_a_ = patch.point_a(point) - patch.radius_a * n();
    apart_ = point.height_b - point.height_a;
    core_b_ = core_a_ + apart_ * n();
    normal_a_ = normal_b_ = n();
    if (at.kind == Kind::crossing) {
      above_a_ = point.height_a - chord_height(patch.a, at.a, at.fraction_a);
      above_b_ = point.height_b - chord_height(patch.b, at.b, at.fraction_b);
    }
    if (at.kind == Kind::corner_b || above_a_ != 0.0)
      normal_a_ = surface_normal_at(patch, patch.seen_a, patch.a, at.at, kinked_);
    if (at.kind == Kind::corner_a || at.kind == Kind::corners || above_b_ != 0.0)
      normal_b_ = surface_normal_at(patch, patch.seen_b, patch.b, at.at, kinked_);
  }

  /// Points of the cores.
  Double3 core_a() const { return core_a_; }
  Double3 core_b() const { return core_b_; }

  /// Whether a face on which the point slides has no unique normal there.
  bool kinked() const { return kinked_; }

  template <class Motion>
  PointChange change(const Motion& motion) const {
    const OverlapPoint& at = point_.overlap;
    switch (at.kind) {
      case Kind::crossing: return crossing(motion);
      case Kind::corner_b:
      case Kind::line_b: return corner_b(motion, fraction_at_corner(at.b));
      case Kind::corner_a:
      case Kind::corners:
      case Kind::line_a:
      case Kind::lines:
      case Kind::witness: break;
    }
    return corner_a(motion, fraction_at_corner(at.a));
  }

 private:
  using Kind = OverlapPoint::Kind;

  Double3 n() const { return patch_.plane.normal; }
  template <class Motion>
  Double3 moved_a(const Motion& motion, Double3 point, double fraction) const {
    return motion.velocity_a(point, PatchPlace::feature) +
           curvature_motion(patch_.plane, patch_.a, fraction, motion.turn_a(n()));
  }
  template <class Motion>
  Double3 moved_b(const Motion& motion, Double3 point, double fraction) const {
    return motion.velocity_b(point, PatchPlace::feature) -
           curvature_motion(patch_.plane, patch_.b, fraction, motion.turn_b(n()));
  }

  template <class Motion>
  PointChange corner_a(const Motion& motion, double fraction) const {
    const Double3 moved = moved_a(motion, core_a_, fraction);
    return {moved, dot(normal_b_, motion.velocity_b(core_b_, PatchPlace::surface) - moved -
                                      apart_ * motion.normal)};
  }
  template <class Motion>
  PointChange corner_b(const Motion& motion, double fraction) const {
    const Double3 moved = moved_b(motion, core_b_, fraction);
    const double distance = dot(normal_a_, moved - apart_ * motion.normal -
                                               motion.velocity_a(core_a_, PatchPlace::surface));
    return {moved - distance * n() - apart_ * motion.normal, distance};
  }
  Double3 edge(const FlatFeature& feature, int i) const {
    const auto from = static_cast<std::size_t>(i), to = static_cast<std::size_t>(feature.next(i));
    return patch_.plane.lift(feature.corner(feature.next(i)) - feature.corner(i)) +
           (feature.height[to] - feature.height[from]) * n();
  }
  template <class Motion>
  PointChange crossing(const Motion& motion) const {
    const OverlapPoint& at = point_.overlap;
    const Double3 chord_a = core_a_ - above_a_ * n(), chord_b = core_b_ - above_b_ * n();
    const double chords_apart = apart_ + above_a_ - above_b_;
    const Double3 moved = moved_a(motion, chord_a, at.fraction_a), edge_a = edge(patch_.a, at.a),
                  edge_b = edge(patch_.b, at.b);
    const Double3 rest = moved_b(motion, chord_b, at.fraction_b) - moved -
                         chords_apart * motion.normal;
    const Double2 a = patch_.plane.project(edge_a), b = patch_.plane.project(edge_b),
                  q = patch_.plane.project(rest);
    const double determinant = cross(a, b), along_a = cross(q, b) / determinant,
                 along_b = cross(q, a) / determinant;
    const Double3 sight = moved + along_a * edge_a;  // motion of the line of sight at the chord of
                                                     // A
    const double to_b = chords_apart + above_b_;     // from there to the surface of B
    const double rise_a = above_a_ == 0.0
                              ? 0.0
                              : dot(normal_a_, motion.velocity_a(core_a_, PatchPlace::surface) -
                                                   sight - above_a_ * motion.normal);
    const double rise_b = above_b_ == 0.0
                              ? dot(n(), rest + along_b * edge_b - along_a * edge_a)
                              : dot(normal_b_, motion.velocity_b(core_b_, PatchPlace::surface) -
                                                   sight - to_b * motion.normal);
    return {sight + rise_a * n() + above_a_ * motion.normal, rise_b - rise_a};
  }

  const PatchGeometry& patch_;
  const PatchPoint& point_;
  Double3 core_a_, core_b_, normal_a_, normal_b_;
  double apart_;
  double above_a_ = 0.0, above_b_ = 0.0;  // height of the surface over the chord of an outline,
                                          // along the normal
  bool kinked_ = false;
};

/// Says of all points of a patch together which things they move with.
struct PatchUse {
  bool witness = false;  ///< a point moves with the witness pair of the query
  bool kink = false;     ///< a point moves on a surface that has a kink there
};

/// Calls features(index, PatchResponse) for points that follow the features which make them, and
/// witness(index) for those that are the witness pair.
template <class Witness, class Features>
PatchUse for_each_point(const PatchGeometry& patch, const Witness& witness,
                        const Features& features) {
  PatchUse use;
  for (std::size_t i = 0; i < static_cast<std::size_t>(patch.count); ++i) {
    const PatchPoint& point = patch.points[i];
    if (point.overlap.kind != OverlapPoint::Kind::witness) {
      const PatchResponse response(patch, point);
      const bool is_held = patch.is_at_witness(point) &&
                           (point.overlap.on_border || response.kinked());
      if (!is_held) {
        features(i, response);
        use.kink |= response.kinked();
        continue;
      }
    }
    use.witness = true;
    witness(i);
  }
  return use;
}

}  // namespace tactum
