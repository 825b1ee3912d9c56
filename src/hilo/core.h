// SPDX-License-Identifier: Apache-2.0
// hilo/core.h -- arrays, trees, jit, grad, vmap, control flow, numpy and random: what most programs need, in less than half of
// the time that hilo.h takes to compile.
#pragma once

#include "hilo/base/flags.h"
#include "hilo/lax/control_flow.h"
#include "hilo/numpy/numpy.h"
#include "hilo/random/random.h"
#include "hilo/trace/settings.h"
#include "hilo/transform/checkpoint.h"
#include "hilo/transform/custom_jvp.h"
#include "hilo/transform/custom_vjp.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "hilo/tree/functions.h"
#include "hilo/tree/tree.h"
