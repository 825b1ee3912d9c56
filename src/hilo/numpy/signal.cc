// SPDX-License-Identifier: Apache-2.0
#include "hilo/numpy/signal.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/lax/convolution.h"
#include "hilo/numpy/axes.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"

namespace hilo::numpy {
namespace {

/// Returns an array to concatenate along an axis: a scalar becomes one slice.
Array neighbour(const Array& value, const Array& a, int64_t axis) {
  if (value.ndim() != 0) return value;
  Shape dims(a.shape());
  dims[axis] = 1;
  return broadcast_to(value, dims);
}

Array along(const Array& line, const Array& a, int64_t axis) {
  Shape thin(std::vector<int64_t>(a.shape().size(), 1));
  thin[axis] = line.size();
  return reshape(line, thin);
}

Array strided_part(const Array& a, int64_t axis, int64_t start, int64_t stop) { return slice(a, start, stop, 1, axis); }

/// Returns the derivative along one axis, over even steps `h` or over coordinates.
Array gradient_along(const Array& a, int64_t axis, const Array& h) {
  const int64_t n = a.shape(axis);
  if (n < 2)
    or_throw(invalid_argument(at_user_line("gradient") +
                              ": shape of array too small to calculate a numerical gradient; got " +
                              a.aval_shape().to_string()));
  const Array first = strided_part(a, axis, 1, 2) - strided_part(a, axis, 0, 1);
  const Array last = strided_part(a, axis, n - 1, n) - strided_part(a, axis, n - 2, n - 1);
  if (h.ndim() == 0) {
    const Array middle = (strided_part(a, axis, 2, n) - strided_part(a, axis, 0, n - 2)) * 0.5;
    return concatenate({first, middle, last}, axis) / h;
  }
  if (h.ndim() != 1 || h.size() != n)
    or_throw(invalid_argument(at_user_line("gradient") + ": coordinates must be a vector of " + std::to_string(n) +
                              " elements; got " + h.aval_shape().to_string()));
  const Array dx = along(diff(h), a, axis);
  const Array before = strided_part(dx, axis, 0, n - 2), after = strided_part(dx, axis, 1, n - 1);
  const Array middle = -(after / (before * (before + after))) * strided_part(a, axis, 0, n - 2) +
                       (after - before) / (before * after) * strided_part(a, axis, 1, n - 1) +
                       before / (after * (before + after)) * strided_part(a, axis, 2, n);
  return concatenate({first / strided_part(dx, axis, 0, 1), middle, last / strided_part(dx, axis, n - 2, n - 1)}, axis);
}

Array correlated(const char* function, const Operand& a, const Operand& v, std::string_view mode, bool turn,
                 const ProductOptions& options) {
  const UserLocation here(a.location());
  auto [x, y] = promote_inexact(ravel(a), ops::scalar(0, promote_inexact(v.array()).dtype()));
  if (a.array().ndim() != 1 || v.array().ndim() != 1)
    or_throw(invalid_argument(at_user_line(function) + ": only supports 1-dimensional inputs; got " +
                              a.array().aval_shape().to_string() + " and " + v.array().aval_shape().to_string()));
  const ElementType type = x.dtype();
  y = ops::convert_element_type(v.array(), type);
  if (x.size() == 0 || y.size() == 0) or_throw(invalid_argument(at_user_line(function) + ": inputs cannot be empty"));
  bool flip_result = false;
  if (x.size() < y.size()) {
    std::swap(x, y);
    flip_result = !turn;
  }
  if (turn) y = flip(y);
  const int64_t m = y.size();
  lax::Padding padding("VALID");
  if (mode == "full") padding = lax::PaddingPairs{{m - 1, m - 1}};
  else if (mode == "same") padding = lax::PaddingPairs{{m / 2, m - m / 2 - 1}};
  else if (mode != "valid")
    or_throw(invalid_argument(at_user_line(function) + ": mode must be one of ['full', 'same', 'valid']; got \"" +
                              std::string(mode) + "\""));
  // Sums of floats are computed in floats; another type applies to the result only.
  const Dtype& preferred = options.preferred_element_type;
  const bool of_sums =
      preferred && !is_integer(*preferred) && element_size_bytes(*preferred) >= element_size_bytes(type);
  const Array out = lax::conv_general_dilated(
      reshape(x, {1, 1, -1}), reshape(y, {1, 1, -1}), {1}, padding,
      {.precision = options.precision, .preferred_element_type = of_sums ? preferred : Dtype()});
  Array line = reshape(out, {-1});
  if (preferred && !of_sums) line = ops::convert_element_type(line, requested_type(function, *preferred));
  const bool weak = a.array().weak_type() && v.array().weak_type() && !preferred;
  return with_weak_type(flip_result ? flip(line) : line, weak);
}

bool is_little(const char* function, std::string_view order) {
  if (order == "little") return true;
  if (order == "big") return false;
  throw Error(
      invalid_argument(at_user_line(function) + ": bitorder is big or little; got \"" + std::string(order) + "\""));
}

Array bit_numbers(bool little) {
  const Array up = arange(8, uint8);
  return little ? up : flip(up);
}

}  // namespace

Array diff(const Operand& a, const DiffOptions& options) {
  const UserLocation here(a.location());
  Array x = a.array();
  if (options.n < 0)
    or_throw(invalid_argument(at_user_line("diff") + ": order must be non-negative; got " + std::to_string(options.n)));
  if (x.ndim() == 0)
    or_throw(
        invalid_argument(at_user_line("diff") + ": requires input that is at least one dimensional; got a scalar"));
  if (options.n == 0) return x;
  const int64_t axis = normal_axis(x, options.axis);
  if (options.prepend) x = concatenate({neighbour(*options.prepend, x, axis), x}, axis);
  if (options.append) x = concatenate({x, neighbour(*options.append, x, axis)}, axis);
  for (int64_t i = 0; i < options.n; ++i) {
    const int64_t n = x.shape(axis);
    const Array later = strided_part(x, axis, std::min<int64_t>(1, n), n),
                earlier = strided_part(x, axis, 0, std::max<int64_t>(n - 1, 0));
    x = x.dtype() == ElementType::kPred ? ops::ne(later, earlier) : later - earlier;
  }
  return x;
}

Array ediff1d(const Operand& ary, const std::optional<Array>& to_end, const std::optional<Array>& to_begin) {
  const UserLocation here(ary.location());
  const Array x = ravel(ary);
  std::vector<Array> parts;
  const auto typed = [&](const Array& a) { return ops::convert_element_type(ravel(a), x.dtype()); };
  if (to_begin) parts.push_back(typed(*to_begin));
  parts.push_back(x.size() == 0 ? x : slice(x, 1, x.size()) - slice(x, 0, x.size() - 1));
  if (to_end) parts.push_back(typed(*to_end));
  return concatenate(parts);
}

OneOrMore gradient(const Operand& f, const GradientOptions& options) { return detail::gradient(f, {}, options); }
std::vector<Array> detail::gradient(const Operand& f, const std::vector<Array>& varargs,
                                    const GradientOptions& options) {
  const UserLocation here(f.location());
  const Array x = promote_inexact(f.array());
  std::vector<int64_t> axes;
  if (options.axis)
    for (const int64_t a : *options.axis) axes.push_back(normal_axis(x, a));
  else axes = ops::all_dimensions(x.ndim());
  if (!varargs.empty() && varargs.size() != 1 && varargs.size() != axes.size())
    or_throw(invalid_argument(at_user_line("gradient") + ": got " + std::to_string(varargs.size()) +
                              " distances; wanted one, or one for each of " + std::to_string(axes.size()) + " axes"));
  std::vector<Array> out;
  for (size_t i = 0; i < axes.size(); ++i) {
    const Array h = varargs.empty() ? Array(1.0) : varargs[varargs.size() == 1 ? 0 : i];
    out.push_back(gradient_along(x, axes[i], h));
  }
  return out;
}

namespace {
/// Whether sums are computed in f32 and rounded once.
bool computes_narrowly(ElementType type) { return type == ElementType::kF16 || type == ElementType::kBf16; }
}  // namespace

Array trapezoid(const Operand& y, const TrapezoidOptions& options) {
  const UserLocation here(y.location());
  const Aval type = options.x ? promote_types_inexact(std::vector{y.array(), *options.x})
                              : promote_types_inexact(std::vector{y.array()});
  const Array a = ops::convert_element_type(y.array(), type.shape.element_type());
  const bool narrow = computes_narrowly(a.dtype());
  const Array moved = moveaxis(narrow ? astype(a, float32) : a, options.axis, -1);
  const int64_t n = moved.shape(-1);
  const Array pairs = slice(moved, 1, n, 1, -1) + slice(moved, 0, std::max<int64_t>(n - 1, 0), 1, -1);
  Array dx = options.dx.ndim() < 2 ? options.dx : moveaxis(options.dx, options.axis, -1);
  if (options.x) {
    const Array points = ops::convert_element_type(*options.x, moved.dtype());
    dx = diff(points.ndim() == 1 ? points : moveaxis(points, options.axis, -1));
  }
  const Array area = 0.5 * sum(dx * pairs, -1);
  return narrow && area.dtype() == ElementType::kF32 ? astype(area, a.dtype()) : area;
}

Array unwrap(const Operand& p, const UnwrapOptions& options) {
  const UserLocation here(p.location());
  const bool whole = is_integer(p.array().dtype()) && options.period == std::floor(options.period);
  // Next to a float array, integers have the default float type.
  const ElementType floating =
      promote_types_inexact(std::vector{p.array(), Array(options.period)}).shape.element_type();
  const Array a = whole ? p.array() : ops::convert_element_type(p.array(), floating);
  const int64_t axis = normal_axis(a, options.axis), n = a.shape(axis);
  const Array period = ops::convert_element_type(Array(options.period), a.dtype());
  const Array interval = whole ? floor_divide(period, 2) : period / 2.0;
  const Array discont = options.discont ? maximum(*options.discont, interval) : interval;
  const Array steps = diff(a, {.axis = axis});
  Array wrapped = remainder(steps + interval, period) - interval;
  const bool ambiguous = !whole || static_cast<int64_t>(options.period) % 2 == 0;
  if (ambiguous) wrapped = where((wrapped == -interval) & (steps > 0), interval, wrapped);
  const Array correction = where(abs(steps) < discont, 0, wrapped - steps);
  const Array moved = strided_part(a, axis, std::min<int64_t>(1, n), n) + cumsum(correction, {.axis = axis});
  return concatenate({strided_part(a, axis, 0, std::min<int64_t>(1, n)), moved}, axis);
}

InterpEnd::InterpEnd(const char* word, Line line) {
  const UserLocation here(line);
  if (std::string_view(word) != "extrapolate")
    or_throw(invalid_argument(at_user_line("interp") + ": wanted a value or \"extrapolate\"; got \"" + word + "\""));
}

Array interp(const Operand& x, const Operand& xp, const Operand& fp, const InterpOptions& options) {
  const UserLocation here(x.location());
  if (xp.array().ndim() != 1 || !std::ranges::equal(xp.array().shape(), fp.array().shape()) || xp.array().size() == 0)
    or_throw(invalid_argument(at_user_line("interp") +
                              ": xp and fp must be one-dimensional arrays of equal size, not 0; got " +
                              xp.array().aval_shape().to_string() + " and " + fp.array().aval_shape().to_string()));
  const ElementType type = promote_types_inexact(std::vector{x.array(), xp.array()}).shape.element_type();
  const auto typed = [&](const Operand& a) { return ops::convert_element_type(a.array(), type); };
  Array at_x = typed(x), points = typed(xp), values = promote_inexact(fp.array());
  if (options.period) {
    if (*options.period == 0) or_throw(invalid_argument(at_user_line("interp") + ": period must be a non-zero value"));
    const double period = std::abs(*options.period);
    at_x = remainder(at_x, period);
    points = remainder(points, period);
    const Array order = argsort(points);
    points = points[order];
    values = values[order];
    points = concatenate({points[hilo::range(-1, hilo::none)] - period, points, points[hilo::range(0, 1)] + period});
    values = concatenate({values[hilo::range(-1, hilo::none)], values, values[hilo::range(0, 1)]});
  }
  const int64_t n = points.size();
  const Array i = clip(searchsorted(points, at_x, {.side = "right"}), 1, static_cast<int>(std::max<int64_t>(n - 1, 1)));
  const auto read = [](const Array& from, const Array& index) {
    return take(from, index, {.axis = 0, .mode = "clip"});
  };
  const Array df = read(values, i) - read(values, i - 1);
  const Array dx = read(points, i) - read(points, i - 1), delta = at_x - read(points, i - 1);
  const double tiny = finfo(type).eps * finfo(type).eps;
  const Array no_step = abs(dx) <= tiny;
  Array f = where(no_step, read(values, i - 1), read(values, i - 1) + (delta / where(no_step, 1, dx)) * df);
  if (!options.period) {
    const auto beyond = [&](const Array& is_beyond, const InterpEnd& option, const Array& end) {
      if (!option.is_end() && !option.value()) return f;  // extrapolation
      return where(is_beyond, option.is_end() ? end : *option.value(), f);
    };
    f = beyond(at_x < points[0], options.left, values[0]);
    f = beyond(at_x > points[-1], options.right, values[-1]);
  }
  return f;
}

Array convolve(const Operand& a, const Operand& v, const ConvolveOptions& options) {
  return correlated("convolve", a, v, options.mode, true, {options.precision, options.preferred_element_type});
}
Array correlate(const Operand& a, const Operand& v, const CorrelateOptions& options) {
  const UserLocation here(a.location());
  return correlated("correlate", a, conj(v), options.mode, false, {options.precision, options.preferred_element_type});
}

namespace {

/// Checks weights of observations: one number for each; returns absolute values.
Array observation_weights(const char* name, const Array& weights, int64_t count) {
  if (weights.ndim() != 1 || weights.shape(0) != count)
    or_throw(invalid_argument(fmt::format("{}: {} must be {} numbers; got {}", at_user_line("cov"), name, count,
                                          weights.aval_shape().to_string())));
  return abs(weights);
}
/// Returns the product of the specified weights.
std::optional<Array> covariance_weights(const CovOptions& options, int64_t count) {
  std::optional<Array> w;
  if (options.fweights && !is_integer(options.fweights->dtype()))
    or_throw(invalid_argument(at_user_line("cov") + ": fweights must be integers; got " +
                              options.fweights->aval_shape().to_string()));
  if (options.fweights) w = observation_weights("fweights", *options.fweights, count);
  if (!options.aweights) return w;
  const Array a = observation_weights("aweights", *options.aweights, count);
  return w ? *w * a : a;
}

}  // namespace

Array cov(const Operand& m, const CovOptions& options) {
  const UserLocation here(m.location());
  if (options.dtype && !is_floating(*options.dtype) && !is_complex(*options.dtype))
    or_throw(invalid_argument(at_user_line("cov") + ": the type must be floating or complex; got " +
                              std::string(element_type_name(*options.dtype))));
  const auto rows_of = [&](const Array& values, bool is_row) {
    if (values.ndim() > 2)
      or_throw(invalid_argument(at_user_line("cov") + ": wanted at most two dimensions; got " +
                                values.aval_shape().to_string()));
    const Array two = atleast_2d(values);
    return options.rowvar || is_row ? two : matrix_transpose(two);
  };
  const Aval common = options.y ? promote_types_inexact(std::vector{m.array(), *options.y})
                                : promote_types_inexact(std::vector{m.array()});
  const auto typed = [&](const Array& a) { return astype(a, options.dtype.value_or(common.shape.element_type())); };
  Array x = rows_of(typed(m.array()), m.array().ndim() < 2);
  if (options.y) {
    const Array y = rows_of(typed(*options.y), atleast_2d(*options.y).shape(0) == 1);
    x = concatenate({x, y}, 0);
  }
  if (x.shape(0) == 0) return zeros({0, 0}, x.dtype());
  if (x.shape(1) == 0) return squeeze(full({x.shape(0), x.shape(0)}, nan, x.dtype()));
  const double ddof = static_cast<double>(options.ddof.value_or(options.bias ? 0 : 1));
  const std::optional<Array> w = covariance_weights(options, x.shape(1));
  const Array count = w ? sum(*w) : Array(static_cast<double>(x.shape(1)));
  const Array center = w ? sum(x * *w, 1, true) / count : mean(x, 1, true);
  x = x - center;
  Array factor = count - ddof;
  if (w && options.aweights && ddof != 0) factor = count - ddof * sum(*w * abs(*options.aweights)) / count;
  const Array weighted = w ? x * *w : x;
  const Array out = matmul(weighted, conj(matrix_transpose(x))) / factor;
  return squeeze(ops::convert_element_type(out, x.dtype()));
}

Array corrcoef(const Operand& x, const CorrcoefOptions& options) {
  const UserLocation here(x.location());
  const Array c = cov(x, {.y = options.y, .rowvar = options.rowvar, .dtype = options.dtype});
  if (c.ndim() == 0) return c / c;
  const Array deviation = sqrt(real(diag(c)));
  const Array out = c / expand_dims(deviation, 1) / expand_dims(deviation, 0);
  if (!is_complex(out.dtype())) return clip(out, -1, 1);
  return ops::complex(clip(real(out), -1, 1), clip(imag(out), -1, 1));
}

Array packbits(const Operand& a, const PackbitsOptions& options) {
  const UserLocation here(a.location());
  const bool little = is_little("packbits", options.bitorder);
  if (!is_integer(a.array().dtype()) && a.array().dtype() != ElementType::kPred)
    or_throw(invalid_argument(at_user_line("packbits") + ": expected an array of integer or boolean data type; got " +
                              a.array().aval_shape().to_string()));
  const Array x = options.axis ? a.array() : ravel(a);
  const int64_t axis = options.axis.value_or(0);
  const Array moved = moveaxis(x, axis, -1);
  const int64_t n = moved.shape(-1), bytes = (n + 7) / 8;
  std::vector<std::vector<int64_t>> widths(moved.shape().size(), {0, 0});
  widths.back() = {0, bytes * 8 - n};
  Shape split(moved.shape());
  split.back() = bytes;
  split.push_back(8);
  const Array bits = astype(reshape(pad(astype(moved, bool_), widths), split), uint8);
  const Array out = sum(left_shift(bits, bit_numbers(little)), {.axis = -1, .dtype = uint8});
  return moveaxis(out, -1, axis);
}

Array unpackbits(const Operand& a, const UnpackbitsOptions& options) {
  const UserLocation here(a.location());
  const bool little = is_little("unpackbits", options.bitorder);
  if (a.array().dtype() != ElementType::kU8)
    or_throw(invalid_argument(at_user_line("unpackbits") +
                              ": expected an input array of unsigned byte data type; got " +
                              a.array().aval_shape().to_string()));
  const Array x = options.axis ? a.array() : ravel(a);
  const int64_t axis = options.axis.value_or(0);
  const Array moved = moveaxis(x, axis, -1);
  const Array bits = bitwise_and(right_shift(expand_dims(moved, -1), bit_numbers(little)), astype(Array(1), uint8));
  Shape flat(moved.shape());
  flat.back() *= 8;
  Array out = reshape(bits, flat);
  const int64_t have = flat.back(), count = options.count.value_or(have);
  const int64_t requested = count < 0 ? have + count : count;
  if (requested <= have) {
    out = slice(out, 0, requested, 1, -1);
  } else {
    std::vector<std::vector<int64_t>> widths(flat.size(), {0, 0});
    widths.back() = {0, requested - have};
    out = pad(out, widths);
  }
  return moveaxis(out, -1, axis);
}

}  // namespace hilo::numpy
