// SPDX-License-Identifier: Apache-2.0
// tools/hilo/interrupt.h -- on Ctrl-C, or at the limit of processor time (ulimit -t), cancels the running program and
// ends the command soon.
#pragma once

#include "hilo/device/cancellation.h"

namespace hilo::tool {

inline constexpr int kExitInterrupted = 130;  // 128 + SIGINT, as in shells

/// Installs the handlers. The first SIGINT or SIGXCPU cancels the token; if the process has not ended 400 ms later, it
/// is ended. A second signal ends it at once. Files are renamed into place, so no file is left incomplete.
void catch_interrupts();

const CancellationToken& interrupt_token();
bool interrupted();
/// Whether the interrupt came from the limit of processor time.
bool out_of_processor_time();

}  // namespace hilo::tool
