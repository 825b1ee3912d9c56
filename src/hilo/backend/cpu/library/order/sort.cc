// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/order/sort.cc -- the sort op. Radix sort on order-preserving keys if the comparator compares
// elements, or one function of both; otherwise a merge sort that calls the compiled comparator. A sort that isn't
// stable leaves equal elements in the same order as XLA.
#include <algorithm>
#include <array>
#include <bit>
#include <complex>
#include <cstring>
#include <numeric>

#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/backend/cpu/library/order/sort_key.h"
#include "hilo/backend/cpu/library/parallel.h"
#include "hilo/base/buffer_pool.h"
#include "hilo/base/stop.h"
#include "hilo/engine/scalar_program.h"
#include "hilo/hlo/ops/introsort.h"
#include "hilo/hlo/ops/merge_sort.h"
#include "hilo/hlo/ops/sort.h"

namespace hilo::cpu {
namespace {

constexpr int64_t kInsertion = 8;  // elements: up to this number, insertion is faster than merges
/// Returns the number of elements up to which merges are faster than digits, for keys of that many bytes: each byte is
/// a pass over the digits.
constexpr int64_t merge_most(size_t key_bytes) {
  return key_bytes == 8 ? 4096 : key_bytes == 4 ? 128 : key_bytes == 2 ? 64 : 32;
}
constexpr int64_t kWideLeast = 2048;  // elements: from this number on, fewer and wider digits pay off

/// The elements of a stable ascending sort: a key, and the element's position or the element itself.
template <typename Key>
struct Pair {
  Key key;
  uint32_t position;
};

template <typename Key>
void insertion_sort(Pair<Key>* p, int64_t n) {
  for (int64_t i = 1; i < n; ++i) {
    const Pair<Key> x = p[i];
    int64_t j = i;
    for (; j > 0 && x.key < p[j - 1].key; --j) p[j] = p[j - 1];
    p[j] = x;
  }
}

/// Merges two runs of `width` elements each. The first `width` elements of the result are taken from the front and the
/// others from the back. So there is no test for the end of a run and no unpredictable branch.
template <typename Key>
void merge_runs(const Pair<Key>* runs, Pair<Key>* to, int64_t width) {
  int64_t left = 0, right = width, left_back = width - 1, right_back = 2 * width - 1;
  for (int64_t k = 0; k < width; ++k) {
    const int64_t from_right = runs[right].key < runs[left].key;
    to[k] = runs[left + (right - left) * from_right];
    right += from_right;
    left += 1 - from_right;
    const int64_t from_left = runs[right_back].key < runs[left_back].key;
    to[2 * width - 1 - k] = runs[right_back + (left_back - right_back) * from_left];
    left_back -= from_left;
    right_back -= 1 - from_left;
  }
}

/// Returns the number of pairs of memory for a line of `n`: merges need a power of two.
template <typename Key>
int64_t padded_pairs(int64_t n) {
  return n > merge_most(sizeof(Key)) ? n : static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(n)));
}

/// The greatest keys pad the memory and stay behind all others.
template <typename Key>
void merge_sort(Pair<Key>* p, Pair<Key>* other, int64_t n) {
  const int64_t padded = padded_pairs<Key>(n);
  for (Pair<Key>* memory : {p, other})
    std::fill(memory + n, memory + padded, Pair<Key>{std::numeric_limits<Key>::max(), 0});
  Pair<Key>*from = p, *to = other;
  for (int64_t width = 1; width < padded; width *= 2) {
    for (int64_t begin = 0; begin < n; begin += 2 * width) merge_runs(from + begin, to + begin, width);
    std::swap(from, to);
  }
  if (from != p) std::memcpy(p, from, static_cast<size_t>(n) * sizeof(Pair<Key>));
}

constexpr int64_t kSortPollInterval = 1 << 18;  // elements between checks of the stop word

/// Least significant digit first; digits that are equal in all keys are skipped. The result is in `p`. If the work must
/// stop, it is an intermediate result.
template <int kBits, typename Key>
void radix_sort(Pair<Key>* p, Pair<Key>* other, int64_t n) {
  constexpr int kDigits = (static_cast<int>(sizeof(Key)) * 8 + kBits - 1) / kBits;
  constexpr size_t kValues = size_t{1} << kBits;
  constexpr Key kMask = static_cast<Key>(kValues - 1);
  const auto digit = [](Key key, int d) { return static_cast<size_t>(static_cast<Key>(key >> (kBits * d)) & kMask); };
  std::vector<uint32_t> counts(kDigits * kValues, 0);
  const StopFlag stop;
  in_stretches(n, kSortPollInterval, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      for (int d = 0; d < kDigits; ++d) ++counts[static_cast<size_t>(d) * kValues + digit(p[i].key, d)];
    }
  });
  Pair<Key>* from = p;
  Pair<Key>* to = other;
  for (int d = 0; d < kDigits && !stop.raised(); ++d) {
    uint32_t* c = counts.data() + static_cast<size_t>(d) * kValues;
    if (c[digit(from[0].key, d)] == static_cast<uint32_t>(n)) continue;
    uint32_t start = 0;
    for (size_t v = 0; v < kValues; ++v) start += std::exchange(c[v], start);
    in_stretches(n, kSortPollInterval, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[c[digit(from[i].key, d)]++] = from[i];
    });
    std::swap(from, to);
  }
  if (from != p && !stop.raised()) std::memcpy(p, from, static_cast<size_t>(n) * sizeof(Pair<Key>));
}

/// Sorts bytes by counting each value.
class ByteCounts {
 public:
  explicit ByteCounts(const SortKey& key) {
    for (size_t v = 0; v < kValues; ++v) in_order_[ordered_key(key, static_cast<uint8_t>(v))] = static_cast<uint8_t>(v);
  }

  void sort(const uint8_t* from, uint8_t* to, int64_t n, int64_t stride) const {
    std::array<uint32_t, kValues> counts{};
    in_stretches(n, kSortPollInterval, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) ++counts[from[i * stride]];
    });
    uint8_t* const last = to + n * stride;
    for (const uint8_t v : in_order_) {
      const int64_t count = counts[v];
      *to = v;  // even if its count is zero: the next value overwrites it
      for (int64_t k = 1; k < count; ++k) to[k * stride] = v;
      to += count * stride;
      if (to == last) return;
    }
  }

 private:
  static constexpr size_t kValues = 256;
  std::array<uint8_t, kValues> in_order_;  ///< each value, at the index of its key
};

template <typename Key>
void sort_pairs(Pair<Key>* p, Pair<Key>* other, int64_t n, bool stable) {
  const auto less = [](const Pair<Key>& a, const Pair<Key>& b) { return a.key < b.key; };
  if (!stable) hlo::introsort(std::span(p, n), less);
  else if (n <= kInsertion) insertion_sort(p, n);
  else if (n <= merge_most(sizeof(Key))) merge_sort(p, other, n);
  else if (n < kWideLeast || sizeof(Key) <= 2) radix_sort<8>(p, other, n);
  else radix_sort<11>(p, other, n);  // three passes over 32-bit keys, and 2048 counters still fit in the L1 cache
}

/// Lines along the sorted dimension.
struct Lines {
  int64_t length, stride, outer, inner;
  int64_t count() const { return outer * inner; }
  int64_t begin(int64_t line) const { return (line / inner) * length * stride + line % inner; }
};

void move_elements(const void* from, void* to, size_t width, int64_t at, int64_t stride, int64_t n,
                   const auto& position) {
  const auto copy = [&]<typename T>() {
    const T* source = static_cast<const T*>(from) + at;
    T* target = static_cast<T*>(to) + at;
    for (int64_t i = 0; i < n; ++i) target[i * stride] = source[position(i) * stride];
  };
  switch (width) {
    case 1: return copy.template operator()<uint8_t>();
    case 2: return copy.template operator()<uint16_t>();
    case 4: return copy.template operator()<uint32_t>();
    case 8: return copy.template operator()<uint64_t>();
    default: return copy.template operator()<std::complex<double>>();
  }
}

class KeySortHero final : public Hero {
 public:
  /// `function` computes the keys of elements; null if they are those of the key's operand.
  KeySortHero(SortKey key, ScalarFunction function, Lines lines, std::vector<size_t> widths, bool stable)
      : key_(key),
        function_(function),
        lines_(lines),
        widths_(std::move(widths)),
        // Elements of equal keys that are equal in all bits may be in any order.
        stable_(stable || is_alone()) {
    if (is_alone() && widths_[0] == 1 && lines.length > merge_most(1)) counts_.emplace(key);
  }

  Status run(void* const* buffers, const CallContext&) const override {
    switch (element_size_bytes(key_.type)) {
      case 1: return run_as<uint8_t>(buffers);
      case 2: return run_as<uint16_t>(buffers);
      case 4: return run_as<uint32_t>(buffers);
      default: return run_as<uint64_t>(buffers);
    }
  }

 private:
  /// Whether elements with equal keys have equal bits.
  bool is_alone() const {
    return function_ == nullptr && widths_.size() == 1 &&
           (!is_floating(key_.type) || (!key_.equal_zeros && !key_.equal_nans));
  }

  template <typename Key>
  Status run_as(void* const* buffers) const {
    const int64_t n = lines_.length;
    const int64_t padded = padded_pairs<Key>(n);
    const size_t pair_bytes = static_cast<size_t>(padded) * sizeof(Pair<Key>);
    const size_t key_bytes = function_ == nullptr ? 0 : static_cast<size_t>(round_to_line(n)) * sizeof(Key);
    const size_t bytes = 2 * pair_bytes + key_bytes;
    const bool worth = worth_forking(work_ns(kCpuCosts.library.sorted, lines_.count() * n));
    const int64_t tasks = worth ? std::min<int64_t>(lines_.count(), 16) : 1;
    HILO_ASSIGN_OR_RETURN(AlignedBuffer scratch, allocate_buffer(bytes * static_cast<size_t>(tasks)));
    const auto task = [&](int64_t t) {
      auto* pairs = reinterpret_cast<Pair<Key>*>(scratch.data() + bytes * static_cast<size_t>(t));
      auto* const key_memory = reinterpret_cast<Key*>(pairs + 2 * padded);
      const StopFlag stop;
      for (int64_t line = lines_.count() * t / tasks; line < lines_.count() * (t + 1) / tasks && !stop.raised(); ++line)
        sort_line(buffers, line, pairs, pairs + padded, key_memory, stop);
    };
    if (tasks > 1) run_tasks(default_pool(), tasks, task);
    else task(0);
    return ok_status();
  }

  static int64_t round_to_line(int64_t count) { return (count + 63) / 64 * 64; }

  /// Computes the keys of a line's elements.
  template <typename Key>
  void make_keys(void* const* buffers, int64_t at, Key* keys) const {
    const uint32_t* const word = polled_word(stop_word());  // the function may have a loop
    std::vector<const void*> arguments(widths_.size());
    in_stretches(lines_.length, kSortPollInterval, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        for (size_t k = 0; k < widths_.size(); ++k) {
          const size_t place = at + i * lines_.stride;
          arguments[k] = static_cast<const std::byte*>(buffers[k]) + place * widths_[k];
        }
        void* to = keys + i;
        function_(arguments.data(), &to, word);
      }
    });
  }

  /// `key_memory`: memory for keys if a function computes them.
  template <typename Key>
  void sort_line(void* const* buffers, int64_t line, Pair<Key>* pairs, Pair<Key>* other, Key* key_memory,
                 const StopFlag& stop) const {
    const int64_t n = lines_.length, at = lines_.begin(line), stride = lines_.stride;
    if (function_ != nullptr) {
      make_keys(buffers, at, key_memory);
      for (int64_t i = 0; i < n; ++i) pairs[i] = {ordered_key(key_, key_memory[i]), static_cast<uint32_t>(i)};
      return sort_and_move(buffers, at, pairs, other, stop);
    }
    const Key* keys = static_cast<const Key*>(buffers[key_.operand]) + at;
    if constexpr (sizeof(Key) == 1) {
      if (counts_) return counts_->sort(keys, static_cast<Key*>(buffers[1]) + at, n, stride);
    }
    if constexpr (sizeof(Key) <= sizeof(uint32_t)) {
      if (widths_.size() == 1) {
        // Without payload the element itself is sorted with its key.
        for (int64_t i = 0; i < n; ++i)
          pairs[i] = {ordered_key(key_, keys[i * stride]), static_cast<uint32_t>(keys[i * stride])};
        sort(pairs, other, n);
        if (stop.raised()) return;
        Key* sorted = static_cast<Key*>(buffers[1]) + at;
        for (int64_t i = 0; i < n; ++i) sorted[i * stride] = static_cast<Key>(pairs[i].position);
        return;
      }
    }
    for (int64_t i = 0; i < n; ++i) pairs[i] = {ordered_key(key_, keys[i * stride]), static_cast<uint32_t>(i)};
    sort_and_move(buffers, at, pairs, other, stop);
  }

  template <typename Key>
  void sort_and_move(void* const* buffers, int64_t at, Pair<Key>* pairs, Pair<Key>* other, const StopFlag& stop) const {
    sort(pairs, other, lines_.length);
    if (stop.raised()) return;  // positions may be invalid
    for (size_t k = 0; k < widths_.size(); ++k) {
      move_elements(buffers[k], buffers[widths_.size() + k], widths_[k], at, lines_.stride, lines_.length,
                    [&](int64_t i) { return static_cast<int64_t>(pairs[i].position); });
    }
  }

  template <typename Key>
  void sort(Pair<Key>* pairs, Pair<Key>* other, int64_t n) const {
    // The key of NaN, for any of its bits.
    const Key nan = ordered_key(key_, static_cast<Key>(std::numeric_limits<Key>::max() >> 1));
    if (!key_.loose_nans || std::none_of(pairs, pairs + n, [&](const Pair<Key>& p) { return p.key == nan; }))
      return sort_pairs(pairs, other, n, stable_);
    const auto before = [&](const Pair<Key>& a, const Pair<Key>& b) {
      return a.key != nan && b.key != nan && a.key < b.key;
    };
    const std::span all(pairs, n);
    if (stable_) hlo::merge_sort(all, before);
    else hlo::introsort(all, before);
  }

  SortKey key_;
  ScalarFunction function_;
  Lines lines_;
  std::vector<size_t> widths_;
  bool stable_;
  std::optional<ByteCounts> counts_;  ///< for bytes only
};

class ComparatorSortHero final : public Hero {
 public:
  ComparatorSortHero(ScalarFunction comparator, Lines lines, std::vector<size_t> widths, bool stable)
      : comparator_(comparator), lines_(lines), widths_(std::move(widths)), stable_(stable) {}

  Status run(void* const* buffers, const CallContext&) const override {
    const StopFlag stop;
    const size_t operands = widths_.size();
    std::vector<int64_t> order(lines_.length);
    std::vector<const void*> arguments(2 * operands);
    for (int64_t line = 0; line < lines_.count() && !stop.raised(); ++line) {
      const int64_t at = lines_.begin(line);
      std::iota(order.begin(), order.end(), 0);
      const auto element = [&](size_t k, int64_t i) {
        return static_cast<const std::byte*>(buffers[k]) + static_cast<size_t>(at + i * lines_.stride) * widths_[k];
      };
      const uint32_t* const word = polled_word(stop_word());  // the comparator may have a loop
      const auto before = [&](int64_t i, int64_t j) {
        for (size_t k = 0; k < operands; ++k) {
          arguments[2 * k] = element(k, i);
          arguments[2 * k + 1] = element(k, j);
        }
        uint8_t first = 0;
        void* result = &first;
        comparator_(arguments.data(), &result, word);
        return first != 0;
      };
      if (stable_) hlo::merge_sort(std::span(order), before);
      else hlo::introsort(std::span(order), before);
      for (size_t k = 0; k < operands && !stop.raised(); ++k) {
        move_elements(buffers[k], buffers[operands + k], widths_[k], at, lines_.stride, lines_.length,
                      [&](int64_t i) { return order[i]; });
      }
    }
    return ok_status();
  }

 private:
  ScalarFunction comparator_;
  Lines lines_;
  std::vector<size_t> widths_;
  bool stable_;
};

}  // namespace

StatusOr<std::unique_ptr<Hero>> make_sort_hero(const HeroRequest& request) {
  const std::span<const Shape> operands = request.problem.operands;
  const auto& a = hlo::attributes_of<hlo::SortAttributes>(request.problem.instruction);
  std::vector<size_t> widths;
  for (const Shape& s : operands) {
    widths.push_back(element_size_bytes(s.element_type()));
  }
  Lines lines{1, 1, 1, 1};
  const Shape& shape = operands[0];
  if (shape.rank() > 0) {
    lines.length = shape.dimension(a.dimension());
    for (int64_t d = 0; d < shape.rank(); ++d)
      (d < a.dimension() ? lines.outer : lines.inner) *= d == a.dimension() ? 1 : shape.dimension(d);
    lines.stride = lines.inner;
  }
  if (const std::optional<SortKey> key = sort_key_of(*a.to_apply); key && lines.length < INT32_MAX) {
    return std::unique_ptr<Hero>(std::make_unique<KeySortHero>(*key, nullptr, lines, std::move(widths), a.is_stable));
  }
  if (!engine::is_scalar_function(*a.to_apply)) return std::unique_ptr<Hero>();
  std::vector<ElementType> types;
  for (const Shape& s : operands) types.push_back(s.element_type());
  if (const auto f = key_function_of(*a.to_apply, types); f && lines.length < INT32_MAX) {
    HILO_ASSIGN_OR_RETURN(const ScalarFunction function, request.code.scalar_program(*f->key));
    return std::unique_ptr<Hero>(
        std::make_unique<KeySortHero>(f->order, function, lines, std::move(widths), a.is_stable));
  }
  HILO_ASSIGN_OR_RETURN(const ScalarFunction comparator, request.code.scalar_program(*a.to_apply));
  return std::unique_ptr<Hero>(std::make_unique<ComparatorSortHero>(comparator, lines, std::move(widths), a.is_stable));
}

}  // namespace hilo::cpu
