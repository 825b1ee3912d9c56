// SPDX-License-Identifier: Apache-2.0
// mesh/sharded_program.h -- programs on arrays that several devices share: the shardings of their values propagate, each
// device gets its program, and the results are shared. Not for users.
#pragma once

#include "hilo/base/function_ref.h"
#include "hilo/device/executable.h"
#include "hilo/hlo/ir/module.h"
#include "hilo/mesh/named_sharding.h"
#include "hilo/trace/trace.h"

namespace hilo {

/// What is said of a program's arrays beside what they are; lists are leaf by leaf, or empty.
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
  std::vector<size_t> places;  ///< for each of its runs, which of an array's buffers it works on
};
using MeshProgramPtr = std::shared_ptr<const MeshProgram>;

/// Whether the axes of a mesh have words for a sharding of arrays of that rank: it has the same devices, in an order that they
/// make.
bool can_say(const Mesh& mesh, const NamedSharding& sharding, int64_t rank);

/// The mesh on which a program runs: what its shardings say, then its constraints, then its arguments; nothing: it runs on
/// one device.
std::optional<Mesh> mesh_of_call(const ShardedCall& call, std::span<const Array> arguments);

/// The program as it runs on arguments that are shared as `call.in` says, compiled; `module` is asked for it where it isn't
/// known.
/// Errors    throws INVALID_ARGUMENT for shardings with other devices; UNIMPLEMENTED as refuse_unreachable; those of
///           hlo::partition and of compiling
MeshProgramPtr program_on_mesh(const ShardedCall& call, const Mesh& mesh, FunctionRef<hlo::Module()> module);

/// Runs it. `call.in` says how arguments must be shared that are committed.
/// Errors    as run_on_mesh
std::vector<Array> run_program(const MeshProgram& program, const ShardedCall& call, const Mesh& mesh,
                               std::span<const Array> arguments);

/// Runs the program on the devices of a mesh; `module` is asked for it where it isn't known. Arguments that aren't committed lie
/// where propagation wants them, and so do results that nothing is said of.
/// Errors    throws INVALID_ARGUMENT "... incompatible devices" for arrays that are committed to others, or shared otherwise
///           than `in` says; those of hlo::partition, of compiling and of running
/// Cost      of a known program: the copies of arguments that lie elsewhere, and the run
std::vector<Array> run_on_mesh(const ShardedCall& call, const Mesh& mesh, std::span<const Array> arguments,
                               FunctionRef<hlo::Module()> module);

}  // namespace hilo
