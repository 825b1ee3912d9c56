// SPDX-License-Identifier: Apache-2.0
// training/checkpoint_file.h -- what a checkpoint holds, and its bytes. Not for users.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hilo/tree/tree.h"

namespace hilo::training::checkpoint_detail {

struct SavedArray {
  std::string path;
  Literal value;
  bool weak_type = false;
};
/// A number, an enum or a string of a tree.
struct SavedValue {
  std::string path;
  std::string bytes;
};
/// A tree without its types.
struct Snapshot {
  std::vector<SavedArray> arrays;
  std::vector<SavedValue> values;
  std::string structure;  ///< a line for each container, key, array and value, in walking order
  /// Processes share arrays of the tree, and all of them have come: the first has the arrays, and writes the file.
  bool is_shared = false;
};

/// Waits for the arrays and copies them. Those that processes share come to every process, one after the other.
Snapshot snapshot_of(const std::function<void(TreeVisitor&)>& walk);

/// Puts arrays and values of a snapshot into the tree that `walk` walks. Where devices share an array of the tree, they share
/// what comes into its place.
/// Errors    INVALID_ARGUMENT naming the first place where they differ in more than values; the tree is then as it was
Status fill(const Snapshot& snapshot, const std::function<void(TreeVisitor&)>& walk);

/// The bytes of a checkpoint file: .safetensors with a line of metadata for each array and value, and checksums.
StatusOr<std::string> checkpoint_bytes(const Snapshot& snapshot);

/// Reads one. The arrays come in the order of their names.
/// Errors    INVALID_ARGUMENT for a .safetensors file that is no checkpoint; DATA_LOSS where a checksum differs
StatusOr<Snapshot> parse_checkpoint(std::string_view bytes, std::string_view name);
StatusOr<Snapshot> read_checkpoint(const std::string& path);

}  // namespace hilo::training::checkpoint_detail
