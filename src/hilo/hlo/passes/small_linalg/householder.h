// SPDX-License-Identifier: Apache-2.0
// hlo/passes/small_linalg/householder.h -- QR of small matrices by Householder reflectors, written out.
#pragma once

#include "hilo/hlo/passes/small_linalg/elements.h"

namespace hilo::hlo::small_linalg {

struct Reflectors {
  Elements factors;  ///< R, and below its diagonal the reflectors
  Exprs taus;
};

/// Factors as LAPACK's geqrf. Columns with NaN or infinities, and all that depends on them, become NaN.
Reflectors factor_qr(Elements a);

/// Returns the product of the reflectors, as LAPACK's orgqr. Columns from the first reflector with NaN or infinities on
/// are NaN. Precondition: there are at least as many rows as columns
Elements product_of(const Reflectors& reflectors);

}  // namespace hilo::hlo::small_linalg
