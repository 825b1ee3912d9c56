// SPDX-License-Identifier: Apache-2.0
// rpc/grpc/batches.h -- collects messages for a stream: messages that arrive during a write are sent together by the
// next write.
#pragma once

#include <grpcpp/support/byte_buffer.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "hilo/base/status.h"
#include "hilo/rpc/pieces.h"

namespace hilo::rpc {

/// Maximum bytes of a batch, except for a single longer message.
inline constexpr size_t kBatchBytes = size_t{1} << 20;

class Batches {
 public:
  /// Adds a message. Long parts aren't copied; their owner keeps them alive until they are sent. Precondition: the
  /// message has an owner.
  void add(const Pieces& message);
  bool empty() const { return batches_.empty(); }
  size_t bytes() const { return bytes_; }
  /// Removes the next batch. Precondition: there is one.
  grpc::ByteBuffer take();

 private:
  struct Batch {
    std::vector<grpc::Slice> slices = {};
    std::string last = {};  // short messages and headers of long ones, after the slices
    size_t bytes = 0;
    void cut();
  };
  std::deque<Batch> batches_;
  size_t bytes_ = 0;
};

/// Returns the bytes of a gRPC message without a copy.
Pieces pieces_of(const grpc::ByteBuffer& buffer);

/// Converts a status; the codes have equal numbers.
grpc::Status to_grpc(const Status& status);
Status from_grpc(const grpc::Status& status);

}  // namespace hilo::rpc
