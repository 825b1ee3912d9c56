// SPDX-License-Identifier: Apache-2.0
// scipy/stats/stats.h -- jax.scipy.stats.
#pragma once

#include "hilo/scipy/stats/continuous.h"
#include "hilo/scipy/stats/discrete.h"
#include "hilo/scipy/stats/statistics.h"
