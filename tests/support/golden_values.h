// SPDX-License-Identifier: Apache-2.0
// tests/support/golden_values.h -- numbers that JAX gave, by name: tests/golden/transformations.txt and adbench.txt.
#pragma once

#include <string>

#include "hilo/tree/tree.h"

namespace hilo {

/// The numbers recorded as `name`; a test failure and none if there is no such name.
std::vector<double> golden(const std::string& name);

/// All elements of `leaves`, one after the other, are the numbers recorded as `name`, within `tolerance` of their size
/// or 1.
void expect_golden_leaves(const std::string& name, std::span<const Array> leaves, double tolerance);
template <Tree T>
void expect_golden(const std::string& name, const T& tree, double tolerance = 2e-6) {
  expect_golden_leaves(name, flatten(tree).leaves, tolerance);
}

}  // namespace hilo
