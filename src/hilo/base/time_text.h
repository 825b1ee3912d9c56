// SPDX-License-Identifier: Apache-2.0
// base/time_text.h -- spans of time for people.
#pragma once

#include <string>

namespace hilo {

/// Example   time_text(1500) == "1.50 us"
std::string time_text(double nanoseconds);

}  // namespace hilo
