// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/spatial/transform/rotation.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <numbers>

#include "hilo/array/refuse.h"
#include "hilo/linalg/linalg.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/random/random.h"

namespace hilo::scipy::spatial::transform {

namespace {

/// Converts to floats, and checks the extents of the last axes.
Array floats(const char* what, const Operand& operand, std::initializer_list<int64_t> last) {
  const Array x = numpy::promote_inexact(operand.array());
  const int64_t rank = last.size();
  if (x.ndim() < rank || !std::equal(last.begin(), last.end(), x.shape().end() - rank))
    refuse(what, "wanted last extents " + dimensions_to_string(std::vector<int64_t>(last)) + "; got " +
                     x.aval_shape().to_string());
  return x;
}
Array part(const Array& x, int64_t i) { return x(ellipsis, i); }
Array vector_of(const Array& quat) { return quat(ellipsis, range(0, 3)); }
Array squared_norm(const Array& x) { return numpy::sum(numpy::square(x), -1); }
Array last_axis(const Array& x) { return numpy::expand_dims(x, -1); }
Array joined(const std::vector<Array>& parts) { return numpy::stack(numpy::broadcast_arrays(parts), -1); }

Array normalized(const Array& quat) { return quat / last_axis(numpy::sqrt(squared_norm(quat))); }

/// Multiplies quaternions.
Array composed(const Array& p, const Array& q) {
  const Array a = vector_of(p), b = vector_of(q), v = part(p, 3), w = part(q, 3);
  const Array vector = last_axis(v) * b + last_axis(w) * a + numpy::cross(a, b);
  const Array scalar = v * w - numpy::sum(a * b, -1);
  return numpy::concatenate({vector, last_axis(scalar)}, -1);
}

/// Square root with derivative 0 at 0. Where x is below `tiny`, the caller uses a series of x instead.
constexpr double kTiny = 1e-14;
Array safe_root(const Array& x) { return numpy::sqrt(numpy::where(x < kTiny, numpy::ones_like(x), x)); }

/// The axes of a sequence, and whether they are fixed (lower case).
struct Axes3 {
  std::vector<int64_t> axes;
  bool extrinsic = false;
};
Axes3 axes_of(const char* what, std::string_view seq) {
  const auto all_of = [&](std::string_view letters) {
    return std::ranges::all_of(seq, [&](char c) { return letters.find(c) != std::string_view::npos; });
  };
  Axes3 out;
  out.extrinsic = all_of("xyz");
  if (seq.empty() || seq.size() > 3 || !(out.extrinsic || all_of("XYZ")))
    refuse(what, "seq must be one to three letters of xyz or of XYZ; got '" + std::string(seq) + "'");
  if (std::ranges::adjacent_find(seq) != seq.end())
    refuse(what, "consecutive axes of seq must be different; got '" + std::string(seq) + "'");
  for (char c : seq) out.axes.push_back(std::tolower(c) - 'x');
  return out;
}

/// Returns the rotation by an angle about a coordinate axis.
Array about_axis(int64_t axis, const Array& angle) {
  const Array half = angle / 2.0, none = numpy::zeros_like(half);
  std::vector<Array> parts = {none, none, none, numpy::cos(half)};
  parts[axis] = numpy::sin(half);
  return numpy::stack(parts, -1);
}

/// The intermediate angles of as_euler: half sum and half difference of the first and third angle, and the second
/// angle.
struct Halves {
  Array sum, difference, second;
};
Halves halves_of(const Array& quat, int64_t i, int64_t j, int64_t k, int64_t sign, bool symmetric) {
  const Array x = part(quat, i), y = part(quat, j), z = part(quat, k) * sign, w = part(quat, 3);
  const Array a = symmetric ? w : w - y, b = symmetric ? x : x + z;
  const Array c = symmetric ? y : y + w, d = symmetric ? z : z - x;
  return {numpy::arctan2(b, a), numpy::arctan2(d, c), 2.0 * numpy::arctan2(numpy::hypot(c, d), numpy::hypot(a, b))};
}

}  // namespace

Rotation Rotation::identity(std::optional<int64_t> num, numpy::Dtype dtype) {
  const Array one = numpy::array({0.0, 0.0, 0.0, 1.0}, dtype.value_or(default_float()));
  return {num ? numpy::broadcast_to(one, {*num, 4}) : one};
}
Rotation Rotation::random(const hilo::random::Key& random_key, std::optional<int64_t> num, numpy::Line line) {
  const UserLocation here(line);
  const Array four = num ? hilo::random::normal(random_key, {*num, 4}) : hilo::random::normal(random_key, {4});
  return {normalized(four)};
}
Rotation Rotation::concatenate(const std::vector<Rotation>& rotations, numpy::Line line) {
  const UserLocation here(line);
  std::vector<Array> quats;
  for (const Rotation& rotation : rotations) quats.push_back(rotation.quat);
  return {numpy::concatenate(quats)};
}
Rotation Rotation::from_quat(const Operand& quat) {
  const UserLocation here(quat.location());
  return {normalized(floats("from_quat", quat, {4}))};
}

Rotation Rotation::from_euler(std::string_view seq, const Operand& operand, const DegreesOptions& options) {
  const UserLocation here(operand.location());
  const auto [axes, extrinsic] = axes_of("from_euler", seq);
  Array angles = numpy::atleast_1d(numpy::promote_inexact(operand.array()));
  if (angles.shape(-1) != std::ssize(axes))
    refuse("from_euler", "seq '" + std::string(seq) + "' requires one angle for each letter along the last axis; got " +
                             angles.aval_shape().to_string());
  if (options.degrees) angles = numpy::deg2rad(angles);
  Array quat = about_axis(axes[0], part(angles, 0));
  for (size_t n = 1; n < axes.size(); ++n) {
    const Array next = about_axis(axes[n], part(angles, static_cast<int64_t>(n)));
    quat = extrinsic ? composed(next, quat) : composed(quat, next);
  }
  return {quat};
}

Rotation Rotation::from_matrix(const Operand& operand) {
  const UserLocation here(operand.location());
  const Array m = floats("from_matrix", operand, {3, 3});
  const auto at = [&](int64_t i, int64_t j) { return m(ellipsis, i, j); };
  const Array trace = at(0, 0) + at(1, 1) + at(2, 2);
  // One candidate for each component that may be the greatest; the greatest is well away from 0.
  std::vector<Array> candidates;
  for (int64_t i = 0; i < 3; ++i) {
    const int64_t j = (i + 1) % 3, k = (j + 1) % 3;
    std::vector<Array> parts(4);
    parts[i] = 1.0 - trace + 2.0 * at(i, i);
    parts[j] = at(j, i) + at(i, j);
    parts[k] = at(k, i) + at(i, k);
    parts[3] = at(k, j) - at(j, k);
    candidates.push_back(joined(parts));
  }
  candidates.push_back(joined({at(2, 1) - at(1, 2), at(0, 2) - at(2, 0), at(1, 0) - at(0, 1), 1.0 + trace}));
  const Array choice = last_axis(numpy::argmax(joined({at(0, 0), at(1, 1), at(2, 2), trace}), -1));
  Array quat = candidates[3];
  for (int64_t i = 0; i < 3; ++i) quat = numpy::where(choice == i, candidates[i], quat);
  return {normalized(quat)};
}

Rotation Rotation::from_mrp(const Operand& operand) {
  const UserLocation here(operand.location());
  const Array mrp = floats("from_mrp", operand, {3}), scale = last_axis(squared_norm(mrp)) + 1.0;
  return {numpy::concatenate({2.0 * mrp, 2.0 - scale}, -1) / scale};
}

Rotation Rotation::from_rotvec(const Operand& operand, const DegreesOptions& options) {
  const UserLocation here(operand.location());
  Array rotvec = floats("from_rotvec", operand, {3});
  if (options.degrees) rotvec = numpy::deg2rad(rotvec);
  const Array square = squared_norm(rotvec), angle = safe_root(square);
  const Array series = 0.5 - square / 48.0 + numpy::square(square) / 3840.0;  // sin(angle / 2) / angle
  const Array scale = numpy::where(square <= 1e-6, series, numpy::sin(angle / 2.0) / angle);
  const Array scalar = numpy::where(square < kTiny, 1.0 - square / 8.0, numpy::cos(angle / 2.0));
  return {numpy::concatenate({last_axis(scale) * rotvec, last_axis(scalar)}, -1)};
}

Array Rotation::apply(const Operand& operand, const ApplyOptions& options) const {
  const UserLocation here(operand.location());
  const Array vectors = floats("apply", operand, {3}), matrix = as_matrix();
  const Array turned = numpy::matmul(options.inverse ? numpy::matrix_transpose(matrix) : matrix, last_axis(vectors));
  return numpy::squeeze(turned, -1);
}

Array Rotation::as_quat(const QuatOptions& options) const {
  Array out = quat;
  if (options.canonical) {
    const Array x = part(quat, 0), y = part(quat, 1), z = part(quat, 2), w = part(quat, 3);
    const Array other = (w < 0) | ((w == 0) & ((x < 0) | ((x == 0) & ((y < 0) | ((y == 0) & (z < 0))))));
    out = numpy::where(last_axis(other), -quat, quat);
  }
  return options.scalar_first ? numpy::roll(out, 1, -1) : out;
}

Array Rotation::as_euler(std::string_view seq, const DegreesOptions& options, numpy::Line line) const {
  const UserLocation here(line);
  auto [axes, extrinsic] = axes_of("as_euler", seq);
  if (axes.size() != 3) refuse("as_euler", "seq must have three letters; got '" + std::string(seq) + "'");
  if (!extrinsic) std::ranges::reverse(axes);
  const int64_t i = axes[0], j = axes[1];
  const bool symmetric = i == axes[2];
  const int64_t k = symmetric ? 3 - i - j : axes[2], sign = (i - j) * (j - k) * (k - i) / 2;
  const auto [sum, difference, second] = halves_of(quat, i, j, k, sign, symmetric);
  constexpr double kNear = 1e-7, kPi = std::numbers::pi;
  const Array none = numpy::abs(second) <= kNear, half_turn = numpy::abs(second - kPi) <= kNear;
  const Array degenerate = none | half_turn;
  const Array lone = numpy::where(none, 2.0 * sum, 2.0 * (extrinsic ? -difference : difference));
  // The angles about the first and the last of the fixed axes. If the two cannot be distinguished, the first angle in
  // the order of seq takes the whole rotation.
  Array first = sum - difference, third = sum + difference;
  Array& leading = extrinsic ? first : third;
  Array& trailing = extrinsic ? third : first;
  leading = numpy::where(degenerate, lone, leading);
  trailing = numpy::where(degenerate, numpy::zeros_like(trailing), trailing);
  if (!symmetric) third = third * sign;
  const Array middle = symmetric ? second : second - kPi / 2;
  Array angles = extrinsic ? numpy::stack({first, middle, third}, -1) : numpy::stack({third, middle, first}, -1);
  angles = numpy::remainder(angles + kPi, 2 * kPi) - kPi;
  return options.degrees ? numpy::rad2deg(angles) : angles;
}

Array Rotation::as_matrix() const {
  const Array x = part(quat, 0), y = part(quat, 1), z = part(quat, 2), w = part(quat, 3);
  const Array x2 = x * x, y2 = y * y, z2 = z * z, w2 = w * w;
  const Array xy = x * y, zw = z * w, xz = x * z, yw = y * w, yz = y * z, xw = x * w;
  return numpy::stack({numpy::stack({x2 - y2 - z2 + w2, 2 * (xy - zw), 2 * (xz + yw)}, -1),
                       numpy::stack({2 * (xy + zw), w2 - x2 + y2 - z2, 2 * (yz - xw)}, -1),
                       numpy::stack({2 * (xz - yw), 2 * (yz + xw), w2 - x2 - y2 + z2}, -1)},
                      -2);
}

Array Rotation::as_mrp() const {
  const Array w = part(quat, 3), sign = numpy::where(w < 0, numpy::full_like(w, -1), numpy::ones_like(w));
  return last_axis(sign / (1.0 + sign * w)) * vector_of(quat);
}

Array Rotation::as_rotvec(const DegreesOptions& options) const {
  const Array near =
      // of both quaternions, the one whose angle is below 180 degrees
      numpy::where(quat(ellipsis, range(3, 4)) < 0, -quat, quat);
  const Array square = squared_norm(vector_of(near)), norm = safe_root(square);
  const Array angle = 2.0 * numpy::arctan2(norm, part(near, 3)), series = 2.0 + square / 3.0 + 0.15 * square * square;
  Array scale = numpy::where(square <= 2.5e-7, series, angle / numpy::sin(angle / 2.0));
  if (options.degrees) scale = numpy::rad2deg(scale);
  return last_axis(scale) * vector_of(near);
}

Rotation Rotation::inv() const { return {quat * numpy::array({-1.0, -1.0, -1.0, 1.0}, quat.dtype())}; }

Array Rotation::magnitude() const {
  return 2.0 * numpy::arctan2(numpy::sqrt(squared_norm(vector_of(quat))), numpy::abs(part(quat, 3)));
}

Rotation Rotation::mean(const MeanOptions& options, numpy::Line line) const {
  const UserLocation here(line);
  const int64_t count = size(line);
  const Array weights =
      options.weights ? numpy::astype(*options.weights, quat.dtype()) : numpy::ones({count}, quat.dtype());
  if (weights.ndim() != 1 || weights.shape(0) != count)
    refuse("mean", "weights must be a vector of one number for each rotation, " + std::to_string(count) + "; got " +
                       weights.aval_shape().to_string());
  const Array moments = numpy::matmul(numpy::transpose(quat) * weights, quat);
  return {hilo::linalg::eigh(moments).eigenvectors(all, 3)};
}

int64_t Rotation::size(numpy::Line line) const {
  const UserLocation here(line);
  if (single()) refuse("Rotation", "a single rotation has no size");
  return quat.shape(0);
}
Rotation Rotation::operator[](const Indexer& index) const {
  const UserLocation here(index.location());
  if (single()) refuse("Rotation", "a single rotation has no elements");
  return {quat[index]};
}

Rotation operator*(const Rotation& p, const Rotation& q) { return Rotation{normalized(composed(p.quat, q.quat))}; }

}  // namespace hilo::scipy::spatial::transform
