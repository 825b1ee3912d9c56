// SPDX-License-Identifier: Apache-2.0
// backend/pjrt/program.h -- programs on their way to a plugin: what it gets, and in which form.
#pragma once

#include "hilo/backend/pjrt/plugin_client.h"
#include "hilo/hlo/ir/module.h"

namespace hilo::plugins {

/// The program as every plugin takes it: extension ops lowered, each argument and result an array of its own, row-major
/// throughout. What a header says of how it runs is gone: donation is each run's business, replicas are the options'.
/// Errors    UNIMPLEMENTED naming the instruction: a bitcast that reads another layout; an op without decomposition; an argument
///           or result that is no array
StatusOr<hlo::Module> prepared_program(const hlo::Module& module);

/// A program as bytes, and what the plugin calls their format.
struct OutgoingProgram {
  std::string_view format;
  std::string code;
};

/// HLO as HloModuleProto; StableHLO as portable bytecode of version 1.9.0, which later versions read.
/// Errors    UNIMPLEMENTED for what the format lacks, and for a plugin that reads older StableHLO only
StatusOr<OutgoingProgram> write_program(const hlo::Module& prepared, const Plugin& plugin, ProgramFormat format);

/// An error of the plugin's compiler. If it doesn't know something, and the program has custom calls, these are named with the
/// user's lines.
Status compile_error(const Status& error, const hlo::Module& prepared);

}  // namespace hilo::plugins
