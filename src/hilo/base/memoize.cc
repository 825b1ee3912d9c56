// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/memoize.h"

#include <algorithm>
#include <vector>

#include "hilo/base/flags.h"

namespace hilo {
namespace memoize_detail {
namespace {

struct Registry {
  std::mutex mutex;
  std::vector<Clearable*> all;
};

// Never destroyed: tables with static storage take themselves out while the process ends.
Registry& registry() {
  static auto* const instance = new Registry;
  return *instance;
}

}  // namespace

Clearable::Clearable() {
  std::lock_guard lock(registry().mutex);
  registry().all.push_back(this);
}

Clearable::~Clearable() {
  std::lock_guard lock(registry().mutex);
  std::erase(registry().all, this);
}

bool x64_of_key() {
  const StatusOr<bool> x64 = x64_enabled();
  return x64.ok() && *x64;
}

}  // namespace memoize_detail

void clear_caches() {
  using memoize_detail::registry;
  std::lock_guard lock(registry().mutex);
  for (memoize_detail::Clearable* table : registry().all) table->clear();
}

}  // namespace hilo
