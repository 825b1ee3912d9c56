// SPDX-License-Identifier: Apache-2.0
// backend/pjrt/probe.h -- a plugin is tried in a process of its own first: some end the process that tries them.
#pragma once

#include <chrono>

#include "hilo/backend/pjrt/plugin_client.h"

namespace hilo::plugins {

/// Opens the plugin and makes a client in a child process, which ends then.
/// Returns   what one asks a plugin for, in lines: its version, its attributes, its devices
/// Errors    what happened there, behind the plugin's version if it could be opened; FAILED_PRECONDITION if the plugin ends the process; DEADLINE_EXCEEDED if it takes longer
/// Cost      that of opening the plugin and making a client
StatusOr<std::string> probe_plugin(const PluginPlatform& platform,
                                   std::chrono::seconds limit = std::chrono::seconds(120));

/// The same, unless the file was probed before with these options: then `folder` (empty: nothing is remembered) says so.
/// Errors    those of probe_plugin, which aren't remembered
Status probe_once(const PluginPlatform& platform, const std::string& folder);

}  // namespace hilo::plugins
