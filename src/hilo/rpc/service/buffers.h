// SPDX-License-Identifier: Apache-2.0
// rpc/service/buffers.h -- the buffers of one session, by the client's handles.
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

/// A row-major copy of a buffer with another layout.
struct RowMajor {
  Literal value;
  Held held;
};

/// Bytes of buffers whose names are released before the run or copy that computes them has ended. Thread-safe.
class Leftovers {
 public:
  /// Counts the bytes until end(); afterwards it drops them immediately.
  void add(HeldPtr held);
  void end();

 private:
  std::mutex mutex_;
  bool has_ended_ = false;
  std::vector<HeldPtr> held_;
};

/// A buffer and its counted bytes. They count while a copy of `held` exists.
struct CountedBuffer {
  BufferPtr buffer;
  HeldPtr held;
};

/// The buffers of a session, for one thread at a time. Objects of other sessions are unknown here.
class Buffers {
 public:
  /// Both references must outlive this object. `allocate` may be empty; chunks are then stored in the system's memory.
  Buffers(const Quota& quota, const AllocateUpload& allocate, std::shared_ptr<Account> account)
      : quota_(quota), allocate_(allocate), account_(std::move(account)) {}

  /// Counts `bytes` for new buffers with these names, and the memory of names beyond the first 4,096.
  /// Errors    ALREADY_EXISTS for a name that is in use or occurs twice; RESOURCE_EXHAUSTED above a quota
  StatusOr<Held> make_room(std::span<const Handle> handles, int64_t bytes);
  /// Adds a buffer. Precondition of the next three functions: make_room() has returned `held` for the name. `leftovers`
  /// belong to the call that computes the buffer.
  void insert(const Handle& handle, CountedBuffer buffer, std::shared_ptr<Leftovers> leftovers, bool is_copied = false);
  /// Adds the name of a buffer that couldn't be created. Its users get the error `why`.
  void insert_failed(const Handle& handle, const Status& why);
  /// Begins a value that arrives in chunks.
  /// Errors    those of AllocateUpload
  Status begin_upload(const Handle& handle, const Shape& shape, DevicePtr device, Held held);
  /// Adds a chunk; the last one completes the buffer. Chunks arrive in order.
  /// Errors    NOT_FOUND; INVALID_ARGUMENT for bytes outside of the buffer; those of Device::from_host
  Status add_chunk(const Chunk& chunk);

  /// Finds a buffer.
  /// Errors    NOT_FOUND; FAILED_PRECONDITION while chunks are missing; the error of its creation
  StatusOr<CountedBuffer> find(const Handle& handle) const;
  /// Returns whether a copy from another device creates the buffer. Such a copy isn't in its device's queue.
  bool is_copied(const Handle& handle) const;
  /// Returns the row-major value of an array with another layout. It is cached from the first chunk read to the last.
  /// Errors    RESOURCE_EXHAUSTED above the limit
  StatusOr<std::shared_ptr<RowMajor>> row_major_of(const Handle& handle, const Download& download);
  /// Removes the buffer, if it exists. Its bytes count until its contents are ready and unused.
  void erase(const Handle& handle);
  /// Returns the bytes that a run gets from a donated buffer: those that only this name holds.
  int64_t donated_bytes(const Handle& handle) const;
  /// Removes the buffer and returns those bytes.
  Held take_donated(const Handle& handle);

  int64_t size() const { return std::ssize(entries_); }

 private:
  struct Upload {
    UploadMemory value;  // row-major
    Shape shape;
    DevicePtr device;
    int64_t received = 0;
  };
  /// Exactly one of three states.
  struct Entry {
    BufferPtr buffer;
    Status failed;
    std::optional<Upload> upload = {};
    int64_t bytes = 0;
    HeldPtr held = nullptr;  // bytes of the contents
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
  Held names_;  // bytes counted by make_room() for names that don't exist yet
};

}  // namespace hilo::rpc
