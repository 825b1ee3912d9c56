// SPDX-License-Identifier: Apache-2.0
// replica/thread_communicator.h -- replicas that are threads of one process meet in shared memory.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "hilo/device/communicator.h"

namespace hilo {

/// Communicators of `size` replicas, one a thread. Who waits sleeps. A wait that can't end is an error, not a hang: a
/// member failed or has ended, or all who are left wait for each other. Who waits for others to come wakes up now and
/// then to look at `cancellation` (may be null), and then fails all meetings as CANCELLED or, if the time is over, as
/// DEADLINE_EXCEEDED naming those who haven't come.
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
  /// Replicas that wait for others to arrive, and how often such have woken up to look whether they are cancelled.
  int64_t waiting() const;
  int64_t wake_ups() const;

 private:
  class Replica;
  struct Visit;
  struct Room;
  struct Group;

  StatusOr<Group*> group_of(const Meeting& meeting, int64_t replica, size_t& place);
  StatusOr<Room*> enter(const Meeting& meeting, int64_t replica, const Visit& visit, size_t& place);
  Status arrive(std::unique_lock<std::mutex>& lock, Room& room, int64_t replica);
  void wait_for_others(std::unique_lock<std::mutex>& lock, Room& room, int64_t replica);
  void pass(Room& room);
  Status leave(Room& room);
  Status why_stopped(const Room& room, int64_t replica) const;
  Status check_visit(const Group& group, const Room& room, size_t place, const Visit& visit) const;
  void check_progress();
  Status fail(int64_t replica, const Status& reason);

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Replica>> replicas_;
  std::vector<bool> ended_;
  std::map<std::vector<int64_t>, std::unique_ptr<Group>> groups_;
  const CancellationToken* cancellation_;
  int64_t waiting_ = 0;  // replicas that wait for others to arrive
  int64_t wake_ups_ = 0;
  Status failure_;
};

/// The factory of such groups, for clients.
std::unique_ptr<CommunicatorGroup> thread_communicators(const RunMembers& members);

}  // namespace hilo
