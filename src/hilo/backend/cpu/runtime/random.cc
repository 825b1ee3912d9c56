// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/random.cc -- rng-bit-generator with Threefry over a vector of 32-bit words.
#include <bit>
#include <cstring>

#include "hilo/backend/cpu/heroes.h"
#include "hilo/hlo/ops/random.h"

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

/// `count` words: pairs (2i, 2i+1) come from counter state + i.
class ThreefryHero final : public Hero {
 public:
  explicit ThreefryHero(int64_t count) : count_(count) {}

  Status run(void* const* buffers, RunContext&) const override {
    uint64_t state[2];
    std::memcpy(state, buffers[0], sizeof(state));
    const uint32_t k0 = static_cast<uint32_t>(state[0]), k1 = static_cast<uint32_t>(state[0] >> 32);
    uint32_t* out = static_cast<uint32_t*>(buffers[2]);
    const int64_t pairs = count_ / 2;
    const auto fill = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const Words words = threefry(state[1] + static_cast<uint64_t>(i), k0, k1);
        out[2 * i] = words.first;
        out[2 * i + 1] = words.second;
      }
    };
    constexpr int64_t kPairsPerTask = 4096;
    const int64_t tasks = (pairs + kPairsPerTask - 1) / kPairsPerTask;
    if (tasks > 1)
      default_pool().parallel_for(
          tasks, [&](int64_t t) { fill(t * kPairsPerTask, std::min(pairs, (t + 1) * kPairsPerTask)); });
    else fill(0, pairs);
    uint64_t used = static_cast<uint64_t>(pairs);
    if (count_ % 2 != 0) out[count_ - 1] = threefry(state[1] + used++, k0, k1).first;
    state[1] += used;
    std::memcpy(buffers[1], state, sizeof(state));
    return ok_status();
  }

 private:
  int64_t count_;
};

}  // namespace

std::unique_ptr<Hero> make_random_hero(const hlo::Instruction& instruction, std::span<const Shape>,
                                       std::span<const Shape> results) {
  // Other shapes interleave words along another dimension; the reference kernel knows how.
  const bool words = element_size_bytes(results[1].element_type()) == 4 && results[1].rank() == 1;
  if (!words ||
      hlo::attributes_of<hlo::RngBitGeneratorAttributes>(instruction).algorithm != hlo::RandomAlgorithm::kThreeFry)
    return nullptr;
  return std::make_unique<ThreefryHero>(results[1].element_count());
}

}  // namespace hilo::cpu
