// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/fft.h"

#include <algorithm>
#include <cstring>

#include "hilo/backend/cpu/runtime/functions.h"

namespace hilo::cpu::runtime {
namespace {

using fft::Batch, fft::LineJob, fft::LineTable, fft::multiply_into, fft::RealSide;

template <typename T>
const T* numbers(const NumberList& list, const void* problem) {
  return reinterpret_cast<const T*>(list.of(problem).data());
}

template <typename T>
LineTable<T> table_of(const FftLines& lines, const void* problem) {
  return {lines.length,
          lines.padded,
          lines.passes.of(problem).data(),
          static_cast<int64_t>(lines.passes.size),
          numbers<T>(lines.twiddles, problem),
          numbers<T>(lines.roots, problem),
          numbers<T>(lines.chirp, problem),
          numbers<T>(lines.filter, problem)};
}

/// Runs the transforms of a problem.
template <typename T>
class Transforms {
 public:
  explicit Transforms(const FftProblem& p)
      : problem_(&p), transforms_(p.transforms.of(&p)), kernels_(fft::kernels_of<T>(p.isa)) {}

  const fft::Kernels<T>& kernels() const { return kernels_; }
  bool supports_real(int64_t number, int64_t lines) const {
    const FftTransform& t = at(number);
    return t.direct.length != 0 && !are_few(t, lines);
  }

  /// As Transform::run of library/fft, on one thread.
  void run(int64_t number, const Batch<T>& batch, Scratch scratch, const Stop& stop) const {
    const FftTransform& t = at(number);
    const int64_t lines = batch.count * batch.groups;
    if (lines == 0) return;
    if (t.direct.length != 0 && !are_few(t, lines)) return run_direct(t, batch, scratch);
    const int64_t together = t.padded >= 0 ? kernels_.lanes : 1;
    for (int64_t begin = 0; begin < lines && !stop.raised(); begin += together) {
      if (t.padded >= 0) run_convolutions(t, batch, begin, std::min(lines, begin + together), scratch, stop);
      else run_split(t, batch, begin, scratch);
    }
  }

  static size_t scratch_bytes(std::span<const FftTransform> transforms, const FftTransform& t, int64_t lanes) {
    const auto lines = [&](const FftLines& x) { return 4 * static_cast<size_t>(x.padded * lanes) * sizeof(T); };
    const size_t complex = 2 * sizeof(T);
    const size_t split = Scratch::bytes_for<std::byte>(static_cast<size_t>(t.length) * complex) +
                         std::max(lines(t.columns), lines(t.rows));
    size_t convolutions = 0;
    if (t.padded >= 0) {
      const FftTransform& padded = transforms[static_cast<size_t>(t.padded)];
      const size_t count = static_cast<size_t>(padded.length * lanes);
      convolutions = Scratch::bytes_for<std::byte>(count * complex) + scratch_bytes(transforms, padded, lanes);
    }
    return std::max({lines(t.direct), t.columns.length == 0 ? 0 : split, convolutions});
  }

 private:
  const FftTransform& at(int64_t number) const { return transforms_[static_cast<size_t>(number)]; }
  bool are_few(const FftTransform& t, int64_t lines) const {
    return lines < kernels_.lanes && (t.columns.length != 0 || t.padded >= 0);
  }
  static const T* from_line(const Batch<T>& b, int64_t i) {
    return b.from.data + 2 * (i / b.count * b.from_group + i % b.count * b.from.line);
  }
  static T* to_line(const Batch<T>& b, int64_t i) {
    return b.to.data + 2 * (i / b.count * b.to_group + i % b.count * b.to.line);
  }

  void run_job(const LineTable<T>& table, LineJob<T> job, Scratch scratch) const {
    job.table = &table;
    job.memory = scratch.take<std::byte>(static_cast<size_t>(line_memory_bytes(table, kernels_.lanes))).data();
    kernels_.run(job);
  }

  void run_direct(const FftTransform& t, const Batch<T>& batch, Scratch scratch) const {
    const LineTable<T> table = table_of<T>(t.direct, problem_);
    for (int64_t g = 0; g < batch.groups; ++g) {
      LineJob<T> job{nullptr, batch.from, batch.to, 0, batch.count, batch.inverse, batch.scale};
      job.real = batch.real;
      job.from.data += 2 * g * batch.from_group;
      job.to.data += 2 * g * batch.to_group;
      run_job(table, job, scratch);
    }
  }

  void run_split(const FftTransform& t, const Batch<T>& batch, int64_t line, Scratch scratch) const {
    const LineTable<T> columns = table_of<T>(t.columns, problem_), rows = table_of<T>(t.rows, problem_);
    const int64_t a = columns.length, b = rows.length;
    T* const between = scratch.take<T>(static_cast<size_t>(2 * t.length)).data();
    LineJob<T> down{nullptr,
                    {from_line(batch, line), b * batch.from.element, batch.from.element},
                    {between, b, 1},
                    0,
                    b,
                    batch.inverse,
                    1};
    down.twiddle = numbers<T>(t.twiddles, problem_);
    down.twiddle_line = b;
    run_job(columns, down, scratch);
    run_job(rows,
            {nullptr,
             {between, 1, b},
             {to_line(batch, line), a * batch.to.element, batch.to.element},
             0,
             a,
             batch.inverse,
             batch.scale},
            scratch);
  }

  void run_convolutions(const FftTransform& t, const Batch<T>& batch, int64_t begin, int64_t end, Scratch scratch,
                        const Stop& stop) const {
    const int64_t n = at(t.padded).length, lines = end - begin;
    T* const x = scratch.take<T>(static_cast<size_t>(2 * n * kernels_.lanes)).data();
    const T *const chirp = numbers<T>(t.chirp, problem_), *const filter = numbers<T>(t.filter, problem_);
    for (int64_t i = 0; i < lines; ++i) {
      T* const line = x + 2 * n * i;
      multiply_into<T>(from_line(batch, begin + i), batch.from.element, chirp, t.length, batch.inverse, 1, line, 1);
      std::fill(line + 2 * t.length, line + 2 * n, T(0));
    }
    Batch<T> both{{x, 1, n}, {x, 1, n}, lines};
    run(t.padded, both, scratch, stop);
    for (int64_t i = 0; i < lines; ++i)
      multiply_into<T>(x + 2 * n * i, 1, filter, n, batch.inverse, 1, x + 2 * n * i, 1);
    both.inverse = true;
    run(t.padded, both, scratch, stop);
    for (int64_t i = 0; i < lines; ++i) {
      multiply_into<T>(x + 2 * n * i, 1, chirp, t.length, batch.inverse, batch.scale, to_line(batch, begin + i),
                       batch.to.element);
    }
  }

  const FftProblem* problem_;
  std::span<const FftTransform> transforms_;
  fft::Kernels<T> kernels_;
};

/// The dimensions of one call.
template <typename T>
class FftCall {
 public:
  FftCall(const Call& call, const FftProblem& p)
      : p_(p),
        transforms_(p),
        scratch_(call),
        stop_(stop_of(call)),
        from_(static_cast<const T*>(call.buffers[0])),
        to_(static_cast<T*>(call.buffers[1])) {}

  void run() {
    const T scale = static_cast<T>(p_.scale);
    if (p_.real == RealFft::kNone) return run_complex(from_, to_, scale);
    if (p_.real == RealFft::kForward) {
      if (is_even()) forward_even();
      else forward_odd();
      return run_complex(to_, to_, 1);
    }
    const T* source = from_;
    if (p_.complex.size != 0) {
      T* const between = scratch_.take<T>(static_cast<size_t>(2 * p_.rows * p_.kept)).data();
      run_complex(from_, between, 1);
      source = between;
    }
    if (is_even()) inverse_even(source, scale);
    else inverse_odd(source, scale);
  }

 private:
  bool is_even() const { return p_.real_length % 2 == 0; }
  fft::RealLine<T> line() const { return {p_.real_length / 2, numbers<T>(p_.line_roots, &p_)}; }

  /// Transforms the complex dimensions, the last one first.
  void run_complex(const T* from, T* to, T scale) {
    const std::span<const int64_t> sizes = p_.sizes.of(&p_), numbers = p_.complex.of(&p_);
    for (size_t k = numbers.size(); k-- > 0;) {
      const size_t d = static_cast<size_t>(p_.first) + k;
      int64_t inner = 1, outer = 1;
      for (size_t e = 0; e < sizes.size(); ++e) (e < d ? outer : inner) *= e == d ? 1 : sizes[e];
      const int64_t n = sizes[d];
      Batch<T> batch{{from, inner, 1}, {to, inner, 1}, inner, outer, inner * n, inner * n, p_.inverse, T(1)};
      if (inner == 1) batch = {{from, 1, n}, {to, 1, n}, outer, 1, 0, 0, p_.inverse, T(1)};
      if (k == 0) batch.scale = scale;
      transforms_.run(numbers[k], batch, scratch_, stop_);
      from = to;
    }
  }

  void forward_even() {
    const int64_t half = p_.real_length / 2;
    transforms_.run(p_.line, {{from_, 1, half}, {to_, 1, half + 1}, p_.rows}, scratch_, stop_);
    for (int64_t r = 0; r < p_.rows; ++r) transforms_.kernels().separate(line(), to_ + 2 * r * (half + 1));
  }
  void inverse_even(const T* from, T scale) {
    const int64_t half = p_.real_length / 2;
    for (int64_t r = 0; r < p_.rows; ++r)
      transforms_.kernels().join(line(), from + 2 * r * (half + 1), to_ + 2 * r * half);
    transforms_.run(p_.line, {{to_, 1, half}, {to_, 1, half}, p_.rows, 1, 0, 0, true, scale}, scratch_, stop_);
  }

  void forward_odd() {
    const int64_t n = p_.real_length;
    if (transforms_.supports_real(p_.line, p_.rows)) {
      return transforms_.run(
          p_.line, {{from_, 1, n}, {to_, 1, p_.kept}, p_.rows, 1, 0, 0, false, T(1), RealSide::kFrom}, scratch_, stop_);
    }
    Scratch rest = scratch_;
    T* const z = rest.take<T>(static_cast<size_t>(2 * n)).data();
    for (int64_t r = 0; r < p_.rows; ++r) {
      for (int64_t k = 0; k < n; ++k) {
        z[2 * k] = from_[r * n + k];
        z[2 * k + 1] = 0;
      }
      transforms_.run(p_.line, {{z, 1, n}, {z, 1, n}}, rest, stop_);
      T* const to = to_ + 2 * r * p_.kept;
      std::memcpy(to, z, static_cast<size_t>(2 * p_.kept) * sizeof(T));
      to[1] = 0;
    }
  }
  void inverse_odd(const T* from, T scale) {
    const int64_t n = p_.real_length;
    if (transforms_.supports_real(p_.line, p_.rows)) {
      return transforms_.run(p_.line, {{from, 1, p_.kept}, {to_, 1, n}, p_.rows, 1, 0, 0, true, scale, RealSide::kTo},
                             scratch_, stop_);
    }
    Scratch rest = scratch_;
    T* const z = rest.take<T>(static_cast<size_t>(2 * n)).data();
    for (int64_t r = 0; r < p_.rows; ++r) {
      mirror(from + 2 * r * p_.kept, z);
      transforms_.run(p_.line, {{z, 1, n}, {z, 1, n}, 1, 1, 0, 0, true, scale}, rest, stop_);
      for (int64_t k = 0; k < n; ++k) to_[r * n + k] = z[2 * k];
    }
  }
  /// Completes the complex line whose transform is real, from its first half.
  void mirror(const T* x, T* line) const {
    const int64_t n = p_.real_length;
    line[0] = x[0];
    line[1] = 0;
    for (int64_t k = 1; k < p_.kept; ++k) {
      line[2 * (n - k)] = line[2 * k] = x[2 * k];
      line[2 * k + 1] = x[2 * k + 1];
      line[2 * (n - k) + 1] = -x[2 * k + 1];
    }
  }

  const FftProblem& p_;
  Transforms<T> transforms_;
  Scratch scratch_;
  Stop stop_;
  const T* from_;
  T* to_;
};

template <typename T>
size_t scratch_of_type(const FftProblem& p, std::span<const FftTransform> transforms) {
  size_t largest = 0;
  for (const FftTransform& t : transforms)
    largest = std::max(largest, Transforms<T>::scratch_bytes(transforms, t, fft::kernels_of<T>(p.isa).lanes));
  const size_t lines = p.real == RealFft::kInverse ? static_cast<size_t>(2 * p.rows * p.kept) : 0;
  const size_t line = p.real == RealFft::kNone ? 0 : static_cast<size_t>(2 * p.real_length);
  return Scratch::bytes_for<T>(lines) + Scratch::bytes_for<T>(line) + largest;
}

}  // namespace

size_t fft_scratch(const FftProblem& p, std::span<const FftTransform> transforms) {
  return p.type == ElementType::kF32 ? scratch_of_type<float>(p, transforms) : scratch_of_type<double>(p, transforms);
}

void hilo_rt_fft(const Call* call, int64_t, int64_t) {
  const auto& p = problem_of<FftProblem>(*call);
  if (p.type == ElementType::kF32) FftCall<float>(*call, p).run();
  else FftCall<double>(*call, p).run();
}

}  // namespace hilo::cpu::runtime
