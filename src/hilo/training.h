// SPDX-License-Identifier: Apache-2.0
// training.h -- checkpoints, batches of data, progress bars.
#pragma once

#include "hilo/core.h"
#include "hilo/training/checkpoint.h"
#include "hilo/training/data_loader.h"
#include "hilo/training/progress.h"
#include "hilo/training/safetensors.h"
