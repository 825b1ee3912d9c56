// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/top_k.h"

#include <algorithm>
#include <type_traits>

#include "hilo/backend/cpu/runtime/functions.h"
#include "hilo/hlo/ops/top_k.h"

namespace hilo::cpu::runtime {
namespace {

constexpr int64_t kMaxInserted = 16;      // best elements that are kept in order
constexpr int64_t kMaxWithoutBranch = 4;  // for which an insertion is cheaper than the question whether it is needed
constexpr int64_t kMinKept = 64;          // candidates before more best elements are selected from them
constexpr int64_t kBlock = 64;            // elements that are skipped together
constexpr int64_t kTopKPollInterval = 1 << 18;  // elements between checks of the stop word

/// A key and, in the lower 32 bits, its position. Of equal keys the first has the lower rank.
template <typename Bits>
using Rank = std::conditional_t<sizeof(Bits) == 8, unsigned __int128, uint64_t>;

int64_t most_kept(const TopKProblem& p) { return std::max(2 * p.k, kMinKept); }

/// Returns the number of ranks at any time: a block is added before the lowest are selected.
size_t most_ranks(const TopKProblem& p) {
  return static_cast<size_t>(p.k <= kMaxInserted ? p.k : most_kept(p) + kBlock);
}

/// The keys of a row, in whose order the best element is the first.
template <typename Bits, hlo::BitOrder kOrder>
struct Keys {
  const Bits* x;
  Bits mask, sign, flip;

  Keys(const TopKProblem& p, const Bits* row) : x(row) {
    const hlo::ElementBits bits = hlo::element_bits(p.type);
    mask = static_cast<Bits>(bits.mask);
    sign = static_cast<Bits>(bits.sign);
    flip = p.largest ? mask : Bits{0};
  }
  Bits operator()(int64_t i) const {
    return static_cast<Bits>(hlo::ordered_bits<kOrder, Bits>(x[i], mask, sign) ^ flip);
  }
  Rank<Bits> rank(int64_t i) const { return Rank<Bits>{(*this)(i)} << 32 | static_cast<uint32_t>(i); }
};

/// Calls visit(first, end) for blocks of a row whose ranks may be among the lowest: not for those without a key below
/// bar(). The first `most` elements are always visited.
template <typename Bits>
void each_block(int64_t length, int64_t most, const Stop& stop, const auto& key_at, const auto& bar,
                const auto& visit) {
  for (int64_t begin = 0; begin < length; begin += kBlock) {
    // When a call stops, the elements ranked so far are valid positions.
    if (begin % kTopKPollInterval < kBlock && begin >= most && stop.raised()) return;
    const int64_t end = std::min(begin + kBlock, length);
    if (begin >= most && end - begin == kBlock) {
      const Bits highest = bar();
      Bits lowest = highest;
      for (int64_t i = 0; i < kBlock; ++i) lowest = std::min(lowest, key_at(begin + i));
      if (lowest == highest) continue;
    }
    visit(begin, end);
  }
}

/// Inserts a rank into the lowest so far, which are in order; the last one leaves.
template <typename R>
void insert(R* lowest, int64_t count, R rank) {
  for (int64_t k = 0; k < count; ++k) {
    const R lower = std::min(lowest[k], rank);
    rank = std::max(lowest[k], rank);
    lowest[k] = lower;
  }
}

/// Finds the k lowest ranks of a row in order, for a small k.
template <typename Bits, hlo::BitOrder kOrder>
void insert_lowest(const TopKProblem& p, const Keys<Bits, kOrder>& key_at, Rank<Bits>* lowest, const Stop& stop) {
  std::fill_n(lowest, p.k, ~Rank<Bits>{0});
  Rank<Bits>& last = lowest[p.k - 1];
  each_block<Bits>(
      p.length, p.k, stop, key_at, [&] { return static_cast<Bits>(last >> 32); },
      [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const Rank<Bits> rank = key_at.rank(i);
          if (p.k <= kMaxWithoutBranch || rank < last) insert(lowest, p.k, rank);
        }
      });
}

/// Finds the k lowest ranks of a row in order: collects those below the k-th lowest so far, and selects from them.
template <typename Bits, hlo::BitOrder kOrder>
void select_lowest(const TopKProblem& p, const Keys<Bits, kOrder>& key_at, Rank<Bits>* ranked, const Stop& stop) {
  const int64_t most = most_kept(p);
  int64_t count = 0;
  auto bar = static_cast<Bits>(~Bits{0});
  const auto select = [&] {
    std::nth_element(ranked, ranked + (p.k - 1), ranked + count);
    count = p.k;
  };
  each_block<Bits>(
      p.length, most, stop, key_at, [&] { return bar; },
      [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          if (key_at(i) < bar || begin < most) ranked[count++] = key_at.rank(i);
        }
        if (count < most) return;
        select();
        bar = static_cast<Bits>(ranked[count - 1] >> 32);
      });
  select();
  std::sort(ranked, ranked + count);
}

template <typename Bits, hlo::BitOrder kOrder>
void run_rows(const Call& call, const TopKProblem& p, int64_t begin, int64_t end) {
  Rank<Bits>* const ranked = Scratch(call).take<Rank<Bits>>(most_ranks(p)).data();
  const Stop stop = stop_of(call);
  for (int64_t row = begin; row < end && !stop.raised(); ++row) {
    const Bits* x = static_cast<const Bits*>(call.buffers[0]) + row * p.length;
    const Keys<Bits, kOrder> keys(p, x);
    if (p.k <= kMaxInserted) insert_lowest(p, keys, ranked, stop);
    else select_lowest(p, keys, ranked, stop);
    auto* values = static_cast<Bits*>(call.buffers[1]) + row * p.k;
    auto* positions = static_cast<int32_t*>(call.buffers[2]) + row * p.k;
    for (int64_t k = 0; k < p.k; ++k) {
      const auto position = static_cast<uint32_t>(ranked[k]);
      positions[k] = static_cast<int32_t>(position);
      values[k] = x[position];
    }
  }
}

template <typename Bits>
void run_as(const Call& call, const TopKProblem& p, int64_t begin, int64_t end) {
  switch (hlo::bit_order(p.type)) {
    case hlo::BitOrder::kUnsigned: return run_rows<Bits, hlo::BitOrder::kUnsigned>(call, p, begin, end);
    case hlo::BitOrder::kSigned: return run_rows<Bits, hlo::BitOrder::kSigned>(call, p, begin, end);
    case hlo::BitOrder::kFloating: return run_rows<Bits, hlo::BitOrder::kFloating>(call, p, begin, end);
  }
}

}  // namespace

size_t TopKProblem::scratch_bytes() const { return most_ranks(*this) * sizeof(Rank<uint64_t>); }

void hilo_rt_top_k(const Call* call, int64_t begin, int64_t end) {
  const auto& p = problem_of<TopKProblem>(*call);
  if (p.k == 0) return;
  switch (element_size_bytes(p.type)) {
    case 1: return run_as<uint8_t>(*call, p, begin, end);
    case 2: return run_as<uint16_t>(*call, p, begin, end);
    case 4: return run_as<uint32_t>(*call, p, begin, end);
    default: return run_as<uint64_t>(*call, p, begin, end);
  }
}

}  // namespace hilo::cpu::runtime
