// SPDX-License-Identifier: Apache-2.0
// random/random.h -- jax.random with the threefry generator: the same seeds give the same bits.
#pragma once

#include "hilo/numpy/numpy.h"

namespace hilo::random {

using numpy::Line;

/// The state of a generator that never changes: use a key once, split it for more. One that holds a batch of keys is for
/// vmap, which gives each call a key of its own.
struct Key {
  Array data;  ///< u32[2]; of a batch u32[n,2]
};

/// The key of a seed, as jax.random.key.
Key key(int64_t seed, Line line = Line::current());
/// `count` keys, independent of each other and of `key`; keys[i] is split(key)[i].
/// Cost      one operation and, outside of transformations, some 0.2 us a key
std::vector<Key> split(const Key& key, int64_t count = 2, Line line = Line::current());
/// The same keys as one batch, which costs one operation whatever `count` is: u32[count,2].
/// Example    vmap([](random::Key k) { return random::normal(k, {3}); })(random::split_batch(key, 4096))
Key split_batch(const Key& key, int64_t count, Line line = Line::current());
/// The key of `key` and a number; cheaper than splitting when the number counts steps. `data` is an integer scalar.
Key fold_in(const Key& key, const Operand& data);

/// Uniform random bits, u32.
Array bits(const Key& key, const numpy::Shape& shape, Line line = Line::current());
/// Uniform floats in [minval, maxval).
Array uniform(const Key& key, const numpy::Shape& shape, const Operand& minval = 0.0f, const Operand& maxval = 1.0f,
              Line line = Line::current());
/// Standard normal floats.
Array normal(const Key& key, const numpy::Shape& shape, Line line = Line::current());
/// 0..n-1 in random order.
Array permutation(const Key& key, int64_t n, Line line = Line::current());
/// The slices of `x` along its leading axis in random order.
Array permutation(const Key& key, const Array& x, Line line = Line::current());

}  // namespace hilo::random
