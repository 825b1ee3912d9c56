// SPDX-License-Identifier: Apache-2.0
// trace/bad_values.h -- checks of results for debug_nans and debug_infs. Not for users.
#pragma once

#include "hilo/trace/settings.h"
#include "hilo/trace/trace.h"

namespace hilo {

/// Whether a check is enabled.
/// Cost       two atomic loads
inline bool checks_bad_values() { return is_on(Setting::kDebugNans) || is_on(Setting::kDebugInfs); }

struct BadValues {
  bool nans = false, infs = false;
  /// Returns the checks that are enabled on this thread.
  static BadValues enabled() { return {is_on(Setting::kDebugNans), is_on(Setting::kDebugInfs)}; }
};

/// Returns "nan" or "inf" if `array`, which has a value, contains one that is checked for; else "".
std::string_view bad_value_in(const Array& array, BadValues kinds);
bool any_bad_value(std::span<const Array> arrays, BadValues kinds);

/// Runs an operation with bad results again, operation by operation, and throws its finding. Implemented in
/// rules/debug_nans.cc.
/// Errors     throws FloatingPointError
[[noreturn]] void report_bad_values(const Operation& operation);

}  // namespace hilo
