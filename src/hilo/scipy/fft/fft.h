// SPDX-License-Identifier: Apache-2.0
// scipy/fft/fft.h -- jax.scipy.fft: cosine transforms of type 2. Complex operands are transformed part by part.
#pragma once

#include "hilo/numpy/dtypes.h"

namespace hilo::scipy::fft {

struct DctOptions {
  int64_t type = 2;
  std::optional<int64_t> n = std::nullopt;  ///< elements, cropped or padded with zeros at the end
  int64_t axis = -1;
  const char* norm = "backward";  ///< or ortho
};
/// Source    Makhoul, "A fast cosine transform in one and two dimensions" (1980)
/// Errors    UNIMPLEMENTED for another type; INVALID_ARGUMENT for another norm
Array dct(const Operand& x, const DctOptions& options = {});
Array idct(const Operand& x, const DctOptions& options = {});
struct DctnOptions {
  int64_t type = 2;
  numpy::Axes s = std::nullopt, axes = std::nullopt;  ///< by default all axes, or the last ones if s is given
  const char* norm = "backward";
};
Array dctn(const Operand& x, const DctnOptions& options = {});
Array idctn(const Operand& x, const DctnOptions& options = {});

}  // namespace hilo::scipy::fft
