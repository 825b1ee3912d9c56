// SPDX-License-Identifier: Apache-2.0
// tests/support/in_child.h -- runs code that ends its process, or that changes its state.
#pragma once

#include <functional>

namespace hilo {

/// Returns the exit status of `work` in a child process; 128 + the signal if a signal ended it, such as the alarm after
/// two minutes.
int in_child(const std::function<int()>& work);

}  // namespace hilo
