// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/fft/fft.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <string_view>

#include "hilo/fft/fft.h"
#include "hilo/lax/elementwise.h"
#include "hilo/numpy/axes.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"

namespace hilo::scipy::fft {

namespace {

/// Returns whether the norm is "ortho"; rejects unknown norms.
bool checked_ortho(const char* what, int64_t type, std::string_view norm) {
  if (type != 2)
    or_throw(unimplemented(fmt::format("{}: only type 2 is implemented; got {}", at_user_line(what), type)));
  if (norm != "backward" && norm != "ortho")
    or_throw(invalid_argument(fmt::format("{}: norm must be backward or ortho; got '{}'", at_user_line(what), norm)));
  return norm == "ortho";
}

Array sized(const Array& x, std::optional<int64_t> n, const char* what) {
  if (!n) return x;
  if (*n < 1) or_throw(invalid_argument(fmt::format("{}: n must be positive; got {}", at_user_line(what), *n)));
  const int64_t have = x.shape(-1);
  if (*n <= have) return x(ellipsis, range(0, *n));
  std::vector<int64_t> shape(x.shape().begin(), x.shape().end());
  shape.back() = *n - have;
  return numpy::concatenate({x, numpy::zeros(shape, x.dtype())}, -1);
}

/// Returns exp(-i pi k / (2 n)) for k = 0, ..., n - 1, as cosines and sines.
std::pair<Array, Array> quarter_turns(int64_t n, ElementType type) {
  const Array angle = numpy::arange(n, type) * (-std::numbers::pi / (2.0 * static_cast<double>(n)));
  return {numpy::cos(angle), numpy::sin(angle)};
}
/// Returns sqrt(4n) for the first element, sqrt(2n) for the others.
Array orthonormal_factor(int64_t n, ElementType type) {
  const Array first = numpy::arange(n) == 0;
  return numpy::astype(numpy::sqrt(numpy::where(first, 4.0, 2.0) * static_cast<double>(n)), type);
}

/// Transforms the last axis.
Array last_dct(const Array& x, bool ortho) {
  const int64_t n = x.shape(-1);
  const Array odd = numpy::flip(x(ellipsis, range(1, none, 2)), -1);
  const Array f = hilo::fft::fft(numpy::concatenate({x(ellipsis, range(0, none, 2)), odd}, -1));
  const Array re = numpy::real(f), im = numpy::imag(f);
  const auto [c, s] = quarter_turns(n, re.dtype());
  const Array out = 2.0 * (re * c - im * s);
  return ortho ? out / orthonormal_factor(n, re.dtype()) : out;
}
Array last_idct(const Array& operand, bool ortho) {
  Array x = numpy::promote_inexact(operand);
  if (element_size_bytes(x.dtype()) < 4) x = numpy::astype(x, ElementType::kF32);
  const int64_t n = x.shape(-1);
  const Array factor = orthonormal_factor(n, x.dtype());
  const Array scaled = (ortho ? x : x / factor) / factor * (2.0 * static_cast<double>(n));
  const auto [c, s] = quarter_turns(n, x.dtype());  // division by c + is, as a product with c - is
  const Array v = numpy::real(hilo::fft::ifft(lax::complex(scaled * c, -scaled * s)));
  std::vector<int64_t> order;  // undoes the order: even elements first, odd elements reversed behind them
  for (int64_t i = 0; i < n; ++i) order.push_back(i % 2 == 0 ? i / 2 : n - 1 - i / 2);
  return numpy::take(v, Array::from_vector(order, {n}), -1);
}

template <typename Last>
Array along(const char* what, const Array& x, const DctOptions& o, const Last& last) {
  const bool ortho = checked_ortho(what, o.type, o.norm);
  const int64_t axis = numpy::normal_axis(x, o.axis);
  const Array moved = sized(numpy::moveaxis(x, axis, -1), o.n, what);
  const auto real_part = [&](const Array& part) { return last(part, ortho); };
  const Array out = is_complex(x.dtype()) ? lax::complex(real_part(numpy::real(moved)), real_part(numpy::imag(moved)))
                                          : real_part(moved);
  return numpy::moveaxis(out, -1, axis);
}

template <typename Last>
Array along_all(const char* what, const Array& x, const DctnOptions& o, const Last& last) {
  std::vector<int64_t> axes;
  const int64_t count = o.s ? static_cast<int64_t>((*o.s).size()) : x.ndim();
  if (o.axes) axes = *o.axes;
  else
    for (int64_t d = x.ndim() - count; d < x.ndim(); ++d) axes.push_back(d);
  if (count > x.ndim() || (o.s && axes.size() != (*o.s).size()))
    or_throw(invalid_argument(fmt::format("{}: s and axes must have one length, at most {}; got {} and {}",
                                          at_user_line(what), x.ndim(), count, axes.size())));
  Array out = x;
  for (size_t i = 0; i < axes.size(); ++i) {
    const std::optional<int64_t> n = o.s ? std::optional((*o.s)[i]) : std::nullopt;
    out = along(what, out, {.type = o.type, .n = n, .axis = axes[i], .norm = o.norm}, last);
  }
  return out;
}

}  // namespace

Array dct(const Operand& x, const DctOptions& options) {
  const UserLocation here(x.location());
  return along("dct", x, options, last_dct);
}
Array idct(const Operand& x, const DctOptions& options) {
  const UserLocation here(x.location());
  return along("idct", x, options, last_idct);
}
Array dctn(const Operand& x, const DctnOptions& options) {
  const UserLocation here(x.location());
  return along_all("dctn", x, options, last_dct);
}
Array idctn(const Operand& x, const DctnOptions& options) {
  const UserLocation here(x.location());
  return along_all("idctn", x, options, last_idct);
}

}  // namespace hilo::scipy::fft
