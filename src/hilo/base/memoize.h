// SPDX-License-Identifier: Apache-2.0
// base/memoize.h -- functions that remember: memoize_thunk keeps one result, memoize one per combination of arguments.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "hilo/base/caches.h"
#include "hilo/base/status.h"

namespace hilo {

inline constexpr int64_t kMemoizedEntries = 4096;  // that one memoized function keeps

/// What a memoized function has done since it was made or cleared.
struct CacheInfo {
  int64_t hits = 0;
  int64_t misses = 0;
  int64_t max_size = 0;
  int64_t current_size = 0;
  bool operator==(const CacheInfo&) const = default;
};

namespace memoize_detail {

/// What clear_caches() reaches. Adds itself when made, takes itself out when destroyed.
class Clearable {
 public:
  Clearable();
  Clearable(const Clearable&) = delete;
  Clearable& operator=(const Clearable&) = delete;
  virtual void clear() = 0;

 protected:
  virtual ~Clearable();
};

inline size_t mix(size_t seed, size_t value) { return (seed ^ value) * 0x9e3779b97f4a7c15u + (seed >> 29); }

template <typename T>
concept StandardHash = requires(const T& value) {
  { std::hash<T>()(value) } -> std::convertible_to<size_t>;
};

/// std::hash where there is one; ranges, optionals, pairs and tuples part by part.
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

/// The tuple of a call's arguments, in order.
struct HashArguments {
  template <typename Tuple>
  size_t operator()(const Tuple& arguments) const {
    size_t seed = 0;
    std::apply([&seed](const auto&... argument) { ((seed = mix(seed, hash_of(argument))), ...); }, arguments);
    return seed;
  }
};

/// A result that is worth keeping: anything but an error.
template <typename T>
bool is_success(const T& result) {
  if constexpr (requires {
                  { result.status() } -> std::convertible_to<const Status&>;
                })
    return result.ok();
  else if constexpr (std::same_as<T, Status>) return result.ok();
  else return true;
}

/// jax_enable_x64, which is part of every key; false where the flag is in error, for then the call itself fails.
bool x64_of_key();

}  // namespace memoize_detail

/// At most `max_size` values by key, the least recently used out first. Thread safe; one lock, held for a look-up.
/// With a transparent Hash and Equal a look-up may use another type than Key.
template <typename Key, typename Value, typename Hash = memoize_detail::HashArguments, typename Equal = std::equal_to<>>
class MemoTable final : public memoize_detail::Clearable {
 public:
  explicit MemoTable(int64_t max_size = kMemoizedEntries) : max_size_(max_size) {}
  ~MemoTable() override = default;

  /// The value, which becomes the most recently used; counts a hit or a miss.
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
    return it->second.value;
  }

  /// Keeps `value`, unless another thread was faster. Returns    what is kept
  Value insert(Key key, Value value) {
    std::lock_guard lock(mutex_);
    const auto [it, inserted] = entries_.try_emplace(std::move(key), Entry{std::move(value), {}});
    if (!inserted) return it->second.value;
    uses_.push_front(&it->first);
    it->second.use = uses_.begin();
    if (static_cast<int64_t>(entries_.size()) > max_size_) {
      entries_.erase(entries_.find(*uses_.back()));
      uses_.pop_back();
    }
    return it->second.value;
  }

  CacheInfo info() const {
    std::lock_guard lock(mutex_);
    return {hits_, misses_, max_size_, static_cast<int64_t>(entries_.size())};
  }

  void clear() override {
    std::unordered_map<Key, Entry, Transparent<Hash>, Transparent<Equal>> dying;  // values may be slow to destroy
    std::lock_guard lock(mutex_);
    dying.swap(entries_);
    uses_.clear();
    hits_ = misses_ = 0;
  }

 private:
  template <typename F>
  struct Transparent : F {
    using is_transparent = void;
  };
  struct Entry {
    Value value;
    typename std::list<const Key*>::iterator use;
  };

  mutable std::mutex mutex_;
  int64_t max_size_;
  int64_t hits_ = 0, misses_ = 0;
  std::list<const Key*> uses_;  // most recent first
  std::unordered_map<Key, Entry, Transparent<Hash>, Transparent<Equal>> entries_;
};

/// A function of no arguments that runs once. See memoize_thunk.
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
  /// The next call runs the function again.
  void clear() {
    std::lock_guard lock(mutex_);
    result_.reset();
  }

 private:
  std::mutex mutex_;
  F function_;
  std::optional<Result> result_;  // engaged once the function succeeded, whatever it returned
};

/// `function`, run by the first call and remembered for all threads; calls meanwhile wait. A null result is kept like any
/// other. A call that fails (throws, or returns an error) keeps nothing, and the next one tries again.
/// Example    static auto client = memoize_thunk([] { return make_client(); });
template <typename F>
MemoizedThunk<F> memoize_thunk(F function) {
  return MemoizedThunk<F>(std::move(function));
}

template <typename Signature>
class Memoized;

/// A function that remembers its results by its arguments. See memoize.
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

/// `function` with a memory: a call with arguments equal to an earlier one's (all of them, by value, under the same
/// jax_enable_x64) returns the earlier result. At most kMemoizedEntries results are kept, the least recently used goes
/// first; errors are not kept. Threads that miss at the same time may each run the function; all get one result.
/// Example    static auto square = memoize([](int x) { return x * x; });  square(3); square.cache_info().hits
template <typename F>
auto memoize(F function) {
  return [&]<typename R, typename... A>(std::function<R(A...)> f) {
    return Memoized<R(A...)>(std::move(f));
  }(std::function(std::move(function)));
}

}  // namespace hilo
