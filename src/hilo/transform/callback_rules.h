// SPDX-License-Identifier: Apache-2.0
// transform/callback_rules.h -- what the rules of callbacks ask of them. Not for users.
#pragma once

#include "hilo/trace/staging_trace.h"
#include "hilo/transform/callback.h"

namespace hilo {

/// The name of callbacks' rules among custom rules; their number is its id.
inline constexpr std::string_view kCallback = "callback";

namespace callback_detail {

struct CallbackFacts {
  Kind kind;
  VmapMethod vmap_method;
  bool ordered;
};
/// Of a number that this process doesn't know: an ordered callback, of which nothing can be made.
CallbackFacts callback_facts(int64_t number);

/// Gives a callback its number; both live as long as the process.
int64_t add_callback(Callback callback);
/// A function that calls callback `number`.
StagedFunction staged_callback(int64_t number, std::span<const Array> operands, std::span<const Shape> results);
/// Puts a call of callback `number` into the program.
std::vector<Array> bind_callback(int64_t number, std::span<const Array> operands, std::span<const Shape> results);

}  // namespace callback_detail
}  // namespace hilo
