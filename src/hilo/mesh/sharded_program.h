// SPDX-License-Identifier: Apache-2.0
// mesh/sharded_program.h -- programs on sharded arrays: shardings are propagated, each device gets its program, and
// results are sharded. Not for users.
#pragma once

#include "hilo/base/function_ref.h"
#include "hilo/device/executable.h"
#include "hilo/hlo/ir/module.h"
#include "hilo/mesh/named_sharding.h"
#include "hilo/trace/trace.h"

namespace hilo {

/// The specified shardings of a program's arrays; lists have one entry per leaf, or are empty.
struct ShardedCall {
  hlo::Fingerprint meaning;  ///< of the program's entry
  std::vector<std::optional<NamedSharding>> in = {}, out = {};
  std::vector<bool> donated = {};
  std::optional<Mesh> mesh = {};  ///< of the program's constraints
};

/// A program compiled for the devices of a mesh.
struct MeshProgram {
  std::vector<NamedSharding> parameters, results;
  std::vector<Shape> result_shapes;  ///< of whole arrays
  std::shared_ptr<Executable> executable;
  std::vector<size_t> places;  ///< for each run, the index of its buffer in an array
};
using MeshProgramPtr = std::shared_ptr<const MeshProgram>;

/// Whether `mesh` can express the sharding for arrays of this rank: same devices, in an order that its axes can name.
bool can_express(const Mesh& mesh, const NamedSharding& sharding, int64_t rank);

/// Returns the mesh of a program: that of its shardings, else of its constraints, else of its arguments; nullopt: it
/// runs on one device.
std::optional<Mesh> mesh_of_call(const ShardedCall& call, std::span<const Array> arguments);

/// Returns the program compiled for arguments with the shardings `call.in`. Calls `module` if it isn't cached.
/// Errors     throws INVALID_ARGUMENT for shardings with other devices; UNIMPLEMENTED as refuse_unreachable; those of
///            hlo::partition and of compiling
MeshProgramPtr program_on_mesh(const ShardedCall& call, const Mesh& mesh, FunctionRef<hlo::Module()> module);

/// Runs the program. Committed arguments must have the shardings `call.in`.
/// Errors     as run_on_mesh
std::vector<Array> run_program(const MeshProgram& program, const ShardedCall& call, const Mesh& mesh,
                               std::span<const Array> arguments);

/// Runs the program on the devices of a mesh. Calls `module` if it isn't cached. Propagation infers the sharding of
/// uncommitted arguments, and of results without a specified one.
/// Errors     throws INVALID_ARGUMENT "... incompatible devices" for arrays committed to other devices, or with other
///            shardings than `in`; those of hlo::partition, of compiling and of running
/// Cost       for a cached program: copies of arguments that are elsewhere, and the run
std::vector<Array> run_on_mesh(const ShardedCall& call, const Mesh& mesh, std::span<const Array> arguments,
                               FunctionRef<hlo::Module()> module);

}  // namespace hilo
