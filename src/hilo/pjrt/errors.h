// SPDX-License-Identifier: Apache-2.0
// pjrt/errors.h -- statuses as PJRT_Error, and the words for what callers get wrong.
#pragma once

#include "hilo/base/status.h"
#include "hilo/pjrt_abi/values.h"

namespace hilo::pjrt {

/// Null for success. The caller destroys it by PJRT_Error_Destroy.
PJRT_Error* new_error(Status status) noexcept;

/// The status of what a caller describes by a code and a text.
Status status_from(PJRT_Error_Code code, const char* message, size_t size);

/// Errors    INVALID_ARGUMENT "'client' is null" if it is
Status wanted(const void* pointer, std::string_view name);

}  // namespace hilo::pjrt

/// Returns the error from the enclosing function if args.field is null.
#define HILO_PJRT_WANTED(args, field) HILO_RETURN_IF_ERROR(::hilo::pjrt::wanted((args).field, #field))
