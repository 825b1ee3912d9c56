// SPDX-License-Identifier: Apache-2.0
// rpc/server/places.h -- the server's side of a session's arena: chunks are written to where the worker says they go.
#pragma once

#include <mutex>
#include <string_view>
#include <unordered_map>

#include "hilo/rpc/worker/arena.h"

namespace hilo::rpc {

/// Safe to use from several threads at once. The worker is not trusted: what it says reaches no bytes but its own.
class Places {
 public:
  /// `file`: of make_arena(); an empty one: nothing has a place.
  explicit Places(OwnedFile file) : file_(std::move(file)) {}

  /// What a worker says in a frame of Lane::kPlaces.
  /// Errors    DATA_LOSS for what is no place in the file
  Status set(std::string_view frame);
  /// Writes the chunk to its place, if it has one: chunks come in order, and each once. False if it has none, or there
  /// is no memory for it; it goes with its message then.
  bool write(const Chunk& chunk);

 private:
  struct Waiting {
    int64_t offset;  // in the file
    int64_t size, written = 0;
  };
  const OwnedFile file_;
  std::mutex mutex_;
  std::unordered_map<Handle, Waiting> waiting_;  // whose last chunk hasn't come
};

}  // namespace hilo::rpc
