// SPDX-License-Identifier: Apache-2.0
// pjrt/named_values.h -- reads and creates PJRT_NamedValue. Created ones refer to the texts and numbers of the caller.
#pragma once

#include <span>
#include <string_view>

#include "hilo/base/status.h"
#include "hilo/pjrt_abi/values.h"

namespace hilo::pjrt {

PJRT_NamedValue named(std::string_view name, int64_t value);
PJRT_NamedValue named(std::string_view name, float value);
PJRT_NamedValue named(std::string_view name, std::string_view value);
PJRT_NamedValue named(std::string_view name, std::span<const int64_t> value);

std::string_view name_of(const PJRT_NamedValue& value);
/// Returns the number of an option; a text is parsed.
/// Errors    INVALID_ARGUMENT unless it is a number
StatusOr<int64_t> integer_of(const PJRT_NamedValue& value);
/// Returns the text of an option.
/// Errors    INVALID_ARGUMENT unless it is a text
StatusOr<std::string_view> text_of(const PJRT_NamedValue& value);

}  // namespace hilo::pjrt
