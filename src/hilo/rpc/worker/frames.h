// SPDX-License-Identifier: Apache-2.0
// rpc/worker/frames.h -- messages between a server and its workers, over a pair of sockets: each with its length and lane.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "hilo/base/status.h"

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

 private:
  int file_;
};

struct SocketPair {
  OwnedFile here, there;
};
/// Errors    RESOURCE_EXHAUSTED without file descriptors
StatusOr<SocketPair> make_socket_pair();

/// A message and the number of the stream that it belongs to.
struct Frame {
  uint32_t lane = 0;
  std::string message;
};

/// The last message of a worker whose client has ended the session.
inline constexpr std::string_view kGoodbye = "";

/// Frames over a socket. One thread reads; any number write. The other end is not trusted: a frame longer than a message may
/// be ends the reading.
class FrameSocket {
 public:
  explicit FrameSocket(OwnedFile socket) : socket_(std::move(socket)) {}

  /// The next frame; nothing at the end.
  /// Errors    DATA_LOSS for what is no frame; as errno_status
  StatusOr<std::optional<Frame>> read();
  /// Waits until the other end has room.
  /// Errors    UNAVAILABLE if the other end is gone
  Status write(uint32_t lane, std::string_view message);
  /// Ends what reads and writes, on both ends.
  void shut_down();

 private:
  StatusOr<bool> read_all(char* to, size_t size);

  OwnedFile socket_;
  std::mutex writing_;
  std::string buffer_;  // read, not yet handed out
  size_t used_ = 0;     // of it
};

}  // namespace hilo::rpc
