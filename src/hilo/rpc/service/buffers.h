// SPDX-License-Identifier: Apache-2.0
// rpc/service/buffers.h -- the buffers of one session, by the handles that its client made.
#pragma once

#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "hilo/device/buffer.h"
#include "hilo/rpc/messages.h"
#include "hilo/rpc/service/account.h"
#include "hilo/rpc/service/quota.h"
#include "hilo/rpc/service/upload_memory.h"

namespace hilo::rpc {

/// A row-major copy of a buffer that is stored otherwise.
struct RowMajor {
  Literal value;
  Held held;
};

/// The bytes of buffers whose names are released before the run or copy that makes them has ended. Safe to use from
/// several threads at once.
class Leftovers {
 public:
  /// Counts on until end(); not at all after it.
  void add(HeldPtr held);
  void end();

 private:
  std::mutex mutex_;
  bool has_ended_ = false;
  std::vector<HeldPtr> held_;
};

/// A buffer and the bytes that count for it, which count on while a copy of `held` exists.
struct CountedBuffer {
  BufferPtr buffer;
  HeldPtr held;
};

/// To be used by one thread at a time. What a session doesn't have is unknown to it, whoever else may have it.
class Buffers {
 public:
  /// Both references outlive it. `allocate` may be empty: chunks go to the system's memory.
  Buffers(const Quota& quota, const AllocateUpload& allocate, std::shared_ptr<Account> account)
      : quota_(quota), allocate_(allocate), account_(std::move(account)) {}

  /// Counts `bytes` for new buffers under these names, and the memory of the names beyond the first 4,096.
  /// Errors    ALREADY_EXISTS for a name that is taken or comes twice; RESOURCE_EXHAUSTED over a quota
  StatusOr<Held> make_room(std::span<const Handle> handles, int64_t bytes);
  /// `held`: from make_room(), which had room for the name. A precondition of these three.
  /// `leftovers`: of what makes the buffer.
  void insert(const Handle& handle, CountedBuffer buffer, std::shared_ptr<Leftovers> leftovers, bool is_copied = false);
  /// The name of a buffer that could not be made: who asks for it is told why.
  void insert_failed(const Handle& handle, const Status& why);
  /// Begins a value that comes in chunks.
  /// Errors    those of AllocateUpload
  Status begin_upload(const Handle& handle, const Shape& shape, DevicePtr device, Held held);
  /// Adds a chunk; the last one makes it a buffer. Chunks come in order.
  /// Errors    NOT_FOUND; INVALID_ARGUMENT for bytes that don't go there; those of Device::from_host
  Status add_chunk(const Chunk& chunk);

  /// Errors    NOT_FOUND; FAILED_PRECONDITION while chunks are missing; why it could not be made
  StatusOr<CountedBuffer> find(const Handle& handle) const;
  /// Whether a copy from elsewhere makes the buffer, for which its device doesn't wait in turn.
  bool is_copied(const Handle& handle) const;
  /// Its row-major value, kept from the first chunk that is read to the last; for arrays that are stored otherwise.
  /// Errors    RESOURCE_EXHAUSTED over the limit
  StatusOr<std::shared_ptr<RowMajor>> row_major_of(const Handle& handle, const Download& download);
  /// Forgets the buffer; nothing if there is none. Its bytes count until its contents are there and nothing reads them.
  void erase(const Handle& handle);
  /// The bytes that a run gets with the buffer that it is donated: those that only this name holds.
  int64_t donated_bytes(const Handle& handle) const;
  /// Forgets the buffer and returns those bytes.
  Held take_donated(const Handle& handle);

  int64_t size() const { return std::ssize(entries_); }

 private:
  struct Upload {
    UploadMemory value;  // row-major
    Shape shape;
    DevicePtr device;
    int64_t received = 0;
  };
  /// One of three.
  struct Entry {
    BufferPtr buffer;
    Status failed;
    std::optional<Upload> upload = {};
    int64_t bytes = 0;
    HeldPtr held = nullptr;  // of the contents
    Held name = {};
    std::shared_ptr<Leftovers> leftovers = nullptr;
    bool is_copied = false;
    std::shared_ptr<RowMajor> row_major = nullptr;
  };
  Entry& emplace(const Handle& handle, Entry entry);

  const Quota& quota_;
  const AllocateUpload& allocate_;
  const std::shared_ptr<Account> account_;
  std::unordered_map<Handle, Entry> entries_;
  Held names_;  // counted by make_room() for names that aren't there yet
};

}  // namespace hilo::rpc
