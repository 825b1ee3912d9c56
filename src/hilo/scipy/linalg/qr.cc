// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/linalg/qr.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "hilo/lax/matrix.h"
#include "hilo/linalg/support.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"

namespace hilo::scipy::linalg {

namespace {

bool is_full(const char* function, std::string_view mode) {
  if (mode != "full" && mode != "economic")
    refuse(function, "unsupported mode '" + std::string(mode) + "'; wanted full or economic");
  return mode == "full";
}

/// Q as reflectors with R above them, and the permutation of the columns.
struct Reflected {
  Array a, taus, order;
};
Reflected reflected(const Array& a, bool pivoting) {
  if (!pivoting) {
    const lax::linalg::ReflectorsResult f = lax::linalg::geqrf(a);
    return {f.a, f.taus, Array()};
  }
  Dimensions free(a.shape().begin(), a.shape().end() - 2);
  free.push_back(a.shape(-1));
  const lax::linalg::Geqp3Result f = lax::linalg::geqp3(a, numpy::zeros(free, ElementType::kS32));
  return {f.a, f.taus, f.jpvt - 1};
}

Array with_batch(const Array& x, std::vector<int64_t> batch) {
  batch.insert(batch.end(), {x.shape(-2), x.shape(-1)});
  return numpy::spread_to(x, batch);
}

PivotedQrMultiplyResult multiplied(const char* function, const Array& a0, const Array& c0, std::string_view mode,
                                   bool pivoting, bool conjugate) {
  if (mode != "left" && mode != "right")
    refuse(function, "mode must be left or right; got '" + std::string(mode) + "'");
  const bool left = mode == "left", vector = c0.ndim() == 1;
  const auto [a, c] = hilo::linalg::same_type(hilo::linalg::matrix(function, a0), hilo::linalg::inexact(c0));
  const Array matrix = vector ? numpy::expand_dims(c, left ? 1 : 0) : c;
  const int64_t m = a.shape(-2), n = a.shape(-1), k = std::min(m, n);
  if (matrix.ndim() < 2 || matrix.shape(left ? -2 : -1) != (left ? k : m))
    refuse(function, std::string("wanted a[..., m, n] and c") + (left ? "[..., min(m, n), p]" : "[..., p, m]") +
                         "; got " + a.aval_shape().to_string() + " and " + c.aval_shape().to_string());
  const std::vector<int64_t> batch =
      numpy::broadcast_shapes(lax::matrix::batch_shape(a), lax::matrix::batch_shape(matrix));
  const Reflected f = reflected(with_batch(a, batch), pivoting);
  Array x = with_batch(matrix, batch);
  if (left) x = lax::matrix::padded(x, m - k, 0);  // the other columns of Q are multiplied by zeros
  // conj(Q) c is the transpose of c^T Q^H.
  if (conjugate) x = numpy::matrix_transpose(x);
  x = lax::linalg::ormqr(f.a, f.taus, x, left != conjugate, conjugate);
  if (conjugate) x = numpy::matrix_transpose(x);
  if (!left) x = lax::matrix::column_range(x, 0, k);
  return {vector ? numpy::squeeze(x, left ? -1 : -2) : x, numpy::triu(lax::matrix::row_range(f.a, 0, k)), f.order};
}

}  // namespace

hilo::linalg::QrResult qr(const Operand& a, const QrOptions& o) {
  const UserLocation here(a.location());
  if (o.pivoting) refuse("qr", "with pivots there are three results. Hint: qr_with_pivoting(a)");
  return hilo::linalg::qr(a, {.mode = is_full("qr", o.mode) ? "complete" : "reduced"});
}

lax::linalg::PivotedQrResult qr_with_pivoting(const Operand& a, const PivotedQrOptions& o) {
  constexpr const char* kName = "qr_with_pivoting";
  const UserLocation here(a.location());
  return lax::linalg::qr_with_pivoting(hilo::linalg::matrix(kName, a), is_full(kName, o.mode));
}

QrMultiplyResult qr_multiply(const Operand& a, const Operand& c, const QrMultiplyOptions& o) {
  const UserLocation here(a.location());
  if (o.pivoting) refuse("qr_multiply", "with pivots there are three results. Hint: qr_multiply_with_pivoting(a, c)");
  const PivotedQrMultiplyResult f = multiplied("qr_multiply", a, c, o.mode, false, o.conjugate);
  return {f.cq, f.r};
}

PivotedQrMultiplyResult qr_multiply_with_pivoting(const Operand& a, const Operand& c,
                                                  const PivotedQrMultiplyOptions& o) {
  const UserLocation here(a.location());
  return multiplied("qr_multiply_with_pivoting", a, c, o.mode, true, o.conjugate);
}

}  // namespace hilo::scipy::linalg
