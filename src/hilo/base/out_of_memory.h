// SPDX-License-Identifier: Apache-2.0
// base/out_of_memory.h -- where operator new fails, a Status says so: the seam between std::bad_alloc and the engine's errors.
#pragma once

#include <new>

#include "hilo/base/status.h"

namespace hilo {

/// RESOURCE_EXHAUSTED. It was made when the library was loaded, so that saying so takes no memory.
Status out_of_memory();

/// What `work` returns, a Status or StatusOr; RESOURCE_EXHAUSTED where it ran out of memory. What the work had made by
/// then is gone.
/// Example    return or_out_of_memory([&] { return parse(text); });
template <typename Work>
auto or_out_of_memory(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

}  // namespace hilo
