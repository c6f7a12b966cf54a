// SPDX-License-Identifier: BSD-2-Clause
// Where Collada places things: the transforms of a node, its unit of length and its up axis.
#pragma once

#include "core/xml_element.hpp"
#include "tactum/pose.hpp"

namespace tactum {

/// x -> linear x + offset. Scales and mirrors are allowed.
struct AffineMap {
  Matrix3 linear = Matrix3::Identity();
  Vector3 offset = Vector3::Zero();

  Vector3 operator*(const Vector3& x) const { return linear * x + offset; }
  AffineMap operator*(const AffineMap& other) const {
    return {linear * other.linear, *this * other.offset};
  }
};

/// The product of <matrix>, <translate>, <rotate> and <scale> among the children of a node, in
/// their order; <skew> and <lookat> are refused, other children skipped. Rotations by multiples of
/// 90 degrees about an axis of the frame are exact.
AffineMap node_transform(const XmlElement& node);

/// From the coordinates of a document to metres, and where `apply_up_axis` to z up: by <unit> and
/// <up_axis> of its <asset>. Without them a unit is a metre and Y is up, as the format says.
AffineMap document_transform(const XmlElement& root, bool apply_up_axis);

}  // namespace tactum
