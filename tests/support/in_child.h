// SPDX-License-Identifier: Apache-2.0
// tests/support/in_child.h -- work that ends its process, or must not leave a mark on it.
#pragma once

#include <functional>

namespace hilo {

/// The exit status of `work` in a process of its own; 128 and the signal if that ended it, as an alarm does after two
/// minutes.
int in_child(const std::function<int()>& work);

}  // namespace hilo
