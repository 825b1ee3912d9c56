// SPDX-License-Identifier: Apache-2.0
// scipy/special/bessel.h -- Bessel functions and spherical harmonics.
#pragma once

#include "hilo/array/array.h"

namespace hilo::scipy::special {

/// The modified Bessel functions of order 0 and 1; those with e are times exp(-|x|).
Array i0(const Operand& x);
Array i0e(const Operand& x);
Array i1(const Operand& x);
Array i1e(const Operand& x);
struct BesselOptions {
  int64_t v;            ///< the greatest order
  int64_t n_iter = 50;  ///< where the backward recurrence begins
};
/// The Bessel functions of the first kind of orders 0..v: x's shape with v + 1 in front. Right to the last bits for |z| well
/// below n_iter.
/// Gradient  by the orders beside: J_k' = (J_{k-1} - J_{k+1}) / 2
/// Source    Miller's algorithm, DLMF 3.6(iii) with 10.12.4, of quotients as 10.10.1
/// Errors    INVALID_ARGUMENT for v below 0 or above n_iter
Array bessel_jn(const Operand& z, const BesselOptions& options);
struct HarmonicOptions {
  std::optional<int64_t> n_max = std::nullopt;  ///< the greatest n, if that isn't known
};
/// The spherical harmonics of degree n and order m at polar angle theta and azimuth phi: vectors of one length, complex.
/// Source    DLMF 14.30.1, with 14.10.3 for the Legendre functions
/// Errors    INVALID_ARGUMENT where the lengths differ
Array sph_harm_y(const Operand& n, const Operand& m, const Operand& theta, const Operand& phi,
                 const HarmonicOptions& options = {});

}  // namespace hilo::scipy::special
