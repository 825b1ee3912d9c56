// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/schur.h -- matrices without symmetry: Hessenberg and Schur forms, eigenvalues. Units: matrices.
// info is that of eigen.h.
#pragma once

#include "hilo/backend/cpu/runtime/call.h"
#include "hilo/types/element_type.h"

namespace hilo::cpu::runtime {

/// x -> Hessenberg form and reflections below it, their factors, info.
struct HessenbergProblem {
  ElementType type{};
  int64_t n = 0;
  int64_t first = 0, end = 0;  ///< rows and columns outside are those of a triangle

  size_t scratch_bytes() const;
};

/// x -> t, z with x = z t z^H, eigenvalues (real: real and imaginary parts), 0, info. t is a triangle. If x is real, a
/// pair of complex eigenvalues is a block of two rows of t, with equal elements on the diagonal.
struct SchurProblem {
  ElementType type{};
  int64_t n = 0;
  bool has_vectors = false;

  size_t scratch_bytes() const;
};

/// x -> eigenvalues (real: real and imaginary parts), left and right vectors in columns, which are complex, info.
struct GeneralEigenProblem {
  ElementType type{};
  int64_t n = 0;
  bool has_left = false, has_right = false;

  size_t scratch_bytes() const;
};

}  // namespace hilo::cpu::runtime
