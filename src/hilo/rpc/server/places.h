// SPDX-License-Identifier: Apache-2.0
// rpc/server/places.h -- the server's side of a session's arena: writes chunks to the places that the worker assigns.
#pragma once

#include <mutex>
#include <string_view>
#include <unordered_map>

#include "hilo/rpc/worker/arena.h"

namespace hilo::rpc {

/// Places of arrays in the shared file. Thread-safe. The worker is not trusted: its messages can only affect its own
/// bytes.
class Places {
 public:
  /// `file` comes from make_arena(). If it is empty, no array has a place.
  explicit Places(OwnedFile file) : file_(std::move(file)) {}

  /// Handles a worker's frame on Lane::kPlaces.
  /// Errors    DATA_LOSS for a place outside of the file
  Status set(std::string_view frame);
  /// Writes a chunk to its place. Chunks arrive in order and once each. Returns false if there is no place or no
  /// memory; then the chunk stays in its message.
  bool write(const Chunk& chunk);

 private:
  struct Waiting {
    int64_t offset;  // offset in the file
    int64_t size, written = 0;
  };
  const OwnedFile file_;
  std::mutex mutex_;
  std::unordered_map<Handle, Waiting> waiting_;  // arrays whose last chunk hasn't arrived
};

}  // namespace hilo::rpc
