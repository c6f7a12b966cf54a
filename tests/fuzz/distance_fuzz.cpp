// SPDX-License-Identifier: BSD-2-Clause
// libFuzzer target: bytes become two shapes, two poses and options; every answer must be finite,
// ordered and within its own tolerance.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "tactum/tactum.hpp"

namespace {

using namespace tactum;

/// Reads numbers off the input; zeros when it ends.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  std::uint8_t byte() { return at_ < size_ ? data_[at_++] : 0; }

  /// Half of the time any double at all, else a tame one.
  double number() {
    if (byte() & 1) return (byte() - 128.0) / 64.0;
    double value = 0.0;
    const std::size_t count = std::min(sizeof value, size_ - at_);
    std::memcpy(&value, data_ + at_, count);
    at_ += count;
    return value;
  }

  Vector3 vector() {
    const double x = number(), y = number(), z = number();
    return {x, y, z};
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

Shape read_shape(Bytes& in) {
  const std::uint8_t kind = in.byte() % 9;
  const double margin = in.byte() & 1 ? in.number() : 0.0;
  switch (kind) {
    case 0: return Sphere{.radius = in.number(), .margin = margin};
    case 1: return Ellipsoid{.semi_axes = in.vector(), .margin = margin};
    case 2: return Box{.half_extents = in.vector(), .margin = margin};
    case 3: return Capsule{.radius = in.number(), .half_length = in.number(), .margin = margin};
    case 4: return Cylinder{.radius = in.number(), .half_length = in.number(), .margin = margin};
    case 5: return Cone{.radius = in.number(), .half_length = in.number(), .margin = margin};
    case 6: return HalfSpace{.normal = in.vector(), .offset = in.number(), .margin = margin};
    default: break;
  }
  Points points(3, in.byte() % 24);
  for (int i = 0; i < points.cols(); ++i) points.col(i) = in.vector();
  if (kind == 8) {
    const double small_radius = in.number();
    return Stp::from_points(
        points, {.small_radius = small_radius, .big_radius = in.number(), .margin = margin});
  }
  return Convex::from_points(points, margin);
}

Pose read_pose(Bytes& in) {
  Vector7 pose;
  pose.head<3>() = in.vector();
  Eigen::Vector4d quaternion(in.number(), in.number(), in.number(), in.number());
  const double norm = quaternion.norm();
  pose.tail<4>() = std::isfinite(norm) && norm > 1e-100 ? Eigen::Vector4d(quaternion / norm)
                                                        : Eigen::Vector4d(0.0, 0.0, 0.0, 1.0);
  return pose_from_xyz_xyzw(pose);
}

void require(bool condition) {
  if (!condition) std::abort();
}

void check(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
           const DistanceOptions& options) {
  const Distance r = distance(a, X_WA, b, X_WB, options);
  const double scale = pair_scale(a, X_WA, b, X_WB);
  require(std::isfinite(r.distance) && r.normal.allFinite() && r.point_a.allFinite() &&
          r.point_b.allFinite());
  require(!std::isnan(r.lower) && !std::isnan(r.upper) && r.lower <= r.upper);
  require(std::abs(r.normal.norm() - 1.0) < 1e-9);
  require(r.status != Status::invalid_input);
  if (r.status != Status::not_converged && r.status != Status::beyond_cutoff) {
    require(r.lower <= r.distance && r.distance <= r.upper);
    // below that there are no digits
    require(r.upper - r.lower <= options.tolerance * scale * (1.0 + 1e-9) + 1e-300);
  }
  const Collision c = collide(a, X_WA, b, X_WB, {.method = options.method});
  if (r.status == Status::separated && r.lower > 1e-9 * scale)
    require(!c.colliding || c.status == Status::not_converged);
  if (r.status == Status::penetrating && r.upper < -1e-9 * scale)
    require(c.colliding || c.status == Status::not_converged);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes in(data, size);
  try {
    const Shape a = read_shape(in);
    const Shape b = read_shape(in);
    const Pose X_WA = read_pose(in), X_WB = read_pose(in);
    DistanceOptions options;
    options.method = static_cast<Method>(in.byte() % (static_cast<int>(Method::nesmino) + 1));
    if (in.byte() & 1) options.initial_direction = in.vector();
    if (in.byte() & 1) options.cutoff = std::abs(in.number());
    options.max_iterations = 1 + in.byte();
    check(a, X_WA, b, X_WB, options);
  } catch (const InvalidInput&) {
    // bad input is refused by name: nothing to check
  }
  return 0;
}
