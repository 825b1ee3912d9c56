// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/cpu_count.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "hilo/base/files.h"
#include "hilo/base/log.h"
#include "hilo/base/text.h"

namespace hilo {
namespace {

constexpr int64_t kSmallFile = 1 << 20;  // bytes; limit for files of the kernel

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::string> small_file(const std::string& path) {
  StatusOr<std::string> text = read_file(path, kSmallFile);
  return text.ok() ? std::optional<std::string>(*std::move(text)) : std::nullopt;
}

// Converts a quota of CPU time per period, both in microseconds, to a number of CPUs. Returns nullopt if it is
// unlimited (-1, "max") or can't be parsed.
std::optional<int> cpus(std::string_view quota, std::string_view period) {
  const std::optional<int64_t> q = parse_int64(trimmed(quota)), p = parse_int64(trimmed(period));
  if (!q || !p || *q <= 0 || *p <= 0) return std::nullopt;
  return static_cast<int>(std::clamp<int64_t>(*q / *p + (*q % *p != 0 ? 1 : 0), 1, 1 << 20));
}

std::optional<int> limit_v2(const std::string& folder) {
  const std::optional<std::string> text = small_file(folder + "/cpu.max");
  if (!text) return std::nullopt;
  const std::vector<std::string_view> words = split(trimmed(*text), ' ');
  return words.size() == 2 ? cpus(words[0], words[1]) : std::nullopt;
}

std::optional<int> limit_v1(const std::string& folder) {
  const std::optional<std::string> quota = small_file(folder + "/cpu.cfs_quota_us");
  const std::optional<std::string> period = small_file(folder + "/cpu.cfs_period_us");
  return quota && period ? cpus(*quota, *period) : std::nullopt;
}

// Returns the lowest limit of the group `path` and its parents below the mount point. In a container the path may be
// the host's and not exist; the search then ends at the mount point, which is the container's own group.
std::optional<int> least_limit(const std::string& mount, std::string path,
                               std::optional<int> (*limit)(const std::string&)) {
  std::optional<int> least;
  while (true) {
    while (path.ends_with('/')) path.pop_back();
    if (const std::optional<int> here = limit(mount + path)) least = std::min(least.value_or(*here), *here);
    if (path.empty()) return least;
    path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  }
}

}  // namespace

int affinity_cpu_count() {
  for (int capacity = 1024; capacity <= 1 << 20; capacity *= 2) {  // number of CPUs that the mask can hold
    cpu_set_t* mask = CPU_ALLOC(static_cast<size_t>(capacity));
    if (mask == nullptr) return 1;
    const size_t bytes = CPU_ALLOC_SIZE(static_cast<size_t>(capacity));
    const bool fits = ::sched_getaffinity(0, bytes, mask) == 0;
    const int count = fits ? CPU_COUNT_S(bytes, mask) : 0;
    CPU_FREE(mask);
    if (fits) return std::max(count, 1);
  }
  return 1;
}

std::optional<int> cgroup_cpu_limit(const std::string& root) {
  const std::optional<std::string> groups = small_file(root + "/proc/self/cgroup");
  if (!groups) return std::nullopt;
  const std::string mount = root + "/sys/fs/cgroup";
  std::optional<int> least;
  const auto take = [&least](std::optional<int> limit) {
    if (limit) least = std::min(least.value_or(*limit), *limit);
  };
  for (std::string_view line : split(*groups, '\n')) {  // "0::/a/b" (version 2) or "4:cpu,cpuacct:/a/b" (version 1)
    const size_t first = line.find(':');
    const size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string path(line.substr(second + 1));
    if (controllers.empty()) take(least_limit(mount, path, limit_v2));
    const std::vector<std::string_view> names = split(controllers, ',');
    if (std::ranges::find(names, "cpu") == names.end()) continue;
    take(least_limit(mount + "/cpu", path, limit_v1));
    take(least_limit(mount + "/cpu,cpuacct", path, limit_v1));
  }
  return least;
}

int default_thread_count() {
  int count = affinity_cpu_count();
  if (const std::optional<int> limit = cgroup_cpu_limit()) count = std::min(count, *limit);
  if (const char* text = std::getenv("HILO_NUM_THREADS")) {
    const std::optional<int64_t> wanted = parse_int64(text);
    if (wanted && *wanted >= 0) {
      count = static_cast<int>(std::min<int64_t>(count, *wanted));
    } else {
      log_warning_once("HILO_NUM_THREADS", "HILO_NUM_THREADS: got {}; wanted a number >= 0; ignored", quote(text));
    }
  }
  return std::max(count, 1);
}

}  // namespace hilo
