// SPDX-License-Identifier: Apache-2.0
// base/process_end.h -- what happens when the process ends: nothing of the library is destroyed.
#pragma once

namespace hilo {

/// Calls `function` when the process ends, as std::atexit does.
///
/// Nothing else of libhilo.so runs then. Destructors of its static objects, LLVM's among them, are never registered:
/// __cxa_atexit is wrapped when the library is linked (cmake/wrapped.cmake). So a program may compute in the destructor of
/// a static object of its own, whatever the library made first. Returns    whether there was room to note it
bool at_process_end(void (*function)());

}  // namespace hilo
