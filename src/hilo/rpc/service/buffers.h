// SPDX-License-Identifier: Apache-2.0
// rpc/service/buffers.h -- the buffers of one session, by the handles that its client made.
#pragma once

#include <optional>
#include <unordered_map>

#include "hilo/device/buffer.h"
#include "hilo/rpc/messages.h"
#include "hilo/rpc/service/quota.h"
#include "hilo/rpc/service/upload_memory.h"

namespace hilo::rpc {

/// To be used by one thread at a time. What a session doesn't have is unknown to it, whoever else may have it.
class Buffers {
 public:
  /// Both outlive it. `allocate` may be empty: chunks go to the system's memory.
  Buffers(const Quota& quota, const AllocateUpload& allocate) : quota_(quota), allocate_(allocate) {}

  /// Whether there is room for new buffers of so many bytes together under these names.
  /// Errors    ALREADY_EXISTS for a name that is taken or comes twice; RESOURCE_EXHAUSTED over a quota
  Status check_new(std::span<const Handle> handles, int64_t bytes) const;
  /// Precondition of these: check_new() had room.
  void insert(const Handle& handle, BufferPtr buffer);
  /// The name of a buffer that could not be made: who asks for it is told why.
  void insert_failed(const Handle& handle, const Status& why);
  /// Begins a value that comes in chunks.
  /// Errors    those of AllocateUpload
  Status begin_upload(const Handle& handle, const Shape& shape, DevicePtr device);
  /// Adds a chunk; the last one makes it a buffer. Chunks come in order.
  /// Errors    NOT_FOUND; INVALID_ARGUMENT for bytes that don't go there; those of Device::from_host
  Status add_chunk(const Chunk& chunk);

  /// Errors    NOT_FOUND; FAILED_PRECONDITION while chunks are missing; why it could not be made
  StatusOr<BufferPtr> find(const Handle& handle) const;
  /// Its row-major value, kept from the first chunk that is read to the last; for arrays that lie otherwise.
  std::shared_ptr<Literal> row_major_of(const Handle& handle, const Download& download);
  /// Forgets the buffer; nothing if there is none.
  void erase(const Handle& handle);

  DeviceStatistics statistics() const { return {static_cast<int64_t>(entries_.size()), live_bytes_}; }

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
    std::shared_ptr<Literal> row_major = nullptr;
  };
  const Quota& quota_;
  const AllocateUpload& allocate_;
  std::unordered_map<Handle, Entry> entries_;
  int64_t live_bytes_ = 0;
};

}  // namespace hilo::rpc
