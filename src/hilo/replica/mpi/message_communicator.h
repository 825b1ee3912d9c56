// SPDX-License-Identifier: Apache-2.0
// replica/mpi/message_communicator.h -- collectives by messages, independent of the transport. Reductions are folded in
// the group's order, so their bits equal those of threads in one process.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "hilo/device/communicator.h"
#include "hilo/replica/mpi/messages.h"

namespace hilo {

/// A run over several processes. Each process numbers its runs; runs with equal numbers belong together.
struct SharedRun {
  uint64_t number = 0;
  uint64_t program = 0;  ///< hash of the program, equal in all processes of the run
};

/// The participants `first`, `first + 1`, ... of a run; `local` is their number. Waiting participants poll
/// `cancellation` (may be null) until all members have started the collective; the transfers after that are always
/// completed.
/// Cost      a reduction of n bytes by p members sends 2 n (p - 1) / p bytes from each member; n (p - 1) if it is small
class MessageCommunicators final : public CommunicatorGroup {
 public:
  MessageCommunicators(std::unique_ptr<Messages> messages, const SharedRun& run, int64_t first, int64_t local,
                       const CancellationToken* cancellation);
  ~MessageCommunicators() override;
  MessageCommunicators(const MessageCommunicators&) = delete;
  MessageCommunicators& operator=(const MessageCommunicators&) = delete;

  Communicator& of(int64_t participant) override;
  void end(int64_t participant) override;
  Status failure() const override;

 private:
  class Participant;
  bool is_local(int64_t rank) const;
  bool has_failed() const { return has_failed_.load(std::memory_order_acquire); }
  /// Fails all collectives from this call on; the first reason is stored. Returns the error for this and the other
  /// participants.
  Status fail(int64_t rank, const Status& reason);
  Status fail_as(const Status& failure);

  const std::unique_ptr<Messages> messages_;
  const SharedRun run_;
  const int64_t first_;
  const CancellationToken* const cancellation_;
  std::vector<std::unique_ptr<Participant>> participants_;
  mutable std::mutex mutex_;  // guards failure_
  Status failure_;
  std::atomic<bool> has_failed_ = false;
};

}  // namespace hilo
