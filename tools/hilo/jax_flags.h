// SPDX-License-Identifier: Apache-2.0
// tools/hilo/jax_flags.h -- the flags of base/flags.h as options of a subcommand.
#pragma once

#include <CLI/CLI.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/base/status.h"

namespace hilo::tool {

/// Adds an option for every flag to `app`: "--x=v" and "--x v"; for booleans also "--x" and "--nox". The footer of its
/// help names them.
void add_jax_flags(CLI::App& app);

/// Sets the flags of the command line in the flag table. Call once after parsing.
/// Errors    INVALID_ARGUMENT for a value that doesn't fit its flag
Status set_jax_flags(const CLI::App& app);

/// Splits "--x=" of a flag into "--x" and an empty text; CLI11 would use the next argument as its value.
/// Errors    INVALID_ARGUMENT for a boolean flag
StatusOr<std::vector<std::string>> with_empty_values(std::span<const std::string> arguments);

/// The possible values of an option that has a fixed set of them.
std::vector<std::string> words_of(const CLI::Option& option);

}  // namespace hilo::tool
