// SPDX-License-Identifier: Apache-2.0
// tests/support/elementwise_samples.h -- the part of samples_of() for elementwise ops: a loop over the op table.
#pragma once

#include "tests/support/samples.h"

namespace hilo::tests {

std::vector<Sample> elementwise_samples(hlo::Opcode opcode, ElementType type, int64_t n, Values values);

/// A vector of NaN, infinities, -0, the minimum and maximum of a type, and some numbers between.
Literal edges_of(ElementType type);

}  // namespace hilo::tests
