// SPDX-License-Identifier: Apache-2.0
// backend/pjrt/program.h -- programs on their way to a plugin: what it gets, and in which form.
#pragma once

#include "hilo/backend/pjrt/plugin_client.h"
#include "hilo/hlo/ir/module.h"

namespace hilo::plugins {

/// The program as every plugin takes it: extension ops lowered, each argument and result an array of its own, row-major
/// throughout, no scalar in an array's place. Of what a header says of how it runs stays which results may take an argument's
/// memory, if a run donates it; replicas are the options'.
/// Errors    UNIMPLEMENTED naming the instruction: an op without decomposition; an argument or result that is no array
StatusOr<hlo::Module> prepared_program(const hlo::Module& module);

/// HLO as HloModuleProto; StableHLO as portable bytecode of version 1.9.0, which later versions read.
/// Errors    UNIMPLEMENTED for what the format lacks, and for a plugin that reads older StableHLO only
StatusOr<OutgoingProgram> write_program(const hlo::Module& prepared, const Plugin& plugin, ProgramFormat format);

/// The same as calls take it. Precondition: `outgoing` outlives it.
PJRT_Program raw_program(const OutgoingProgram& outgoing);

/// Whether an error of the plugin's compiler may say that it lacks the function of a custom call.
bool is_missing_function(const Status& error);

/// The same for users. If it doesn't know something, and the program has custom calls, those whose functions it names are named with
/// the user's lines; if it names none, all of them.
Status compile_error(const Status& error, const hlo::Module& prepared);

}  // namespace hilo::plugins
