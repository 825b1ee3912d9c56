// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/grpc/batches.h"

#include <string_view>
#include <utility>

#include "hilo/rpc/proto/codec.h"

namespace hilo::rpc {

namespace {

constexpr size_t kLong = 16 << 10;

using Owner = std::shared_ptr<const void>;

/// Returns a slice that shares ownership of the bytes.
grpc::Slice slice_of(std::string_view bytes, const Owner& owner) {
  auto* const held = new Owner(owner);
  return {const_cast<char*>(bytes.data()), bytes.size(), [](void* one) { delete static_cast<Owner*>(one); }, held};
}

}  // namespace

/// Ends the current slice, so that the next bytes begin a new one.
void Batches::Batch::cut() {
  if (last.empty()) return;
  const auto kept = std::make_shared<const std::string>(std::exchange(last, {}));
  slices.push_back(slice_of(*kept, kept));
}

void Batches::add(const Pieces& message) {
  const size_t size = message.size();
  if (batches_.empty() || batches_.back().bytes + size > kBatchBytes) batches_.emplace_back();
  Batch& batch = batches_.back();
  batch.bytes += size;
  bytes_ += size;
  append_head_to_batch(batch.last, size);
  for (const std::string_view part : message.parts) {
    if (part.size() < kLong) {
      batch.last += part;
    } else {
      batch.cut();
      batch.slices.push_back(slice_of(part, message.owner));
    }
  }
}

grpc::ByteBuffer Batches::take() {
  Batch batch = std::move(batches_.front());
  batches_.pop_front();
  bytes_ -= batch.bytes;
  batch.cut();
  return {batch.slices.data(), batch.slices.size()};
}

Pieces pieces_of(const grpc::ByteBuffer& buffer) {
  const auto slices = std::make_shared<std::vector<grpc::Slice>>();
  std::vector<std::string_view> parts;
  if (!buffer.Dump(slices.get()).ok()) return {};
  for (const grpc::Slice& slice : *slices)
    parts.emplace_back(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return {std::move(parts), slices};
}

grpc::Status to_grpc(const Status& status) {
  return {static_cast<grpc::StatusCode>(status.code()), std::string(status.message())};
}

Status from_grpc(const grpc::Status& status) {
  if (status.ok()) return ok_status();
  return {static_cast<StatusCode>(status.error_code()), status.error_message()};
}

}  // namespace hilo::rpc
