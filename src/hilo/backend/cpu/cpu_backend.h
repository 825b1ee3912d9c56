// SPDX-License-Identifier: Apache-2.0
// backend/cpu/cpu_backend.h -- the engine for the processor that hilo runs on.
#pragma once

#include "hilo/backend/backend.h"

namespace hilo {

/// Platform "Host": passes, regions, vector code for the widest instruction set that machine and HILO_ISA allow.
std::unique_ptr<Backend> make_cpu_backend();

}  // namespace hilo
