// SPDX-License-Identifier: Apache-2.0
// tests/support/random_layouts.h -- random orders of memory in a program, under which its values stay what they are.
#pragma once

#include "hilo/inspect/bisect/reduce.h"

namespace hilo::tests {

/// The program with calls behind some of its copies that exchange elements as a bitcast between layouts does: they
/// transpose, reshape and transpose back.
hlo::Module with_reordered_values(const hlo::Module& module, unsigned seed);

/// The program inside of a branch or of a loop of one iteration, selected by `seed`, or unchanged. Conditions and
/// counts are arguments, so nothing is folded; results keep their names.
hlo::Invocation nested(const hlo::Invocation& program, unsigned seed);

/// The program with a random layout on every instruction of every computation, and with entry layouts that differ from
/// them now and then. Those calls become bitcasts between layouts, some other calls fusions. Values stay.
hlo::Module with_random_layouts(const hlo::Module& module, unsigned seed);

}  // namespace hilo::tests
