// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/service/buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "hilo/base/buffer_pool.h"

namespace hilo::rpc {
namespace {

constexpr int64_t kFreeNames = 4096, kNameBytes = 256;  // bytes of a name, including its part of the hash table
constexpr size_t kReasonBytes = 1024;                   // maximum bytes of the error of a failed buffer

StatusOr<UploadMemory> system_memory(size_t bytes) {
  HILO_ASSIGN_OR_RETURN(AlignedBuffer buffer, allocate_buffer(bytes));
  const auto owner = std::make_shared<AlignedBuffer>(std::move(buffer));
  return UploadMemory{owner->data(), owner};
}

}  // namespace

StatusOr<Held> Buffers::make_room(std::span<const Handle> handles, int64_t bytes) {
  if (size() + std::ssize(handles) > quota_.buffers) {
    return resource_exhausted(fmt::format("quota: {} live buffers of {}; {} more requested", entries_.size(),
                                          quota_.buffers, handles.size()));
  }
  std::unordered_set<Handle> seen;
  for (const Handle& handle : handles) {
    const bool is_new = !entries_.contains(handle) && (handles.size() == 1 || seen.insert(handle).second);
    if (!is_new) return already_exists("a buffer with this name already exists");
  }
  const int64_t counted_names = std::clamp<int64_t>(size() + std::ssize(handles) - kFreeNames, 0, std::ssize(handles));
  HILO_ASSIGN_OR_RETURN(Held names, account_->hold(counted_names * kNameBytes));
  names_ = std::move(names);
  return account_->hold(bytes);
}

Buffers::Entry& Buffers::emplace(const Handle& handle, Entry entry) {
  entry.name = names_.split(kNameBytes);
  return entries_.emplace(handle, std::move(entry)).first->second;
}

void Leftovers::add(HeldPtr held) {
  const std::scoped_lock lock(mutex_);
  if (!has_ended_) held_.push_back(std::move(held));
}

void Leftovers::end() {
  const std::scoped_lock lock(mutex_);
  has_ended_ = true;
  held_.clear();
}

void Buffers::insert(const Handle& handle, CountedBuffer buffer, std::shared_ptr<Leftovers> leftovers, bool is_copied) {
  const int64_t bytes = buffer.buffer->shape().byte_size();
  emplace(handle, Entry{.buffer = std::move(buffer.buffer),
                        .failed = {},
                        .bytes = bytes,
                        .held = std::move(buffer.held),
                        .leftovers = std::move(leftovers),
                        .is_copied = is_copied});
}

void Buffers::insert_failed(const Handle& handle, const Status& why) {
  emplace(handle,
          Entry{.buffer = nullptr, .failed = Status(why.code(), std::string(why.message().substr(0, kReasonBytes)))});
}

Status Buffers::begin_upload(const Handle& handle, const Shape& shape, DevicePtr device, Held held) {
  const int64_t bytes = shape.byte_size();
  HILO_ASSIGN_OR_RETURN(UploadMemory value, allocate_ ? allocate_(handle, bytes) : system_memory(bytes));
  emplace(handle, Entry{.buffer = nullptr,
                        .failed = {},
                        .upload = Upload{std::move(value), shape, std::move(device)},
                        .bytes = bytes,
                        .held = std::make_shared<Held>(std::move(held))});
  return ok_status();
}

Status Buffers::add_chunk(const Chunk& chunk) {
  const auto found = entries_.find(chunk.buffer);
  if (found == entries_.end() || !found->second.upload) return not_found("no buffer with this name waits for chunks");
  Upload& upload = *found->second.upload;
  const int64_t size = std::ssize(chunk.bytes), whole = upload.shape.byte_size();
  if (chunk.offset != upload.received || size > whole - upload.received) {
    return invalid_argument(fmt::format("got a chunk of {} bytes at {}; {} of {} bytes have arrived", size,
                                        chunk.offset, upload.received, whole));
  }
  chunk.bytes.copy_to(reinterpret_cast<char*>(upload.value.data) + upload.received);
  upload.received += size;
  if (upload.received < whole) return ok_status();
  Upload done = std::move(upload);
  found->second.upload.reset();
  HostData host{.shape = done.shape, .data = done.value.data, .semantics = HostMemory::kBorrowed};
  host.release = [owner = std::move(done.value.owner)]() mutable {
    owner.reset();
  };  // the device uses the memory until then
  StatusOr<BufferPtr> buffer = done.device->from_host(host);
  if (buffer.ok()) found->second.buffer = *std::move(buffer);
  else found->second.failed = buffer.status();
  return found->second.failed;
}

StatusOr<CountedBuffer> Buffers::find(const Handle& handle) const {
  const auto found = entries_.find(handle);
  if (found == entries_.end()) return not_found("no such buffer");
  if (!found->second.failed.ok()) return found->second.failed;
  if (found->second.upload) return failed_precondition("chunks of this buffer are missing");
  return CountedBuffer{found->second.buffer, found->second.held};
}

bool Buffers::is_copied(const Handle& handle) const {
  const auto found = entries_.find(handle);
  return found != entries_.end() && found->second.is_copied;
}

StatusOr<std::shared_ptr<RowMajor>> Buffers::row_major_of(const Handle& handle, const Download& download) {
  Entry& entry = entries_.at(handle);
  if (entry.row_major == nullptr) {
    HILO_ASSIGN_OR_RETURN(Held held, account_->hold(entry.bytes));
    entry.row_major = std::make_shared<RowMajor>(RowMajor{.value = {}, .held = std::move(held)});
  }
  std::shared_ptr<RowMajor> value = entry.row_major;
  if (download.offset + download.size == entry.bytes) entry.row_major.reset();
  return value;
}

void Buffers::erase(const Handle& handle) {
  const auto found = entries_.find(handle);
  if (found == entries_.end()) return;
  // The memory of a running computation's result counts until the run has ended.
  if (found->second.leftovers != nullptr) found->second.leftovers->add(std::move(found->second.held));
  entries_.erase(found);
}

int64_t Buffers::donated_bytes(const Handle& handle) const {
  const auto found = entries_.find(handle);
  const bool is_alone = found != entries_.end() && found->second.held != nullptr && found->second.held.use_count() == 1;
  return is_alone ? found->second.held->bytes() : 0;
}

Held Buffers::take_donated(const Handle& handle) {
  Held taken;
  if (donated_bytes(handle) > 0) taken = std::move(*entries_.at(handle).held);
  entries_.erase(handle);
  return taken;
}

}  // namespace hilo::rpc
