// SPDX-License-Identifier: Apache-2.0
// replica/mpi/mpi_messages.h -- messages between the participants of a run, by MPI.
#pragma once

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "hilo/replica/mpi/heartbeat.h"
#include "hilo/replica/mpi/messages.h"
#include "hilo/replica/mpi/mpi_library.h"

namespace hilo {

/// The world of one process: its MPI, and what it knows of the others.
struct MpiWorld {
  const MpiLibrary* mpi = nullptr;
  MpiHandle communicator = 0;
  int index = 0, count = 1;
  int64_t devices = 1;  ///< of each process
  std::unique_ptr<Heartbeat> heartbeat;
  std::atomic<bool> has_failed = false;  ///< the last run has
  std::mutex mutex;                      ///< held during every call of MPI
  /// Messages that nobody waits for any more, and their memory.
  std::vector<std::pair<MpiHandle, std::shared_ptr<void>>> given_up;
};

/// Most devices of a process whose participants have tags of their own.
inline constexpr int64_t kMostDevicesAProcess = 32;

/// Participant p runs on device p % world.devices of process p / world.devices.
class MpiMessages final : public Messages {
 public:
  /// Of run number `run`, which has `size` participants.
  MpiMessages(MpiWorld& world, uint64_t run, int64_t size);

  int64_t size() const override { return size_; }
  StatusOr<MessageId> send(int64_t from, int64_t to, DeviceBytes bytes) override;
  StatusOr<MessageId> receive(int64_t from, int64_t to, MutableDeviceBytes room) override;
  StatusOr<bool> is_done(MessageId message) override;
  void give_up(MessageId message, std::shared_ptr<void> memory) override;
  void note(std::string_view what) override;
  std::string describe(int64_t participant) const override;
  Status failure() const override;
  bool has_ended(int64_t participant) const override;
  void end(bool failed) override { world_.has_failed.store(failed, std::memory_order_relaxed); }

 private:
  int process_of(int64_t participant) const { return static_cast<int>(participant / world_.devices); }
  int tag(int64_t from, int64_t to) const;

  MpiWorld& world_;
  const uint64_t run_;
  const int64_t size_;
};

}  // namespace hilo
