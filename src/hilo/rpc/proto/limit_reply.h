// SPDX-License-Identifier: Apache-2.0
// rpc/proto/limit_reply.h -- detects replies that report an exceeded limit, without decoding the rest.
#pragma once

#include <optional>
#include <string_view>

#include "hilo/base/status.h"

namespace hilo::rpc {

/// Returns the status of an encoded Reply if it is RESOURCE_EXHAUSTED or DEADLINE_EXCEEDED; otherwise nothing.
/// Cost      reads two fields of a successful reply
std::optional<Status> limit_of(std::string_view reply);

}  // namespace hilo::rpc
