// SPDX-License-Identifier: Apache-2.0
// hilo.h -- everything a user of the C++ API needs. For users only: hilo's own files include what they use.
#pragma once

#include "hilo/core.h"

#include "hilo/array/dlpack.h"
#include "hilo/client/platform_name.h"
#include "hilo/image/resize.h"
#include "hilo/import.h"
#include "hilo/io.h"
#include "hilo/lax.h"
#include "hilo/linalg.h"
#include "hilo/nn.h"
#include "hilo/numpy/positions.h"
#include "hilo/numpy/ravel_pytree.h"
#include "hilo/optim.h"
#include "hilo/scipy.h"
#include "hilo/segment/segment.h"
#include "hilo/sharding.h"
#include "hilo/trace/named_scope.h"
#include "hilo/training.h"
#include "hilo/transform/callback.h"
#include "hilo/transform/checkify.h"
#include "hilo/transform/custom_batching.h"
#include "hilo/transform/fwd_and_bwd.h"
#include "hilo/transform/jet.h"
#include "hilo/transform/linear_transpose.h"
#include "hilo/transform/sparse_jacobian.h"
