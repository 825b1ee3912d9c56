// SPDX-License-Identifier: Apache-2.0
// linalg.h -- linear algebra and Fourier transforms, as jax.numpy.linalg and jax.numpy.fft.
#pragma once

#include "hilo/core.h"
#include "hilo/fft/fft.h"
#include "hilo/linalg/linalg.h"
