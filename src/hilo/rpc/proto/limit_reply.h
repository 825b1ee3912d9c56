// SPDX-License-Identifier: Apache-2.0
// rpc/proto/limit_reply.h -- whether a reply says that a limit was hit, without a look at the rest of it.
#pragma once

#include <optional>
#include <string_view>

#include "hilo/base/status.h"

namespace hilo::rpc {

/// The status of a Reply, as encode() writes one, with RESOURCE_EXHAUSTED or DEADLINE_EXCEEDED; none for any other.
/// Cost    two fields of a reply that is OK
std::optional<Status> limit_of(std::string_view reply);

}  // namespace hilo::rpc
