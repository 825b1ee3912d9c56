// SPDX-License-Identifier: Apache-2.0
// tests/support/counted_looks.h -- a cancellation token that is set at the n-th look at it.
#pragma once

#include <cstdint>
#include <functional>

#include "hilo/device/cancellation.h"

namespace hilo::tests {

/// Runs `work` with a token that is cancelled at look number `at`, from 0; never for at < 0. The token is alone on a
/// page without access: each look traps, is counted and goes on. Looks of other threads at the same moment may go
/// uncounted. Returns    the number of looks
int64_t count_looks(int64_t at, const std::function<void(CancellationToken&)>& work);

}  // namespace hilo::tests
