// SPDX-License-Identifier: Apache-2.0
// random/sampling.h -- bits, uniform and normal numbers, integers, permutations and choices.
#pragma once

#include "hilo/array/arguments.h"
#include "hilo/random/keys.h"

namespace hilo::random {

using numpy::Dtype;
using numpy::Named;

/// Options of samplers, here and below: f(key, {3}, float16) or f(key, {.shape = {3}, .dtype = float16}).
struct ShapeOptions {
  Named named = Named();
  numpy::Shape shape = {};
  Dtype dtype = std::nullopt;
};
#define HILO_SAMPLER(name)                                                                                             \
  Array name(const Key& key, const numpy::Shape& shape = {}, Dtype dtype = std::nullopt, Line line = Line::current()); \
  template <int = 0>                                                                                                   \
  Array name(const Key& key, const ShapeOptions& options, Line line = Line::current()) {                               \
    return name(key, options.shape, options.dtype, line);                                                              \
  }
/// Samples uniform random bits.
/// Types      u8, u16, u32 or u64; default u32, with x64 u64
/// Errors     INVALID_ARGUMENT for another type
/// Example    bits(key(0), {2})  // [4070199207 4202968722]
HILO_SAMPLER(bits)
/// Samples the standard normal distribution. Complex numbers have a variance of 1/2 in both parts.
/// Types      a float or complex type; default f32, with x64 f64
/// Accuracy   sqrt(2) * erf_inv(uniform), with XLA:CPU's erf_inv (lax::xla_erf_inv); in f32 up to 34 ulp from the true
///            value
/// Example    normal(key(0), {2, 3}).shape()  // (2, 3)
///            normal(key(0), {3})  // [ 1.6226422 2.0252647 -0.43359444]
HILO_SAMPLER(normal)
/// Samples 1 and -1 with equal probability.
/// Types      default: integers
HILO_SAMPLER(rademacher)

struct UniformOptions {
  Named named = Named();
  numpy::Shape shape = {};
  Dtype dtype = std::nullopt;
  Array minval = 0.0f, maxval = 1.0f;
};
/// Samples the uniform distribution on [minval, maxval), default [0, 1).
/// Types      f16, bf16, f32 or f64; default f32, with x64 f64
/// Shapes     minval and maxval broadcast to `shape`
/// Errors     INVALID_ARGUMENT for another type
/// Accuracy   unit * (maxval - minval) + minval with one rounding for f32 and f64, as XLA:CPU computes it with FMA
/// Example    uniform(key(0), {3})  // [0.947667 0.9785799 0.33229148]
///            uniform(key(0), {2}, {.minval = -1.0f, .maxval = 1.0f}).shape()  // (2,)
Array uniform(const Key& key, const UniformOptions& options, Line line = Line::current());
template <int = 0>
Array uniform(const Key& key, const numpy::Shape& shape = {}, Line line = Line::current()) {
  return uniform(key, UniformOptions{.shape = shape}, line);
}
/// The options of uniform if the shape is passed by position: uniform(key, {3}, {.minval = -1, .maxval = 1}).
struct UniformBounds {
  Dtype dtype = std::nullopt;
  Array minval = 0.0f, maxval = 1.0f;
};
template <int = 0>
Array uniform(const Key& key, const numpy::Shape& shape, const UniformBounds& bounds, Line line = Line::current()) {
  return uniform(
      key, UniformOptions{.shape = shape, .dtype = bounds.dtype, .minval = bounds.minval, .maxval = bounds.maxval},
      line);
}
template <int = 0>
Array uniform(const Key& key, const numpy::Shape& shape, ElementType dtype, const Operand& minval = 0.0f,
              const Operand& maxval = 1.0f, Line line = Line::current()) {
  return uniform(key, UniformOptions{.shape = shape, .dtype = dtype, .minval = minval, .maxval = maxval}, line);
}
template <int = 0>
Array uniform(const Key& key, const numpy::Shape& shape, const Operand& minval, const Operand& maxval,
              Line line = Line::current()) {
  return uniform(key, UniformOptions{.shape = shape, .minval = minval, .maxval = maxval}, line);
}

/// Samples uniform integers in [minval, maxval). If maxval is not greater than minval, the result is minval.
/// Types      an integer type; default s32, with x64 s64
/// Shapes     minval and maxval broadcast to `shape`
/// Example    randint(key(0), {5}, 0, 10)  // [9 0 2 3 1]
Array randint(const Key& key, const numpy::Shape& shape, const Operand& minval, const Operand& maxval,
              Dtype dtype = std::nullopt);
template <int = 0>
Array randint(const Key& key, const numpy::Shape& shape, const Operand& minval, const Operand& maxval,
              const numpy::DtypeOptions& options) {
  return randint(key, shape, minval, maxval, options.dtype);
}

struct RandintOptions {
  Array minval, maxval;
  Dtype dtype = std::nullopt;
};
Array randint(const Key& key, const numpy::Shape& shape, const RandintOptions& options);

struct RandintByName {
  numpy::Shape shape;
  Array minval, maxval;
  Dtype dtype = std::nullopt;
};
Array randint(const Key& key, const RandintByName& o);

struct PermutationOptions {
  int64_t axis = 0;
  bool independent = false;  ///< whether each line along the axis is permuted independently
};
/// Permutes the slices of `x` along an axis randomly.
Array permutation(const Key& key, const Array& x, const PermutationOptions& options = {}, Line line = Line::current());
/// Returns a random permutation of 0, ..., n-1.
/// Example    permutation(key(0), 5)  // [0 1 4 3 2]
Array permutation(const Key& key, int64_t n, const PermutationOptions& options = {}, Line line = Line::current());
template <int = 0>
Array permutation(const Key& key, const Array& x, int64_t axis, bool independent = false, Line line = Line::current()) {
  return permutation(key, x, PermutationOptions{.axis = axis, .independent = independent}, line);
}

struct ChoiceOptions {
  Named named = Named();
  numpy::Shape shape = {};
  bool replace = true;                    ///< whether a slice may be chosen more than once
  std::optional<Array> p = std::nullopt;  ///< probability of each slice
  int64_t axis = 0;
  const char* mode = "low";  ///< as for gumbel; used by choices with `p` without replacement
};
/// Chooses random slices of `a` along an axis; a number n stands for 0, ..., n-1.
/// Errors     INVALID_ARGUMENT for more slices than exist (without replacement), or `p` of another size
/// Example    choice(key(0), 10, {3}, false)  // [0 1 8]
Array choice(const Key& key, const Array& a, const ChoiceOptions& options, Line line = Line::current());
Array choice(const Key& key, const Array& a, const numpy::Shape& shape, ChoiceOptions options,
             Line line = Line::current());
template <int = 0>
Array choice(const Key& key, const Array& a, const numpy::Shape& shape = {}, Line line = Line::current()) {
  return choice(key, a, ChoiceOptions{.shape = shape}, line);
}
template <std::same_as<bool> Bool>
Array choice(const Key& key, const Array& a, const numpy::Shape& shape, Bool replace,
             const std::optional<Array>& p = std::nullopt, int64_t axis = 0, Line line = Line::current()) {
  return choice(key, a, ChoiceOptions{.shape = shape, .replace = replace, .p = p, .axis = axis}, line);
}

struct BernoulliOptions {
  Named named = Named();
  OptionalDimensions shape = std::nullopt;
  const char* mode = "low";  ///< "low", or "high" for a finer resolution of small probabilities with twice the bits
};
/// Samples true with probability `p`, which broadcasts to the shape.
/// Example    bernoulli(key(0), 0.5f, {4})  // [False False True True]
Array bernoulli(const Key& key, const Operand& p = 0.5f, const BernoulliOptions& options = {});
struct BernoulliByName {
  Array p = 0.5f;
  OptionalDimensions shape = std::nullopt;
  const char* mode = "low";
};
Array bernoulli(const Key& key, const BernoulliByName& o);
template <int = 0>
Array bernoulli(const Key& key, const Operand& p, const numpy::Shape& shape, const char* mode = "low") {
  return bernoulli(key, p, BernoulliOptions{.shape = shape, .mode = mode});
}

struct GumbelOptions {
  Named named = Named();
  numpy::Shape shape = {};
  Dtype dtype = std::nullopt;
  const char* mode = "low";  ///< "low", or "high" for more of the tail; JAX's "highest" is not implemented
};
/// Samples the standard Gumbel distribution: -log(-log(u)) for uniform u.
/// Errors    INVALID_ARGUMENT for an unknown mode; UNIMPLEMENTED for "highest"
Array gumbel(const Key& key, const GumbelOptions& options, Line line = Line::current());
template <int = 0>
Array gumbel(const Key& key, const numpy::Shape& shape = {}, Dtype dtype = std::nullopt, const char* mode = "low",
             Line line = Line::current()) {
  return gumbel(key, GumbelOptions{.shape = shape, .dtype = dtype, .mode = mode}, line);
}

struct CategoricalOptions {
  int64_t axis = -1;
  OptionalDimensions shape = std::nullopt;  ///< shape of the result; ends in the shape of the logits without the axis
  bool replace = true;
  const char* mode = "low";
};
/// Samples the index of a category, with probabilities proportional to exp(logits).
/// Errors     INVALID_ARGUMENT for more draws than categories, without replacement
/// Example    categorical(key(0), numpy::array({0.0, 1.0, 2.0}), -1, {{4}})  // [1 1 2 1]
Array categorical(const Key& key, const Operand& logits, const CategoricalOptions& options = {});
template <int = 0>
Array categorical(const Key& key, const Operand& logits, int64_t axis, const OptionalDimensions& shape = std::nullopt,
                  bool replace = true) {
  return categorical(key, logits, CategoricalOptions{.axis = axis, .shape = shape, .replace = replace});
}

}  // namespace hilo::random
