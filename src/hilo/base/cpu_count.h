// SPDX-License-Identifier: Apache-2.0
// base/cpu_count.h -- determines how many threads this process should use.
#pragma once

#include <optional>
#include <string>

namespace hilo {

/// Returns the number of CPUs in the process's affinity mask; at least 1.
int affinity_cpu_count();

/// Returns the lowest CPU quota of the process's control group and its parents, rounded up; nullopt if none exists.
/// Supports control groups of version 2 and 1. `root` is a prefix of paths for tests.
std::optional<int> cgroup_cpu_limit(const std::string& root = "");

/// Returns min(affinity, control group quota, HILO_NUM_THREADS), at least 1. HILO_NUM_THREADS=0 means 1: only the
/// caller's thread. Text that is not a number is reported once and ignored.
int default_thread_count();

}  // namespace hilo
