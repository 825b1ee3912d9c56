// SPDX-License-Identifier: Apache-2.0
// tests/support/counted_looks.h -- a cancellation token that is set when it is checked for the n-th time.
#pragma once

#include <cstdint>
#include <functional>

#include "hilo/device/cancellation.h"

namespace hilo::tests {

/// Runs `work` with a token that is cancelled at check number `at`, from 0; never for at < 0. The token is alone on a
/// protected page: each check traps, is counted and continues. Concurrent checks of other threads may be missed.
/// Returns    the number of checks
int64_t count_looks(int64_t at, const std::function<void(CancellationToken&)>& work);

}  // namespace hilo::tests
