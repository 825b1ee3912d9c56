// SPDX-License-Identifier: Apache-2.0
// scipy/special/bessel.h -- Bessel functions and spherical harmonics.
#pragma once

#include "hilo/array/array.h"

namespace hilo::scipy::special {

/// Computes the modified Bessel functions of the first kind, i0 (order 0) and i1 (order 1). The functions with e are
/// multiplied by exp(-|x|).
Array i0(const Operand& x);
Array i0e(const Operand& x);
Array i1(const Operand& x);
Array i1e(const Operand& x);
struct BesselOptions {
  int64_t v;            ///< maximum order
  int64_t n_iter = 50;  ///< order from which the backward recurrence starts
};
/// Computes the Bessel functions of the first kind of orders 0..v. Accurate to the last bits for |z| well below n_iter.
/// Shapes    z[...] -> [v + 1, ...]
/// Gradient  by the neighboring orders: J_k' = (J_{k-1} - J_{k+1}) / 2
/// Source    Miller's algorithm, DLMF 3.6(iii) with 10.12.4, of quotients as 10.10.1
/// Errors    INVALID_ARGUMENT for v below 0 or above n_iter
Array bessel_jn(const Operand& z, const BesselOptions& options);
struct HarmonicOptions {
  std::optional<int64_t> n_max = std::nullopt;  ///< maximum of n; required if n is traced
};
/// Computes the complex spherical harmonics of degree n and order m at polar angle theta and azimuth phi, which are
/// vectors of one length.
/// Source    DLMF 14.30.1, with 14.10.3 for the Legendre functions
/// Errors    INVALID_ARGUMENT for different lengths
Array sph_harm_y(const Operand& n, const Operand& m, const Operand& theta, const Operand& phi,
                 const HarmonicOptions& options = {});

}  // namespace hilo::scipy::special
