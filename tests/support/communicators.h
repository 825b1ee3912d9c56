// SPDX-License-Identifier: Apache-2.0
// tests/support/communicators.h -- participants of collectives, and numbers whose sum depends on the order of
// additions.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "hilo/device/communicator.h"

namespace hilo::tests {

using Floats = std::vector<float>;

inline std::span<const std::byte> in(const Floats& values) { return std::as_bytes(std::span(values)); }
inline std::span<std::byte> out(Floats& values) { return std::as_writable_bytes(std::span(values)); }

/// The addition of floats, in the order of the group.
extern const Reduction kAddFloats;

/// 0, 1, ... n - 1
std::vector<int64_t> everyone(int64_t n);

float awkward(int64_t replica, size_t i);
Floats values_of(int64_t replica, size_t count);
/// The left fold of values_of the group's members.
Floats sum_of(std::span<const int64_t> group, size_t count);

/// Runs `body` as every participant, `each` of every group, as execute_replicas does: a failing thread aborts the
/// others. What each returned.
std::vector<Status> run_participants(std::span<const std::unique_ptr<CommunicatorGroup>> groups, int64_t each,
                                     const std::function<Status(Communicator&)>& body);

void expect_all_ok(const std::vector<Status>& statuses);

}  // namespace hilo::tests
