// SPDX-License-Identifier: Apache-2.0
// client/disk_cache.h -- a folder of compiled programs, which saves later processes the compilation.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hilo/device/client.h"

namespace hilo {

/// Stores compiled programs under a key that contains everything they depend on, one file per program. Several
/// processes may share a folder. A file that is damaged, truncated or of another build is ignored and replaced. Errors
/// of reading and writing are logged; they never fail a compilation.
class DiskCache {
 public:
  struct Entry {
    std::string file;  ///< name in the folder
    std::string program;
    int64_t bytes = 0;
    int64_t last_used = 0;  ///< seconds since 1970
  };

  DiskCache(std::string folder, int64_t most_bytes) : folder_(std::move(folder)), most_bytes_(most_bytes) {}

  /// Loads the program, or returns null if the cache doesn't contain it.
  std::unique_ptr<Executable> find(Client& client, const std::string& key);
  /// Saves the program. If the cache exceeds its maximum size, the least recently used entries are deleted.
  void insert(const std::string& key, const Executable& executable);

  const std::string& folder() const { return folder_; }
  /// Returns all entries, the most recently used first.
  /// Errors    those of errno_status
  StatusOr<std::vector<Entry>> entries() const;
  /// Removes all entries.
  /// Returns   their number
  StatusOr<int64_t> clear();

 private:
  std::string path_of(const std::string& key) const;
  Status make_folder() const;
  void drop_oldest(int64_t inserted);

  const std::string folder_;
  const int64_t most_bytes_;
  std::atomic<int64_t> unseen_bytes_ = INT64_MAX / 2;  ///< bytes inserted since the last scan of the folder
};

/// Returns the process's cache, or null if it is off. HILO_CACHE names a folder or is "off"; the default folder is
/// $XDG_CACHE_HOME/hilo or ~/.cache/hilo. The variable is read at the first call.
/// Errors    those of the flag hilo_disk_cache_bytes
StatusOr<DiskCache*> disk_cache();

}  // namespace hilo
