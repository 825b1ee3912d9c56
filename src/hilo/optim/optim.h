// SPDX-License-Identifier: Apache-2.0
// optim/optim.h -- optax: gradient transformations, optimizers, schedules and losses over pytrees of parameters.
#pragma once

#include "hilo/optim/base.h"
#include "hilo/optim/clipping.h"
#include "hilo/optim/combining.h"
#include "hilo/optim/linear_algebra.h"
#include "hilo/optim/linesearch.h"
#include "hilo/optim/losses.h"
#include "hilo/optim/microbatch.h"
#include "hilo/optim/monitoring.h"
#include "hilo/optim/noise.h"
#include "hilo/optim/optimizers.h"
#include "hilo/optim/safe_norm.h"
#include "hilo/optim/scaling.h"
#include "hilo/optim/schedules.h"
#include "hilo/optim/tree_utils.h"

namespace hilo::optim {
namespace losses = hilo::optim;  // optax's names of the modules
namespace schedules = hilo::optim;
}  // namespace hilo::optim
