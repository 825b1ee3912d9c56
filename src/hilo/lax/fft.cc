// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/fft.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "hilo/hlo/ops/fft.h"
#include "hilo/lax/elementwise.h"
#include "hilo/trace/ops.h"

namespace hilo::lax {

Array fft(const Operand& x, FftType type, const std::vector<int64_t>& fft_lengths) {
  static_assert(static_cast<int>(FftType::kIrfft) == static_cast<int>(hlo::FftType::kIrfft));
  const UserLocation here(x.location());
  auto attributes = std::make_shared<hlo::FftAttributes>();
  attributes->fft_type = static_cast<hlo::FftType>(type);
  attributes->fft_length = fft_lengths;
  Array given = x.array();
  if (type != FftType::kRfft && !is_complex(given.dtype())) {  // any real type becomes a complex one
    const bool wide = element_size_bytes(given.dtype()) == 8;
    const Array real = ops::convert_element_type(given, wide ? ElementType::kF64 : ElementType::kF32);
    given = complex(real, ops::full_like(real, 0));
  }
  return with_weak_type(bind_one(hlo::Opcode::kFft, {given}, std::move(attributes)), false);
}

Array fft(const Operand& x, const std::string& fft_type, const std::vector<int64_t>& fft_lengths) {
  const UserLocation here(x.location());
  std::string word = fft_type;
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::string_view kWords[] = {"fft", "ifft", "rfft", "irfft"};
  const auto* const found = std::ranges::find(kWords, std::string_view(word));
  if (found == std::end(kWords))
    or_throw(
        invalid_argument(at_user_line("fft") + ": got the type '" + fft_type + "', wanted fft, ifft, rfft or irfft"));
  return fft(x, static_cast<FftType>(found - kWords), fft_lengths);
}

}  // namespace hilo::lax
