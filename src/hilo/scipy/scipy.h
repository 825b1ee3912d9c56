// SPDX-License-Identifier: Apache-2.0
// scipy/scipy.h -- jax.scipy, a folder a module.
#pragma once

#include "hilo/scipy/linalg/linalg.h"
#include "hilo/scipy/special/special.h"
#include "hilo/scipy/stats/stats.h"
