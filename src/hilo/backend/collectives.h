// SPDX-License-Identifier: Apache-2.0
// backend/collectives.h -- how a running replica meets the others. Threads of one process implement it (replica/); so can
// a library that passes messages, for no pointer goes from one replica to another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "hilo/base/function_ref.h"
#include "hilo/base/status.h"

namespace hilo {

/// One meeting of a group: the k-th call of one member with this group meets the k-th call of every other.
struct Meeting {
  std::string_view what;           ///< "all-reduce 'sum'", the same for all members: for checks and messages
  std::span<const int64_t> group;  ///< replicas in order, without repetition; the caller is one of them
};

/// accumulator[i] = accumulator[i] op more[i], over so many bytes of whole elements.
using Combine = FunctionRef<Status(std::byte* accumulator, const std::byte* more, int64_t bytes)>;

/// What one replica sees of all. Results don't depend on how the replicas run: reductions are left folds in the group's
/// order, ((x0 + x1) + x2) + ... Inputs and outputs don't overlap; a group of one is allowed. A call blocks until all
/// members have come.
/// Errors    of every operation: INVALID_ARGUMENT if members call different operations or with other sizes; ABORTED
///           "replica 2 failed: ..." once abort() was called by anyone, or if a member has ended, or all wait for each other
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int64_t rank() const = 0;
  virtual int64_t size() const = 0;

  /// out = the fold of all members' in. `element_bytes`: what can't be cut.
  virtual Status all_reduce(const Meeting& meeting, std::span<const std::byte> in, std::span<std::byte> out,
                            int64_t element_bytes, Combine combine) = 0;
  /// in: one block of out's size a member; out = the fold of all members' blocks at the caller's place.
  virtual Status reduce_scatter(const Meeting& meeting, std::span<const std::byte> in, std::span<std::byte> out,
                                Combine combine) = 0;
  /// out = all members' in, one after the other.
  virtual Status all_gather(const Meeting& meeting, std::span<const std::byte> in, std::span<std::byte> out) = 0;
  /// in: one block a member; out: the block that each member has for the caller.
  virtual Status all_to_all(const Meeting& meeting, std::span<const std::byte> in, std::span<std::byte> out) = 0;
  /// out = the in of replica `source`; zeros if that is -1. `target`, who has the caller as source, may be -1 too.
  virtual Status permute(const Meeting& meeting, int64_t source, int64_t target, std::span<const std::byte> in,
                         std::span<std::byte> out) = 0;
  /// out = the in of the group's first member.
  virtual Status broadcast(const Meeting& meeting, std::span<const std::byte> in, std::span<std::byte> out) = 0;

  /// Fails all meetings of all replicas, those that wait included. The first reason stays.
  virtual void abort(const Status& reason) = 0;
};

}  // namespace hilo
