// SPDX-License-Identifier: Apache-2.0
// nn/nn.h -- jax.nn, and network layers as plain functions.
#pragma once

#include "hilo/nn/activations.h"
#include "hilo/nn/attention.h"
#include "hilo/nn/attention_layer.h"
#include "hilo/nn/initializers.h"
#include "hilo/nn/linear.h"
#include "hilo/nn/norm_layers.h"
#include "hilo/nn/normalization.h"
#include "hilo/nn/pooling.h"
#include "hilo/nn/recurrent.h"
#include "hilo/nn/summary.h"
