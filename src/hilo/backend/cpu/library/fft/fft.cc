// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/fft/fft.cc -- the fft op: transforms one dimension after another. Real transforms use complex
// ones of half the length.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>

#include "hilo/backend/cpu/library/fft/short_lines.h"
#include "hilo/backend/cpu/library/fft/transform.h"
#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/backend/cpu/library/parallel.h"
#include "hilo/base/buffer_pool.h"
#include "hilo/base/out_of_memory.h"
#include "hilo/base/text.h"
#include "hilo/hlo/ops/fft.h"
#include "hilo/hlo/ops/short_fft.h"
#include "hilo/types/checked.h"

namespace hilo::cpu {
namespace {

using fft::Batch;
using fft::Transform;
using hlo::FftType;

constexpr int64_t kMadeAtOnce = 1 << 20;              // bytes of tables; larger ones are computed in the first run
constexpr int64_t kMaxTableBytes = int64_t{1} << 29;  // in addition to the line itself

/// Calls run(row) for all rows. Uses several threads if there is enough work.
template <typename Run>
void for_rows(int64_t rows, int64_t length, Run&& run) {
  const bool worth = worth_forking(work_ns(kCpuCosts.library.transform_element, rows * length));
  each_in_parts(rows, worth ? parts_for_threads(rows) : 1, run);
}

/// Transforms real lines of an even length n as complex ones of length n/2: even elements are real parts, odd ones
/// imaginary.
template <typename T>
class RealEven {
 public:
  RealEven(int64_t n, Isa isa)
      : half_(n / 2),
        roots_(fft::real_line_roots<T>(half_)),
        kernels_(runtime::fft::kernels_of<T>(isa)),
        transform_(half_, isa) {}

  Status forward(const T* from, T* to, int64_t rows) const {
    HILO_RETURN_IF_ERROR(transform_.run({{from, 1, half_}, {to, 1, half_ + 1}, rows}));
    for_rows(rows, half_, [&](int64_t r) { kernels_.separate(line(), to + 2 * r * (half_ + 1)); });
    return ok_status();
  }

  /// The scale is one over the total length.
  Status inverse(const T* from, T* to, int64_t rows, T scale) const {
    for_rows(rows, half_, [&](int64_t r) { kernels_.join(line(), from + 2 * r * (half_ + 1), to + 2 * r * half_); });
    return transform_.run({{to, 1, half_}, {to, 1, half_}, rows, 1, 0, 0, true, scale});
  }

 private:
  fft::RealLine<T> line() const { return {half_, roots_.data()}; }

  int64_t half_;
  std::vector<T> roots_;
  fft::Kernels<T> kernels_;
  Transform<T> transform_;
};

/// Transforms real lines of an odd length as complex ones, as many at a time as fit in the L2 cache. Two lines could be
/// the parts of one, but a NaN in one would then reach the other.
template <typename T>
class RealOdd {
 public:
  RealOdd(int64_t n, Isa isa) : n_(n), kept_(n / 2 + 1), transform_(n, isa) {}

  Status forward(const T* from, T* to, int64_t rows) const {
    if (transform_.supports_real(rows)) {
      return transform_.run({{from, 1, n_}, {to, 1, kept_}, rows, 1, 0, 0, false, T(1), fft::RealSide::kFrom});
    }
    return in_blocks(rows, [&](int64_t first, int64_t count, T* z) -> Status {
      for (int64_t k = 0; k < count * n_; ++k) {
        z[2 * k] = from[first * n_ + k];
        z[2 * k + 1] = 0;
      }
      HILO_RETURN_IF_ERROR(transform_.run({{z, 1, n_}, {z, 1, n_}, count}));
      for (int64_t r = 0; r < count; ++r) {
        T* const line = to + 2 * (first + r) * kept_;
        std::memcpy(line, z + 2 * r * n_, static_cast<size_t>(2 * kept_) * sizeof(T));
        line[1] = 0;
      }
      return ok_status();
    });
  }

  Status inverse(const T* from, T* to, int64_t rows, T scale) const {
    if (transform_.supports_real(rows)) {
      return transform_.run({{from, 1, kept_}, {to, 1, n_}, rows, 1, 0, 0, true, scale, fft::RealSide::kTo});
    }
    return in_blocks(rows, [&](int64_t first, int64_t count, T* z) -> Status {
      for (int64_t r = 0; r < count; ++r) mirror(from + 2 * (first + r) * kept_, z + 2 * r * n_);
      HILO_RETURN_IF_ERROR(transform_.run({{z, 1, n_}, {z, 1, n_}, count, 1, 0, 0, true, scale}));
      for (int64_t k = 0; k < count * n_; ++k) to[first * n_ + k] = z[2 * k];
      return ok_status();
    });
  }

 private:
  // minimum number of rows that fills the lanes of a register
  static constexpr int64_t kBlockBytes = 1 << 18, kMinRows = 16;

  /// Calls run(first row, rows, memory for that many complex lines) for blocks of rows. Uses several threads if there
  /// is enough work.
  template <typename Run>
  Status in_blocks(int64_t rows, const Run& run) const {
    const int64_t line_bytes = 2 * n_ * sizeof(T);
    const int64_t most = std::max(kMinRows, kBlockBytes / line_bytes / kMinRows * kMinRows);
    const int64_t blocks = (rows + most - 1) / most;
    std::atomic<bool> failed = false;
    for_rows(blocks, n_ * most, [&](int64_t block) {
      const int64_t first = block * most, count = std::min(most, rows - first);
      StatusOr<AlignedBuffer> memory = allocate_buffer(count * line_bytes);
      if (!memory.ok() || !run(first, count, reinterpret_cast<T*>(memory->data())).ok()) failed = true;
    });
    return failed ? resource_exhausted("fft: no memory for its intermediate values") : ok_status();
  }

  /// Completes the complex line whose transform is real, from its first half.
  void mirror(const T* x, T* line) const {
    line[0] = x[0];
    line[1] = 0;  // a real line has no imaginary part
    for (int64_t k = 1; k < kept_; ++k) {
      line[2 * (n_ - k)] = line[2 * k] = x[2 * k];
      line[2 * k + 1] = x[2 * k + 1];
      line[2 * (n_ - k) + 1] = -x[2 * k + 1];
    }
  }

  int64_t n_, kept_;
  Transform<T> transform_;
};

/// The tables of a transform over all dimensions: those of the complex lines, then that of a real last dimension.
template <typename T>
struct Tables {
  std::vector<Transform<T>> transforms;
  std::optional<RealEven<T>> even;
  std::optional<RealOdd<T>> odd;
};

/// Lengths of the complex lines that are transformed. A real last dimension has its own length, halved if even.
struct LineLengths {
  std::vector<int64_t> complex;
  std::optional<int64_t> even_half, odd;

  explicit LineLengths(const hlo::FftAttributes& attributes) : complex(attributes.fft_length) {
    if (attributes.fft_type != FftType::kRfft && attributes.fft_type != FftType::kIrfft) return;
    const int64_t n = complex.back();
    complex.pop_back();
    (n % 2 == 0 ? even_half : odd) = n % 2 == 0 ? n / 2 : n;
  }
};

/// Returns the bytes of the tables. Saturates at INT64_MAX.
template <typename T>
int64_t table_bytes(const LineLengths& lengths) {
  std::vector<int64_t> all = lengths.complex;
  if (lengths.even_half) all.insert(all.end(), {*lengths.even_half, *lengths.even_half});  // with their own roots
  if (lengths.odd) all.push_back(*lengths.odd);
  int64_t bytes = 0;
  for (int64_t n : all) bytes = checked_add(bytes, Transform<T>::table_bytes(n)).value_or(INT64_MAX);
  return bytes;
}

template <typename T>
class FftHero final : public Hero {
 public:
  FftHero(const hlo::FftAttributes& attributes, const Shape& operand, Isa isa)
      : type_(attributes.fft_type), isa_(isa), lengths_(attributes) {
    const std::vector<int64_t>& lengths = attributes.fft_length;
    sizes_.assign(operand.dimensions().begin(), operand.dimensions().end());
    first_ = sizes_.size() - lengths.size();
    real_length_ = lengths.back();
    const bool real = type_ == FftType::kRfft || type_ == FftType::kIrfft;
    kept_ = real ? real_length_ / 2 + 1 : real_length_;
    sizes_.back() = kept_;  // on the complex side
    rows_ = 1;
    for (size_t d = 0; d + 1 < sizes_.size(); ++d) rows_ *= sizes_[d];
    const bool inverse = type_ == FftType::kIfft || type_ == FftType::kIrfft;
    for (int64_t n : lengths) {
      if (inverse) scale_ /= static_cast<double>(n);
    }
    table_bytes_ = cpu::table_bytes<T>(lengths_);
    if (table_bytes_ <= kMadeAtOnce) keep(make_tables());
  }

  int64_t table_bytes() const override { return table_bytes_; }

  Status run(void* const* buffers, const CallContext&) const override {
    T* const to = static_cast<T*>(buffers[1]);
    const T* const from = static_cast<const T*>(buffers[0]);
    HILO_ASSIGN_OR_RETURN(const Tables<T>* const tables, tables());
    const auto& [transforms, even, odd] = *tables;
    if (type_ == FftType::kRfft) {
      HILO_RETURN_IF_ERROR(even ? even->forward(from, to, rows_) : odd->forward(from, to, rows_));
      return run_complex(transforms, to, to, false, 1);
    }
    if (type_ != FftType::kIrfft)
      return run_complex(transforms, from, to, type_ == FftType::kIfft, static_cast<T>(scale_));
    AlignedBuffer memory;
    const T* source = from;
    if (!transforms.empty()) {
      HILO_ASSIGN_OR_RETURN(memory, allocate_buffer(2 * rows_ * kept_ * sizeof(T)));
      T* const between = reinterpret_cast<T*>(memory.data());
      HILO_RETURN_IF_ERROR(run_complex(transforms, from, between, true, 1));
      source = between;
    }
    const T scale = static_cast<T>(scale_);
    return even ? even->inverse(source, to, rows_, scale) : odd->inverse(source, to, rows_, scale);
  }

 private:
  std::unique_ptr<Tables<T>> make_tables() const {
    auto tables = std::make_unique<Tables<T>>();
    for (int64_t n : lengths_.complex) tables->transforms.emplace_back(n, isa_);
    if (lengths_.even_half) tables->even.emplace(real_length_, isa_);
    if (lengths_.odd) tables->odd.emplace(real_length_, isa_);
    return tables;
  }

  /// Returns the tables. The first run computes them if they are large.
  /// Errors    RESOURCE_EXHAUSTED; those of stop_status
  StatusOr<const Tables<T>*> tables() const {
    if (const Tables<T>* const tables = ready_.load(std::memory_order_acquire)) return tables;
    const std::scoped_lock lock(mutex_);
    if (tables_ != nullptr) return tables_.get();
    std::unique_ptr<Tables<T>> tables;
    HILO_RETURN_IF_ERROR(or_out_of_memory([&] {
      tables = make_tables();
      return stop_status();  // in that case the tables are incomplete
    }));
    return keep(std::move(tables));
  }

  const Tables<T>* keep(std::unique_ptr<const Tables<T>> tables) const {
    tables_ = std::move(tables);
    ready_.store(tables_.get(), std::memory_order_release);
    return tables_.get();
  }

  /// Transforms the complex dimensions, the last one first: its lines are read again if they are contiguous.
  Status run_complex(const std::vector<Transform<T>>& transforms, const T* from, T* to, bool inverse, T scale) const {
    const T* source = from;
    for (size_t k = transforms.size(); k-- > 0;) {
      const size_t d = first_ + k;
      int64_t inner = 1, outer = 1;
      for (size_t e = 0; e < sizes_.size(); ++e) (e < d ? outer : inner) *= e == d ? 1 : sizes_[e];
      const int64_t n = sizes_[d];
      Batch<T> batch{{source, inner, 1}, {to, inner, 1}, inner, outer, inner * n, inner * n, inverse, T(1)};
      if (inner == 1) batch = {{source, 1, n}, {to, 1, n}, outer, 1, 0, 0, inverse, T(1)};
      if (k == 0) batch.scale = scale;
      HILO_RETURN_IF_ERROR(transforms[k].run(batch));
      source = to;
    }
    return ok_status();
  }

  FftType type_;
  Isa isa_;
  LineLengths lengths_;
  int64_t table_bytes_ = 0;
  std::vector<int64_t> sizes_;
  size_t first_ = 0;
  int64_t real_length_ = 0, kept_ = 0, rows_ = 1;
  double scale_ = 1;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<const Tables<T>> tables_;       ///< null until the first run if they are large
  mutable std::atomic<const Tables<T>*> ready_{nullptr};  ///< the same pointer, for runs that needn't wait
};

/// Limits the memory of tables. Usually they are as large as the lines themselves. For a length with a large prime
/// factor they are a few times as large as a line of twice the length: for millions of elements, a tiny program would
/// allocate too much.
/// Errors    RESOURCE_EXHAUSTED
template <typename T>
Status check_tables(const hlo::FftAttributes& attributes, const Shape& operand) {
  const int64_t bytes = table_bytes<T>(LineLengths(attributes)), most = kMaxTableBytes + 2 * operand.byte_size();
  if (bytes <= most) return ok_status();
  return resource_exhausted(
      fmt::format("fft of length {}: its tables are too large; got {}, wanted at most {}. Hint: pad to a length "
                  "without prime factors "
                  "above {}",
                  dimensions_to_string(attributes.fft_length), bytes_text(static_cast<uint64_t>(bytes)),
                  bytes_text(static_cast<uint64_t>(most)), fft::kMaxRadix));
}

/// All lines are short. Rounds as the reference and XLA do.
template <typename T>
class ShortFftHero final : public Hero {
 public:
  ShortFftHero(const hlo::FftAttributes& attributes, const Shape& complex_side, Isa isa)
      : transform_(attributes, complex_side.dimensions(), fft::short_line_kernels_of<T>(isa)) {}

  Status run(void* const* buffers, const CallContext&) const override {
    return transform_.run(static_cast<const T*>(buffers[0]), static_cast<T*>(buffers[1]),
                          [](int64_t count, const std::function<void(int64_t)>& block) {
                            const bool worth = worth_forking(work_ns(kCpuCosts.library.short_transforms, count));
                            const int64_t parts = worth ? parts_for_threads(count) : 1;
                            each_in_parts(count, parts, block);
                          });
  }

 private:
  hlo::ShortFftArray<T> transform_;
};

template <typename T>
StatusOr<std::unique_ptr<Hero>> make_hero(const hlo::FftAttributes& attributes, const Shape& operand, Isa isa) {
  if (!hlo::is_short_fft(attributes.fft_length)) {
    HILO_RETURN_IF_ERROR(check_tables<T>(attributes, operand));
    return std::unique_ptr<Hero>(std::make_unique<FftHero<T>>(attributes, operand, isa));
  }
  std::vector<int64_t> sizes(operand.dimensions().begin(), operand.dimensions().end());
  if (attributes.fft_type == FftType::kRfft) sizes.back() = sizes.back() / 2 + 1;
  return std::unique_ptr<Hero>(std::make_unique<ShortFftHero<T>>(attributes, operand.with_dimensions(sizes), isa));
}

}  // namespace

StatusOr<std::unique_ptr<Hero>> make_fft_hero(const HeroRequest& request) {
  const Shape& operand = request.problem.operands[0];
  const Isa isa = request.isa;
  if (operand.element_count() == 0) return std::unique_ptr<Hero>();
  const auto& attributes = hlo::attributes_of<hlo::FftAttributes>(request.problem.instruction);
  if (real_type_of(operand.element_type()) == ElementType::kF32) return make_hero<float>(attributes, operand, isa);
  return make_hero<double>(attributes, operand, isa);
}

}  // namespace hilo::cpu
