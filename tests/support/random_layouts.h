// SPDX-License-Identifier: Apache-2.0
// tests/support/random_layouts.h -- random layouts in a program, which don't change its values.
#pragma once

#include "hilo/inspect/bisect/reduce.h"

namespace hilo::tests {

/// The program with calls after some of its copies. The calls permute elements like a bitcast between layouts: they
/// transpose, reshape and transpose back.
hlo::Module with_reordered_values(const hlo::Module& module, unsigned seed);

/// The program inside of a branch or of a loop of one iteration, selected by `seed`, or unchanged. Conditions and
/// counts are arguments, so nothing is folded; results keep their names.
hlo::Invocation nested(const hlo::Invocation& program, unsigned seed);

/// The program with a random layout on every instruction of every computation, and entry layouts that sometimes differ
/// from these. The calls above become bitcasts between layouts, some other calls fusions. Values don't change.
hlo::Module with_random_layouts(const hlo::Module& module, unsigned seed);

}  // namespace hilo::tests
