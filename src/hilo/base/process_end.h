// SPDX-License-Identifier: Apache-2.0
// base/process_end.h -- runs functions at the end of the process, and suppresses destructors of the library's static
// objects.
#pragma once

namespace hilo {

/// Calls `function` when the process ends, like std::atexit.
///
/// Nothing else of libhilo.so runs then. Destructors of its static objects, including LLVM's, are never registered,
/// because __cxa_atexit is wrapped when the library is linked (cmake/wrapped.cmake). So a program may use hilo in the
/// destructors of its own static objects.
/// Returns   false if there was no memory to register it
bool at_process_end(void (*function)());

}  // namespace hilo
