// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/accuracy.h -- the greatest error of each elementary function, in one table: tests assert it, the
// documentation prints it.
#pragma once

#include <array>

#include "hilo/hlo/ir/opcode.h"

namespace hilo::cpu {

/// Greatest distance from the true value in units of the last place of the result, over all arguments and instruction
/// sets. f16 and bf16 are the f32 function rounded once more.
struct Accuracy {
  hlo::Opcode opcode;
  double f32_ulp;
  double f64_ulp;
};

inline constexpr std::array<Accuracy, 25> kAccuracy = {{
    {hlo::Opcode::kAcos, 0.6, 0.6},     {hlo::Opcode::kAcosh, 0.6, 2.0}, {hlo::Opcode::kAsin, 0.6, 0.6},
    {hlo::Opcode::kAsinh, 0.6, 2.0},    {hlo::Opcode::kAtan, 0.6, 0.6},  {hlo::Opcode::kAtan2, 2.0, 0.6},
    {hlo::Opcode::kAtanh, 0.6, 2.0},    {hlo::Opcode::kCbrt, 0.6, 4.0},  {hlo::Opcode::kCos, 0.6, 0.8},
    {hlo::Opcode::kCosh, 0.6, 1.5},     {hlo::Opcode::kErf, 1.5, 1.5},   {hlo::Opcode::kExp, 1.0, 1.0},
    {hlo::Opcode::kExpm1, 1.5, 2.0},    {hlo::Opcode::kLog, 1.0, 0.7},   {hlo::Opcode::kLog1p, 1.5, 1.5},
    {hlo::Opcode::kLogistic, 2.5, 2.5}, {hlo::Opcode::kPower, 0.6, 0.6}, {hlo::Opcode::kRemainder, 0.0, 0.0},
    {hlo::Opcode::kRsqrt, 0.6, 0.6},    {hlo::Opcode::kSin, 0.6, 0.8},   {hlo::Opcode::kSinh, 0.6, 2.0},
    {hlo::Opcode::kSqrt, 0.5, 0.5},     {hlo::Opcode::kTan, 0.6, 0.6},   {hlo::Opcode::kTanh, 2.5, 3.0},
    {hlo::Opcode::kDivide, 0.5, 0.5},
}};

}  // namespace hilo::cpu
