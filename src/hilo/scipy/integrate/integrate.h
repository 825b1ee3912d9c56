// SPDX-License-Identifier: Apache-2.0
// scipy/integrate/integrate.h -- jax.scipy.integrate: quadrature and differential equations.
#pragma once

#include "hilo/numpy/signal.h"
#include "hilo/scipy/integrate/ode.h"

namespace hilo::scipy::integrate {
using numpy::trapezoid;
}  // namespace hilo::scipy::integrate
