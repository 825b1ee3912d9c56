// SPDX-License-Identifier: Apache-2.0
// rpc/worker/arena.h -- memory that a server and one of its workers have both: the bytes of a large array are written
// once, by the server, to where the worker's session has the array. The worker says where chunks go, the server which
// ones lie there.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "hilo/rpc/messages.h"
#include "hilo/rpc/service/upload_memory.h"
#include "hilo/rpc/worker/frames.h"

namespace hilo::rpc {

/// The size of the shared file, of which only what is written takes memory.
inline constexpr int64_t kArenaBytes = int64_t{1} << 40;
/// A file in memory whose size nobody can change any more.
/// Errors    as errno_status
StatusOr<OwnedFile> make_arena();

/// A frame of Lane::kPlaces from a worker: where the chunks of a buffer go; size 0: they go nowhere any more.
struct Place {
  Handle buffer = {};
  int64_t offset = 0;  ///< in the file
  int64_t size = 0;
};
/// One from a server: what a Request with a Chunk says, whose bytes lie at their place.
struct Placed {
  int64_t id = 0, acked = 0;
  Handle buffer = {};
  int64_t offset = 0;  ///< in the buffer
  int64_t size = 0;
};
/// They are written as they are: both processes are of one program.
std::string_view bytes_of(const Place& place);
std::string_view bytes_of(const Placed& placed);
/// Errors    DATA_LOSS for another number of bytes
StatusOr<Place> place_of(std::string_view bytes);
StatusOr<Placed> placed_of(std::string_view bytes);

/// The worker's side. Safe to use from several threads at once.
class Arena : public std::enable_shared_from_this<Arena> {
 public:
  /// `announce` sends a Place to the server. `most_kept`: bytes of arrays that are gone, for the next ones of their
  /// size.
  static std::shared_ptr<Arena> make(OwnedFile file, std::function<void(const Place&)> announce,
                                     int64_t most_kept = int64_t{64} << 20);
  ~Arena();

  /// Room for the chunks of a buffer, of which the server is told.
  /// Errors    RESOURCE_EXHAUSTED
  StatusOr<UploadMemory> allocate(const Handle& buffer, int64_t bytes);
  /// The request with the chunk that is said to lie at its place; its bytes are where it goes.
  /// Errors    DATA_LOSS for bytes that no room was made for
  StatusOr<Request> chunk_at(const Placed& placed) const;
  /// From now on nobody is told anything.
  void close();

 private:
  struct State;
  explicit Arena(std::unique_ptr<State> state);
  void release(const Handle& buffer);
  const std::unique_ptr<State> state_;
};

}  // namespace hilo::rpc
