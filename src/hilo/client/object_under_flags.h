// SPDX-License-Identifier: Apache-2.0
// client/object_under_flags.h -- compiles a module to an object file with the client and the options of the flags.
#pragma once

#include <string>

#include "hilo/device/object_files.h"
#include "hilo/hlo/ir/module.h"

namespace hilo {

/// Compiles `module` to an object file with a C header.
/// Errors    those of get_xla_client, get_compile_options and Client::compile_object
StatusOr<ObjectFiles> object_under_flags(const hlo::Module& module, const ObjectOptions& object);

/// Writes object, header and manifest to PATH with .o, .h and .json appended, and a test to PATH_test.c.
/// Errors    those of write_file_atomic
Status write_object_files(const ObjectFiles& files, const std::string& path);

}  // namespace hilo
