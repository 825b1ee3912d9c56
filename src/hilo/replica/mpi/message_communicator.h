// SPDX-License-Identifier: Apache-2.0
// replica/mpi/message_communicator.h -- participants meet by messages, whoever carries them. Reductions are folded in
// the group's order, so that their bits are those that threads of one process get.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "hilo/device/communicator.h"
#include "hilo/replica/mpi/messages.h"

namespace hilo {

/// The run that participants of several processes have come to. They count their runs; those of one number meet.
struct SharedRun {
  uint64_t number = 0;
  uint64_t program = 0;  ///< a hash that is the same for all who run the same program
};

/// The participants `first`, `first + 1`, ... of a run, `local` of them. Who waits looks at `cancellation` (may be
/// null) until all members of the meeting have come; what they then exchange is finished.
/// Cost    a reduction of n bytes by p members sends 2 n (p - 1) / p bytes from each; n (p - 1) if it is small
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
  /// All meetings fail from now on, for the first reason that is given; returns what this one is told, and the others.
  Status fail(int64_t rank, const Status& reason);
  Status fail_as(const Status& failure);

  const std::unique_ptr<Messages> messages_;
  const SharedRun run_;
  const int64_t first_;
  const CancellationToken* const cancellation_;
  std::vector<std::unique_ptr<Participant>> participants_;
  mutable std::mutex mutex_;  // of failure_
  Status failure_;
  std::atomic<bool> has_failed_ = false;
};

}  // namespace hilo
