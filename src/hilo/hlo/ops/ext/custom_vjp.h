// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/custom_vjp.h -- the extension op custom_vjp: a function with a custom reverse-mode derivative.
#pragma once

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo {

/// Operands: the arguments. Result: that of `primal`.
///   primal   arguments -> results
///   fwd      arguments -> the tuple (results, residuals), used when the function is differentiated
///   bwd      residuals, cotangents of the floating and complex results -> the tuple of cotangents of the floating and
///            complex arguments
struct CustomVjpAttributes : Attributes {
  ComputationPtr primal, fwd, bwd;
};

/// custom_vjp_tangent: the linear function whose transpose is `bwd`. It can be transposed but not run, because it isn't
/// known. Operands: tangents of the arguments numbered `nonzero`, then the residuals. Result: the tuple of tangents of
/// primal's floating and complex results.
struct CustomVjpTangentAttributes : Attributes {
  ComputationPtr primal, bwd;
  Int64List nonzero;
};

/// JAX's error message for forward-mode differentiation of a custom_vjp function.
inline constexpr char kNoForwardMode[] =
    "can't apply forward-mode differentiation (jvp) to a custom_vjp function. Hint: reverse mode (grad, vjp) works; "
    "where the function comes from a file, load it with use_vjp = false";

/// Returns the leaves of a list of shapes that have tangents: those of floating and complex types.
std::vector<Shape> leaves_with_tangents(std::span<const Shape> shapes);

}  // namespace hilo::hlo
