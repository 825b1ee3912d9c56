// SPDX-License-Identifier: Apache-2.0
// random/keys.h -- the state of a generator: typed keys, and raw ones, which are arrays of u32.
#pragma once

#include <concepts>
#include <tuple>
#include <utility>
#include <vector>

#include "hilo/numpy/dtypes.h"
#include "hilo/tree/tree.h"

namespace hilo::random {

using numpy::Line;

/// Which generator a key is for, by JAX's names. Both rbg ones draw XLA's bits (Philox) and differ in how they split.
enum class KeyImpl : uint8_t { threefry2x32, rbg, unsafe_rbg, threefry4x32, philox2x32, philox4x32 };

class KeyPlaces;

/// The state of a generator that never changes, or an array of such: use a key once, split it for more. Functions of
/// numpy:: that move elements move keys (random/key_arrays.h); samplers take one key, and vmap gives each call its own.
struct Key {
  Key() = default;
  /// A raw key is one of threefry's.
  Key(Array data, KeyImpl impl = KeyImpl::threefry2x32) : data(std::move(data)), impl(impl) {}  // raw keys convert

  /// Doesn't compile: a number is a seed, and no key.
  template <std::integral T>
  Key(T) {  // it converts, to be refused
    static_assert(kNever<T>, "a key comes first: random::key(0) makes one of a seed, split and fold_in more");
  }

  /// The shape of the array of keys: none of one key, {5} of what split(key, 5) gives.
  std::vector<int64_t> shape() const;
  int64_t shape(const Index& axis) const;
  int64_t ndim() const { return data.ndim() - 1; }
  int64_t size() const;
  /// Keys of an array of them, by whatever indexes an Array.
  Key operator[](const Indexer& index) const;
  Key operator()(const Indexer& i0, const Indexer& i1 = {}, const Indexer& i2 = {}, const Indexer& i3 = {}) const;
  KeyPlaces at(const Indexer& i0, const Indexer& i1 = {}, const Indexer& i2 = {}, const Indexer& i3 = {}) const;
  Key reshape(const numpy::Shape& shape, Line line = Line::current()) const;
  /// The keys along the first axis, one by one.
  /// Cost    outside of transformations some 0.2 us a key, and nothing to compile
  operator std::vector<Key>() const;  // they convert
  class Iterator;
  Iterator begin() const;
  Iterator end() const;

  Array data;  ///< u32[shape..., words]: 2 words of threefry2x32 and philox4x32, 1 of philox2x32, 4 of the others
  KeyImpl impl = KeyImpl::threefry2x32;
  HILO_TREE(data, impl)
};

/// Walks along the first axis.
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

/// What may be said beside the indices of keys.at(...), as numpy::IndexOptions.
struct KeyIndexOptions {
  bool indices_are_sorted = false;    ///< the caller's promise
  bool unique_indices = false;        ///< the caller's promise
  const char* mode = nullptr;         ///< a word of numpy::Mode
  bool wrap_negative_indices = true;  ///< else those of arrays are outside
};
/// Places of an array of keys: keys.at(0).set(key).
class KeyPlaces {
 public:
  KeyPlaces(Key keys, std::vector<Indexer> index) : keys_(std::move(keys)), index_(std::move(index)) {}
  /// Keys outside have words of all ones under the mode "fill".
  Key get(const KeyIndexOptions& options = {}) const;
  Key set(const Key& values, const KeyIndexOptions& options = {}) const;

 private:
  Key keys_;
  std::vector<Indexer> index_;
};

/// As many keys, typed or raw, as the type says, so that they can be taken apart; else an array of keys like any other.
/// Example    auto [use, next] = split(key);  std::tie(key, use) = split(key);  auto [a, b, c] = split<3>(key)
template <size_t N, typename K = Key>
struct SplitKeys : K {
  SplitKeys() = default;
  explicit SplitKeys(K keys) : K(std::move(keys)) {}
  template <size_t I>
  K get() const {
    return (*this)[I];
  }
  /// What std::tie assigns from; the keys live as long as this.
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

/// A parameter for keys alone: arrays, which may stand for raw keys elsewhere, don't convert.
class TypedKey {
 public:
  template <std::derived_from<Key> K>
  TypedKey(const K& key, Line line = Line::current()) : key_(key), location_(line) {}  // keys convert
  const Key& key() const { return key_; }
  const Line& location() const { return location_; }

 private:
  Key key_;
  Line location_;
};

struct KeyOptions {
  const char* impl = nullptr;   ///< "threefry2x32" by default, or another name of KeyImpl
  const char* dtype = nullptr;  ///< the same
};
/// The key of a seed, as jax.random.key.
/// Errors    INVALID_ARGUMENT for a generator's name that there isn't, or a seed that is no integer scalar
Key key(int64_t seed, const KeyOptions& options = {}, Line line = Line::current());
Key key(const Array& seed, const KeyOptions& options = {}, Line line = Line::current());
/// The same as a raw key.
Array PRNGKey(int64_t seed, const KeyOptions& options = {}, Line line = Line::current());
Array PRNGKey(const Array& seed, const KeyOptions& options = {}, Line line = Line::current());
/// The words of a key, and the key of these words.
/// Errors    INVALID_ARGUMENT unless there are as many words of u32 as the generator has
inline Array key_data(const Key& keys) { return keys.data; }
Key wrap_key_data(const Operand& key_bits_array, const KeyOptions& options = {});
/// The generator's name.
const char* key_impl(const Key& keys);
/// The same key, for who says that it may be used again: under debug_key_reuse it is another.
Key clone(const Key& key, Line line = Line::current());

/// Keys that are independent of each other and of `key`, as many as the shape `num` says, which is theirs.
/// Cost       one operation, whatever `num` is
/// Example    vmap([](random::Key k) { return random::normal(k, {3}); })(random::split(key, 4096))
Key split(const Key& key, const numpy::Shape& num, Line line = Line::current());
/// N of them, by default two, that can be taken apart: auto [a, b, c] = split<3>(key).
template <size_t N>
SplitKeys<N> split(const Key& key, Line line = Line::current()) {
  return SplitKeys<N>(split(key, static_cast<int64_t>(N), line));
}
inline SplitKeys<2> split(const Key& key, Line line = Line::current()) { return split<2>(key, line); }
/// Of a raw key, raw ones: u32[num..., 2].
Array split(const Array& key, const numpy::Shape& num, Line line = Line::current());
template <size_t N>
SplitKeys<N, Array> split(const Array& key, Line line = Line::current()) {
  return SplitKeys<N, Array>(split(key, static_cast<int64_t>(N), line));
}
inline SplitKeys<2, Array> split(const Array& key, Line line = Line::current()) { return split<2>(key, line); }
/// The key of `key` and a number; cheaper than splitting when the number counts steps. `data` is an integer scalar.
Key fold_in(const Key& key, const Operand& data);
Array fold_in(const Array& key, const Operand& data);

}  // namespace hilo::random

namespace hilo::lax {

/// select of keys: one key of two, or of a batch each its own.
random::Key select(const Operand& pred, const random::TypedKey& on_true, const random::TypedKey& on_false);

}  // namespace hilo::lax

// Structured bindings.
template <size_t N, typename K>
struct std::tuple_size<hilo::random::SplitKeys<N, K>> : std::integral_constant<size_t, N> {};
template <size_t I, size_t N, typename K>
struct std::tuple_element<I, hilo::random::SplitKeys<N, K>> {
  using type = K;
};
/// Doesn't compile: the members of a Key are not its keys.
template <std::same_as<hilo::random::Key> K>
struct std::tuple_size<K> {
  static_assert(hilo::kNever<K>,
                "how many keys split(key, n) gives isn't known here: write auto [a, b, c] = split<3>(key)");
  static constexpr size_t value = 0;
};
