// SPDX-License-Identifier: Apache-2.0
// The inner loops of products for Isa::kSse2. The build compiles only this file for that instruction set.
#include "hilo/backend/cpu/runtime/product_tile.h"

#define HILO_TILE_BYTES 16
#define HILO_TILES product_tiles_sse2

#include "hilo/backend/cpu/runtime/product_tile.inc"
