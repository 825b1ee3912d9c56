// SPDX-License-Identifier: Apache-2.0
// client/disk_cache.h -- compiled programs in a folder, so that the next process compiles nothing.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hilo/device/client.h"

namespace hilo {

/// Programs by a text that says all that they depend on; a file each. Several processes may use a folder at once. A
/// file that is damaged, half, or of another build is as good as none, and is written anew. It never fails a
/// compilation: what can't be read or written is logged.
class DiskCache {
 public:
  struct Entry {
    std::string file;  ///< its name in the folder
    std::string program;
    int64_t bytes = 0;
    int64_t last_used = 0;  ///< seconds since 1970
  };

  DiskCache(std::string folder, int64_t most_bytes) : folder_(std::move(folder)), most_bytes_(most_bytes) {}

  /// The program, loaded; null if it isn't there.
  std::unique_ptr<Executable> find(Client& client, const std::string& key);
  /// Writes the program down, and drops those that were not used for longest while all are more than the most.
  void insert(const std::string& key, const Executable& executable);

  const std::string& folder() const { return folder_; }
  /// What is there, used last first.
  /// Errors    as errno_status
  StatusOr<std::vector<Entry>> entries() const;
  /// Removes all entries.
  /// Returns   how many
  StatusOr<int64_t> clear();

 private:
  std::string path_of(const std::string& key) const;
  Status make_folder() const;
  void drop_oldest(int64_t inserted);

  const std::string folder_;
  const int64_t most_bytes_;
  std::atomic<int64_t> unseen_bytes_ = INT64_MAX / 2;  ///< inserted since the folder was last looked through
};

/// The cache that HILO_CACHE asks for: a folder, or "off"; else $XDG_CACHE_HOME/hilo or ~/.cache/hilo. Null for none.
/// Read at the first call.
/// Errors    of the flag hilo_disk_cache_bytes
StatusOr<DiskCache*> disk_cache();

}  // namespace hilo
