// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/proto/places.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "hilo/base/sizes.h"
#include "hilo/base/text.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/not_yet.h"
#include "hilo/hlo/ops/random.h"
#include "hilo/hlo/text/frontend_fields.h"

namespace hilo::hlo::proto {
namespace {

using enum FieldKind;
using enum Form;

constexpr std::string_view kPrecisions[] = {"default", "high", "highest", "packed_nibble"};
constexpr std::string_view kFftTypes[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
constexpr std::string_view kDistributions[] = {"rng_invalid", "rng_uniform", "rng_normal"};
constexpr std::string_view kTransposes[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
constexpr std::string_view kPaddingTypes[] = {"PADDING_INVALID", "PADDING_VALID", "PADDING_SAME"};
constexpr std::string_view kStates[] = {"", "true", "false"};  // XLA's TriState
constexpr std::string_view kSchedules[] = {"SCHEDULE_NONE", "SCHEDULE_LATEST", "SCHEDULE_EARLIEST"};
constexpr std::string_view kApiVersions[] = {"API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL",
                                             "API_VERSION_STATUS_RETURNING", "API_VERSION_STATUS_RETURNING_UNIFIED",
                                             "API_VERSION_TYPED_FFI"};

// Nested messages of HloInstructionProto.
constexpr uint32_t kDot = 30, kGather = 33, kScatter = 48, kPrecision = 51, kTriangularSolve = 59, kCholesky = 62,
                   kRaggedDot = 90, kRaggedDotDimensions = inside(kRaggedDot, 1);

constexpr Place kPlaces[] = {
    {.key = "parameter_number", .form = kValue, .outer = 0, .number = 9, .kind = kInt64},
    {.key = "value", .form = kValue, .outer = 0, .number = 8, .kind = kLiteral},
    {.key = "index", .form = kValue, .outer = 0, .number = 13, .kind = kInt64},
    {.key = "dimensions", .form = kRepeated, .outer = 0, .number = 14, .kind = kInt64List},
    {.key = "iota_dimension", .form = kRepeated, .outer = 0, .number = 14, .kind = kInt64List},
    {.key = "scan_dimension", .form = kRepeated, .outer = 0, .number = 14, .kind = kInt64List},
    {.key = "slice", .form = kValue, .outer = 0, .number = 17, .kind = kSliceRanges},
    {.key = "exponent_bits", .form = kValue, .outer = 0, .number = 18, .kind = kInt64},
    {.key = "mantissa_bits", .form = kValue, .outer = 0, .number = 19, .kind = kInt64},
    {.key = "dynamic_slice_sizes", .form = kValue, .outer = 0, .number = 20, .kind = kInt64List},
    {.key = "padding", .form = kValue, .outer = 0, .number = 21, .kind = kPadding},
    {.key = "direction", .form = kWord, .outer = 0, .number = 63, .kind = kEnum},
    {.key = "type", .form = kWord, .outer = 0, .number = 72, .kind = kEnum},
    {.key = "is_stable", .form = kValue, .outer = 0, .number = kIsStable, .kind = kBool},
    {.key = "is_composite", .form = kValue, .outer = 0, .number = 89, .kind = kBool},
    {.key = "indices_are_sorted", .form = kValue, .outer = 0, .number = 67, .kind = kBool},
    {.key = "unique_indices", .form = kValue, .outer = 0, .number = 69, .kind = kBool},
    {.key = "algorithm",
     .form = kValue,
     .outer = 0,
     .number = 70,
     .kind = kEnum,
     .names = kRandomAlgorithmNames,
     .only = Opcode::kRngBitGenerator},
    {.key = "distribution", .form = kValue, .outer = 0, .number = 23, .kind = kEnum, .names = kDistributions},
    {.key = "delta", .form = kValue, .outer = 0, .number = 66, .kind = kInt64},

    {.key = "lhs_contracting_dims", .form = kValue, .outer = kDot, .number = 1, .kind = kInt64List},
    {.key = "rhs_contracting_dims", .form = kValue, .outer = kDot, .number = 2, .kind = kInt64List},
    {.key = "lhs_batch_dims", .form = kValue, .outer = kDot, .number = 3, .kind = kInt64List},
    {.key = "rhs_batch_dims", .form = kValue, .outer = kDot, .number = 4, .kind = kInt64List},
    {.key = "lhs_contracting_dims",
     .form = kValue,
     .outer = kRaggedDotDimensions,
     .number = 1,
     .kind = kInt64List,
     .only = Opcode::kRaggedDot},
    {.key = "rhs_contracting_dims",
     .form = kValue,
     .outer = kRaggedDotDimensions,
     .number = 2,
     .kind = kInt64List,
     .only = Opcode::kRaggedDot},
    {.key = "lhs_batch_dims",
     .form = kValue,
     .outer = kRaggedDotDimensions,
     .number = 3,
     .kind = kInt64List,
     .only = Opcode::kRaggedDot},
    {.key = "rhs_batch_dims",
     .form = kValue,
     .outer = kRaggedDotDimensions,
     .number = 4,
     .kind = kInt64List,
     .only = Opcode::kRaggedDot},
    {.key = "lhs_ragged_dims", .form = kValue, .outer = kRaggedDot, .number = 2, .kind = kInt64List},
    {.key = "rhs_group_dims", .form = kValue, .outer = kRaggedDot, .number = 3, .kind = kInt64List},

    {.key = "offset_dims", .form = kValue, .outer = kGather, .number = 1, .kind = kInt64List},
    {.key = "collapsed_slice_dims", .form = kValue, .outer = kGather, .number = 2, .kind = kInt64List},
    {.key = "start_index_map", .form = kValue, .outer = kGather, .number = 3, .kind = kInt64List},
    {.key = "index_vector_dim", .form = kValue, .outer = kGather, .number = 4, .kind = kInt64, .only = Opcode::kGather},
    {.key = "operand_batching_dims", .form = kValue, .outer = kGather, .number = 5, .kind = kInt64List},
    {.key = "start_indices_batching_dims", .form = kValue, .outer = kGather, .number = 6, .kind = kInt64List},
    {.key = "slice_sizes", .form = kValue, .outer = 0, .number = 34, .kind = kInt64List},

    {.key = "update_window_dims", .form = kValue, .outer = kScatter, .number = 1, .kind = kInt64List},
    {.key = "inserted_window_dims", .form = kValue, .outer = kScatter, .number = 2, .kind = kInt64List},
    {.key = "scatter_dims_to_operand_dims", .form = kValue, .outer = kScatter, .number = 3, .kind = kInt64List},
    {.key = "index_vector_dim",
     .form = kValue,
     .outer = kScatter,
     .number = 4,
     .kind = kInt64,
     .only = Opcode::kScatter},
    {.key = "input_batching_dims", .form = kValue, .outer = kScatter, .number = 5, .kind = kInt64List},
    {.key = "scatter_indices_batching_dims", .form = kValue, .outer = kScatter, .number = 6, .kind = kInt64List},

    {.key = "window", .form = kValue, .outer = 0, .number = 15, .kind = kWindow},
    {.key = "dim_labels", .form = kValue, .outer = 0, .number = 16, .kind = kConvolutionDimensions},
    {.key = "feature_group_count",
     .form = kValue,
     .outer = 0,
     .number = 50,
     .kind = kInt64,
     .only = Opcode::kConvolution,
     .unshown = 1},
    {.key = "batch_group_count",
     .form = kValue,
     .outer = 0,
     .number = 58,
     .kind = kInt64,
     .only = Opcode::kConvolution,
     .unshown = 1},
    {.key = "padding_type", .form = kValue, .outer = 0, .number = 75, .kind = kEnum, .names = kPaddingTypes},
    {.key = "operand_precision",
     .form = kNumbers,
     .outer = kPrecision,
     .number = 1,
     .kind = kStringList,
     .names = kPrecisions},
    {.key = "algorithm", .form = kValue, .outer = kPrecision, .number = 2, .kind = kEnum, .names = kDotAlgorithmNames},

    {.key = "fft_type",
     .form = kValue,
     .outer = 0,
     .number = 31,
     .kind = kEnum,
     .names = kFftTypes,
     .only = Opcode::kFft,
     .always = true},
    {.key = "fft_length",
     .form = kValue,
     .outer = 0,
     .number = 32,
     .kind = kInt64List,
     .only = Opcode::kFft,
     .always = true},
    {.key = "lower", .form = kValue, .outer = kCholesky, .number = 1, .kind = kBool, .only = Opcode::kCholesky},
    {.key = "left_side", .form = kValue, .outer = kTriangularSolve, .number = 1, .kind = kBool},
    {.key = "lower", .form = kValue, .outer = kTriangularSolve, .number = 2, .kind = kBool},
    {.key = "unit_diagonal", .form = kValue, .outer = kTriangularSolve, .number = 3, .kind = kBool},
    {.key = "transpose_a", .form = kValue, .outer = kTriangularSolve, .number = 4, .kind = kEnum, .names = kTransposes},
    {.key = "epsilon", .form = kValue, .outer = 0, .number = 24, .kind = kDouble},
    {.key = "feature_index",
     .form = kValue,
     .outer = 0,
     .number = 25,
     .kind = kInt64,
     .only = Opcode::kBatchNormGrad,
     .always = true},
    {.key = "feature_index",
     .form = kValue,
     .outer = 0,
     .number = 25,
     .kind = kInt64,
     .only = Opcode::kBatchNormInference,
     .always = true},
    {.key = "feature_index",
     .form = kValue,
     .outer = 0,
     .number = 25,
     .kind = kInt64,
     .only = Opcode::kBatchNormTraining,
     .always = true},
    {.key = "k", .form = kValue, .outer = 0, .number = 81, .kind = kInt64, .only = Opcode::kTopK, .always = true},
    {.key = "largest", .form = kValue, .outer = 0, .number = 85, .kind = kBool, .only = Opcode::kTopK, .always = true},
    {.key = "is_reverse", .form = kValue, .outer = 0, .number = 94, .kind = kBool},
    {.key = "num_carries", .form = kValue, .outer = 0, .number = 95, .kind = kInt64},
    {.key = "is_associative", .form = kValue, .outer = 0, .number = 96, .kind = kEnum, .names = kStates},

    {.key = "custom_call_target",
     .form = kQuoted,
     .outer = 0,
     .number = 28,
     .kind = kString,
     .only = Opcode::kCustomCall,
     .always = true},
    {.key = "operand_layout_constraints", .form = kLayouts, .outer = 0, .number = 57, .kind = kString},
    {.key = "custom_call_has_side_effect", .form = kValue, .outer = 0, .number = 65, .kind = kBool},
    {.key = "kind", .form = kValue, .outer = 0, .number = 11, .kind = kString},
    {.key = "output_to_operand_aliasing", .form = kAliases, .outer = 0, .number = 74, .kind = kString},
    {.key = "schedule", .form = kValue, .outer = 0, .number = 76, .kind = kEnum, .names = kSchedules},
    {.key = "api_version",
     .form = kValue,
     .outer = 0,
     .number = 77,
     .kind = kEnum,
     .names = kApiVersions,
     .only = Opcode::kCustomCall,
     .unshown = 1},
    {.key = "infeed_config", .form = kQuoted, .outer = 0, .number = 27, .kind = kString},
    {.key = "outfeed_shape", .form = kValue, .outer = 0, .number = 29, .kind = kShape},
    {.key = "outfeed_config", .form = kQuoted, .outer = 0, .number = 22, .kind = kString},

    {.key = "channel_id", .form = kValue, .outer = 0, .number = 26, .kind = kInt64},
    {.key = "replica_groups", .form = kGroups, .outer = 0, .number = 87, .kind = kString},
    {.key = "use_global_device_ids", .form = kValue, .outer = 0, .number = 71, .kind = kBool},
    {.key = "constrain_layout", .form = kValue, .outer = 0, .number = 56, .kind = kBool},
    {.key = "source_target_pairs", .form = kValue, .outer = 0, .number = 52, .kind = kInt64Pairs},
    {.key = "is_host_transfer", .form = kValue, .outer = 0, .number = 47, .kind = kBool},
    {.key = "async_execution_thread", .form = kQuoted, .outer = 0, .number = 79, .kind = kString},
    {.key = "cross_program_prefetch_index", .form = kValue, .outer = 0, .number = 80, .kind = kInt64},

    {.key = "to_apply", .form = kCalled, .outer = 0, .number = 0, .kind = kComputation},
    {.key = "calls", .form = kCalled, .outer = 0, .number = 0, .kind = kComputation},
    {.key = "body", .form = kCalled, .outer = 0, .number = 0, .kind = kComputation},
    {.key = "condition", .form = kCalled, .outer = 0, .number = 1, .kind = kComputation},
    {.key = "branch_computations", .form = kCalled, .outer = 0, .number = 0, .kind = kComputations},
    {.key = "called_computations", .form = kCalled, .outer = 0, .number = 0, .kind = kComputations},
    {.key = "select", .form = kCalled, .outer = 0, .number = 0, .kind = kComputation},
    {.key = "scatter", .form = kCalled, .outer = 0, .number = 1, .kind = kComputation},
    {.key = "predicated", .form = kFollows, .outer = 0, .number = 0, .kind = kBool},
};

}  // namespace

std::span<const Place> places() { return kPlaces; }

Status no_form(const Place& place) {
  return unimplemented(fmt::format("attribute {} can't be represented in HloModuleProto", quote(place.key)));
}

const Place* find_place(Opcode opcode, std::string_view key) {
  const Place* found = nullptr;
  for (const Place& place : kPlaces) {
    if (place.key != key || (place.only && *place.only != opcode)) continue;
    if (place.only) return &place;
    if (found == nullptr) found = &place;
  }
  return found;
}

std::span<const PlacedField> placed_fields(Opcode opcode) {
  static const auto* const table = [] {
    auto* const all = new std::array<std::vector<PlacedField>, kOpcodeCount>;
    for (size_t i = 0; i < all->size(); ++i) {
      const auto of = static_cast<Opcode>(i);
      for (const AttributeField& field : op_def(of).attributes.fields) {
        if (!text::is_frontend_field(field)) (*all)[i].push_back({&field, find_place(of, field.name)});
      }
    }
    return all;
  }();
  return (*table)[ordinal(opcode)];
}

std::span<const Place* const> raw_places(Opcode opcode) {
  static const auto* const table = [] {
    auto* const all = new std::array<std::vector<const Place*>, kOpcodeCount>;
    for (size_t i = 0; i < all->size(); ++i) {
      const auto of = static_cast<Opcode>(i);
      if (!has_raw_attributes(of)) continue;
      for (const Place& place : kPlaces) {
        const bool text =
            place.form != kCalled && place.form != kFollows && place.form != kWord && place.kind != kLiteral;
        if (text && find_place(of, place.key) == &place) (*all)[i].push_back(&place);
      }
    }
    return all;
  }();
  return (*table)[ordinal(opcode)];
}

}  // namespace hilo::hlo::proto
