// SPDX-License-Identifier: Apache-2.0
// replica/mpi/messages.h -- the interface of message transport between participants of a run, which may be in different
// processes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "hilo/device/communicator.h"

namespace hilo {

/// Identifies a message in flight. Its contents are private to the transport.
struct MessageId {
  std::intptr_t handle = 0;
  bool comes_here = false;
};

/// Transfers messages between the participants of one run. Messages between two participants arrive in the order in
/// which they were sent. Calls don't block. Each participant is used by one thread. A message has at most 1 GiB.
class Messages {
 public:
  virtual ~Messages() = default;

  /// Returns the number of participants in all processes.
  virtual int64_t size() const = 0;
  /// Starts to send, or to receive up to that many bytes. The memory must stay valid and unchanged until the transfer
  /// is complete.
  virtual StatusOr<MessageId> send(int64_t from, int64_t to, DeviceBytes bytes) = 0;
  virtual StatusOr<MessageId> receive(int64_t from, int64_t to, MutableDeviceBytes room) = 0;
  /// Returns whether the transfer is complete. After true the id is invalid and the memory may be reused.
  virtual StatusOr<bool> is_done(MessageId message) = 0;
  /// Abandons a message. `memory` is owned until the transport no longer needs it.
  virtual void give_up(MessageId message, std::shared_ptr<void> memory) = 0;

  /// Sets the current operation of this process, for error messages in other processes.
  virtual void note(std::string_view what) = 0;
  /// Describes a participant for messages: "replica 3 (process 1, which was last at all-reduce 'sum')".
  virtual std::string describe(int64_t participant) const = 0;
  /// Returns the error that ends all waits, UNAVAILABLE "process 1 has died ...", or OK. After an error nothing is sent
  /// or received.
  virtual Status failure() const = 0;
  /// Ends the run. After a failed run, messages of other participants may still arrive or never come.
  virtual void end(bool failed) = 0;
  /// Returns whether the participant's process has ended in order. Messages that haven't arrived from it are unlikely
  /// to arrive.
  virtual bool has_ended(int64_t participant) const = 0;
};

}  // namespace hilo
