// SPDX-License-Identifier: Apache-2.0
// hlo/ops/fft.h -- discrete Fourier transforms over the last one to three dimensions.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

enum class FftType : uint8_t { kFft, kIfft, kRfft, kIrfft };

/// FFT and IFFT map complex to complex. RFFT keeps the n/2 + 1 elements of the last dimension that determine the
/// others. IRFFT is its inverse, with the real length in fft_length. Inverse transforms divide by the number of
/// elements.
struct FftAttributes : Attributes {
  FftType fft_type = FftType::kFft;
  Int64List fft_length;  ///< lengths of the last dimensions; one to three
};

}  // namespace hilo::hlo
