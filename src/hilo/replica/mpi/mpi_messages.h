// SPDX-License-Identifier: Apache-2.0
// replica/mpi/mpi_messages.h -- messages between the participants of a run by MPI.
#pragma once

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "hilo/replica/mpi/heartbeat.h"
#include "hilo/replica/mpi/messages.h"
#include "hilo/replica/mpi/mpi_library.h"

namespace hilo {

/// The state of one process: its MPI library and what it knows of the other processes.
struct MpiWorld {
  const MpiLibrary* mpi = nullptr;
  MpiHandle communicator = 0;
  int index = 0, count = 1;
  int64_t devices = 1;  ///< number of devices in each process
  std::unique_ptr<Heartbeat> heartbeat;
  std::atomic<bool> has_failed = false;  ///< whether the last run has failed
  std::mutex mutex;                      ///< held during every call of MPI
  /// Abandoned messages and their memory.
  std::vector<std::pair<MpiHandle, std::shared_ptr<void>>> given_up;
};

/// Maximum number of devices in a process, limited by the tags of their participants.
inline constexpr int64_t kMaxDevicesPerProcess = 32;

/// Transfers messages by MPI. Participant p runs on device p % world.devices of process p / world.devices.
class MpiMessages final : public Messages {
 public:
  /// Creates the transport of run number `run` with `size` participants.
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
