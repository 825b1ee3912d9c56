// SPDX-License-Identifier: Apache-2.0
#include "hilo/random/keys.h"

#include <fmt/format.h>

#include <limits>

#include "hilo/lax/random_bits.h"
#include "hilo/lax/shape.h"
#include "hilo/lax/slicing.h"
#include "hilo/random/generator.h"
#include "hilo/random/support.h"
#include "hilo/trace/ops.h"

namespace hilo::random {
namespace {

using ElementType::kU32;

struct Words {
  Array high, low;
};

constexpr const char* kNames[] = {"threefry2x32", "rbg", "unsafe_rbg"};

KeyImpl impl_of(const char* function, const KeyOptions& options) {
  if (options.impl != nullptr && options.dtype != nullptr)
    refuse(function, "got both impl and dtype; they mean the same");
  const char* const name = options.impl != nullptr ? options.impl : options.dtype;
  if (name == nullptr) return KeyImpl::threefry2x32;
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (std::string_view(name) == kNames[i]) return static_cast<KeyImpl>(i);
  }
  refuse(function, fmt::format("got the generator '{}', wanted threefry2x32, rbg or unsafe_rbg", name));
}

int64_t word_count(KeyImpl impl) { return impl == KeyImpl::threefry2x32 ? 2 : 4; }

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

void check_one(const Key& key) {
  const Array& data = key.data;
  const int64_t words = word_count(key.impl);
  if (data.dtype() == kU32 && data.ndim() == 1 && data.shape(0) == words) return;
  const bool batch = data.dtype() == kU32 && data.ndim() > 1;
  refuse("random", fmt::format("a key is u32[{}]; got {}{}", words, data.aval_shape().to_string(),
                               batch ? ". Hint: vmap takes a batch of keys" : ""));
}

/// Two of a key's words, from `first` on, each spread over `shape`.
Words key_words(const Array& data, int64_t first, const hilo::Shape& shape) {
  const auto word = [&](int64_t i) {
    const Array one = ops::reshape(ops::slice(data, {{i, i + 1, 1}}), {});
    return shape.rank() == 0 ? one : ops::broadcast_in_dim(one, shape, {});
  };
  return {word(first), word(first + 1)};
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

/// Threefry's words by two of a key's words.
Words random_words(const Array& data, int64_t first, const hilo::Shape& shape) {
  return threefry(key_words(data, first, shape), counters(shape));
}

/// Pairs (a[i], b[i]) along a new last axis.
Array paired(const Words& words) {
  const int64_t rank = words.high.ndim();
  const std::vector<Array> columns = {lax::expand_dims(words.high, {rank}), lax::expand_dims(words.low, {rank})};
  return ops::concatenate(columns, rank);
}

/// f of each pair of a key's words, results joined along the last axis: how the rbg generators use threefry.
template <typename F>
Array of_pairs(const Key& key, F f) {
  std::vector<Array> parts;
  for (int64_t first = 0; first < word_count(key.impl); first += 2) parts.push_back(f(first));
  return parts.size() == 1 ? parts[0] : ops::concatenate(parts, parts[0].ndim() - 1);
}

/// The words of a seed of at most 64 bits.
Words seed_words(const Array& seed) {
  const Array low = ops::convert_element_type(seed, kU32);
  if (element_type_info(seed.dtype()).bits <= 32) return {ops::full_like(low, 0), low};
  const Array bits = ops::convert_element_type(seed, ElementType::kU64);
  return {ops::convert_element_type(ops::shift_right_logical(bits, ops::full_like(bits, 32)), kU32), low};
}

/// The key of a seed's two words.
Key seeded(KeyImpl impl, const Array& words) {
  if (impl == KeyImpl::threefry2x32) return {words, impl};
  const std::vector<Array> twice = {words, words};
  return {ops::concatenate(twice, 0), impl};
}

/// unsafe_rbg draws what others hash: every tenth row of so many.
Array drawn_keys(const Array& data, int64_t count) {
  const Array rows = lax::rng_bit_generator(data, {10 * count, 4}).second;
  return ops::slice(rows, {{0, 10 * count, 10}, {0, 4, 1}});
}

}  // namespace

Array bits_of(const Key& key, const numpy::Shape& shape, ElementType type) {
  check_one(key);
  if (key.impl != KeyImpl::threefry2x32) return lax::rng_bit_generator(key.data, shape, {.dtype = type}).second;
  const Words words = random_words(key.data, 0, words_shape(shape));
  if (type != ElementType::kU64) return ops::convert_element_type(ops::bitwise_xor(words.high, words.low), type);
  const Array high = ops::convert_element_type(words.high, type), low = ops::convert_element_type(words.low, type);
  return ops::bitwise_or(ops::shift_left(high, ops::full_like(high, 32)), low);
}

Key key(int64_t seed, const KeyOptions& options, Line line) {
  const UserLocation here(line);
  // Without x64 JAX keeps a seed's low 32 bits only; the high word is 0.
  const uint32_t low = static_cast<uint32_t>(seed);
  const uint32_t high = canonical_type(ElementType::kS64) == ElementType::kS64
                            ? static_cast<uint32_t>(static_cast<uint64_t>(seed) >> 32)
                            : 0;
  return seeded(impl_of("key", options), Array::from_literal(Literal::array<uint32_t>({2}, {high, low})));
}

Key key(const Array& seed, const KeyOptions& options, Line line) {
  const UserLocation here(line);
  if (seed.ndim() != 0 || !is_integer(seed.dtype()))
    refuse("key", "a seed is an integer scalar; got " + seed.aval_shape().to_string() +
                      (seed.ndim() != 0 ? ". Hint: vmap takes a batch of seeds" : ""));
  return seeded(impl_of("key", options), paired(seed_words(seed)));
}

Array PRNGKey(int64_t seed, const KeyOptions& options, Line line) { return key(seed, options, line).data; }
Array PRNGKey(const Array& seed, const KeyOptions& options, Line line) { return key(seed, options, line).data; }

Key wrap_key_data(const Operand& key_bits_array, const KeyOptions& options) {
  const UserLocation here(key_bits_array.location());
  const Array& data = key_bits_array.array();
  const KeyImpl impl = impl_of("wrap_key_data", options);
  if (data.dtype() != kU32 || data.ndim() == 0 || data.shape(-1) != word_count(impl))
    refuse("wrap_key_data", fmt::format("wanted u32[..., {}] for {}; got {}", word_count(impl),
                                        kNames[static_cast<size_t>(impl)], data.aval_shape().to_string()));
  return {data, impl};
}

const char* key_impl(const Key& keys) { return kNames[static_cast<size_t>(keys.impl)]; }

Key split_batch(const Key& key, const numpy::Shape& num, Line line) {
  const UserLocation here(line);
  check_one(key);
  const hilo::Shape shape = words_shape(num);
  if (key.impl == KeyImpl::unsafe_rbg) {
    std::vector<int64_t> sizes(num);
    sizes.push_back(4);
    return {ops::reshape(drawn_keys(key.data, shape.element_count()), sizes), key.impl};
  }
  return {of_pairs(key, [&](int64_t first) { return paired(random_words(key.data, first, shape)); }), key.impl};
}

Array split(const Array& key, const numpy::Shape& num, Line line) { return split_batch(Key(key), num, line).data; }

std::vector<Key> split(const Key& key, int64_t count, Line line) {
  const UserLocation here(line);
  const Array all = split_batch(key, count).data;
  std::vector<Key> keys;
  keys.reserve(static_cast<size_t>(count));
  if (!is_concrete(all)) {
    for (int64_t i = 0; i < count; ++i) keys.emplace_back(lax::index_in_dim(all, i, 0, false), key.impl);
    return keys;
  }
  // A slice of its own for each place would be compiled for each.
  const Literal words = literal_of(all);
  const auto width = static_cast<size_t>(word_count(key.impl));
  for (int64_t i = 0; i < count; ++i) {
    const std::span<const uint32_t> word = words.data<uint32_t>().subspan(width * static_cast<size_t>(i), width);
    keys.emplace_back(Array::from_values(word, std::vector<int64_t>{word_count(key.impl)}), key.impl);
  }
  return keys;
}

Key fold_in(const Key& key, const Operand& data) {
  const UserLocation here(data.location());
  check_one(key);
  if (data.array().ndim() != 0) refuse("fold_in", "wanted a scalar; got " + data.array().aval_shape().to_string());
  const Array low = ops::convert_element_type(data.array(), kU32);
  const Words words = {ops::full_like(low, 0), low};
  if (key.impl == KeyImpl::unsafe_rbg) {
    const Array rows = lax::rng_bit_generator(seeded(key.impl, paired(words)).data, {10, 4}).second;
    return {ops::bitwise_xor(key.data, lax::index_in_dim(rows, 9, 0, false)), key.impl};
  }
  return {
      of_pairs(key,
               [&](int64_t first) { return paired(threefry(key_words(key.data, first, low.aval_shape()), words)); }),
      key.impl};
}

Array fold_in(const Array& key, const Operand& data) { return fold_in(Key(key), data).data; }

}  // namespace hilo::random

namespace hilo::lax {

random::Key select(const Operand& pred, const random::Key& on_true, const random::Key& on_false) {
  const UserLocation here(pred.location());
  if (on_true.impl != on_false.impl) hilo::refuse("select", "got keys of two generators");
  const Array& which = pred.array();
  const Array words = which.ndim() == 0 ? which : expand_dims(which, {which.ndim()});
  if (which.ndim() == 0) return {ops::select(words, on_true.data, on_false.data), on_true.impl};
  return {ops::select(broadcast_in_dim(words, on_true.data.shape(), ops::all_dimensions(words.ndim())), on_true.data,
                      on_false.data),
          on_true.impl};
}

}  // namespace hilo::lax
