// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/grpc/batches.h"

#include <string_view>
#include <utility>

#include "hilo/rpc/proto/codec.h"

namespace hilo::rpc {

namespace {

constexpr size_t kLong = 16 << 10;

/// The string's bytes, which live as long as somebody has them.
grpc::Slice slice_of(const std::shared_ptr<const std::string>& owned) {
  auto* const held = new std::shared_ptr<const std::string>(owned);
  return {const_cast<char*>(owned->data()), owned->size(),
          [](void* one) { delete static_cast<std::shared_ptr<const std::string>*>(one); }, held};
}

}  // namespace

/// What comes next gets a slice of its own.
void Batches::Batch::cut() {
  if (!last.empty()) slices.push_back(slice_of(std::make_shared<const std::string>(std::exchange(last, {}))));
}

void Batches::add(const std::shared_ptr<const std::string>& message) {
  if (batches_.empty() || batches_.back().bytes + message->size() > kBatchBytes) batches_.emplace_back();
  Batch& batch = batches_.back();
  batch.bytes += message->size();
  bytes_ += message->size();
  append_head_to_batch(batch.last, message->size());
  if (message->size() < kLong) {
    batch.last += *message;
  } else {
    batch.cut();
    batch.slices.push_back(slice_of(message));
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
  if (!buffer.Dump(slices.get()).ok()) return Pieces(parts, nullptr);
  for (const grpc::Slice& slice : *slices)
    parts.emplace_back(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return Pieces(std::move(parts), slices);
}

std::string bytes_of(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (!buffer.Dump(&slices).ok()) return bytes;
  bytes.reserve(buffer.Length());
  for (const grpc::Slice& slice : slices) bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return bytes;
}

grpc::Status to_grpc(const Status& status) {
  return {static_cast<grpc::StatusCode>(status.code()), std::string(status.message())};
}

Status from_grpc(const grpc::Status& status) {
  if (status.ok()) return ok_status();
  return {static_cast<StatusCode>(status.error_code()), status.error_message()};
}

}  // namespace hilo::rpc
