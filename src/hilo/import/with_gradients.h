// SPDX-License-Identifier: Apache-2.0
// import/with_gradients.h -- a program together with gradients of its first result.
#pragma once

#include "hilo/import/load.h"
#include "hilo/trace/flat_function.h"

namespace hilo {

/// Returns the function whose results are those of `program`, then the gradients of the first one with respect to
/// `arguments`, in their order.
/// Precondition: check_gradients() is ok
FlatFunction with_gradients(FlatFunction program, std::vector<int64_t> arguments);

/// Checks that the first result is a scalar of a float type and that the arguments exist and have float types. `what`
/// and `name` begin messages: "--grad", the program's name.
/// Errors    INVALID_ARGUMENT
Status check_gradients(const std::vector<LoadedValue>& inputs, const std::vector<LoadedValue>& outputs,
                       const std::vector<int64_t>& arguments, std::string_view what, std::string_view name);

}  // namespace hilo
