// SPDX-License-Identifier: Apache-2.0
// transform/callback_rules.h -- what the rules of callbacks ask of them. Not for users.
#pragma once

#include "hilo/trace/staging_trace.h"
#include "hilo/transform/callback.h"

namespace hilo {

/// The name of callbacks' rules among custom rules; their user is the callback.
inline constexpr std::string_view kCallback = "callback";

namespace callback_detail {

struct CallbackFacts {
  Kind kind;
  VmapMethod vmap_method;
  bool ordered;
};

/// A callback that programs may call: each kind of call has a key of its own, see staged_callback.
class Registered;
using CallbackPtr = std::shared_ptr<const Registered>;

/// Of an operation that comes from a file, which has no callback: an ordered one, which no transformation takes.
CallbackFacts callback_facts(const Operation& operation);
/// The callback of an operation with rules of callbacks; null for one that comes from a file.
CallbackPtr callback_of(const Operation& operation);

/// A callback, with a number that no other one has.
CallbackPtr add_callback(Callback callback);
int64_t number_of(const Registered& callback);
/// A function that calls the callback on operands of these shapes and types. Its program names the call by 128 random bits,
/// the same for the same shapes, which live as long as the process: who can't read the program can't make the call.
StagedFunction staged_callback(const CallbackPtr& callback, std::span<const Array> operands,
                               std::span<const Shape> results);
/// Puts a call of the callback into the program.
std::vector<Array> bind_callback(const CallbackPtr& callback, std::span<const Array> operands,
                                 std::span<const Shape> results);

}  // namespace callback_detail
}  // namespace hilo
