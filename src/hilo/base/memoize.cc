// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/memoize.h"

#include <atomic>
#include <memory>

#include "hilo/base/flags.h"

namespace hilo {
namespace memoize_detail {

/// All caches. The destruction of an entry can destroy another cache. So the lock is recursive, and clear_all()
/// iterates by a pointer that remove() updates.
struct Registry {
  std::recursive_mutex mutex;
  Clearable* first = nullptr;
  Clearable* to_clear = nullptr;
  std::atomic<int64_t> kept_bytes{0};
  std::atomic<uint64_t> uses{0};

  void add(Clearable* cache);
  void remove(Clearable* cache);
  void clear_all();
  Clearable* with_oldest_entry() const;
};

void Registry::add(Clearable* cache) {
  std::lock_guard lock(mutex);
  cache->next_ = first;
  if (first != nullptr) first->previous_ = cache;
  first = cache;
}

void Registry::remove(Clearable* cache) {
  std::lock_guard lock(mutex);
  (cache->previous_ != nullptr ? cache->previous_->next_ : first) = cache->next_;
  if (cache->next_ != nullptr) cache->next_->previous_ = cache->previous_;
  if (to_clear == cache) to_clear = cache->next_;
}

void Registry::clear_all() {
  std::lock_guard lock(mutex);
  for (to_clear = first; to_clear != nullptr;) {
    Clearable* cache = to_clear;
    to_clear = cache->next_;
    cache->clear();
  }
}

Clearable* Registry::with_oldest_entry() const {
  Clearable* found = nullptr;
  uint64_t oldest = 0;
  for (Clearable* cache = first; cache != nullptr; cache = cache->next_) {
    const std::optional<uint64_t> use = cache->oldest_use();
    if (!use || (found != nullptr && *use >= oldest)) continue;
    found = cache;
    oldest = *use;
  }
  return found;
}

namespace {

// Never destroyed: static caches deregister while the process ends.
Registry& registry() {
  static auto* const instance = new Registry;
  return *instance;
}

/// Returns no limit if a flag is invalid, because then every call fails.
int64_t limit_now() {
  const StatusOr<std::shared_ptr<const FlagValues>> values = flags();
  return values.ok() ? (*values)->hilo_cache_bytes : INT64_MAX;
}

}  // namespace

void Clearable::enlist() { registry().add(this); }
void Clearable::delist() { registry().remove(this); }

uint64_t use_number() {
  // A plain increment, because a locked one costs each call of a program about 10 ns; threads may get equal numbers.
  std::atomic<uint64_t>& uses = registry().uses;
  const uint64_t number = uses.load(std::memory_order_relaxed);
  uses.store(number + 1, std::memory_order_relaxed);
  return number;
}

void count_kept_bytes(int64_t bytes) { registry().kept_bytes.fetch_add(bytes, std::memory_order_relaxed); }

void keep_the_limit() {
  Registry& all = registry();
  const int64_t limit = limit_now();
  if (all.kept_bytes.load(std::memory_order_relaxed) <= limit) return;
  std::lock_guard lock(all.mutex);
  while (all.kept_bytes.load(std::memory_order_relaxed) > limit) {
    Clearable* cache = all.with_oldest_entry();
    if (cache == nullptr) return;
    cache->drop_oldest();
  }
}

bool x64_of_key() {
  const StatusOr<bool> x64 = x64_enabled();
  return x64.ok() && *x64;
}

}  // namespace memoize_detail

void clear_caches() { memoize_detail::registry().clear_all(); }

int64_t kept_cache_bytes() { return memoize_detail::registry().kept_bytes.load(std::memory_order_relaxed); }

}  // namespace hilo
