// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/service/buffers.h"

#include <fmt/format.h>

#include <unordered_set>

#include "hilo/base/buffer_pool.h"
#include "hilo/base/text.h"

namespace hilo::rpc {
namespace {

StatusOr<UploadMemory> system_memory(size_t bytes) {
  HILO_ASSIGN_OR_RETURN(AlignedBuffer buffer, allocate_buffer(bytes));
  const auto owner = std::make_shared<AlignedBuffer>(std::move(buffer));
  return UploadMemory{owner->data(), owner};
}

}  // namespace

Status Buffers::check_new(std::span<const Handle> handles, int64_t bytes) const {
  if (static_cast<int64_t>(entries_.size() + handles.size()) > quota_.buffers) {
    return resource_exhausted(fmt::format("quota: {} live buffers of {}; {} more asked for", entries_.size(),
                                          quota_.buffers, handles.size()));
  }
  if (quota_.live_bytes > 0 && bytes > quota_.live_bytes - live_bytes_) {
    return resource_exhausted(
        fmt::format("quota: {} live of {}; {} more asked for", bytes_text(static_cast<uint64_t>(live_bytes_)),
                    bytes_text(static_cast<uint64_t>(quota_.live_bytes)), bytes_text(static_cast<uint64_t>(bytes))));
  }
  std::unordered_set<Handle> seen;
  for (const Handle& handle : handles) {
    const bool is_new = !entries_.contains(handle) && (handles.size() == 1 || seen.insert(handle).second);
    if (!is_new) return already_exists("a buffer of this name is there already");
  }
  return ok_status();
}

void Buffers::insert(const Handle& handle, BufferPtr buffer) {
  const int64_t bytes = buffer->shape().byte_size();
  live_bytes_ += bytes;
  entries_.emplace(handle, Entry{.buffer = std::move(buffer), .failed = {}, .bytes = bytes});
}

void Buffers::insert_failed(const Handle& handle, const Status& why) {
  entries_.emplace(handle, Entry{.buffer = nullptr, .failed = why});
}

Status Buffers::begin_upload(const Handle& handle, const Shape& shape, DevicePtr device) {
  const int64_t bytes = shape.byte_size();
  HILO_ASSIGN_OR_RETURN(UploadMemory value,
                        allocate_ ? allocate_(handle, bytes) : system_memory(static_cast<size_t>(bytes)));
  live_bytes_ += bytes;
  entries_.emplace(handle, Entry{.buffer = nullptr,
                                 .failed = {},
                                 .upload = Upload{std::move(value), shape, std::move(device)},
                                 .bytes = bytes});
  return ok_status();
}

Status Buffers::add_chunk(const Chunk& chunk) {
  const auto found = entries_.find(chunk.buffer);
  if (found == entries_.end() || !found->second.upload) return not_found("no such buffer waits for chunks");
  Upload& upload = *found->second.upload;
  const int64_t size = static_cast<int64_t>(chunk.bytes.size()), whole = upload.shape.byte_size();
  if (chunk.offset != upload.received || size > whole - upload.received) {
    return invalid_argument(
        fmt::format("a chunk of {} bytes at {}; {} of {} bytes are there", size, chunk.offset, upload.received, whole));
  }
  chunk.bytes.copy_to(reinterpret_cast<char*>(upload.value.data) + upload.received);
  upload.received += size;
  if (upload.received < whole) return ok_status();
  Upload done = std::move(upload);
  found->second.upload.reset();
  HostData host{.shape = done.shape, .data = done.value.data, .semantics = HostMemory::kBorrowed};
  host.release = [owner = std::move(done.value.owner)]() mutable {
    owner.reset();
  };  // the device has the memory till then
  StatusOr<BufferPtr> buffer = done.device->from_host(host);
  if (buffer.ok()) found->second.buffer = *std::move(buffer);
  else found->second.failed = buffer.status();
  return found->second.failed;
}

StatusOr<BufferPtr> Buffers::find(const Handle& handle) const {
  const auto found = entries_.find(handle);
  if (found == entries_.end()) return not_found("no such buffer");
  if (!found->second.failed.ok()) return found->second.failed;
  if (found->second.upload) return failed_precondition("chunks of this buffer are missing");
  return found->second.buffer;
}

std::shared_ptr<Literal> Buffers::row_major_of(const Handle& handle, const Download& download) {
  Entry& entry = entries_.at(handle);
  if (entry.row_major == nullptr) entry.row_major = std::make_shared<Literal>();
  std::shared_ptr<Literal> value = entry.row_major;
  if (download.offset + download.size == entry.bytes) entry.row_major.reset();
  return value;
}

void Buffers::erase(const Handle& handle) {
  const auto found = entries_.find(handle);
  if (found == entries_.end()) return;
  live_bytes_ -= found->second.bytes;
  entries_.erase(found);
}

}  // namespace hilo::rpc
