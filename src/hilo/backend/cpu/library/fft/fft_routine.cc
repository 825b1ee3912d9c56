// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/fft/fft_routine.cc -- Fourier transforms in objects: the tables of a transform become constants.
#include <algorithm>

#include "hilo/backend/cpu/library/fft/transform.h"
#include "hilo/backend/cpu/library/object_routines.h"
#include "hilo/backend/cpu/library/routine_hero.h"
#include "hilo/hlo/ops/fft.h"

namespace hilo::cpu {
namespace {

using fft::LineTables, fft::Transform;
using hlo::FftType;
using runtime::FftProblem, runtime::FftTransform;

constexpr int64_t kMaxTableBytes = 1 << 26;  // of constants in an object

template <typename T>
class TransformWriter {
 public:
  TransformWriter(const FftProblem& problem, Isa isa) : writer_(problem), isa_(isa) {}

  FftProblem& problem() { return writer_.problem; }

  /// Returns the number of the transform.
  int64_t add(int64_t length) {
    bytes_ += Transform<T>::table_bytes(length);
    if (bytes_ > kMaxTableBytes) return -1;
    return add(Transform<T>(length, isa_));
  }
  void set_numbers(runtime::NumberList& list, const std::vector<T>& numbers) {
    writer_.set(list, std::as_bytes(std::span(numbers)));
  }
  void set_sizes(runtime::List<int64_t>& list, const std::vector<int64_t>& sizes) { writer_.set(list, sizes); }

  /// Returns nothing if the tables are too large.
  std::optional<RoutineCall> finish() && {
    if (bytes_ > kMaxTableBytes) return std::nullopt;
    const size_t scratch = runtime::fft_scratch(writer_.problem, transforms_);
    writer_.set(writer_.problem.transforms, transforms_);
    return RoutineCall{runtime::Routine::kFft, std::move(writer_).finish(), 1, scratch};
  }

 private:
  int64_t add(const Transform<T>& transform) {
    FftTransform t;
    t.length = transform.length();
    if (transform.direct()) t.direct = lines(*transform.direct());
    if (transform.split()) {
      t.columns = lines(transform.split()->columns);
      t.rows = lines(transform.split()->rows);
      set_numbers(t.twiddles, transform.split()->twiddles);
    }
    if (transform.padded() != nullptr) {
      t.padded = add(*transform.padded());
      set_numbers(t.chirp, transform.chirp().factors);
      set_numbers(t.filter, transform.chirp().filter);
    }
    transforms_.push_back(t);
    return std::ssize(transforms_) - 1;
  }
  runtime::FftLines lines(const LineTables<T>& tables) {
    runtime::FftLines l;
    l.length = tables.length;
    l.padded = tables.padded;
    writer_.set(l.passes, tables.passes);
    set_numbers(l.twiddles, tables.twiddles);
    set_numbers(l.roots, tables.roots);
    set_numbers(l.chirp, tables.chirp.factors);
    set_numbers(l.filter, tables.chirp.filter);
    return l;
  }

  ProblemWriter<FftProblem> writer_;
  Isa isa_;
  std::vector<FftTransform> transforms_;
  int64_t bytes_ = 0;
};

template <typename T>
std::optional<RoutineCall> routine(const hlo::FftAttributes& a, const Shape& operand, Isa isa) {
  const bool is_real = a.fft_type == FftType::kRfft || a.fft_type == FftType::kIrfft;
  FftProblem p;
  p.type = element_type_of<T>;
  p.isa = isa;
  p.inverse = a.fft_type == FftType::kIfft || a.fft_type == FftType::kIrfft;
  if (is_real) p.real = p.inverse ? runtime::RealFft::kInverse : runtime::RealFft::kForward;
  std::vector<int64_t> sizes(operand.dimensions().begin(), operand.dimensions().end());
  p.real_length = a.fft_length.back();
  p.kept = is_real ? p.real_length / 2 + 1 : p.real_length;
  sizes.back() = p.kept;
  p.first = std::ssize(sizes) - std::ssize(a.fft_length);
  for (size_t d = 0; d + 1 < sizes.size(); ++d) p.rows *= sizes[d];
  for (const int64_t n : a.fft_length) p.scale /= p.inverse ? static_cast<double>(n) : 1;
  TransformWriter<T> writer(p, isa);
  std::vector<int64_t> numbers;
  for (size_t d = 0; d + (is_real ? 1 : 0) < a.fft_length.size(); ++d) numbers.push_back(writer.add(a.fft_length[d]));
  if (is_real) {
    const bool is_even = p.real_length % 2 == 0;
    writer.problem().line = writer.add(is_even ? p.real_length / 2 : p.real_length);
    if (is_even) writer.set_numbers(writer.problem().line_roots, fft::real_line_roots<T>(p.real_length / 2));
  }
  writer.set_sizes(writer.problem().sizes, sizes);
  writer.set_sizes(writer.problem().complex, numbers);
  return std::move(writer).finish();
}

}  // namespace

std::optional<RoutineCall> fft_routine(const RoutineRequest& request) {
  const Shape& operand = request.problem.operands[0];
  const auto& a = hlo::attributes_of<hlo::FftAttributes>(request.problem.instruction);
  if (operand.element_count() == 0) return std::nullopt;
  if (real_type_of(operand.element_type()) == ElementType::kF32) return routine<float>(a, operand, request.isa);
  return routine<double>(a, operand, request.isa);
}

}  // namespace hilo::cpu
