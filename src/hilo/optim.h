// SPDX-License-Identifier: Apache-2.0
// optim.h -- optimizers, losses and schedules, as optax.
#pragma once

#include "hilo/core.h"
#include "hilo/optim/optim.h"
