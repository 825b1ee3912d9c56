// SPDX-License-Identifier: Apache-2.0
// tests/support/golden_values.h -- recorded numbers of JAX, by name: tests/golden/transformations.txt and adbench.txt.
#pragma once

#include <string>

#include "hilo/tree/tree.h"

namespace hilo {

/// Returns the numbers recorded as `name`; an unknown name is a test failure.
std::vector<double> golden(const std::string& name);

/// Checks all elements of `leaves`, concatenated, against the numbers recorded as `name`, within `tolerance` of their
/// magnitude or 1.
void expect_golden_leaves(const std::string& name, std::span<const Array> leaves, double tolerance);
template <Tree T>
void expect_golden(const std::string& name, const T& tree, double tolerance = 2e-6) {
  expect_golden_leaves(name, flatten(tree).leaves, tolerance);
}

}  // namespace hilo
