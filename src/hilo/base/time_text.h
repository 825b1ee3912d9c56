// SPDX-License-Identifier: Apache-2.0
// base/time_text.h -- formats durations for people.
#pragma once

#include <string>

namespace hilo {

/// Formats a duration in ns, us, ms or s.
/// Example   time_text(1500) == "1.50 us"
std::string time_text(double nanoseconds);

}  // namespace hilo
