// SPDX-License-Identifier: Apache-2.0
// tools/hilo/arguments.h -- the options for a program's arguments: --input, --random, --shape.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hilo/import/program.h"
#include "hilo/types/literal.h"

namespace hilo::tool {

struct ArgumentOptions {
  std::vector<std::string> inputs = {};  ///< files, in the order of the arguments
  std::optional<uint64_t> seed = {};     ///< seed for arguments without a file
  std::vector<std::string> shapes = {};  ///< shapes of arguments without a file, for programs with open sizes
};

/// Declares the option --shape.
void add_shape_option(CLI::App& app, std::vector<std::string>& shapes);

/// Returns the argument shapes of a program with open sizes: from files, from --shape, and from types without open
/// sizes.
/// Errors    INVALID_ARGUMENT naming the first argument with unknown sizes; those of read_npy
ArgumentShapes argument_shapes(const ArgumentOptions& options);

/// Declares --input and --random. `options` must outlive the app's parsing.
void add_value_options(CLI::App& app, ArgumentOptions& options);

/// Declares --input, --random and --shape. `options` must outlive the app's parsing.
void add_argument_options(CLI::App& app, ArgumentOptions& options);

/// Returns one array per leaf: first the files in order, then random values for the seed + `replica`. The shapes of
/// files are not checked.
/// Errors    INVALID_ARGUMENT for a wrong number of files; those of read_npy; CANCELLED on an interrupt
StatusOr<std::vector<Literal>> read_arguments(const ArgumentOptions& options, const std::string& program,
                                              std::span<const Shape> leaves, int replica = 0);

}  // namespace hilo::tool
