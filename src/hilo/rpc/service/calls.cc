// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/service/calls.h"

#include <fmt/format.h>

#include <algorithm>

namespace hilo::rpc {

void Calls::forget_before(int64_t acked) {
  acked_ = std::max(acked_, acked);
  // Running calls stay, even if the client claims to have their replies.
  for (auto i = entries_.begin(); i != entries_.end() && i->first < acked_;)
    i = i->second.has_ended ? entries_.erase(i) : std::next(i);
}

CallPtr Calls::begin(int64_t id, int64_t acked, Sink sink) {
  Reply refused{.id = id};
  {
    const std::scoped_lock lock(mutex_);
    forget_before(acked);
    const auto found = entries_.find(id);
    if (found != entries_.end()) {
      found->second.sink = sink;
      if (!found->second.has_ended) return nullptr;
      refused = found->second.reply;
    } else if (id < 1 || id < acked_) {
      refused.status =
          invalid_argument(fmt::format("call {}: its reply was acknowledged, or the call doesn't exist", id));
    } else if (std::ssize(entries_) >= most_) {
      refused.status = resource_exhausted(fmt::format("quota: {} calls in flight of {}", entries_.size(), most_));
    } else {
      ++running_;
      auto call = std::make_shared<const Call>(Call{.id = id});
      entries_.emplace(id, Entry{call, std::move(sink)});
      return call;
    }
  }
  sink(refused);
  return nullptr;
}

void Calls::end(const Call& call, Reply reply, Held held) {
  reply.id = call.id;
  Sink sink;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = entries_.find(call.id);
    // A call that was stuck has already been ended.
    if (found == entries_.end() || found->second.has_ended || found->second.call.get() != &call) return;
    sink = std::move(found->second.sink);
    found->second.has_ended = true;
    found->second.held = std::move(held);
    // Parts of arrays aren't stored, because they can be read again.
    if (std::holds_alternative<BytesReply>(reply.body)) entries_.erase(found);
    else found->second.reply = reply;
  }
  sink(reply);
  const std::scoped_lock lock(mutex_);  // the waiting thread may end the process right afterwards
  --running_;
  ended_.notify_all();
}

std::shared_ptr<CancellationToken> Calls::token_of(int64_t id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(id);
  return found == entries_.end() || found->second.has_ended ? nullptr : found->second.call->token;
}

void Calls::wait() {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return running_ == 0; });
}

int64_t Calls::running() const {
  const std::scoped_lock lock(mutex_);
  return running_;
}

int64_t Calls::kept() const {
  const std::scoped_lock lock(mutex_);
  return std::ranges::count_if(entries_, [](const auto& entry) { return entry.second.has_ended; });
}

}  // namespace hilo::rpc
