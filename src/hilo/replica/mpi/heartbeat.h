// SPDX-License-Identifier: Apache-2.0
// replica/mpi/heartbeat.h -- heartbeats between processes, with their current operation. MPI itself doesn't report dead
// processes.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "hilo/base/status.h"

namespace hilo {

/// The address of process 0 and the secret that identifies the other processes.
struct HeartbeatAddress {
  uint32_t ipv4 = 0;  ///< address in host byte order
  uint16_t port = 0;
  uint64_t secret = 0;
  bool operator==(const HeartbeatAddress&) const = default;
};

struct HeartbeatTimes {
  std::chrono::milliseconds period{250};
  std::chrono::milliseconds silence{3000};  ///< time without a message after which a process counts as lost
};

/// One process's part of a star of TCP connections with process 0 at its centre. A separate thread sends and receives
/// heartbeats. A process whose connection ends without a farewell has died. A process that is silent too long is
/// stopped or unreachable.
class Heartbeat {
 public:
  /// Starts the heartbeat of process 0, which listens at `ipv4` on any free port.
  /// Errors    UNAVAILABLE if it can't listen there
  static StatusOr<std::unique_ptr<Heartbeat>> listen(int count, uint32_t ipv4, const HeartbeatTimes& times = {});
  /// Starts the heartbeat of any other process.
  /// Errors    UNAVAILABLE if process 0 can't be reached
  static StatusOr<std::unique_ptr<Heartbeat>> connect(int index, int count, const HeartbeatAddress& address,
                                                      const HeartbeatTimes& times = {});
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  /// Returns the address of process 0.
  const HeartbeatAddress& address() const;

  /// Sets the collective that this process waits for.
  void note(std::string_view what);
  /// Returns the operation in a process's last heartbeat: "all-reduce 'sum', its meeting 25".
  std::string last_of(int process) const;
  /// Returns UNAVAILABLE "process 1 has died; ..." for the first process that is lost, or OK.
  Status failure() const;
  bool is_lost() const;
  /// Returns whether the process has announced its end.
  bool has_ended(int process) const;
  /// Announces the end of this process: it joins no further collectives, and its end is not an error. Heartbeats
  /// continue until the destructor.
  void take_leave();

 private:
  class Star;
  explicit Heartbeat(std::unique_ptr<Star> star);
  const std::unique_ptr<Star> star_;
};

/// Returns an address of this machine that other machines can reach: that of the interface HILO_HEARTBEAT_INTERFACE, or
/// else of the first one that isn't loopback.
/// Errors    NOT_FOUND
StatusOr<uint32_t> address_for_other_machines();

}  // namespace hilo
