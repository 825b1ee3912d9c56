// SPDX-License-Identifier: Apache-2.0
// transform/callback_rules.h -- what the rules of callbacks need. Not for users.
#pragma once

#include "hilo/trace/staging_trace.h"
#include "hilo/transform/callback.h"

namespace hilo {

/// The name of the callback rules among custom rules; their user data is the callback.
inline constexpr std::string_view kCallback = "callback";

namespace callback_detail {

struct CallbackFacts {
  Kind kind;
  VmapMethod vmap_method;
  bool ordered;
};

/// A callback that programs may call. Each kind of call has its own key, see staged_callback.
class Registered;
using CallbackPtr = std::shared_ptr<const Registered>;

/// Returns the facts of an operation's callback. An operation read from a file has no callback: it counts as an ordered
/// one, which all transformations reject.
CallbackFacts callback_facts(const Operation& operation);
/// Returns the callback of an operation with callback rules; null for one read from a file.
CallbackPtr callback_of(const Operation& operation);

/// Registers a callback under a unique number.
CallbackPtr add_callback(Callback callback);
int64_t number_of(const Registered& callback);
/// Returns a function that calls the callback on operands of these shapes and types. The program names the call by a
/// key of 128 random bits, which stays valid as long as the process. Only a reader of the program can make the call.
StagedFunction staged_callback(const CallbackPtr& callback, std::span<const Array> operands,
                               std::span<const Shape> results);
/// Inserts a call of the callback into the program.
std::vector<Array> bind_callback(const CallbackPtr& callback, std::span<const Array> operands,
                                 std::span<const Shape> results);

}  // namespace callback_detail
}  // namespace hilo
