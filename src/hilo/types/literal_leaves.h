// SPDX-License-Identifier: Apache-2.0
// types/literal_leaves.h -- converts values to lists of arrays and back: engines use leaves, programs have tuples.
#pragma once

#include <span>
#include <vector>

#include "hilo/types/literal.h"

namespace hilo {

/// Return the arrays of a value, depth first; of several values, one after the other.
std::vector<Literal> leaves_of(const Literal& value);
std::vector<Literal> leaves_of(std::span<const Literal> values);

/// Packs the leaves from `next` on into a value of `shape`, and advances `next`.
/// Precondition: there are enough leaves
Literal packed(const Shape& shape, std::span<const Literal> leaves, size_t& next);

}  // namespace hilo
