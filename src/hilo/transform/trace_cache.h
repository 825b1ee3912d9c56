// SPDX-License-Identifier: Apache-2.0
// transform/trace_cache.h -- what one transformed function has traced and compiled, by kind of arguments. Not for users.
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

/// Another number when a flag changes, the client is forgotten, keys are followed, or a word is set that traces show: what
/// was traced or compiled before is then not used.
inline uint64_t trace_version() {
  return 2 * (flags_version() + client_generation()) + (is_on(Setting::kDebugKeyReuse) ? 1 : 0) + words_in_traces();
}

/// What every entry of a TraceCache has.
struct TraceCacheEntry {
  int64_t bytes = 0;  ///< as caches count them; both belong to the cache, under its lock
  uint64_t used = 0;
};

/// At most `max_entries` of one function, and with all other caches at most hilo_cache_bytes; the least recently used goes
/// first. The latest entry is looked at first.
template <typename Entry>
class TraceCache final : public memoize_detail::Clearable {
 public:
  explicit TraceCache(size_t max_entries) : max_entries_(max_entries) { enlist(); }
  ~TraceCache() override {
    delist();
    TraceCache::clear();
  }

  /// An entry for which `matches(entry)`; null if there is none.
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

  /// All entries; the latest is last.
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

  /// The entry takes so many bytes more, having been compiled.
  void add_bytes(Entry& entry, int64_t bytes) {
    {
      std::lock_guard lock(mutex_);
      if (std::ranges::none_of(entries_, [&](const auto& kept) { return kept.get() == &entry; })) return;
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

  // Of these three: the lock is held, and there is an entry.
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
