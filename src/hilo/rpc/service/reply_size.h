// SPDX-License-Identifier: Apache-2.0
// rpc/service/reply_size.h -- estimates the memory of stored replies.
#pragma once

#include "hilo/rpc/messages.h"

namespace hilo::rpc {

/// Returns the estimated bytes beyond a Reply's own size and its first KiB, which the limit on calls in flight covers.
/// Returns 0 for an array's bytes, which aren't stored.
int64_t stored_bytes(const Reply& reply);

}  // namespace hilo::rpc
