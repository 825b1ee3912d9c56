// SPDX-License-Identifier: Apache-2.0
// sharding.h -- several devices: pmap, shard_map, collectives, meshes.
#pragma once

#include "hilo/core.h"
#include "hilo/lax/collective.h"
#include "hilo/transform/pmap.h"
#include "hilo/transform/shard_map.h"
