// SPDX-License-Identifier: Apache-2.0
// lax/fft.h -- jax.lax.fft.
#pragma once

#include "hilo/array/array.h"

namespace hilo::lax {

enum class FftType : uint8_t { kFft, kIfft, kRfft, kIrfft };

/// The discrete Fourier transform over the last fft_lengths.size() dimensions, one to three.
/// Shapes    FFT, IFFT: as x; RFFT: the last dimension n becomes n/2 + 1; IRFFT: the other way round
/// Types     real numbers become complex, but for RFFT; c64 and c128; RFFT takes f32 and f64, IRFFT gives them
Array fft(const Operand& x, FftType type, const std::vector<int64_t>& fft_lengths);
/// The same by the type's name, in any case: "fft", "ifft", "rfft", "irfft".
Array fft(const Operand& x, const std::string& fft_type, const std::vector<int64_t>& fft_lengths);

}  // namespace hilo::lax
