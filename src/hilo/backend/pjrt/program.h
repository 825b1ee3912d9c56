// SPDX-License-Identifier: Apache-2.0
// backend/pjrt/program.h -- prepares and writes programs for a plugin.
#pragma once

#include "hilo/backend/pjrt/plugin_client.h"
#include "hilo/hlo/ir/module.h"

namespace hilo::plugins {

/// Converts the program to a form that every plugin accepts: extension ops are lowered, each argument and result is one
/// array, layouts are row-major, and no scalar is used as an array. Of the header, only the possible aliases of donated
/// arguments remain; replicas are in the options.
/// Errors    UNIMPLEMENTED naming the instruction: an op without decomposition; an argument or result that isn't an
/// array
StatusOr<hlo::Module> prepared_program(const hlo::Module& module);

/// Writes HLO as HloModuleProto, and StableHLO as portable bytecode of version 1.9.0, which later versions read.
/// Errors    UNIMPLEMENTED for what the format lacks, and for a plugin that reads only older StableHLO
StatusOr<OutgoingProgram> write_program(const hlo::Module& prepared, const Plugin& plugin, ProgramFormat format);

/// Converts it to the API's form. Precondition: `outgoing` outlives the result.
PJRT_Program raw_program(const OutgoingProgram& outgoing);

/// Whether an error of the plugin's compiler may mean that it lacks the function of a custom call.
bool is_missing_function(const Status& error);

/// Converts the compiler's error for users. If a function is missing, adds the custom calls that the error contains,
/// with the user's lines; if it contains none, all of them.
Status compile_error(const Status& error, const hlo::Module& prepared);

}  // namespace hilo::plugins
