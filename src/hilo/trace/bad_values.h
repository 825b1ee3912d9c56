// SPDX-License-Identifier: Apache-2.0
// trace/bad_values.h -- what debug_nans and debug_infs look for in results. Not for users.
#pragma once

#include "hilo/trace/settings.h"
#include "hilo/trace/trace.h"

namespace hilo {

/// Does anybody look? Cost    two atomic loads
inline bool looks_for_bad_values() { return is_on(Setting::kDebugNans) || is_on(Setting::kDebugInfs); }

struct BadValues {
  bool nans = false, infs = false;
  /// What the thread looks for.
  static BadValues wanted() { return {is_on(Setting::kDebugNans), is_on(Setting::kDebugInfs)}; }
};

/// "nan" or "inf" if `array`, which has a value, holds one of those looked for; else "".
std::string_view bad_value_in(const Array& array, BadValues wanted);
bool any_bad_value(std::span<const Array> arrays, BadValues wanted);

/// Runs an operation that has given bad values once more, op by op, and throws what it finds.
/// Errors    throws FloatingPointError. The work is done in rules/debug_nans.cc
[[noreturn]] void report_bad_values(const Operation& operation);

}  // namespace hilo
