// SPDX-License-Identifier: Apache-2.0
// rpc/service/reply_size.h -- the memory of a reply that is stored until the client has it.
#pragma once

#include "hilo/rpc/messages.h"

namespace hilo::rpc {

/// Bytes beyond a Reply's own size and its first KiB, estimated: the number of calls in flight bounds those. 0 for an
/// array's bytes, which aren't stored.
int64_t stored_bytes(const Reply& reply);

}  // namespace hilo::rpc
