// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/worker/frames.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "hilo/base/files.h"
#include "hilo/base/sizes.h"
#include "hilo/rpc/messages.h"

namespace hilo::rpc {
namespace {

constexpr size_t kReadAhead = 64 << 10;  // reads many small frames by one system call

constexpr size_t kMaxParts = 256;          // maximum number of parts in one system call
constexpr size_t kKept = 2 * kChunkBytes;  // bytes of memory that are kept from one frame to the next
constexpr size_t kMin = 256;               // minimum bytes of memory, for small frames

struct Head {
  uint32_t size;
  uint32_t lane;
};

/// Returns the parts of a frame, with the header in the caller's memory.
std::vector<iovec> frame_of(uint32_t lane, std::span<const std::string_view> parts, Head& head) {
  std::vector<iovec> all = {{&head, sizeof(head)}};
  head.lane = lane;
  for (const std::string_view part : parts) {
    head.size += size32(part);
    all.push_back({const_cast<char*>(part.data()), part.size()});
  }
  return all;
}

}  // namespace

std::span<iovec> without(std::span<iovec> parts, size_t bytes) {
  while (!parts.empty() && bytes >= parts.front().iov_len) {
    bytes -= parts.front().iov_len;
    parts = parts.subspan(1);
  }
  if (parts.empty()) return parts;
  parts.front().iov_base = static_cast<char*>(parts.front().iov_base) + bytes;
  parts.front().iov_len -= bytes;
  return parts;
}

StatusOr<SocketPair> make_socket_pair() {
  int files[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, files) != 0) return errno_status(errno, "socketpair");
  return SocketPair{OwnedFile(files[0]), OwnedFile(files[1])};
}

/// Reads exactly `size` bytes. Returns false at the end, which is only valid between frames.
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
      buffer_.resize(std::max<ssize_t>(got, 0));
      used_ = 0;
    }
    if (got < 0 && errno != ECONNRESET) return errno_status(errno, "reading a frame");
    if (got <= 0) return done == 0 ? StatusOr<bool>(false) : data_loss("the last frame is cut off");
    if (is_large) {
      done += got;
      continue;
    }
    used_ = std::min(size - done, buffer_.size());
    std::memcpy(to + done, buffer_.data(), used_);
    done += used_;
  }
  return true;
}

StatusOr<bool> FrameSocket::read(Frame& frame) {
  Head head;
  HILO_ASSIGN_OR_RETURN(const bool is_there, read_all(reinterpret_cast<char*>(&head), sizeof(head)));
  if (!is_there) return false;
  if (head.size > kMaxBatchBytes) {
    return data_loss(fmt::format("a frame of {} bytes; wanted at most {}", head.size, kMaxBatchBytes));
  }
  frame.lane = head.lane;
  const bool is_too_large = frame.memory.size() > kKept && head.size <= kKept;
  if (is_too_large || frame.memory.size() < head.size || frame.memory.data() == nullptr) {
    frame.memory = AlignedBuffer();
    HILO_ASSIGN_OR_RETURN(frame.memory, allocate_buffer(std::max<size_t>(head.size, kMin)));
  }
  char* const bytes = reinterpret_cast<char*>(frame.memory.data());
  HILO_ASSIGN_OR_RETURN(const bool is_whole, read_all(bytes, head.size));
  if (!is_whole && head.size > 0) return data_loss("the last frame is cut off");
  frame.message = {bytes, head.size};
  return true;
}

Pieces Frame::take() {
  const auto kept = std::make_shared<AlignedBuffer>(std::move(memory));
  return {{std::exchange(message, {})}, kept};
}

Status FrameSocket::write_all(std::span<iovec> parts) {
  while (!parts.empty()) {
    msghdr header{};
    header.msg_iov = parts.data();
    header.msg_iovlen = std::min(parts.size(), kMaxParts);
    const ssize_t sent = ::sendmsg(socket_.get(), &header, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return unavailable("the other end of a worker's socket is gone");
    parts = without(parts, sent);
  }
  return ok_status();
}

Status FrameSocket::write(uint32_t lane, std::span<const std::string_view> parts) {
  Head head{};
  std::vector<iovec> all = frame_of(lane, parts, head);
  const std::scoped_lock lock(writing_);
  return write_all(all);
}

StatusOr<std::string> FrameSocket::write_some(uint32_t lane, std::span<const std::string_view> parts) {
  Head head{};
  std::vector<iovec> all = frame_of(lane, parts, head);
  std::span<iovec> left = all;
  if (const std::unique_lock lock(writing_, std::try_to_lock); lock.owns_lock()) {
    msghdr header{};
    header.msg_iov = left.data();
    header.msg_iovlen = std::min(left.size(), kMaxParts);
    const ssize_t sent = ::sendmsg(socket_.get(), &header, MSG_NOSIGNAL | MSG_DONTWAIT);
    const bool has_no_room = sent < 0 && (errno == EAGAIN || errno == EINTR || errno == ENOBUFS);
    if (sent < 0 && !has_no_room) return unavailable("the other end of a worker's socket is gone");
    if (sent > 0) left = without(left, sent);
  }
  std::string rest;
  for (const iovec& part : left) rest.append(static_cast<const char*>(part.iov_base), part.iov_len);
  return rest;
}

Status FrameSocket::write_rest(std::string_view rest) {
  iovec part{const_cast<char*>(rest.data()), rest.size()};
  const std::scoped_lock lock(writing_);
  return write_all({&part, 1});
}

void FrameSocket::shut_down() { ::shutdown(socket_.get(), SHUT_RDWR); }

}  // namespace hilo::rpc
