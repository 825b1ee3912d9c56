// SPDX-License-Identifier: Apache-2.0
// rpc/worker/arena.h -- memory that a server and a worker share. The server writes the bytes of a large array directly
// to the worker's array. The worker assigns the places of chunks; the server reports which chunks are there.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "hilo/rpc/messages.h"
#include "hilo/rpc/service/upload_memory.h"
#include "hilo/rpc/worker/frames.h"

namespace hilo::rpc {

/// Size of the shared file. Only written parts use memory.
inline constexpr int64_t kArenaBytes = int64_t{1} << 40;
/// Creates a file in memory with a fixed, sealed size.
/// Errors    those of errno_status
StatusOr<OwnedFile> make_arena();

/// Message of a worker on Lane::kPlaces: the place of a buffer's chunks. Size 0 removes the place.
struct Place {
  Handle buffer = {};
  int64_t offset = 0;  ///< offset in the file
  int64_t size = 0;
};
/// Message of a server: a Request with a Chunk whose bytes are at their place.
struct Placed {
  int64_t id = 0, acked = 0;
  Handle buffer = {};
  int64_t offset = 0;  ///< offset in the buffer
  int64_t size = 0;
};
/// Encode the structs as their bytes, because both processes run the same program.
std::string_view bytes_of(const Place& place);
std::string_view bytes_of(const Placed& placed);
/// Decode the structs.
/// Errors    DATA_LOSS for another number of bytes
StatusOr<Place> place_of(std::string_view bytes);
StatusOr<Placed> placed_of(std::string_view bytes);

/// The worker's side. Thread-safe.
class Arena : public std::enable_shared_from_this<Arena> {
 public:
  /// `announce` sends a Place to the server. `most_kept` is the maximum number of bytes of freed arrays that are cached
  /// for reuse.
  static std::shared_ptr<Arena> make(OwnedFile file, std::function<void(const Place&)> announce,
                                     int64_t most_kept = int64_t{64} << 20);
  ~Arena();

  /// Allocates memory for the chunks of a buffer and announces it to the server.
  /// Errors    RESOURCE_EXHAUSTED
  StatusOr<UploadMemory> allocate(const Handle& buffer, int64_t bytes);
  /// Returns the request of a chunk whose bytes are at their place.
  /// Errors    DATA_LOSS for bytes outside of allocated memory
  StatusOr<Request> chunk_at(const Placed& placed) const;
  /// Stops all announcements.
  void close();

 private:
  struct State;
  explicit Arena(std::unique_ptr<State> state);
  void release(const Handle& buffer);
  const std::unique_ptr<State> state_;
};

}  // namespace hilo::rpc
