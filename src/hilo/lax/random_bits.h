// SPDX-License-Identifier: Apache-2.0
// lax/random_bits.h -- jax.lax.rng_bit_generator: XLA's random bit generators. hilo::random has distributions.
#pragma once

#include <cstdint>
#include <utility>

#include "hilo/array/array.h"

namespace hilo::lax {

enum class RandomAlgorithm : uint8_t { RNG_DEFAULT, RNG_THREE_FRY, RNG_PHILOX };  ///< RNG_DEFAULT: Philox

struct RngBitGeneratorOptions {
  ElementType dtype = ElementType::kU32;
  RandomAlgorithm algorithm = RandomAlgorithm::RNG_DEFAULT;
};
/// Returns the next state of a generator, and random bits: jax.lax.rng_bit_generator.
/// Types      key: u32[4] or u64[2]; dtype: u8, u16, u32, u64
/// Errors     INVALID_ARGUMENT for other types
/// Example    const auto [state, bits] = rng_bit_generator(key, {3, 2})
std::pair<Array, Array> rng_bit_generator(const Operand& key, const Dimensions& shape,
                                          const RngBitGeneratorOptions& options = {});
template <int = 0>
std::pair<Array, Array> rng_bit_generator(const Operand& key, const Dimensions& shape, ElementType dtype,
                                          RandomAlgorithm algorithm = RandomAlgorithm::RNG_DEFAULT) {
  return rng_bit_generator(key, shape, RngBitGeneratorOptions{.dtype = dtype, .algorithm = algorithm});
}

/// Returns uniform random numbers in [a, b), different on every call, by XLA's operation `rng` with its own state. Use
/// hilo::random for reproducible ones.
/// Types      scalars of one float type
/// Errors     INVALID_ARGUMENT for other types or shapes
Array rng_uniform(const Operand& a, const Operand& b, const Dimensions& shape);

}  // namespace hilo::lax
