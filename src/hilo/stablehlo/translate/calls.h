// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/calls.h -- translates calls of functions, composites, and custom calls.
#pragma once

#include "hilo/stablehlo/translate/op_context.h"

namespace hilo::stablehlo {

Status translate_call(const OpContext& op);
Status translate_check(const OpContext& op);

/// HLO's names of a custom call's api_version 0, 1, ...
inline constexpr std::string_view kApiVersions[] = {"API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL",
                                                    "API_VERSION_STATUS_RETURNING",
                                                    "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};
inline constexpr int64_t kTypedApiVersion = 4;

/// Target of a call that only keeps its operands from being removed.
inline constexpr std::string_view kSink = "dce_sink";

/// Returns the function that translates a custom call to other HLO ops; null for unknown targets (known_calls.cc).
Handler known_custom_call(std::string_view target);
Status translate_sparse_product(const OpContext& op);
Status translate_sharding_note(const OpContext& op);
Status translate_full_to_shard(const OpContext& op);
Status translate_shard_to_full(const OpContext& op);
Status translate_partitioned_call(const OpContext& op, const CustomPartition& partition);
/// Translates a composite of one of hilo's extension ops to that op. Returns false for other composites, or if it
/// doesn't match the op.
StatusOr<bool> restore_extension(const OpContext& op, std::string_view name);

}  // namespace hilo::stablehlo
