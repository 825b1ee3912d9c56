// SPDX-License-Identifier: Apache-2.0
// scipy/linalg/qr.h -- QR decompositions and products with Q, by their names in jax.scipy.linalg.
#pragma once

#include "hilo/lax/decompositions.h"
#include "hilo/linalg/linalg.h"

namespace hilo::scipy::linalg {

struct QrOptions {
  const char* mode = "full";  ///< or economic. JAX's mode r is qr(a).r
  bool pivoting = false;      ///< true is qr_with_pivoting
};
/// Errors    INVALID_ARGUMENT for another mode, and with pivoting
hilo::linalg::QrResult qr(const Operand& a, const QrOptions& options = {});
struct PivotedQrOptions {
  const char* mode = "full";  ///< or economic
};
/// a[:, p] = q r: the diagonal of r falls in size.
lax::linalg::PivotedQrResult qr_with_pivoting(const Operand& a, const PivotedQrOptions& options = {});

struct QrMultiplyOptions {
  const char* mode = "right";  ///< c q, or left: q c
  bool pivoting = false;       ///< true is qr_multiply_with_pivoting
  bool conjugate = false;      ///< with q's conjugate
};
struct QrMultiplyResult {
  Array cq, r;
};
/// The products of c and the first min(m, n) columns q of a's Q, which is not formed, and r of a = q r.
/// Shapes    a[..., m, n]; on the right c[..., p, m] -> [..., p, k], on the left c[..., k, p] -> [..., m, p], k = min(m, n). A
///           vector c is one row (on the right) or one column, and so is the product. Axes in front broadcast
/// Errors    INVALID_ARGUMENT for another mode, shapes that don't fit, and with pivoting
QrMultiplyResult qr_multiply(const Operand& a, const Operand& c, const QrMultiplyOptions& options = {});
struct PivotedQrMultiplyOptions {
  const char* mode = "right";
  bool conjugate = false;
};
struct PivotedQrMultiplyResult {
  Array cq, r, p;
};
/// The same of a[:, p] = q r.
PivotedQrMultiplyResult qr_multiply_with_pivoting(const Operand& a, const Operand& c,
                                                  const PivotedQrMultiplyOptions& options = {});

}  // namespace hilo::scipy::linalg
