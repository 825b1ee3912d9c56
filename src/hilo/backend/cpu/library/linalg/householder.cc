// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/linalg/householder.cc -- Qr and ProductOfElementaryHouseholderReflectors, XLA custom calls: geqrf
// and orgqr on row-major matrices.
#include "hilo/backend/cpu/library/linalg/lapack.h"
#include "hilo/backend/cpu/library/linalg/lapack_routine.h"

namespace hilo::cpu::lapack {
namespace {

/// Computes to[column][row] = from[row][column] for each matrix.
template <typename T>
void transpose_all(const T* from, int64_t count, int64_t rows, int64_t columns, T* to) {
  for (int64_t i = 0; i < count; ++i, from += rows * columns, to += rows * columns) {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) to[c * rows + r] = from[r * columns + c];
    }
  }
}

/// Calls `handler` with the first operand and result column-major.
template <typename T>
Status with_columns(const CustomCallFrame& frame, CustomCallHandler handler) {
  HILO_ASSIGN_OR_RETURN(const Batch<T> in, batch_of<T>(operand(frame, 0), 2));
  HILO_ASSIGN_OR_RETURN(const Batch<T> out, batch_of<T>(result(frame, 0), 2));
  std::vector<T> from(in.count * in.size()), to(out.count * out.size());
  transpose_all(in.data, in.count, in.rows, in.columns, from.data());
  std::vector<CustomCallBuffer> operands(frame.operands.begin(), frame.operands.end());
  std::vector<CustomCallBuffer> results(frame.results.begin(), frame.results.end());
  operands[0].data = from.data();
  results[0].data = to.data();
  CustomCallFrame inner = frame;
  inner.operands = operands;
  inner.results = results;
  HILO_RETURN_IF_ERROR(handler(inner));
  transpose_all(to.data(), out.count, out.columns, out.rows, out.data);
  return ok_status();
}

}  // namespace

Status qr(const CustomCallFrame& frame) {
  return for_element_type(frame, operand(frame, 0), [&]<typename T>() { return with_columns<T>(frame, geqrf<T>); });
}

Status product_of_reflectors(const CustomCallFrame& frame) {
  return for_element_type(frame, operand(frame, 0), [&]<typename T>() { return with_columns<T>(frame, orgqr<T>); });
}

}  // namespace hilo::cpu::lapack
