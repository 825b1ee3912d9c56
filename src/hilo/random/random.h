// SPDX-License-Identifier: Apache-2.0
// random/random.h -- jax.random with the threefry generator: the same seeds give the same bits, on every instruction set.
// They are JAX's on CPUs that multiply and add in one rounding; docs/numerics.md says which of them also elsewhere.
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

/// Uniform random bits, u32 (u64 with x64) or of the given unsigned type.
/// Errors    INVALID_ARGUMENT for another type than u8, u16, u32, u64
Array bits(const Key& key, const numpy::Shape& shape, numpy::Dtype dtype = std::nullopt, Line line = Line::current());
/// Uniform floats in [minval, maxval), f32 (f64 with x64) or of the given type: unit * (maxval - minval) + minval, in one
/// rounding for f32 and f64, as XLA:CPU computes it with FMA.
///   Shapes     minval and maxval broadcast to `shape`
/// Errors    INVALID_ARGUMENT for another type than f16, bf16, f32, f64
Array uniform(const Key& key, const numpy::Shape& shape, const Operand& minval = 0.0f, const Operand& maxval = 1.0f,
              Line line = Line::current());
Array uniform(const Key& key, const numpy::Shape& shape, ElementType dtype, const Operand& minval = 0.0f,
              const Operand& maxval = 1.0f, Line line = Line::current());
/// Standard normal floats, types as for uniform: sqrt(2) erf_inv of uniform ones, by XLA:CPU's program (lax::xla_erf_inv),
/// which in f32 is up to 34 units in the last place off the true value.
Array normal(const Key& key, const numpy::Shape& shape, numpy::Dtype dtype = std::nullopt, Line line = Line::current());
/// 0..n-1 in random order.
Array permutation(const Key& key, int64_t n, Line line = Line::current());
/// The slices of `x` along its leading axis in random order.
Array permutation(const Key& key, const Array& x, Line line = Line::current());

}  // namespace hilo::random
