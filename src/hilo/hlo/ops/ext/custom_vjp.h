// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/custom_vjp.h -- the extension op custom_vjp: a function that brings its own reverse-mode derivative.
#pragma once

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo {

/// Operands: the arguments. Result: what `primal` gives for them.
///   primal   arguments -> results
///   fwd      arguments -> the tuple (results, residuals), where the function is differentiated
///   bwd      residuals, cotangents of the floating and complex results -> the tuple of cotangents of the floating and
///            complex arguments
struct CustomVjpAttributes : Attributes {
  ComputationPtr primal, fwd, bwd;
};

/// custom_vjp_tangent: the linear function of which `bwd` is the transpose. It can be transposed and not run: nobody has
/// said what it is. Operands: tangents of the arguments numbered `nonzero`, then the residuals. Result: the tuple of
/// tangents of primal's floating and complex results.
struct CustomVjpTangentAttributes : Attributes {
  ComputationPtr primal, bwd;
  Int64List nonzero;
};

/// What is said, in JAX's words, to who wants tangents pushed forward.
inline constexpr char kNoForwardMode[] =
    "can't apply forward-mode differentiation (jvp) to a custom_vjp function. Hint: reverse mode (grad, vjp) works; "
    "where the function comes from a file, load it with use_vjp = false";

const OpDef& ext_custom_vjp_op();
const OpDef& ext_custom_vjp_tangent_op();

/// Leaves of a list of shapes that have tangents: those of floating and complex types.
std::vector<Shape> leaves_with_tangents(std::span<const Shape> shapes);

}  // namespace hilo::hlo
