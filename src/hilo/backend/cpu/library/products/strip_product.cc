// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/products/strip_product.h"

#include <algorithm>

#include "hilo/backend/cpu/library/products/amx.h"
#include "hilo/backend/cpu/library/products/float_product.h"
#include "hilo/backend/cpu/library/rounding.h"
#include "hilo/base/buffer_pool.h"
#include "hilo/base/stop.h"

namespace hilo::cpu {
namespace {

/// The smallest magnitudes of both operands so far, and whether sums may have been flushed.
class Magnitudes {
 public:
  void take_left(uint32_t least) { left_ = std::min(left_, least); }
  void take_right(uint32_t least) { right_ = std::min(right_, least); }

  /// Elements are multiples of 2^(exponent - 127 - 7); their products and sums are multiples of the product of the two.
  /// The smallest normal number is 2^-126.
  bool may_flush() const {
    constexpr uint32_t kMantissaBits = 7, kMinSum = 2 * (127 + kMantissaBits) - 126;
    const uint32_t left = left_ >> kMantissaBits, right = right_ >> kMantissaBits;
    return left == 0 || right == 0 || left + right < kMinSum;
  }

 private:
  uint32_t left_ = kNoMagnitude, right_ = kNoMagnitude;
};

/// A product split into columns, chunks of k and strips of rows, in this order.
class Blocks {
 public:
  Blocks(const StripKernels& kernels, const StripProduct& p, bool keeps_denormals)
      : kernels_(kernels),
        p_(p),
        chunk_(kChunkWords * kernels.group),
        columns_at_once_(std::min(round_up(p.b.lines, kernels.columns), kernels.columns_at_once)),
        keeps_denormals_(keeps_denormals && kernels.group == 2) {}

  Status reserve() {
    const int64_t depth = packed_words_of(std::min(chunk_, p_.k));
    HILO_ASSIGN_OR_RETURN(rows_, allocate_buffer(kernels_.rows * depth * kernels_.word));
    HILO_ASSIGN_OR_RETURN(columns_, allocate_buffer(columns_at_once_ * depth * kernels_.word));
    return ok_status();
  }

  /// Returns false if denormals that must be preserved may have been flushed.
  bool run() {
    for (int64_t column = 0; column < p_.b.lines; column += columns_at_once_) {
      int64_t k = 0;
      do {
        if (!run_chunk(column, std::min(columns_at_once_, p_.b.lines - column), k)) return false;
        k += chunk_;
      } while (k < p_.k && !stop_.raised());
    }
    return true;
  }

 private:
  /// Return the words for that many elements of a line, and the words of whole blocks.
  int64_t words_of(int64_t k) const { return (k + kernels_.group - 1) / kernels_.group; }
  int64_t packed_words_of(int64_t k) const { return round_up(words_of(k), kernels_.block); }

  StripPacking packing(const StripMatrix& m, int64_t line, int64_t lines, int64_t height, int64_t k, void* to) const {
    const auto* from =
        static_cast<const std::byte*>(m.data) + (line * m.line_stride + k * m.k_stride) * kernels_.element;
    return {from, m.line_stride, m.k_stride, lines, height, std::min(chunk_, p_.k - k), to};
  }

  bool run_chunk(int64_t column, int64_t columns, int64_t k) {
    const int64_t width = kernels_.columns, depth = std::min(chunk_, p_.k - k);
    magnitudes_.take_right(kernels_.pack_columns(packing(p_.b, column, columns, width, k, columns_.data())));
    for (int64_t row = 0; row < p_.a.lines && !stop_.raised(); row += kernels_.rows) {
      const int64_t rows = std::min(kernels_.rows, p_.a.lines - row);
      magnitudes_.take_left(kernels_.pack_rows(packing(p_.a, row, rows, kernels_.rows, k, rows_.data())));
      if (keeps_denormals_ && magnitudes_.may_flush()) return false;
      for (int64_t j = 0; j < columns; j += width) {
        const std::byte* const strip = columns_.data() + j * packed_words_of(depth) * kernels_.word;
        std::byte* const c = static_cast<std::byte*>(p_.c) + (row * p_.c_row + column + j) * kernels_.word;
        kernels_.tile(
            {rows_.data(), strip, words_of(depth), c, p_.c_row, rows, std::min(width, columns - j), k > 0 || p_.adds});
      }
    }
    return true;
  }

  const StripKernels& kernels_;
  const StripProduct& p_;
  int64_t chunk_, columns_at_once_;
  bool keeps_denormals_;
  AlignedBuffer rows_, columns_;
  Magnitudes magnitudes_;
  StopFlag stop_;
};

}  // namespace

const StripKernels* narrow_kernels(Isa isa, ElementType a, ElementType b) {
  const auto is_byte = [](ElementType t) { return t == ElementType::kS8 || t == ElementType::kU8; };
  const bool bytes = is_byte(a) && is_byte(b);
  if (!bytes && a != b) return nullptr;
  if (a == ElementType::kF16) {
    const FloatKernels* const all = float_kernels(isa);
    return all == nullptr ? nullptr : &all->f16;
  }
  if (!bytes && a != ElementType::kBf16) return nullptr;
#if defined(__x86_64__)  // the names of its features are errors elsewhere
  const bool is_wide = isa == Isa::kAvx512;
  if (bytes && is_wide && has_amx()) return &byte_kernels_amx(a == ElementType::kS8, b == ElementType::kS8);
  if (!bytes && is_wide && has_amx()) return &bf16_kernels_amx();
  // Intel's processors multiply floats faster than pairs of bf16: 130 compared with 80 GFLOP/s.
  if (!bytes && is_wide && __builtin_cpu_is("amd") && __builtin_cpu_supports("avx512bf16"))
    return &bf16_kernels_avx512bf16();
#endif
  return bytes ? nullptr : exact_bf16_kernels(isa);
}

const StripKernels* exact_bf16_kernels(Isa isa) {
  const FloatKernels* const all = float_kernels(isa);
  return all == nullptr ? nullptr : &all->bf16;
}

const FloatKernels* float_kernels(Isa isa) {
  if constexpr (kIsX86) {
    if (isa == Isa::kAvx512) return &float_kernels_avx512();
    if (isa == Isa::kAvx2) return &float_kernels_avx2();
  }
  return nullptr;
}

StatusOr<bool> multiply_strips(const StripKernels& kernels, const StripProduct& p, bool keeps_denormals) {
  if (p.a.lines == 0 || p.b.lines == 0) return true;
  if (kernels.floats != nullptr) {
    HILO_RETURN_IF_ERROR(multiply_floats(kernels, p));
    return true;
  }
  Blocks blocks(kernels, p, keeps_denormals);
  HILO_RETURN_IF_ERROR(blocks.reserve());
  kernels.begin();
  const bool is_exact = blocks.run();
  kernels.end();
  return is_exact;
}

}  // namespace hilo::cpu
