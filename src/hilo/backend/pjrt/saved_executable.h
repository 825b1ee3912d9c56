// SPDX-License-Identifier: Apache-2.0
// backend/pjrt/saved_executable.h -- a plugin's executable as the bytes of a file, with a checksum.
#pragma once

#include "hilo/device/program_signature.h"
#include "hilo/hlo/ir/module.h"

namespace hilo::plugins {

struct SavedExecutable {
  std::string identity;  ///< the clients that can load it: PluginClient::identity()
  ProgramSignature signature;
  hlo::Module program;  ///< the program that the plugin received
  std::string code;     ///< the plugin's code for it
};

/// Serializes the executable.
/// Errors    those of hlo::to_proto
StatusOr<std::string> save_executable(const SavedExecutable& saved);

/// Parses the result of save_executable. Names of the program may be simplified.
/// Errors    INVALID_ARGUMENT for other bytes, and for damaged ones
StatusOr<SavedExecutable> read_executable(std::string_view bytes);

}  // namespace hilo::plugins
