// SPDX-License-Identifier: Apache-2.0
// trace/key_reuse.h -- detection of keys that are used twice, under debug_key_reuse. Not for users.
#pragma once

#include <functional>

#include "hilo/trace/settings.h"
#include "hilo/trace/trace.h"

namespace hilo {

/// Whether the check is enabled.
/// Cost       an atomic load
inline bool tracks_keys() { return is_on(Setting::kDebugKeyReuse); }

/// Runs an operation whose operands have values and tracks the keys that it uses, and those among its results.
/// Operations that only mark a use or a new key aren't run. Implemented in rules/key_reuse.cc.
/// Errors     throws KeyReuseError before it runs
std::vector<Array> track_keys(const Operation& operation, const std::function<std::vector<Array>()>& run);

}  // namespace hilo
