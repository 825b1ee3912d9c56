// SPDX-License-Identifier: Apache-2.0
#include "hilo/nn/linear.h"

#include <fmt/format.h>

#include "hilo/array/refuse.h"
#include "hilo/lax/convolution.h"
#include "hilo/numpy/numpy.h"
#include "hilo/random/random.h"

namespace hilo::nn {
namespace {

void check_sizes(const char* function, std::initializer_list<int64_t> sizes) {
  for (int64_t size : sizes) {
    if (size < 1) refuse(function, fmt::format("size {}; wanted at least 1", size));
  }
}

std::optional<Array> bias_of(const random::Key& key, bool use_bias, const initializers::Initializer& init, int64_t size,
                             numpy::Dtype dtype) {
  if (!use_bias) return std::nullopt;
  return init(key, {size}, dtype);
}

std::vector<int64_t> or_ones(const std::vector<int64_t>& list, size_t count) {
  return list.empty() ? std::vector<int64_t>(count, 1) : list;
}

}  // namespace

Dense dense_init(const random::Key& key, int64_t in_features, int64_t out_features, const LayerOptions& options,
                 numpy::Line line) {
  const UserLocation here(line);
  check_sizes("dense_init", {in_features, out_features});
  const std::vector<random::Key> keys = random::split(key);
  return {options.kernel_init(keys[0], {in_features, out_features}, options.dtype),
          bias_of(keys[1], options.use_bias, options.bias_init, out_features, options.dtype)};
}

Array dense(const Dense& params, const Operand& x) {
  const UserLocation here(x.location());
  const Array y = numpy::matmul(x, params.kernel);
  return params.bias ? y + *params.bias : y;
}

Conv conv_init(const random::Key& key, const std::vector<int64_t>& kernel_size, int64_t in_features,
               int64_t out_features, const ConvInitOptions& options, numpy::Line line) {
  const UserLocation here(line);
  check_sizes("conv_init", {in_features, out_features, options.feature_group_count});
  for (int64_t size : kernel_size) check_sizes("conv_init", {size});
  if (in_features % options.feature_group_count != 0 || out_features % options.feature_group_count != 0) {
    refuse("conv_init", fmt::format("{} groups don't divide {} and {} features", options.feature_group_count,
                                    in_features, out_features));
  }
  std::vector<int64_t> sizes = kernel_size;
  sizes.push_back(in_features / options.feature_group_count);
  sizes.push_back(out_features);
  const std::vector<random::Key> keys = random::split(key);
  return {options.kernel_init(keys[0], sizes, options.dtype),
          bias_of(keys[1], options.use_bias, options.bias_init, out_features, options.dtype)};
}

Array conv(const Conv& params, const Operand& x, const ConvLayerOptions& options) {
  const UserLocation here(x.location());
  const size_t rank = params.kernel.ndim();
  if (rank < 3 || rank > 5 || x.array().ndim() != static_cast<int64_t>(rank)) {
    refuse("conv", fmt::format("wanted x[batch, spatial..., in] of the kernel's rank, 3 to 5; got {} and kernel {}",
                               x.array().aval_shape().to_string(), params.kernel.aval_shape().to_string()));
  }
  const std::string letters = std::string("DHW").substr(5 - rank);
  const Array y =
      lax::conv_general_dilated(x, params.kernel, or_ones(options.strides, rank - 2), options.padding,
                                {.rhs_dilation = or_ones(options.kernel_dilation, rank - 2),
                                 .dimension_numbers = {"N" + letters + "C", letters + "IO", "N" + letters + "C"},
                                 .feature_group_count = options.feature_group_count});
  return params.bias ? y + *params.bias : y;
}

Embedding embedding_init(const random::Key& key, int64_t num_embeddings, int64_t features, numpy::Dtype dtype,
                         numpy::Line line) {
  const UserLocation here(line);
  check_sizes("embedding_init", {num_embeddings, features});
  const auto init = initializers::variance_scaling(1.0, "fan_in", "normal", {.in_axis = -1, .out_axis = 0});
  return {init(key, {num_embeddings, features}, dtype)};
}

Array embed(const Embedding& params, const Operand& ids) {
  const UserLocation here(ids.location());
  if (!is_integer(ids.array().dtype())) refuse("embed", "wanted integers; got " + ids.array().aval_shape().to_string());
  return numpy::take(params.embedding, ids, 0);
}

Array embed_attend(const Embedding& params, const Operand& x) {
  const UserLocation here(x.location());
  return numpy::matmul(x, numpy::transpose(params.embedding));
}

Array dropout(const random::Key& key, const Operand& x, double rate) {
  const UserLocation here(x.location());
  if (!(rate >= 0 && rate <= 1)) refuse("dropout", fmt::format("rate {}; wanted 0 to 1", rate));
  if (rate == 0) return x.array();
  if (rate == 1) return numpy::zeros_like(x);
  const Array keep = random::bernoulli(key, 1 - rate, x.array().shape());
  return numpy::where(keep, x.array() / (1 - rate), numpy::zeros_like(x));
}

}  // namespace hilo::nn
