// SPDX-License-Identifier: Apache-2.0
// backend/pjrt/host_calls.h -- custom calls whose functions are hilo's, on plugins whose devices are processors or
// NVIDIA's GPUs: LAPACK, callbacks and functions registered by users. The plugin receives one handler, through its FFI
// extension. Attributes of the call select the function and its arguments. On a GPU the function runs on copies in this
// process's memory.
#pragma once

#include "hilo/backend/pjrt/plugin.h"
#include "hilo/hlo/ir/module.h"

namespace hilo::plugins {

/// Whether the devices are processors, on which functions of this process can run.
/// Errors    the plugin's
StatusOr<bool> runs_on_processors(const Plugin& plugin, PJRT_Client* client);

/// Rejects programs that already contain calls of that handler: they could call any function of this process.
/// Errors    PERMISSION_DENIED with the call
Status check_no_host_calls(const hlo::Module& program);

/// Replaces the program's calls of hilo's functions by calls of that handler, and registers the handler with the
/// plugin. Returns false without a change if there are no such calls, or if the plugin has other devices or accepts no
/// handlers.
/// Errors    the plugin's
StatusOr<bool> replace_host_calls(const Plugin& plugin, PJRT_Client* client, hlo::Module& program);

/// Registers the handler with the plugin if a saved program calls it.
/// Errors    the plugin's
Status register_for_saved_program(const Plugin& plugin, PJRT_Client* client, const hlo::Module& program);

/// Checks that the program can be loaded in another process.
/// Errors    UNIMPLEMENTED with the call of a function that exists in this process only
Status check_can_be_saved(const hlo::Module& program);

}  // namespace hilo::plugins
