// SPDX-License-Identifier: Apache-2.0
// transform/compiler_options.h -- options of one compilation by name, as jit and Lowered::compile take them.
#pragma once

#include <map>
#include <string>

namespace hilo {

struct CompileOptions;

/// Names of flags that say something of a compilation, and their values as text. They outrank the flags.
/// Example    {{"hilo_compile_seconds", "60"}, {"jax_dump_hlo_optimized", "/tmp/dumps"}}
using CompilerOptions = std::map<std::string, std::string>;

/// Sets what `wanted` says.
/// Errors     throws INVALID_ARGUMENT "No such compile option: ..." with the nearest name, or a value that doesn't fit
void set_compiler_options(const CompilerOptions& wanted, CompileOptions& options);

}  // namespace hilo
