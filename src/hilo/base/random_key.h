// SPDX-License-Identifier: Apache-2.0
// base/random_key.h -- unguessable names, which act as access tokens.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace hilo {

/// Returns 128 random bits of the system.
std::array<uint64_t, 2> random_words();

/// Returns 128 random bits of the system as 32 hexadecimal digits.
std::string random_key();

}  // namespace hilo
