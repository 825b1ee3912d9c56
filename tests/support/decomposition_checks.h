// SPDX-License-Identifier: Apache-2.0
// tests/support/decomposition_checks.h -- checks results of a decomposition, for any phases and orders of LAPACK: their
// product equals the operand, factors are unitary or triangular, values are in order.
#pragma once

#include <string>

#include "hilo/hlo/ops/ext/linalg.h"
#include "tests/support/wide_matrix.h"

namespace hilo::tests {

/// One matrix of a batch, and its factors. Vectors are columns.
struct Decomposition {
  std::vector<WideMatrix> operands, results;
  double epsilon = 0;  ///< of the operands' type
};

// Each returns the error, or "".
std::string check_lu(const Decomposition& d);
std::string check_geqrf(const Decomposition& d);
std::string check_geqp3(const Decomposition& d);
std::string check_householder_product(const Decomposition& d);
std::string check_ormqr(const Decomposition& d, const hlo::OrmqrAttributes& attributes);
std::string check_qr(const Decomposition& d);
std::string check_eigh(const Decomposition& d, bool lower);
std::string check_tridiagonal(const Decomposition& d, bool lower);
std::string check_svd(const Decomposition& d);
std::string check_eig(const Decomposition& d, const hlo::EigAttributes& attributes);
std::string check_schur(const Decomposition& d, bool is_real);
std::string check_hessenberg(const Decomposition& d);

}  // namespace hilo::tests
