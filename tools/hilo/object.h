// SPDX-License-Identifier: Apache-2.0
// tools/hilo/object.h -- `hilo compile --to object`: a program as an object file with a C header.
#pragma once

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

#include "hilo/base/status.h"
#include "tools/hilo/arguments.h"

namespace hilo::tool {

struct ObjectCommand {
  std::string name, target, runtime = "none";
  std::vector<int64_t> gradients;  ///< numbers of arguments
  int64_t batch = 0;               ///< size of the batch; 0: none
  std::string abi = "hilo";
  bool exact = false, realtime = false, test = false;
};

/// Declares the options of --to object.
void add_object_options(CLI::App& app, ObjectCommand& command);

/// Checks that no option of objects is given, for other files.
/// Errors    INVALID_ARGUMENT
Status refuse_object_options(const ArgumentOptions& arguments, const ObjectCommand& command);

/// Writes object, header, manifest and test.
/// Errors    those of reading, INVALID_ARGUMENT for wrong options, and those of Client::compile_object
Status write_object(const std::string& file, const std::string& function, const std::string& path,
                    const ArgumentOptions& arguments, const ObjectCommand& command);

}  // namespace hilo::tool
