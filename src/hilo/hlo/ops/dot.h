// SPDX-License-Identifier: Apache-2.0
// hlo/ops/dot.h -- the dot op: batch and contracting dimensions; the declared shape determines the result type.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

/// XLA's dot algorithms. They are stored, but hilo always computes at the result's precision or better.
enum class DotAlgorithm : uint8_t {
  kUnset,
  kAnyF8AnyF8F32,
  kAnyF8AnyF8F32FastAccum,
  kF16F16F16,
  kF16F16F32,
  kBf16Bf16Bf16,
  kBf16Bf16F32,
  kBf16Bf16F32X3,
  kBf16Bf16F32X6,
  kTf32Tf32F32,
  kTf32Tf32F32X3,
  kF32F32F32,
  kF64F64F64,
  kBf16Bf16F32X9,
};
inline constexpr std::string_view kDotAlgorithmNames[] = {"",
                                                          "dot_any_f8_any_f8_f32",
                                                          "dot_any_f8_any_f8_f32_fast_accum",
                                                          "dot_f16_f16_f16",
                                                          "dot_f16_f16_f32",
                                                          "dot_bf16_bf16_bf16",
                                                          "dot_bf16_bf16_f32",
                                                          "dot_bf16_bf16_f32_x3",
                                                          "dot_bf16_bf16_f32_x6",
                                                          "dot_tf32_tf32_f32",
                                                          "dot_tf32_tf32_f32_x3",
                                                          "dot_f32_f32_f32",
                                                          "dot_f64_f64_f64",
                                                          "dot_bf16_bf16_f32_x9"};

struct DotAttributes : Attributes {
  Int64List lhs_batch_dimensions, lhs_contracting_dimensions;
  Int64List rhs_batch_dimensions, rhs_contracting_dimensions;
  StringList operand_precision;  ///< default, high, highest; stored but not used
  DotAlgorithm algorithm = DotAlgorithm::kUnset;
};

/// Returns the dimensions of an operand that are neither batch nor contracting, in order.
Int64List free_dimensions(int64_t rank, const Int64List& batch, const Int64List& contracting);

const OpDef& dot_op();

}  // namespace hilo::hlo
