// SPDX-License-Identifier: Apache-2.0
// random/sampling.h -- bits, uniform and normal numbers, integers, and choices.
#pragma once

#include "hilo/array/arguments.h"
#include "hilo/random/keys.h"

namespace hilo::random {

using numpy::Dtype;
using numpy::Named;

/// What functions take that draw so many numbers of a type, here and below: f(key, {3}, float16) or
/// f(key, {.shape = {3}, .dtype = float16}).
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
/// Uniform random bits, u32 (u64 with x64) or of the given unsigned type.
/// Errors    INVALID_ARGUMENT for another type than u8, u16, u32, u64
HILO_SAMPLER(bits)
/// Standard normal numbers, f32 (f64 with x64) or of the given float or complex type: sqrt(2) erf_inv of uniform ones, by
/// XLA:CPU's program (lax::xla_erf_inv), which in f32 is up to 34 units in the last place off the true value. Complex ones
/// have a variance of 1/2 in both parts.
HILO_SAMPLER(normal)
/// 1 and -1, integers or of the given type.
HILO_SAMPLER(rademacher)

/// Uniform floats in [minval, maxval), f32 (f64 with x64) or of the given type: unit * (maxval - minval) + minval, in one
/// rounding for f32 and f64, as XLA:CPU computes it with FMA.
///   Shapes     minval and maxval broadcast to `shape`
/// Errors    INVALID_ARGUMENT for another type than f16, bf16, f32, f64
struct UniformOptions {
  Named named = Named();
  numpy::Shape shape = {};
  Dtype dtype = std::nullopt;
  Array minval = 0.0f, maxval = 1.0f;
};
Array uniform(const Key& key, const UniformOptions& options, Line line = Line::current());
template <int = 0>
Array uniform(const Key& key, const numpy::Shape& shape = {}, Line line = Line::current()) {
  return uniform(key, UniformOptions{.shape = shape}, line);
}
/// The same beside a shape by position: uniform(key, {3}, {.minval = -1, .maxval = 1}).
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

/// Uniform integers in [minval, maxval), s32 (s64 with x64) or of the given type. minval and maxval broadcast to `shape`.
/// Where maxval isn't above minval the result is minval.
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
  bool independent = false;  ///< each line along the axis in an order of its own
};
/// The slices of `x` along an axis in random order.
Array permutation(const Key& key, const Array& x, const PermutationOptions& options = {}, Line line = Line::current());
/// 0..n-1 in random order.
Array permutation(const Key& key, int64_t n, const PermutationOptions& options = {}, Line line = Line::current());
template <int = 0>
Array permutation(const Key& key, const Array& x, int64_t axis, bool independent = false, Line line = Line::current()) {
  return permutation(key, x, PermutationOptions{.axis = axis, .independent = independent}, line);
}

struct ChoiceOptions {
  Named named = Named();
  numpy::Shape shape = {};
  bool replace = true;                    ///< the same slice more than once
  std::optional<Array> p = std::nullopt;  ///< the probability of each slice
  int64_t axis = 0;
  const char* mode = "low";  ///< as for gumbel; for choices with p, not replaced
};
/// Slices of `a` along an axis; of a number n from 0..n-1.
/// Errors    INVALID_ARGUMENT for more slices than there are, if they aren't replaced, or p of another size
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
  const char* mode = "low";  ///< "high" resolves small probabilities with twice the bits
};
/// True with probability `p`, which broadcasts to the shape.
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
  const char* mode = "low";  ///< "high" and "highest" reach further into the tail; hilo has "low" and "high"
};
/// -log(-log(u)) of uniform u.
/// Errors    INVALID_ARGUMENT for another mode; UNIMPLEMENTED for "highest"
Array gumbel(const Key& key, const GumbelOptions& options, Line line = Line::current());
template <int = 0>
Array gumbel(const Key& key, const numpy::Shape& shape = {}, Dtype dtype = std::nullopt, const char* mode = "low",
             Line line = Line::current()) {
  return gumbel(key, GumbelOptions{.shape = shape, .dtype = dtype, .mode = mode}, line);
}

struct CategoricalOptions {
  int64_t axis = -1;
  OptionalDimensions shape = std::nullopt;  ///< of the result; ends in that of the logits without the axis
  bool replace = true;
  const char* mode = "low";
};
/// The index of a category, each as likely as exp(logits) says.
/// Errors    INVALID_ARGUMENT for more draws than categories, if they aren't replaced
Array categorical(const Key& key, const Operand& logits, const CategoricalOptions& options = {});
template <int = 0>
Array categorical(const Key& key, const Operand& logits, int64_t axis, const OptionalDimensions& shape = std::nullopt,
                  bool replace = true) {
  return categorical(key, logits, CategoricalOptions{.axis = axis, .shape = shape, .replace = replace});
}

}  // namespace hilo::random
