// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/object_routines.h -- calls of libhilo_rt.a that jit computes by other functions: with threads, a
// BLAS or LAPACK library, or memory that grows. The results may be rounded in another way.
#pragma once

#include "hilo/backend/cpu/library/hero.h"

namespace hilo::cpu {

/// What an object needs to know of a library call.
struct RoutineRequest {
  LibraryProblem problem;
  Isa isa;
  std::span<const OperandView> views = {};  ///< of operands, then of results; empty if all are dense

  OperandView view(size_t place) const { return views.empty() ? OperandView() : views[place]; }
};

// Each function returns nothing for forms of the instruction that libhilo_rt.a doesn't support.
std::optional<RoutineCall> cholesky_routine(const RoutineRequest& request);
std::optional<RoutineCall> convolution_routine(const RoutineRequest& request);
/// The custom calls of LAPACK. Matrices may have any layout that the program requests of LAPACK: rows or columns.
std::optional<RoutineCall> custom_call_routine(const RoutineRequest& request);
std::optional<RoutineCall> dot_routine(const RoutineRequest& request);
std::optional<RoutineCall> fft_routine(const RoutineRequest& request);
std::optional<RoutineCall> triangular_solve_routine(const RoutineRequest& request);

}  // namespace hilo::cpu
