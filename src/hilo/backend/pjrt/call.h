// SPDX-License-Identifier: Apache-2.0
// backend/pjrt/call.h -- calls a plugin's functions: sets sizes, rejects missing functions, converts errors to Status.
#pragma once

#include "hilo/backend/pjrt/plugin.h"

namespace hilo::plugins {

/// Converts the error to a Status with the plugin's code and text, and destroys it. Null is OK.
Status status_of(const Plugin& plugin, PJRT_Error* error);

/// Returns an error if the function can't be called.
/// Errors    UNIMPLEMENTED "plugin '...' (PJRT 0.81) has no function ..." ; FAILED_PRECONDITION after fork()
Status cannot_call(const Plugin& plugin, size_t offset);

/// The type of a function of the table.
template <typename Args>
using Slot = PJRT_Error* (*PJRT_Api::*)(Args*);

template <typename Args>
size_t offset_of(const Plugin& plugin, Slot<Args> slot) {
  const auto* const api = reinterpret_cast<const std::byte*>(&plugin.api());
  return static_cast<size_t>(reinterpret_cast<const std::byte*>(&(plugin.api().*slot)) - api);
}

template <typename Args>
bool has(const Plugin& plugin, Slot<Args> slot) {
  return plugin.has_slot(offset_of(plugin, slot));
}

/// Calls a function with arguments whose struct_size needn't be set.
/// Errors    the plugin's; those of cannot_call
/// Example   HILO_RETURN_IF_ERROR(call(plugin, &PJRT_Api::PJRT_Client_Create, args));
template <typename Args>
Status call(const Plugin& plugin, Slot<Args> slot, Args& args) {
  const size_t offset = offset_of(plugin, slot);
  if (is_after_fork() || !plugin.has_slot(offset)) return cannot_call(plugin, offset);
  args.struct_size = kPjrtStructSize<Args>;  // never larger: a plugin reads as much as the size says
  PJRT_Error* const error = (plugin.api().*slot)(&args);
  return error == nullptr ? ok_status() : status_of(plugin, error);
}

/// The same for destructors, which can't return errors. Does nothing after fork(), because the object belongs to
/// another process.
template <typename Args>
void call_quietly(const Plugin& plugin, Slot<Args> slot, Args args) {
  (void)call(plugin, slot, args);
}

}  // namespace hilo::plugins
