// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/order/top_k.cc -- topk: stores the lowest (key, position) pairs of a row so far; threads share the
// rows.
#include "hilo/hlo/ops/top_k.h"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/backend/cpu/library/parallel.h"

namespace hilo::cpu {
namespace {

constexpr int64_t kMostInserted = 16;      // best elements that are kept in order
constexpr int64_t kMostWithoutBranch = 4;  // for which an insertion is cheaper than the question whether it is needed
constexpr size_t kMinKept = 64;            // candidates before more best elements are selected from them
constexpr int64_t kBlock = 64;             // elements that are skipped together
constexpr int64_t kTopKPollInterval = 1 << 18;  // elements between checks of the stop word

/// A key and, in the lower 32 bits, its position. Of equal keys the first has the lower rank.
template <typename Bits>
using Rank = std::conditional_t<sizeof(Bits) == 8, unsigned __int128, uint64_t>;

/// Inserts a rank into the lowest so far, which are in order; the last one leaves.
template <typename R>
void insert(std::vector<R>& lowest, R rank) {
  for (R& kept : lowest) {
    const R lower = std::min(kept, rank);
    rank = std::max(kept, rank);
    kept = lower;
  }
}

class TopKHero final : public Hero {
 public:
  TopKHero(const hlo::TopKAttributes& a, const Shape& x)
      : type_(x.element_type()), k_(a.k), length_(x.dimension(x.rank() - 1)), largest_(a.largest) {
    for (int64_t d = 0; d + 1 < x.rank(); ++d) rows_ *= x.dimension(d);
  }

  Status run(void* const* buffers, const CallContext&) const override {
    if (k_ == 0 || rows_ == 0) return ok_status();
    switch (element_size_bytes(type_)) {
      case 1: run_as<uint8_t>(buffers); break;
      case 2: run_as<uint16_t>(buffers); break;
      case 4: run_as<uint32_t>(buffers); break;
      default: run_as<uint64_t>(buffers); break;
    }
    return ok_status();
  }

 private:
  template <typename Bits>
  void run_as(void* const* buffers) const {
    switch (hlo::bit_order(type_)) {
      case hlo::BitOrder::kUnsigned: return run_rows<Bits, hlo::BitOrder::kUnsigned>(buffers);
      case hlo::BitOrder::kSigned: return run_rows<Bits, hlo::BitOrder::kSigned>(buffers);
      case hlo::BitOrder::kFloating: return run_rows<Bits, hlo::BitOrder::kFloating>(buffers);
    }
  }

  template <typename Bits, hlo::BitOrder kOrder>
  void run_rows(void* const* buffers) const {
    const bool worth = worth_forking(work_ns(kCpuCosts.library.ranked, rows_ * length_));
    in_parts(rows_, worth ? std::min<int64_t>(rows_, 16) : 1, [&](int64_t begin, int64_t end) {
      std::vector<Rank<Bits>> ranked;
      const StopFlag stop;
      for (int64_t row = begin; row < end && !stop.raised(); ++row) {
        const Bits* x = static_cast<const Bits*>(buffers[0]) + row * length_;
        if (k_ <= kMostInserted) insert_lowest<Bits, kOrder>(x, ranked);
        else select_lowest<Bits, kOrder>(x, ranked);
        auto* values = static_cast<Bits*>(buffers[1]) + row * k_;
        auto* positions = static_cast<int32_t*>(buffers[2]) + row * k_;
        for (int64_t k = 0; k < k_; ++k) {
          const auto position = static_cast<uint32_t>(ranked[k]);
          positions[k] = static_cast<int32_t>(position);
          values[k] = x[position];
        }
      }
    });
  }

  /// Calls visit(first, end) for blocks of a row whose ranks may be among the lowest: not for those without a key below
  /// bar(). The first `most` elements are always visited.
  template <typename Bits>
  void each_block(int64_t most, const auto& key_at, const auto& bar, const auto& visit) const {
    const StopFlag stop;
    for (int64_t begin = 0; begin < length_; begin += kBlock) {
      // When a call stops, the elements ranked so far are valid positions.
      if (begin % kTopKPollInterval < kBlock && begin >= most && stop.raised()) return;
      const int64_t end = std::min(begin + kBlock, length_);
      if (begin >= most && end - begin == kBlock) {
        const Bits highest = bar();
        Bits lowest = highest;
        for (int64_t i = 0; i < kBlock; ++i) lowest = std::min(lowest, key_at(begin + i));
        if (lowest == highest) continue;
      }
      visit(begin, end);
    }
  }

  template <typename Bits, hlo::BitOrder kOrder>
  auto keys_of(const Bits* x) const {
    const hlo::ElementBits bits = hlo::element_bits(type_);
    const auto mask = static_cast<Bits>(bits.mask), sign = static_cast<Bits>(bits.sign),
               flip = largest_ ? mask : Bits{0};
    return [=](int64_t i) { return static_cast<Bits>(hlo::ordered_bits<kOrder, Bits>(x[i], mask, sign) ^ flip); };
  }
  template <typename Bits>
  static Rank<Bits> rank_of(Bits key, int64_t position) {
    return Rank<Bits>{key} << 32 | static_cast<uint32_t>(position);
  }

  /// Finds the k lowest ranks of a row in order, for a small k.
  template <typename Bits, hlo::BitOrder kOrder>
  void insert_lowest(const Bits* x, std::vector<Rank<Bits>>& lowest) const {
    const auto key_at = keys_of<Bits, kOrder>(x);
    lowest.assign(k_, ~Rank<Bits>{0});
    each_block<Bits>(
        k_, key_at, [&] { return static_cast<Bits>(lowest.back() >> 32); },
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const Rank<Bits> rank = rank_of(key_at(i), i);
            if (k_ <= kMostWithoutBranch || rank < lowest.back()) insert(lowest, rank);
          }
        });
  }

  /// Finds the k lowest ranks of a row in order: collects those below the k-th lowest so far, and selects from them.
  template <typename Bits, hlo::BitOrder kOrder>
  void select_lowest(const Bits* x, std::vector<Rank<Bits>>& ranked) const {
    const auto key_at = keys_of<Bits, kOrder>(x);
    const size_t most = std::max(2 * static_cast<size_t>(k_), kMinKept);
    const auto select = [&] {
      std::nth_element(ranked.begin(), ranked.begin() + (k_ - 1), ranked.end());
      ranked.resize(k_);
    };
    Bits bar = static_cast<Bits>(~Bits{0});
    ranked.clear();
    each_block<Bits>(
        static_cast<int64_t>(most), key_at, [&] { return bar; },
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            if (key_at(i) < bar || begin < static_cast<int64_t>(most)) ranked.push_back(rank_of(key_at(i), i));
          }
          if (ranked.size() < most) return;
          select();
          bar = static_cast<Bits>(ranked.back() >> 32);
        });
    select();
    std::sort(ranked.begin(), ranked.end());
  }

  ElementType type_;
  int64_t k_, length_, rows_ = 1;
  bool largest_;
};

}  // namespace

std::unique_ptr<Hero> make_top_k_hero(const HeroRequest& request) {
  const auto& [instruction, operands, results] = request.problem;
  if (operands[0].dimension(operands[0].rank() - 1) > INT32_MAX) return nullptr;  // positions are s32
  return std::make_unique<TopKHero>(hlo::attributes_of<hlo::TopKAttributes>(instruction), operands[0]);
}

}  // namespace hilo::cpu
