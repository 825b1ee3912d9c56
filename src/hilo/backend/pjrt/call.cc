// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/pjrt/call.h"

#include <fmt/format.h>

#include "hilo/base/text.h"

namespace hilo::plugins {
namespace {

/// Returns the name of the function at this offset of the table.
std::string_view slot_name(size_t offset) {
#define HILO_PJRT_SLOT(result, name) \
  if (offset == offsetof(PJRT_Api, name)) return #name;
#include "hilo/pjrt_abi/slots.inc"
  return "?";
}

}  // namespace

Status status_of(const Plugin& plugin, PJRT_Error* error) {
  if (error == nullptr) return ok_status();
  const PJRT_Api& api = plugin.api();
  PJRT_Error_GetCode_Args code{};
  code.struct_size = kPjrtStructSize<PJRT_Error_GetCode_Args>;
  code.error = error;
  PJRT_Error* const no_code = api.PJRT_Error_GetCode(&code);
  PJRT_Error_Message_Args message{};
  message.struct_size = kPjrtStructSize<PJRT_Error_Message_Args>;
  message.error = error;
  api.PJRT_Error_Message(&message);
  // copied: the text is destroyed with the error
  std::string text(message.message == nullptr ? "" : message.message, message.message_size);
  const auto destroy = [&](PJRT_Error* one) {
    PJRT_Error_Destroy_Args args{};
    args.struct_size = kPjrtStructSize<PJRT_Error_Destroy_Args>;
    args.error = one;
    api.PJRT_Error_Destroy(&args);
  };
  const auto number = static_cast<int>(code.code);
  const bool is_code = no_code == nullptr && number > static_cast<int>(StatusCode::kOk) &&
                       number <= static_cast<int>(StatusCode::kUnauthenticated);
  if (no_code != nullptr) destroy(no_code);
  destroy(error);
  return Status(is_code ? static_cast<StatusCode>(number) : StatusCode::kUnknown, std::move(text));
}

Status cannot_call(const Plugin& plugin, size_t offset) {
  if (is_after_fork()) {
    return failed_precondition(
        fmt::format("plugin {}: its threads don't exist in this process, which was forked after its first use. Hint: "
                    "fork() before the "
                    "first use",
                    quote(plugin.path())));
  }
  return unimplemented(fmt::format("plugin {}: its PJRT {} has no function {}", quote(plugin.path()),
                                   plugin.version_text(), slot_name(offset)));
}

}  // namespace hilo::plugins
