// SPDX-License-Identifier: Apache-2.0
// backend/pjrt/plugin.h -- another vendor's PJRT plugin: a shared library that is opened by its path and never closed.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hilo/base/status.h"
#include "hilo/pjrt_abi/api.h"

namespace hilo::plugins {

/// The version of StableHLO, or of another format: 1.20.0.
using Version = std::array<int64_t, 3>;

/// A plugin lives as long as the process: its code runs on its own threads.
class Plugin {
 public:
  /// Returns the plugin at `path`. The first call opens and initializes it. Set its environment variables (XLA_FLAGS)
  /// before.
  /// Errors    NOT_FOUND if the file doesn't exist; FAILED_PRECONDITION if it can't be opened, isn't a plugin, has
  /// another major
  ///           version or lacks a function that hilo needs; the plugin's own
  static StatusOr<const Plugin*> open(const std::string& path);

  /// Whether open() has succeeded for the path.
  static bool is_open(const std::string& path);

  const PJRT_Api& api() const { return *api_; }
  const std::string& path() const { return path_; }
  /// Returns the version, for example "0.115".
  std::string version_text() const;
  /// Returns the plugin's attributes as text.
  const std::vector<std::pair<std::string, std::string>>& attributes() const { return attributes_; }
  /// Returns the version of StableHLO that it reads; nullopt if it doesn't report one.
  const std::optional<Version>& stablehlo_version() const { return stablehlo_version_; }
  /// Whether it is XLA's, which also reads HloModuleProto.
  bool is_xla() const;
  /// Whether the table has a function at this offset: tables of older plugins are shorter.
  bool has_slot(size_t offset) const;

 private:
  Plugin(std::string path, const PJRT_Api* api) : path_(std::move(path)), api_(api) {}
  static StatusOr<const Plugin*> open_new(const std::string& path);
  Status check_slots() const;
  Status initialize();
  void read_attributes(const PJRT_NamedValue* values, size_t count);

  const std::string path_;
  const PJRT_Api* const api_;
  std::vector<std::pair<std::string, std::string>> attributes_;
  std::optional<Version> stablehlo_version_;
};

/// Whether this process was forked from one that used a plugin: the plugin's threads don't exist here.
bool is_after_fork();
/// For a child process that opens plugins which the parent hasn't opened.
void forget_fork();

/// Returns a short description of a file: its size, its time, and its first and last bytes. Files with equal
/// descriptions are treated as equal.
/// Errors    as errno_status
StatusOr<std::string> file_identity(const std::string& path);

}  // namespace hilo::plugins
