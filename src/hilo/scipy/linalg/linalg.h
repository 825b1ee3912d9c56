// SPDX-License-Identifier: Apache-2.0
// scipy/linalg/linalg.h -- jax.scipy.linalg: decompositions, solvers, functions of matrices, special matrices.
#pragma once

#include "hilo/scipy/linalg/functions.h"
#include "hilo/scipy/linalg/qr.h"
#include "hilo/scipy/linalg/solvers.h"
#include "hilo/scipy/linalg/special_matrices.h"
