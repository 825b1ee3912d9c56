// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/buffer_pool.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <new>

#include "hilo/base/memory.h"
#include "hilo/base/size_class.h"

namespace hilo {
namespace {

constexpr int kThreadClasses = size_class_of(size_t{64} << 10) + 1;  // threads cache classes up to 64 KiB
constexpr size_t kThreadSlots = 8;                  // maximum number of blocks of one class in a thread's cache
constexpr size_t kThreadBytes = size_t{128} << 10;  // maximum bytes of one class in a thread's cache

// Maximum number of blocks of each class in a thread's cache.
constexpr auto kThreadSlotsOf = [] {
  std::array<uint8_t, kThreadClasses> slots = {};
  for (int c = 0; c < kThreadClasses; ++c) {
    slots[c] = static_cast<uint8_t>(std::min(kThreadSlots, kThreadBytes / size_class_bytes(c)));
  }
  return slots;
}();

// A counter that one thread writes and any thread reads, without locked instructions.
class Counter {
 public:
  void add(int64_t n) { value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed); }
  int64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> value_{0};
};

// Counters of one thread. A buffer may be freed on another thread than it was allocated on, so only the sums are
// meaningful.
struct Counters {
  Counter live_buffers, live_bytes, cached_bytes, hits, misses;
};

// Free blocks that one thread caches.
struct ThreadCache {
  std::array<uint8_t, kThreadClasses> count = {};
  std::array<std::array<void*, kThreadSlots>, kThreadClasses> blocks;
  uint64_t trims_seen = 0;
  Counters counters;
  ThreadCache* next = nullptr;
  ThreadCache* previous = nullptr;
};

// The link at the beginning of a free block, so that freeing needs no memory.
struct Link {
  Link* next;
  int size_class;
};

// Free blocks of one class that all threads share.
struct FreeList {
  Link* first = nullptr;
  uint64_t last_used = 0;
};

// number of calls of trim_buffers(); outside of Pool, because every allocation reads it
std::atomic<uint64_t> trims{0};

struct Pool {
  std::mutex mutex;  // guards all members except the atomics
  std::array<FreeList, kSizeClasses> lists;
  uint64_t clock = 0;
  size_t cached_bytes = 0;
  size_t cache_limit = 0;
  ThreadCache* threads = nullptr;
  Counters shared;  // counters of threads that ended or have destroyed their thread_local objects

  void* pop(int size_class);
  void push(int size_class, void* block);
  Link* evict(size_t limit);
};

// Never destroyed: destructors of static objects may free buffers.
Pool& pool() {
  static Pool* instance = [] {
    auto* made = new Pool;
    made->cache_limit = system_memory().total / 4;
    return made;
  }();
  // A child must not inherit the lock while another thread holds it.
  static const int registered = ::pthread_atfork([] { instance->mutex.lock(); }, [] { instance->mutex.unlock(); },
                                                 [] { instance->mutex.unlock(); });
  static_cast<void>(registered);
  return *instance;
}

void* Pool::pop(int size_class) {
  FreeList& list = lists[size_class];
  Link* block = list.first;
  if (block == nullptr) return nullptr;
  list.first = block->next;
  list.last_used = ++clock;
  cached_bytes -= size_class_bytes(size_class);
  return block;
}

void Pool::push(int size_class, void* block) {
  FreeList& list = lists[size_class];
  list.first = new (block) Link{list.first, size_class};
  list.last_used = ++clock;
  cached_bytes += size_class_bytes(size_class);
}

// Unlinks blocks until `limit` holds, the least recently used classes first. The caller releases them without the lock.
Link* Pool::evict(size_t limit) {
  Link* out = nullptr;
  while (cached_bytes > limit) {
    FreeList* oldest = nullptr;
    for (FreeList& list : lists) {
      if (list.first != nullptr && (oldest == nullptr || list.last_used < oldest->last_used)) oldest = &list;
    }
    while (cached_bytes > limit && oldest->first != nullptr) {
      Link* block = oldest->first;
      oldest->first = block->next;
      cached_bytes -= size_class_bytes(block->size_class);
      block->next = out;
      out = block;
    }
  }
  return out;
}

void release_all(Link* block) {
  while (block != nullptr) {
    Link* next = block->next;
    release_block(block, size_class_bytes(block->size_class));
    block = next;
  }
}

// Moves a thread's blocks to the pool. Precondition: the caller holds the lock.
void flush(Pool& p, ThreadCache& cache) {
  for (int c = 0; c < kThreadClasses; ++c) {
    uint8_t& count = cache.count[c];
    for (; count > 0; --count) {
      p.push(c, cache.blocks[c][count - 1u]);
      cache.counters.cached_bytes.add(-static_cast<int64_t>(size_class_bytes(c)));
    }
  }
}

void add_all(Counters& to, const Counters& from) {
  to.live_buffers.add(from.live_buffers.get());
  to.live_bytes.add(from.live_bytes.get());
  to.cached_bytes.add(from.cached_bytes.get());
  to.hits.add(from.hits.get());
  to.misses.add(from.misses.get());
}

// No destructors, so that they can be used until the very end of a thread.
thread_local ThreadCache* thread_cache = nullptr;
thread_local bool thread_ended = false;

// Moves a thread's blocks and counters to the pool when the thread ends.
struct ThreadEnd {
  ~ThreadEnd() {
    ThreadCache* cache = thread_cache;
    thread_cache = nullptr;
    thread_ended = true;
    if (cache == nullptr) return;
    Pool& p = pool();
    Link* surplus = nullptr;
    {
      std::lock_guard lock(p.mutex);
      flush(p, *cache);
      add_all(p.shared, cache->counters);
      (cache->previous != nullptr ? cache->previous->next : p.threads) = cache->next;
      if (cache->next != nullptr) cache->next->previous = cache->previous;
      surplus = p.evict(p.cache_limit);
    }
    release_all(surplus);
    delete cache;
  }
};

// Creates the thread's cache. Returns null if memory is exhausted or the thread has destroyed its thread_local objects.
ThreadCache* make_thread_cache() {
  if (thread_ended) return nullptr;
  thread_local ThreadEnd end;
  static_cast<void>(end);
  auto* cache = new (std::nothrow) ThreadCache;
  if (cache == nullptr) return nullptr;
  Pool& p = pool();
  std::lock_guard lock(p.mutex);
  cache->trims_seen = trims.load(std::memory_order_relaxed);
  cache->next = p.threads;
  if (p.threads != nullptr) p.threads->previous = cache;
  p.threads = cache;
  thread_cache = cache;
  return cache;
}

// Releases the thread's cached blocks after a call of trim_buffers().
void empty_thread_cache(ThreadCache& cache, uint64_t trims_now) {
  cache.trims_seen = trims_now;
  Link* surplus = nullptr;
  {
    std::lock_guard lock(pool().mutex);
    flush(pool(), cache);
    surplus = pool().evict(0);
  }
  release_all(surplus);
}

// Returns the thread's cache, emptied if trim_buffers() was called since its last use.
ThreadCache* this_thread_cache() {
  ThreadCache* cache = thread_cache != nullptr ? thread_cache : make_thread_cache();
  if (cache == nullptr) return nullptr;
  const uint64_t trims_now = trims.load(std::memory_order_relaxed);
  if (cache->trims_seen != trims_now) [[unlikely]]
    empty_thread_cache(*cache, trims_now);
  return cache;
}

// Counts in the thread's counters or, under the lock, in those of ended threads.
template <typename Count>
void count_on(ThreadCache* cache, Count count) {
  if (cache != nullptr) return count(cache->counters);
  std::lock_guard lock(pool().mutex);
  count(pool().shared);
}

void count_birth(ThreadCache* cache, size_t bytes, bool hit) {
  count_on(cache, [&](Counters& counters) {
    counters.live_buffers.add(1);
    counters.live_bytes.add(bytes);
    (hit ? counters.hits : counters.misses).add(1);
  });
}

void count_death(ThreadCache* cache, size_t bytes) {
  count_on(cache, [&](Counters& counters) {
    counters.live_buffers.add(-1);
    counters.live_bytes.add(-static_cast<int64_t>(bytes));
  });
}

void* pop_of_thread(ThreadCache* cache, int size_class) {
  if (cache == nullptr || size_class >= kThreadClasses) return nullptr;
  uint8_t& count = cache->count[size_class];
  if (count == 0) return nullptr;
  cache->counters.cached_bytes.add(-static_cast<int64_t>(size_class_bytes(size_class)));
  return cache->blocks[size_class][--count];
}

bool push_to_thread(ThreadCache* cache, int size_class, void* block) {
  if (cache == nullptr || size_class >= kThreadClasses) return false;
  uint8_t& count = cache->count[size_class];
  if (count >= kThreadSlotsOf[size_class]) return false;
  cache->blocks[size_class][count++] = block;
  cache->counters.cached_bytes.add(size_class_bytes(size_class));
  return true;
}

// Allocates a new block. If memory is exhausted, the pool's free blocks are released first.
void* new_block(size_t bytes) {
  void* block = get_block(bytes);
  if (block != nullptr) return block;
  trim_buffers();
  return get_block(bytes);
}

void* take(ThreadCache* cache, int size_class) {
  const size_t bytes = size_class_bytes(size_class);
  void* block = pop_of_thread(cache, size_class);
  if (block == nullptr) {
    std::lock_guard lock(pool().mutex);
    block = pool().pop(size_class);
  }
  const bool hit = block != nullptr;
  if (!hit) block = new_block(bytes);
  if (block != nullptr) count_birth(cache, bytes, hit);
  return block;
}

}  // namespace

void AlignedBuffer::give_back() {
  ThreadCache* cache = this_thread_cache();
  if constexpr (kGuardPages) {
    count_death(cache, size_);
    return release_guarded(data_, size_, guard_side());
  }
  const int size_class = size_class_of(size_);
  count_death(cache, size_class_bytes(size_class));
  if (push_to_thread(cache, size_class, data_)) return;
  Pool& p = pool();
  Link* surplus = nullptr;
  {
    std::lock_guard lock(p.mutex);
    p.push(size_class, data_);
    surplus = p.evict(p.cache_limit);
  }
  release_all(surplus);
}

StatusOr<AlignedBuffer> allocate_buffer(size_t bytes) {
  ThreadCache* cache = this_thread_cache();
  void* data = nullptr;
  if constexpr (kGuardPages) {
    data = get_guarded(bytes, guard_side());
    if (data != nullptr) count_birth(cache, bytes, false);
  } else if (bytes <= kMaxSizeClass) {
    data = take(cache, size_class_of(bytes));
  }
  if (data == nullptr) return out_of_memory("buffer", bytes);
  return AlignedBuffer(static_cast<std::byte*>(data), bytes);
}

void trim_buffers() {
  trims.fetch_add(1, std::memory_order_relaxed);
  if (this_thread_cache() != nullptr) return;  // this_thread_cache() has emptied it
  Link* surplus = nullptr;
  {
    std::lock_guard lock(pool().mutex);
    surplus = pool().evict(0);
  }
  release_all(surplus);
}

void set_buffer_cache_limit(size_t bytes) {
  Link* surplus = nullptr;
  {
    std::lock_guard lock(pool().mutex);
    pool().cache_limit = bytes;
    surplus = pool().evict(bytes);
  }
  release_all(surplus);
}

BufferStatistics buffer_statistics() {
  Pool& p = pool();
  std::lock_guard lock(p.mutex);
  Counters sum;
  add_all(sum, p.shared);
  for (const ThreadCache* cache = p.threads; cache != nullptr; cache = cache->next) add_all(sum, cache->counters);
  return {sum.live_buffers.get(), sum.live_bytes.get(), sum.cached_bytes.get() + static_cast<int64_t>(p.cached_bytes),
          sum.hits.get(), sum.misses.get()};
}

}  // namespace hilo
