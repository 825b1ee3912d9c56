// SPDX-License-Identifier: Apache-2.0
// base/memoize.h -- functions that cache their results: memoize_thunk one result, memoize one per combination of
// arguments.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <ranges>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "hilo/base/caches.h"
#include "hilo/base/status.h"

namespace hilo {

inline constexpr int64_t kMemoizedEntries = 4096;  // maximum number of results per memoized function

/// Statistics of a memoized function since it was created or cleared.
struct CacheInfo {
  int64_t hits = 0;
  int64_t misses = 0;
  int64_t max_size = 0;
  int64_t current_size = 0;
  bool operator==(const CacheInfo&) const = default;
};

namespace memoize_detail {

/// The base of caches. clear_caches() clears all of them; if they exceed hilo_cache_bytes, each drops its oldest
/// entries. A derived class calls enlist() at the end of its constructor and delist() at the beginning of its
/// destructor; in between, other threads may access its entries.
class Clearable {
 public:
  Clearable() = default;
  Clearable(const Clearable&) = delete;
  Clearable& operator=(const Clearable&) = delete;
  virtual void clear() = 0;
  /// Returns the use_number() of the least recently used entry; nullopt for an empty cache.
  virtual std::optional<uint64_t> oldest_use() const = 0;
  virtual void drop_oldest() = 0;

 protected:
  virtual ~Clearable() = default;
  void enlist();
  void delist();

 private:
  friend struct Registry;
  Clearable *next_ = nullptr, *previous_ = nullptr;
};

/// Returns a number for the use of an entry, increasing over all caches. Concurrent calls may return equal numbers.
uint64_t use_number();
/// Adds `bytes`, which may be negative, to the total size of all caches.
void count_kept_bytes(int64_t bytes);
/// Drops entries, the least recently used of all caches first, until the total is within hilo_cache_bytes. Must be
/// called without a lock.
void keep_the_limit();

/// Returns the bytes of an entry: the object, its text, and what a function held_bytes returns for it, if there is one.
template <typename T>
int64_t bytes_of(const T& value) {
  int64_t bytes = sizeof(T);
  if constexpr (requires { held_bytes(value); }) bytes += held_bytes(value);
  else if constexpr (std::is_same_v<T, std::string>) bytes += static_cast<int64_t>(value.capacity());
  return bytes;
}

inline size_t mix(size_t seed, size_t value) { return (seed ^ value) * 0x9e3779b97f4a7c15u + (seed >> 29); }

template <typename T>
concept StandardHash = requires(const T& value) {
  { std::hash<T>()(value) } -> std::convertible_to<size_t>;
};

/// Uses std::hash if it exists; hashes ranges, optionals, pairs and tuples element by element.
template <typename T>
size_t hash_of(const T& value) {
  if constexpr (StandardHash<T>) {
    return std::hash<T>()(value);
  } else if constexpr (std::ranges::input_range<const T&>) {
    size_t seed = 0x51ed270b;
    for (const auto& element : value) seed = mix(seed, hash_of(element));
    return seed;
  } else {
    return std::apply([](const auto&... part) { return (size_t{0x51ed270b} ^ ... ^ hash_of(part)); }, value);
  }
}

/// Hashes the tuple of a call's arguments.
struct HashArguments {
  template <typename Tuple>
  size_t operator()(const Tuple& arguments) const {
    size_t seed = 0;
    std::apply([&seed](const auto&... argument) { ((seed = mix(seed, hash_of(argument))), ...); }, arguments);
    return seed;
  }
};

/// Returns whether a result is cached: all except errors.
template <typename T>
bool is_success(const T& result) {
  if constexpr (requires {
                  { result.status() } -> std::convertible_to<const Status&>;
                })
    return result.ok();
  else if constexpr (std::same_as<T, Status>) return result.ok();
  else return true;
}

/// Returns jax_enable_x64, which is part of every key. Returns false if the flag is invalid, because then the call
/// fails anyway.
bool x64_of_key();

}  // namespace memoize_detail

/// A cache of at most `max_size` values by key, which also counts towards hilo_cache_bytes. The least recently used
/// value is dropped first. Thread-safe, with one lock during a lookup. After std::bad_alloc the cache is unchanged.
/// With a transparent Hash and Equal, lookups may use another type than Key.
template <typename Key, typename Value, typename Hash = memoize_detail::HashArguments, typename Equal = std::equal_to<>>
class MemoTable final : public memoize_detail::Clearable {
 public:
  explicit MemoTable(int64_t max_size = kMemoizedEntries) : max_size_(max_size) { enlist(); }
  ~MemoTable() override {
    delist();
    memoize_detail::count_kept_bytes(-bytes_);
  }

  /// Looks up a value, which becomes the most recently used. Counts a hit or a miss.
  template <typename Wanted>
  std::optional<Value> find(const Wanted& wanted) {
    std::lock_guard lock(mutex_);
    const auto it = entries_.find(wanted);
    if (it == entries_.end()) {
      ++misses_;
      return std::nullopt;
    }
    ++hits_;
    uses_.splice(uses_.begin(), uses_, it->second.use);
    it->second.used = memoize_detail::use_number();
    return it->second.value;
  }

  /// Inserts `value`, unless another thread has inserted one.
  /// Returns   the cached value
  Value insert(Key key, Value value) {
    const int64_t bytes = memoize_detail::bytes_of(key) + memoize_detail::bytes_of(value);
    Value kept = add(std::move(key), std::move(value), bytes);
    memoize_detail::keep_the_limit();
    return kept;
  }

  CacheInfo info() const {
    std::lock_guard lock(mutex_);
    return {hits_, misses_, max_size_, std::ssize(entries_)};
  }

  void clear() override {
    Entries dying;  // destroyed after the lock, because that may take long
    std::lock_guard lock(mutex_);
    dying.swap(entries_);
    uses_.clear();
    hits_ = misses_ = 0;
    memoize_detail::count_kept_bytes(-std::exchange(bytes_, 0));
  }

  std::optional<uint64_t> oldest_use() const override {
    std::lock_guard lock(mutex_);
    if (uses_.empty()) return std::nullopt;
    return entries_.find(*uses_.back())->second.used;
  }

  void drop_oldest() override {
    typename Entries::node_type dying;
    std::lock_guard lock(mutex_);
    if (!uses_.empty()) dying = take_oldest();
  }

 private:
  template <typename F>
  struct Transparent : F {
    using is_transparent = void;
  };
  struct Entry {
    Value value;
    int64_t bytes;
    uint64_t used;
    typename std::list<const Key*>::iterator use;
  };
  using Entries = std::unordered_map<Key, Entry, Transparent<Hash>, Transparent<Equal>>;

  Value add(Key key, Value value, int64_t bytes) {
    std::list<const Key*> use(1);  // allocated first, so that nothing fails after the insertion
    typename Entries::node_type dying;
    std::lock_guard lock(mutex_);
    const auto [it, inserted] =
        entries_.try_emplace(std::move(key), Entry{std::move(value), bytes, memoize_detail::use_number(), use.begin()});
    if (!inserted) return it->second.value;
    use.front() = &it->first;
    uses_.splice(uses_.begin(), use);
    bytes_ += bytes;
    memoize_detail::count_kept_bytes(bytes);
    if (std::ssize(entries_) > max_size_) dying = take_oldest();
    return it->second.value;
  }

  /// Removes the oldest entry; the caller destroys it. Preconditions: the cache isn't empty, and the lock is held.
  typename Entries::node_type take_oldest() {
    typename Entries::node_type oldest = entries_.extract(entries_.find(*uses_.back()));
    uses_.pop_back();
    bytes_ -= oldest.mapped().bytes;
    memoize_detail::count_kept_bytes(-oldest.mapped().bytes);
    return oldest;
  }

  mutable std::mutex mutex_;
  int64_t max_size_;
  int64_t hits_ = 0, misses_ = 0;
  int64_t bytes_ = 0;
  std::list<const Key*> uses_;  // most recent first
  Entries entries_;
};

/// A function without arguments that runs once. See memoize_thunk.
template <typename F>
class MemoizedThunk {
 public:
  using Result = std::invoke_result_t<F&>;
  explicit MemoizedThunk(F function) : function_(std::move(function)) {}

  Result operator()() {
    std::lock_guard lock(mutex_);
    if (result_) return *result_;
    Result result = function_();
    if (memoize_detail::is_success(result)) result_ = result;
    return result;
  }
  /// Drops the result, so that the next call runs the function again.
  void clear() {
    std::lock_guard lock(mutex_);
    result_.reset();
  }

 private:
  std::mutex mutex_;
  F function_;
  std::optional<Result> result_;  // set once the function has succeeded, whatever it returned
};

/// Returns a function that calls `function` once and caches its result for all threads; concurrent calls wait. A null
/// result is cached, too. If the call throws or returns an error, nothing is cached and the next call tries again.
/// Example   static auto client = memoize_thunk([] { return make_client(); });
template <typename F>
MemoizedThunk<F> memoize_thunk(F function) {
  return MemoizedThunk<F>(std::move(function));
}

template <typename Signature>
class Memoized;

/// A function that caches its results by arguments. See memoize.
template <typename Result, typename... Arguments>
class Memoized<Result(Arguments...)> {
 public:
  explicit Memoized(std::function<Result(Arguments...)> function) : function_(std::move(function)) {}

  Result operator()(const std::decay_t<Arguments>&... arguments) {
    const bool x64 = memoize_detail::x64_of_key();
    if (std::optional<Kept> kept = table_.find(std::tie(x64, arguments...))) return *std::move(kept);
    Result result = function_(arguments...);
    if (!memoize_detail::is_success(result)) return result;
    return table_.insert(Key(x64, arguments...), std::move(result));
  }
  CacheInfo cache_info() const { return table_.info(); }
  void clear() { table_.clear(); }

 private:
  using Key = std::tuple<bool, std::decay_t<Arguments>...>;
  using Kept = std::remove_cv_t<Result>;
  std::function<Result(Arguments...)> function_;
  MemoTable<Key, Kept> table_;
};

/// Returns a function that caches the results of `function`. A call with the same arguments, compared by value, and the
/// same jax_enable_x64 returns the cached result. At most kMemoizedEntries results are cached; the least recently used
/// is dropped first. Errors are not cached. If threads miss at the same time, each may run the function, but all get
/// the same result.
/// Example   static auto square = memoize([](int x) { return x * x; });  square(3); square.cache_info().hits
template <typename F>
auto memoize(F function) {
  return [&]<typename R, typename... A>(std::function<R(A...)> f) {
    return Memoized<R(A...)>(std::move(f));
  }(std::function(std::move(function)));
}

}  // namespace hilo
