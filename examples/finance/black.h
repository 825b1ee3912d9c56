// SPDX-License-Identifier: Apache-2.0
// examples/finance/black.h -- an option on a forward.
// Source    Black, "The pricing of commodity contracts" (1976)
#pragma once

#include "hilo/hilo.h"

namespace finance {

using namespace hilo;

/// A call without discounting; `deviation` is the volatility times the root of the time.
inline Array black_call(const Array& forward, const Array& strike, const Array& deviation) {
  const Array upper = numpy::log(forward / strike) / deviation + 0.5 * deviation;
  return forward * scipy::stats::norm::cdf(upper) - strike * scipy::stats::norm::cdf(upper - deviation);
}

}  // namespace finance
