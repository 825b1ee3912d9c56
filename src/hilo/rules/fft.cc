// SPDX-License-Identifier: Apache-2.0
// rules/fft.cc -- rules of fft, which is linear.
#include "hilo/lax/fft.h"

#include "hilo/hlo/ops/fft.h"
#include "hilo/lax/matrix.h"
#include "hilo/rules/batch_leading.h"
#include "hilo/rules/families.h"
#include "hilo/rules/linear.h"

namespace hilo::rules {

using namespace lax;
namespace {

/// RFFT is FFT of a real array without the elements that follow from the others.
Array transpose_of_rfft(const Array& ct, const std::vector<int64_t>& lengths) {
  std::vector<hlo::PaddingDimension> padding(ct.ndim());
  padding.back().high = lengths.back() - ct.shape(-1);
  return ops::real(fft(ops::pad(ct, ops::scalar(0, ct.dtype()), padding), FftType::kFft, lengths));
}

/// IRFFT counts all elements twice except the first and, for an even length, the last.
Array transpose_of_irfft(const Array& ct, const std::vector<int64_t>& lengths) {
  const Array x = fft(ct, FftType::kRfft, lengths);
  double count = 1;
  for (int64_t n : lengths) count *= static_cast<double>(n);
  const Shape numbers = matrix::typed(x, ElementType::kS32);
  const Array place = ops::iota(numbers, x.ndim() - 1);
  Array once = ops::eq(place, ops::full(numbers, 0));
  if (lengths.back() % 2 == 0)
    once = ops::bitwise_or(once, ops::eq(place, ops::full(numbers, static_cast<double>(lengths.back() / 2))));
  const Array weight = ops::select(once, ops::full_like(x, 1 / count), ops::full_like(x, 2 / count));
  return matrix::conjugate(ops::mul(weight, x));
}

void fft_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  const auto& attributes = attributes_of<hlo::FftAttributes>(operation);
  const Array& ct = cts[0].value();
  switch (attributes.fft_type) {
    case hlo::FftType::kFft:
    case hlo::FftType::kIfft: return out.add(0, bind_one(operation.opcode, {ct}, operation.attributes));
    case hlo::FftType::kRfft: return out.add(0, transpose_of_rfft(ct, attributes.fft_length));
    case hlo::FftType::kIrfft: return out.add(0, transpose_of_irfft(ct, attributes.fft_length));
  }
}

}  // namespace

const Rules fft_rules = {linear_jvp, fft_transpose, batch_leading};

}  // namespace hilo::rules
