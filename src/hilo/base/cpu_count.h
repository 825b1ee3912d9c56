// SPDX-License-Identifier: Apache-2.0
// base/cpu_count.h -- how many threads this process may keep busy.
#pragma once

#include <optional>
#include <string>

namespace hilo {

/// CPUs in the process's affinity mask; at least 1.
int affinity_cpu_count();

/// The CPU quota of the process's control group and all above it, rounded up; nullopt if there is none. Reads
/// control groups of version 2 and 1 below `root`, which is "" but in tests.
std::optional<int> cgroup_cpu_limit(const std::string& root = "");

/// min(affinity, control group quota, HILO_NUM_THREADS), at least 1. The variable's 0 means the same as 1: no
/// thread beside the caller's. Text that is no number is reported once and ignored.
int default_thread_count();

}  // namespace hilo
