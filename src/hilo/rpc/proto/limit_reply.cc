// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/proto/limit_reply.h"

#include <string>

#include "hilo/hlo/proto/wire.h"
#include "hilo/rpc/proto/fields.h"

namespace hilo::rpc {

std::optional<Status> limit_of(std::string_view reply) {
  hlo::proto::WireReader reader(reply, "Reply");
  hlo::proto::WireField field;
  std::optional<StatusCode> code;
  while (!reader.at_end() && reader.next(field).ok()) {
    if (field.number == kReplyId) continue;
    if (field.number == kReplyMessage && code) return Status(*code, std::string(field.bytes));
    if (field.number != kReplyCode) break;
    for (const StatusCode limit : {StatusCode::kResourceExhausted, StatusCode::kDeadlineExceeded}) {
      if (field.value == static_cast<uint64_t>(limit)) code = limit;
    }
    if (!code) break;
  }
  if (!code) return std::nullopt;
  return Status(*code, "");
}

}  // namespace hilo::rpc
