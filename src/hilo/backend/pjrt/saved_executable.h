// SPDX-License-Identifier: Apache-2.0
// backend/pjrt/saved_executable.h -- a plugin's executable as the bytes of a file, with a checksum.
#pragma once

#include "hilo/device/program_signature.h"
#include "hilo/hlo/ir/module.h"

namespace hilo::plugins {

struct SavedExecutable {
  std::string identity;  ///< who can load it: PluginClient::identity()
  ProgramSignature signature;
  hlo::Module program;  ///< what the plugin was given
  std::string code;     ///< what it made of that
};

/// Errors    those of hlo::to_proto
StatusOr<std::string> save_executable(const SavedExecutable& saved);

/// What save_executable wrote; names of the program may have become plainer.
/// Errors    INVALID_ARGUMENT for other bytes, and for damaged ones
StatusOr<SavedExecutable> read_executable(std::string_view bytes);

}  // namespace hilo::plugins
