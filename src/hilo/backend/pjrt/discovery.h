// SPDX-License-Identifier: Apache-2.0
// backend/pjrt/discovery.h -- finds plugins: those in flags, and those in a folder.
#pragma once

#include "hilo/backend/pjrt/plugin_client.h"

namespace hilo::plugins {

/// Parses the platforms of "CUDA:/path/of/plugin.so,other:/path/of/file.json". A .json file has the form
/// {"library_path": "...", "create_options": {...}}. It may also set "program_format" to "hlo" or "mlir" instead of the
/// plugin's default.
/// Errors    INVALID_ARGUMENT for other text, and for duplicate names; those of reading a .json file
/// Source    PJRT_NAMES_AND_LIBRARY_PATHS of jax/_src/xla_bridge.py
StatusOr<std::vector<PluginPlatform>> listed_platforms(std::string_view text);

/// Returns the platforms in hilo_pjrt_plugins, or else those in PJRT_NAMES_AND_LIBRARY_PATHS.
/// Errors    those of listed_platforms, and of the flags
StatusOr<std::vector<PluginPlatform>> platforms_of_flags();

/// A plugin in a folder; not opened.
struct FoundPlugin {
  std::string name;  ///< common name of the platform
  std::string path;
};

/// Finds the plugins among the packages of a Python prefix (a virtual environment, its site-packages) or in any folder,
/// by path: a library under jax_plugins, libtpu/libtpu.so, and libraries with pjrt in their names.
/// Errors    as errno_status: NOT_FOUND if the folder doesn't exist
StatusOr<std::vector<FoundPlugin>> find_plugins(const std::string& folder);

}  // namespace hilo::plugins
