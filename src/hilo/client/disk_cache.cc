// SPDX-License-Identifier: Apache-2.0
// File format: the length of the key in decimal, a line feed, the key, the serialized executable with its checksum. A
// writer of the folder could inject code into the process, so only its owner may write there.
#include "hilo/client/disk_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>

#include "hilo/base/files.h"
#include "hilo/base/flags.h"
#include "hilo/base/log.h"

namespace hilo {
namespace {

constexpr std::string_view kEnding = ".hilo";

std::string head_of(std::string_view key) { return fmt::format("{}\n{}", key.size(), key); }

/// Returns the part after the key, or nothing if the file has another key.
std::optional<std::string_view> body_of(std::string_view file, std::string_view key) {
  const std::string head = head_of(key);
  if (!file.starts_with(head)) return std::nullopt;
  return file.substr(head.size());
}

/// Returns the first line of a file's key, which is the program's name.
std::string program_of(const std::string& path) {
  std::ifstream file(path);
  std::string key_size, name;
  std::getline(file, key_size);
  std::getline(file, name);
  return name;
}

/// Sets the file's time of last use. A race between two processes is harmless.
void touch(const std::string& path) { (void)::utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW); }

std::string home_folder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return std::string(cache) + "/hilo";
  const char* const home = std::getenv("HOME");
  return home != nullptr && home[0] == '/' ? std::string(home) + "/.cache/hilo" : "";
}

}  // namespace

std::string DiskCache::path_of(const std::string& key) const {
  return fmt::format("{}/{:016x}{}", folder_, std::hash<std::string>()(key), kEnding);
}

/// Creates the folder, or checks that no other user can write to it.
Status DiskCache::make_folder() const {
  if (::mkdir(folder_.c_str(), 0700) != 0 && errno == ENOENT) {
    HILO_RETURN_IF_ERROR(make_directories(std::filesystem::path(folder_).parent_path().string()));
    (void)::mkdir(folder_.c_str(), 0700);  // errors are detected below
  }
  struct stat about = {};
  if (::lstat(folder_.c_str(), &about) != 0) return errno_status(errno, folder_);
  if (!S_ISDIR(about.st_mode) || about.st_uid != ::geteuid() || (about.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return Status(StatusCode::kPermissionDenied,
                  fmt::format("{}: wanted a folder of this user without write access for others", folder_));
  return ok_status();
}

std::unique_ptr<Executable> DiskCache::find(Client& client, const std::string& key) {
  const std::string path = path_of(key);
  if (!file_exists(path) || !make_folder().ok()) return nullptr;
  const StatusOr<std::string> file = read_file(path);
  if (!file.ok()) return nullptr;
  const std::optional<std::string_view> body = body_of(*file, key);
  if (!body) return nullptr;
  StatusOr<std::unique_ptr<Executable>> executable = client.load(*body);
  if (!executable.ok()) {
    log_info("{}: compiled anew: {}", path, executable.status().to_string());
    return nullptr;
  }
  touch(path);
  return *std::move(executable);
}

void DiskCache::insert(const std::string& key, const Executable& executable) {
  const StatusOr<std::string> bytes = executable.serialize();
  if (!bytes.ok()) return;  // the client can't save this program
  Status status = make_folder();
  if (status.ok()) status = write_file_atomic(path_of(key), head_of(key) + *bytes, Durability::kCached);
  if (!status.ok())
    log_warning_once("disk cache", "the disk cache of programs is off: {}. Hint: set HILO_CACHE to off or to a folder",
                     status.to_string());
  else drop_oldest(bytes->size());
}

StatusOr<std::vector<DiskCache::Entry>> DiskCache::entries() const {
  std::vector<Entry> found;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
    struct stat about = {};
    // another process has deleted it
    if (::lstat(it->path().c_str(), &about) != 0 || !S_ISREG(about.st_mode)) continue;
    found.push_back({it->path().filename().string(), program_of(it->path().string()), about.st_size, about.st_mtime});
  }
  if (error && error != std::errc::no_such_file_or_directory) return errno_status(error.value(), folder_);
  std::ranges::sort(found, std::greater<>(), [](const Entry& entry) { return std::pair(entry.last_used, entry.file); });
  return found;
}

StatusOr<int64_t> DiskCache::clear() {
  HILO_ASSIGN_OR_RETURN(const std::vector<Entry> all, entries());
  int64_t removed = 0;
  for (const Entry& entry : all) removed += ::unlink((folder_ + "/" + entry.file).c_str()) == 0 ? 1 : 0;
  return removed;
}

void DiskCache::drop_oldest(int64_t inserted) {
  if ((unseen_bytes_ += inserted) < most_bytes_ / 16) return;  // scanning a full folder takes milliseconds
  unseen_bytes_ = 0;
  const StatusOr<std::vector<Entry>> all = entries();
  if (!all.ok()) return;
  int64_t bytes = 0;
  for (const Entry& entry : *all) {
    bytes += entry.bytes;
    if (bytes > most_bytes_) (void)::unlink((folder_ + "/" + entry.file).c_str());
  }
}

StatusOr<DiskCache*> disk_cache() {
  HILO_ASSIGN_OR_RETURN(const auto values, flags());
  static auto* const cache = [&]() -> DiskCache* {
    const char* const wanted = std::getenv("HILO_CACHE");
    if (wanted != nullptr && std::string_view(wanted) == "off") return nullptr;
    std::string folder = wanted != nullptr && wanted[0] != '\0' ? wanted : home_folder();
    return folder.empty() ? nullptr : new DiskCache(std::move(folder), values->hilo_disk_cache_bytes);
  }();
  return cache;
}

}  // namespace hilo
