// SPDX-License-Identifier: Apache-2.0
// examples/robotics/model.h -- robots as tables of joints, and the arrays that the algorithms read. Everything here is
// computed with plain numbers, so that a robot is ready before anything is compiled.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "hilo/hilo.h"

namespace robotics {

using Vec3 = std::array<double, 3>;
using Mat3 = std::array<Vec3, 3>;  ///< rows

inline constexpr Mat3 kIdentity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

inline Vec3 operator+(const Vec3& a, const Vec3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Vec3 operator*(double s, const Vec3& a) { return {s * a[0], s * a[1], s * a[2]}; }
inline Vec3 operator*(const Mat3& m, const Vec3& v) {
  Vec3 product;
  for (size_t i = 0; i < 3; ++i) product[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
  return product;
}
inline Mat3 operator+(const Mat3& a, const Mat3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Mat3 transposed(const Mat3& m) {
  return {{{m[0][0], m[1][0], m[2][0]}, {m[0][1], m[1][1], m[2][1]}, {m[0][2], m[1][2], m[2][2]}}};
}
inline Mat3 operator*(const Mat3& a, const Mat3& b) {
  const Mat3 columns = transposed(b);
  return transposed({a * columns[0], a * columns[1], a * columns[2]});
}
/// The matrix of the cross product with v.
inline Mat3 cross_matrix(const Vec3& v) { return {{{0, -v[2], v[1]}, {v[2], 0, -v[0]}, {-v[1], v[0], 0}}}; }

/// The frame of a joint or a link in that of its parent.
struct Frame {
  Mat3 rotation = kIdentity;
  Vec3 position = {0, 0, 0};
};
inline Frame operator*(const Frame& a, const Frame& b) {
  return {a.rotation * b.rotation, a.position + a.rotation * b.position};
}

/// The rotation by roll, pitch and yaw, about fixed axes as in URDF. Multiples of a right angle are exact, so that
/// their zeros cost nothing.
inline Mat3 rotation_of(const Vec3& rpy) {
  constexpr double kPi = 3.14159265358979323846;
  std::array<double, 3> s, c;
  for (size_t i = 0; i < 3; ++i) {
    const double quarters = rpy[i] / (kPi / 2), nearest = std::round(quarters);
    const bool exact = std::abs(quarters - nearest) < 1e-5;  // files have five digits or more
    const double angle = exact ? nearest * (kPi / 2) : rpy[i];
    s[i] = exact ? std::round(std::sin(angle)) : std::sin(angle);
    c[i] = exact ? std::round(std::cos(angle)) : std::cos(angle);
  }
  const Mat3 roll = {{{1, 0, 0}, {0, c[0], -s[0]}, {0, s[0], c[0]}}};
  const Mat3 pitch = {{{c[1], 0, s[1]}, {0, 1, 0}, {-s[1], 0, c[1]}}};
  const Mat3 yaw = {{{c[2], -s[2], 0}, {s[2], c[2], 0}, {0, 0, 1}}};
  return yaw * pitch * roll;
}

/// Mass, first moment of mass, and inertia about the frame's origin: quantities of parts that are added.
struct Body {
  double mass = 0;
  Vec3 moment = {0, 0, 0};
  Mat3 inertia = {};
};
inline Body operator+(const Body& a, const Body& b) {
  return {a.mass + b.mass, a.moment + b.moment, a.inertia + b.inertia};
}
/// Returns a body from its centre of mass and its inertia about it.
inline Body body_at(double mass, const Vec3& center, const Mat3& inertia) {
  const Mat3 c = cross_matrix(center), about = c * transposed(c);
  return {mass, mass * center, inertia + Mat3{mass * about[0], mass * about[1], mass * about[2]}};
}
/// Returns the body of `frame` in the frame's parent.
inline Body moved(const Frame& frame, const Body& body) {
  if (body.mass == 0) return {0, {}, frame.rotation * body.inertia * transposed(frame.rotation)};
  const Vec3 center = (1 / body.mass) * body.moment;
  const Mat3 c = cross_matrix(center), about = c * transposed(c);
  const Mat3 centered = body.inertia + Mat3{-body.mass * about[0], -body.mass * about[1], -body.mass * about[2]};
  return body_at(body.mass, frame.position + frame.rotation * center,
                 frame.rotation * centered * transposed(frame.rotation));
}

/// A row of the table: a joint, and the body that moves with it. With q = 0 the joint's frame is `frame`, in the frame
/// of the parent joint.
struct Joint {
  enum Type { kRevolute, kPrismatic };

  std::string name;
  int64_t parent = -1;  ///< row of the joint before it; -1: the base
  Type type = kRevolute;
  Vec3 axis = {0, 0, 1};
  Frame frame = {};
  Body body = {};
  double lower = -INFINITY, upper = INFINITY;  ///< limits of q
  double effort = INFINITY;                    ///< limit of the torque
};

/// A robot of n joints. Motions and forces have three angular numbers, then three linear ones, in the joint's frame.
struct Model {
  std::vector<Joint> joints;
  bool chain = true;                 ///< each joint's parent is the row before it
  hilo::Array axis;                  ///< [n, 6], the motion of each joint
  hilo::Array rotation;              ///< [n, 3, 3], from the parent's axes to those of the joint at q = 0
  hilo::Array offset;                ///< [n, 3], in the parent's axes
  hilo::Array inertia;               ///< [n, 6, 6]
  hilo::Array lower, upper, effort;  ///< [n]
  hilo::Array gravity;               ///< [6], the acceleration of the base that stands for gravity

  int64_t size() const { return static_cast<int64_t>(joints.size()); }
  /// Returns the row of a joint.
  /// Errors     NOT_FOUND if no joint has this name
  int64_t row(std::string_view name) const {
    for (size_t i = 0; i < joints.size(); ++i) {
      if (joints[i].name == name) return static_cast<int64_t>(i);
    }
    throw hilo::Error(hilo::not_found("robot: no joint '" + std::string(name) + "'"));
  }
  /// Whether joint i carries joint k, or is it.
  bool carries(int64_t i, int64_t k) const {
    while (k > i) k = joints[static_cast<size_t>(k)].parent;
    return k == i;
  }
};

namespace detail {

inline void check(const std::vector<Joint>& joints, size_t row) {
  const Joint& joint = joints[row];
  const auto refuse = [&](const std::string& why) {
    throw hilo::Error(hilo::invalid_argument("robot: joint " + std::to_string(row) + " '" + joint.name + "' " + why));
  };
  if (joint.parent < -1 || joint.parent >= static_cast<int64_t>(row))
    refuse("has parent " + std::to_string(joint.parent) + "; expected -1, or a row before its own");
  if (!(std::hypot(joint.axis[0], joint.axis[1], joint.axis[2]) > 1e-9)) refuse("has an axis of length 0");
  if (!(joint.body.mass >= 0) || std::isinf(joint.body.mass))
    refuse("has mass " + std::to_string(joint.body.mass) + "; expected a number of at least 0");
  if (!(joint.lower <= joint.upper)) refuse("has a lower limit above its upper limit");
}

/// Returns an array of the default type of floats, without a program.
inline hilo::Array constant(const std::vector<double>& values, const std::vector<int64_t>& shape) {
  if (hilo::default_float() == hilo::ElementType::kF64) return hilo::Array::from_vector(values, shape);
  return hilo::Array::from_vector(std::vector<float>(values.begin(), values.end()), shape);
}

inline void append(std::vector<double>& to, const Mat3& m) {
  for (const Vec3& row : m) to.insert(to.end(), row.begin(), row.end());
}

inline void append_inertia(std::vector<double>& to, const Body& body) {
  const Mat3 h = cross_matrix(body.moment);
  for (size_t i = 0; i < 3; ++i) {
    to.insert(to.end(), body.inertia[i].begin(), body.inertia[i].end());
    to.insert(to.end(), h[i].begin(), h[i].end());
  }
  for (size_t i = 0; i < 3; ++i) {
    for (size_t k = 0; k < 3; ++k) to.push_back(-h[i][k]);
    for (size_t k = 0; k < 3; ++k) to.push_back(i == k ? body.mass : 0);
  }
}

}  // namespace detail

/// Returns the robot of a table.
/// Errors     INVALID_ARGUMENT if the table is empty, a joint stands before its parent, an axis has length 0, a mass
///            is negative, or limits are in the wrong order
inline Model make_model(std::vector<Joint> joints, const Vec3& gravity = {0, 0, -9.81}) {
  if (joints.empty()) throw hilo::Error(hilo::invalid_argument("robot: the table has no joint"));
  Model model;
  std::vector<double> axis, rotation, offset, inertia, lower, upper, effort;
  for (size_t i = 0; i < joints.size(); ++i) {
    const Joint& joint = joints[i];
    detail::check(joints, i);
    model.chain = model.chain && joint.parent == static_cast<int64_t>(i) - 1;
    const Vec3 along = (1 / std::hypot(joint.axis[0], joint.axis[1], joint.axis[2])) * joint.axis, none = {};
    for (const Vec3& part :
         {joint.type == Joint::kRevolute ? along : none, joint.type == Joint::kRevolute ? none : along})
      axis.insert(axis.end(), part.begin(), part.end());
    detail::append(rotation, transposed(joint.frame.rotation));
    offset.insert(offset.end(), joint.frame.position.begin(), joint.frame.position.end());
    detail::append_inertia(inertia, joint.body);
    lower.push_back(joint.lower);
    upper.push_back(joint.upper);
    effort.push_back(joint.effort);
  }
  const int64_t n = static_cast<int64_t>(joints.size());
  model.joints = std::move(joints);
  model.axis = detail::constant(axis, {n, 6});
  model.rotation = detail::constant(rotation, {n, 3, 3});
  model.offset = detail::constant(offset, {n, 3});
  model.inertia = detail::constant(inertia, {n, 6, 6});
  model.lower = detail::constant(lower, {n});
  model.upper = detail::constant(upper, {n});
  model.effort = detail::constant(effort, {n});
  model.gravity = detail::constant({0, 0, 0, -gravity[0], -gravity[1], -gravity[2]}, {6});
  return model;
}

}  // namespace robotics
