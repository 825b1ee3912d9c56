// SPDX-License-Identifier: Apache-2.0
#include "hilo/random/sampling.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/lax/shape.h"
#include "hilo/lax/slicing.h"
#include "hilo/lax/sorting.h"
#include "hilo/lax/special.h"
#include "hilo/numpy/axes.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/random/generator.h"
#include "hilo/random/support.h"
#include "hilo/trace/ops.h"

namespace hilo::random {
namespace {

using ElementType::kU32;

/// Returns unit * (high - low) + low, and at least low. All arguments have one shape and type. XLA:CPU fuses the
/// product and the sum if the CPU has FMA, but rounds each in f16 and bf16.
Array stretched(const Array& unit, const Array& low, const Array& high) {
  const Array extent = ops::sub(high, low);
  const bool fuses = element_size_bytes(unit.dtype()) >= 4;
  const Array value = fuses ? bind_one(hlo::kExtFma, {unit, extent, low}) : ops::add(ops::mul(unit, extent), low);
  return ops::max(low, value);
}

/// The random bits of a float type: `random` is the type of the bits, of which the upper `mantissa` ones are used.
struct FloatFormat {
  ElementType random, word;  ///< type that is drawn; type as wide as the float
  int mantissa;
};

/// Errors    INVALID_ARGUMENT for a type that is not floating
FloatFormat float_format(const char* function, ElementType type) {
  switch (type) {
    case ElementType::kBf16: return {ElementType::kU8, ElementType::kU16, 7};
    case ElementType::kF16: return {ElementType::kU16, ElementType::kU16, 10};
    case ElementType::kF32: return {kU32, kU32, 23};
    case ElementType::kF64: return {ElementType::kU64, ElementType::kU64, 52};
    default: refuse(function, fmt::format("wanted f16, bf16, f32 or f64; got {}", element_type_name(type)));
  }
}

Array real_normal(const Key& key, const numpy::Shape& shape, ElementType type) {
  // The least number above -1: its distance is half of that from 1 to the next number.
  const double above_minus_one = -1 + std::ldexp(1.0, -float_format("normal", type).mantissa - 1);
  const Array u = uniform(key, shape, type, above_minus_one, 1.0);
  return ops::mul(ops::full_like(u, std::sqrt(2.0)), lax::xla_erf_inv(u));
}

/// Shuffles by sorting random keys. One sort leaves too many ties in long arrays: like JAX, sorts again until ties are
/// unlikely (n^3 < number of keys).
Array shuffled(Key state, Array x, int64_t axis) {
  const double n = static_cast<double>(std::max<int64_t>(1, x.size()));
  const int rounds = static_cast<int>(std::ceil(3 * std::log(n) / std::log(4294967295.0)));
  for (int round = 0; round < rounds; ++round) {
    const std::vector<Key> keys = split(state);
    state = keys[0];
    x = lax::sort_key_val(bits_of(keys[1], x.shape(), kU32), x, axis).second;
  }
  return x;
}

/// Limits x to the range of an integer type.
Array clipped(const Array& x, ElementType type) {
  const numpy::IntegerInfo to = numpy::iinfo(type), from = numpy::iinfo(x.dtype());
  const auto number = [&](auto value) {
    return ops::convert_element_type(
        Array::from_values(std::span<const decltype(value)>(&value, 1), std::vector<int64_t>{}), x.dtype());
  };
  const Array low = number(std::max(to.min, from.min)), high = number(std::min(to.max, from.max));
  return ops::convert_element_type(numpy::clip(x, low, high), type);
}

Array integers(const char* what, const Operand& x) {
  const Array& a = x.array();
  if (is_integer(a.dtype())) return a;
  if (is_floating(a.dtype()) || a.dtype() == ElementType::kPred) return ops::convert_element_type(a, default_integer());
  refuse("randint", fmt::format("{} must be an integer; got {}", what, a.aval_shape().to_string()));
}

ElementType unsigned_of(ElementType type) {
  return element_type_info(type).bits == 64 ? ElementType::kU64 : ElementType::kU32;
}

/// Returns low + a number below `span`, from two draws.
/// Source    the remainder of a double-width number, digit by digit
Array below(const Key& key, const numpy::Shape& shape, const Array& span) {
  const std::vector<Key> keys = split(key);
  const ElementType type = span.dtype();
  const Array high = bits_of(keys[0], shape, type), low = bits_of(keys[1], shape, type);
  const double half = std::ldexp(1.0, static_cast<int>(element_type_info(type).bits) / 2);
  const Array digit = ops::rem(ops::full_like(span, half), span);
  const Array base = ops::rem(ops::mul(digit, digit), span);
  return ops::rem(ops::add(ops::mul(ops::rem(high, span), base), ops::rem(low, span)), span);
}

/// Returns the indices of `count` draws from `n` slices, by their probabilities.
Array drawn_by_weight(const Key& key, const Array& p, const numpy::Shape& shape, bool replace, const char* mode) {
  if (!replace) {
    int64_t count = 1;
    for (int64_t extent : shape) count *= extent;
    const Array scores = gumbel(key, p.shape(), p.dtype(), mode) + numpy::log(p);
    return lax::top_k(scores, count).indices;
  }
  const Array sums = numpy::cumsum(p, 0);
  const Array r = sums[-1] * (1 - uniform(key, shape, sums.dtype()));
  return numpy::searchsorted(sums, r);
}

int64_t count_of(const Array& n) {
  if (!is_integer(n.dtype())) refuse("random", "wanted an integer or an array; got " + n.aval_shape().to_string());
  return n.item<int64_t>();
}

}  // namespace

Array bits(const Key& key, const numpy::Shape& shape, Dtype dtype, Line line) {
  const UserLocation here(line);
  const ElementType type = numpy::type_or("bits", dtype, canonical_type(ElementType::kU64));
  using enum ElementType;
  if (type != kU8 && type != kU16 && type != kU32 && type != kU64)
    refuse("bits", fmt::format("wanted u8, u16, u32 or u64; got {}", element_type_name(type)));
  return bits_of(key, shape, type);
}

Array uniform(const Key& key, const UniformOptions& options, Line line) {
  const UserLocation here(line);
  const ElementType type = numpy::type_or("uniform", options.dtype, default_float());
  const FloatFormat format = float_format("uniform", type);
  // The upper bits are the mantissa of a float in [1, 2); the other bits are those of 1.
  const Array random = ops::convert_element_type(bits_of(key, options.shape, format.random), format.word);
  const double unused = static_cast<double>(8 * element_size_bytes(format.random) - format.mantissa);
  const Array mantissa = ops::shift_right_logical(random, ops::full_like(random, unused));
  const Array one = ops::bitcast_convert(ops::scalar(1, type), format.word);
  const Array in_1_2 = ops::bitcast_convert(ops::bitwise_or(mantissa, numpy::spread_to(one, random.shape())), type);
  const Array unit = ops::sub(in_1_2, ops::full_like(in_1_2, 1));
  const auto spread = [&](const Array& bound) {
    return numpy::broadcast_to(numpy::astype(bound, type), options.shape);
  };
  return stretched(unit, spread(options.minval), spread(options.maxval));
}

Array normal(const Key& key, const numpy::Shape& shape, Dtype dtype, Line line) {
  const UserLocation here(line);
  const ElementType type = numpy::type_or("normal", dtype, default_float());
  if (!is_complex(type)) return real_normal(key, shape, type);
  const ElementType part = type == ElementType::kC128 ? ElementType::kF64 : ElementType::kF32;
  const std::vector<Key> keys = split(key);
  const Array z = ops::complex(real_normal(keys[0], shape, part), real_normal(keys[1], shape, part));
  return ops::div(z, ops::full_like(z, std::sqrt(2.0)));
}

Array rademacher(const Key& key, const numpy::Shape& shape, Dtype dtype, Line line) {
  const UserLocation here(line);
  const ElementType type = numpy::type_or("rademacher", dtype, default_integer());
  const Array sign = ops::convert_element_type(bernoulli(key, 0.5, shape), default_integer());
  return ops::convert_element_type(2 * sign - 1, type);
}

Array randint(const Key& key, const numpy::Shape& shape, const Operand& minval, const Operand& maxval, Dtype dtype) {
  const UserLocation here(minval.location());
  const ElementType type = numpy::type_or("randint", dtype, default_integer());
  if (!is_integer(type)) refuse("randint", fmt::format("wanted an integer type; got {}", element_type_name(type)));
  Array low = integers("minval", minval), high = integers("maxval", maxval);
  const bool narrow = element_type_info(type).bits < 32;
  const ElementType drawn = narrow ? ElementType::kS32 : type;
  if (narrow) {
    const numpy::IntegerInfo info = numpy::iinfo(type);
    const auto limited = [&](const Array& x, int64_t more) {
      return numpy::clip(ops::convert_element_type(x, drawn), info.min, static_cast<int64_t>(info.max) + more);
    };
    low = limited(low, 0);
    high = limited(high, 1);
  }
  const uint64_t greatest = numpy::iinfo(drawn).max;
  const Array limit =
      clipped(ops::convert_element_type(
                  Array::from_values(std::span<const uint64_t>(&greatest, 1), std::vector<int64_t>{}), drawn),
              high.dtype());
  const Array beyond = high > limit;
  low = clipped(low, drawn);
  high = clipped(high, drawn);
  Array span = ops::convert_element_type(high - low, unsigned_of(drawn));
  span = numpy::where(high <= low, numpy::ones_like(span), span);
  span = numpy::where(numpy::logical_and(beyond, high > low), span + numpy::ones_like(span), span);
  const Array offset = below(key, shape, numpy::broadcast_to(span, shape));
  const Array value = numpy::broadcast_to(low, shape) + ops::convert_element_type(offset, drawn);
  return ops::convert_element_type(value, type);
}

Array permutation(const Key& key, int64_t n, const PermutationOptions& options, Line line) {
  const UserLocation here(line);
  return permutation(key, numpy::arange(n), options, line);
}

Array permutation(const Key& key, const Array& x, const PermutationOptions& options, Line line) {
  const UserLocation here(line);
  if (x.ndim() == 0) return shuffled(key, numpy::arange(count_of(x)), 0);
  const int64_t axis = numpy::normal_axis(x, options.axis);
  if (options.independent || x.ndim() == 1) return shuffled(key, x, axis);
  return numpy::take(x, shuffled(key, numpy::arange(x.shape(axis)), 0), axis, IndexMode::kPromiseInBounds);
}

Array choice(const Key& key, const Array& a, const ChoiceOptions& options, Line line) {
  const UserLocation here(line);
  const bool number = a.ndim() == 0;
  const int64_t axis = number ? 0 : numpy::normal_axis(a, options.axis), n = number ? count_of(a) : a.shape(axis);
  int64_t draws = 1;
  for (int64_t extent : options.shape) draws *= extent;
  if (draws == 0) return numpy::zeros(options.shape, a.dtype());
  if (n <= 0) refuse("choice", "there is nothing to choose from");
  if (!options.replace && draws > n)
    refuse("choice", fmt::format("can't choose {} of {} without replacement", draws, n));
  std::vector<int64_t> shape(a.shape().begin(), a.shape().begin() + axis);
  shape.insert(shape.end(), options.shape.begin(), options.shape.end());
  if (!number) shape.insert(shape.end(), a.shape().begin() + axis + 1, a.shape().end());
  if (!options.p && !options.replace) {
    const Array order = number ? permutation(key, n) : permutation(key, a, axis);
    return numpy::reshape(lax::slice_in_dim(order, 0, draws, {.axis = axis}), shape);
  }
  if (options.p && (options.p->ndim() != 1 || options.p->shape(0) != n))
    refuse("choice",
           fmt::format("p must be a vector of {} probabilities; got {}", n, options.p->aval_shape().to_string()));
  const Array index =
      options.p ? drawn_by_weight(key, numpy::promote_inexact(*options.p), options.shape, options.replace, options.mode)
                : randint(key, options.shape, 0, n);
  const Array flat = ops::convert_element_type(index, default_integer());
  return numpy::reshape(number ? flat : numpy::take(a, flat, axis), shape);
}

Array bernoulli(const Key& key, const Operand& p, const BernoulliOptions& options) {
  const UserLocation here(p.location());
  const Array& chance = p.array();
  if (!is_floating(chance.dtype())) refuse("bernoulli", "p must be a float; got " + chance.aval_shape().to_string());
  const std::string_view mode = options.mode;
  if (mode != "low" && mode != "high") refuse("bernoulli", fmt::format("got mode '{}', wanted low or high", mode));
  const numpy::Shape shape = shape_or("bernoulli", options.shape, {&chance});
  const Array spread = numpy::broadcast_to(ops::convert_element_type(chance, chance.dtype()), shape);
  if (mode == "low") return ops::lt(uniform(key, shape, chance.dtype()), spread);
  numpy::Shape two = shape;
  two.insert(two.begin(), 2);
  const Array u = uniform(key, two, chance.dtype());
  const double step = std::ldexp(1.0, -float_format("bernoulli", chance.dtype()).mantissa);
  return u[1] * step < spread - u[0];
}

Array gumbel(const Key& key, const GumbelOptions& options, Line line) {
  const UserLocation here(line);
  const ElementType type = float_type("gumbel", options.dtype);
  const numpy::FloatInfo info = numpy::finfo(type);
  const std::string_view mode = options.mode;
  if (mode == "low") {
    const Array u = uniform(key, options.shape, type, info.tiny, 1.0);
    return ops::neg(ops::log(ops::neg(ops::log(u))));
  }
  if (mode == "highest") or_throw(unimplemented(at_user_line("gumbel") + ": mode highest. Hint: use high"));
  if (mode != "high") refuse("gumbel", fmt::format("got mode '{}', wanted low or high", mode));
  numpy::Shape two = options.shape;
  two.insert(two.begin(), 2);
  const Array u = uniform(key, two, type);
  const Array x = numpy::where(u[0] >= 0.5, u[0], u[0] + std::ldexp(1.0, -info.nmant) * u[1] + info.tiny);
  return -numpy::log(-numpy::log1p(-x));
}

Array categorical(const Key& key, const Operand& logits, const CategoricalOptions& options) {
  const UserLocation here(logits.location());
  const Array& scores = logits.array();
  const int64_t axis = numpy::normal_axis(scores, options.axis);
  const numpy::Shape batch = ops::without_dimensions(scores.shape(), std::vector<int64_t>{axis});
  const numpy::Shape shape = options.shape ? *options.shape : batch;
  const bool fits = shape.size() >= batch.size() && std::equal(batch.rbegin(), batch.rend(), shape.rbegin());
  if (!fits)
    refuse("categorical", fmt::format("shape must end in that of the logits without axis {}, [{}]; got [{}]", axis,
                                      fmt::join(batch, ","), fmt::join(shape, ",")));
  const numpy::Shape prefix(shape.begin(), shape.end() - std::ssize(batch));
  if (options.replace) {
    numpy::Shape all = prefix;
    all.insert(all.end(), scores.shape().begin(), scores.shape().end());
    const Array noise = gumbel(key, all, scores.dtype(), options.mode);
    return numpy::argmax(noise + scores, axis + std::ssize(prefix));
  }
  int64_t draws = 1;
  for (int64_t extent : prefix) draws *= extent;
  if (draws > scores.shape(axis))
    refuse("categorical", fmt::format("can't draw {} of {} categories without replacement", draws, scores.shape(axis)));
  const Array noisy = scores + gumbel(key, scores.shape(), scores.dtype(), options.mode);
  const Array index = lax::top_k(numpy::moveaxis(noisy, axis, -1), draws).indices;
  return numpy::reshape(numpy::moveaxis(index, -1, 0), shape);
}

Array randint(const Key& key, const numpy::Shape& shape, const RandintOptions& options) {
  return randint(key, shape, options.minval, options.maxval, options.dtype);
}

Array randint(const Key& key, const RandintByName& o) { return randint(key, o.shape, o.minval, o.maxval, o.dtype); }

Array choice(const Key& key, const Array& a, const numpy::Shape& shape, ChoiceOptions options, Line line) {
  options.shape = shape;
  return choice(key, a, options, line);
}

Array bernoulli(const Key& key, const BernoulliByName& o) {
  return bernoulli(key, o.p, BernoulliOptions{.shape = o.shape, .mode = o.mode});
}

}  // namespace hilo::random
