// SPDX-License-Identifier: Apache-2.0
// backend/reference/reference_engine.h -- the reference evaluator behind the interface of host engines.
#pragma once

#include "hilo/backend/host/host_program.h"

namespace hilo {

/// The engine of platform "Reference". It interprets the original program, op by op, without compiling: slow, obvious,
/// right.
HostEngine& reference_engine();

}  // namespace hilo
