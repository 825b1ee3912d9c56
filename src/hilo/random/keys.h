// SPDX-License-Identifier: Apache-2.0
// random/keys.h -- the state of a generator: typed keys, and raw ones, which are arrays of u32.
#pragma once

#include <vector>

#include "hilo/numpy/dtypes.h"
#include "hilo/tree/tree.h"

namespace hilo::random {

using numpy::Line;

/// Which generator a key is for, by JAX's names. Both rbg ones draw XLA's bits (Philox) and differ in how they split.
enum class KeyImpl : uint8_t { threefry2x32, rbg, unsafe_rbg };

/// The state of a generator that never changes: use a key once, split it for more. One that holds a batch of keys is for
/// vmap, which gives each call a key of its own.
struct Key {
  Key() = default;
  /// A raw key is one of threefry's.
  Key(Array data, KeyImpl impl = KeyImpl::threefry2x32)
      : data(std::move(data)), impl(impl) {}  // NOLINT: raw keys convert

  Array data;  ///< u32[2], of the rbg generators u32[4]; of a batch with its dimensions in front
  KeyImpl impl = KeyImpl::threefry2x32;
  HILO_TREE(data, impl)
};

struct KeyOptions {
  const char* impl = nullptr;   ///< "threefry2x32" by default, "rbg", "unsafe_rbg"
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
/// The same key, for who says that it may be used again.
inline Key clone(const Key& key) { return key; }

/// `count` keys, independent of each other and of `key`; keys[i] is split(key)[i].
/// Cost      one operation and, outside of transformations, some 0.2 us a key
std::vector<Key> split(const Key& key, int64_t count = 2, Line line = Line::current());
/// Of a raw key, raw ones: u32[count, 2].
Array split(const Array& key, const numpy::Shape& num = 2, Line line = Line::current());
/// The same keys as one batch, which costs one operation whatever `num` is: u32[num..., 2].
/// Example    vmap([](random::Key k) { return random::normal(k, {3}); })(random::split_batch(key, 4096))
Key split_batch(const Key& key, const numpy::Shape& num, Line line = Line::current());
/// The key of `key` and a number; cheaper than splitting when the number counts steps. `data` is an integer scalar.
Key fold_in(const Key& key, const Operand& data);
Array fold_in(const Array& key, const Operand& data);

}  // namespace hilo::random

namespace hilo::lax {

/// select of keys: one key of two, or of a batch each its own.
random::Key select(const Operand& pred, const random::Key& on_true, const random::Key& on_false);

}  // namespace hilo::lax
