// SPDX-License-Identifier: Apache-2.0
// rules/vanishing.h -- terms that are 0 and whose derivatives aren't: what first derivatives need not compute.
#pragma once

#include "hilo/trace/staging_trace.h"

namespace hilo::rules {

/// Zeros in the shapes of f(known, linear). Precondition: f is linear in `linear`, and 0 at `known`. The derivative by
/// `known` is f's, by a computation of it; the derivative by `linear` is 0.
std::vector<Array> vanishing(const FlatFunction& f, const std::vector<Array>& known, const std::vector<Array>& linear);

}  // namespace hilo::rules
