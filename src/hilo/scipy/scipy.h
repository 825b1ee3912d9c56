// SPDX-License-Identifier: Apache-2.0
// scipy/scipy.h -- jax.scipy, a folder a module.
#pragma once

#include "hilo/scipy/cluster/vq.h"
#include "hilo/scipy/fft/fft.h"
#include "hilo/scipy/integrate/integrate.h"
#include "hilo/scipy/interpolate/interpolate.h"
#include "hilo/scipy/linalg/linalg.h"
#include "hilo/scipy/ndimage/ndimage.h"
#include "hilo/scipy/optimize/least_squares.h"
#include "hilo/scipy/optimize/line_search.h"
#include "hilo/scipy/optimize/minimize.h"
#include "hilo/scipy/optimize/root_scalar.h"
#include "hilo/scipy/signal/signal.h"
#include "hilo/scipy/signal/spectral.h"
#include "hilo/scipy/signal/windows.h"
#include "hilo/scipy/sparse/linalg.h"
#include "hilo/scipy/spatial/transform/rotation.h"
#include "hilo/scipy/spatial/transform/slerp.h"
#include "hilo/scipy/special/special.h"
#include "hilo/scipy/stats/stats.h"
