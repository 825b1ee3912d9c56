// SPDX-License-Identifier: Apache-2.0
// trace/placement.h -- where a computation on arrays runs, and their buffers there. Not for users.
#pragma once

#include "hilo/base/function_ref.h"
#include "hilo/device/executable.h"
#include "hilo/trace/trace.h"

namespace hilo {

/// Runs a program that runs alone on arrays, on the device that one of them is committed to, or else on that of
/// default_device(device), or the first that it was compiled for, where those go that are elsewhere. If that is a device of another platform, it runs what is compiled there for
/// `program`. Waits for its end unless the client is asynchronous.
/// `donated`: a flag per array, or empty; a number that is donated is lost to nobody else.
/// Returns   whether the results are committed to the device
/// Precondition: all arrays are concrete.
/// Errors    those of Executable::launch; throws INVALID_ARGUMENT "... incompatible devices" if two arrays are committed to
///           different ones, and the errors of copies
StatusOr<bool> run_on_arrays(Executable& executable, std::initializer_list<std::span<const Array>> lists,
                             std::span<const bool> donated, std::span<BufferPtr> results,
                             FunctionRef<hlo::Module()> program);

}  // namespace hilo
