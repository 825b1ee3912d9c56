// SPDX-License-Identifier: Apache-2.0
// mesh/reshard_array.h -- resharding of arrays. Not for users.
#pragma once

#include "hilo/mesh/named_sharding.h"
#include "hilo/trace/trace.h"

namespace hilo {

/// Reshards an array. If this process holds all of it in host-readable memory, each new shard is copied from there.
/// Otherwise a program sends the missing parts between devices, so every process has to call this.
/// Precondition: the array is sharded, and `to` leaves no dimension open
/// Errors     throws those of NamedSharding::shard_shape, of copies and of programs; FAILED_PRECONDITION if other
///            processes hold shards and the meshes have different devices
/// Cost       one copy of each shard; otherwise the messages of reshard in hlo/partition, and a program for each shape
///            and pair of shardings
Array resharded(const Array& array, const NamedSharding& to);

}  // namespace hilo
