// SPDX-License-Identifier: Apache-2.0
// transform/trace_cache.h -- traces and programs of one transformed function, by argument types. Not for users.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
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
/// least recently used entry is evicted first. The latest entry is tried first. The entries found last can also be read
/// without the lock.
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
      make_recent(entries_[i].get());
      return entries_[i];
    }
    return nullptr;
  }

  /// Between these calls, find_recent() may be called, and the entries that it returns live, even if they leave the
  /// cache.
  void begin_reading() { readers_.fetch_add(1, std::memory_order_seq_cst); }
  void end_reading() {
    const bool last = readers_.fetch_sub(1, std::memory_order_seq_cst) == 1;
    if (last && has_retired_.load(std::memory_order_seq_cst)) [[unlikely]]
      free_retired();
  }
  /// Returns one of the entries found last for which `matches(entry)` holds, without the lock; null if none does.
  template <typename Matches>
  Entry* find_recent(const Matches& matches) {
    for (const std::atomic<Entry*>& place : recent_) {
      Entry* const entry = place.load(std::memory_order_seq_cst);
      if (entry == nullptr || !matches(*entry)) continue;
      // one flag for all entries: a number per entry would be written by all threads at each call
      if (!read_.load(std::memory_order_relaxed)) read_.store(true, std::memory_order_relaxed);
      return entry;
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
      Entries dying;
      std::lock_guard lock(mutex_);
      entry->used = memoize_detail::use_number();
      count(*entry, bytes);
      make_recent(entry.get());
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
    Entries dying;
    std::lock_guard lock(mutex_);
    dying.swap(entries_);
    for (const auto& entry : dying) memoize_detail::count_kept_bytes(-entry->bytes);
    retire(dying);
  }

  std::optional<uint64_t> oldest_use() const override {
    std::lock_guard lock(mutex_);
    if (entries_.empty()) return std::nullopt;
    count_reads();
    return (*oldest())->used;
  }

  void drop_oldest() override {
    Entries dying;
    std::lock_guard lock(mutex_);
    if (!entries_.empty()) dying = take_oldest();
  }

 private:
  using Entries = std::vector<std::shared_ptr<Entry>>;

  // These functions require that the lock is held, and the first two that an entry exists.
  typename Entries::const_iterator oldest() const {
    return std::ranges::min_element(entries_, {}, [](const auto& entry) { return entry->used; });
  }
  /// Returns the oldest entry for destruction, unless it has readers.
  Entries take_oldest() {
    count_reads();
    const auto place = oldest();
    Entries taken = {*place};
    entries_.erase(place);
    memoize_detail::count_kept_bytes(-taken[0]->bytes);
    retire(taken);
    return taken;
  }
  /// Counts reads without the lock as uses.
  void count_reads() const {
    if (!read_.exchange(false, std::memory_order_relaxed)) return;
    for (const std::atomic<Entry*>& place : recent_) {
      Entry* const entry = place.load(std::memory_order_relaxed);
      if (entry != nullptr) entry->used = memoize_detail::use_number();
    }
  }
  void make_recent(Entry* entry) {
    for (const std::atomic<Entry*>& place : recent_) {
      if (place.load(std::memory_order_relaxed) == entry) return;
    }
    recent_[next_recent_++ % recent_.size()].store(entry, std::memory_order_seq_cst);
  }
  /// Hides entries from readers. If there are readers, the entries move to `retired_`.
  void retire(Entries& dying) {
    for (std::atomic<Entry*>& place : recent_) {
      const Entry* const entry = place.load(std::memory_order_relaxed);
      if (std::ranges::any_of(dying, [&](const auto& one) { return one.get() == entry; }))
        place.store(nullptr, std::memory_order_seq_cst);
    }
    if (readers_.load(std::memory_order_seq_cst) == 0) return;
    retired_.insert(retired_.end(), dying.begin(), dying.end());
    dying.clear();
    has_retired_.store(true, std::memory_order_seq_cst);
    if (readers_.load(std::memory_order_seq_cst) == 0) dying = take_retired();  // the last reader may have seen no flag
  }
  Entries take_retired() {
    has_retired_.store(false, std::memory_order_seq_cst);
    return std::exchange(retired_, {});
  }
  void free_retired() {
    Entries dying;
    std::lock_guard lock(mutex_);
    if (readers_.load(std::memory_order_seq_cst) == 0) dying = take_retired();
  }
  static void count(Entry& entry, int64_t bytes) {
    entry.bytes += bytes;
    memoize_detail::count_kept_bytes(bytes);
  }

  const size_t max_entries_;
  mutable std::mutex mutex_;
  Entries entries_;
  Entries retired_;  // have left the cache, but may have readers
  size_t next_recent_ = 0;
  std::array<std::atomic<Entry*>, 4> recent_ = {};
  std::atomic<int64_t> readers_{0};
  std::atomic<bool> has_retired_{false};
  mutable std::atomic<bool> read_{false};
};

}  // namespace hilo
