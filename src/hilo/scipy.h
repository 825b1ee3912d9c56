// SPDX-License-Identifier: Apache-2.0
// scipy.h -- jax.scipy: special functions, statistics, optimization, integration, interpolation, sparse matrices,
// signals.
#pragma once

#include "hilo/core.h"
#include "hilo/scipy/scipy.h"
