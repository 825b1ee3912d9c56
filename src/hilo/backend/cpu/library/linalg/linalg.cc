// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/linalg/linalg.cc -- cholesky and triangular-solve by LAPACK and BLAS; custom calls.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/backend/cpu/library/linalg/lapack_routine.h"
#include "hilo/backend/cpu/library/linalg/triangular_solve.h"
#include "hilo/backend/cpu/library/long_call.h"
#include "hilo/backend/cpu/library/products/small_matrices.h"
#include "hilo/base/buffer_pool.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/linalg.h"
#include "hilo/types/twins.h"

namespace hilo::cpu {
namespace {

// LAPACK's matrices are column-major, so it reads ours as transposed: lower becomes upper, left becomes right.

template <typename T>
using SolveRoutine = void(const char*, const char*, const char*, const char*, const int*, const int*, const T*,
                          const T*, const int*, T*, const int*);

/// f16, bf16 and narrower floats are computed as floats.
template <typename Stored, typename T>
class Computed {
 public:
  static StatusOr<Computed> of(void* data, int64_t count) {
    Computed c;
    c.stored_ = static_cast<Stored*>(data);
    c.count_ = count;
    if constexpr (std::is_same_v<Stored, T>) {
      c.data_ = c.stored_;
    } else {
      HILO_ASSIGN_OR_RETURN(c.memory_, allocate_buffer(count * sizeof(T)));
      c.data_ = reinterpret_cast<T*>(c.memory_.data());
      for (int64_t i = 0; i < count; ++i) c.data_[i] = static_cast<T>(c.stored_[i]);
    }
    return c;
  }
  T* data() const { return data_; }
  void write_back() const {
    if constexpr (!std::is_same_v<Stored, T>) {
      for (int64_t i = 0; i < count_; ++i) stored_[i] = Stored(data_[i]);
    }
  }

 private:
  Stored* stored_ = nullptr;
  T* data_ = nullptr;
  int64_t count_ = 0;
  AlignedBuffer memory_;
};

/// Copies one triangle of a row-major matrix to the other side of the diagonal: the lower one if `from_below`.
template <typename T>
void mirror_triangle(T* a, int64_t n, bool from_below) {
  constexpr int64_t kBlock = 16;  // rows and columns, whose cache lines are then reused
  for (int64_t row = 0; row < n; row += kBlock) {
    for (int64_t column = 0; column <= row; column += kBlock) {
      for (int64_t i = row; i < std::min(row + kBlock, n); ++i) {
        for (int64_t j = column; j < std::min(column + kBlock, i); ++j) {
          if (from_below) a[j * n + i] = a[i * n + j];
          else a[i * n + j] = a[j * n + i];
        }
      }
    }
  }
}

/// Sets the operand's elements on the other side of the diagonal, which LAPACK leaves, to zero; after a failure, to
/// NaN.
template <typename T>
void finish_factor(T* a, int n, bool lower, bool failed) {
  for (int i = 0; i < n; ++i) {
    T* const row = a + static_cast<int64_t>(i) * n;
    if (failed) std::fill_n(row, n, T(std::numeric_limits<double>::quiet_NaN()));
    else if (lower) std::fill(row + i + 1, row + n, T(0));
    else std::fill(row, row + i, T(0));
  }
}

template <typename Stored, typename T>
class CholeskyHero final : public Hero {
 public:
  CholeskyHero(PotrfRoutine<T>* call, Isa isa, const Shape& shape, bool lower)
      : call_(call),
        isa_(isa),
        elements_(shape.element_count()),
        n_(static_cast<int>(shape.dimension(shape.rank() - 1))),
        lower_(lower) {}

  Status run(void* const* buffers, const CallContext& context) const override {
    if (elements_ == 0) return ok_status();
    const size_t bytes = static_cast<size_t>(elements_) * sizeof(Stored);
    const double work = static_cast<double>(elements_) * n_ / 3;
    if (!runs_apart(work, context)) return factor(buffers);
    return run_long_call({[hero = *this](void* const* own) { return hero.factor(own); }, {bytes}, {bytes}, work},
                         buffers, context);
  }

 private:
  Status factor(void* const* buffers) const {
    if (buffers[0] != buffers[1]) std::memcpy(buffers[1], buffers[0], static_cast<size_t>(elements_) * sizeof(Stored));
    HILO_ASSIGN_OR_RETURN(const auto a, (Computed<Stored, T>::of(buffers[1], elements_)));
    const int64_t size = static_cast<int64_t>(n_) * n_, count = elements_ / size;
    lapack::for_batch(count, static_cast<double>(size) * n_ / 3, [&](int64_t begin, int64_t end) {
      if constexpr (std::is_floating_point_v<T>) {
        if (uses_lanes_for_cholesky<T>(isa_, n_, count)) return factor_in_lanes(a.data(), begin, end);
      }
      factor_one_by_one(a.data(), begin, end);
    });
    a.write_back();
    return ok_status();
  }

  /// The elements above the diagonal are LAPACK's lower triangle, which OpenBLAS factors in half the time of the upper
  /// one.
  void factor_one_by_one(T* data, int64_t begin, int64_t end) const {
    const char uplo = 'L';
    for (int64_t i = begin; i < end; ++i) {
      T* const matrix = data + i * n_ * n_;
      if (lower_) mirror_triangle(matrix, n_, true);
      const int info = lapack::factor_cholesky(isa_, call_, uplo, n_, matrix);
      if (lower_) mirror_triangle(matrix, n_, false);
      finish_factor(matrix, n_, lower_, info != 0);
    }
  }

  void factor_in_lanes(T* data, int64_t begin, int64_t end) const {
    constexpr int64_t kAtOnce = 64;
    std::array<int, kAtOnce> info;
    for (int64_t i = begin; i < end; i += kAtOnce) {
      const int64_t count = std::min(kAtOnce, end - i);
      T* const matrices = data + i * n_ * n_;
      factor_small_cholesky(isa_, n_, lower_, count, matrices, info.data());
      for (int64_t k = 0; k < count; ++k) finish_factor(matrices + k * n_ * n_, n_, lower_, info[k] != 0);
    }
  }

  PotrfRoutine<T>* call_;
  Isa isa_;
  int64_t elements_;
  int n_;
  bool lower_;
};

template <typename Stored, typename T>
class TriangularSolveHero final : public Hero {
 public:
  TriangularSolveHero(SolveRoutine<T>* call, Isa isa, const hlo::TriangularSolveAttributes& attributes, const Shape& a,
                      const Shape& b)
      : call_(call),
        isa_(isa),
        attributes_(attributes),
        a_elements_(a.element_count()),
        elements_(b.element_count()),
        n_(static_cast<int>(a.dimension(a.rank() - 1))),
        rows_(static_cast<int>(b.dimension(b.rank() - 2))),
        columns_(static_cast<int>(b.dimension(b.rank() - 1))) {}

  Status run(void* const* buffers, const CallContext& context) const override {
    if (elements_ == 0) return ok_status();
    const size_t bytes = static_cast<size_t>(elements_) * sizeof(Stored);
    const double work = static_cast<double>(elements_) * n_;
    if (!runs_apart(work, context)) return solve(buffers);
    return run_long_call({[hero = *this](void* const* own) { return hero.solve(own); },
                          {static_cast<size_t>(a_elements_) * sizeof(Stored), bytes},
                          {bytes},
                          work},
                         buffers, context);
  }

 private:
  Status solve(void* const* buffers) const {
    if (buffers[1] != buffers[2]) std::memcpy(buffers[2], buffers[1], static_cast<size_t>(elements_) * sizeof(Stored));
    HILO_ASSIGN_OR_RETURN(const auto a, (Computed<Stored, T>::of(buffers[0], a_elements_)));
    HILO_ASSIGN_OR_RETURN(const auto b, (Computed<Stored, T>::of(buffers[2], elements_)));
    using hlo::MatrixTranspose;
    const char side = attributes_.left_side ? 'R' : 'L', uplo = attributes_.lower ? 'U' : 'L';
    const char transposed = attributes_.transpose_a == MatrixTranspose::kNoTranspose ? 'N'
                            : attributes_.transpose_a == MatrixTranspose::kTranspose ? 'T'
                                                                                     : 'C';
    const char diagonal = attributes_.unit_diagonal ? 'U' : 'N';
    const int64_t a_size = static_cast<int64_t>(n_) * n_, size = static_cast<int64_t>(rows_) * columns_;
    [[maybe_unused]] const auto problem = [&](int64_t i) {
      const T* const known = a.data() + i * a_size;
      return TriangularProblem<T>{side,  uplo, transposed,          diagonal, columns_, rows_,
                                  known, n_,   b.data() + i * size, columns_};
    };
    const int64_t count = elements_ / size;
    lapack::for_batch(count, static_cast<double>(size) * n_, [&](int64_t begin, int64_t end) {
      if constexpr (std::is_floating_point_v<T>) {
        if (uses_lanes_for_solve(isa_, problem(begin), count)) return solve_small(isa_, problem(begin), end - begin);
      }
      for (int64_t i = begin; i < end; ++i) {
        T* const x = b.data() + i * size;
        if constexpr (!std::is_floating_point_v<T>) {
          const T one = 1;
          call_(&side, &uplo, &transposed, &diagonal, &columns_, &rows_, &one, a.data() + i * a_size, &n_, x,
                &columns_);
        } else {
          solve_triangular(isa_, problem(i));
          const bool is_kept = buffers[1] != buffers[2];
          if (is_kept && !is_finite(x, size))
            substitute(a.data() + i * a_size, static_cast<const Stored*>(buffers[1]) + i * size, x);
        }
      }
    });
    b.write_back();
    return ok_status();
  }

  static bool is_finite(const T* values, int64_t count) {
    return std::all_of(values, values + count, [](T value) { return std::isfinite(value); });
  }

  /// Solves row by row. BLAS solves for several rows at once. There, a value that isn't finite in one row may reach
  /// others that don't depend on it, and it depends on the processor which ones.
  void substitute(const T* a, const Stored* b, T* x) const {
    const bool transposed = attributes_.transpose_a != hlo::MatrixTranspose::kNoTranspose;
    const auto entry = [&](int64_t i, int64_t j) { return transposed ? a[j * n_ + i] : a[i * n_ + j]; };
    // On the left side x is computed from its rows, on the right side from its columns.
    const bool from_the_first = attributes_.left_side == (attributes_.lower != transposed);
    const int64_t others = attributes_.left_side ? columns_ : rows_;
    const auto at = [&](int64_t i, int64_t other) {
      return attributes_.left_side ? i * columns_ + other : other * columns_ + i;
    };
    for (int64_t i = 0; i < int64_t{rows_} * columns_; ++i) x[i] = static_cast<T>(b[i]);
    for (int64_t step = 0; step < n_; ++step) {
      const int64_t i = from_the_first ? step : n_ - 1 - step;
      for (int64_t done = 0; done < step; ++done) {
        const int64_t k = from_the_first ? done : n_ - 1 - done;
        const T factor = attributes_.left_side ? entry(i, k) : entry(k, i);
        for (int64_t other = 0; other < others; ++other) x[at(i, other)] -= factor * x[at(k, other)];
      }
      if (attributes_.unit_diagonal) continue;
      for (int64_t other = 0; other < others; ++other) x[at(i, other)] /= entry(i, i);
    }
  }

  SolveRoutine<T>* call_;
  Isa isa_;
  hlo::TriangularSolveAttributes attributes_;
  int64_t a_elements_, elements_;
  int n_, rows_, columns_;
};

class CustomCallHero final : public Hero {
 public:
  CustomCallHero(const hlo::Instruction& instruction, hlo::CustomCallPlan plan)
      : instruction_(instruction), call_(long_call(std::move(plan))) {}

  Status run(void* const* buffers, const CallContext& context) const override {
    const Status status = run_long_call(call_, buffers, context);
    return status.ok() ? status : status.with_context(describe(instruction_));
  }

 private:
  /// A user's handler runs on the program's thread and buffers: its work counts as short.
  static LongCall long_call(hlo::CustomCallPlan plan) {
    LongCall call;
    for (const Shape& shape : plan.operands) call.operand_bytes.push_back(bytes_of(shape));
    for (const Shape& shape : plan.results) call.result_bytes.push_back(bytes_of(shape));
    if (lapack::is_own_target(plan.target)) call.work = factor_work(plan.operands);
    call.run = [plan = std::move(plan)](void* const* buffers) {
      return hlo::run_custom_call(plan, buffers, buffers + plan.operands.size());
    };
    return call;
  }

  static size_t bytes_of(const Shape& shape) {
    return shape.is_array() ? static_cast<size_t>(shape.byte_size()) : 0;  // tokens have none
  }

  /// Returns the work of most factorizations: the elements of a matrix times its longer side, several times.
  static double factor_work(std::span<const Shape> operands) {
    constexpr double kTimes = 4;
    double work = 0;
    for (const Shape& shape : operands) {
      if (!shape.is_array() || shape.rank() < 2) continue;
      const int64_t longer = std::max(shape.dimension(shape.rank() - 1), shape.dimension(shape.rank() - 2));
      work = std::max(work, kTimes * static_cast<double>(shape.element_count()) * static_cast<double>(longer));
    }
    return work;
  }

  const hlo::Instruction& instruction_;
  LongCall call_;
};

/// Calls make.operator()<Stored, T>() for the types that LAPACK computes with, or that are converted to f32. Returns
/// null for other types.
template <typename Make>
std::unique_ptr<Hero> for_lapack_type(ElementType type, Make&& make) {
  if (type == ElementType::kF32) return make.template operator()<float, float>();
  if (type == ElementType::kF64) return make.template operator()<double, double>();
  if (type == ElementType::kC64) return make.template operator()<std::complex<float>, std::complex<float>>();
  if (type == ElementType::kC128) return make.template operator()<std::complex<double>, std::complex<double>>();
  return visit_array_type(
      type,
      [&]<typename Stored>() -> std::unique_ptr<Hero> {
        if constexpr (computes_in_float<Stored>) return make.template operator()<Stored, float>();
        else return nullptr;
      },
      []() -> std::unique_ptr<Hero> { return nullptr; });
}

bool fits_lapack(const Shape& shape) {
  return std::ranges::all_of(shape.dimensions().last(2), [](int64_t d) { return d < (int64_t{1} << 30); });
}

}  // namespace

std::unique_ptr<Hero> make_cholesky_hero(const HeroRequest& request) {
  const auto& [instruction, operands, results] = request.problem;
  if (!fits_lapack(operands[0])) return nullptr;
  const bool lower = hlo::attributes_of<hlo::CholeskyAttributes>(instruction).lower;
  return for_lapack_type(operands[0].element_type(), [&]<typename Stored, typename T>() -> std::unique_ptr<Hero> {
    static auto* const call = lapack::routine<T, PotrfRoutine<T>>("potrf");
    if (call == nullptr) return nullptr;
    return std::make_unique<CholeskyHero<Stored, T>>(call, request.isa, operands[0], lower);
  });
}

std::unique_ptr<Hero> make_triangular_solve_hero(const HeroRequest& request) {
  const auto& [instruction, operands, results] = request.problem;
  if (!fits_lapack(operands[0]) || !fits_lapack(operands[1])) return nullptr;
  const auto& attributes = hlo::attributes_of<hlo::TriangularSolveAttributes>(instruction);
  return for_lapack_type(operands[0].element_type(), [&]<typename Stored, typename T>() -> std::unique_ptr<Hero> {
    static auto* const call = lapack::routine<T, SolveRoutine<T>>("trsm");
    if (call == nullptr) return nullptr;
    return std::make_unique<TriangularSolveHero<Stored, T>>(call, request.isa, attributes, operands[0], operands[1]);
  });
}

StatusOr<std::unique_ptr<Hero>> make_custom_call_hero(const HeroRequest& request) {
  const auto& [instruction, operands, results] = request.problem;
  StatusOr<hlo::CustomCallPlan> plan = hlo::plan_custom_call(instruction, operands);
  if (!plan.ok()) return plan.status().with_context(describe(instruction));
  return std::unique_ptr<Hero>(std::make_unique<CustomCallHero>(instruction, *std::move(plan)));
}

}  // namespace hilo::cpu
