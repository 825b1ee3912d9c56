// SPDX-License-Identifier: Apache-2.0
// rpc/worker/frames.h -- messages between a server and its workers over a socket pair, each with its length and lane.
#pragma once

#include <sys/uio.h>

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hilo/base/buffer_pool.h"
#include "hilo/base/owned_file.h"
#include "hilo/base/status.h"
#include "hilo/rpc/pieces.h"

namespace hilo::rpc {

struct SocketPair {
  OwnedFile here, there;
};
/// Creates a pair of connected sockets.
/// Errors    RESOURCE_EXHAUSTED without file descriptors
StatusOr<SocketPair> make_socket_pair();

/// The server's files of a worker: its socket, and the file of their arena, which may be empty.
struct WorkerFiles {
  OwnedFile socket;
  OwnedFile arena = OwnedFile();
};

/// A message and the lane that it belongs to: for a worker a batch of messages, from a worker one message.
struct Frame {
  uint32_t lane = 0;
  std::string_view message;  ///< part of `memory`
  AlignedBuffer memory;      ///< from the pool, because mapping new pages is slower than the copy

  /// Returns the message with its memory. The next frame gets new memory.
  Pieces take();
};

/// Returns the parts after the first `bytes` bytes.
std::span<iovec> without(std::span<iovec> parts, size_t bytes);

/// The last message of a worker whose client has ended the session.
inline constexpr std::string_view kGoodbye = "";

/// Frames over a socket. One thread reads; any number of threads write. The other end is not trusted: a frame longer
/// than the limit ends the reading.
class FrameSocket {
 public:
  explicit FrameSocket(OwnedFile socket) : socket_(std::move(socket)) {}

  /// Reads the next frame and reuses the memory of `frame`. Returns false at the end.
  /// Errors    DATA_LOSS for an invalid frame; those of errno_status
  StatusOr<bool> read(Frame& frame);
  /// Writes a frame. Blocks until the other end has room.
  /// Errors    UNAVAILABLE if the other end has closed
  Status write(uint32_t lane, std::string_view message) { return write(lane, std::span(&message, 1)); }
  Status write(uint32_t lane, std::span<const std::string_view> parts);
  /// Writes as much as possible without blocking (nothing if another thread is writing). Returns the rest of the frame
  /// for write_rest(). Between the two calls no other thread may write.
  StatusOr<std::string> write_some(uint32_t lane, std::span<const std::string_view> parts);
  Status write_rest(std::string_view rest);
  /// Ends reads and writes on both ends.
  void shut_down();

 private:
  StatusOr<bool> read_all(char* to, size_t size);
  Status write_all(std::span<iovec> parts);

  OwnedFile socket_;
  std::mutex writing_;
  std::string buffer_;  // bytes that were read but not returned
  size_t used_ = 0;     // used part of the buffer
};

}  // namespace hilo::rpc
