// SPDX-License-Identifier: Apache-2.0
// replica/thread_communicator.h -- collectives between replicas that are threads of one process, in shared memory.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "hilo/device/communicator.h"

namespace hilo {

/// Communicators of `size` replicas, one per thread. Waiting threads sleep. A wait that can't end fails: when a member
/// has failed or ended, or when all remaining members wait for each other. Waiting threads poll `cancellation` (may be
/// null). If it is set, all collectives fail with CANCELLED, or with DEADLINE_EXCEEDED that names the missing members.
class ThreadCommunicators final : public CommunicatorGroup {
 public:
  explicit ThreadCommunicators(int64_t size, const CancellationToken* cancellation = nullptr);
  ~ThreadCommunicators() override;
  ThreadCommunicators(const ThreadCommunicators&) = delete;
  ThreadCommunicators& operator=(const ThreadCommunicators&) = delete;

  int64_t size() const { return std::ssize(replicas_); }
  Communicator& of(int64_t replica) override;
  void end(int64_t replica) override;
  Status failure() const override;
  /// Return the number of replicas that wait for others, and how often waiting threads have polled for cancellation.
  int64_t waiting() const;
  int64_t wake_ups() const;

 private:
  class Replica;
  struct Call;
  struct Rendezvous;
  struct Group;

  StatusOr<Group*> group_of(const Meeting& meeting, int64_t replica, size_t& place);
  StatusOr<Rendezvous*> enter(const Meeting& meeting, int64_t replica, const Call& call, size_t& place);
  Status arrive(std::unique_lock<std::mutex>& lock, Rendezvous& rendezvous, int64_t replica);
  void wait_for_others(std::unique_lock<std::mutex>& lock, Rendezvous& rendezvous, int64_t replica);
  void pass(Rendezvous& rendezvous);
  Status leave(Rendezvous& rendezvous);
  Status why_stopped(const Rendezvous& rendezvous, int64_t replica) const;
  Status check_call(const Group& group, const Rendezvous& rendezvous, size_t place, const Call& call) const;
  void check_progress();
  Status fail(int64_t replica, const Status& reason);

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Replica>> replicas_;
  std::vector<bool> ended_;
  std::map<std::vector<int64_t>, std::unique_ptr<Group>> groups_;
  const CancellationToken* cancellation_;
  int64_t waiting_ = 0;  // number of replicas that wait for others to arrive
  int64_t wake_ups_ = 0;
  Status failure_;
};

/// Creates such a group; the factory for clients.
std::unique_ptr<CommunicatorGroup> thread_communicators(const RunMembers& members);

}  // namespace hilo
