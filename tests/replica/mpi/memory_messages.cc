// SPDX-License-Identifier: Apache-2.0
#include "tests/replica/mpi/memory_messages.h"

#include <algorithm>
#include <cstring>

namespace hilo::tests {
namespace {

constexpr size_t kSmall = 4096;

}  // namespace

void Mailboxes::match(Channel& channel) {
  for (; !channel.sent.empty() && !channel.posted.empty(); channel.sent.pop_front(), channel.posted.pop_front()) {
    const Sent& sent = channel.sent.front();
    const Posted& posted = channel.posted.front();
    const DeviceBytes bytes = sent.copy.empty() ? sent.bytes : DeviceBytes(sent.copy);
    if (!bytes.empty()) std::memcpy(posted.room.data(), bytes.data(), std::min(bytes.size(), posted.room.size()));
    if (bytes.size() > kSmall) done_.insert(sent.id);
    done_.insert(posted.id);
  }
}

MessageId Mailboxes::send(int64_t from, int64_t to, DeviceBytes bytes) {
  const std::scoped_lock lock(mutex_);
  Sent sent{.id = next_++, .bytes = bytes, .copy = {}};
  if (bytes.size() <= kSmall) {
    sent.copy.assign(bytes.begin(), bytes.end());
    done_.insert(sent.id);
  }
  const MessageId id{.handle = sent.id};
  Channel& channel = channels_[{from, to}];
  channel.sent.push_back(std::move(sent));
  match(channel);
  return id;
}

MessageId Mailboxes::receive(int64_t from, int64_t to, MutableDeviceBytes room) {
  const std::scoped_lock lock(mutex_);
  const MessageId id{.handle = next_++, .comes_here = true};
  Channel& channel = channels_[{from, to}];
  channel.posted.push_back({id.handle, room});
  match(channel);
  return id;
}

bool Mailboxes::is_done(MessageId message) {
  const std::scoped_lock lock(mutex_);
  return done_.erase(message.handle) > 0;
}

void Mailboxes::give_up(MessageId message, std::shared_ptr<void> memory) {
  const std::scoped_lock lock(mutex_);
  kept_.push_back(std::move(memory));
  done_.erase(message.handle);
  if (!message.comes_here) return;
  for (auto& [ends, channel] : channels_)
    std::erase_if(channel.posted, [&](const Posted& posted) { return posted.id == message.handle; });
}

void Mailboxes::end(int64_t process) {
  const std::scoped_lock lock(mutex_);
  ended_.insert(process);
}

void Mailboxes::die(int64_t process) {
  const std::scoped_lock lock(mutex_);
  died_ = process;
}

bool Mailboxes::has_ended(int64_t process) const {
  const std::scoped_lock lock(mutex_);
  return ended_.contains(process);
}

Status Mailboxes::failure() const {
  const std::scoped_lock lock(mutex_);
  return died_ < 0 ? ok_status() : unavailable("process " + std::to_string(died_) + " has died");
}

size_t Mailboxes::unread() const {
  const std::scoped_lock lock(mutex_);
  size_t count = done_.size();
  for (const auto& [ends, channel] : channels_) count += channel.sent.size() + channel.posted.size();
  return count;
}

std::string MemoryMessages::describe(int64_t participant) const {
  return "replica " + std::to_string(participant) + " (process " + std::to_string(boxes_.process_of(participant)) + ")";
}

}  // namespace hilo::tests
