// SPDX-License-Identifier: Apache-2.0
// transform/compiler_options.h -- named options of one compilation, as jit and Lowered::compile accept them.
#pragma once

#include <map>
#include <string>

namespace hilo {

struct CompileOptions;

/// Names of flags that affect compilation, and their values as text. They take precedence over the flags.
/// Example    {{"hilo_compile_seconds", "60"}, {"jax_dump_hlo_optimized", "/tmp/dumps"}}
using CompilerOptions = std::map<std::string, std::string>;

/// Sets the options named in `requested`.
/// Errors     throws INVALID_ARGUMENT "No such compile option: ..." with the nearest name, or for an invalid value
void set_compiler_options(const CompilerOptions& requested, CompileOptions& options);

}  // namespace hilo
