// SPDX-License-Identifier: Apache-2.0
// io.h -- arrays and images in files.
#pragma once

#include "hilo/base/files.h"
#include "hilo/core.h"
#include "hilo/io/csv.h"
#include "hilo/io/jpeg.h"
#include "hilo/io/npy.h"
#include "hilo/io/npz.h"
#include "hilo/io/png.h"
#include "hilo/io/safetensors.h"
#include "hilo/numpy/files.h"
