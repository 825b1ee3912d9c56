// SPDX-License-Identifier: Apache-2.0
// import/exported.h -- a file of jax.export as a function.
#pragma once

#include "hilo/import/callable.h"
#include "hilo/stablehlo/jax_export.h"
#include "hilo/trace/flat_function.h"

namespace hilo {

/// A function with the types of what it takes and gives.
struct ImportedFunction {
  std::vector<LoadedValue> inputs, outputs;
  FlatFunction run;
};

/// The function in the file: of all its inputs, also those that the module doesn't take. Where the file brings a derivative
/// and `use_vjp` says so, reverse mode calls that one, as jax.export's call does; forward mode is then refused.
/// Symbolic sizes are solved at each call; a function is made for each new list of shapes, and kept. `exported.module`
/// lives as long as the function where there are any.
/// Errors    UNIMPLEMENTED for ordered effects, by name, and for programs of several devices;
///           FAILED_PRECONDITION for a file that is for other platforms than cpu; those of reading the module
ImportedFunction imported(const stablehlo::JaxExport& exported, const std::string& source, bool use_vjp);

}  // namespace hilo
