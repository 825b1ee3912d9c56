// SPDX-License-Identifier: Apache-2.0
// types/literal_leaves.h -- values to lists of arrays and back: engines take and give leaves, programs have tuples.
#pragma once

#include <span>
#include <vector>

#include "hilo/types/literal.h"

namespace hilo {

/// The arrays of a value, depth first; of several values, one after the other.
std::vector<Literal> leaves_of(const Literal& value);
std::vector<Literal> leaves_of(std::span<const Literal> values);

/// The leaves from `next` on as a value of `shape`; `next` moves behind them.
/// Precondition: there are that many.
Literal packed(const Shape& shape, std::span<const Literal> leaves, size_t& next);

}  // namespace hilo
