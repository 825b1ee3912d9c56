// SPDX-License-Identifier: Apache-2.0
#include "hilo/random/random.h"

#include <cmath>
#include <limits>

#include "hilo/hlo/ops/extensions.h"
#include "hilo/lax/sorting.h"
#include "hilo/lax/special.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"
#include "hilo/trace/trace.h"

namespace hilo::random {
namespace {

using ElementType::kU32;

struct Words {
  Array high, low;
};

hilo::Shape words_shape(const numpy::Shape& dims) { return or_throw(hilo::Shape::make_array(kU32, dims)); }

Array rotate_left(const Array& x, int bits) {
  const Array left = ops::shift_left(x, ops::full_like(x, bits));
  return ops::bitwise_or(left, ops::shift_right_logical(x, ops::full_like(x, 32 - bits)));
}

/// Threefry-2x32 with 20 rounds. Source    Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC 2011)
Words threefry(const Words& key, Words x) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const Array parity = ops::full_like(key.high, 0x1BD11BDA);
  const Array schedule[3] = {key.high, key.low, ops::bitwise_xor(ops::bitwise_xor(key.high, key.low), parity)};
  const auto inject = [&](int round) {
    x.high = ops::add(x.high, schedule[round % 3]);
    x.low = ops::add(x.low, ops::add(schedule[(round + 1) % 3], ops::full_like(x.low, round)));
  };
  inject(0);
  for (int group = 0; group < 5; ++group) {
    for (int rotation : kRotations[group % 2]) {
      x.high = ops::add(x.high, x.low);
      x.low = ops::bitwise_xor(rotate_left(x.low, rotation), x.high);
    }
    inject(group + 1);
  }
  return x;
}

/// The key's two words, each spread over `shape`.
Words key_words(const Key& key, const hilo::Shape& shape) {
  const Array& data = key.data;
  if (data.dtype() != kU32 || data.ndim() != 1 || data.shape(0) != 2) {
    or_throw(invalid_argument(at_user_line("random") + ": a key is u32[2]; got " + data.aval_shape().to_string() +
                              (data.dtype() == kU32 && data.ndim() == 2 ? ". Hint: vmap takes a batch of keys" : "")));
  }
  const auto word = [&](int64_t i) {
    const Array one = ops::reshape(ops::slice(data, {{i, i + 1, 1}}), {});
    return shape.rank() == 0 ? one : ops::broadcast_in_dim(one, shape, {});
  };
  return {word(0), word(1)};
}

/// The position of every element as a 64-bit number in two words.
Words counters(const hilo::Shape& shape) {
  const int64_t n = shape.element_count();
  if (n > std::numeric_limits<uint32_t>::max()) {
    or_throw(
        unimplemented(at_user_line("random") + ": more than 2^32 - 1 elements from one key; got " + shape.to_string()));
  }
  const Array low = ops::reshape(ops::iota(hilo::Shape::array(kU32, {n}), 0), shape.dimensions());
  return {ops::full_like(low, 0), low};
}

Words random_words(const Key& key, const hilo::Shape& shape) {
  return threefry(key_words(key, shape), counters(shape));
}

/// Pairs (a[i], b[i]) along a new last axis.
Array paired(const Words& words) {
  const int64_t rank = words.high.ndim();
  std::vector<int64_t> dims(words.high.shape().begin(), words.high.shape().end());
  dims.push_back(1);
  const std::vector<Array> columns = {ops::reshape(words.high, dims), ops::reshape(words.low, dims)};
  return ops::concatenate(columns, rank);
}

/// unit * (high - low) + low, at least low. All have one shape and type. XLA:CPU fuses product and sum where the CPU can,
/// but rounds each in f16 and bf16.
Array stretched(const Array& unit, const Array& low, const Array& high) {
  const Array extent = ops::sub(high, low);
  const bool fuses = element_size_bytes(unit.dtype()) >= 4;
  const Array value = fuses ? bind_one(hlo::kExtFma, {unit, extent, low}) : ops::add(ops::mul(unit, extent), low);
  return ops::max(low, value);
}

/// Bits of one word for types up to 32 bits, of both for 64.
Array bits_of(const Key& key, const numpy::Shape& shape, ElementType type) {
  const Words words = random_words(key, words_shape(shape));
  if (type != ElementType::kU64) return ops::convert_element_type(ops::bitwise_xor(words.high, words.low), type);
  const Array high = ops::convert_element_type(words.high, type), low = ops::convert_element_type(words.low, type);
  return ops::bitwise_or(ops::shift_left(high, ops::full_like(high, 32)), low);
}

/// How uniform floats of a type are made: `random` bits, of which the upper `mantissa` ones count.
struct FloatFormat {
  ElementType random, word;  ///< drawn; and as wide as the float
  int mantissa;
};

/// Errors    INVALID_ARGUMENT
FloatFormat float_format(std::string_view function, ElementType type) {
  switch (type) {
    case ElementType::kBf16: return {ElementType::kU8, ElementType::kU16, 7};
    case ElementType::kF16: return {ElementType::kU16, ElementType::kU16, 10};
    case ElementType::kF32: return {kU32, kU32, 23};
    case ElementType::kF64: return {ElementType::kU64, ElementType::kU64, 52};
    default:
      or_throw(invalid_argument(at_user_line(function) + ": wanted f16, bf16, f32 or f64; got " +
                                std::string(element_type_name(type))));
      __builtin_unreachable();
  }
}

}  // namespace

Key key(int64_t seed, Line line) {
  const UserLocation here(line);
  // Without x64 JAX keeps a seed's low 32 bits only; the high word is 0.
  const uint32_t low = static_cast<uint32_t>(seed);
  const uint32_t high = canonical_type(ElementType::kS64) == ElementType::kS64
                            ? static_cast<uint32_t>(static_cast<uint64_t>(seed) >> 32)
                            : 0;
  return {Array::from_literal(Literal::array<uint32_t>({2}, {high, low}))};
}

Key split_batch(const Key& key, int64_t count, Line line) {
  const UserLocation here(line);
  return {paired(random_words(key, words_shape({count})))};
}

std::vector<Key> split(const Key& key, int64_t count, Line line) {
  const UserLocation here(line);
  const Array all = split_batch(key, count).data;
  std::vector<Key> keys;
  keys.reserve(static_cast<size_t>(count));
  if (!is_concrete(all)) {
    for (int64_t i = 0; i < count; ++i) keys.push_back({all[i]});
    return keys;
  }
  // A slice of its own for each place would be compiled for each.
  const Literal words = literal_of(all);
  for (int64_t i = 0; i < count; ++i) {
    const std::span<const uint32_t> word = words.data<uint32_t>().subspan(static_cast<size_t>(2 * i), 2);
    keys.push_back({Array::from_literal(Literal::array<uint32_t>({2}, {word[0], word[1]}))});
  }
  return keys;
}

Key fold_in(const Key& key, const Operand& data) {
  const UserLocation here(data.location());
  const Array low = ops::convert_element_type(data.array(), kU32);
  return {paired(threefry(key_words(key, low.aval_shape()), {ops::full_like(low, 0), low}))};
}

Array bits(const Key& key, const numpy::Shape& shape, numpy::Dtype dtype, Line line) {
  const UserLocation here(line);
  const ElementType type = numpy::type_or("bits", dtype, canonical_type(ElementType::kU64));
  using enum ElementType;
  if (type != kU8 && type != kU16 && type != kU32 && type != kU64)
    or_throw(invalid_argument(at_user_line("bits") + ": wanted u8, u16, u32 or u64; got " +
                              std::string(element_type_name(type))));
  return bits_of(key, shape, type);
}

Array uniform(const Key& key, const numpy::Shape& shape, const Operand& minval, const Operand& maxval, Line line) {
  return uniform(key, shape, default_float(), minval, maxval, line);
}

Array uniform(const Key& key, const numpy::Shape& shape, ElementType dtype, const Operand& minval,
              const Operand& maxval, Line line) {
  const UserLocation here(line);
  const ElementType type = requested_type("uniform", dtype);
  const FloatFormat format = float_format("uniform", type);
  // The upper bits as the mantissa of a float in [1, 2), whose other bits are those of 1.
  const Array random = ops::convert_element_type(bits_of(key, shape, format.random), format.word);
  const double unused = static_cast<double>(8 * element_size_bytes(format.random) - format.mantissa);
  const Array mantissa = ops::shift_right_logical(random, ops::full_like(random, unused));
  const Array one = ops::bitcast_convert(ops::scalar(1, type), format.word);
  const Array in_1_2 = ops::bitcast_convert(ops::bitwise_or(mantissa, numpy::spread_to(one, random.shape())), type);
  const Array unit = ops::sub(in_1_2, ops::full_like(in_1_2, 1));
  const auto spread = [&](const Array& bound) { return numpy::broadcast_to(numpy::astype(bound, type), shape); };
  return stretched(unit, spread(minval.array()), spread(maxval.array()));
}

Array normal(const Key& key, const numpy::Shape& shape, numpy::Dtype dtype, Line line) {
  const UserLocation here(line);
  const ElementType type = numpy::type_or("normal", dtype, default_float());
  // The least number above -1: half the distance from 1 to the next.
  const double above_minus_one = -1 + std::ldexp(1.0, -float_format("normal", type).mantissa - 1);
  const Array u = uniform(key, shape, type, above_minus_one, 1.0);
  return ops::mul(ops::full_like(u, std::sqrt(2.0)), lax::xla_erf_inv(u));
}

Array permutation(const Key& key, int64_t n, Line line) {
  const UserLocation here(line);
  return permutation(key, numpy::arange(n));
}

Array permutation(const Key& key, const Array& x, Line line) {
  const UserLocation here(line);
  if (x.ndim() == 0)
    or_throw(
        invalid_argument(at_user_line("permutation") + ": needs at least one axis; got " + x.aval_shape().to_string()));
  if (x.ndim() > 1) return numpy::take(x, permutation(key, x.shape(0)), 0, IndexMode::kPromiseInBounds);
  // Sorting by random keys once leaves too many ties in long arrays: JAX sorts again until ties are unlikely (n^3 < keys).
  const double n = static_cast<double>(std::max<int64_t>(1, x.size()));
  const int rounds = static_cast<int>(std::ceil(3 * std::log(n) / std::log(4294967295.0)));
  Key state = key;
  Array order = x;
  for (int round = 0; round < rounds; ++round) {
    const std::vector<Key> keys = split(state);
    state = keys[0];
    order = lax::sort_key_val(bits_of(keys[1], {x.size()}, kU32), order, 0).second;
  }
  return order;
}

}  // namespace hilo::random
