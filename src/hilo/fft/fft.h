// SPDX-License-Identifier: Apache-2.0
// fft/fft.h -- jax.numpy.fft.
#pragma once

#include <optional>

#include "hilo/trace/array.h"

namespace hilo::fft {

/// Which direction divides by the number of elements: the inverse one, each by its root, or the forward one.
enum class Norm : uint8_t { kBackward, kOrtho, kForward };

/// Elements along the transformed axes, cropped or padded with zeros to it; by default as many as there are.
using Lengths = std::optional<std::vector<int64_t>>;
using Axes = std::optional<std::vector<int64_t>>;

// One axis. Real operands become complex; integers and half floats become f32 first.
Array fft(const Operand& a, std::optional<int64_t> n = {}, int64_t axis = -1, Norm norm = Norm::kBackward);
Array ifft(const Operand& a, std::optional<int64_t> n = {}, int64_t axis = -1, Norm norm = Norm::kBackward);
/// Of real operands: n/2 + 1 elements; the others follow from them.
/// Errors    INVALID_ARGUMENT for complex operands
Array rfft(const Operand& a, std::optional<int64_t> n = {}, int64_t axis = -1, Norm norm = Norm::kBackward);
/// The inverse of rfft, to a real array of `n` elements, by default 2 (m - 1).
Array irfft(const Operand& a, std::optional<int64_t> n = {}, int64_t axis = -1, Norm norm = Norm::kBackward);
/// Of an array with a real spectrum, to that spectrum; and back.
Array hfft(const Operand& a, std::optional<int64_t> n = {}, int64_t axis = -1, Norm norm = Norm::kBackward);
Array ihfft(const Operand& a, std::optional<int64_t> n = {}, int64_t axis = -1, Norm norm = Norm::kBackward);

// Several axes, at most three at a time in one op: the last two by default, and all of them.
Array fft2(const Operand& a, const Lengths& s = {}, const std::vector<int64_t>& axes = {-2, -1},
           Norm norm = Norm::kBackward);
Array ifft2(const Operand& a, const Lengths& s = {}, const std::vector<int64_t>& axes = {-2, -1},
            Norm norm = Norm::kBackward);
Array rfft2(const Operand& a, const Lengths& s = {}, const std::vector<int64_t>& axes = {-2, -1},
            Norm norm = Norm::kBackward);
Array irfft2(const Operand& a, const Lengths& s = {}, const std::vector<int64_t>& axes = {-2, -1},
             Norm norm = Norm::kBackward);
Array fftn(const Operand& a, const Lengths& s = {}, const Axes& axes = {}, Norm norm = Norm::kBackward);
Array ifftn(const Operand& a, const Lengths& s = {}, const Axes& axes = {}, Norm norm = Norm::kBackward);
Array rfftn(const Operand& a, const Lengths& s = {}, const Axes& axes = {}, Norm norm = Norm::kBackward);
Array irfftn(const Operand& a, const Lengths& s = {}, const Axes& axes = {}, Norm norm = Norm::kBackward);

/// The frequencies of fft's and rfft's elements, for samples `d` apart.
Array fftfreq(int64_t n, double d = 1.0);
Array rfftfreq(int64_t n, double d = 1.0);
/// Frequency 0 in the middle of the axes (by default all), and back.
Array fftshift(const Operand& x, const Axes& axes = {});
Array ifftshift(const Operand& x, const Axes& axes = {});

}  // namespace hilo::fft

namespace hilo::numpy {
namespace fft = hilo::fft;  // as jax.numpy has it
}  // namespace hilo::numpy
