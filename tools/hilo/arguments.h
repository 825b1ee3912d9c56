// SPDX-License-Identifier: Apache-2.0
// tools/hilo/arguments.h -- the values of a program's arguments: --input and --random.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hilo/types/literal.h"

namespace hilo::tool {

struct ArgumentOptions {
  std::vector<std::string> inputs;  ///< files, in order
  std::optional<uint64_t> seed;     ///< of those that have no file
};

/// Declares --input and --random. The options must outlive the app's parsing.
void add_argument_options(CLI::App& app, ArgumentOptions& options);

/// One array for each leaf: the files in order, the rest from the seed + `replica`. A file's shape is not checked.
/// Errors    INVALID_ARGUMENT for a wrong number of files; those of read_npy; CANCELLED on an interrupt
StatusOr<std::vector<Literal>> read_arguments(const ArgumentOptions& options, const std::string& program,
                                              std::span<const Shape> leaves, int replica = 0);

}  // namespace hilo::tool
