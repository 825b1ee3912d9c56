// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/products/integer_product.h"

#include <algorithm>
#include <array>
#include <vector>

#include "hilo/base/buffer_pool.h"
#include "hilo/base/sizes.h"
#include "hilo/base/stop.h"

namespace hilo::cpu {
namespace {

constexpr int64_t kStripsAtOnce = 8;  // of rows, which stay in the L2 cache during a pass over all columns
constexpr int32_t kShift = 128;       // for bytes with another signedness than the instruction's

bool are_bytes(Packed a, Packed b) { return a <= Packed::kU8 && b <= Packed::kU8; }

template <typename Word>
const IntegerTileKernels<Word>& way_of(const IntegerKernels& kernels, Packed a, Packed b) {
  if constexpr (sizeof(Word) == sizeof(int64_t)) {
    return kernels.longs;
  } else {
    if (are_bytes(a, b) && kernels.quads.group != 0) return kernels.quads;
    return a <= Packed::kS16 && b <= Packed::kS16 ? kernels.pairs : kernels.words;
  }
}

int64_t element_bytes(Packed type) {
  constexpr std::array<int64_t, kPackedTypes> kBytes = {1, 1, 2, 4, 8};
  return kBytes[ordinal(type)];
}

/// One operand in strips of `width` lines.
template <typename Word>
struct Strips {
  const IntegerTileKernels<Word>& way;
  IntegerMatrix matrix;
  int64_t k, width;
  bool flip;

  int64_t depth() const { return (k + way.group - 1) / way.group; }
  int64_t count() const { return (matrix.lines + width - 1) / width; }
  int64_t lines_of(int64_t strip) const { return std::min(width, matrix.lines - strip * width); }

  /// Packs lines from a strip's first one on, in strips of `strip_width`.
  void pack(int64_t strip, int64_t lines, int64_t strip_width, Word* to) const {
    const auto* from =
        static_cast<const std::byte*>(matrix.data) + strip * width * matrix.line_stride * element_bytes(matrix.type);
    way.pack[ordinal(matrix.type)]({from, matrix.line_stride, matrix.k_stride, lines, strip_width, k, flip, to});
  }
};

/// Subtracts what shifted bytes add to the sums. With a' = a - s and b' = b + t, where s and t are 128 or 0, the sum of
/// a b is that of a' b' - t a' + s b' - s t.
class Correction {
 public:
  Correction(const IntegerKernels& kernels, bool left_shifted, bool right_shifted, int64_t k)
      : kernels_(kernels), left_(left_shifted), right_(right_shifted), k_(k) {}

  template <typename Word>
  void rows(const Word* strip, int64_t depth, int64_t width, Word* terms) const {
    if constexpr (sizeof(Word) == sizeof(int32_t)) {
      if (!right_) return;
      kernels_.byte_sums({strip, depth, width, true, terms});
      const uint32_t constant = left_ ? static_cast<uint32_t>(k_) * kShift * kShift : 0;
      for (int64_t i = 0; i < width; ++i)
        terms[i] = static_cast<int32_t>(0 - static_cast<uint32_t>(terms[i]) * kShift - constant);
    }
  }
  template <typename Word>
  void columns(const Word* strip, int64_t depth, int64_t width, Word* terms) const {
    if constexpr (sizeof(Word) == sizeof(int32_t)) {
      if (!left_) return;
      kernels_.byte_sums({strip, depth, width, false, terms});
      for (int64_t j = 0; j < width; ++j) terms[j] = static_cast<int32_t>(static_cast<uint32_t>(terms[j]) * kShift);
    }
  }

 private:
  const IntegerKernels& kernels_;
  bool left_, right_;
  int64_t k_;
};

}  // namespace

const IntegerKernels& integer_kernels(Isa isa) {
#if defined(__x86_64__)  // the names of its features are errors elsewhere
  if (isa == Isa::kAvx512)
    return __builtin_cpu_supports("avx512vnni") ? integer_kernels_avx512vnni() : integer_kernels_avx512();
  if (isa == Isa::kAvx2) return __builtin_cpu_supports("avxvnni") ? integer_kernels_avxvnni() : integer_kernels_avx2();
#else
  static_cast<void>(isa);
#endif
  return integer_kernels_sse2();
}

template <typename Word>
Status multiply_integers(const IntegerKernels& kernels, const IntegerMatrix& a, const IntegerMatrix& b, int64_t k,
                         const std::function<void(const IntegerBlock<Word>&)>& store) {
  const IntegerTileKernels<Word>& way = way_of<Word>(kernels, a.type, b.type);
  const int64_t wide = 2 * kernels.vector_bytes / static_cast<int64_t>(sizeof(Word));
  const bool bytes = way.group == 4, left_shifted = bytes && a.type == Packed::kU8,
             right_shifted = bytes && b.type == Packed::kS8;
  const Strips<Word> left{way, a, k, kernels.rows, left_shifted}, right{way, b, k, wide, right_shifted};
  const Correction correction(kernels, left_shifted, right_shifted, k);
  const int64_t depth = left.depth();
  const auto words = [](int64_t count) { return static_cast<size_t>(count) * sizeof(Word); };
  HILO_ASSIGN_OR_RETURN(AlignedBuffer columns, allocate_buffer(words(right.count() * wide * depth)));
  // byte_sums reads a vector from the last line on.
  HILO_ASSIGN_OR_RETURN(AlignedBuffer rows, allocate_buffer(words(kStripsAtOnce * kernels.rows * depth + wide)));
  HILO_ASSIGN_OR_RETURN(AlignedBuffer sums, allocate_buffer(words(kernels.rows * wide)));
  auto* const b_words = reinterpret_cast<Word*>(columns.data());
  auto* const a_words = reinterpret_cast<Word*>(rows.data());
  auto* const c_words = reinterpret_cast<Word*>(sums.data());
  std::vector<Word> column_terms(right.count() * wide), row_terms(kStripsAtOnce * kernels.rows);
  const StopFlag stop;
  right.pack(0, b.lines, wide, b_words);
  for (int64_t j = 0; j < right.count(); ++j)
    correction.columns(b_words + j * wide * depth, depth, wide, column_terms.data() + j * wide);
  for (int64_t first = 0; first < left.count(); first += kStripsAtOnce) {
    const int64_t last = std::min(left.count(), first + kStripsAtOnce);
    const auto at = [&](int64_t strip) { return (strip - first) * kernels.rows; };
    for (int64_t i = first; i < last; ++i) {
      left.pack(i, left.lines_of(i), left.lines_of(i), a_words + at(i) * depth);
      correction.rows(a_words + at(i) * depth, depth, left.lines_of(i), row_terms.data() + at(i));
    }
    for (int64_t j = 0; j < right.count() && !stop.raised(); ++j) {
      for (int64_t i = first; i < last; ++i) {
        const int64_t lines = left.lines_of(i);
        way.tile[lines - 1]({a_words + at(i) * depth, b_words + j * wide * depth, depth, row_terms.data() + at(i),
                             column_terms.data() + j * wide, c_words, wide});
        store({i * kernels.rows, j * wide, lines, right.lines_of(j), c_words, wide});
      }
    }
  }
  return ok_status();
}

template Status multiply_integers(const IntegerKernels&, const IntegerMatrix&, const IntegerMatrix&, int64_t,
                                  const std::function<void(const IntegerBlock<int32_t>&)>&);
template Status multiply_integers(const IntegerKernels&, const IntegerMatrix&, const IntegerMatrix&, int64_t,
                                  const std::function<void(const IntegerBlock<int64_t>&)>&);

}  // namespace hilo::cpu
