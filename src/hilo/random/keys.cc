// SPDX-License-Identifier: Apache-2.0
#include "hilo/random/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "hilo/lax/elementwise.h"
#include "hilo/lax/random_bits.h"
#include "hilo/lax/shape.h"
#include "hilo/lax/slicing.h"
#include "hilo/numpy/indexing.h"
#include "hilo/random/generator.h"
#include "hilo/random/hashes.h"
#include "hilo/random/key_words.h"
#include "hilo/random/support.h"
#include "hilo/trace/key_reuse.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/custom_rules.h"

namespace hilo::random {
namespace {

using ElementType::kU32;

/// The properties of a generator; a table in the order of KeyImpl.
struct Generator {
  const char* name;
  int64_t words;         ///< words of a key
  size_t counter_words;  ///< words of the counter that it hashes
};
constexpr Generator kGenerators[] = {{"threefry2x32", 2, 2}, {"rbg", 4, 2},        {"unsafe_rbg", 4, 2},
                                     {"threefry4x32", 4, 4}, {"philox2x32", 1, 2}, {"philox4x32", 2, 4}};

const Generator& generator_of(KeyImpl impl) { return kGenerators[static_cast<size_t>(impl)]; }
bool draws_xla_bits(KeyImpl impl) { return impl == KeyImpl::rbg || impl == KeyImpl::unsafe_rbg; }

KeyImpl impl_of(const char* function, const KeyOptions& options) {
  if (options.impl != nullptr && options.dtype != nullptr)
    refuse(function, "got both impl and dtype; they mean the same");
  const char* const name = options.impl != nullptr ? options.impl : options.dtype;
  if (name == nullptr) return KeyImpl::threefry2x32;
  for (size_t i = 0; i < std::size(kGenerators); ++i) {
    if (std::string_view(name) == kGenerators[i].name) return static_cast<KeyImpl>(i);
  }
  refuse(function, fmt::format("got the generator '{}', wanted threefry2x32, threefry4x32, philox2x32, philox4x32, rbg "
                               "or unsafe_rbg",
                               name));
}

int64_t word_count(KeyImpl impl) { return generator_of(impl).words; }

hilo::Shape words_shape(const numpy::Shape& dims) { return or_throw(hilo::Shape::make_array(kU32, dims)); }

void check_one(const Key& key) {
  const Array& data = key.data;
  const int64_t words = word_count(key.impl);
  if (data.dtype() == kU32 && data.ndim() == 1 && data.shape(0) == words) return;
  const bool batch = data.dtype() == kU32 && data.ndim() > 1;
  refuse("random", fmt::format("a key is u32[{}]; got {}{}", words, data.aval_shape().to_string(),
                               batch ? ". Hint: vmap takes a batch of keys" : ""));
}

/// Returns `count` words of the key from `first` on, each broadcast to the shape of `like`.
Words key_words(const Array& data, int64_t first, int64_t count, const Array& like) {
  Words words;
  for (int64_t i = first; i < first + count; ++i) {
    const Array one = ops::reshape(ops::slice(data, {{i, i + 1, 1}}), {});
    words.push_back(like.ndim() == 0 ? one : ops::broadcast_in_dim(one, like.aval_shape(), {}));
  }
  return words;
}

/// Returns the position of each element as a 64-bit number in two words, the high word first.
Words counters(const hilo::Shape& shape) {
  const int64_t n = shape.element_count();
  if (n > std::numeric_limits<uint32_t>::max()) {
    or_throw(
        unimplemented(at_user_line("random") + ": more than 2^32 - 1 elements from one key; got " + shape.to_string()));
  }
  const Array low = ops::reshape(ops::iota(hilo::Shape::array(kU32, {n}), 0), shape.dimensions());
  return {ops::full_like(low, 0), low};
}

/// Stacks words along a new last axis.
Array joined(const Words& words) {
  const int64_t rank = words[0].ndim();
  std::vector<Array> columns;
  for (const Array& word : words) columns.push_back(lax::expand_dims(word, {rank}));
  return columns.size() == 1 ? columns[0] : ops::concatenate(columns, rank);
}

Words hash(KeyImpl impl, Words key, Words counter) {
  const bool is_philox = impl == KeyImpl::philox2x32 || impl == KeyImpl::philox4x32;
  return is_philox ? philox(std::move(key), std::move(counter)) : threefry(key, std::move(counter));
}

/// The position of a two-word number in a counter: the first words or the last ones.
enum class Place : uint8_t { kFirst, kLast };
Words counter_of(KeyImpl impl, const Words& number, Place place) {
  Words counter(generator_of(impl).counter_words, ops::full_like(number[0], 0));
  std::copy(number.begin(), number.end(), place == Place::kFirst ? counter.begin() : counter.end() - 2);
  return counter;
}

/// Derives a key from `key` and a number of two words, for split and fold_in. A key of rbg is two keys of threefry2x32.
Array hashed_key(const Key& key, const Words& number) {
  if (draws_xla_bits(key.impl)) {
    const auto half = [&](int64_t first) { return joined(threefry(key_words(key.data, first, 2, number[0]), number)); };
    const std::vector<Array> halves = {half(0), half(2)};
    return ops::concatenate(halves, halves[0].ndim() - 1);
  }
  const int64_t count = word_count(key.impl);
  Words words = hash(key.impl, key_words(key.data, 0, count, number[0]), counter_of(key.impl, number, Place::kLast));
  words.resize(count);
  return joined(words);
}

/// Returns the two words of a seed of at most 64 bits.
Words seed_words(const Array& seed) {
  const Array low = ops::convert_element_type(seed, kU32);
  if (element_type_info(seed.dtype()).bits <= 32) return {ops::full_like(low, 0), low};
  const Array bits = ops::convert_element_type(seed, ElementType::kU64);
  return {ops::convert_element_type(ops::shift_right_logical(bits, ops::full_like(bits, 32)), kU32), low};
}

/// Returns the key of a seed's two words: the words themselves, repeated for rbg, or their hash.
Key seeded(KeyImpl impl, const Words& seed) {
  if (impl == KeyImpl::threefry2x32) return {joined(seed), impl};
  if (draws_xla_bits(impl)) return {joined({seed[0], seed[1], seed[0], seed[1]}), impl};
  const Array zero = ops::full_like(seed[0], 0);
  const size_t count = word_count(impl);
  Words words = impl == KeyImpl::threefry4x32 ? hash(impl, {seed[0], seed[1], zero, zero}, Words(4, zero))
                                              : hash(impl, Words(count, zero), counter_of(impl, seed, Place::kFirst));
  words.resize(count);
  return {joined(words), impl};
}

/// Returns the key for use by a sampler, and marks it as used.
Key used(const Key& key, const char* what) {
  return follows_keys() ? Key(bind_identity(key.data, kUsedKey, what), key.impl) : key;
}

/// Returns the words as those of an unused key.
Key unused(const Array& data, KeyImpl impl) { return {follows_keys() ? bind_identity(data, kNewKey, "") : data, impl}; }

/// Splits for unsafe_rbg, which draws bits instead of hashing: takes every tenth row of 10 * count rows.
Array drawn_keys(const Array& data, int64_t count) {
  const Array rows = lax::rng_bit_generator(data, {10 * count, 4}).second;
  return ops::slice(rows, {{0, 10 * count, 10}, {0, 4, 1}});
}

}  // namespace

Array bits_of(const Key& unchecked, const numpy::Shape& shape, ElementType type) {
  check_one(unchecked);
  const Key key = used(unchecked, "random_bits");
  if (draws_xla_bits(key.impl)) return lax::rng_bit_generator(key.data, shape, {.dtype = type}).second;
  const Words position = counters(words_shape(shape));
  const Words words = hash(key.impl, key_words(key.data, 0, word_count(key.impl), position[0]),
                           counter_of(key.impl, position, Place::kFirst));
  if (type != ElementType::kU64) {
    Array all = words[0];
    for (size_t i = 1; i < words.size(); ++i) all = ops::bitwise_xor(all, words[i]);
    return ops::convert_element_type(all, type);
  }
  const bool folds = key.impl == KeyImpl::threefry4x32;
  const auto half = [&](size_t i) {
    return ops::convert_element_type(folds ? ops::bitwise_xor(words[i], words[i + 2]) : words[i], type);
  };
  const Array high = half(0);
  return ops::bitwise_or(ops::shift_left(high, ops::full_like(high, 32)), half(1));
}

Key key(int64_t seed, const KeyOptions& options, Line line) {
  const UserLocation here(line);
  // Without x64, JAX uses only the low 32 bits of a seed; the high word is 0.
  const uint32_t low = static_cast<uint32_t>(seed);
  const uint32_t high = canonical_type(ElementType::kS64) == ElementType::kS64
                            ? static_cast<uint32_t>(static_cast<uint64_t>(seed) >> 32)
                            : 0;
  const KeyImpl impl = impl_of("key", options);
  const auto words = [](std::vector<uint32_t> values) {
    return Array::from_values(std::span<const uint32_t>(values), std::vector{std::ssize(values)});
  };
  if (impl == KeyImpl::threefry2x32) return unused(words({high, low}), impl);
  if (draws_xla_bits(impl)) return unused(words({high, low, high, low}), impl);
  const auto word = [](uint32_t value) { return Array::from_literal(Literal::scalar<uint32_t>(value)); };
  return seeded(impl, {word(high), word(low)});
}

Key key(const Array& seed, const KeyOptions& options, Line line) {
  const UserLocation here(line);
  if (seed.ndim() != 0 || !is_integer(seed.dtype()))
    refuse("key", "a seed is an integer scalar; got " + seed.aval_shape().to_string() +
                      (seed.ndim() != 0 ? ". Hint: vmap takes a batch of seeds" : ""));
  return seeded(impl_of("key", options), seed_words(seed));
}

Array PRNGKey(int64_t seed, const KeyOptions& options, Line line) { return key(seed, options, line).data; }
Array PRNGKey(const Array& seed, const KeyOptions& options, Line line) { return key(seed, options, line).data; }

Key wrap_key_data(const Operand& key_bits_array, const KeyOptions& options) {
  const UserLocation here(key_bits_array.location());
  const Array& data = key_bits_array.array();
  const KeyImpl impl = impl_of("wrap_key_data", options);
  if (data.dtype() != kU32 || data.ndim() == 0 || data.shape(-1) != word_count(impl))
    refuse("wrap_key_data", fmt::format("wanted u32[..., {}] for {}; got {}", word_count(impl), generator_of(impl).name,
                                        data.aval_shape().to_string()));
  return unused(data, impl);
}

Key clone(const Key& key, Line line) {
  const UserLocation here(line);
  return unused(key.data, key.impl);
}

const char* key_impl(const Key& keys) { return generator_of(keys.impl).name; }

Key split(const Key& unchecked, const numpy::Shape& num, Line line) {
  const UserLocation here(line);
  check_one(unchecked);
  const Key key = used(unchecked, "random_split");
  const hilo::Shape shape = words_shape(num);
  if (key.impl != KeyImpl::unsafe_rbg) return {hashed_key(key, counters(shape)), key.impl};
  std::vector<int64_t> sizes(num);
  sizes.push_back(word_count(key.impl));
  return {ops::reshape(drawn_keys(key.data, shape.element_count()), sizes), key.impl};
}

Array split(const Array& key, const numpy::Shape& num, Line line) { return split(Key(key), num, line).data; }

Key fold_in(const Key& key, const Operand& data) {
  const UserLocation here(data.location());
  check_one(key);
  if (data.array().ndim() != 0) refuse("fold_in", "wanted a scalar; got " + data.array().aval_shape().to_string());
  const Array low = ops::convert_element_type(data.array(), kU32);
  const Words words = {ops::full_like(low, 0), low};
  if (key.impl != KeyImpl::unsafe_rbg) return {hashed_key(key, words), key.impl};
  const Array rows = lax::rng_bit_generator(seeded(key.impl, words).data, {10, 4}).second;
  return {ops::bitwise_xor(key.data, lax::index_in_dim(rows, 9, 0, false)), key.impl};
}

Array fold_in(const Array& key, const Operand& data) { return fold_in(Key(key), data).data; }

// ---- arrays of keys -------------------------------------------------------------------------------------------------
std::vector<int64_t> Key::shape() const {
  const std::span<const int64_t> all = data.shape();
  if (all.empty()) refuse("random", "a key stores its words along the last axis; got " + data.aval_shape().to_string());
  return {all.begin(), all.end() - 1};
}

int64_t Key::size() const {
  int64_t count = 1;
  for (int64_t extent : shape()) count *= extent;
  return count;
}

int64_t Key::shape(const Index& axis) const {
  const std::vector<int64_t> all = shape();
  const int64_t rank = all.size();
  const int64_t at = axis.value() < 0 ? axis.value() + rank : axis.value();
  if (at < 0 || at >= rank) {
    const UserLocation here(axis.location());
    refuse("shape", fmt::format("no axis {} of keys of {} dimensions", axis.value(), rank));
  }
  return all[at];
}

Key Key::operator[](const Indexer& index) const {
  // A slice with a static index would compile one program for each index.
  if (index.kind() != Indexer::Kind::kInteger || ndim() != 1 || !is_concrete(data) || follows_keys())
    return (*this)(index);
  const UserLocation here(index.location());
  const int64_t count = shape(0), at = index.integer() < 0 ? index.integer() + count : index.integer();
  if (at < 0 || at >= count)
    or_throw(out_of_range(at_user_line("getitem") + fmt::format(": no key {} of {}", index.integer(), count)));
  const size_t width = word_count(impl);
  const ArrayView<uint32_t> all = data.data<uint32_t>(index.location());
  return {
      Array::from_values(all.subspan(width * static_cast<size_t>(at), width), std::vector<int64_t>{word_count(impl)}),
      impl};
}

Key Key::operator()(const Indexer& i0, const Indexer& i1, const Indexer& i2, const Indexer& i3) const {
  const UserLocation here(i0.location());
  return of_words([&](const Array& x) { return x(i0, i1, i2, i3); }, *this);
}

KeyPlaces Key::at(const Indexer& i0, const Indexer& i1, const Indexer& i2, const Indexer& i3) const {
  return {*this, {i0, i1, i2, i3}};
}

namespace {
numpy::IndexOptions index_options(const KeyIndexOptions& o) {
  return {.indices_are_sorted = o.indices_are_sorted,
          .unique_indices = o.unique_indices,
          .mode = o.mode == nullptr ? numpy::Mode() : numpy::Mode(o.mode),
          .wrap_negative_indices = o.wrap_negative_indices};
}
}  // namespace

Key KeyPlaces::get(const KeyIndexOptions& options) const {
  const UserLocation here(index_[0].location());
  return of_words(
      [&](const Array& x) { return x.at(index_[0], index_[1], index_[2], index_[3]).get(index_options(options)); },
      keys_);
}

Key KeyPlaces::set(const Key& values, const KeyIndexOptions& options) const {
  const UserLocation here(index_[0].location());
  return of_words(
      [&](const Array& x, const Array& y) {
        return x.at(index_[0], index_[1], index_[2], index_[3]).set(y, index_options(options));
      },
      keys_, values);
}

Key Key::reshape(const numpy::Shape& shape, Line line) const {
  const UserLocation here(line);
  return of_words([&](const Array& x) { return x.reshape(shape); }, *this);
}

Key::operator std::vector<Key>() const {
  std::vector<Key> keys;
  const int64_t count = shape(0);
  keys.reserve(count);
  for (int64_t i = 0; i < count; ++i) keys.push_back((*this)[i]);
  return keys;
}

}  // namespace hilo::random

namespace hilo::lax {

random::Key select(const Operand& pred, const random::TypedKey& on_true, const random::TypedKey& on_false) {
  const UserLocation here(pred.location());
  const auto choose = [&](const Array& a, const Array& b) { return lax::select(pred, a, b); };
  return random::of_words(choose, on_true.key(), on_false.key());
}

}  // namespace hilo::lax
