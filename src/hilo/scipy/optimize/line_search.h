// SPDX-License-Identifier: Apache-2.0
// scipy/optimize/line_search.h -- line search for steps that decrease a function.
#pragma once

#include <functional>

#include "hilo/array/array.h"

namespace hilo::scipy::optimize {

/// A differentiable function to minimize, from vectors to real scalars.
using Objective = std::function<Array(const Array&)>;

struct LineSearchOptions {
  // Values that the caller has already computed.
  std::optional<Array> old_fval = std::nullopt;      ///< f(xk)
  std::optional<Array> old_old_fval = std::nullopt;  ///< value at the previous step, for the initial guess
  std::optional<Array> gfk = std::nullopt;           ///< gradient at xk
  double c1 = 1e-4, c2 = 0.9;                        ///< parameters of the Wolfe conditions
  int64_t maxiter = 20;
};
struct LineSearchResults {
  Array failed;           ///< whether no step meets the conditions
  Array nit, nfev, ngev;  ///< number of iterations, values and gradients
  Array k;                ///< nit + 1
  Array a_k, f_k, g_k;    ///< the step, and the value and gradient there
  Array status;           ///< 0; 1 if zooming failed; 3 if maxiter was reached
};
/// Finds a step along pk from xk that meets the strong Wolfe conditions: sufficient decrease of the value, and of the
/// slope.
/// Types      xk, pk: vectors, which are converted to floats of one type
/// Gradient   forward mode, through the steps
/// Source     Nocedal and Wright, "Numerical optimization" (2006), algorithms 3.5 and 3.6
LineSearchResults line_search(const Objective& f, const Operand& xk, const Operand& pk,
                              const LineSearchOptions& options = {});

}  // namespace hilo::scipy::optimize
