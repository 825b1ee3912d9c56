// SPDX-License-Identifier: Apache-2.0
// backend/pjrt/probe.h -- tries a plugin in a child process first: some plugins end the process that opens them.
#pragma once

#include <chrono>

#include "hilo/backend/pjrt/plugin_client.h"

namespace hilo::plugins {

/// Opens the plugin and creates a client in a child process, which then ends.
/// Returns   the plugin's description in lines: its version, its attributes, its devices
/// Errors    those in the child, after the plugin's version if it could be opened; FAILED_PRECONDITION if the plugin
/// ends the process; DEADLINE_EXCEEDED if it takes longer
/// Cost      that of opening the plugin and creating a client
StatusOr<std::string> probe_plugin(const PluginPlatform& platform,
                                   std::chrono::seconds limit = std::chrono::seconds(120));

/// The same, unless `folder` has a record that the file was probed with these options. If `folder` is empty, nothing is
/// recorded.
/// Errors    those of probe_plugin, which aren't recorded
Status probe_once(const PluginPlatform& platform, const std::string& folder);

}  // namespace hilo::plugins
