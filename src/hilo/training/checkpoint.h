// SPDX-License-Identifier: Apache-2.0
// training/checkpoint.h -- trees in files that are whole or not there, checked when they are read: training goes on where it
// was, bit for bit.
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

/// Writes a tree into a file: its arrays, and the numbers, enums and strings beside them. The file is there whole or not at
/// all, also if the machine fails meanwhile. It is a .safetensors file whose tensors have the paths of their arrays as
/// names, so that other programs read it too; types that the format lacks are in it as bytes.
/// Where processes share arrays, all of them call it, each gets one array after the other whole, and the first writes the file,
/// which all have to see; they return when it is there.
/// Types     all
/// Errors    those of Array::to_literal and write_file_atomic; ABORTED where another process could not write it
template <Tree T>
void save_checkpoint(const std::string& path, const T& tree, Line line = Line::current()) {
  checkpoint_detail::save(path, [&](TreeVisitor& visitor) { hilo::walk(const_cast<T&>(tree), visitor); }, line);
}

/// The tree in such a file, bit for bit as it was saved. `like` has its structure: the same containers, sizes and keys, and
/// arrays of the same types and shapes. Arrays that devices share in `like` they share in the tree: so what one job of
/// processes has saved another of more or fewer reads.
/// Errors    DATA_LOSS naming the array if a checksum differs; INVALID_ARGUMENT naming the first place where `like` and the
///           file differ, and for a file that is no checkpoint; those of open_safetensors
template <Tree T>
T restore_checkpoint(const std::string& path, const T& like, Line line = Line::current()) {
  T tree = like;
  checkpoint_detail::restore(path, [&](TreeVisitor& visitor) { hilo::walk(tree, visitor); }, line);
  return tree;
}

struct CheckpointManagerOptions {
  std::optional<int64_t> max_to_keep = std::nullopt;  ///< the newest checkpoints that stay; by default all
  bool async = false;                                 ///< save() copies the arrays and returns; a thread writes them
};

/// The checkpoints of a run in a folder: step_40.safetensors and so on. One process writes to a folder at a time; processes that
/// share arrays call save() and wait_until_finished() together, and the first of them writes.
/// Example   CheckpointManager checkpoints("run", {.max_to_keep = 3, .async = true});
///           if (checkpoints.latest_step()) state = checkpoints.restore(*checkpoints.latest_step(), state);
///           checkpoints.save(step, state);
class CheckpointManager {
 public:
  /// Makes the folder.
  /// Errors    those of make_directories; INVALID_ARGUMENT if max_to_keep is below 1
  explicit CheckpointManager(std::string directory, CheckpointManagerOptions options = {}, Line line = Line::current());
  CheckpointManager(const CheckpointManager&) = delete;
  CheckpointManager& operator=(const CheckpointManager&) = delete;
  /// Waits for what is being written; an error of it goes to stderr.
  ~CheckpointManager();

  /// Writes the checkpoint of a step, then removes those that are too many. With `async` it first waits for the one before,
  /// whose error, if it had one, is thrown here.
  /// Errors    INVALID_ARGUMENT for a negative step; those of save_checkpoint
  template <Tree T>
  void save(int64_t step, const T& tree, Line line = Line::current()) {
    save_walk(step, [&](TreeVisitor& visitor) { hilo::walk(const_cast<T&>(tree), visitor); }, line);
  }
  /// Errors    NOT_FOUND if there is none of this step; those of restore_checkpoint, DATA_LOSS with the newest step before it
  ///           that is whole
  template <Tree T>
  T restore(int64_t step, const T& like, Line line = Line::current()) {
    T tree = like;
    restore_walk(step, [&](TreeVisitor& visitor) { hilo::walk(tree, visitor); }, line);
    return tree;
  }
  /// The steps of which there is a checkpoint, the oldest first.
  std::vector<int64_t> all_steps() const;
  std::optional<int64_t> latest_step() const;
  /// Returns when everything is on the disk.
  /// Errors    that of the checkpoint that was being written
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
