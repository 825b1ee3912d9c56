// SPDX-License-Identifier: Apache-2.0
// scipy/fft/fft.h -- jax.scipy.fft: cosine transforms of type 2. Real and imaginary parts are transformed separately.
#pragma once

#include "hilo/numpy/dtypes.h"

namespace hilo::scipy::fft {

struct DctOptions {
  int64_t type = 2;
  std::optional<int64_t> n = std::nullopt;  ///< number of elements: crops, or pads with zeros at the end
  int64_t axis = -1;
  const char* norm = "backward";  ///< "backward" or "ortho"
};
/// Computes the discrete cosine transform along an axis.
/// Source    Makhoul, "A fast cosine transform in one and two dimensions" (1980)
/// Errors    UNIMPLEMENTED for another type; INVALID_ARGUMENT for another norm
Array dct(const Operand& x, const DctOptions& options = {});
/// Computes the inverse discrete cosine transform along an axis.
Array idct(const Operand& x, const DctOptions& options = {});
struct DctnOptions {
  int64_t type = 2;
  numpy::Axes s = std::nullopt, axes = std::nullopt;  ///< default: all axes, or the last s.size() axes
  const char* norm = "backward";
};
/// Computes the discrete cosine transform along several axes.
Array dctn(const Operand& x, const DctnOptions& options = {});
/// Computes the inverse discrete cosine transform along several axes.
Array idctn(const Operand& x, const DctnOptions& options = {});

}  // namespace hilo::scipy::fft
