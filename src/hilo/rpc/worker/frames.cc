// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/worker/frames.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "hilo/base/files.h"
#include "hilo/rpc/messages.h"

namespace hilo::rpc {
namespace {

constexpr size_t kReadAhead = 64 << 10;  // many small frames come with one call of the system

struct Head {
  uint32_t size;
  uint32_t lane;
};

}  // namespace

OwnedFile::~OwnedFile() {
  if (file_ >= 0) ::close(file_);
}

StatusOr<SocketPair> make_socket_pair() {
  int files[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, files) != 0) return errno_status(errno, "socketpair");
  return SocketPair{OwnedFile(files[0]), OwnedFile(files[1])};
}

/// False at the end, which may be nowhere but between frames.
StatusOr<bool> FrameSocket::read_all(char* to, size_t size) {
  size_t done = std::min(size, buffer_.size() - used_);
  std::memcpy(to, buffer_.data() + used_, done);
  used_ += done;
  while (done < size) {
    const bool is_large = size - done >= kReadAhead;
    if (!is_large) buffer_.resize(kReadAhead);
    const ssize_t got =
        ::read(socket_.get(), is_large ? to + done : buffer_.data(), is_large ? size - done : kReadAhead);
    if (got < 0 && errno == EINTR) continue;
    if (!is_large) {
      buffer_.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
      used_ = 0;
    }
    if (got < 0 && errno != ECONNRESET) return errno_status(errno, "reading a frame");
    if (got <= 0) return done == 0 ? StatusOr<bool>(false) : data_loss("the last frame is cut off");
    if (is_large) {
      done += static_cast<size_t>(got);
      continue;
    }
    used_ = std::min(size - done, buffer_.size());
    std::memcpy(to + done, buffer_.data(), used_);
    done += used_;
  }
  return true;
}

StatusOr<std::optional<Frame>> FrameSocket::read() {
  Head head;
  HILO_ASSIGN_OR_RETURN(const bool is_there, read_all(reinterpret_cast<char*>(&head), sizeof(head)));
  if (!is_there) return std::optional<Frame>();
  if (head.size > kMessageBytes) {
    return data_loss(fmt::format("a frame of {} bytes; a message has at most {}", head.size, kMessageBytes));
  }
  Frame frame{.lane = head.lane, .message = std::string(head.size, '\0')};
  HILO_ASSIGN_OR_RETURN(const bool is_whole, read_all(frame.message.data(), head.size));
  if (!is_whole && head.size > 0) return data_loss("the last frame is cut off");
  return std::optional<Frame>(std::move(frame));
}

Status FrameSocket::write(uint32_t lane, std::string_view message) {
  Head head{static_cast<uint32_t>(message.size()), lane};
  const std::scoped_lock lock(writing_);
  std::array<iovec, 2> parts = {iovec{&head, sizeof(head)}, iovec{const_cast<char*>(message.data()), message.size()}};
  msghdr header{};
  header.msg_iov = parts.data();
  header.msg_iovlen = parts.size();
  while (header.msg_iovlen > 0) {
    const ssize_t sent = ::sendmsg(socket_.get(), &header, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return unavailable("the other end of a worker's socket is gone");
    auto left = static_cast<size_t>(sent);
    while (header.msg_iovlen > 0 && left >= header.msg_iov->iov_len) {
      left -= header.msg_iov->iov_len;
      ++header.msg_iov;
      --header.msg_iovlen;
    }
    if (header.msg_iovlen == 0) break;
    header.msg_iov->iov_base = static_cast<char*>(header.msg_iov->iov_base) + left;
    header.msg_iov->iov_len -= left;
  }
  return ok_status();
}

void FrameSocket::shut_down() { ::shutdown(socket_.get(), SHUT_RDWR); }

}  // namespace hilo::rpc
