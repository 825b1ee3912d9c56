// SPDX-License-Identifier: Apache-2.0
// trace/key_reuse.h -- keys that are used twice, under debug_key_reuse: who looks for them. Not for users.
#pragma once

#include <functional>

#include "hilo/trace/settings.h"
#include "hilo/trace/trace.h"

namespace hilo {

/// Does anybody look? Cost    an atomic load
inline bool follows_keys() { return is_on(Setting::kDebugKeyReuse); }

/// Notes which keys `operation` uses, whose operands have values, and which its results, those of `run`, still are. A mark
/// of a use or of a new key does nothing else and isn't run.
/// Errors    throws KeyReuseError before it runs. The work is done in rules/key_reuse.cc
std::vector<Array> follow_keys(const Operation& operation, const std::function<std::vector<Array>()>& run);

}  // namespace hilo
