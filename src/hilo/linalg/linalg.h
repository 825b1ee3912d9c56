// SPDX-License-Identifier: Apache-2.0
// linalg/linalg.h -- jax.numpy.linalg. Matrices are the last two dimensions; those before are batches, which broadcast.
// Integers become floats. Decompositions are of f32, f64 and complex numbers; as in JAX there are none of half floats.
#pragma once

#include <optional>
#include <string_view>

#include "hilo/lax/decompositions.h"
#include "hilo/lax/precision.h"
#include "hilo/numpy/contractions.h"
#include "hilo/numpy/dtypes.h"

namespace hilo::linalg {

struct CholeskyOptions {
  bool upper = false;
  bool symmetrize_input = true;
};
/// The lower factor L of a = L L^H, or the upper one; NaN where `a` isn't positive definite.
Array cholesky(const Operand& a, const CholeskyOptions& options = {});

/// x of a x = b. A vector b of one dimension is one right side.
/// Shapes    a[..., n, n], b[..., n, k] or b[n] -> as b
Array solve(const Operand& a, const Operand& b);
Array inv(const Operand& a);
/// Derivatives hold for singular matrices too: that of det is the adjugate.
/// Cost      two LU decompositions from 4 rows on
Array det(const Operand& a);
struct SlogdetOptions {
  std::optional<const char*> method = std::nullopt;  ///< lu, as by default, or qr
};
/// Of a singular matrix {0, -inf}; the derivative of the sign is zero, that of the logarithm isn't finite there.
struct SlogdetResult {
  Array sign, logabsdet;
};
SlogdetResult slogdet(const Operand& a, const SlogdetOptions& options = {});

struct QrOptions {
  const char* mode = "reduced";  ///< or full, by its old name, or complete, or raw. JAX's mode r is qr(a).r
};
struct QrResult {
  Array q, r;
};
/// a = q r; raw is what LAPACK gives: reflectors with r beside them, transposed, in q, and their factors in r.
/// Errors    INVALID_ARGUMENT for another mode
QrResult qr(const Operand& a, const QrOptions& options = {});
template <int = 0>
QrResult qr(const Operand& a, const char* mode) {
  return qr(a, QrOptions{.mode = mode});
}

struct SvdOptions {
  bool full_matrices = true;
  bool compute_uv = true;  ///< false is svdvals
  bool hermitian = false;  ///< a is: the decomposition comes from its eigenvectors
  /// From which singular value to before which.
  lax::linalg::IndexRange subset_by_index = std::nullopt;
};
struct SvdResult {
  Array u, s, vh;
  operator Array() const = delete;  // instead of svd(a, {.compute_uv = false}):  svdvals(a)
};
/// Errors    INVALID_ARGUMENT without compute_uv
SvdResult svd(const Operand& a, const SvdOptions& options = {});
template <std::same_as<bool> T>
SvdResult svd(const Operand& a, T full_matrices) {
  return svd(a, SvdOptions{.full_matrices = full_matrices});
}
Array svdvals(const Operand& a);

struct EighOptions {
  /// The triangle that is read where the input isn't symmetrised: L, as by default, or U.
  std::optional<const char*> UPLO = std::nullopt;
  bool symmetrize_input = true;
};
struct EighResult {
  Array eigenvalues, eigenvectors;
};
/// Of the Hermitian part of `a`, or of the matrix with that triangle. Values ascend; vectors are columns.
EighResult eigh(const Operand& a, const EighOptions& options = {});
Array eigvalsh(const Operand& a, const EighOptions& options = {});
/// Complex values and vectors, in LAPACK's order. As in jax.numpy the vectors have no derivative: lax::linalg::eig's have.
EighResult eig(const Operand& a);
Array eigvals(const Operand& a);

struct LstsqOptions {
  std::optional<double> rcond = std::nullopt;
  bool numpy_resid =
      false;  ///< no residuals where NumPy gives none: of fewer columns' rank, or no more rows than columns
};
struct LstsqResult {
  Array x, resid, rank, s;
};
/// The shortest x that brings a x nearest to b; singular values under `rcond` of the greatest count as zero (by default the
/// type's epsilon times the greater extent).
/// Shapes    a[m, n], b[m] or b[m, k]
LstsqResult lstsq(const Operand& a, const Operand& b, const LstsqOptions& options = {});
struct PinvOptions {
  std::optional<Array> rtol = std::nullopt;
  bool hermitian = false;
  std::optional<Array> rcond = std::nullopt;  ///< rtol by its old name
};
struct MatrixRankOptions {
  std::optional<Array> rtol = std::nullopt;
  bool hermitian = false;
  std::optional<Array> tol = std::nullopt;  ///< rtol by its old name
};
/// Moore and Penrose's inverse; `rtol` as in jax.numpy, by default 10 times the greater extent times epsilon.
Array pinv(const Operand& a, const PinvOptions& options = {});
/// How many singular values are above `rtol` of the greatest, by default epsilon times the greater extent.
Array matrix_rank(const Operand& M, const MatrixRankOptions& options = {});
/// a^n; negative powers are those of the inverse.
Array matrix_power(const Operand& a, int64_t n);

/// The order of a norm.
struct Ord {
  enum class Kind : uint8_t { kNumber, kFrobenius, kNuclear };
  Ord(double value) : value(value) {}  // numbers are orders
  Ord(int value) : value(value) {}
  Ord(Kind kind) : kind(kind) {}
  Ord(const char* name);  // "fro", "nuc"
  Kind kind = Kind::kNumber;
  double value = 2;  ///< infinities too
};
inline constexpr Ord::Kind kFrobenius = Ord::Kind::kFrobenius, kNuclear = Ord::Kind::kNuclear;

struct NormOptions {
  numpy::Named named = numpy::Named();
  std::optional<Ord> ord = std::nullopt;
  numpy::Axes axis = std::nullopt;
  bool keepdims = false;
};
/// Of all elements; with an order or axes a vector's norm for one axis, a matrix's for two.
/// Errors    INVALID_ARGUMENT for an order that isn't one, or another number of axes
Array norm(const Operand& x, const NormOptions& options = {});
template <int = 0>
Array norm(const Operand& x, const std::optional<Ord>& ord, const numpy::Axes& axis = std::nullopt,
           bool keepdims = false) {
  return norm(x, NormOptions{.ord = ord, .axis = axis, .keepdims = keepdims});
}
struct VectorNormOptions {
  numpy::Axes axis = std::nullopt;  ///< by default of all elements
  bool keepdims = false;
  double ord = 2;
};
Array vector_norm(const Operand& x, const VectorNormOptions& options = {});
struct MatrixNormOptions {
  bool keepdims = false;
  Ord ord = kFrobenius;
};
/// Over the last two axes.
Array matrix_norm(const Operand& x, const MatrixNormOptions& options = {});
/// The norm of the matrix times that of its inverse; by default the greatest singular value over the least.
Array cond(const Operand& x, const std::optional<Ord>& p = std::nullopt);

Array matrix_transpose(const Operand& x);  ///< the last two axes in the other order
struct AxisOption {
  int64_t axis = -1;
};
/// Of vectors of three elements along an axis.
Array cross(const Operand& x1, const Operand& x2, const AxisOption& options = {});
/// Of two vectors. Errors    INVALID_ARGUMENT for other ranks
Array outer(const Operand& x1, const Operand& x2);
/// Sums in `preferred_element_type`; products are exact to the operands' type whatever `precision` asks for.
struct ProductOptions {
  lax::PrecisionLike precision = std::nullopt;
  numpy::Dtype preferred_element_type = std::nullopt;
};
Array matmul(const Operand& x1, const Operand& x2, const ProductOptions& options = {});
struct VecdotOptions {
  int64_t axis = -1;
  lax::PrecisionLike precision = std::nullopt;
  numpy::Dtype preferred_element_type = std::nullopt;
};
/// conj(x1) with x2 along an axis; other axes broadcast.
Array vecdot(const Operand& x1, const Operand& x2, const VecdotOptions& options = {});
/// So many last axes of one array with first axes of the other, or pairs of axes: {{0, 1}, {1, 0}}.
class TensordotAxes {
 public:
  TensordotAxes(int64_t count) : count_(count) {}  // both convert
  TensordotAxes(std::vector<int64_t> of_x1, std::vector<int64_t> of_x2)
      : pairs_(std::pair(std::move(of_x1), std::move(of_x2))) {}
  Array product(const Operand& x1, const Operand& x2) const;

 private:
  int64_t count_ = 0;
  std::optional<std::pair<std::vector<int64_t>, std::vector<int64_t>>> pairs_;
};
struct TensordotOptions {
  TensordotAxes axes = 2;
  lax::PrecisionLike precision = std::nullopt;
  numpy::Dtype preferred_element_type = std::nullopt;
};
Array tensordot(const Operand& x1, const Operand& x2, const TensordotOptions& options = {});  ///< products over axes
template <int = 0>
Array tensordot(const Operand& x1, const Operand& x2, const TensordotAxes& axes) {
  return tensordot(x1, x2, TensordotOptions{.axes = axes});
}
struct DiagonalOptions {
  int64_t offset = 0;
};
/// Of the last two axes.
Array diagonal(const Operand& x, const DiagonalOptions& options = {});
struct TraceOptions {
  int64_t offset = 0;
  numpy::Dtype dtype = std::nullopt;
};
Array trace(const Operand& x, const TraceOptions& options = {});
struct MultiDotOptions {
  lax::PrecisionLike precision = std::nullopt;  ///< products are exact to the operands' type in any case
};
/// The product of matrices in the cheapest order; the first and the last may be vectors.
/// Errors    INVALID_ARGUMENT for fewer than two, or shapes that don't fit
Array multi_dot(const std::vector<Array>& arrays, const MultiDotOptions& options = {},
                numpy::Line line = numpy::Line::current());
/// The tensor b of tensordot(b, a) = identity, over a's first `ind` axes.
Array tensorinv(const Operand& a, int64_t ind = 2);
struct TensorinvOptions {
  int64_t ind = 2;
};
template <int = 0>
Array tensorinv(const Operand& a, const TensorinvOptions& options) {
  return tensorinv(a, options.ind);
}
struct TensorsolveOptions {
  numpy::Axes axes = std::nullopt;  ///< of a, moved to its end first
};
/// x of tensordot(a, x, x.ndim) = b.
Array tensorsolve(const Operand& a, const Operand& b, const TensorsolveOptions& options = {});

}  // namespace hilo::linalg

namespace hilo::numpy {
namespace linalg = hilo::linalg;  // as jax.numpy has it
}  // namespace hilo::numpy
