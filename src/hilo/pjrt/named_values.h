// SPDX-License-Identifier: Apache-2.0
// pjrt/named_values.h -- PJRT_NamedValue, out and in. Those that go out live as long as the texts and numbers they
// point to.
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
/// The number of an option; one that is written as text is read.
/// Errors    INVALID_ARGUMENT for what is none
StatusOr<int64_t> integer_of(const PJRT_NamedValue& value);
/// Errors    INVALID_ARGUMENT for what is no text
StatusOr<std::string_view> text_of(const PJRT_NamedValue& value);

}  // namespace hilo::pjrt
