// SPDX-License-Identifier: Apache-2.0
#include "hilo/random/hashes.h"

#include <array>

#include "hilo/trace/ops.h"

namespace hilo::random {
namespace {

constexpr int kRotations2[8] = {13, 15, 26, 6, 17, 29, 16, 24};
constexpr int kRotations4[8][2] = {{10, 26}, {11, 21}, {13, 27}, {23, 5}, {6, 20}, {17, 11}, {25, 10}, {18, 20}};

Array rotate_left(const Array& x, int bits) {
  const Array left = ops::shift_left(x, ops::full_like(x, bits));
  return ops::bitwise_or(left, ops::shift_right_logical(x, ops::full_like(x, 32 - bits)));
}

/// Mixes two words: one round of Threefry.
void mix(Array& a, Array& b, int rotation) {
  a = ops::add(a, b);
  b = ops::bitwise_xor(rotate_left(b, rotation), a);
}

void mix_round(Words& x, int round) {
  if (x.size() == 2) return mix(x[0], x[1], kRotations2[round % 8]);
  const bool even = round % 2 == 0;
  mix(x[0], x[even ? 1 : 3], kRotations4[round % 8][0]);
  mix(x[2], x[even ? 3 : 1], kRotations4[round % 8][1]);
}

/// The two words of the product of x and a constant.
struct Product {
  Array high, low;
};
Product product(const Array& x, uint32_t factor) {
  const Array constant = ops::full_like(x, factor);
  return {ops::mulhi(constant, x), ops::mul(constant, x)};
}

Array xor_of(const Array& a, const Array& b, const Array& c) { return ops::bitwise_xor(ops::bitwise_xor(a, b), c); }

}  // namespace

Words threefry(const Words& key, Words x) {
  const size_t count = key.size();
  Words schedule = key;
  Array parity = ops::full_like(key[0], 0x1BD11BDA);
  for (const Array& word : key) parity = ops::bitwise_xor(parity, word);
  schedule.push_back(parity);
  const auto inject = [&](size_t group) {
    for (size_t i = 0; i < count; ++i) x[i] = ops::add(x[i], schedule[(group + i) % (count + 1)]);
    if (group > 0) x.back() = ops::add(x.back(), ops::full_like(x.back(), static_cast<double>(group)));
  };
  inject(0);
  for (int round = 0; round < 20; ++round) {
    mix_round(x, round);
    if (round % 4 == 3) inject(static_cast<size_t>(round / 4 + 1));
  }
  return x;
}

Words philox(Words key, Words x) {
  constexpr std::array<uint32_t, 2> kBumps = {0x9E3779B9, 0xBB67AE85};
  for (int round = 0; round < 10; ++round) {
    for (size_t i = 0; round > 0 && i < key.size(); ++i) key[i] = ops::add(key[i], ops::full_like(key[i], kBumps[i]));
    if (key.size() == 1) {
      const Product p = product(x[0], 0xD256D193);
      x = {xor_of(p.high, x[1], key[0]), p.low};
    } else {
      const Product p = product(x[0], 0xD2511F53), q = product(x[2], 0xCD9E8D57);
      x = {xor_of(q.high, x[1], key[0]), q.low, xor_of(p.high, x[3], key[1]), p.low};
    }
  }
  return x;
}

}  // namespace hilo::random
