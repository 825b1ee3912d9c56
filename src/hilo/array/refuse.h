// SPDX-License-Identifier: Apache-2.0
// array/refuse.h -- errors for invalid arguments. Not for users.
#pragma once

#include <string>
#include <string_view>

namespace hilo {

/// Throws INVALID_ARGUMENT "solve (train.cc:41): why", with the user's line.
[[noreturn]] void refuse(std::string_view function, const std::string& why);

}  // namespace hilo
