// SPDX-License-Identifier: Apache-2.0
// tests/support/run_literals.h -- one run of a program from values to values.
#pragma once

#include <span>
#include <vector>

#include "hilo/device/executable.h"

namespace hilo::tests {

/// The results of a run on the executable's first device, whose arguments have the layouts that it takes.
StatusOr<std::vector<Literal>> run_literals(Executable& executable, std::span<const Literal> arguments);

}  // namespace hilo::tests
