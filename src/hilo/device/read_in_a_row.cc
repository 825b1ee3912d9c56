// SPDX-License-Identifier: Apache-2.0
#include "hilo/device/read_in_a_row.h"

namespace hilo {

Status read_in_a_row(std::span<const BufferPtr> buffers, std::byte* to) {
  for (const BufferPtr& buffer : buffers) {
    HILO_ASSIGN_OR_RETURN(const BufferUse use, BufferUse::of(buffer, "stack"));
    HILO_RETURN_IF_ERROR(buffer->read(to).await());
    to += buffer->shape().byte_size();
  }
  return ok_status();
}

}  // namespace hilo
