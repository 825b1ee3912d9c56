// SPDX-License-Identifier: Apache-2.0
// c/sized_function.h -- programs with open sizes, compiled for buckets of sizes.
#pragma once

#include <span>
#include <vector>

#include "hilo/c/handles.h"
#include "hilo/transform/jit.h"

namespace hilo::c {

/// A jitted program, for arguments of any size up to the largest bucket.
struct SizedFunction {
  FlatFunction run;
  jit_detail::State state;
};

/// Checks that the program leaves sizes open, and returns it with a program for each bucket that is compiled when a
/// call needs it. `options` has buckets.
/// Errors    INVALID_ARGUMENT
StatusOr<std::shared_ptr<const SizedFunction>> sized_function(const Program& program, JitOptions options);

/// Runs the program on buffers of any size that it accepts.
/// Errors    throws those of tracing and of buckets
std::vector<BufferPtr> call_sized(const SizedFunction& function, std::span<const BufferPtr> arguments);

}  // namespace hilo::c
