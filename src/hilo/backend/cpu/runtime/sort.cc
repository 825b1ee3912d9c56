// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <complex>
#include <cstring>
#include <numeric>

#include "hilo/backend/cpu/abi/functions.h"
#include "hilo/backend/cpu/runtime/functions.h"
#include "hilo/base/stretches.h"
#include "hilo/hlo/ops/introsort.h"
#include "hilo/hlo/ops/merge_sort.h"

namespace hilo::cpu::runtime {
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

template <typename Key>
constexpr int digits(int bits) {
  return (static_cast<int>(sizeof(Key)) * 8 + bits - 1) / bits;
}

/// Returns the bits of a digit for lines of `n`. 0: no radix sort.
template <typename Key>
constexpr int digit_bits(int64_t n) {
  if (n <= merge_most(sizeof(Key))) return 0;
  // Of 11 bits: three passes over 32-bit keys, and 2048 counters still fit in the L1 cache.
  return n < kWideLeast || sizeof(Key) <= 2 ? 8 : 11;
}

/// Least significant digit first; digits that are equal in all keys are skipped. The result is in `p`. If the work must
/// stop, it is an intermediate result.
template <int kBits, typename Key>
void radix_sort(Pair<Key>* p, Pair<Key>* other, int64_t n, uint32_t* counts, const Stop& stop) {
  constexpr int kDigits = digits<Key>(kBits);
  constexpr size_t kValues = size_t{1} << kBits;
  constexpr Key kMask = static_cast<Key>(kValues - 1);
  const auto digit = [](Key key, int d) { return static_cast<size_t>(static_cast<Key>(key >> (kBits * d)) & kMask); };
  std::fill_n(counts, kDigits * kValues, 0);
  in_stretches(n, kSortPollInterval, stop, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      for (int d = 0; d < kDigits; ++d) ++counts[static_cast<size_t>(d) * kValues + digit(p[i].key, d)];
    }
  });
  Pair<Key>* from = p;
  Pair<Key>* to = other;
  for (int d = 0; d < kDigits && !stop.raised(); ++d) {
    uint32_t* c = counts + static_cast<size_t>(d) * kValues;
    if (c[digit(from[0].key, d)] == static_cast<uint32_t>(n)) continue;
    uint32_t start = 0;
    for (size_t v = 0; v < kValues; ++v) start += std::exchange(c[v], start);
    in_stretches(n, kSortPollInterval, stop, [&](int64_t begin, int64_t end) {
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

  void sort(const uint8_t* from, uint8_t* to, int64_t n, int64_t stride, const Stop& stop) const {
    std::array<uint32_t, kValues> counts{};
    in_stretches(n, kSortPollInterval, stop, [&](int64_t begin, int64_t end) {
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

/// The memory of a line.
template <typename Key>
struct LineMemory {
  std::span<Pair<Key>> pairs, other;
  std::span<Key> keys;               ///< if a function computes them
  std::span<const void*> arguments;  ///< of that function
  std::span<uint32_t> counts;        ///< of digits
};

template <typename Key>
void sort_pairs(const LineMemory<Key>& memory, int64_t n, bool stable, const Stop& stop) {
  const auto less = [](const Pair<Key>& a, const Pair<Key>& b) { return a.key < b.key; };
  Pair<Key>*const p = memory.pairs.data(), *const other = memory.other.data();
  if (!stable) hlo::introsort(std::span(p, n), less, stop);
  else if (n <= kInsertion) insertion_sort(p, n);
  else if (digit_bits<Key>(n) == 0) merge_sort(p, other, n);
  else if (digit_bits<Key>(n) == 8) radix_sort<8>(p, other, n, memory.counts.data(), stop);
  else radix_sort<11>(p, other, n, memory.counts.data(), stop);
}

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

/// Computes the keys of a line's elements.
template <typename Key>
void make_keys(const Call& call, const SortProblem& p, int64_t at, const LineMemory<Key>& memory) {
  const auto function = reinterpret_cast<ScalarFunction>(call.code[0]);
  const std::span<const int64_t> widths = p.widths.of(&p);
  in_stretches(p.lines.length, kSortPollInterval, stop_of(call), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      for (size_t k = 0; k < widths.size(); ++k)
        memory.arguments[k] = static_cast<const std::byte*>(call.buffers[k]) + (at + i * p.lines.stride) * widths[k];
      void* to = memory.keys.data() + i;
      function(memory.arguments.data(), &to, call.stop);
    }
  });
}

template <typename Key>
void sort_keys(const SortProblem& p, const LineMemory<Key>& memory, const Stop& stop) {
  const int64_t n = p.lines.length;
  const bool stable = p.is_stable || p.is_alone();  // elements that are equal in all bits may be in any order
  // The key of NaN, for any of its bits.
  const Key nan = ordered_key(p.key, static_cast<Key>(std::numeric_limits<Key>::max() >> 1));
  const std::span all = memory.pairs.first(static_cast<size_t>(n));
  if (!p.key.loose_nans || std::ranges::none_of(all, [&](const Pair<Key>& pair) { return pair.key == nan; }))
    return sort_pairs(memory, n, stable, stop);
  const auto before = [&](const Pair<Key>& a, const Pair<Key>& b) {
    return a.key != nan && b.key != nan && a.key < b.key;
  };
  if (stable) hlo::merge_sort(all, memory.other.first(static_cast<size_t>(n)), before, stop);
  else hlo::introsort(all, before, stop);
}

template <typename Key>
void sort_line(const Call& call, const SortProblem& p, const LineMemory<Key>& memory, int64_t line) {
  const std::span<const int64_t> widths = p.widths.of(&p);
  const Stop stop = stop_of(call);
  const int64_t n = p.lines.length, at = p.lines.begin(line), stride = p.lines.stride;
  Pair<Key>* const pairs = memory.pairs.data();
  const Key* const keys = static_cast<const Key*>(call.buffers[p.key.operand]) + at;
  if (p.has_function) {
    make_keys(call, p, at, memory);
    for (int64_t i = 0; i < n; ++i) pairs[i] = {ordered_key(p.key, memory.keys[i]), static_cast<uint32_t>(i)};
  } else {
    if constexpr (sizeof(Key) <= sizeof(uint32_t)) {
      if (widths.size() == 1) {
        // Without payload the element itself is sorted with its key.
        for (int64_t i = 0; i < n; ++i)
          pairs[i] = {ordered_key(p.key, keys[i * stride]), static_cast<uint32_t>(keys[i * stride])};
        sort_keys(p, memory, stop);
        if (stop.raised()) return;
        Key* sorted = static_cast<Key*>(call.buffers[1]) + at;
        for (int64_t i = 0; i < n; ++i) sorted[i * stride] = static_cast<Key>(pairs[i].position);
        return;
      }
    }
    for (int64_t i = 0; i < n; ++i) pairs[i] = {ordered_key(p.key, keys[i * stride]), static_cast<uint32_t>(i)};
  }
  sort_keys(p, memory, stop);
  if (stop.raised()) return;  // positions may be invalid
  for (size_t k = 0; k < widths.size(); ++k) {
    move_elements(call.buffers[k], call.buffers[widths.size() + k], static_cast<size_t>(widths[k]), at, stride, n,
                  [&](int64_t i) { return static_cast<int64_t>(pairs[i].position); });
  }
}

/// Calls f.operator()<Key>() with an unsigned integer as wide as the keys.
template <typename F>
auto visit_key(ElementType type, const F& f) {
  switch (element_size_bytes(type)) {
    case 1: return f.template operator()<uint8_t>();
    case 2: return f.template operator()<uint16_t>();
    case 4: return f.template operator()<uint32_t>();
    default: return f.template operator()<uint64_t>();
  }
}

template <typename Key>
void sort_lines(const Call& call, const SortProblem& p, int64_t begin, int64_t end) {
  const int64_t n = p.lines.length;
  const auto pairs = static_cast<size_t>(padded_pairs<Key>(n));
  Scratch scratch(call);
  LineMemory<Key> memory{scratch.take<Pair<Key>>(pairs), scratch.take<Pair<Key>>(pairs), {}, {}, {}};
  if (p.has_function) {
    memory.keys = scratch.take<Key>(static_cast<size_t>(n));
    memory.arguments = scratch.take<const void*>(p.widths.size);
  }
  if (const int bits = digit_bits<Key>(n); bits != 0)
    memory.counts = scratch.take<uint32_t>(static_cast<size_t>(digits<Key>(bits)) << bits);
  const Stop stop = stop_of(call);
  if constexpr (sizeof(Key) == 1) {
    if (p.is_alone() && n > merge_most(1)) {
      const ByteCounts counts(p.key);
      for (int64_t line = begin; line < end && !stop.raised(); ++line) {
        const int64_t at = p.lines.begin(line);
        counts.sort(static_cast<const Key*>(call.buffers[0]) + at, static_cast<Key*>(call.buffers[1]) + at, n,
                    p.lines.stride, stop);
      }
      return;
    }
  }
  for (int64_t line = begin; line < end && !stop.raised(); ++line) sort_line(call, p, memory, line);
}

template <typename Key>
size_t scratch_of(const SortProblem& p) {
  const int64_t n = p.lines.length;
  const int bits = digit_bits<Key>(n);
  const auto pairs = static_cast<size_t>(padded_pairs<Key>(n));
  return 2 * Scratch::bytes_for<Pair<Key>>(pairs) +
         (p.has_function ? Scratch::bytes_for<Key>(static_cast<size_t>(n)) + Scratch::bytes_for<void*>(p.widths.size)
                         : 0) +
         (bits == 0 ? 0 : Scratch::bytes_for<uint32_t>(static_cast<size_t>(digits<Key>(bits)) << bits));
}

/// Sorts a line's positions by one key. Those with equal keys stay in order.
template <typename Key>
void sort_positions(const Call& call, const SortProblem& p, const SortKey& key, std::span<uint32_t> order, int64_t at) {
  const int64_t n = p.lines.length;
  const auto count = static_cast<size_t>(padded_pairs<Key>(n));
  Scratch scratch(call);
  scratch.take<uint32_t>(order.size());  // the positions themselves
  LineMemory<Key> memory{scratch.take<Pair<Key>>(count), scratch.take<Pair<Key>>(count), {}, {}, {}};
  if (const int bits = digit_bits<Key>(n); bits != 0)
    memory.counts = scratch.take<uint32_t>(static_cast<size_t>(digits<Key>(bits)) << bits);
  const Key* const keys = static_cast<const Key*>(call.buffers[key.operand]) + at;
  for (size_t i = 0; i < order.size(); ++i)
    memory.pairs[i] = {ordered_key(key, keys[order[i] * p.lines.stride]), order[i]};
  sort_pairs(memory, n, true, stop_of(call));
  for (size_t i = 0; i < order.size(); ++i) order[i] = memory.pairs[i].position;
}

/// Sorts by the last key first. The sorts by the previous ones keep its order among their equals.
void sort_lines_by_keys(const Call& call, const SortProblem& p, int64_t begin, int64_t end) {
  const std::span<const int64_t> widths = p.widths.of(&p);
  const std::span<const SortKey> more = p.more.of(&p);
  const Stop stop = stop_of(call);
  Scratch scratch(call);
  const std::span<uint32_t> order = scratch.take<uint32_t>(static_cast<size_t>(p.lines.length));
  for (int64_t line = begin; line < end && !stop.raised(); ++line) {
    const int64_t at = p.lines.begin(line);
    std::iota(order.begin(), order.end(), 0);
    for (size_t k = more.size() + 1; k-- > 0 && !stop.raised();) {
      const SortKey& key = k == 0 ? p.key : more[k - 1];
      visit_key(key.type, [&]<typename Key>() { sort_positions<Key>(call, p, key, order, at); });
    }
    for (size_t k = 0; k < widths.size() && !stop.raised(); ++k) {
      move_elements(call.buffers[k], call.buffers[widths.size() + k], static_cast<size_t>(widths[k]), at,
                    p.lines.stride, p.lines.length, [&](int64_t i) { return static_cast<int64_t>(order[i]); });
    }
  }
}

/// Sorts the positions of a line's elements.
void sort_compared(const Call& call, const SortComparedProblem& p, std::span<int64_t> order, std::span<int64_t> other,
                   std::span<const void*> arguments, int64_t at) {
  const auto comparator = reinterpret_cast<ScalarFunction>(call.code[0]);
  const std::span<const int64_t> widths = p.widths.of(&p);
  const auto element = [&](size_t k, int64_t i) {
    return static_cast<const std::byte*>(call.buffers[k]) + (at + i * p.lines.stride) * widths[k];
  };
  const auto before = [&](int64_t i, int64_t j) {
    for (size_t k = 0; k < widths.size(); ++k) {
      arguments[2 * k] = element(k, i);
      arguments[2 * k + 1] = element(k, j);
    }
    uint8_t first = 0;
    void* result = &first;
    comparator(arguments.data(), &result, call.stop);
    return first != 0;
  };
  std::iota(order.begin(), order.end(), 0);
  if (p.is_stable) hlo::merge_sort(order, other, before, stop_of(call));
  else hlo::introsort(order, before, stop_of(call));
}

}  // namespace

size_t SortProblem::scratch_bytes(std::span<const SortKey> others) const {
  const auto bytes_of = [&](const SortKey& k) {
    return visit_key(k.type, [&]<typename Key>() { return scratch_of<Key>(*this); });
  };
  size_t bytes = bytes_of(key);
  for (const SortKey& k : others) bytes = std::max(bytes, bytes_of(k));
  return bytes + (others.empty() ? 0 : Scratch::bytes_for<uint32_t>(static_cast<size_t>(lines.length)));
}

void hilo_rt_sort(const Call* call, int64_t begin, int64_t end) {
  const auto& p = problem_of<SortProblem>(*call);
  if (p.more.size > 0) return sort_lines_by_keys(*call, p, begin, end);
  visit_key(p.key.type, [&]<typename Key>() { sort_lines<Key>(*call, p, begin, end); });
}

void hilo_rt_sort_compared(const Call* call, int64_t begin, int64_t end) {
  const auto& p = problem_of<SortComparedProblem>(*call);
  const std::span<const int64_t> widths = p.widths.of(&p);
  const auto n = static_cast<size_t>(p.lines.length);
  Scratch scratch(*call);
  const std::span<int64_t> order = scratch.take<int64_t>(n), other = scratch.take<int64_t>(n);
  const std::span<const void*> arguments = scratch.take<const void*>(2 * widths.size());
  const Stop stop = stop_of(*call);
  for (int64_t line = begin; line < end && !stop.raised(); ++line) {
    const int64_t at = p.lines.begin(line);
    sort_compared(*call, p, order, other, arguments, at);
    for (size_t k = 0; k < widths.size() && !stop.raised(); ++k) {
      move_elements(call->buffers[k], call->buffers[widths.size() + k], static_cast<size_t>(widths[k]), at,
                    p.lines.stride, p.lines.length, [&](int64_t i) { return order[i]; });
    }
  }
}

}  // namespace hilo::cpu::runtime
