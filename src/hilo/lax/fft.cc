// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/fft.h"

#include "hilo/hlo/ops/fft.h"
#include "hilo/trace/trace.h"

namespace hilo::lax {

Array fft(const Operand& x, FftType type, const std::vector<int64_t>& fft_lengths) {
  static_assert(static_cast<int>(FftType::kIrfft) == static_cast<int>(hlo::FftType::kIrfft));
  const UserLocation here(x.location());
  auto attributes = std::make_shared<hlo::FftAttributes>();
  attributes->fft_type = static_cast<hlo::FftType>(type);
  attributes->fft_length = fft_lengths;
  return bind_one(hlo::Opcode::kFft, {x.array()}, std::move(attributes));
}

}  // namespace hilo::lax
