// SPDX-License-Identifier: Apache-2.0
// transform/trace_cache.h -- traces and programs of one transformed function, by argument types. Not for users.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "hilo/base/flags.h"
#include "hilo/base/memoize.h"
#include "hilo/client/xla_bridge.h"
#include "hilo/trace/settings.h"

namespace hilo {

/// Returns a number that changes when traces and programs become stale: a flag changes, the client is dropped, key
/// checks start, or a setting that traces depend on is set.
inline uint64_t trace_version() {
  return 2 * (flags_version() + client_generation()) + (is_on(Setting::kDebugKeyReuse) ? 1 : 0) + words_in_traces();
}

/// The base of all entries of a TraceCache.
struct TraceCacheEntry {
  int64_t bytes = 0;  ///< size for the cache limit; belongs to the cache, under its lock
  uint64_t used = 0;
};

/// Holds at most `max_entries` entries per function, and at most hilo_cache_bytes together with all other caches. The
/// least recently used entry is evicted first. The latest entry is tried first.
template <typename Entry>
class TraceCache final : public memoize_detail::Clearable {
 public:
  explicit TraceCache(size_t max_entries) : max_entries_(max_entries) { enlist(); }
  ~TraceCache() override {
    delist();
    TraceCache::clear();
  }

  /// Returns an entry for which `matches(entry)` holds; null if none exists.
  template <typename Matches>
  std::shared_ptr<Entry> find(const Matches& matches) {
    std::lock_guard lock(mutex_);
    for (size_t i = entries_.size(); i-- > 0;) {
      if (!matches(*entries_[i])) continue;
      entries_[i]->used = memoize_detail::use_number();
      return entries_[i];
    }
    return nullptr;
  }

  /// Returns all entries; the latest is last.
  std::vector<std::shared_ptr<Entry>> entries() const {
    std::lock_guard lock(mutex_);
    return entries_;
  }

  void add(std::shared_ptr<Entry> entry, int64_t bytes) {
    {
      std::shared_ptr<Entry> dying;
      std::lock_guard lock(mutex_);
      entry->used = memoize_detail::use_number();
      count(*entry, bytes);
      entries_.push_back(std::move(entry));
      if (entries_.size() > max_entries_) dying = take_oldest();
    }
    memoize_detail::keep_the_limit();
  }

  /// Adds `bytes` to the entry's size after its compilation.
  void add_bytes(Entry& entry, int64_t bytes) {
    {
      std::lock_guard lock(mutex_);
      if (std::ranges::none_of(entries_, [&](const auto& retained) { return retained.get() == &entry; })) return;
      count(entry, bytes);
    }
    memoize_detail::keep_the_limit();
  }

  void clear() override {
    std::vector<std::shared_ptr<Entry>> dying;
    std::lock_guard lock(mutex_);
    dying.swap(entries_);
    for (const auto& entry : dying) memoize_detail::count_kept_bytes(-entry->bytes);
  }

  std::optional<uint64_t> oldest_use() const override {
    std::lock_guard lock(mutex_);
    if (entries_.empty()) return std::nullopt;
    return (*oldest())->used;
  }

  void drop_oldest() override {
    std::shared_ptr<Entry> dying;
    std::lock_guard lock(mutex_);
    if (!entries_.empty()) dying = take_oldest();
  }

 private:
  using Entries = std::vector<std::shared_ptr<Entry>>;

  // These three functions require that the lock is held and an entry exists.
  typename Entries::const_iterator oldest() const {
    return std::ranges::min_element(entries_, {}, [](const auto& entry) { return entry->used; });
  }
  std::shared_ptr<Entry> take_oldest() {
    const auto place = oldest();
    std::shared_ptr<Entry> taken = *place;
    entries_.erase(place);
    memoize_detail::count_kept_bytes(-taken->bytes);
    return taken;
  }
  static void count(Entry& entry, int64_t bytes) {
    entry.bytes += bytes;
    memoize_detail::count_kept_bytes(bytes);
  }

  const size_t max_entries_;
  mutable std::mutex mutex_;
  Entries entries_;
};

}  // namespace hilo
