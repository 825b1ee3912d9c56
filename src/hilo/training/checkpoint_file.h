// SPDX-License-Identifier: Apache-2.0
// training/checkpoint_file.h -- the content of a checkpoint, and its bytes. Internal.
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
/// A number, an enum or a string of a pytree.
struct SavedValue {
  std::string path;
  std::string bytes;
};
/// The content of a pytree, without its C++ types.
struct Snapshot {
  std::vector<SavedArray> arrays;
  std::vector<SavedValue> values;
  std::string structure;  ///< a line for each container, key, array and value, in traversal order
  /// Whether processes share arrays of the pytree and have all called. The first process has the arrays, and writes the
  /// file.
  bool is_shared = false;
};

/// Waits for the arrays and copies them. Arrays that processes share are gathered by every process, one after another.
Snapshot snapshot_of(const std::function<void(TreeVisitor&)>& walk);

/// Copies arrays and values of a snapshot to the pytree that `walk` traverses. Arrays that are sharded in the pytree
/// stay sharded.
/// Errors    INVALID_ARGUMENT with the first difference other than values; the pytree is then unchanged
Status fill(const Snapshot& snapshot, const std::function<void(TreeVisitor&)>& walk);

/// Returns the bytes of a checkpoint file: .safetensors with a line of metadata for each array and value, and
/// checksums.
StatusOr<std::string> checkpoint_bytes(const Snapshot& snapshot);

/// Parses a checkpoint file. The arrays are in the order of their names.
/// Errors    INVALID_ARGUMENT for a .safetensors file that is not a checkpoint; DATA_LOSS if a checksum differs
StatusOr<Snapshot> parse_checkpoint(std::string_view bytes, std::string_view name);
StatusOr<Snapshot> read_checkpoint(const std::string& path);

}  // namespace hilo::training::checkpoint_detail
