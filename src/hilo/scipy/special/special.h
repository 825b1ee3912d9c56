// SPDX-License-Identifier: Apache-2.0
// scipy/special/special.h -- jax.scipy.special.
#pragma once

#include "hilo/scipy/special/bessel.h"
#include "hilo/scipy/special/error.h"
#include "hilo/scipy/special/exponential.h"
#include "hilo/scipy/special/gamma.h"
#include "hilo/scipy/special/hypergeometric.h"
#include "hilo/scipy/special/logarithmic.h"
