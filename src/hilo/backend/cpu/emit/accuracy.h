// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/accuracy.h -- the maximum error of each elementary and special function, in one table. Tests check
// it; the documentation prints it.
#pragma once

#include <algorithm>
#include <array>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/types/element_type.h"

namespace hilo::cpu {

/// Maximum distance from the true value in units of the last place of the result, over all arguments and instruction
/// sets. f16 and bf16 are the f32 function rounded once more.
struct Accuracy {
  hlo::Opcode opcode;
  double f32_ulp;
  double f64_ulp;
  double narrow_ulp = 0.51;

  constexpr double ulps(ElementType type) const {
    if (type == ElementType::kF64) return f64_ulp;
    return type == ElementType::kF32 ? f32_ulp : narrow_ulp;
  }
  /// Maximum error of the reference evaluator, which calls the C library.
  constexpr double reference_ulps(ElementType type) const {
    const bool is_narrow = type != ElementType::kF64 && type != ElementType::kF32;
    return is_narrow || ulps(type) <= 0.5 ? ulps(type) : std::max(ulps(type), 2.0);
  }
};

inline constexpr std::array kAccuracy = std::to_array<Accuracy>({
    {hlo::Opcode::kAcos, 0.6, 0.6},
    {hlo::Opcode::kAcosh, 0.6, 2.0},
    {hlo::Opcode::kAsin, 0.6, 0.6},
    {hlo::Opcode::kAsinh, 0.6, 2.0},
    {hlo::Opcode::kAtan, 0.6, 0.6},
    {hlo::Opcode::kAtan2, 1.2, 0.6},
    {hlo::Opcode::kAtanh, 0.6, 2.0},
    {hlo::Opcode::kCbrt, 0.6, 3.5},
    {hlo::Opcode::kCos, 0.6, 0.8},
    {hlo::Opcode::kCosh, 0.6, 1.5},
    {hlo::Opcode::kDivide, 0.5, 0.5},
    {hlo::Opcode::kErf, 1.5, 1.5},
    {hlo::Opcode::kExp, 1.0, 1.0},
    {hlo::Opcode::kExpm1, 1.5, 2.0},
    {hlo::Opcode::kLog, 1.0, 0.7},
    {hlo::Opcode::kLog1p, 1.5, 1.5},
    {hlo::Opcode::kLogistic, 1.8, 1.8},
    {hlo::Opcode::kPower, 0.6, 0.6},
    {hlo::Opcode::kRemainder, 0.0, 0.0, 0.0},
    {hlo::Opcode::kRsqrt, 0.6, 0.6},
    {hlo::Opcode::kSin, 0.6, 0.8},
    {hlo::Opcode::kSinh, 0.6, 2.0},
    {hlo::Opcode::kSqrt, 0.5, 0.5},
    {hlo::Opcode::kTan, 0.6, 0.8},
    {hlo::Opcode::kTanh, 2.5, 2.5},
    {hlo::kExtBesselI0e, 3, 3},
    {hlo::kExtBesselI1e, 3.5, 3.5},
    {hlo::kExtDigamma, 10, 9},
    {hlo::kExtErfInv, 4, 4},
    {hlo::kExtErfc, 10, 11},
    {hlo::kExtLgamma, 27, 27},
    {hlo::kExtPolygamma, 80, 60},
    {hlo::kExtZeta, 15, 22},
});

/// Functions whose formulas cancel near their zeros. There, the error is in units of the last place of 1.
inline constexpr std::array kCancelling = {hlo::kExtDigamma, hlo::kExtLgamma};

}  // namespace hilo::cpu
