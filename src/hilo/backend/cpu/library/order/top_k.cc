// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/order/top_k.cc -- topk: stores the best (key, position) pairs of a row so far; threads share the
// rows.
#include "hilo/hlo/ops/top_k.h"

#include <algorithm>

#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/backend/cpu/library/parallel.h"

namespace hilo::cpu {
namespace {

constexpr size_t kMinKept = 64;                 // candidates before the best are selected from them
constexpr int64_t kBlock = 64;                  // elements that are skipped together
constexpr int64_t kTopKPollInterval = 1 << 18;  // elements between checks of the stop word

/// Sorts ascending by key, then by position.
template <typename Bits>
struct Ranked {
  Bits key;
  uint32_t position;
  bool operator<(const Ranked& other) const { return key != other.key ? key < other.key : position < other.position; }
};

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
      std::vector<Ranked<Bits>> ranked;
      const StopFlag stop;
      for (int64_t row = begin; row < end && !stop.raised(); ++row) {
        const Bits* x = static_cast<const Bits*>(buffers[0]) + row * length_;
        find<Bits, kOrder>(x, ranked);
        auto* values = static_cast<Bits*>(buffers[1]) + row * k_;
        auto* positions = static_cast<int32_t*>(buffers[2]) + row * k_;
        for (int64_t k = 0; k < k_; ++k) {
          const uint32_t position = ranked[k].position;
          positions[k] = static_cast<int32_t>(position);
          values[k] = x[position];
        }
      }
    });
  }

  /// Finds the k best of a row in order. Stores only elements that are better than the k-th best so far. Of equal
  /// elements the first is better, so later ones are never stored.
  template <typename Bits, hlo::BitOrder kOrder>
  void find(const Bits* x, std::vector<Ranked<Bits>>& ranked) const {
    const hlo::ElementBits bits = hlo::element_bits(type_);
    const auto mask = static_cast<Bits>(bits.mask), sign = static_cast<Bits>(bits.sign),
               flip = largest_ ? mask : Bits{0};
    const auto key_at = [=](int64_t i) {
      return static_cast<Bits>(hlo::ordered_bits<kOrder, Bits>(x[i], mask, sign) ^ flip);
    };
    const size_t most = std::max(2 * static_cast<size_t>(k_), kMinKept);
    const int64_t first = std::min(length_, static_cast<int64_t>(most));
    ranked.clear();
    for (int64_t i = 0; i < first; ++i) ranked.push_back({key_at(i), static_cast<uint32_t>(i)});
    keep_best(ranked);
    Bits bar = ranked.back().key;
    const StopFlag stop;
    for (int64_t begin = first; begin < length_; begin += kBlock) {
      if (begin % kTopKPollInterval < kBlock && stop.raised()) break;  // the elements ranked so far are valid positions
      const int64_t end = std::min(begin + kBlock, length_);
      if (end - begin == kBlock) {
        Bits best = bar;
        for (int64_t i = 0; i < kBlock; ++i) best = std::min(best, key_at(begin + i));
        if (best == bar) continue;
      }
      for (int64_t i = begin; i < end; ++i) {
        if (key_at(i) < bar) ranked.push_back({key_at(i), static_cast<uint32_t>(i)});
      }
      if (ranked.size() < most) continue;
      keep_best(ranked);
      bar = ranked.back().key;
    }
    keep_best(ranked);
    std::sort(ranked.begin(), ranked.end());
  }

  /// Returns the k best, the last of them at the end.
  template <typename Bits>
  void keep_best(std::vector<Ranked<Bits>>& ranked) const {
    std::nth_element(ranked.begin(), ranked.begin() + (k_ - 1), ranked.end());
    ranked.resize(k_);
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
