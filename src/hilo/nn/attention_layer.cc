// SPDX-License-Identifier: Apache-2.0
#include "hilo/nn/attention_layer.h"

#include <fmt/format.h>

#include <cmath>

#include "hilo/array/refuse.h"
#include "hilo/numpy/numpy.h"
#include "hilo/random/random.h"

namespace hilo::nn {
namespace {

/// Multiplies x[..., features] by kernel[features, heads, size].
Array to_heads(const Array& x, const Array& kernel, const std::optional<Array>& bias) {
  const Array y = numpy::tensordot(x, kernel, 1);
  return bias ? y + *bias : y;
}

void check(const char* function, const Array& x, const MultiHeadAttention& params) {
  if (x.ndim() >= 2 && x.ndim() <= 3 && x.shape(-1) == params.query.shape(0)) return;
  refuse(function,
         fmt::format("wanted [batch, positions, {}]; got {}", params.query.shape(0), x.aval_shape().to_string()));
}

Array attend(const MultiHeadAttention& params, const Array& x, const Array& context,
             const MultiHeadAttentionOptions& options) {
  check("multi_head_attention", x, params);
  check("multi_head_attention", context, params);
  Array query = to_heads(x, params.query, params.query_bias), key = to_heads(context, params.key, params.key_bias);
  if (options.positions) {
    query = rotary_embedding(query, *options.positions, options.rotary_base);
    key = rotary_embedding(key, *options.positions, options.rotary_base);
  }
  const Array value = to_heads(context, params.value, params.value_bias);
  const Array heads = dot_product_attention(query, key, value, {.mask = options.mask, .is_causal = options.is_causal});
  const Array y = numpy::tensordot(heads, params.out, 2);
  return params.out_bias ? y + *params.out_bias : y;
}

}  // namespace

MultiHeadAttention multi_head_attention_init(const random::Key& key, int64_t features, int64_t num_heads,
                                             const MultiHeadAttentionInitOptions& options, numpy::Line line) {
  const UserLocation here(line);
  const int64_t groups = options.num_key_value_heads.value_or(num_heads);
  if (features < 1 || num_heads < 1 || (!options.head_dim && features % num_heads != 0)) {
    refuse("multi_head_attention_init", fmt::format("{} heads don't divide {} features", num_heads, features));
  }
  if (groups < 1 || num_heads % groups != 0) {
    refuse("multi_head_attention_init", fmt::format("{} key heads don't divide {} heads", groups, num_heads));
  }
  const int64_t size = options.head_dim.value_or(features / num_heads);
  if (size < 1) refuse("multi_head_attention_init", fmt::format("head_dim {}; wanted at least 1", size));
  const std::vector<random::Key> keys = random::split(key, 4);
  // The variance of a kernel is that of the equivalent matrix.
  const auto kernel = [&](size_t i, int64_t in, int64_t out, const numpy::Shape& shape) {
    return numpy::reshape(options.kernel_init(keys[i], {in, out}, options.dtype), shape);
  };
  const auto bias = [&](const numpy::Shape& shape) {
    return options.use_bias ? std::optional<Array>(numpy::zeros(shape, options.dtype)) : std::nullopt;
  };
  return {kernel(0, features, num_heads * size, {features, num_heads, size}),
          kernel(1, features, groups * size, {features, groups, size}),
          kernel(2, features, groups * size, {features, groups, size}),
          kernel(3, num_heads * size, features, {num_heads, size, features}),
          bias({num_heads, size}),
          bias({groups, size}),
          bias({groups, size}),
          bias({features})};
}

Array multi_head_attention(const MultiHeadAttention& params, const Operand& x,
                           const MultiHeadAttentionOptions& options) {
  const UserLocation here(x.location());
  return attend(params, x, x, options);
}

Array multi_head_attention(const MultiHeadAttention& params, const Operand& x, const Operand& context,
                           const MultiHeadAttentionOptions& options) {
  const UserLocation here(x.location());
  if (options.positions)
    refuse("multi_head_attention", "positions apply to x and not to the context. Hint: call rotary_embedding on both");
  return attend(params, x, context, options);
}

Array rotary_embedding(const Operand& x, const Operand& positions, double base) {
  const UserLocation here(x.location());
  const Array& all = x.array();
  const bool fits = all.ndim() >= 3 && all.shape(-1) % 2 == 0 && positions.array().ndim() == 1 &&
                    positions.array().shape(0) == all.shape(-3) && is_floating(all.dtype());
  if (!fits) {
    refuse("rotary_embedding",
           fmt::format("wanted floats [..., positions, heads, even size] and [positions]; got {} and {}",
                       all.aval_shape().to_string(), positions.array().aval_shape().to_string()));
  }
  const int64_t half = all.shape(-1) / 2;
  const ElementType wide = element_size_bytes(all.dtype()) < 4 ? ElementType::kF32 : all.dtype();
  const Array powers = numpy::astype(numpy::arange(half), wide) * (-std::log(base) / static_cast<double>(half));
  const Array at = numpy::expand_dims(numpy::astype(positions, wide), {1, 2});  // [positions, 1, 1]
  const Array angles = at * numpy::exp(powers), sine = numpy::sin(angles), cosine = numpy::cos(angles);
  const std::vector<Array> halves = numpy::split(numpy::astype(all, wide), 2, -1);
  const Array turned =
      numpy::concatenate({halves[0] * cosine - halves[1] * sine, halves[1] * cosine + halves[0] * sine}, -1);
  return numpy::astype(turned, all.dtype());
}

}  // namespace hilo::nn
