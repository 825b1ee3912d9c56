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

/// Gives `app` an option for every flag: "--x=v" and "--x v"; for booleans also "--x" and "--nox". The footer of its
/// help tells of them.
void add_jax_flags(CLI::App& app);

/// Hands the flags that were given to the flag table. Call once the command line is parsed.
/// Errors    INVALID_ARGUMENT for a value that doesn't fit its flag
Status set_jax_flags(const CLI::App& app);

/// "--x=" of a flag as "--x" and an empty text, which CLI11 would take from the next argument.
/// Errors    INVALID_ARGUMENT for a boolean flag
StatusOr<std::vector<std::string>> with_empty_values(std::span<const std::string> arguments);

/// What an option takes, if that is one of a few words.
std::vector<std::string> words_of(const CLI::Option& option);

}  // namespace hilo::tool
