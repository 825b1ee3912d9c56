// SPDX-License-Identifier: Apache-2.0
// training/checkpoint.h -- pytrees in checkpoint files, written atomically and verified when read: training continues
// bit for bit.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hilo/numpy/dtypes.h"
#include "hilo/tree/tree.h"

namespace hilo::training {

using numpy::Line;

namespace checkpoint_detail {

using Walk = std::function<void(TreeVisitor&)>;
void save(const std::string& path, const Walk& walk, Line line);
void restore(const std::string& path, const Walk& walk, Line line);

}  // namespace checkpoint_detail

/// Writes a pytree to a file: its arrays, and the numbers, enums and strings next to them. The write is atomic, even if
/// the machine fails. The file is a .safetensors file whose tensors are named by the paths of the arrays, so that other
/// programs can read it; types that the format lacks are stored as bytes.
/// Processes  If processes share arrays, all of them call this function. Each array is gathered by every process in
///            turn, and the first process writes the file. All return when it is written.
/// Types      all
/// Errors     those of Array::to_literal and write_file_atomic; ABORTED if another process could not write the file
template <Tree T>
void save_checkpoint(const std::string& path, const T& tree, Line line = Line::current()) {
  checkpoint_detail::save(path, [&](TreeVisitor& visitor) { hilo::walk(const_cast<T&>(tree), visitor); }, line);
}

/// Reads the pytree from such a file, bit for bit. `like` has the structure of the result: the same containers, sizes
/// and keys, and arrays of the same types and shapes. Arrays that are sharded in `like` are sharded in the result, so
/// that a job with another number of processes can read the file.
/// Errors    DATA_LOSS with the name of the array if a checksum differs; INVALID_ARGUMENT with the first difference
///           between `like` and the file, and for a file that is not a checkpoint; those of open_safetensors
template <Tree T>
T restore_checkpoint(const std::string& path, const T& like, Line line = Line::current()) {
  T tree = like;
  checkpoint_detail::restore(path, [&](TreeVisitor& visitor) { hilo::walk(tree, visitor); }, line);
  return tree;
}

struct CheckpointManagerOptions {
  std::optional<int64_t> max_to_keep = std::nullopt;  ///< number of newest checkpoints to keep; default all
  bool async = false;  ///< whether save() only copies the arrays, and a thread writes them
};

/// Manages the checkpoints of a run in a folder: step_40.safetensors and so on. Only one process may write to a folder
/// at a time. Processes that share arrays call save() and wait_until_finished() together, and the first of them writes.
/// Example   CheckpointManager checkpoints("run", {.max_to_keep = 3, .async = true});
///           if (checkpoints.latest_step()) state = checkpoints.restore(*checkpoints.latest_step(), state);
///           checkpoints.save(step, state);
class CheckpointManager {
 public:
  /// Creates the folder.
  /// Errors    those of make_directories; INVALID_ARGUMENT if max_to_keep is below 1
  explicit CheckpointManager(std::string directory, CheckpointManagerOptions options = {}, Line line = Line::current());
  CheckpointManager(const CheckpointManager&) = delete;
  CheckpointManager& operator=(const CheckpointManager&) = delete;
  /// Waits for pending writes; prints their error to stderr.
  ~CheckpointManager();

  /// Writes the checkpoint of a step, then removes the oldest ones beyond max_to_keep. With `async`, first waits for
  /// the previous checkpoint, and throws its error.
  /// Errors    INVALID_ARGUMENT for a negative step; those of save_checkpoint
  template <Tree T>
  void save(int64_t step, const T& tree, Line line = Line::current()) {
    save_walk(step, [&](TreeVisitor& visitor) { hilo::walk(const_cast<T&>(tree), visitor); }, line);
  }
  /// Reads the checkpoint of a step; see restore_checkpoint.
  /// Errors    NOT_FOUND if there is no checkpoint of this step; those of restore_checkpoint; DATA_LOSS names the
  ///           newest earlier step that is intact
  template <Tree T>
  T restore(int64_t step, const T& like, Line line = Line::current()) {
    T tree = like;
    restore_walk(step, [&](TreeVisitor& visitor) { hilo::walk(tree, visitor); }, line);
    return tree;
  }
  /// Returns the steps with a checkpoint, in ascending order.
  std::vector<int64_t> all_steps() const;
  std::optional<int64_t> latest_step() const;
  /// Waits until all checkpoints are on disk.
  /// Errors    that of the pending checkpoint
  void wait_until_finished(Line line = Line::current());
  std::string path_of(int64_t step) const;

 private:
  struct Writer;
  void save_walk(int64_t step, const checkpoint_detail::Walk& walk, Line line);
  void restore_walk(int64_t step, const checkpoint_detail::Walk& walk, Line line);

  std::string directory_;
  CheckpointManagerOptions options_;
  std::shared_ptr<Writer> writer_;
};

}  // namespace hilo::training
