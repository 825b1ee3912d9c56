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

/// The version of StableHLO, or of something else: 1.20.0.
using Version = std::array<int64_t, 3>;

/// A plugin lives as long as the process: its code runs on threads of its own.
class Plugin {
 public:
  /// The plugin at `path`, opened and initialised at the first call. Whatever it needs from its environment (XLA_FLAGS) must be
  /// there before.
  /// Errors    NOT_FOUND if there is no such file; FAILED_PRECONDITION if it can't be opened, is no plugin, is of another major
  ///           version or lacks a slot that hilo can't do without; the plugin's own
  static StatusOr<const Plugin*> open(const std::string& path);

  /// Whether open() has been called for the path, and went well.
  static bool is_open(const std::string& path);

  const PJRT_Api& api() const { return *api_; }
  const std::string& path() const { return path_; }
  /// "0.115"
  std::string version_text() const;
  /// What the plugin says of itself, as text.
  const std::vector<std::pair<std::string, std::string>>& attributes() const { return attributes_; }
  /// Of the StableHLO that it reads; nullopt if it doesn't say.
  const std::optional<Version>& stablehlo_version() const { return stablehlo_version_; }
  /// Whether it is XLA's, which reads HloModuleProto too.
  bool is_xla() const;
  /// Whether the function at this place of the table is there: tables of older plugins are shorter.
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

/// Whether this process came from one that used a plugin by fork(): the plugin's threads are not in it.
bool is_after_fork();
/// For a child process that opens plugins which nobody has opened before.
void forget_fork();

/// What a file is, in short: its size, its time, and its first and last bytes. Files of equal texts are taken as equal.
/// Errors    as errno_status
StatusOr<std::string> file_identity(const std::string& path);

}  // namespace hilo::plugins
