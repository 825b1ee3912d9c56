// SPDX-License-Identifier: Apache-2.0
// import/casadi_program.h -- programs as CasADi's functions of matrices, and their Jacobians.
#pragma once

#include "hilo/device/object_files.h"
#include "hilo/import/load.h"
#include "hilo/trace/flat_function.h"

namespace hilo {

/// A function of vectors: the nonzeros of each matrix, in CasADi's order.
struct CasadiProgram {
  CasadiFunction function;
  FlatFunction run;         ///< from the program's arguments to its results
  std::vector<Aval> avals;  ///< of its arguments
};

/// Returns a program as a function of column-major matrices. A vector is a column, a scalar a matrix of one element.
/// Errors    INVALID_ARGUMENT for an array that isn't of float64, or has more than 2 dimensions
StatusOr<CasadiProgram> casadi_program(const std::string& name, FlatFunction program,
                                       const std::vector<LoadedValue>& inputs, const std::vector<LoadedValue>& outputs);

/// Returns CasADi's jac_NAME: its arguments are those of the function and its results, which it doesn't read; its
/// results are, for each result and each argument, a Jacobian of their elements. The entries are those of
/// jacobian_pattern(); columns or rows that share none are computed together.
/// Errors    throws those of tracing and differentiating
CasadiProgram casadi_jacobian(const CasadiProgram& program);

}  // namespace hilo
