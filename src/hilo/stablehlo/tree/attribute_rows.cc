// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/tree/attribute_rows.h"

#include <algorithm>
#include <iterator>

namespace hilo::stablehlo {
namespace {

using enum AttributeForm;

// clang-format off: rows of a kind
constexpr AttributeRow kRows[] = {
    {"accumulation_type", kNoType},
    {"all_gather_dim", kInteger64},
    {"allow_imprecise_accumulation", kNoType},
    {"api_version", kApiVersion},
    {"arg_attrs", kTypeLists},
    {"backend_config", kString},
    {"base_dilations", kIntegers},
    {"batch_group_count", kInteger64},
    {"broadcast_dimensions", kIntegers},
    {"call_target_name", kString},
    {"called_computations", kSymbols},
    {"callee", kSymbol},
    {"channel_id", kInteger64},
    {"collapsed_slice_dims", kIntegers},
    {"compare_type", kWord, VhloAttribute::kComparisonType, "comparison_type"},
    {"comparison_direction", kWord, VhloAttribute::kComparisonDirection, "comparison_direction"},
    {"composite_attributes", kDictionary},
    {"concat_dimension", kInteger64},
    {"decomposition", kSymbol},
    {"dimension", kInteger64},
    {"dimensions", kIntegers},
    {"edge_padding_high", kIntegers},
    {"edge_padding_low", kIntegers},
    {"epsilon", kFloat32},
    {"exponent_bits", kInteger32},
    {"feature_group_count", kInteger64},
    {"feature_index", kInteger64},
    {"fft_length", kIntegers},
    {"fft_type", kWord, VhloAttribute::kFftType, "fft_type"},
    {"function_type", kType},
    {"has_side_effect", kBool},
    {"index", kInteger32},
    {"index_vector_dim", kInteger64},
    {"indices_are_sorted", kBool},
    {"input_batch_dimension", kInteger64},
    {"input_batching_dims", kIntegers},
    {"input_feature_dimension", kInteger64},
    {"input_spatial_dimensions", kIntegers},
    {"inserted_window_dims", kIntegers},
    {"interior_padding", kIntegers},
    {"iota_dimension", kInteger64},
    {"is_stable", kBool},
    {"kernel_input_feature_dimension", kInteger64},
    {"kernel_output_feature_dimension", kInteger64},
    {"kernel_spatial_dimensions", kIntegers},
    {"left_side", kBool},
    {"lhs_batching_dimensions", kIntegers},
    {"lhs_component_count", kNoType},
    {"lhs_contracting_dimensions", kIntegers},
    {"lhs_dilation", kIntegers},
    {"lhs_precision_type", kNoType},
    {"limit_indices", kIntegers},
    {"lower", kBool},
    {"mantissa_bits", kInteger32},
    {"name", kString},
    {"num_primitive_operations", kNoType},
    {"offset_dims", kIntegers},
    {"operand_batching_dims", kIntegers},
    {"operand_layouts", kLayouts},
    {"output_batch_dimension", kInteger64},
    {"output_feature_dimension", kInteger64},
    {"output_operand_aliases", kAliases},
    {"output_spatial_dimensions", kIntegers},
    {"padding", kMatrix},
    {"permutation", kIntegers},
    {"precision_config", kWords, VhloAttribute::kPrecision, "precision"},
    {"replica_groups", kMatrix},
    {"res_attrs", kTypeLists},
    {"result_accuracy", kAccuracy},
    {"result_layouts", kLayouts},
    {"rhs_batching_dimensions", kIntegers},
    {"rhs_component_count", kNoType},
    {"rhs_contracting_dimensions", kIntegers},
    {"rhs_dilation", kIntegers},
    {"rhs_precision_type", kNoType},
    {"rng_algorithm", kWord, VhloAttribute::kRngAlgorithm, "rng_algorithm"},
    {"rng_distribution", kWord, VhloAttribute::kRngDistribution, "rng_distribution"},
    {"scatter_dimension", kInteger64},
    {"scatter_dims_to_operand_dims", kIntegers},
    {"scatter_indices_batching_dims", kIntegers},
    {"slice_sizes", kIntegers},
    {"source_target_pairs", kMatrix},
    {"split_count", kInteger64},
    {"split_dimension", kInteger64},
    {"start_index_map", kIntegers},
    {"start_indices", kIntegers},
    {"start_indices_batching_dims", kIntegers},
    {"strides", kIntegers},
    {"sym_name", kString},
    {"sym_visibility", kString},
    {"transpose_a", kWord, VhloAttribute::kTranspose, "transpose"},
    {"unique_indices", kBool},
    {"unit_diagonal", kBool},
    {"update_window_dims", kIntegers},
    {"use_global_device_ids", kUnit},
    {"value", kElements},
    {"version", kInteger32},
    {"window_dilations", kIntegers},
    {"window_dimensions", kIntegers},
    {"window_reversal", kBools},
    {"window_strides", kIntegers},
};
// clang-format on

static_assert(std::is_sorted(std::begin(kRows), std::end(kRows),
                             [](const AttributeRow& a, const AttributeRow& b) { return a.name < b.name; }));

}  // namespace

const AttributeRow* find_attribute_row(std::string_view name) {
  const AttributeRow* const row = std::lower_bound(
      std::begin(kRows), std::end(kRows), name, [](const AttributeRow& r, std::string_view n) { return r.name < n; });
  return row != std::end(kRows) && row->name == name ? row : nullptr;
}

}  // namespace hilo::stablehlo
