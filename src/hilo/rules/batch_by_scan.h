// SPDX-License-Identifier: Apache-2.0
// rules/batch_by_scan.h -- the batching rule of operations without a batched form: one example after the other.
#pragma once

#include "hilo/trace/rules.h"

namespace hilo::rules {

/// Scans the operation over the batch axis. Correct for every operation, but slower than a batched form.
BatchResult batch_by_scan(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context);

}  // namespace hilo::rules
