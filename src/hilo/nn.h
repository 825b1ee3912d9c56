// SPDX-License-Identifier: Apache-2.0
// nn.h -- activations, initializers and layers.
#pragma once

#include "hilo/core.h"
#include "hilo/nn/nn.h"
