// SPDX-License-Identifier: Apache-2.0
// backend/pjrt/host_calls.h -- custom calls whose functions hilo has, on plugins whose devices are processors or NVIDIA's GPUs: LAPACK,
// callbacks and what users have registered. The plugin gets one handler, by its extension for FFI; which function is meant, and what
// it is told, are attributes of the call. On a GPU the function runs on copies in this process's memory.
#pragma once

#include "hilo/backend/pjrt/plugin.h"
#include "hilo/hlo/ir/module.h"

namespace hilo::plugins {

/// Whether the devices are processors, which functions of this process run on.
/// Errors    the plugin's
StatusOr<bool> runs_on_processors(const Plugin& plugin, PJRT_Client* client);

/// A program from elsewhere must not make that call itself: it would name any function of this process.
/// Errors    PERMISSION_DENIED with the call
Status check_calls_no_lent_function(const hlo::Module& program);

/// Turns the program's calls of functions that hilo has into calls of that handler, and gives the plugin the handler. False if
/// there are none, or the plugin's devices are others or it takes no handlers: the program is as it was.
/// Errors    the plugin's
StatusOr<bool> lend_host_functions(const Plugin& plugin, PJRT_Client* client, hlo::Module& program);

/// For a program that has been saved: gives the plugin the handler, if the program calls it.
/// Errors    the plugin's
Status lend_to_saved_program(const Plugin& plugin, PJRT_Client* client, const hlo::Module& program);

/// Whether the program can be loaded in another process.
/// Errors    UNIMPLEMENTED with the call of a function that only this process has
Status check_can_be_saved(const hlo::Module& program);

}  // namespace hilo::plugins
