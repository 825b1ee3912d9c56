// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/worker/arena.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hilo/base/files.h"

namespace hilo::rpc {
namespace {

template <typename T>
std::string_view as_bytes(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}
template <typename T>
StatusOr<T> read_as(std::string_view bytes) {
  if (bytes.size() != sizeof(T))
    return data_loss(fmt::format("a place of {} bytes; wanted {}", bytes.size(), sizeof(T)));
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

int64_t whole_pages(int64_t bytes) {
  const int64_t page = ::getpagesize();
  return (bytes + page - 1) / page * page;
}

}  // namespace

StatusOr<OwnedFile> make_arena() {
  OwnedFile file(::memfd_create("hilo-arrays", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file.get() < 0) return errno_status(errno, "memfd_create");
  constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (::ftruncate(file.get(), kArenaBytes) != 0 || ::fcntl(file.get(), F_ADD_SEALS, kSeals) != 0)
    return errno_status(errno, "a file in memory");
  return file;
}

std::string_view bytes_of(const Place& place) { return as_bytes(place); }
std::string_view bytes_of(const Placed& placed) { return as_bytes(placed); }
StatusOr<Place> place_of(std::string_view bytes) { return read_as<Place>(bytes); }
StatusOr<Placed> placed_of(std::string_view bytes) { return read_as<Placed>(bytes); }

struct Arena::State {
  /// A mapped range of the file.
  struct Mapping {
    int64_t offset = 0, pages = 0;  // offset and size in bytes, both multiples of a page
    int64_t size = 0;               // bytes of the array
    std::byte* data = nullptr;
  };

  const OwnedFile file;
  std::function<void(const Place&)> announce;
  const int64_t most_kept;
  mutable std::mutex mutex;
  std::map<int64_t, int64_t> free = {{0, kArenaBytes}};  // free ranges of the file: offset, size
  std::unordered_map<Handle, Mapping> live;              // ranges of live arrays
  std::vector<Mapping> cached;                           // ranges of freed arrays, cached for reuse
  int64_t kept_bytes = 0;

  State(OwnedFile file, std::function<void(const Place&)> announce, int64_t most_kept)
      : file(std::move(file)), announce(std::move(announce)), most_kept(most_kept) {}
  ~State() {
    for (const Mapping& mapping : cached) ::munmap(mapping.data, mapping.pages);
  }

  /// Allocates a range. Returns -1 if none exists.
  int64_t allocate_range(int64_t size) {
    const auto found = std::ranges::find_if(free, [size](const auto& stretch) { return stretch.second >= size; });
    if (found == free.end()) return -1;
    const auto [offset, all] = *found;
    free.erase(found);
    if (all > size) free.emplace(offset + size, all - size);
    return offset;
  }
  /// Frees a range and merges it with its neighbours.
  void free_range(int64_t offset, int64_t size) {
    auto after = free.lower_bound(offset);
    if (after != free.end() && offset + size == after->first) {
      size += after->second;
      after = free.erase(after);
    }
    if (after != free.begin()) {
      const auto before = std::prev(after);
      if (before->first + before->second == offset) {
        before->second += size;
        return;
      }
    }
    free.emplace(offset, size);
  }
  StatusOr<Mapping> map(int64_t bytes) {
    const int64_t pages = whole_pages(bytes);
    const auto again = std::ranges::find(cached, pages, &Mapping::pages);
    if (again != cached.end()) {
      Mapping mapping = *again;
      cached.erase(again);
      kept_bytes -= pages;
      mapping.size = bytes;
      return mapping;
    }
    const int64_t offset = allocate_range(pages);
    if (offset < 0) return resource_exhausted(fmt::format("no space in the arena for an array of {} bytes", bytes));
    void* const data = ::mmap(nullptr, pages, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), offset);
    if (data == MAP_FAILED) {
      free_range(offset, pages);
      return resource_exhausted(fmt::format("no address space for an array of {} bytes", bytes));
    }
    return Mapping{offset, pages, bytes, static_cast<std::byte*>(data)};
  }
  void drop(const Mapping& mapping) {
    if (kept_bytes + mapping.pages <= most_kept) {
      cached.push_back(mapping);
      kept_bytes += mapping.pages;
      return;
    }
    ::munmap(mapping.data, mapping.pages);
    ::fallocate(file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, mapping.offset, mapping.pages);
    free_range(mapping.offset, mapping.pages);
  }
};

Arena::Arena(std::unique_ptr<State> state) : state_(std::move(state)) {}
Arena::~Arena() = default;

std::shared_ptr<Arena> Arena::make(OwnedFile file, std::function<void(const Place&)> announce, int64_t most_kept) {
  return std::shared_ptr<Arena>(new Arena(std::make_unique<State>(std::move(file), std::move(announce), most_kept)));
}

StatusOr<UploadMemory> Arena::allocate(const Handle& buffer, int64_t bytes) {
  const std::scoped_lock lock(state_->mutex);
  if (state_->live.contains(buffer)) return already_exists("this buffer already has a place");
  HILO_ASSIGN_OR_RETURN(const State::Mapping mapping, state_->map(bytes));
  state_->live.emplace(buffer, mapping);
  if (state_->announce) state_->announce({buffer, mapping.offset, bytes});
  return UploadMemory{mapping.data,
                      std::shared_ptr<const void>(
                          mapping.data, [self = shared_from_this(), buffer](const void*) { self->release(buffer); })};
}

void Arena::release(const Handle& buffer) {
  const std::scoped_lock lock(state_->mutex);
  const auto found = state_->live.find(buffer);
  if (state_->announce) state_->announce({.buffer = buffer});  // before another array can reuse the range
  state_->drop(found->second);
  state_->live.erase(found);
}

StatusOr<Request> Arena::chunk_at(const Placed& placed) const {
  const std::scoped_lock lock(state_->mutex);
  const auto found = state_->live.find(placed.buffer);
  const bool fits = found != state_->live.end() && placed.offset >= 0 && placed.size >= 0 &&
                    placed.size <= found->second.size && placed.offset <= found->second.size - placed.size;
  if (!fits)
    return data_loss(fmt::format("{} bytes at {} of an array are outside of its place", placed.size, placed.offset));
  const char* const bytes = reinterpret_cast<const char*>(found->second.data) + placed.offset;
  return Request{.id = placed.id,
                 .acked = placed.acked,
                 .body = Chunk{.buffer = placed.buffer,
                               .offset = placed.offset,
                               .bytes = Pieces::view({bytes, static_cast<size_t>(placed.size)})}};
}

void Arena::close() {
  const std::scoped_lock lock(state_->mutex);
  state_->announce = nullptr;
}

}  // namespace hilo::rpc
