// SPDX-License-Identifier: Apache-2.0
// core.h -- arrays, trees, jit, grad, vmap, control flow, numpy and random: enough for most programs. Compiles in less
// than half of the time that hilo.h takes.
#pragma once

// What users' functions go through, each before what includes it: messages of the compiler name no further files then.
// clang-format off
#include "hilo/array/array.h"
#include "hilo/numpy/dtypes.h"
#include "hilo/numpy/operators.h"
#include "hilo/tree/tree.h"
#include "hilo/transform/flat_call.h"
#include "hilo/transform/shape_dtype_struct.h"
#include "hilo/transform/vmap.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/custom_jvp.h"
#include "hilo/transform/custom_vjp.h"
#include "hilo/lax/control_flow.h"
#include "hilo/random/keys.h"
#include "hilo/numpy/manipulation.h"
#include "hilo/numpy/contractions.h"
#include "hilo/tree/functions.h"
// clang-format on

#include "hilo/array/platform_devices.h"
#include "hilo/base/flags.h"
#include "hilo/numpy/numpy.h"
#include "hilo/random/random.h"
#include "hilo/trace/settings.h"
#include "hilo/transform/checkpoint.h"
#include "hilo/transform/function.h"
#include "hilo/transform/jacobian.h"
#include "hilo/tree/device_put.h"

namespace hilo {

// For users, these names are values, as float32 and int32 are: ones({3}, bfloat16). The C++ types have the names of
// C++23, as int32_t next to int32: x.item<bfloat16_t>().
using float16_t = float16;
using bfloat16_t = bfloat16;
using numpy::float16, numpy::bfloat16;  // hide the classes of these names in hilo's headers

}  // namespace hilo
