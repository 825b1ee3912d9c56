// SPDX-License-Identifier: Apache-2.0
// mesh/sharded_array.h -- arrays that several devices share: put, taken apart, made of parts.
#pragma once

#include "hilo/array/device_put.h"
#include "hilo/mesh/named_sharding.h"

namespace hilo {

/// Where a part lies in its array: one range a dimension; `all` where the part has the whole dimension.
using ShardIndex = std::vector<Range>;

/// An array's part on one device. jax.Shard.
struct Shard {
  Array data;  ///< of one device, committed to it
  ShardIndex index;
  DevicePtr device;
  int64_t replica_id = 0;  ///< among the devices that have this part, in the mesh's order
};

/// The array shared by devices as `sharding` says, committed to them; one that is shared otherwise is dealt anew. As
/// jax.device_put. Inside a transformation it is with_sharding_constraint. Where processes share the mesh all of them call
/// it, with the same value, of which each cuts its devices' parts.
/// Errors    throws INVALID_ARGUMENT for a spec longer than the rank; IndivisibleError; UNIMPLEMENTED for a mesh that processes
///           share without having all devices; INVALID_ARGUMENT if the array is donated or deleted; RESOURCE_EXHAUSTED
/// Cost      a copy of each part; none where the array is shared like that already. What other processes have, and what lies
///           where the host can't read, devices send each other: that compiles a program for each shape and pair of shardings
/// Gradient  that of the identity
/// Example   device_put(x, NamedSharding(mesh, P("x")))
Array device_put(const Array& array, const NamedSharding& sharding,
                 std::source_location location = std::source_location::current());

/// Says how devices share a value inside a function, for jit and whatever is around it: propagation begins there, and
/// dimensions that the spec leaves UNCONSTRAINED follow. Where the array has a value already it is dealt at once.
/// As jax.lax.with_sharding_constraint.
/// Errors    as device_put. Inside a function devices need not divide the dimensions: what they don't divide they have whole
/// Gradient  that of the identity, shared in the same way
Array with_sharding_constraint(const Array& x, const NamedSharding& sharding,
                               std::source_location location = std::source_location::current());

/// What make_array_from_callback asks for: the part of the array that `index` says.
using ShardCallback = std::function<Array(const ShardIndex& index)>;

/// The array of the parts that `f` gives, called once for each device of this process. jax.make_array_from_callback.
/// Errors    as device_put; throws INVALID_ARGUMENT where a part has another shape or type than it should
/// Example   make_array_from_callback({8, 4}, sharding, [&](const ShardIndex& at) { return rows(at[0], at[1]); })
Array make_array_from_callback(const std::vector<int64_t>& shape, const NamedSharding& sharding, const ShardCallback& f,
                               std::source_location location = std::source_location::current());

/// The array of which this process's devices have `local_data`: their parts, side by side as they lie in the whole.
/// `global_shape` is that of the whole; by default the other processes have as much. jax.make_array_from_process_local_data.
/// Shapes    by P("x") of 4 devices, two in each process: f32[6,3] of each -> f32[12,3]
/// Errors    as device_put; throws INVALID_ARGUMENT where the data are neither the process's parts nor the whole
/// Example   make_array_from_process_local_data(NamedSharding(mesh, P("x")), rows)
Array make_array_from_process_local_data(const NamedSharding& sharding, const Array& local_data,
                                         const std::optional<std::vector<int64_t>>& global_shape = std::nullopt,
                                         std::source_location location = std::source_location::current());

/// The array of parts that lie on this process's devices of the mesh already, in the mesh's order.
/// jax.make_array_from_single_device_arrays.
/// Errors    throws INVALID_ARGUMENT for another number of parts, another shape, type or device than the sharding says
/// Cost      none: the array shares the parts' memory
Array make_array_from_single_device_arrays(const std::vector<int64_t>& shape, const NamedSharding& sharding,
                                           const std::vector<Array>& arrays,
                                           std::source_location location = std::source_location::current());

}  // namespace hilo
