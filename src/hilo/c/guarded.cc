// SPDX-License-Identifier: Apache-2.0
#include "hilo/c/guarded.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "hilo/c/hilo.h"

namespace hilo::c {

namespace {

hilo_code code_of(StatusCode code) {
  switch (code) {
    case StatusCode::kOk: return HILO_CODE_OK;
    case StatusCode::kCancelled: return HILO_CODE_CANCELLED;
    case StatusCode::kUnknown: return HILO_CODE_UNKNOWN;
    case StatusCode::kInvalidArgument: return HILO_CODE_INVALID_ARGUMENT;
    case StatusCode::kDeadlineExceeded: return HILO_CODE_DEADLINE_EXCEEDED;
    case StatusCode::kNotFound: return HILO_CODE_NOT_FOUND;
    case StatusCode::kAlreadyExists: return HILO_CODE_ALREADY_EXISTS;
    case StatusCode::kPermissionDenied: return HILO_CODE_PERMISSION_DENIED;
    case StatusCode::kResourceExhausted: return HILO_CODE_RESOURCE_EXHAUSTED;
    case StatusCode::kFailedPrecondition: return HILO_CODE_FAILED_PRECONDITION;
    case StatusCode::kAborted: return HILO_CODE_ABORTED;
    case StatusCode::kOutOfRange: return HILO_CODE_OUT_OF_RANGE;
    case StatusCode::kUnimplemented: return HILO_CODE_UNIMPLEMENTED;
    case StatusCode::kInternal: return HILO_CODE_INTERNAL;
    case StatusCode::kUnavailable: return HILO_CODE_UNAVAILABLE;
    case StatusCode::kDataLoss: return HILO_CODE_DATA_LOSS;
    case StatusCode::kUnauthenticated: return HILO_CODE_UNAUTHENTICATED;
  }
  __builtin_unreachable();
}

}  // namespace

char* c_copy(std::string_view bytes) {
  auto* const copy = static_cast<char*>(std::malloc(bytes.size() + 1));
  if (copy == nullptr) return nullptr;
  std::memcpy(copy, bytes.data(), bytes.size());
  copy[bytes.size()] = '\0';
  return copy;
}

int report(const Status& status, char** error) {
  const int code = code_of(status.code());
  if (error == nullptr) return code;
  *error = nullptr;
  try {
    *error = c_copy(status.to_string());
  } catch (const std::bad_alloc&) {
    return code;
  }
  return code;
}

Status null_parameter(std::string_view function, std::string_view name) {
  return invalid_argument(fmt::format("{}: {} is null", function, name));
}

extern "C" {

void hilo_error_free(char* error) { std::free(error); }

}  // extern "C"

}  // namespace hilo::c
