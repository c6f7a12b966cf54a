// SPDX-License-Identifier: BSD-2-Clause
#include "support/random_shapes.hpp"

#include <algorithm>
#include <cstdio>

namespace tactum::testing {
namespace {

Vector3 random_sizes(Random& random, double unit) {
  Vector3 sizes(random.uniform(0.1, 0.5), random.uniform(0.1, 0.5), random.uniform(0.1, 0.5));
  const double kind = random.uniform();
  if (kind < 0.1) sizes[random.below(3)] *= random.log_uniform(1e-3, 1e-1);   // a plate
  if (kind < 0.05) sizes[random.below(3)] *= random.log_uniform(1e-3, 1e-1);  // perhaps a needle
  if (kind > 0.9) sizes[1] = sizes[0];
  if (kind > 0.97) sizes[2] = sizes[0];
  return sizes * unit;
}

Points points_on_ellipsoid(int count, const Vector3& axes, Random& random) {
  Points points(3, count);
  for (int i = 0; i < count; ++i) points.col(i) = axes.cwiseProduct(random.direction());
  return points;
}

// a regular prism or its flat base: parallel faces and edges on purpose
Points prism(int sides, const Vector3& axes, bool flat) {
  Points points(3, flat ? sides : 2 * sides);
  for (int i = 0; i < sides; ++i) {
    const double angle = 6.283185307179586 * i / sides;
    const Vector3 rim(axes[0] * std::cos(angle), axes[1] * std::sin(angle), flat ? 0.0 : axes[2]);
    points.col(i) = rim;
    if (!flat) points.col(sides + i) = Vector3(rim[0], rim[1], -rim[2]);
  }
  return points;
}

Points random_points(Random& random, double unit) {
  const Vector3 axes = random_sizes(random, unit);
  const double form = random.uniform();
  Points points;
  if (form < 0.55) {
    points = points_on_ellipsoid(static_cast<int>(random.log_uniform(4, 40)), axes, random);
  } else if (form < 0.62) {
    points = points_on_ellipsoid(static_cast<int>(random.log_uniform(40, 200)), axes, random);
  } else if (form < 0.72) {
    points = prism(3 + random.below(8), axes, false);
  } else if (form < 0.80) {  // the corners of a box, as a hull
    points.resize(3, 8);
    for (int i = 0; i < 8; ++i)
      points.col(i) = axes.cwiseProduct(
          Vector3((i & 1) ? 1 : -1, (i & 2) ? 1 : -1, (i & 4) ? 1 : -1));
  } else if (form < 0.88) {
    points = prism(3 + random.below(8), axes, true);
  } else if (form < 0.93) {  // a flat triangle or polygon in a general plane
    points = random.rotation() * prism(3 + random.below(4), axes, true);
  } else if (form < 0.97) {  // a segment
    points.resize(3, 2);
    points << axes, Vector3(-axes[0], axes[1] * random.uniform(-1, 1), -axes[2]);
  } else {  // a point
    points = axes;
  }
  // the origin of a hull need not lie inside it
  if (random.chance(0.3)) points.colwise() += random.in_box(0.5 * unit);
  return points;
}

const std::array<Matrix3, 24>& cube_rotations() {
  static const std::array<Matrix3, 24> rotations = [] {
    std::array<Matrix3, 24> all;
    std::size_t count = 0;
    for (int p = 0; p < 6; ++p) {
      for (int signs = 0; signs < 8; ++signs) {
        const int first = p / 2, second = (first + 1 + p % 2) % 3, third = 3 - first - second;
        Matrix3 r = Matrix3::Zero();
        r(0, first) = (signs & 1) ? -1 : 1;
        r(1, second) = (signs & 2) ? -1 : 1;
        r(2, third) = (signs & 4) ? -1 : 1;
        if (r.determinant() > 0) all[count++] = r;
      }
    }
    return all;
  }();
  return rotations;
}

// aligned axes, exactly or off by 1e-16 to 1e-3 rad
Matrix3 aligned_rotation(Random& random) {
  const Matrix3 r = cube_rotations()[static_cast<std::size_t>(random.below(24))];
  if (random.chance(0.6)) return r;
  return Random::turn(random.chance(0.5) ? Vector3::Unit(random.below(3)) : random.direction(),
                      random.log_uniform(1e-16, 1e-3)) *
         r;
}

// a direction that matters to a body: a face normal, an axis, a rim; in the frame of the pair
Vector3 feature_direction(const ConvexBody& body, Random& random) {
  Vec3 n = Vec3::Unit(random.below(3)) * Real(random.sign());
  if (body.kind == ConvexBody::Kind::polytope && !body.triangles.empty()) {
    const auto& t = body.triangles[static_cast<std::size_t>(
        random.below(static_cast<int>(body.triangles.size())))];
    const auto vertex = [&](int i) {
      return body.vertices[static_cast<std::size_t>(t[static_cast<std::size_t>(i)])];
    };
    const Vec3 normal = (vertex(1) - vertex(0)).cross(vertex(2) - vertex(0));
    if (normal.norm() > 0) n = normal.normalized();
  }
  if (body.kind == ConvexBody::Kind::cone && random.chance(0.5))
    n = Vec3(2 * body.size[1], 0, body.size[0]).normalized();
  return narrow(body.rotation * n).normalized();
}

Vector3 edge_cross(const ConvexBody& a, const ConvexBody& b, Random& random) {
  if (a.edges.empty() || b.edges.empty()) return random.direction();
  const auto pick = [&](const ConvexBody& body) {
    const auto& e =
        body.edges[static_cast<std::size_t>(random.below(static_cast<int>(body.edges.size())))];
    return Vec3(body.rotation * (body.vertices[static_cast<std::size_t>(e[1])] -
                                 body.vertices[static_cast<std::size_t>(e[0])]));
  };
  const Vec3 normal = pick(a).cross(pick(b));
  return normal.norm() > 0 ? narrow(normal.normalized()) : random.direction();
}

Vector3 contact_direction(const ConvexBody& a, const ConvexBody& b, Random& random) {
  if (a.is_half_space()) return narrow(a.rotation * a.size);
  if (b.is_half_space()) return -narrow(b.rotation * b.size);
  switch (random.below(5)) {
    case 0: return feature_direction(a, random);
    case 1: return -feature_direction(b, random);
    case 2: return edge_cross(a, b, random);
    default: return random.direction();
  }
}

// where a plane with normal n touches the body; a point far along the plane for a half-space
Vector3 touching_point(const ConvexBody& body, const Vector3& n, Random& random, double size) {
  if (!body.is_half_space()) return narrow(body.support(widen(n)) + widen(n) * body.radius);
  const Vector3 along = random.in_box(random.chance(0.1) ? 1e3 * size : size);
  return narrow(body.translation) +
         narrow(body.rotation * body.size * (body.offset + body.radius)) + along - n * n.dot(along);
}

double size_of(const ConvexBody& body) { return static_cast<double>(body.extent + body.radius); }

// B placed so that the supporting planes across n are `gap` apart, and the touching points are in
// line
Vector3 place_along(const ConvexBody& a, ConvexBody b, const Matrix3& rotation, const Vector3& n,
                    double gap, double slide, Random& random) {
  b.move_to({rotation, Vector3::Zero()});
  const double size = std::max(size_of(a), size_of(b));
  const Vector3 from = touching_point(a, n, random, size), to = touching_point(b, -n, random, size);
  Vector3 along = slide * random.in_box(std::min(a.is_half_space() ? size : size_of(a),
                                                 b.is_half_space() ? size : size_of(b)));
  along -= n * n.dot(along);
  return from - to + gap * n + along;
}

double width(const ConvexBody& body, const Vector3& n) {
  if (body.is_half_space()) return 1e300;
  const Vec3 wide = widen(n);
  return static_cast<double>(wide.dot(body.support(wide) - body.support(-wide)) + 2 * body.radius);
}

/// Few points, so that the oracle can try all; big radii from the least possible to far above.
Shape random_stp(Random& random, double unit, double margin) {
  const Vector3 sizes = random_sizes(random, unit);
  Points points(3, 1 + random.below(9));
  for (auto point : points.colwise()) point = sizes.cwiseProduct(random.in_box(1));
  const double least = (points.colwise() - points.rowwise().mean()).colwise().norm().maxCoeff();
  const double small = random.chance(0.2) ? 0.0 : unit * random.log_uniform(1e-3, 0.1);
  const double alpha = std::max(least, 1e-3 * unit) * (1.0 + random.log_uniform(1e-3, 1e3));
  return Stp::from_points(points,
                          {.small_radius = small, .big_radius = small + alpha, .margin = margin});
}

}  // namespace

Shape random_shape(ShapeKind kind, Random& random, double unit) {
  const Vector3 sizes = random_sizes(random, unit);
  const double margin = random.chance(0.2) ? unit * random.log_uniform(1e-3, 0.2) : 0.0;
  switch (kind) {
    case ShapeKind::sphere:
      return Sphere{.radius = random.chance(0.05) ? 0.0 : sizes[0], .margin = margin};
    case ShapeKind::ellipsoid: return Ellipsoid{.semi_axes = sizes, .margin = margin};
    case ShapeKind::box: return Box{.half_extents = sizes, .margin = margin};
    case ShapeKind::capsule:
      return Capsule{.radius = sizes[0],
                     .half_length = random.chance(0.05) ? 0.0 : sizes[1],
                     .margin = margin};
    case ShapeKind::cylinder:
      return Cylinder{.radius = sizes[0], .half_length = sizes[1], .margin = margin};
    case ShapeKind::cone:
      return Cone{.radius = sizes[0], .half_length = sizes[1], .margin = margin};
    case ShapeKind::half_space: {
      const Vector3 normal = random.chance(0.3)
                                 ? Vector3(Vector3::Unit(random.below(3)) * random.sign())
                                 : random.direction();
      return HalfSpace{.normal = normal,
                       .offset = random.chance(0.5) ? 0.0 : unit * random.uniform(-1, 1),
                       .margin = margin};
    }
    case ShapeKind::stp: return random_stp(random, unit, margin);
    case ShapeKind::convex: break;
  }
  return Convex::from_points(random_points(random, unit), margin);
}

std::string_view to_string(PoseClass pose_class) {
  static constexpr std::array<std::string_view, kNumPoseClasses> kNames = {
      "apart",      "grazing",  "shallow",         "deep",     "contained",
      "concentric", "parallel", "far from origin", "far apart"};
  return kNames[static_cast<std::size_t>(pose_class)];
}

Pose random_relative_pose(PoseClass pose_class, const ConvexBody& a, const ConvexBody& b,
                          Random& random) {
  const double small = std::min(a.is_half_space() ? 1e300 : size_of(a),
                                b.is_half_space() ? 1e300 : size_of(b));
  const double size = std::max(a.is_half_space() ? 0.0 : size_of(a),
                               b.is_half_space() ? 0.0 : size_of(b));
  Pose pose{random.rotation(), Vector3::Zero()};
  ConvexBody turned = b;
  turned.move_to(pose);
  const auto along = [&](double gap, double slide) {
    const Vector3 n = contact_direction(a, turned, random);
    pose.translation = place_along(a, b, pose.rotation, n, gap, slide, random);
  };
  switch (pose_class) {
    case PoseClass::apart:
      along(size * random.log_uniform(1e-3, 1), random.chance(0.5) ? 0.0 : 1.0);
      break;
    case PoseClass::grazing: {
      const double k = random.uniform();
      const double gap = k < 0.1   ? 0.0
                         : k < 0.2 ? 1e-16 * random.uniform(1, 200)
                                   : random.log_uniform(1e-12, 1e-3);
      along(size * gap * random.sign(), 0.0);
      break;
    }
    case PoseClass::shallow:
      along(-small * random.log_uniform(1e-4, 0.1), random.chance(0.5) ? 0.0 : 0.2);
      break;
    case PoseClass::deep: {
      const Vector3 n = contact_direction(a, turned, random);
      const double depth = random.uniform(0.1, 1) * std::min(width(a, n), width(turned, n));
      pose.translation = place_along(a, b, pose.rotation, n, -depth, 0.3, random);
      break;
    }
    case PoseClass::contained:
      pose.translation = narrow(a.center() - turned.center()) + random.in_box(0.3 * small);
      break;
    case PoseClass::concentric: {
      if (random.chance(0.6)) pose.rotation = aligned_rotation(random);
      turned.move_to({pose.rotation, Vector3::Zero()});
      if (random.chance(0.4)) pose.translation = narrow(a.center() - turned.center());
      if (random.chance(0.2))
        pose.translation += small * random.log_uniform(1e-16, 1e-3) * random.direction();
      break;
    }
    case PoseClass::parallel: {
      pose.rotation = aligned_rotation(random);
      turned.move_to(pose);
      Vector3 n = contact_direction(a, turned, random);
      if (!a.is_half_space() && !b.is_half_space() && random.chance(0.7))
        n = feature_direction(random.chance(0.5) ? a : turned, random);
      const double k = random.uniform();
      const double gap = k < 0.2   ? 0.0
                         : k < 0.5 ? size * random.log_uniform(1e-3, 1)
                                   : -small * random.log_uniform(1e-6, 0.5);
      pose.translation = place_along(a, b, pose.rotation, n, gap, random.chance(0.5) ? 0.0 : 1.0,
                                     random);
      break;
    }
    case PoseClass::far_from_origin:
      return random_relative_pose(static_cast<PoseClass>(random.below(7)), a, b, random);
    case PoseClass::far_apart: along(size * random.log_uniform(1e1, 1e4), 1.0); break;
  }
  return pose;
}

PairSampler::PairSampler(ShapeKind kind_a, ShapeKind kind_b, std::uint64_t seed, int num_shapes)
    : seed_(seed) {
  for (int i = 0; i < num_shapes; ++i) {
    for (const bool first : {true, false}) {
      const ShapeKind kind = first ? kind_a : kind_b;
      Random random(seed, 1000000ULL * static_cast<std::uint64_t>(kind) +
                              2 * static_cast<std::uint64_t>(i) + (first ? 0 : 1));
      // one in six of another size: ratios up to 1e6 and beyond
      const double unit = i % 6 == 0 ? random.log_uniform(1e-6, 1e6) : 1.0;
      Shape shape = random_shape(kind, random, std::clamp(unit, 1e-6, 1e6));
      (first ? a_ : b_).push_back({shape, ConvexBody(shape, Pose{})});
    }
  }
}

PairSample PairSampler::sample(std::uint64_t index) const {
  Random random(seed_, 0x5eed0000ULL + index);
  const auto pose_class = static_cast<PoseClass>(index % kNumPoseClasses);
  auto pick = [&](const std::vector<Entry>& entries) -> const Entry& {
    return entries[static_cast<std::size_t>(random.below(static_cast<int>(entries.size())))];
  };
  const Entry& a = pick(a_);
  const Entry& b = pick(b_);
  const Pose X_AB = random_relative_pose(pose_class, a.body, b.body, random);
  Pose X_WA;
  if (pose_class == PoseClass::far_from_origin) {
    X_WA = {random.rotation(), random.log_uniform(1, 1e6) * random.direction()};
  } else if (random.chance(0.5)) {
    X_WA = {random.rotation(), random.in_box(size_of(a.body) + size_of(b.body))};
  }
  return {a.shape, b.shape, X_WA, X_WA * X_AB, pose_class};
}

std::string PairSample::describe() const {
  std::string text = std::string(to_string(pose_class)) + "\n  A " + a.to_string() + "\n  B " +
                     b.to_string();
  const auto add_hull = [&](const char* name, const Shape& shape) {
    const auto* hull = std::get_if<Convex>(&shape.parameters());
    if (hull == nullptr) return;
    text += std::string("\n  vertices of ") + name + ":";
    char buffer[128];
    for (int i = 0; i < hull->num_vertices(); ++i) {
      const Vector3 v = hull->vertex(i);
      std::snprintf(buffer, sizeof buffer, " (%a, %a, %a)", v[0], v[1], v[2]);
      text += buffer;
    }
  };
  const auto add_pose = [&](const char* name, const Pose& pose) {
    char buffer[64];
    text += std::string("\n  ") + name + " rotation by rows, then translation:";
    for (int i = 0; i < 9; ++i)
      std::snprintf(buffer, sizeof buffer, " %a", pose.rotation(i / 3, i % 3)), text += buffer;
    text += ";";
    for (int i = 0; i < 3; ++i)
      std::snprintf(buffer, sizeof buffer, " %a", pose.translation[i]), text += buffer;
  };
  add_hull("A", a);
  add_hull("B", b);
  add_pose("X_WA", X_WA);
  add_pose("X_WB", X_WB);
  return text;
}

}  // namespace tactum::testing
