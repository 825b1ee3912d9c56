// SPDX-License-Identifier: Apache-2.0
// pjrt/errors.h -- converts statuses to PJRT_Error, and checks arguments of callers.
#pragma once

#include "hilo/base/status.h"
#include "hilo/pjrt_abi/values.h"

namespace hilo::pjrt {

/// Returns null for success. The caller destroys it by PJRT_Error_Destroy.
PJRT_Error* new_error(Status status) noexcept;

/// Returns a status from a caller's code and message.
Status status_from(PJRT_Error_Code code, const char* message, size_t size);

/// Checks that a pointer isn't null.
/// Errors    INVALID_ARGUMENT "'client' is null"
Status check_not_null(const void* pointer, std::string_view name);

}  // namespace hilo::pjrt

/// Returns the error from the enclosing function if args.field is null.
#define HILO_PJRT_WANTED(args, field) HILO_RETURN_IF_ERROR(::hilo::pjrt::check_not_null((args).field, #field))
/// Defines the function `name`, which checks that `handle` is not null and evaluates the expressions.
#define HILO_PJRT_GETTER(name, handle, ...) \
  Status answer(name##_Args& args) {        \
    HILO_PJRT_WANTED(args, handle);         \
    __VA_ARGS__;                            \
    return ok_status();                     \
  }
