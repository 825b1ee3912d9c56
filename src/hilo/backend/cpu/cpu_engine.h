// SPDX-License-Identifier: Apache-2.0
// backend/cpu/cpu_engine.h -- the engine for the processor that hilo runs on.
#pragma once

#include "hilo/backend/host/host_program.h"

namespace hilo {

/// The engine of platform "Host": passes, regions, vector code for the widest instruction set that the machine and
/// HILO_ISA allow.
HostEngine& cpu_engine();

}  // namespace hilo
