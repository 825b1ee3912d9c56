// SPDX-License-Identifier: Apache-2.0
// scipy/linalg/qr.h -- QR decompositions and products with Q, by their names in jax.scipy.linalg.
#pragma once

#include "hilo/lax/decompositions.h"
#include "hilo/linalg/linalg.h"

namespace hilo::scipy::linalg {

struct QrOptions {
  const char* mode = "full";  ///< "full" or "economic"; for JAX's mode "r", use qr(a).r
  bool pivoting = false;      ///< true is rejected: use qr_with_pivoting
};
/// Computes the QR decomposition a = q r.
/// Errors    INVALID_ARGUMENT for an unknown mode, and for pivoting = true
hilo::linalg::QrResult qr(const Operand& a, const QrOptions& options = {});
struct PivotedQrOptions {
  const char* mode = "full";  ///< "full" or "economic"
};
/// Computes the QR decomposition with column pivoting: a[:, p] = q r. The diagonal of r decreases in absolute value.
lax::linalg::PivotedQrResult qr_with_pivoting(const Operand& a, const PivotedQrOptions& options = {});

struct QrMultiplyOptions {
  const char* mode = "right";  ///< "right": c q; "left": q c
  bool pivoting = false;       ///< true is rejected: use qr_multiply_with_pivoting
  bool conjugate = false;      ///< whether to multiply by the conjugate of q
};
struct QrMultiplyResult {
  Array cq, r;
};
/// Returns the product of c with the first k = min(m, n) columns q of a's Q, which is not formed, and r of a = q r.
/// Shapes    a[..., m, n]; right: c[..., p, m] -> [..., p, k]; left: c[..., k, p] -> [..., m, p]. A vector c is one row
///           (right) or one column (left), and so is the product. Leading axes broadcast
/// Errors    INVALID_ARGUMENT for an unknown mode, shapes that don't match, and pivoting = true
QrMultiplyResult qr_multiply(const Operand& a, const Operand& c, const QrMultiplyOptions& options = {});
struct PivotedQrMultiplyOptions {
  const char* mode = "right";
  bool conjugate = false;
};
struct PivotedQrMultiplyResult {
  Array cq, r, p;
};
/// Returns the same products for the decomposition with pivoting, a[:, p] = q r.
PivotedQrMultiplyResult qr_multiply_with_pivoting(const Operand& a, const Operand& c,
                                                  const PivotedQrMultiplyOptions& options = {});

}  // namespace hilo::scipy::linalg
