// SPDX-License-Identifier: Apache-2.0
// backend/pjrt/discovery.h -- which plugins there are: those that flags name, and those that lie in a folder.
#pragma once

#include "hilo/backend/pjrt/plugin_client.h"

namespace hilo::plugins {

/// The platforms of "CUDA:/path/of/plugin.so,other:/path/of/file.json". A .json file says {"library_path": "...",
/// "create_options": {...}}, and, if a plugin shall not get what is best for it, "program_format": "hlo" or "mlir".
/// Errors    INVALID_ARGUMENT for other text, and for a name that is there twice; those of reading a .json file
/// Source    PJRT_NAMES_AND_LIBRARY_PATHS of jax/_src/xla_bridge.py
StatusOr<std::vector<PluginPlatform>> listed_platforms(std::string_view text);

/// What hilo_pjrt_plugins lists, or else PJRT_NAMES_AND_LIBRARY_PATHS.
/// Errors    those of listed_platforms, and of the flags
StatusOr<std::vector<PluginPlatform>> platforms_of_flags();

/// A plugin that lies in a folder; not opened.
struct FoundPlugin {
  std::string name;  ///< of the platform, as one would call it
  std::string path;
};

/// The plugins among the packages of a Python prefix (a virtual environment, its site-packages) or of any folder, by path: a
/// library under jax_plugins, libtpu/libtpu.so, and libraries whose name says pjrt.
/// Errors    as errno_status: NOT_FOUND if there is no such folder
StatusOr<std::vector<FoundPlugin>> find_plugins(const std::string& folder);

}  // namespace hilo::plugins
