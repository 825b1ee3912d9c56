// SPDX-License-Identifier: Apache-2.0
// tests/support/elementwise_oracle.h -- what one element of an elementwise op must be, by another way than hilo's.
#pragma once

#include "hilo/hlo/ir/opcode.h"
#include "tests/support/number.h"

namespace hilo::tests {

/// Integers and pred, in 128 bits; the caller wraps the result to the type. `bits` and `is_signed` are the type's; pred
/// has 1 bit.
Whole whole_oracle(hlo::Opcode opcode, int bits, bool is_signed, Whole x, Whole y);
/// Floats, in 64 bits of mantissa. compare, select, clamp, convert and reduce-precision have samples of their own.
long double real_oracle(hlo::Opcode opcode, long double x, long double y);
/// Complex numbers.
Wide complex_oracle(hlo::Opcode opcode, const Wide& x, const Wide& y);

}  // namespace hilo::tests
