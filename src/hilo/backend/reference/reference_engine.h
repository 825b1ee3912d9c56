// SPDX-License-Identifier: Apache-2.0
// backend/reference/reference_engine.h -- the reference evaluator behind the interface of host engines.
#pragma once

#include "hilo/backend/host/host_program.h"

namespace hilo {

/// Platform "Reference": compiles nothing and interprets the program as it was given, op by op: slow, obvious, right.
HostEngine& reference_engine();

}  // namespace hilo
