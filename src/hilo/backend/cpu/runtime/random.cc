// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/random.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "hilo/backend/cpu/runtime/functions.h"
#include "hilo/base/stretches.h"

namespace hilo::cpu::runtime {
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

/// Counter (outer, pair, inner) produces elements 2 pair and 2 pair + 1 along the pairs' dimension.
int64_t pairs_of(const RandomProblem& p) { return p.extent / 2 + p.extent % 2; }
/// Returns the number of elements of a counter of Philox.
int64_t elements_of_philox(const RandomProblem& p) { return p.bytes == 8 ? 2 : 4; }

/// Pairs whose elements are adjacent.
template <typename T>
void fill_adjacent(const RandomProblem& p, T* out, uint64_t begin, uint32_t k0, uint32_t k1, int64_t from, int64_t to) {
  const int64_t half = pairs_of(p);
  while (from < to) {
    const int64_t outer = from / half, end = std::min(to, (outer + 1) * half), first = outer * half;
    T* const row = out + outer * p.extent;
    const int64_t whole = std::min(end - first, p.extent / 2);
    for (int64_t i = from - first; i < whole; ++i) {
      const Words words = threefry(begin + static_cast<uint64_t>(first + i), k0, k1);
      row[2 * i] = static_cast<T>(words.first);
      row[2 * i + 1] = static_cast<T>(words.second);
    }
    if (end - first > p.extent / 2)
      row[p.extent - 1] = static_cast<T>(threefry(begin + static_cast<uint64_t>(first + half - 1), k0, k1).first);
    from = end;
  }
}

template <typename T>
void fill_threefry(const RandomProblem& p, const uint64_t* state, T* out, int64_t from, int64_t to) {
  const auto k0 = static_cast<uint32_t>(state[0]), k1 = static_cast<uint32_t>(state[0] >> 32);
  const uint64_t begin = state[1];
  if constexpr (sizeof(T) == 8) {
    for (int64_t i = from; i < to; ++i) {
      const Words words = threefry(begin + static_cast<uint64_t>(i), k0, k1);
      out[i] = words.first | uint64_t{words.second} << 32;
    }
  } else {
    if (p.inner == 1) return fill_adjacent(p, out, begin, k0, k1, from, to);
    const int64_t half = pairs_of(p);
    for (int64_t c = from; c < to; ++c) {
      const int64_t inner = c % p.inner, pair = c / p.inner % half, outer = c / (p.inner * half);
      const Words words = threefry(begin + static_cast<uint64_t>(c), k0, k1);
      T* at = out + (outer * p.extent + 2 * pair) * p.inner + inner;
      *at = static_cast<T>(words.first);
      if (2 * pair + 1 < p.extent) at[p.inner] = static_cast<T>(words.second);
    }
  }
}

template <typename T>
void fill_philox(const RandomProblem& p, const uint64_t* state, T* out, int64_t from, int64_t to) {
  constexpr int64_t kPerCounter = sizeof(T) == 8 ? 2 : 4;
  const auto k0 = static_cast<uint32_t>(state[0]), k1 = static_cast<uint32_t>(state[0] >> 32);
  const uint64_t begin = state[1], high = p.state_words == 3 ? state[2] : state[0];
  for (int64_t c = from; c < to; ++c) {
    const uint64_t low = begin + static_cast<uint64_t>(c);
    const FourWords words = philox(low, high + (low < begin ? 1 : 0), k0, k1);
    T four[kPerCounter];
    for (int64_t k = 0; k < kPerCounter; ++k) {
      if constexpr (sizeof(T) == 8) four[k] = words.word[2 * k] | uint64_t{words.word[2 * k + 1]} << 32;
      else four[k] = static_cast<T>(words.word[k]);
    }
    const int64_t left = std::min<int64_t>(kPerCounter, p.count - c * kPerCounter);
    std::memcpy(out + c * kPerCounter, four, static_cast<size_t>(left) * sizeof(T));
  }
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

}  // namespace

int64_t RandomProblem::counters() const {
  if (!threefry) return (count + elements_of_philox(*this) - 1) / elements_of_philox(*this);
  return bytes == 8 ? count : outer * pairs_of(*this) * inner;
}

void fill_random(const RandomProblem& p, const uint64_t* state, void* bits, int64_t begin, int64_t end) {
  with_width(p.bytes, [&]<typename T>() {
    if (p.threefry) fill_threefry(p, state, static_cast<T*>(bits), begin, end);
    else fill_philox(p, state, static_cast<T*>(bits), begin, end);
  });
}

RandomState state_after(const RandomProblem& problem, const RandomState& state) {
  RandomState next = state;
  next.words[1] += static_cast<uint64_t>(problem.counters());
  if (problem.state_words == 3 && next.words[1] < state.words[1]) ++next.words[2];
  return next;
}

void hilo_rt_random(const Call* call, int64_t, int64_t) {
  constexpr int64_t kPollInterval = 1 << 18;  // counters between checks of the stop word
  const auto& p = problem_of<RandomProblem>(*call);
  const size_t state_bytes = static_cast<size_t>(p.state_words) * sizeof(uint64_t);
  RandomState state{};
  std::memcpy(state.words, call->buffers[0], state_bytes);
  in_stretches(p.counters(), kPollInterval, stop_of(*call),
               [&](int64_t begin, int64_t end) { fill_random(p, state.words, call->buffers[2], begin, end); });
  const RandomState next = state_after(p, state);
  std::memcpy(call->buffers[1], next.words, state_bytes);
}

}  // namespace hilo::cpu::runtime
