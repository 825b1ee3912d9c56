// SPDX-License-Identifier: Apache-2.0
// tests/replica/mpi/memory_messages.h -- an in-memory replacement for MPI: threads act as processes.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "hilo/replica/mpi/messages.h"

namespace hilo::tests {

/// The messages in transit between all participants. A small message is copied when it is sent. A large one is read
/// from the sender's memory when it is received.
class Mailboxes {
 public:
  Mailboxes(int64_t participants, int64_t a_process) : participants_(participants), a_process_(a_process) {}

  int64_t participants() const { return participants_; }
  int64_t process_of(int64_t participant) const { return participant / a_process_; }

  MessageId send(int64_t from, int64_t to, DeviceBytes bytes);
  MessageId receive(int64_t from, int64_t to, MutableDeviceBytes room);
  bool is_done(MessageId message);
  void give_up(MessageId message, std::shared_ptr<void> memory);

  /// From now on `process` has ended or crashed.
  void end(int64_t process);
  void die(int64_t process);
  bool has_ended(int64_t process) const;
  Status failure() const;
  /// Unread messages, and sends that were neither cancelled nor completed.
  size_t unread() const;

 private:
  struct Sent {
    std::intptr_t id;
    DeviceBytes bytes;
    std::vector<std::byte> copy;
  };
  struct Posted {
    std::intptr_t id;
    MutableDeviceBytes room;
  };
  struct Channel {
    std::deque<Sent> sent;
    std::deque<Posted> posted;
  };
  void match(Channel& channel);

  const int64_t participants_, a_process_;
  mutable std::mutex mutex_;
  std::map<std::pair<int64_t, int64_t>, Channel> channels_;
  std::set<std::intptr_t> done_, ended_;
  std::vector<std::shared_ptr<void>> kept_;
  std::intptr_t next_ = 1;
  int64_t died_ = -1;
};

/// One process's view of the mailboxes.
class MemoryMessages final : public Messages {
 public:
  explicit MemoryMessages(Mailboxes& boxes) : boxes_(boxes) {}

  int64_t size() const override { return boxes_.participants(); }
  StatusOr<MessageId> send(int64_t from, int64_t to, DeviceBytes bytes) override {
    return boxes_.send(from, to, bytes);
  }
  StatusOr<MessageId> receive(int64_t from, int64_t to, MutableDeviceBytes room) override {
    return boxes_.receive(from, to, room);
  }
  StatusOr<bool> is_done(MessageId message) override { return boxes_.is_done(message); }
  void give_up(MessageId message, std::shared_ptr<void> memory) override { boxes_.give_up(message, std::move(memory)); }
  void note(std::string_view) override {}
  std::string describe(int64_t participant) const override;
  Status failure() const override { return boxes_.failure(); }
  void end(bool) override {}
  bool has_ended(int64_t participant) const override { return boxes_.has_ended(boxes_.process_of(participant)); }

 private:
  Mailboxes& boxes_;
};

}  // namespace hilo::tests
