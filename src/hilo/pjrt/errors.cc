// SPDX-License-Identifier: Apache-2.0
#include "hilo/pjrt/errors.h"

#include <new>

#include "hilo/pjrt/answers.h"
#include "hilo/pjrt/objects.h"

namespace hilo::pjrt {
namespace {

const ErrorObject& object(const PJRT_Error* error) { return static_cast<const ErrorObject&>(*error); }

PJRT_Error_Code code_of(const PJRT_Error* error) {
  return static_cast<PJRT_Error_Code>(object(error).status.code());  // the numbers are equal
}

void message_of(const PJRT_Error* error, const char** message, size_t* size) {
  const std::string_view text = object(error).status.message();
  *message = text.data();
  *size = text.size();
}

void destroy(PJRT_Error* error);
void no_payload(const PJRT_Error*, PJRT_Error_PayloadVisitor, void*) {}

constexpr PJRT_Error_FunctionTable kFunctions = {
    kPjrtStructSize<PJRT_Error_FunctionTable>, sizeof(ErrorObject), nullptr, destroy, message_of, code_of, no_payload};

/// Returns the error for the case that there is no memory for another one.
ErrorObject* last_error() {
  static ErrorObject* const error = new ErrorObject{{&kFunctions}, resource_exhausted("out of memory")};
  return error;
}

void destroy(PJRT_Error* error) {
  if (error != last_error()) (void)Handles<ErrorObject>::destroy(static_cast<ErrorObject*>(error));
}

}  // namespace

PJRT_Error* new_error(Status status) noexcept {
  if (status.ok()) return nullptr;
  try {
    return Handles<ErrorObject>::make(PJRT_Error{&kFunctions}, std::move(status));
  } catch (const std::bad_alloc&) {
    return last_error();
  }
}

Status status_from(PJRT_Error_Code code, const char* message, size_t size) {
  if (code == PJRT_Error_Code_OK) return ok_status();
  const bool known = code <= PJRT_Error_Code_UNAUTHENTICATED;
  return Status(known ? static_cast<StatusCode>(code) : StatusCode::kUnknown,
                message == nullptr ? std::string() : std::string(message, size));
}

Status check_not_null(const void* pointer, std::string_view name) {
  if (pointer != nullptr) return ok_status();
  return invalid_argument("'" + std::string(name) + "' is null");
}

Status answer(PJRT_Error_Destroy_Args& args) {
  if (args.error != nullptr) destroy(args.error);
  return ok_status();
}

Status answer(PJRT_Error_Message_Args& args) {
  HILO_PJRT_WANTED(args, error);
  message_of(args.error, &args.message, &args.message_size);
  return ok_status();
}

HILO_PJRT_GETTER(PJRT_Error_GetCode, error, args.code = code_of(args.error))

Status answer(PJRT_Error_ForEachPayload_Args& args) {  // errors have no payloads
  HILO_PJRT_WANTED(args, error);
  return ok_status();
}

}  // namespace hilo::pjrt
