// SPDX-License-Identifier: Apache-2.0
// rpc/grpc/batches.h -- messages that wait for their stream: all that have come while one write was on its way go with
// the next.
#pragma once

#include <grpcpp/support/byte_buffer.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "hilo/base/status.h"
#include "hilo/rpc/pieces.h"

namespace hilo::rpc {

/// The most bytes that stand in one batch, but for a single message that is longer.
inline constexpr size_t kBatchBytes = size_t{1} << 20;

class Batches {
 public:
  /// Long pieces aren't copied: their owner keeps them until they are sent. Precondition: the message has one.
  void add(const Pieces& message);
  bool empty() const { return batches_.empty(); }
  size_t bytes() const { return bytes_; }
  /// Precondition: there is one.
  grpc::ByteBuffer take();

 private:
  struct Batch {
    std::vector<grpc::Slice> slices = {};
    std::string last = {};  // short messages and the heads of long ones, after the slices
    size_t bytes = 0;
    void cut();
  };
  std::deque<Batch> batches_;
  size_t bytes_ = 0;
};

/// The bytes of a message of gRPC, where they are.
Pieces pieces_of(const grpc::ByteBuffer& buffer);

/// Codes are the same numbers.
grpc::Status to_grpc(const Status& status);
Status from_grpc(const grpc::Status& status);

}  // namespace hilo::rpc
