// SPDX-License-Identifier: Apache-2.0
// scipy/optimize/line_search.h -- steps along a direction that make a function less.
#pragma once

#include <functional>

#include "hilo/array/array.h"

namespace hilo::scipy::optimize {

/// A function to minimise: a vector -> a real scalar, which can be differentiated.
using Objective = std::function<Array(const Array&)>;

struct LineSearchOptions {
  // What the caller knows already.
  std::optional<Array> old_fval = std::nullopt;      ///< f(xk)
  std::optional<Array> old_old_fval = std::nullopt;  ///< at the step before: says where to begin
  std::optional<Array> gfk = std::nullopt;           ///< the gradient at xk
  double c1 = 1e-4, c2 = 0.9;                        ///< of the Wolfe conditions
  int64_t maxiter = 20;
};
struct LineSearchResults {
  Array failed;           ///< no step was found that meets the conditions
  Array nit, nfev, ngev;  ///< iterations, values and gradients
  Array k;                ///< nit + 1
  Array a_k, f_k, g_k;    ///< the step, and value and gradient there
  Array status;           ///< 0, 1 where zooming failed, 3 where maxiter was reached
};
/// A step along pk from xk that meets the strong Wolfe conditions: the value falls enough, and the slope flattens enough.
/// Types      xk, pk: vectors, which become floats of one type
/// Gradient   in forward mode, through the steps
/// Source     Nocedal and Wright, "Numerical optimization" (2006), algorithms 3.5 and 3.6
LineSearchResults line_search(const Objective& f, const Operand& xk, const Operand& pk,
                              const LineSearchOptions& options = {});

}  // namespace hilo::scipy::optimize
