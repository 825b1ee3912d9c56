// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/grpc/batches.h"

#include <vector>

#include "hilo/rpc/proto/codec.h"

namespace hilo::rpc {

void Batches::add(std::string_view message) {
  if (batches_.empty() || batches_.back().size() + message.size() > kBatchBytes) batches_.emplace_back();
  bytes_ += message.size();
  append_to_batch(batches_.back(), message);
}

grpc::ByteBuffer Batches::take() {
  auto* const batch = new std::string(std::move(batches_.front()));
  batches_.pop_front();
  if (batches_.empty()) bytes_ = 0;
  else bytes_ -= std::min(bytes_, batch->size());
  const grpc::Slice slice(
      batch->data(), batch->size(), [](void* owned) { delete static_cast<std::string*>(owned); }, batch);
  return grpc::ByteBuffer(&slice, 1);
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
