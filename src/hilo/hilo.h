// SPDX-License-Identifier: Apache-2.0
// hilo.h -- everything a user of the C++ API needs. For users only: hilo's own files include what they use.
#pragma once

#include "hilo/base/files.h"
#include "hilo/base/flags.h"
#include "hilo/client/platform_name.h"
#include "hilo/io/csv.h"
#include "hilo/io/npy.h"
#include "hilo/io/png.h"
#include "hilo/lax/collective.h"
#include "hilo/lax/control_flow.h"
#include "hilo/lax/elementwise.h"
#include "hilo/lax/special.h"
#include "hilo/nn/nn.h"
#include "hilo/numpy/numpy.h"
#include "hilo/optim/optim.h"
#include "hilo/random/random.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/pmap.h"
#include "hilo/transform/vmap.h"
#include "hilo/tree/tree.h"
