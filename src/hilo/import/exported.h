// SPDX-License-Identifier: Apache-2.0
// import/exported.h -- a file of jax.export as a function.
#pragma once

#include "hilo/import/callable.h"
#include "hilo/stablehlo/jax_export.h"
#include "hilo/trace/flat_function.h"

namespace hilo {

/// A function, and the types of its inputs and outputs.
struct ImportedFunction {
  std::vector<LoadedValue> inputs, outputs;
  FlatFunction run;
};

/// Returns the function in a file: of all its inputs, including those that the module does not use. If the file has a
/// derivative and `use_vjp` is set, reverse mode calls it, as jax.export's call does; forward mode is then rejected.
/// Symbolic sizes are solved at each call; a function is created and stored for each new list of shapes. If there are
/// any, `exported.module` must outlive the function.
/// Errors    UNIMPLEMENTED for ordered effects, by name, and for programs of several devices; FAILED_PRECONDITION for a
///           file for platforms other than cpu; those of reading the module
ImportedFunction imported(const stablehlo::JaxExport& exported, const std::string& source, bool use_vjp);

}  // namespace hilo
