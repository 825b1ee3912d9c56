// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/decompositions.h"

#include <fmt/format.h>

#include <utility>

#include "hilo/array/refuse.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/ext/linalg.h"
#include "hilo/lax/matrix.h"
#include "hilo/transform/custom_jvp.h"
#include "hilo/transform/grad.h"

namespace hilo::lax::linalg {
namespace {

std::vector<Array> bind_all(hlo::Opcode opcode, std::vector<Array> operands, hlo::AttributesPtr attributes = nullptr) {
  return bind({opcode, std::move(operands), std::move(attributes), std::nullopt});
}

}  // namespace

LuResult lu(const Operand& x) {
  const UserLocation here(x.location());
  std::vector<Array> r = bind_all(hlo::kExtLu, {x});
  return {r[0], r[1], r[2]};
}

QrResult qr(const Operand& x, bool full_matrices) {
  const UserLocation here(x.location());
  auto attributes = std::make_shared<hlo::QrAttributes>();
  attributes->full_matrices = full_matrices;
  std::vector<Array> r = bind_all(hlo::kExtQr, {x}, std::move(attributes));
  return {r[0], r[1]};
}

namespace {

Array columns_in_order(const Array& x, const Array& order) {
  return matrix::transposed(matrix::rows_in_order(matrix::transposed(x), order));
}

PivotedQrResult factors_with_pivoting(const Array& x, bool full_matrices) {
  const int64_t m = matrix::rows(x), n = matrix::columns(x), k = full_matrices ? m : std::min(m, n);
  const Shape order = Shape::array(ElementType::kS32, matrix::joined(matrix::batch_shape(x), {n}));
  if (x.size() == 0) {
    const QrResult nothing = qr(x, full_matrices);
    return {nothing.q, nothing.r, ops::iota(order, order.rank() - 1)};
  }
  const Geqp3Result f = geqp3(x, ops::full(order, 0));
  const Array reflectors = m < n           ? matrix::column_range(f.a, 0, m)
                           : full_matrices ? matrix::padded(f.a, 0, m - n)
                                           : f.a;
  return {householder_product(reflectors, f.taus), matrix::triu(matrix::row_range(f.a, 0, k)),
          ops::sub(f.jpvt, ops::full(order, 1))};
}

}  // namespace

PivotedQrResult qr_with_pivoting(const Operand& x, bool full_matrices) {
  const UserLocation here(x.location());
  if (x.array().ndim() < 2)
    refuse("qr_with_pivoting", "wanted at least 2 dimensions; got " + x.array().aval_shape().to_string());
  using One = std::tuple<Array>;
  const auto factors = [=](const Array& a) { return factors_with_pivoting(a, full_matrices); };
  return custom_jvp(factors).defjvp([=](const One& primals, const One& tangents) {
    const PivotedQrResult f = factors(std::get<0>(primals));
    const One ordered = columns_in_order(std::get<0>(primals), f.p);
    const One change = columns_in_order(std::get<0>(tangents), f.p);
    const auto [value, tangent] = jvp([=](const Array& a) { return qr(a, full_matrices); }, ordered, change);
    return std::pair(PivotedQrResult{value.q, value.r, f.p},
                     PivotedQrResult{tangent.q, tangent.r, ops::full_like(f.p, 0)});
  })(x.array());
}

ReflectorsResult geqrf(const Operand& x) {
  const UserLocation here(x.location());
  std::vector<Array> r = bind_all(hlo::kExtGeqrf, {x});
  return {r[0], r[1]};
}

ReflectorsResult hessenberg(const Operand& x) {
  const UserLocation here(x.location());
  std::vector<Array> r = bind_all(hlo::kExtHessenberg, {x});
  return {r[0], r[1]};
}

Array householder_product(const Operand& a, const Operand& taus) {
  const UserLocation here(a.location());
  return bind_all(hlo::kExtHouseholderProduct, {a, taus})[0];
}

Array ormqr(const Operand& a, const Operand& taus, const Operand& c, bool left, bool transpose) {
  const UserLocation here(a.location());
  auto attributes = std::make_shared<hlo::OrmqrAttributes>();
  attributes->left = left;
  attributes->transpose = transpose;
  return bind_all(hlo::kExtOrmqr, {a, taus, c}, std::move(attributes))[0];
}

Geqp3Result geqp3(const Operand& x, const Operand& jpvt) {
  const UserLocation here(x.location());
  std::vector<Array> r = bind_all(hlo::kExtGeqp3, {x, jpvt});
  return {r[0], r[1], r[2]};
}

EighResult eigh(const Operand& x, bool lower, bool symmetrize_input) {
  const UserLocation here(x.location());
  Array a = x;
  const bool square = a.ndim() >= 2 && a.shape(-1) == a.shape(-2);
  if (symmetrize_input && square) a = matrix::scaled(ops::add(a, matrix::adjoint(a)), 0.5);
  auto attributes = std::make_shared<hlo::TriangleAttributes>();
  attributes->lower = lower;
  std::vector<Array> r = bind_all(hlo::kExtEigh, {a}, std::move(attributes));
  return {r[0], r[1]};
}

TridiagonalResult tridiagonal(const Operand& x, bool lower) {
  const UserLocation here(x.location());
  auto attributes = std::make_shared<hlo::TriangleAttributes>();
  attributes->lower = lower;
  std::vector<Array> r = bind_all(hlo::kExtTridiagonal, {x}, std::move(attributes));
  return {r[0], r[1], r[2], r[3]};
}

std::vector<Array> svd(const Operand& x, bool full_matrices, bool compute_uv) {
  const UserLocation here(x.location());
  auto attributes = std::make_shared<hlo::SvdAttributes>();
  attributes->full_matrices = full_matrices;
  attributes->compute_uv = compute_uv;
  std::vector<Array> parts = bind_all(hlo::kExtSvd, {x}, std::move(attributes));
  if (compute_uv) std::swap(parts[0], parts[1]);  // the op returns s first
  return parts;
}

std::vector<Array> eig(const Operand& x, bool compute_left_eigenvectors, bool compute_right_eigenvectors,
                       bool enable_eigvec_derivs) {
  const UserLocation here(x.location());
  auto attributes = std::make_shared<hlo::EigAttributes>();
  attributes->compute_left_eigenvectors = compute_left_eigenvectors;
  attributes->compute_right_eigenvectors = compute_right_eigenvectors;
  attributes->enable_eigvec_derivs = enable_eigvec_derivs;
  return bind_all(hlo::kExtEig, {x}, std::move(attributes));
}

std::vector<Array> schur(const Operand& x, bool compute_schur_vectors) {
  const UserLocation here(x.location());
  auto attributes = std::make_shared<hlo::SchurAttributes>();
  attributes->compute_schur_vectors = compute_schur_vectors;
  return bind_all(hlo::kExtSchur, {x}, std::move(attributes));
}

namespace detail {
namespace {

/// Returns the part of x along `axis` from the subset's first index to before its last.
Array part_of(const Array& x, const IndexRange& subset, int64_t axis) {
  return subset ? ops::slice_along(x, axis, {subset.first(), subset.last(), 1}) : x;
}
void check_subset(const char* function, const IndexRange& subset, int64_t count) {
  if (!subset || (subset.first() >= 0 && subset.first() <= subset.last() && subset.last() <= count)) return;
  refuse(function,
         fmt::format("subset_by_index must lie in 0..{}; got {} and {}", count, subset.first(), subset.last()));
}

}  // namespace

QrResult qr(const Operand& x, const QrOptions& options) {
  const UserLocation here(x.location());
  if (options.pivoting) refuse("qr", "with pivots there are three results. Hint: qr_with_pivoting(x)");
  return linalg::qr(x, options.full_matrices);
}

EighResult eigh(const Operand& x, const EighOptions& options) {
  const UserLocation here(x.location());
  const EighResult all = linalg::eigh(x, options.lower, options.symmetrize_input);
  const IndexRange& subset = options.subset_by_index;
  const int64_t last = all.w.ndim() - 1;
  check_subset("eigh", subset, all.w.shape(last));
  return {part_of(all.v, subset, last + 1), part_of(all.w, subset, last)};
}

std::vector<Array> svd(const Operand& x, const SvdOptions& options) {
  const UserLocation here(x.location());
  std::vector<Array> parts = linalg::svd(x, options.full_matrices, options.compute_uv);
  const IndexRange& subset = options.subset_by_index;
  Array& values = parts[options.compute_uv ? 1 : 0];
  const int64_t last = values.ndim() - 1;
  check_subset("svd", subset, values.shape(last));
  values = part_of(values, subset, last);
  if (!options.compute_uv) return parts;
  parts[0] = part_of(parts[0], subset, last + 1);
  parts[2] = part_of(parts[2], subset, last);
  return parts;
}

}  // namespace detail
}  // namespace hilo::lax::linalg
