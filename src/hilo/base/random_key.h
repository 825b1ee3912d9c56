// SPDX-License-Identifier: Apache-2.0
// base/random_key.h -- names that nobody can guess: who knows one was told it.
#pragma once

#include <string>

namespace hilo {

/// 128 random bits of the system's as 32 hexadecimal digits.
std::string random_key();

}  // namespace hilo
