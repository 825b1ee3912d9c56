// SPDX-License-Identifier: Apache-2.0
// rpc/worker/frames.h -- messages between a server and its workers, over a pair of sockets: each with its length and
// lane.
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
#include "hilo/base/status.h"
#include "hilo/rpc/pieces.h"

namespace hilo::rpc {

/// A file descriptor that is closed with it.
class OwnedFile {
 public:
  explicit OwnedFile(int file = -1) : file_(file) {}
  OwnedFile(OwnedFile&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  OwnedFile& operator=(OwnedFile&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  ~OwnedFile();
  int get() const { return file_; }
  /// The caller's from now on.
  int release() && { return std::exchange(file_, -1); }

 private:
  int file_;
};

struct SocketPair {
  OwnedFile here, there;
};
/// Errors    RESOURCE_EXHAUSTED without file descriptors
StatusOr<SocketPair> make_socket_pair();

/// What a server has of a worker: its socket, and the file of their arena, which may be none.
struct WorkerFiles {
  OwnedFile socket;
  OwnedFile arena = OwnedFile();
};

/// Bytes and the number of the stream that they belong to: to a worker a batch of messages, from a worker one message.
struct Frame {
  uint32_t lane = 0;
  std::string_view message;  ///< in `memory`
  AlignedBuffer memory;      ///< of the pool: new pages cost more than the bytes

  /// The message with its memory; the next one gets other memory.
  Pieces take();
};

/// What is left of them after so many bytes.
std::span<iovec> without(std::span<iovec> parts, size_t bytes);

/// The last message of a worker whose client has ended the session.
inline constexpr std::string_view kGoodbye = "";

/// Frames over a socket. One thread reads; any number write. The other end is not trusted: a frame longer than a
/// message may be ends the reading.
class FrameSocket {
 public:
  explicit FrameSocket(OwnedFile socket) : socket_(std::move(socket)) {}

  /// Puts the next frame into `frame`, with the memory that it has; false at the end.
  /// Errors    DATA_LOSS for what is no frame; as errno_status
  StatusOr<bool> read(Frame& frame);
  /// Waits until the other end has room.
  /// Errors    UNAVAILABLE if the other end is gone
  Status write(uint32_t lane, std::string_view message) { return write(lane, std::span(&message, 1)); }
  Status write(uint32_t lane, std::span<const std::string_view> parts);
  /// Writes what there is room for now, nothing if others write, and returns what is left of the frame, for
  /// write_rest(). Between the two nobody else may write.
  StatusOr<std::string> write_some(uint32_t lane, std::span<const std::string_view> parts);
  Status write_rest(std::string_view rest);
  /// Ends what reads and writes, on both ends.
  void shut_down();

 private:
  StatusOr<bool> read_all(char* to, size_t size);
  Status write_all(std::span<iovec> parts);

  OwnedFile socket_;
  std::mutex writing_;
  std::string buffer_;  // read, not yet handed out
  size_t used_ = 0;     // of it
};

}  // namespace hilo::rpc
