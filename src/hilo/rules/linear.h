// SPDX-License-Identifier: Apache-2.0
// rules/linear.h -- jvp of ops that are linear in all their floating operands at once.
#pragma once

#include "hilo/trace/rules.h"

namespace hilo::rules {

/// Binds the op itself on tangents: for ops whose result is jointly linear in all floating operands (slice, reshape,
/// concatenate, pad, ...). Zero tangents are materialised; integer operands (indices) are unchanged.
JvpResult linear_jvp(const Operation& operation, std::span<const Tangent> tangents);

}  // namespace hilo::rules
