// SPDX-License-Identifier: Apache-2.0
// trace/print.h -- arrays as NumPy prints them.
#pragma once

#include <string>

#include "hilo/types/literal.h"

namespace hilo {

/// "[[1. 2.]\n [3. 4.]]": columns aligned, 8 significant digits, more than 1000 elements shortened by "...".
std::string numpy_text(const Literal& literal);

}  // namespace hilo
