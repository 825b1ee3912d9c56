// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/tree/vhlo.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace hilo::stablehlo {
namespace {

// clang-format off: rows of a kind
constexpr BytecodeOperation kOperations[] = {
    {"builtin.module", "builtin.module", "sym_name? sym_visibility?"},
    {"builtin.unrealized_conversion_cast", "builtin.unrealized_conversion_cast", ""},
    {"sdy.manual_computation", "sdy.manual_computation", "in_shardings manual_axes out_shardings"},
    {"sdy.mesh", "sdy.mesh", "mesh sym_name"},
    {"sdy.return", "sdy.return", ""},
    {"sdy.sharding_constraint", "sdy.sharding_constraint", "sharding"},
    {"vhlo.abs_v1", "stablehlo.abs", ""},
    {"vhlo.add_v1", "stablehlo.add", ""},
    {"vhlo.after_all_v1", "stablehlo.after_all", ""},
    {"vhlo.all_gather_v1", "stablehlo.all_gather", "all_gather_dim channel_id replica_groups use_global_device_ids"},
    {"vhlo.all_gather_v2", "stablehlo.all_gather", "all_gather_dim channel_id replica_groups use_global_device_ids"},
    {"vhlo.all_reduce_v1", "stablehlo.all_reduce", "channel_id replica_groups use_global_device_ids"},
    {"vhlo.all_reduce_v2", "stablehlo.all_reduce", "channel_id replica_groups use_global_device_ids"},
    {"vhlo.all_to_all_v1", "stablehlo.all_to_all", "channel_id concat_dimension replica_groups split_count split_dimension"},
    {"vhlo.all_to_all_v2", "stablehlo.all_to_all", "channel_id concat_dimension replica_groups split_count split_dimension"},
    {"vhlo.and_v1", "stablehlo.and", ""},
    {"vhlo.async_done_v1", "stablehlo.async_done", "", true},
    {"vhlo.async_start_v1", "stablehlo.async_start", "", true},
    {"vhlo.atan2_v1", "stablehlo.atan2", ""},
    {"vhlo.batch_norm_grad_v1", "stablehlo.batch_norm_grad", "epsilon feature_index"},
    {"vhlo.batch_norm_inference_v1", "stablehlo.batch_norm_inference", "epsilon feature_index"},
    {"vhlo.batch_norm_training_v1", "stablehlo.batch_norm_training", "epsilon feature_index"},
    {"vhlo.bitcast_convert_v1", "stablehlo.bitcast_convert", ""},
    {"vhlo.broadcast_in_dim_v1", "stablehlo.broadcast_in_dim", "broadcast_dimensions"},
    {"vhlo.broadcast_v1", "stablehlo.broadcast", "broadcast_sizes"},
    {"vhlo.call_v1", "func.call", "callee"},
    {"vhlo.case_v1", "stablehlo.case", ""},
    {"vhlo.cbrt_v1", "stablehlo.cbrt", ""},
    {"vhlo.cbrt_v2", "stablehlo.cbrt", "result_accuracy"},
    {"vhlo.ceil_v1", "stablehlo.ceil", ""},
    {"vhlo.cholesky_v1", "stablehlo.cholesky", "lower"},
    {"vhlo.clamp_v1", "stablehlo.clamp", ""},
    {"vhlo.collective_broadcast_v1", "stablehlo.collective_broadcast", "channel_id replica_groups"},
    {"vhlo.collective_broadcast_v2", "stablehlo.collective_broadcast", "channel_id has_dynamic_root replica_groups", true},
    {"vhlo.collective_permute_v1", "stablehlo.collective_permute", "channel_id source_target_pairs"},
    {"vhlo.collective_reduce_v1", "stablehlo.collective_reduce", "channel_id has_dynamic_root replica_groups use_global_device_ids", true},
    {"vhlo.compare_v1", "stablehlo.compare", "compare_type comparison_direction"},
    {"vhlo.complex_v1", "stablehlo.complex", ""},
    {"vhlo.composite_v1", "stablehlo.composite", "composite_attributes decomposition name version"},
    {"vhlo.composite_v2", "stablehlo.composite", "composite_attributes decomposition name version", true},
    {"vhlo.concatenate_v1", "stablehlo.concatenate", "dimension"},
    {"vhlo.constant_v1", "stablehlo.constant", "value"},
    {"vhlo.convert_v1", "stablehlo.convert", ""},
    {"vhlo.convolution_v1", "stablehlo.convolution", "batch_group_count feature_group_count input_batch_dimension input_feature_dimension input_spatial_dimensions kernel_input_feature_dimension kernel_output_feature_dimension kernel_spatial_dimensions lhs_dilation output_batch_dimension output_feature_dimension output_spatial_dimensions padding precision_config rhs_dilation window_reversal window_strides"},
    {"vhlo.cosine_v1", "stablehlo.cosine", ""},
    {"vhlo.cosine_v2", "stablehlo.cosine", "result_accuracy"},
    {"vhlo.count_leading_zeros_v1", "stablehlo.count_leading_zeros", ""},
    {"vhlo.create_token_v1", "stablehlo.create_token", ""},
    {"vhlo.cross-replica-sum_v1", "stablehlo.cross-replica-sum", "replica_groups"},
    {"vhlo.custom_call_v1", "stablehlo.custom_call", "api_version backend_config call_target_name called_computations has_side_effect operand_layouts output_operand_aliases result_layouts"},
    {"vhlo.custom_call_v2", "stablehlo.custom_call", "api_version backend_config call_target_name called_computations has_side_effect operand_layouts output_operand_aliases result_layouts result_tilings", true},
    {"vhlo.divide_v1", "stablehlo.divide", ""},
    {"vhlo.dot_general_v1", "stablehlo.dot_general", "lhs_batching_dimensions lhs_contracting_dimensions precision_config rhs_batching_dimensions rhs_contracting_dimensions"},
    {"vhlo.dot_general_v2", "stablehlo.dot_general", "accumulation_type allow_imprecise_accumulation lhs_batching_dimensions lhs_component_count lhs_contracting_dimensions lhs_precision_type num_primitive_operations precision_config rhs_batching_dimensions rhs_component_count rhs_contracting_dimensions rhs_precision_type"},
    {"vhlo.dot_v1", "stablehlo.dot", "precision_config"},
    {"vhlo.dynamic_broadcast_in_dim_v1", "stablehlo.dynamic_broadcast_in_dim", "broadcast_dimensions known_expanding_dimensions known_nonexpanding_dimensions"},
    {"vhlo.dynamic_conv_v1", "stablehlo.dynamic_conv", "batch_group_count feature_group_count input_batch_dimension input_feature_dimension input_spatial_dimensions kernel_input_feature_dimension kernel_output_feature_dimension kernel_spatial_dimensions lhs_dilation output_batch_dimension output_feature_dimension output_spatial_dimensions padding precision_config rhs_dilation window_reversal window_strides"},
    {"vhlo.dynamic_conv_v2", "stablehlo.dynamic_conv", "batch_group_count feature_group_count input_batch_dimension input_feature_dimension input_spatial_dimensions kernel_input_feature_dimension kernel_output_feature_dimension kernel_spatial_dimensions lhs_dilation output_batch_dimension output_feature_dimension output_spatial_dimensions precision_config rhs_dilation window_reversal window_strides"},
    {"vhlo.dynamic_gather_v1", "stablehlo.dynamic_gather", "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims start_index_map"},
    {"vhlo.dynamic_gather_v2", "stablehlo.dynamic_gather", "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims operand_batching_dims start_index_map start_indices_batching_dims"},
    {"vhlo.dynamic_iota_v1", "stablehlo.dynamic_iota", "iota_dimension"},
    {"vhlo.dynamic_pad_v1", "stablehlo.dynamic_pad", ""},
    {"vhlo.dynamic_reshape_v1", "stablehlo.dynamic_reshape", ""},
    {"vhlo.dynamic_slice_v1", "stablehlo.dynamic_slice", "slice_sizes"},
    {"vhlo.dynamic_update_slice_v1", "stablehlo.dynamic_update_slice", ""},
    {"vhlo.einsum_v1", "stablehlo.einsum", "einsum_config"},
    {"vhlo.exponential_minus_one_v1", "stablehlo.exponential_minus_one", ""},
    {"vhlo.exponential_minus_one_v2", "stablehlo.exponential_minus_one", "result_accuracy"},
    {"vhlo.exponential_v1", "stablehlo.exponential", ""},
    {"vhlo.exponential_v2", "stablehlo.exponential", "result_accuracy"},
    {"vhlo.fft_v1", "stablehlo.fft", "fft_length fft_type"},
    {"vhlo.floor_v1", "stablehlo.floor", ""},
    {"vhlo.func_v1", "func.func", "arg_attrs function_type res_attrs sym_name sym_visibility"},
    {"vhlo.gather_v1", "stablehlo.gather", "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims slice_sizes start_index_map"},
    {"vhlo.gather_v2", "stablehlo.gather", "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims operand_batching_dims slice_sizes start_index_map start_indices_batching_dims"},
    {"vhlo.get_dimension_size_v1", "stablehlo.get_dimension_size", "dimension"},
    {"vhlo.get_tuple_element_v1", "stablehlo.get_tuple_element", "index"},
    {"vhlo.if_v1", "stablehlo.if", ""},
    {"vhlo.imag_v1", "stablehlo.imag", ""},
    {"vhlo.infeed_v1", "stablehlo.infeed", "infeed_config layout"},
    {"vhlo.iota_v1", "stablehlo.iota", "iota_dimension"},
    {"vhlo.is_finite_v1", "stablehlo.is_finite", ""},
    {"vhlo.log_plus_one_v1", "stablehlo.log_plus_one", ""},
    {"vhlo.log_plus_one_v2", "stablehlo.log_plus_one", "result_accuracy"},
    {"vhlo.log_v1", "stablehlo.log", ""},
    {"vhlo.log_v2", "stablehlo.log", "result_accuracy"},
    {"vhlo.logistic_v1", "stablehlo.logistic", ""},
    {"vhlo.logistic_v2", "stablehlo.logistic", "result_accuracy"},
    {"vhlo.map_v1", "stablehlo.map", "dimensions"},
    {"vhlo.maximum_v1", "stablehlo.maximum", ""},
    {"vhlo.minimum_v1", "stablehlo.minimum", ""},
    {"vhlo.multiply_v1", "stablehlo.multiply", ""},
    {"vhlo.negate_v1", "stablehlo.negate", ""},
    {"vhlo.not_v1", "stablehlo.not", ""},
    {"vhlo.optimization_barrier_v1", "stablehlo.optimization_barrier", ""},
    {"vhlo.or_v1", "stablehlo.or", ""},
    {"vhlo.outfeed_v1", "stablehlo.outfeed", "outfeed_config"},
    {"vhlo.pad_v1", "stablehlo.pad", "edge_padding_high edge_padding_low interior_padding"},
    {"vhlo.partition_id_v1", "stablehlo.partition_id", ""},
    {"vhlo.popcnt_v1", "stablehlo.popcnt", ""},
    {"vhlo.power_v1", "stablehlo.power", ""},
    {"vhlo.real_dynamic_slice_v1", "stablehlo.real_dynamic_slice", ""},
    {"vhlo.real_v1", "stablehlo.real", ""},
    {"vhlo.recv_v1", "stablehlo.recv", "channel_id channel_type is_host_transfer"},
    {"vhlo.recv_v2", "stablehlo.recv", "channel_id channel_type is_host_transfer source_target_pairs", true},
    {"vhlo.reduce_precision_v1", "stablehlo.reduce_precision", "exponent_bits mantissa_bits"},
    {"vhlo.reduce_scatter_v1", "stablehlo.reduce_scatter", "channel_id replica_groups scatter_dimension use_global_device_ids"},
    {"vhlo.reduce_v1", "stablehlo.reduce", "dimensions"},
    {"vhlo.reduce_window_v1", "stablehlo.reduce_window", "base_dilations padding window_dilations window_dimensions window_strides"},
    {"vhlo.remainder_v1", "stablehlo.remainder", ""},
    {"vhlo.replica_id_v1", "stablehlo.replica_id", ""},
    {"vhlo.reshape_v1", "stablehlo.reshape", ""},
    {"vhlo.return_v1", "stablehlo.return", ""},
    {"vhlo.reverse_v1", "stablehlo.reverse", "dimensions"},
    {"vhlo.rng_bit_generator_v1", "stablehlo.rng_bit_generator", "rng_algorithm"},
    {"vhlo.rng_v1", "stablehlo.rng", "rng_distribution"},
    {"vhlo.round_nearest_afz_v1", "stablehlo.round_nearest_afz", ""},
    {"vhlo.round_nearest_even_v1", "stablehlo.round_nearest_even", ""},
    {"vhlo.rsqrt_v1", "stablehlo.rsqrt", ""},
    {"vhlo.rsqrt_v2", "stablehlo.rsqrt", "result_accuracy"},
    {"vhlo.scatter_v1", "stablehlo.scatter", "index_vector_dim indices_are_sorted inserted_window_dims scatter_dims_to_operand_dims unique_indices update_window_dims"},
    {"vhlo.scatter_v2", "stablehlo.scatter", "index_vector_dim indices_are_sorted input_batching_dims inserted_window_dims scatter_dims_to_operand_dims scatter_indices_batching_dims unique_indices update_window_dims"},
    {"vhlo.select_and_scatter_v1", "stablehlo.select_and_scatter", "padding window_dimensions window_strides"},
    {"vhlo.select_v1", "stablehlo.select", ""},
    {"vhlo.send_v1", "stablehlo.send", "channel_id channel_type is_host_transfer"},
    {"vhlo.send_v2", "stablehlo.send", "channel_id channel_type is_host_transfer source_target_pairs", true},
    {"vhlo.set_dimension_size_v1", "stablehlo.set_dimension_size", "dimension"},
    {"vhlo.shift_left_v1", "stablehlo.shift_left", ""},
    {"vhlo.shift_right_arithmetic_v1", "stablehlo.shift_right_arithmetic", ""},
    {"vhlo.shift_right_logical_v1", "stablehlo.shift_right_logical", ""},
    {"vhlo.sign_v1", "stablehlo.sign", ""},
    {"vhlo.sine_v1", "stablehlo.sine", ""},
    {"vhlo.sine_v2", "stablehlo.sine", "result_accuracy"},
    {"vhlo.slice_v1", "stablehlo.slice", "limit_indices start_indices strides"},
    {"vhlo.sort_v1", "stablehlo.sort", "dimension is_stable"},
    {"vhlo.sqrt_v1", "stablehlo.sqrt", ""},
    {"vhlo.sqrt_v2", "stablehlo.sqrt", "result_accuracy"},
    {"vhlo.subtract_v1", "stablehlo.subtract", ""},
    {"vhlo.tan_v1", "stablehlo.tan", ""},
    {"vhlo.tan_v2", "stablehlo.tan", "result_accuracy"},
    {"vhlo.tanh_v1", "stablehlo.tanh", ""},
    {"vhlo.tanh_v2", "stablehlo.tanh", "result_accuracy"},
    {"vhlo.torch_index_select_v1", "stablehlo.torch_index_select", "batch_dims dim"},
    {"vhlo.transpose_v1", "stablehlo.transpose", "permutation"},
    {"vhlo.triangular_solve_v1", "stablehlo.triangular_solve", "left_side lower transpose_a unit_diagonal"},
    {"vhlo.tuple_v1", "stablehlo.tuple", ""},
    {"vhlo.unary_einsum_v1", "stablehlo.unary_einsum", "einsum_config"},
    {"vhlo.uniform_dequantize_v1", "stablehlo.uniform_dequantize", ""},
    {"vhlo.uniform_quantize_v1", "stablehlo.uniform_quantize", ""},
    {"vhlo.while_v1", "stablehlo.while", ""},
    {"vhlo.xor_v1", "stablehlo.xor", ""},
};
// clang-format on

static_assert(std::is_sorted(std::begin(kOperations), std::end(kOperations),
                             [](const BytecodeOperation& a, const BytecodeOperation& b) { return a.name < b.name; }));

constexpr std::string_view kDirections[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
constexpr std::string_view kComparisonTypes[] = {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};
constexpr std::string_view kFftTypes[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
constexpr std::string_view kPrecisions[] = {"DEFAULT", "HIGH", "HIGHEST"};
constexpr std::string_view kAlgorithms[] = {"DEFAULT", "THREE_FRY", "PHILOX"};
constexpr std::string_view kDistributions[] = {"", "UNIFORM", "NORMAL"};
constexpr std::string_view kTransposes[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
constexpr std::string_view kAccuracies[] = {"DEFAULT", "HIGHEST", "TOLERANCE"};

}  // namespace

const BytecodeOperation* find_bytecode_operation(std::string_view name) {
  const auto* const row = std::lower_bound(std::begin(kOperations), std::end(kOperations), name,
                                           [](const BytecodeOperation& o, std::string_view n) { return o.name < n; });
  return row != std::end(kOperations) && row->name == name ? row : nullptr;
}

const BytecodeOperation* find_written_operation(std::string_view tree_name) {
  static const auto kIndex = [] {  // later forms of an operation stand behind earlier ones
    std::unordered_map<std::string_view, const BytecodeOperation*> index;
    for (const BytecodeOperation& operation : kOperations) {
      if (!operation.newer) index[operation.tree_name] = &operation;
    }
    index["func.return"] = index["stablehlo.return"];
    return index;
  }();
  const auto found = kIndex.find(tree_name);
  return found == kIndex.end() ? nullptr : found->second;
}

std::optional<uint64_t> vhlo_type_code(ElementType type) {
  constexpr uint64_t kIndexCode = static_cast<uint64_t>(VhloType::kIndex), kCodes = 43;
  for (uint64_t code = 0; code < kCodes; ++code) {
    if (code != kIndexCode && type != ElementType::kOpaque && vhlo_element_type(code) == type) return code;
  }
  return std::nullopt;
}

ElementType vhlo_element_type(uint64_t code) {
  using enum ElementType;
  constexpr ElementType kFirst[] = {kPred, kOpaque, kBf16, kF16, kF32, kF64, kF8E4M3Fn, kF8E5M2, kOpaque, kS64,
                                    kS4,   kS8,     kS16,  kS32, kS64, kU4,  kU8,       kU16,    kU32,    kU64};
  if (code < std::size(kFirst)) return kFirst[code];
  switch (code) {
    case 27: return kF8E4M3Fnuz;
    case 28: return kF8E5M2Fnuz;
    case 29: return kF8E4M3B11Fnuz;
    case 31: return kS2;
    case 32: return kU2;
    case 35: return kF8E4M3;
    case 36: return kF8E3M4;
    case 37: return kF4E2M1Fn;
    case 40: return kF8E8M0Fnu;
    default: return kOpaque;
  }
}

std::span<const std::string_view> vhlo_words(VhloAttribute code) {
  switch (code) {
    case VhloAttribute::kComparisonDirection: return kDirections;
    case VhloAttribute::kComparisonType: return kComparisonTypes;
    case VhloAttribute::kFftType: return kFftTypes;
    case VhloAttribute::kPrecision: return kPrecisions;
    case VhloAttribute::kRngAlgorithm: return kAlgorithms;
    case VhloAttribute::kRngDistribution: return kDistributions;
    case VhloAttribute::kTranspose: return kTransposes;
    case VhloAttribute::kResultAccuracyMode: return kAccuracies;
    default: return {};
  }
}

}  // namespace hilo::stablehlo
