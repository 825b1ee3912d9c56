// SPDX-License-Identifier: Apache-2.0
#include "hilo/training/checkpoint.h"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "hilo/array/refuse.h"
#include "hilo/base/files.h"
#include "hilo/base/log.h"
#include "hilo/base/signals_blocked.h"
#include "hilo/base/text.h"
#include "hilo/mesh/sharded_array.h"
#include "hilo/numpy/numpy.h"
#include "hilo/training/checkpoint_file.h"

namespace hilo::training {
namespace {

using checkpoint_detail::Snapshot;

constexpr std::string_view kPrefix = "step_", kSuffix = ".safetensors";

Status write(const std::string& path, const Snapshot& snapshot) {
  HILO_ASSIGN_OR_RETURN(const std::string bytes, checkpoint_detail::checkpoint_bytes(snapshot));
  return write_file_atomic(path, bytes);
}

/// Returns the common status of all processes, which wait for each other.
Status agreed(const Status& here) {
  const NamedSharding each(Mesh(devices(), {"all"}), P("all"));
  const Array failed = make_array_from_callback({device_count()}, each,
                                                [&](const ShardIndex&) { return numpy::full({1}, here.ok() ? 0 : 1); });
  const bool all_well = numpy::sum(failed).item<int64_t>() == 0;
  if (all_well || !here.ok()) return here;
  return Status(StatusCode::kAborted, "another process could not write the checkpoint; see its error message");
}

/// If processes share arrays, only the first one writes.
bool writes(const Snapshot& snapshot) { return !snapshot.is_shared || process_index() == 0; }

void throw_at_line(const char* function, const Status& status) {
  if (!status.ok()) or_throw(status.with_context(at_user_line(function)));
}

// Returns the steps of the checkpoint files in a folder, in ascending order.
StatusOr<std::vector<int64_t>> steps_in(const std::string& directory) {
  DIR* const folder = ::opendir(directory.c_str());
  if (folder == nullptr) return errno_status(errno, "opening " + directory);
  std::vector<int64_t> steps;
  while (const dirent* entry = ::readdir(folder)) {
    std::string_view name = entry->d_name;
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix) || name.size() <= kPrefix.size() + kSuffix.size())
      continue;
    name.remove_prefix(kPrefix.size());
    name.remove_suffix(kSuffix.size());
    const std::optional<int64_t> step = parse_int64(name);
    if (step && *step >= 0 && std::to_string(*step) == name) steps.push_back(*step);
  }
  ::closedir(folder);
  std::ranges::sort(steps);
  return steps;
}

std::string path_in(const std::string& directory, int64_t step) {
  return fmt::format("{}/{}{}{}", directory, kPrefix, step, kSuffix);
}

Status remove_old(const std::string& directory, std::optional<int64_t> keep) {
  if (!keep) return ok_status();
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> steps, steps_in(directory));
  for (size_t i = 0; i + static_cast<size_t>(*keep) < steps.size(); ++i) {
    const std::string path = path_in(directory, steps[i]);
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return errno_status(errno, "removing " + path);
  }
  return ok_status();
}

}  // namespace

namespace checkpoint_detail {

void save(const std::string& path, const Walk& walk, Line line) {
  const UserLocation here(line);
  const Snapshot snapshot = snapshot_of(walk);
  const Status written = writes(snapshot) ? write(path, snapshot) : ok_status();
  throw_at_line("save_checkpoint", snapshot.is_shared ? agreed(written) : written);
}

void restore(const std::string& path, const Walk& walk, Line line) {
  const UserLocation here(line);
  const StatusOr<Snapshot> snapshot = read_checkpoint(path);
  throw_at_line("restore_checkpoint", snapshot.ok() ? fill(*snapshot, walk).with_context(path) : snapshot.status());
}

}  // namespace checkpoint_detail

// The writer thread and its status.
struct CheckpointManager::Writer {
  std::thread thread;
  Status status;
  bool is_shared = false;  // shared by processes, which learn about each other's errors when they wait

  Status join() {
    if (thread.joinable()) thread.join();
    return std::exchange(status, ok_status());
  }
  Status wait() {
    const Status here = join();
    return std::exchange(is_shared, false) ? agreed(here) : here;
  }
};

CheckpointManager::CheckpointManager(std::string directory, CheckpointManagerOptions options, Line line)
    : directory_(std::move(directory)), options_(options), writer_(std::make_shared<Writer>()) {
  const UserLocation here(line);
  if (options_.max_to_keep && *options_.max_to_keep < 1) {
    refuse("CheckpointManager", fmt::format("max_to_keep {}; wanted at least 1", *options_.max_to_keep));
  }
  throw_at_line("CheckpointManager", make_directories(directory_));
}

CheckpointManager::~CheckpointManager() {
  if (const Status lost = writer_->join(); !lost.ok()) log_warning("{}", lost.to_string());
}

std::string CheckpointManager::path_of(int64_t step) const { return path_in(directory_, step); }

std::vector<int64_t> CheckpointManager::all_steps() const { return or_throw(steps_in(directory_)); }

std::optional<int64_t> CheckpointManager::latest_step() const {
  const std::vector<int64_t> steps = all_steps();
  return steps.empty() ? std::nullopt : std::optional<int64_t>(steps.back());
}

void CheckpointManager::wait_until_finished(Line line) {
  const UserLocation here(line);
  throw_at_line("wait_until_finished", writer_->wait());
}

void CheckpointManager::save_walk(int64_t step, const checkpoint_detail::Walk& walk, Line line) {
  const UserLocation here(line);
  if (step < 0) refuse("CheckpointManager::save", fmt::format("step {}; wanted at least 0", step));
  throw_at_line("CheckpointManager::save", writer_->wait());
  Snapshot current = checkpoint_detail::snapshot_of(walk);
  writer_->is_shared = current.is_shared;
  auto work = [this, path = path_of(step), snapshot = std::move(current)] {
    if (!writes(snapshot)) return;
    const Status written = write(path, snapshot);
    writer_->status = written.ok() ? remove_old(directory_, options_.max_to_keep) : written;
  };
  if (options_.async) {
    const SignalsBlocked blocked;  // the program's signal handlers run on its own threads
    writer_->thread = std::thread(std::move(work));
    return;
  }
  work();
  throw_at_line("CheckpointManager::save", writer_->wait());
}

void CheckpointManager::restore_walk(int64_t step, const checkpoint_detail::Walk& walk, Line line) {
  const UserLocation here(line);
  throw_at_line("CheckpointManager::restore", writer_->wait());
  const StatusOr<Snapshot> snapshot = checkpoint_detail::read_checkpoint(path_of(step));
  if (snapshot.ok()) {
    return throw_at_line("CheckpointManager::restore",
                         checkpoint_detail::fill(*snapshot, walk).with_context(path_of(step)));
  }
  std::string good;
  const std::vector<int64_t> steps = all_steps();
  for (auto before = steps.rbegin(); before != steps.rend() && good.empty(); ++before) {
    if (*before < step && checkpoint_detail::read_checkpoint(path_of(*before)).ok()) good = std::to_string(*before);
  }
  const Status& why = snapshot.status();
  throw_at_line("CheckpointManager::restore",
                Status(why.code(), std::string(why.message()) + (good.empty() ? "" : "; last good step: " + good)));
}

}  // namespace hilo::training
