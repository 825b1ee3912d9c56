// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/move/move.cc -- data movement that access maps can't express: pad with gaps between elements,
// bitcast-convert between widths. Also concatenations of many operands, for which regions would cost more.
#include <algorithm>
#include <cstring>

#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/backend/cpu/library/parallel.h"
#include "hilo/base/stop.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/slice.h"

namespace hilo::cpu {
namespace {

constexpr int64_t kMovePollInterval = 1 << 22;  // elements between checks of the stop word

/// Copies row-major bytes unchanged.
class SameBytesHero final : public Hero {
 public:
  explicit SameBytesHero(int64_t bytes) : bytes_(bytes) {}

  Status run(void* const* buffers, const CallContext&) const override {
    const auto* from = static_cast<const std::byte*>(buffers[0]);
    auto* to = static_cast<std::byte*>(buffers[1]);
    in_stretches(bytes_, kMovePollInterval,
                 [&](int64_t begin, int64_t end) { std::copy(from + begin, from + end, to + begin); });
    return ok_status();
  }

 private:
  int64_t bytes_;
};

class PadHero final : public Hero {
 public:
  PadHero(const hlo::PadAttributes& a, const Shape& x, const Shape& result)
      : width_(element_size_bytes(x.element_type())), total_(result.element_count()) {
    const std::vector<int64_t> from = row_major_strides(x.dimensions()), to = row_major_strides(result.dimensions());
    for (int64_t d = 0; d < x.rank(); ++d) {
      const hlo::KeptRange kept = hlo::kept_by(a.padding[d], x.dimension(d), result.dimension(d));
      counts_.push_back(kept.count);
      from_strides_.push_back(from[d]);
      to_strides_.push_back(to[d] * kept.step);
      from_begin_ += kept.from * from[d];
      to_begin_ += kept.at * to[d];
    }
  }

  Status run(void* const* buffers, const CallContext&) const override {
    switch (width_) {
      case 1: pad<uint8_t>(buffers); break;
      case 2: pad<uint16_t>(buffers); break;
      case 4: pad<uint32_t>(buffers); break;
      case 8: pad<uint64_t>(buffers); break;
      default: pad<std::pair<uint64_t, uint64_t>>(buffers); break;
    }
    return ok_status();
  }

 private:
  template <typename T>
  void pad(void* const* buffers) const {
    const T* from = static_cast<const T*>(buffers[0]) + from_begin_;
    T* out = static_cast<T*>(buffers[2]);
    in_stretches(total_, kMovePollInterval, [&](int64_t begin, int64_t end) {
      std::fill(out + begin, out + end, *static_cast<const T*>(buffers[1]));
    });
    if (hlo::count_of(counts_) == 0) return;
    // All dimensions except the last are counted; the last one is a loop.
    const size_t rank = counts_.size();
    const int64_t count = counts_[rank - 1], step = to_strides_[rank - 1];
    const std::span<const int64_t> outer(counts_.data(), rank - 1);
    std::vector<int64_t> index(rank - 1, 0);
    const StopFlag stop;
    do {
      const T* row = from + hlo::offset_of(index, from_strides_);
      T* to = out + to_begin_ + hlo::offset_of(index, to_strides_);
      if (stop.raised()) return;
      for (int64_t i = 0; i < count; ++i) to[i * step] = row[i];
    } while (hlo::next_index(outer, index));
  }

  size_t width_;
  int64_t total_, from_begin_ = 0, to_begin_ = 0;
  std::vector<int64_t> counts_, from_strides_, to_strides_;
};

class ConcatenateHero final : public Hero {
 public:
  ConcatenateHero(int64_t dimension, std::span<const Shape> operands, const Shape& result)
      : result_bytes_(result.byte_size()) {
    for (int64_t d = 0; d < dimension; ++d) outer_ *= result.dimension(d);
    for (const Shape& operand : operands) pieces_.push_back(outer_ == 0 ? 0 : operand.byte_size() / outer_);
  }

  Status run(void* const* buffers, const CallContext&) const override {
    const bool worth = worth_forking(work_ns(kCpuCosts.library.concatenated_byte, result_bytes_));
    auto* out = static_cast<std::byte*>(buffers[pieces_.size()]);
    each_in_parts(outer_, worth ? parts_for_threads(outer_) : 1,
                  [&](int64_t o) { copy_row(buffers, o, out + result_bytes_ / outer_ * o); });
    return ok_status();
  }

 private:
  /// Copies one index of the dimensions before the concatenated one.
  void copy_row(void* const* buffers, int64_t row, std::byte* out) const {
    for (size_t k = 0; k < pieces_.size(); ++k) {
      if (pieces_[k] == 0) continue;
      std::memcpy(out, static_cast<const std::byte*>(buffers[k]) + row * pieces_[k], pieces_[k]);
      out += pieces_[k];
    }
  }

  int64_t result_bytes_, outer_ = 1;
  std::vector<int64_t> pieces_;  ///< bytes of each operand per row
};

}  // namespace

std::unique_ptr<Hero> make_pad_hero(const HeroRequest& request) {
  const auto& [instruction, operands, results] = request.problem;
  if (operands[0].rank() == 0) return nullptr;
  return std::make_unique<PadHero>(hlo::attributes_of<hlo::PadAttributes>(instruction), operands[0], results[0]);
}

std::unique_ptr<Hero> make_concatenate_hero(const HeroRequest& request) {
  const auto& [instruction, operands, results] = request.problem;
  const int64_t dimension = hlo::attributes_of<hlo::ConcatenateAttributes>(instruction).dimension;
  return std::make_unique<ConcatenateHero>(dimension, operands, results[0]);
}

std::unique_ptr<Hero> make_bitcast_convert_hero(const HeroRequest& request) {
  const auto whole_bytes = [](const Shape& s) { return element_type_info(s.element_type()).bits >= 8; };
  const Shape& result = request.problem.results[0];
  if (!whole_bytes(request.problem.operands[0]) || !whole_bytes(result)) return nullptr;
  return std::make_unique<SameBytesHero>(result.byte_size());
}

}  // namespace hilo::cpu
