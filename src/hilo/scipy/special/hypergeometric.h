// SPDX-License-Identifier: Apache-2.0
// scipy/special/hypergeometric.h -- hypergeometric functions of real numbers.
#pragma once

#include "hilo/array/array.h"

namespace hilo::scipy::special {

/// Computes Kummer's function 1F1(a; b; x), the sum of (a)_k / (b)_k x^k / k!. Infinite if b is 0 or a negative
/// integer, unless the sum ends before; 1 for a = 0.
/// Gradient  by all of a, b, x; by a and b from the series, with at most 1000 terms
/// Source    DLMF 13.2.2, 13.2.39, 13.7.2, 13.3.15; Pearson, Olver, Porter, "Numerical methods for the computation of
///           the confluent and Gauss hypergeometric functions" (2017)
Array hyp1f1(const Operand& a, const Operand& b, const Operand& x);

/// Computes Gauss's function 2F1(a, b; c; x), the sum of (a)_k (b)_k / (c)_k x^k / k! and its continuation to x <= 1.
/// Infinite for greater x, and if c is 0 or a negative integer, unless the sum ends before.
/// Gradient  by all arguments; by a, b and c from the series, with at most 10,000 terms, which suffice for x up to 0.99
/// Source    DLMF 15.2.1, 15.8.1, 15.8.4, 15.8.10, 15.4.20, 15.5.1
Array hyp2f1(const Operand& a, const Operand& b, const Operand& c, const Operand& x);

}  // namespace hilo::scipy::special
