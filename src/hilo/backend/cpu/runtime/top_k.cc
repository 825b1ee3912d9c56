// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/top_k.cc -- topk: the best (key, position) pairs of a row so far, rows over threads.
#include "hilo/hlo/ops/top_k.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "hilo/backend/cpu/heroes.h"
#include "hilo/backend/cpu/runtime/parallel.h"

namespace hilo::cpu {
namespace {

constexpr double kWorthForking = 16384;  // elements in all
constexpr size_t kLeastKept = 64;        // candidates before the best are picked out of them

/// Sorts ascending: the key, then the position.
struct Ranked {
  uint64_t key;
  uint32_t position;
  bool operator<(const Ranked& other) const { return key != other.key ? key < other.key : position < other.position; }
};

class TopKHero final : public Hero {
 public:
  TopKHero(const hlo::TopKAttributes& a, const Shape& x)
      : type_(x.element_type()), k_(a.k), length_(x.dimension(x.rank() - 1)), largest_(a.largest) {
    for (int64_t d = 0; d + 1 < x.rank(); ++d) rows_ *= x.dimension(d);
  }

  Status run(void* const* buffers, RunContext&) const override {
    if (k_ == 0 || rows_ == 0) return ok_status();
    const bool worth = static_cast<double>(rows_) * static_cast<double>(length_) > kWorthForking;
    in_parts(rows_, worth ? std::min<int64_t>(rows_, 16) : 1, [&](int64_t begin, int64_t end) {
      std::vector<Ranked> ranked;
      for (int64_t row = begin; row < end; ++row) {
        switch (element_size_bytes(type_)) {
          case 1: find<uint8_t>(buffers, row, ranked); break;
          case 2: find<uint16_t>(buffers, row, ranked); break;
          case 4: find<uint32_t>(buffers, row, ranked); break;
          default: find<uint64_t>(buffers, row, ranked); break;
        }
      }
    });
    return ok_status();
  }

 private:
  template <typename Bits>
  void find(void* const* buffers, int64_t row, std::vector<Ranked>& ranked) const {
    const Bits* x = static_cast<const Bits*>(buffers[0]) + row * length_;
    // Only what beats the k-th best so far is kept; of equals that is the first, so a later one never does.
    const size_t most = std::max(2 * static_cast<size_t>(k_), kLeastKept);
    std::optional<uint64_t> bar;
    ranked.clear();
    for (int64_t i = 0; i < length_; ++i) {
      const uint64_t order = hlo::total_order_key(type_, x[i]), key = largest_ ? ~order : order;
      if (bar && key >= *bar) continue;
      ranked.push_back({key, static_cast<uint32_t>(i)});
      if (ranked.size() < most) continue;
      keep_best(ranked);
      bar = ranked.back().key;
    }
    keep_best(ranked);
    std::sort(ranked.begin(), ranked.end());
    Bits* values = static_cast<Bits*>(buffers[1]) + row * k_;
    int32_t* positions = static_cast<int32_t*>(buffers[2]) + row * k_;
    for (int64_t k = 0; k < k_; ++k) {
      positions[k] = static_cast<int32_t>(ranked[static_cast<size_t>(k)].position);
      values[k] = x[positions[k]];
    }
  }

  /// The k best, the last of them at the end.
  void keep_best(std::vector<Ranked>& ranked) const {
    std::nth_element(ranked.begin(), ranked.begin() + (k_ - 1), ranked.end());
    ranked.resize(static_cast<size_t>(k_));
  }

  ElementType type_;
  int64_t k_, length_, rows_ = 1;
  bool largest_;
};

}  // namespace

std::unique_ptr<Hero> make_top_k_hero(const hlo::Instruction& instruction, std::span<const Shape> operands) {
  if (instruction.opcode != hlo::Opcode::kTopK) return nullptr;
  return std::make_unique<TopKHero>(hlo::attributes_of<hlo::TopKAttributes>(instruction), operands[0]);
}

}  // namespace hilo::cpu
