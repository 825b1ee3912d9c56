// SPDX-License-Identifier: Apache-2.0
// trace/placement.h -- the device on which a computation runs, and its arguments' buffers there. Not for users.
#pragma once

#include "hilo/base/function_ref.h"
#include "hilo/device/executable.h"
#include "hilo/trace/trace.h"

namespace hilo {

/// Runs a program on arrays, on one device: that to which an argument is committed, else that of
/// default_device(device), else the first for which it was compiled. Other arguments are copied there. If the device
/// belongs to another platform, runs the executable compiled there for `program`. Waits for the end unless the client
/// is asynchronous. `donated` has a flag per array, or is empty. Returns whether the results are committed to the
/// device.
/// Errors     those of Executable::launch; throws INVALID_ARGUMENT "... incompatible devices" if arrays are committed
///            to different devices, and the errors of copies
/// Precondition: all arrays are concrete
StatusOr<bool> run_on_arrays(Executable& executable, std::initializer_list<std::span<const Array>> lists,
                             std::span<const bool> donated, std::span<BufferPtr> results,
                             FunctionRef<hlo::Module()> program);

}  // namespace hilo
