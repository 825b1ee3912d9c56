// SPDX-License-Identifier: Apache-2.0
// replica/mpi/heartbeat.h -- processes tell each other that they live, and what they do: MPI tells nobody that one has
// died.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "hilo/base/status.h"

namespace hilo {

/// Where process 0 hears the others: what they need to find it, and to be believed.
struct HeartbeatAddress {
  uint32_t ipv4 = 0;  ///< in the order of this machine's bytes
  uint16_t port = 0;
  uint64_t secret = 0;
  bool operator==(const HeartbeatAddress&) const = default;
};

struct HeartbeatTimes {
  std::chrono::milliseconds period{250};
  std::chrono::milliseconds silence{3000};  ///< after which a process counts as lost
};

/// One process's part in a star of TCP connections whose centre is process 0; a thread of its own sends and hears.
/// Whose connection ends without a farewell has died; who is silent too long is stopped, or can't be reached.
class Heartbeat {
 public:
  /// Process 0's: waits for the others at `ipv4` and any free port.
  /// Errors    UNAVAILABLE if nobody can listen there
  static StatusOr<std::unique_ptr<Heartbeat>> listen(int count, uint32_t ipv4, const HeartbeatTimes& times = {});
  /// Any other's.
  /// Errors    UNAVAILABLE if process 0 isn't there
  static StatusOr<std::unique_ptr<Heartbeat>> connect(int index, int count, const HeartbeatAddress& address,
                                                      const HeartbeatTimes& times = {});
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  /// Of process 0's.
  const HeartbeatAddress& address() const;

  /// What this process now waits for with others.
  void note(std::string_view what);
  /// What a process said at its last beat: "all-reduce 'sum', its meeting 25".
  std::string last_of(int process) const;
  /// UNAVAILABLE "process 1 has died; ..." once one is lost, whichever was first.
  Status failure() const;
  bool is_lost() const;
  /// Whether the process has taken its leave.
  bool has_ended(int process) const;
  /// Takes leave: this process comes to no more meetings, and its end is no fault. Beats go on until the destructor.
  void take_leave();

 private:
  class Star;
  explicit Heartbeat(std::unique_ptr<Star> star);
  const std::unique_ptr<Star> star_;
};

/// The address of this machine that other machines reach: that of the interface HILO_HEARTBEAT_INTERFACE, or of the
/// first that isn't loopback.
/// Errors    NOT_FOUND
StatusOr<uint32_t> address_for_other_machines();

}  // namespace hilo
