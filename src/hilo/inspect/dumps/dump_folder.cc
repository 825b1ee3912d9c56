// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/dumps/dump_folder.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "hilo/base/files.h"
#include "hilo/base/text.h"
#include "hilo/inspect/graph/html.h"

namespace hilo {
namespace {

constexpr std::string_view kIndexName = "index.html";
constexpr std::string_view kPageEnding = ".index.html";
constexpr std::string_view kIndexBegin = "<!DOCTYPE html>\n<!-- the dumps in this folder, listed by hilo -->\n";

/// The contents of a folder when it was last listed.
struct Folder {
  timespec changed{};
  int64_t next = 0;             ///< one more than the highest number at the start of a name
  std::set<std::string> pages;  ///< names that end in ".index.html"
};

/// Known folders. One is processed at a time, so that numbers follow the order of events.
struct Folders {
  std::mutex mutex;
  std::map<std::string, Folder> by_path;
};
Folders& folders() {
  static auto* const instance = new Folders;
  return *instance;
}

bool same_time(const timespec& a, const timespec& b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

void note_name(std::string_view name, Folder& folder) {
  const std::optional<int64_t> number = parse_int64(name.substr(0, name.find('.')));
  if (!number || *number < 0 || *number >= INT64_MAX - 1) return;
  folder.next = std::max(folder.next, *number + 1);
  if (name.ends_with(kPageEnding)) folder.pages.emplace(name);
}

/// Lists the folder unless it is unchanged.
Status look(const std::string& path, Folder& folder) {
  struct stat about = {};
  if (::lstat(path.c_str(), &about) != 0) return errno_status(errno, path);
  if (S_ISLNK(about.st_mode)) return failed_precondition(path + ": is a link; dumps follow none");
  if (same_time(about.st_mtim, folder.changed)) return ok_status();
  folder = {};
  DIR* const directory = ::opendir(path.c_str());
  if (directory == nullptr) return errno_status(errno, path);
  while (const dirent* entry = ::readdir(directory)) note_name(entry->d_name, folder);
  ::closedir(directory);
  return ok_status();
}

/// Records the folder's current state after this process' writes.
void leave(const std::string& path, Folder& folder) {
  struct stat about = {};
  if (::lstat(path.c_str(), &about) == 0) folder.changed = about.st_mtim;
}

/// Writes all files under one number, or none.
Status write_files(const std::string& stem, std::span<const DumpFile> files) {
  for (size_t i = 0; i < files.size(); ++i) {
    const Status written = write_new_file(fmt::format("{}.{}", stem, files[i].extension), files[i].content);
    if (written.ok()) continue;
    while (i-- > 0) ::unlink(fmt::format("{}.{}", stem, files[i].extension).c_str());
    return written;
  }
  return ok_status();
}

bool is_ours(const std::string& path) {
  const StatusOr<std::string> text = read_file(path);
  return text.ok() ? text->starts_with(kIndexBegin) : text.status().code() == StatusCode::kNotFound;
}

}  // namespace

StatusOr<std::string> write_numbered(const std::string& path, std::string_view module, std::string_view stage,
                                     std::span<const DumpFile> files) {
  std::lock_guard lock(folders().mutex);
  HILO_RETURN_IF_ERROR(make_directories(path));
  Folder& folder = folders().by_path[path];
  HILO_RETURN_IF_ERROR(look(path, folder));
  for (;;) {
    const std::string name = fmt::format("{:04}.{}.{}", folder.next++, file_stem(module), file_stem(stage));
    const Status written = write_files(path + "/" + name, files);
    if (written.code() == StatusCode::kAlreadyExists) continue;  // another process has just used this number
    if (!written.ok()) return written;
    const std::string first = fmt::format("{}.{}", name, files[0].extension);
    note_name(first, folder);
    leave(path, folder);
    return path + "/" + first;
  }
}

StatusOr<std::string> write_numbered(const std::string& folder, std::string_view module, std::string_view stage,
                                     std::string_view extension, std::string_view content) {
  const DumpFile file{extension, content};
  return write_numbered(folder, module, stage, {&file, 1});
}

Status write_index(const std::string& path) {
  std::lock_guard lock(folders().mutex);
  Folder& folder = folders().by_path[path];
  HILO_RETURN_IF_ERROR(look(path, folder));
  const std::string file = fmt::format("{}/{}", path, kIndexName);
  if (!is_ours(file)) return ok_status();
  std::string text(kIndexBegin);
  text += "<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Passes</title></head>\n<body><h1>Passes</h1>\n<ul>\n";
  for (const std::string& page : folder.pages) {
    const std::string name = hlo::html_escaped(page);
    const bool plain = page.find_first_of("%#?:/\\") == std::string::npos;  // the name is a valid address
    text += plain ? fmt::format("<li><a href=\"{0}\">{0}</a></li>\n", name) : fmt::format("<li>{}</li>\n", name);
  }
  text += "</ul></body></html>\n";
  HILO_RETURN_IF_ERROR(write_file_atomic(file, text, Durability::kCached));
  leave(path, folder);
  return ok_status();
}

}  // namespace hilo
