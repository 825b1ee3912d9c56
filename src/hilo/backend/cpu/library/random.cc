// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/random.cc -- rng-bit-generator, Threefry and Philox, for every shape and width; rng's state.
#include "hilo/hlo/ops/random.h"

#include <bit>
#include <cstring>
#include <mutex>

#include "hilo/backend/cpu/library/heroes.h"

namespace hilo::cpu {
namespace {

struct Words {
  uint32_t first, second;
};

/// Threefry-2x32, 20 rounds.
inline Words threefry(uint64_t counter, uint32_t k0, uint32_t k1) {
  constexpr int kRotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  const uint32_t keys[3] = {k0, k1, 0x1BD11BDAu ^ k0 ^ k1};
  uint32_t x = static_cast<uint32_t>(counter) + k0, y = static_cast<uint32_t>(counter >> 32) + k1;
  for (uint32_t group = 0; group < 5; ++group) {
    for (int r = 0; r < 4; ++r) {
      x += y;
      y = std::rotl(y, kRotations[(group % 2) * 4 + static_cast<uint32_t>(r)]) ^ x;
    }
    x += keys[(group + 1) % 3];
    y += keys[(group + 2) % 3] + group + 1;
  }
  return {x, y};
}

struct FourWords {
  uint32_t word[4];
};

/// Philox-4x32, 10 rounds, of the counter (low, high).
inline FourWords philox(uint64_t low, uint64_t high, uint32_t k0, uint32_t k1) {
  uint32_t a = static_cast<uint32_t>(low), b = static_cast<uint32_t>(low >> 32), c = static_cast<uint32_t>(high),
           d = static_cast<uint32_t>(high >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t first = uint64_t{a} * 0xD2511F53u, second = uint64_t{c} * 0xCD9E8D57u;
    a = static_cast<uint32_t>(second >> 32) ^ b ^ k0;
    b = static_cast<uint32_t>(second);
    c = static_cast<uint32_t>(first >> 32) ^ d ^ k1;
    d = static_cast<uint32_t>(first);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {{a, b, c, d}};
}

/// Calls fill(begin, end) over parts of [0, count). Uses several threads if that pays off.
template <typename Fill>
void fill_in_parts(int64_t count, Fill&& fill) {
  constexpr int64_t kPart = 4096;
  const int64_t parts = (count + kPart - 1) / kPart;
  if (parts <= 1) return fill(int64_t{0}, count);
  default_pool().parallel_for(parts, [&](int64_t p) { fill(p * kPart, std::min(count, (p + 1) * kPart)); });
}

/// Calls f.operator()<T>() with the unsigned type of `bytes`.
template <typename F>
void with_width(int64_t bytes, F&& f) {
  switch (bytes) {
    case 1: return f.template operator()<uint8_t>();
    case 2: return f.template operator()<uint16_t>();
    case 4: return f.template operator()<uint32_t>();
    default: return f.template operator()<uint64_t>();
  }
}

class RandomHero final : public Hero {
 public:
  RandomHero(hlo::RandomAlgorithm algorithm, const Shape& state, const Shape& bits)
      : threefry_(algorithm == hlo::RandomAlgorithm::kThreeFry),
        state_words_(state.dimension(0)),
        bytes_(element_size_bytes(bits.element_type())),
        count_(bits.element_count()) {
    if (bits.rank() == 0) return;
    const int64_t d = hlo::random_pair_dimension(bits.dimensions());
    extent_ = bits.dimension(d);
    for (int64_t k = d + 1; k < bits.rank(); ++k) inner_ *= bits.dimension(k);
    for (int64_t k = 0; k < d; ++k) outer_ *= bits.dimension(k);
  }

  Status run(void* const* buffers, const CallContext&) const override {
    uint64_t state[3] = {};
    std::memcpy(state, buffers[0], static_cast<size_t>(state_words_) * sizeof(uint64_t));
    const uint64_t begin = state[1];
    with_width(bytes_, [&]<typename T>() {
      T* out = static_cast<T*>(buffers[2]);
      const uint64_t high = state_words_ == 3 ? state[2] : state[0];
      state[1] += static_cast<uint64_t>(threefry_ ? draw_threefry(out, state) : draw_philox(out, state, high));
    });
    if (state_words_ == 3 && state[1] < begin) ++state[2];
    std::memcpy(buffers[1], state, static_cast<size_t>(state_words_) * sizeof(uint64_t));
    return ok_status();
  }

 private:
  /// Returns the number of counters that it used.
  template <typename T>
  int64_t draw_threefry(T* out, const uint64_t* state) const {
    const auto k0 = static_cast<uint32_t>(state[0]), k1 = static_cast<uint32_t>(state[0] >> 32);
    const uint64_t begin = state[1];
    if constexpr (sizeof(T) == 8) {
      fill_in_parts(count_, [&](int64_t from, int64_t to) {
        for (int64_t i = from; i < to; ++i) {
          const Words words = threefry(begin + static_cast<uint64_t>(i), k0, k1);
          out[i] = words.first | uint64_t{words.second} << 32;
        }
      });
      return count_;
    } else {
      // Counter (outer, pair, inner) produces elements 2 pair and 2 pair + 1 along the pairs' dimension.
      const int64_t half = extent_ / 2 + extent_ % 2, counters = outer_ * half * inner_;
      if (inner_ == 1) draw_adjacent(out, begin, k0, k1, half);
      else
        fill_in_parts(counters, [&](int64_t from, int64_t to) {
          for (int64_t c = from; c < to; ++c) {
            const int64_t inner = c % inner_, pair = c / inner_ % half, outer = c / (inner_ * half);
            const Words words = threefry(begin + static_cast<uint64_t>(c), k0, k1);
            T* at = out + (outer * extent_ + 2 * pair) * inner_ + inner;
            *at = static_cast<T>(words.first);
            if (2 * pair + 1 < extent_) at[inner_] = static_cast<T>(words.second);
          }
        });
      return counters;
    }
  }

  /// Pairs whose elements are adjacent.
  template <typename T>
  void draw_adjacent(T* out, uint64_t begin, uint32_t k0, uint32_t k1, int64_t half) const {
    for (int64_t outer = 0; outer < outer_; ++outer) {
      T* row = out + outer * extent_;
      const uint64_t first = begin + static_cast<uint64_t>(outer * half);
      fill_in_parts(extent_ / 2, [&](int64_t from, int64_t to) {
        for (int64_t i = from; i < to; ++i) {
          const Words words = threefry(first + static_cast<uint64_t>(i), k0, k1);
          row[2 * i] = static_cast<T>(words.first);
          row[2 * i + 1] = static_cast<T>(words.second);
        }
      });
      if (extent_ % 2 != 0)
        row[extent_ - 1] = static_cast<T>(threefry(first + static_cast<uint64_t>(half - 1), k0, k1).first);
    }
  }

  template <typename T>
  int64_t draw_philox(T* out, const uint64_t* state, uint64_t high) const {
    constexpr int64_t kPerCounter = sizeof(T) == 8 ? 2 : 4;
    const auto k0 = static_cast<uint32_t>(state[0]), k1 = static_cast<uint32_t>(state[0] >> 32);
    const uint64_t begin = state[1];
    const int64_t counters = count_ / kPerCounter + (count_ % kPerCounter != 0 ? 1 : 0);
    fill_in_parts(counters, [&](int64_t from, int64_t to) {
      for (int64_t c = from; c < to; ++c) {
        const uint64_t low = begin + static_cast<uint64_t>(c);
        const FourWords words = philox(low, high + (low < begin ? 1 : 0), k0, k1);
        T four[kPerCounter];
        for (int64_t k = 0; k < kPerCounter; ++k) {
          if constexpr (sizeof(T) == 8) four[k] = words.word[2 * k] | uint64_t{words.word[2 * k + 1]} << 32;
          else four[k] = static_cast<T>(words.word[k]);
        }
        const int64_t left = std::min<int64_t>(kPerCounter, count_ - c * kPerCounter);
        std::memcpy(out + c * kPerCounter, four, static_cast<size_t>(left) * sizeof(T));
      }
    });
    return counters;
  }

  bool threefry_;
  int64_t state_words_, bytes_, count_;
  int64_t outer_ = 1, extent_ = 1, inner_ = 1;  // outside, along and inside of the dimension of the pairs
};

/// Each executable has its own counter, with the same start.
class RngStateHero final : public Hero {
 public:
  explicit RngStateHero(int64_t delta) : delta_(delta), state_(hlo::first_rng_state()) {}

  Status run(void* const* buffers, const CallContext&) const override {
    const std::lock_guard lock(mutex_);
    std::memcpy(buffers[0], state_.bytes().data(), state_.bytes().size());
    state_ = hlo::advanced_rng_state(state_, delta_);
    return ok_status();
  }

 private:
  int64_t delta_;
  mutable std::mutex mutex_;
  mutable Literal state_;
};

}  // namespace

std::unique_ptr<Hero> make_random_hero(const HeroRequest& request) {
  const auto& [instruction, operands, results] = request.problem;
  return std::make_unique<RandomHero>(hlo::attributes_of<hlo::RngBitGeneratorAttributes>(instruction).algorithm,
                                      operands[0], results[1]);
}

std::unique_ptr<Hero> make_rng_state_hero(const HeroRequest& request) {
  return std::make_unique<RngStateHero>(hlo::attributes_of<hlo::RngStateAttributes>(request.problem.instruction).delta);
}

}  // namespace hilo::cpu
