// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/server/places.h"

#include <fmt/format.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <vector>

namespace hilo::rpc {
namespace {

// maximum number of arrays with places; the chunks of others stay in their messages
constexpr size_t kMaxPlaces = 4096;
constexpr size_t kMaxParts = 256;  // maximum number of parts in one system call

/// Writes all bytes at an offset. Returns whether that succeeded.
bool write_all(int file, const Pieces& bytes, int64_t offset) {
  std::vector<iovec> all;
  for (const std::string_view part : bytes.parts) all.push_back({const_cast<char*>(part.data()), part.size()});
  for (std::span<iovec> left = all; !left.empty();) {
    const ssize_t written = ::pwritev(file, left.data(), static_cast<int>(std::min(left.size(), kMaxParts)), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    offset += written;
    left = without(left, written);
  }
  return true;
}

}  // namespace

Status Places::set(std::string_view frame) {
  HILO_ASSIGN_OR_RETURN(const Place place, place_of(frame));
  const bool fits =
      place.size >= 0 && place.offset >= 0 && place.size <= kArenaBytes && place.offset <= kArenaBytes - place.size;
  if (!fits) return data_loss(fmt::format("invalid place of {} bytes at {}", place.size, place.offset));
  const std::scoped_lock lock(mutex_);
  waiting_.erase(place.buffer);
  if (place.size > 0 && waiting_.size() < kMaxPlaces)
    waiting_.emplace(place.buffer, Waiting{.offset = place.offset, .size = place.size});
  return ok_status();
}

bool Places::write(const Chunk& chunk) {
  const int64_t size = chunk.bytes.size();
  int64_t to = 0;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = waiting_.find(chunk.buffer);
    if (file_.get() < 0 || found == waiting_.end()) return false;
    Waiting& waiting = found->second;
    if (size == 0 || chunk.offset != waiting.written || size > waiting.size - waiting.written) return false;
    to = waiting.offset + waiting.written;
    waiting.written += size;
    if (waiting.written == waiting.size) waiting_.erase(found);
  }
  if (write_all(file_.get(), chunk.bytes, to)) return true;
  const std::scoped_lock lock(mutex_);
  waiting_.erase(chunk.buffer);
  return false;
}

}  // namespace hilo::rpc
