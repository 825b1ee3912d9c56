// SPDX-License-Identifier: Apache-2.0
// base/out_of_memory.h -- converts std::bad_alloc to a Status.
#pragma once

#include <new>

#include "hilo/base/status.h"

namespace hilo {

/// Returns RESOURCE_EXHAUSTED without allocating: the status is created when the library is loaded.
Status out_of_memory();

/// Returns the result of `work`, a Status or StatusOr, or RESOURCE_EXHAUSTED if it throws std::bad_alloc.
/// Example   return or_out_of_memory([&] { return parse(text); });
template <typename Work>
auto or_out_of_memory(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

}  // namespace hilo
