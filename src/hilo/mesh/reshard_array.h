// SPDX-License-Identifier: Apache-2.0
// mesh/reshard_array.h -- an array that devices share, shared otherwise. Not for users.
#pragma once

#include "hilo/mesh/named_sharding.h"
#include "hilo/trace/trace.h"

namespace hilo {

/// The array shared as `to` says. Where this process's parts are all of it, and lie where the host reads them, each device's
/// part is copied out of them. Else the devices send each other what they miss, as propagation's programs do: so every process
/// has to call it.
/// Precondition: the array is shared, and `to` leaves no dimension open.
/// Errors    throws those of NamedSharding::shard_shape, of copies and of programs; FAILED_PRECONDITION where parts are in
///           other processes and the meshes have different devices
/// Cost      one copy of each part; else what reshard in hlo/partition sends, and a program for each shape and pair of shardings
Array resharded(const Array& array, const NamedSharding& to);

}  // namespace hilo
