// SPDX-License-Identifier: Apache-2.0
// tools/hilo/arguments.h -- the values of a program's arguments: --input and --random.
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
  std::vector<std::string> inputs = {};  ///< files, in order
  std::optional<uint64_t> seed = {};     ///< of those that have no file
  std::vector<std::string> shapes = {};  ///< of those that have no file, where the program leaves sizes open
};

/// Declares --shape.
void add_shape_option(CLI::App& app, std::vector<std::string>& shapes);

/// The shapes of the arguments of a program with symbolic sizes: those of the files, those of --shape, and those of
/// types without symbolic sizes.
/// Errors    INVALID_ARGUMENT naming the first argument of unspecified size; those of read_npy
ArgumentShapes argument_shapes(const ArgumentOptions& options);

/// Declares --input, --random and --shape. The options must outlive the app's parsing.
void add_argument_options(CLI::App& app, ArgumentOptions& options);

/// Returns one array per leaf: the files in order, the others from the seed + `replica`. A file's shape is not checked.
/// Errors    INVALID_ARGUMENT for a wrong number of files; those of read_npy; CANCELLED on an interrupt
StatusOr<std::vector<Literal>> read_arguments(const ArgumentOptions& options, const std::string& program,
                                              std::span<const Shape> leaves, int replica = 0);

}  // namespace hilo::tool
