// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/decompositions.h"

#include <utility>

#include "hilo/hlo/ops/ext/linalg.h"
#include "hilo/hlo/ops/extensions.h"
#include "hilo/lax/matrix.h"

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
  if (compute_uv) std::swap(parts[0], parts[1]);  // the op gives s first
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

}  // namespace hilo::lax::linalg
