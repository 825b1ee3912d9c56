// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/service/account.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "hilo/base/text.h"

namespace hilo::rpc {

Held::~Held() {
  if (account_ != nullptr) account_->held_.fetch_sub(bytes_, std::memory_order_relaxed);
}

Held Held::split(int64_t bytes) {
  bytes = std::clamp<int64_t>(bytes, 0, bytes_);
  bytes_ -= bytes;
  return {account_, bytes};
}

void Held::join(Held other) {
  if (account_ == nullptr) account_ = other.account_;
  bytes_ += std::exchange(other.bytes_, 0);
}

std::shared_ptr<Account> Account::make(int64_t limit) {
  return std::shared_ptr<Account>(new Account(limit > 0 ? limit : std::numeric_limits<int64_t>::max()));
}

StatusOr<Held> Account::hold(int64_t bytes) {
  for (int64_t now = held();;) {
    if (bytes > limit_ - now) {
      const auto text = [](int64_t count) { return bytes_text(static_cast<uint64_t>(count)); };
      return resource_exhausted(
          fmt::format("quota: {} live of {}; {} more requested", text(now), text(limit_), text(bytes)));
    }
    if (held_.compare_exchange_weak(now, now + bytes, std::memory_order_relaxed))
      return Held(shared_from_this(), bytes);
  }
}

}  // namespace hilo::rpc
