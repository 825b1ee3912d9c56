// SPDX-License-Identifier: Apache-2.0
// random/keys.h -- the state of a random number generator: typed keys, and raw keys, which are arrays of u32.
#pragma once

#include <concepts>
#include <tuple>
#include <utility>
#include <vector>

#include "hilo/numpy/dtypes.h"
#include "hilo/tree/tree.h"

namespace hilo::random {

using numpy::Line;

/// The generator of a key, by JAX's names. Both rbg generators use XLA's bits (Philox); they differ in how keys are
/// split.
enum class KeyImpl : uint8_t { threefry2x32, rbg, unsafe_rbg, threefry4x32, philox2x32, philox4x32 };

class KeyPlaces;

/// The immutable state of a random number generator, or an array of such states. Use a key once; split it to get more.
/// numpy's functions that move elements accept keys (random/key_arrays.h). Samplers take one key; use vmap for a key
/// for each call.
struct Key {
  Key() = default;
  /// Converts a raw key, which belongs to a threefry generator by default.
  // implicit: raw keys convert
  Key(Array data, KeyImpl impl = KeyImpl::threefry2x32) : data(std::move(data)), impl(impl) {}

  /// Fails to compile with a readable message: a number is a seed, not a key.
  template <std::integral T>
  Key(T) {  // implicit, so that the static_assert explains it
    static_assert(kNever<T>,
                  "the first argument is a key: random::key(0) creates one from a seed, split and fold_in derive more");
  }

  /// Returns the shape of the array of keys: {} for one key, {5} for split(key, 5).
  std::vector<int64_t> shape() const;
  int64_t shape(const Index& axis) const;
  int64_t ndim() const { return data.ndim() - 1; }
  int64_t size() const;
  /// Selects keys of an array, with any index that an Array accepts.
  Key operator[](const Indexer& index) const;
  Key operator()(const Indexer& i0, const Indexer& i1 = {}, const Indexer& i2 = {}, const Indexer& i3 = {}) const;
  KeyPlaces at(const Indexer& i0, const Indexer& i1 = {}, const Indexer& i2 = {}, const Indexer& i3 = {}) const;
  Key reshape(const numpy::Shape& shape, Line line = Line::current()) const;
  /// Converts to a list of the keys along the first axis.
  /// Cost    about 0.2 us for each key outside of transformations; nothing is compiled
  operator std::vector<Key>() const;  // implicit
  class Iterator;
  Iterator begin() const;
  Iterator end() const;

  Array data;  ///< u32[shape..., words]: 2 words for threefry2x32 and philox4x32, 1 for philox2x32, 4 for the others
  KeyImpl impl = KeyImpl::threefry2x32;
  HILO_TREE(data, impl)
};

/// Iterates over the keys along the first axis.
class Key::Iterator {
 public:
  Iterator(const Key& keys, int64_t at) : keys_(&keys), at_(at) {}
  Key operator*() const { return (*keys_)[at_]; }
  Iterator& operator++() {
    ++at_;
    return *this;
  }
  bool operator==(const Iterator& other) const { return at_ == other.at_; }

 private:
  const Key* keys_;
  int64_t at_;
};
inline Key::Iterator Key::begin() const { return {*this, 0}; }
inline Key::Iterator Key::end() const { return {*this, shape(0)}; }

/// Options of keys.at(...), as numpy::IndexOptions.
struct KeyIndexOptions {
  bool indices_are_sorted = false;    ///< promise that the indices are sorted
  bool unique_indices = false;        ///< promise that no index occurs twice
  const char* mode = nullptr;         ///< name of a numpy::Mode
  bool wrap_negative_indices = true;  ///< if false, negative indices in arrays are out of bounds
};
/// Selected keys of an array, for functional updates: keys.at(0).set(key).
class KeyPlaces {
 public:
  KeyPlaces(Key keys, std::vector<Indexer> index) : keys_(std::move(keys)), index_(std::move(index)) {}
  /// Returns the selected keys. With mode "fill", a key out of bounds has all bits set.
  Key get(const KeyIndexOptions& options = {}) const;
  Key set(const Key& values, const KeyIndexOptions& options = {}) const;

 private:
  Key keys_;
  std::vector<Indexer> index_;
};

/// N keys, typed or raw, that can be unpacked; otherwise an ordinary array of keys.
/// Example    auto [use, next] = split(key);  std::tie(key, use) = split(key);  auto [a, b, c] = split<3>(key)
template <size_t N, typename K = Key>
struct SplitKeys : K {
  SplitKeys() = default;
  explicit SplitKeys(K keys) : K(std::move(keys)) {}
  template <size_t I>
  K get() const {
    return (*this)[I];
  }
  /// Converts to a tuple of references, for std::tie. The keys live as long as this object.
  template <typename... Keys>
    requires(sizeof...(Keys) == N && (std::same_as<Keys, K&> && ...))
  operator std::tuple<Keys...>() && {
    return [this]<size_t... I>(std::index_sequence<I...>) {
      parts_ = {get<I>()...};
      return std::tuple<Keys...>(parts_[I]...);
    }(std::make_index_sequence<N>());
  }

 private:
  std::vector<K> parts_;
};

/// A parameter that accepts only keys. Arrays, which convert to raw keys elsewhere, do not convert.
class TypedKey {
 public:
  template <std::derived_from<Key> K>
  TypedKey(const K& key, Line line = Line::current()) : key_(key), location_(line) {}  // implicit: keys convert
  const Key& key() const { return key_; }
  const Line& location() const { return location_; }

 private:
  Key key_;
  Line location_;
};

struct KeyOptions {
  const char* impl = nullptr;   ///< name of a KeyImpl; default "threefry2x32"
  const char* dtype = nullptr;  ///< same as impl
};
/// Creates a key from a seed; the same as jax.random.key.
/// Errors    INVALID_ARGUMENT for an unknown generator, or a seed that is not an integer scalar
/// Example    key_data(key(42))  // [ 0 42]
Key key(int64_t seed, const KeyOptions& options = {}, Line line = Line::current());
Key key(const Array& seed, const KeyOptions& options = {}, Line line = Line::current());
/// Creates a raw key from a seed: an array of u32.
/// Example    PRNGKey(42)  // [ 0 42]
Array PRNGKey(int64_t seed, const KeyOptions& options = {}, Line line = Line::current());
Array PRNGKey(const Array& seed, const KeyOptions& options = {}, Line line = Line::current());
/// Returns the words of a key.
inline Array key_data(const Key& keys) { return keys.data; }
/// Creates a key from its words.
/// Errors    INVALID_ARGUMENT unless they are u32, in the number that the generator has
Key wrap_key_data(const Operand& key_bits_array, const KeyOptions& options = {});
/// Returns the name of the generator.
const char* key_impl(const Key& keys);
/// Returns the same key, marked as unused: under debug_key_reuse, the copy may be used again.
Key clone(const Key& key, Line line = Line::current());

/// Splits a key into independent keys: an array of keys of shape `num`. Don't use `key` afterwards.
/// Cost       one operation, whatever `num` is
/// Example    key_data(split(key(0), 2))  // [[1797259609 2579123966] [ 928981903 3453687069]]
///            vmap([](Key k) { return normal(k, {3}); })(split(key(0), 4)).shape()  // (4, 3)
Key split(const Key& key, const numpy::Shape& num, Line line = Line::current());
/// Splits a key into N keys (default 2) that can be unpacked: auto [a, b, c] = split<3>(key).
template <size_t N>
SplitKeys<N> split(const Key& key, Line line = Line::current()) {
  return SplitKeys<N>(split(key, static_cast<int64_t>(N), line));
}
inline SplitKeys<2> split(const Key& key, Line line = Line::current()) { return split<2>(key, line); }
/// Splits a raw key into raw keys.
/// Shapes    u32[num..., 2]
Array split(const Array& key, const numpy::Shape& num, Line line = Line::current());
template <size_t N>
SplitKeys<N, Array> split(const Array& key, Line line = Line::current()) {
  return SplitKeys<N, Array>(split(key, static_cast<int64_t>(N), line));
}
inline SplitKeys<2, Array> split(const Array& key, Line line = Line::current()) { return split<2>(key, line); }
/// Derives a key from `key` and an integer scalar, for example the number of a step. Cheaper than split.
/// Example    key_data(fold_in(key(0), 3))  // [2467461003 3840466878]
Key fold_in(const Key& key, const Operand& data);
Array fold_in(const Array& key, const Operand& data);

}  // namespace hilo::random

namespace hilo::lax {

/// Selects keys: one of two keys, or a key for each element of a batch.
random::Key select(const Operand& pred, const random::TypedKey& on_true, const random::TypedKey& on_false);

}  // namespace hilo::lax

// Structured bindings.
template <size_t N, typename K>
struct std::tuple_size<hilo::random::SplitKeys<N, K>> : std::integral_constant<size_t, N> {};
template <size_t I, size_t N, typename K>
struct std::tuple_element<I, hilo::random::SplitKeys<N, K>> {
  using type = K;
};
/// Fails to compile with a readable message: the members of a Key are not its keys.
template <std::same_as<hilo::random::Key> K>
struct std::tuple_size<K> {
  static_assert(
      hilo::kNever<K>,
      "the number of keys of split(key, n) is not known at compile time: write auto [a, b, c] = split<3>(key)");
  static constexpr size_t value = 0;
};
