// SPDX-License-Identifier: Apache-2.0
// mesh/sharded_array.h -- arrays on several devices: placement, access to shards, assembly from shards.
#pragma once

#include "hilo/array/device_put.h"
#include "hilo/mesh/named_sharding.h"

namespace hilo {

/// The position of a shard in its array: one range per dimension; `all` for a whole dimension.
using ShardIndex = std::vector<Range>;

/// The part of an array on one device: jax.Shard.
struct Shard {
  Array data;  ///< on one device, committed to it
  ShardIndex index;
  DevicePtr device;
  int64_t replica_id = 0;  ///< index among the devices that hold this part, in the mesh's order
};

/// Shards or reshards an array over devices and commits it to them: jax.device_put. Inside a transformation it is
/// with_sharding_constraint. If several processes share the mesh, all of them call it with the same value.
/// Errors     throws INVALID_ARGUMENT for a spec longer than the rank; IndivisibleError; UNIMPLEMENTED for a mesh that
///            processes share without having all devices; INVALID_ARGUMENT if the array is donated or deleted;
///            RESOURCE_EXHAUSTED
/// Cost       a copy of each shard; none if the array already has this sharding. Parts in other processes or in memory
///            that the host can't read are sent between devices, by a program for each shape and pair of shardings.
/// Gradient   that of the identity
/// Example    const NamedSharding rows(make_mesh({1}, {"x"}), P("x"));
///            device_put(numpy::arange(4), rows)  // [0 1 2 3]
Array device_put(const Array& array, const NamedSharding& sharding,
                 std::source_location location = std::source_location::current());

/// Specifies the sharding of a value inside a function: jax.lax.with_sharding_constraint. Propagation starts there;
/// dimensions that the spec leaves UNCONSTRAINED are inferred. Concrete arrays are resharded at once.
/// Errors     as device_put. Inside a function, dimensions that the number of devices doesn't divide aren't sharded.
/// Gradient   that of the identity, with the same sharding
Array with_sharding_constraint(const Array& x, const NamedSharding& sharding,
                               std::source_location location = std::source_location::current());

/// Returns the part of the array at `index`, for make_array_from_callback.
using ShardCallback = std::function<Array(const ShardIndex& index)>;

/// Creates an array from shards that `f` returns, called once for each device of this process:
/// jax.make_array_from_callback.
/// Errors     as device_put; throws INVALID_ARGUMENT if a shard has an unexpected shape or type
/// Example    make_array_from_callback({8, 4}, sharding, [&](const ShardIndex& at) { return rows(at[0], at[1]); })
Array make_array_from_callback(const std::vector<int64_t>& shape, const NamedSharding& sharding, const ShardCallback& f,
                               std::source_location location = std::source_location::current());

/// Creates an array from the shards of each process: jax.make_array_from_process_local_data. `local_data` holds this
/// process's shards in their order in the array. `global_shape` is the array's shape; by default the other processes
/// have equally many elements.
/// Shapes     by P("x") of 4 devices, two in each process: f32[6,3] of each -> f32[12,3]
/// Errors     as device_put; throws INVALID_ARGUMENT if the data are neither the process's shards nor the whole array
/// Example    make_array_from_process_local_data(NamedSharding(mesh, P("x")), rows)
Array make_array_from_process_local_data(const NamedSharding& sharding, const Array& local_data,
                                         const std::optional<std::vector<int64_t>>& global_shape = std::nullopt,
                                         std::source_location location = std::source_location::current());

/// Creates an array from shards that already are on this process's devices, in the mesh's order:
/// jax.make_array_from_single_device_arrays.
/// Errors     throws INVALID_ARGUMENT if number, shapes, types or devices don't match the sharding
/// Cost       none: the array shares the shards' memory
Array make_array_from_single_device_arrays(const std::vector<int64_t>& shape, const NamedSharding& sharding,
                                           const std::vector<Array>& arrays,
                                           std::source_location location = std::source_location::current());

}  // namespace hilo
