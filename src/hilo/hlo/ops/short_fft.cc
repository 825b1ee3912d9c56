// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/short_fft.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "hilo/base/buffer_pool.h"

namespace {
constexpr int kVectorBytes = 16;
}  // namespace

#include "hilo/hlo/ops/short_fft_lines.inc"

namespace hilo::hlo {

bool is_short_fft(std::span<const int64_t> lengths) {
  return std::ranges::all_of(lengths, [](int64_t n) { return n > 0 && n <= kMaxShortLine; });
}

namespace {

// ---- factors and roots of a length

/// exp(2 pi i k / n), from two tables of sines of at most an eighth of a turn.
class UnitRoots {
 public:
  explicit UnitRoots(int64_t n) : n_(n) {
    const int64_t needed = (n + 2) / 2;
    shift_ = 1;
    while ((int64_t{1} << shift_) * (int64_t{1} << shift_) < needed) ++shift_;
    const int64_t count = int64_t{1} << shift_;
    for (int64_t i = 0; i < count; ++i) near_.push_back(direct(i));
    for (int64_t i = 0; i < (needed + count - 1) / count; ++i) far_.push_back(direct(i * count));
  }

  Turn<double> operator[](int64_t k) const {
    const bool mirrored = 2 * k > n_;
    if (mirrored) k = n_ - k;
    const Turn<double> a = near_[k & ((int64_t{1} << shift_) - 1)];
    const Turn<double> b = far_[k >> shift_];
    const double im = a.re * b.im + a.im * b.re;
    return {a.re * b.re - a.im * b.im, mirrored ? -im : im};
  }

 private:
  Turn<double> direct(int64_t k) const {
    if (k == 0) return {1, 0};
    const auto unit = static_cast<double>(0.25L * std::numbers::pi_v<long double> / static_cast<long double>(n_));
    const auto angle = [&](int64_t eighths) { return static_cast<double>(eighths) * unit; };
    int64_t x = 8 * k;
    const bool lower = x >= 4 * n_;
    if (lower) x = 8 * n_ - x;
    const bool left = x >= 2 * n_;
    if (left) x -= 2 * n_;
    const bool steep = x >= n_;
    const double c = steep ? std::sin(angle(2 * n_ - x)) : std::cos(angle(x));
    const double s = steep ? std::cos(angle(2 * n_ - x)) : std::sin(angle(x));
    const double re = left ? -s : c, im = left ? c : s;
    return {re, lower ? -im : im};
  }

  int64_t n_, shift_ = 1;
  std::vector<Turn<double>> near_, far_;
};

/// Returns the factors in the order of their passes: eights (if `eights`), fours, a two in front, odd primes.
std::vector<int64_t> factors_of(int64_t n, bool eights) {
  std::vector<int64_t> factors;
  for (; eights && n % 8 == 0; n /= 8) factors.push_back(8);
  for (; n % 4 == 0; n /= 4) factors.push_back(4);
  if (n % 2 == 0) {
    n /= 2;
    factors.push_back(2);
    std::swap(factors.front(), factors.back());
  }
  for (int64_t divisor = 3; divisor * divisor <= n; divisor += 2) {
    for (; n % divisor == 0; n /= divisor) factors.push_back(divisor);
  }
  if (n > 1) factors.push_back(n);
  return factors;
}

/// Returns exp(2 pi i k / radix), rounded once.
template <typename T>
Turn<T> exact_root(int64_t k, int64_t radix) {
  const bool mirrored = 2 * k > radix;
  const int64_t at = mirrored ? radix - k : k;
  const long double angle =
      2 * std::numbers::pi_v<long double> * static_cast<long double>(at) / static_cast<long double>(radix);
  const auto im = static_cast<T>(std::sin(angle));
  return {static_cast<T>(std::cos(angle)), mirrored ? -im : im};
}

template <typename T>
std::vector<FftPass<T>> passes_of(int64_t length, bool is_real) {
  std::vector<FftPass<T>> passes;
  if (length == 1) return passes;
  const UnitRoots unit(length);
  const auto narrowed = [](const Turn<double>& t) { return Turn<T>{static_cast<T>(t.re), static_cast<T>(t.im)}; };
  int64_t outer = 1;
  for (const int64_t radix : factors_of(length, !is_real)) {
    FftPass<T>& pass = passes.emplace_back(FftPass<T>{radix, length / (outer * radix), outer, {}, {}});
    const int64_t turned = is_real ? (pass.inner - 1) / 2 : pass.inner - 1;
    for (int64_t j = 1; j < radix; ++j) {
      for (int64_t i = 1; i <= turned; ++i) pass.turns.push_back(narrowed(unit[j * outer * i]));
    }
    const bool has_constants = radix <= (is_real ? 5 : 11);
    for (int64_t k = 0; radix % 2 != 0 && k < radix; ++k)
      pass.roots.push_back(has_constants ? exact_root<T>(k, radix) : narrowed(unit[k * (length / radix)]));
    outer *= radix;
  }
  return passes;
}

}  // namespace

template <typename T>
ShortFft<T>::ShortFft(int64_t n) : length(n), complex(passes_of<T>(n, false)), real(passes_of<T>(n, true)) {}

template <typename T>
ShortFftArray<T>::ShortFftArray(const FftAttributes& attributes, std::span<const int64_t> sizes,
                                const ShortLineKernels<T>& kernels)
    : kernels_(kernels),
      type_(attributes.fft_type),
      sizes_(sizes.begin(), sizes.end()),
      first_(sizes.size() - attributes.fft_length.size()) {
  long double total = 1;
  for (const int64_t n : attributes.fft_length) {
    plans_.emplace_back(n);
    total *= static_cast<long double>(n);
  }
  if (type_ == FftType::kIfft || type_ == FftType::kIrfft) scale_ = static_cast<double>(1 / total);
}

template <typename T>
int64_t ShortFftArray<T>::rows() const {
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < sizes_.size(); ++d) rows *= sizes_[d];
  return rows;
}

template <typename T>
void ShortFftArray<T>::run_blocks(void (*kernel)(const ShortLines<T>&), const std::vector<FftPass<T>>& passes,
                                  int64_t line_count, ShortLines<T> lines, Blocks blocks) const {
  std::vector<FftPassView<T>> views;
  for (const FftPass<T>& p : passes) views.push_back({p.radix, p.inner, p.outer, p.turns.data(), p.roots.data()});
  lines.passes = views.data();
  lines.pass_count = std::ssize(views);
  const int64_t lanes = kernels_.lanes;
  blocks((line_count + lanes - 1) / lanes, [&](int64_t block) {
    ShortLines<T> part = lines;
    part.begin = block * lanes;
    part.count = std::min(lanes, line_count - part.begin);
    kernel(part);
  });
}

/// Lines along `dimension`, multiplied by `scale` at the end.
template <typename T>
void ShortFftArray<T>::run_complex(size_t dimension, const T* from, T* to, T scale, Blocks blocks) const {
  const ShortFft<T>& plan = plans_[dimension - first_];
  int64_t inner = 1, outer = 1;
  for (size_t e = 0; e < sizes_.size(); ++e) (e < dimension ? outer : inner) *= e == dimension ? 1 : sizes_[e];
  const bool forward = type_ == FftType::kFft || type_ == FftType::kRfft;
  run_blocks(kernels_.complex, plan.complex, inner * outer,
             {.length = plan.length, .from = from, .to = to, .stride = inner, .forward = forward, .scale = scale},
             blocks);
}

template <typename T>
void ShortFftArray<T>::run_forward(const T* in, T* out, Blocks blocks) const {
  const ShortFft<T>& plan = plans_.back();
  run_blocks(kernels_.forward, plan.real, rows(), {.length = plan.length, .from = in, .to = out, .scale = 1}, blocks);
}

template <typename T>
void ShortFftArray<T>::run_backward(const T* in, T* out, T scale, Blocks blocks) const {
  const ShortFft<T>& plan = plans_.back();
  run_blocks(kernels_.backward, plan.real, rows(), {.length = plan.length, .from = in, .to = out, .scale = scale},
             blocks);
}

/// Complex transforms begin with the last dimension and scale it; those of real arrays go in the reverse order.
template <typename T>
Status ShortFftArray<T>::run(const T* in, T* out, Blocks blocks) const {
  const auto scale = static_cast<T>(scale_);
  const size_t last = sizes_.size() - 1;
  if (type_ == FftType::kRfft) {
    run_forward(in, out, blocks);
    for (size_t d = first_; d < last; ++d) run_complex(d, out, out, 1, blocks);
  } else if (type_ == FftType::kIrfft) {
    AlignedBuffer memory;
    const T* from = in;
    if (first_ < last) {
      HILO_ASSIGN_OR_RETURN(memory, allocate_buffer((2 * rows() * sizes_[last]) * sizeof(T)));
      T* const between = reinterpret_cast<T*>(memory.data());
      for (size_t d = first_; d < last; ++d) run_complex(d, d == first_ ? in : between, between, 1, blocks);
      from = between;
    }
    run_backward(from, out, scale, blocks);
  } else {
    run_complex(last, in, out, scale, blocks);
    for (size_t d = last; d-- > first_;) run_complex(d, out, out, 1, blocks);
  }
  return ok_status();
}

template <>
const ShortLineKernels<float>& short_line_kernels() {
  return kShortLineKernels<float>;
}
template <>
const ShortLineKernels<double>& short_line_kernels() {
  return kShortLineKernels<double>;
}

template struct ShortFft<float>;
template struct ShortFft<double>;
template class ShortFftArray<float>;
template class ShortFftArray<double>;

}  // namespace hilo::hlo
