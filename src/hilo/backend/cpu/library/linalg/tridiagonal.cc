// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/linalg/tridiagonal.cc -- tridiagonal_solve_perturbed_ffi.
#include "hilo/backend/cpu/runtime/tridiagonal.h"
#include "hilo/backend/cpu/library/linalg/lapack.h"
#include "hilo/backend/cpu/library/linalg/lapack_routine.h"

namespace hilo::cpu::lapack {
namespace {

/// std::complex<float> as runtime's functions see it.
template <typename T>
struct NumberOf {
  using Type = T;
};
template <typename R>
struct NumberOf<std::complex<R>> {
  using Type = runtime::Complex<R>;
};

template <typename T>
Status solve_all(const CustomCallFrame& frame) {
  Batch<T> diagonals[3];
  for (size_t k = 0; k < 3; ++k) {
    HILO_ASSIGN_OR_RETURN(diagonals[k], batch_of<T>(operand(frame, k), 1));
  }
  HILO_ASSIGN_OR_RETURN(const Batch<T> right, batch_of<T>(operand(frame, 3), 2));
  HILO_ASSIGN_OR_RETURN(const Batch<T> x, batch_of<T>(result(frame, 0), 2));
  for (const Batch<T>& diagonal : diagonals)
    HILO_RETURN_IF_ERROR(check_fits(frame, diagonal.rows == x.rows && diagonal.count == x.count));
  HILO_RETURN_IF_ERROR(check_fits(frame, right.rows == x.rows && right.columns == x.columns && right.count == x.count));
  if (x.rows == 0) return ok_status();
  for_batch(x.count, 8.0 * static_cast<double>(x.size()), [&](int64_t begin, int64_t end) {
    using Number = typename NumberOf<T>::Type;
    const auto numbers = [](T* data) { return reinterpret_cast<Number*>(data); };
    std::vector<runtime::TriangleRow<Number>> rows(x.rows);
    for (int64_t i = begin; i < end; ++i) {
      runtime::solve_perturbed<Number>(
          {x.rows, x.columns, numbers(diagonals[0].item(i)), numbers(diagonals[1].item(i)),
           numbers(diagonals[2].item(i)), numbers(right.item(i)), numbers(x.item(i)), 1, x.rows},
          rows);
    }
  });
  return ok_status();
}

}  // namespace

Status tridiagonal_solve_perturbed(const CustomCallFrame& frame) {
  return for_element_type(frame, operand(frame, 3), [&]<typename T>() { return solve_all<T>(frame); });
}

}  // namespace hilo::cpu::lapack
