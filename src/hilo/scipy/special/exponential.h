// SPDX-License-Identifier: Apache-2.0
// scipy/special/exponential.h -- exponential and trigonometric integrals, and the dilogarithm.
#pragma once

#include "hilo/array/array.h"

namespace hilo::scipy::special {

/// Computes the exponential integral Ei: the principal value of the integral of e^t / t from -inf to x.
/// Source    DLMF 6.6, 6.12
Array expi(const Operand& x);
/// Computes the integral of e^-t / t from x to inf.
Array exp1(const Operand& x);
/// Computes the integral of e^(-xt) / t^n over t from 1 to inf.
/// Gradient  by x only
/// Source    DLMF 8.19.8, 8.19.17
Array expn(const Operand& n, const Operand& x);
struct SiciResult {
  Array si, ci;
};
/// Computes the sine and cosine integrals.
/// Source    DLMF 6.6, 6.5.7 with 6.9.1
SiciResult sici(const Operand& x);
/// Computes the dilogarithm of 1 - x.
/// Types     f32 and f64
/// Source    DLMF 25.12
Array spence(const Operand& x);

}  // namespace hilo::scipy::special
