// SPDX-License-Identifier: Apache-2.0
// tests/support/run_literals.h -- runs a program once, from literals to literals.
#pragma once

#include <span>
#include <vector>

#include "hilo/device/executable.h"

namespace hilo::tests {

/// The results of a run on the executable's first device. The arguments get the layouts that the executable requires.
StatusOr<std::vector<Literal>> run_literals(Executable& executable, std::span<const Literal> arguments);

}  // namespace hilo::tests
