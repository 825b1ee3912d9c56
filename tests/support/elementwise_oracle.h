// SPDX-License-Identifier: Apache-2.0
// tests/support/elementwise_oracle.h -- computes the expected result of an elementwise op on one element, independently
// of hilo.
#pragma once

#include "hilo/hlo/ir/opcode.h"
#include "tests/support/number.h"

namespace hilo::tests {

/// For integers and pred, in 128 bits; the caller wraps the result to the type. `bits` and `is_signed` are the type's;
/// pred has 1 bit.
Whole whole_oracle(hlo::Opcode opcode, int bits, bool is_signed, Whole x, Whole y);
/// For floats, with 64 bits of mantissa. compare, select, clamp, convert and reduce-precision have separate samples.
long double real_oracle(hlo::Opcode opcode, long double x, long double y);
/// For complex numbers.
Wide complex_oracle(hlo::Opcode opcode, const Wide& x, const Wide& y);

}  // namespace hilo::tests
