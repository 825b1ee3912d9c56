// SPDX-License-Identifier: Apache-2.0
// replica/mpi/messages.h -- how bytes get from one participant of a run to another, who may be in another process.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "hilo/device/communicator.h"

namespace hilo {

/// A message on its way. What it means, who carries it knows.
struct MessageId {
  std::intptr_t handle = 0;
  bool comes_here = false;
};

/// Carries messages between the participants of one run. From one participant to another they come in the order in
/// which they were sent. Each call returns at once, and each participant is one thread. A
/// message has 1 GiB at most.
class Messages {
 public:
  virtual ~Messages() = default;

  /// Participants in all, of all processes.
  virtual int64_t size() const = 0;
  /// Begins to send, or to receive up to so many bytes. The memory stays what it is until the message has arrived.
  virtual StatusOr<MessageId> send(int64_t from, int64_t to, DeviceBytes bytes) = 0;
  virtual StatusOr<MessageId> receive(int64_t from, int64_t to, MutableDeviceBytes room) = 0;
  /// Whether the message has arrived, or has left; then its memory is free, and the id means nothing any more.
  virtual StatusOr<bool> is_done(MessageId message) = 0;
  /// Nobody waits for the message any more. Its memory may be needed still: `memory` is held until it isn't.
  virtual void give_up(MessageId message, std::shared_ptr<void> memory) = 0;

  /// Says what this process now does with others, for those who will ask what it did last.
  virtual void note(std::string_view what) = 0;
  /// A participant as messages name it: "replica 3 (process 1, which was last at all-reduce 'sum')".
  virtual std::string describe(int64_t participant) const = 0;
  /// Why waiting is in vain: UNAVAILABLE "process 1 has died ...". After that nothing is sent or received any more.
  virtual Status failure() const = 0;
  /// The run is over. After one that failed nobody knows who will still come.
  virtual void end(bool failed) = 0;
  /// Whether the participant's process has ended in order: what hasn't come from it will hardly come.
  virtual bool has_ended(int64_t participant) const = 0;
};

}  // namespace hilo
