// SPDX-License-Identifier: Apache-2.0
// lax/fft.h -- jax.lax.fft.
#pragma once

#include "hilo/array/array.h"

namespace hilo::lax {

enum class FftType : uint8_t { kFft, kIfft, kRfft, kIrfft };

/// Computes the discrete Fourier transform over the last fft_lengths.size() dimensions, one to three: jax.lax.fft.
/// Shapes     FFT, IFFT: as x; RFFT: the last dimension n becomes n/2 + 1; IRFFT: the inverse
/// Types      c64 and c128; real numbers become complex. RFFT takes f32 and f64; IRFFT returns them.
Array fft(const Operand& x, FftType type, const std::vector<int64_t>& fft_lengths);
/// Computes the transform with this name, in any case: "fft", "ifft", "rfft", "irfft".
Array fft(const Operand& x, const std::string& fft_type, const std::vector<int64_t>& fft_lengths);

}  // namespace hilo::lax
