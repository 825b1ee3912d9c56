// SPDX-License-Identifier: Apache-2.0
// tools/hilo/jax_flags.h -- adds the flags of base/flags.h to a subcommand as options.
#pragma once

#include <CLI/CLI.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/base/status.h"

namespace hilo::tool {

/// Adds an option for every flag: "--x=v" and "--x v"; for booleans also "--x" and "--nox". They are described in the
/// footer of the help.
void add_jax_flags(CLI::App& app);

/// Passes the parsed flags to the flag table. Must be called once, after the command line is parsed.
/// Errors    INVALID_ARGUMENT for an invalid value
Status set_jax_flags(const CLI::App& app);

/// Splits "--x=" of a flag into "--x" and an empty text, because CLI11 would use the next argument as the value.
/// Errors    INVALID_ARGUMENT for a boolean flag
StatusOr<std::vector<std::string>> with_empty_values(std::span<const std::string> arguments);

/// Returns the values of an option that has a fixed set of them.
std::vector<std::string> words_of(const CLI::Option& option);

}  // namespace hilo::tool
