// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/linalg/linalg_routine.cc -- linear algebra in objects: hilo's own factorizations.
#include <algorithm>
#include <array>

#include "hilo/backend/cpu/library/object_routines.h"
#include "hilo/backend/cpu/library/routine_hero.h"
#include "hilo/backend/cpu/runtime/eigen.h"
#include "hilo/backend/cpu/runtime/factor.h"
#include "hilo/backend/cpu/runtime/schur.h"
#include "hilo/backend/cpu/runtime/solve.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/linalg.h"

namespace hilo::cpu {
namespace {

using runtime::Routine;

bool is_linalg_type(ElementType type) {
  return type == ElementType::kF32 || type == ElementType::kF64 || type == ElementType::kC64 ||
         type == ElementType::kC128;
}

int64_t rows_of(const Shape& shape) { return shape.dimension(shape.rank() - 2); }
int64_t columns_of(const Shape& shape) { return shape.dimension(shape.rank() - 1); }

/// Returns the number of matrices.
int64_t count_of(const Shape& shape) {
  int64_t count = 1;
  for (int64_t d = 0; d + 2 < shape.rank(); ++d) count *= shape.dimension(d);
  return count;
}

template <typename Problem>
RoutineCall call_of(Routine routine, const Problem& problem, int64_t units) {
  size_t scratch = 0;
  if constexpr (requires { problem.scratch_bytes(); }) scratch = problem.scratch_bytes();
  return {routine, ProblemWriter<Problem>(problem).finish(), units, scratch};
}

/// A call of LAPACK's by JAX's name: lapack_dpotrf_ffi is potrf.
struct LapackCall {
  const hlo::CustomCallPlan& plan;

  const Shape& x() const { return plan.operands[0]; }
  ElementType type() const { return x().element_type(); }

  /// Returns a letter of LAPACK, or the first of `letters` if the flag of newer versions of JAX is set.
  std::optional<char> letter(std::string_view name, std::string_view flag = {}, std::string_view letters = {}) const {
    for (const CustomCallAttribute& a : plan.attributes) {
      if (a.kind != CustomCallAttribute::Kind::kScalar) continue;
      if (a.name == name && a.type == ElementType::kU8) return static_cast<char>(a.scalar<uint8_t>());
      if (a.name == flag && a.type == ElementType::kPred) return letters[a.scalar<bool>() ? 0 : 1];
    }
    return std::nullopt;
  }
  std::optional<int32_t> number(std::string_view name) const {
    for (const CustomCallAttribute& a : plan.attributes) {
      if (a.kind == CustomCallAttribute::Kind::kScalar && a.name == name && a.type == ElementType::kS32)
        return a.scalar<int32_t>();
    }
    return std::nullopt;
  }
};

std::optional<RoutineCall> potrf(const LapackCall& c) {
  const std::optional<char> uplo = c.letter("uplo");
  if (!uplo) return std::nullopt;
  return call_of(Routine::kCholesky, runtime::CholeskyProblem{c.type(), columns_of(c.x()), *uplo == 'L', true},
                 count_of(c.x()));
}

std::optional<RoutineCall> getrf(const LapackCall& c) {
  return call_of(Routine::kLu, runtime::LuProblem{c.type(), rows_of(c.x()), columns_of(c.x())}, count_of(c.x()));
}

std::optional<RoutineCall> geqrf(const LapackCall& c) {
  return call_of(Routine::kQr, runtime::QrProblem{c.type(), rows_of(c.x()), columns_of(c.x())}, count_of(c.x()));
}

std::optional<RoutineCall> orgqr(const LapackCall& c) {
  const int64_t count = columns_of(c.plan.operands[1]);
  if (count > std::min(rows_of(c.x()), columns_of(c.x()))) return std::nullopt;
  return call_of(Routine::kReflections, runtime::ReflectionsProblem{c.type(), rows_of(c.x()), columns_of(c.x()), count},
                 count_of(c.x()));
}

std::optional<RoutineCall> ormqr(const LapackCall& c) {
  const std::optional<char> side = c.letter("side", "left", "LR"), transposed = c.letter("trans", "transpose", "TN");
  const Shape& target = c.plan.operands[2];
  if (!side || !transposed) return std::nullopt;
  runtime::ApplyReflectionsProblem p{
      c.type(),          rows_of(target), columns_of(target), columns_of(c.plan.operands[1]),
      columns_of(c.x()), *side == 'L',    *transposed != 'N'};
  if (p.count > p.order() || p.count > p.stride) return std::nullopt;
  return call_of(Routine::kApplyReflections, p, count_of(target));
}

std::optional<RoutineCall> trsm(const LapackCall& c) {
  const std::optional<char> side = c.letter("side"), uplo = c.letter("uplo"), transposed = c.letter("trans_x"),
                            diagonal = c.letter("diag");
  if (!side || !uplo || !transposed || !diagonal) return std::nullopt;
  const Shape& b = c.plan.operands[1];
  return call_of(Routine::kTriangularSolve,
                 runtime::TriangularSolveProblem{c.type(), rows_of(b), columns_of(b), *side == 'L', *uplo == 'L',
                                                 *diagonal == 'U', *transposed != 'N', *transposed == 'C'},
                 count_of(b));
}

std::optional<RoutineCall> syevd(const LapackCall& c) {
  const std::optional<char> mode = c.letter("mode"), uplo = c.letter("uplo");
  if (!mode || !uplo) return std::nullopt;
  return call_of(Routine::kEigh, runtime::EighProblem{c.type(), columns_of(c.x()), *uplo == 'L', *mode == 'V'},
                 count_of(c.x()));
}

std::optional<RoutineCall> sytrd(const LapackCall& c) {
  const std::optional<char> uplo = c.letter("uplo");
  if (!uplo) return std::nullopt;
  return call_of(Routine::kTridiagonal, runtime::TridiagonalProblem{c.type(), columns_of(c.x()), *uplo == 'L'},
                 count_of(c.x()));
}

std::optional<RoutineCall> geev(const LapackCall& c) {
  const std::optional<char> left = c.letter("compute_left"), right = c.letter("compute_right");
  if (!left || !right) return std::nullopt;
  return call_of(Routine::kGeneralEigen,
                 runtime::GeneralEigenProblem{c.type(), columns_of(c.x()), *left == 'V', *right == 'V'},
                 count_of(c.x()));
}

std::optional<RoutineCall> gees(const LapackCall& c) {
  const std::optional<char> mode = c.letter("mode"), sort = c.letter("sort");
  if (!mode || sort != 'N') return std::nullopt;
  return call_of(Routine::kSchur, runtime::SchurProblem{c.type(), columns_of(c.x()), *mode == 'V'}, count_of(c.x()));
}

std::optional<RoutineCall> gehrd(const LapackCall& c) {
  const std::optional<int32_t> low = c.number("low"), high = c.number("high");
  const int64_t n = columns_of(c.x());
  if (!low || !high || *low < 1 || *high > n) return std::nullopt;
  return call_of(Routine::kHessenberg, runtime::HessenbergProblem{c.type(), n, *low - 1, *high}, count_of(c.x()));
}

std::optional<RoutineCall> gesdd(const LapackCall& c) {
  const std::optional<char> mode = c.letter("mode");
  if (!mode) return std::nullopt;
  return call_of(Routine::kSvd,
                 runtime::SvdProblem{c.type(), rows_of(c.x()), columns_of(c.x()), *mode != 'N', *mode == 'A'},
                 count_of(c.x()));
}

std::optional<RoutineCall> tridiagonal(const LapackCall& c, bool perturbed) {
  const Shape& b = c.plan.operands[3];
  return call_of(Routine::kTridiagonalSolve,
                 runtime::TridiagonalSolveProblem{c.type(), rows_of(b), columns_of(b), perturbed}, count_of(b));
}
std::optional<RoutineCall> gtsv(const LapackCall& c) { return tridiagonal(c, false); }
std::optional<RoutineCall> perturbed(const LapackCall& c) { return tridiagonal(c, true); }

std::optional<RoutineCall> permutation(const LapackCall& c) {
  const Shape& order = c.plan.results[0];
  const int64_t rows = order.dimension(order.rank() - 1);
  if (rows == 0) return std::nullopt;
  return call_of(Routine::kPermutation, runtime::PermutationProblem{columns_of(c.x()), rows},
                 order.element_count() / rows);
}

struct LapackFunction {
  std::string_view name;  ///< without its type
  std::optional<RoutineCall> (*routine)(const LapackCall& call);
  bool is_typed = true;    ///< lapack_dNAME_ffi; otherwise the whole target
  bool by_columns = true;  ///< its matrices are column-major, as LAPACK's
};
constexpr auto kFunctions = std::to_array<LapackFunction>({
    {"gees", gees},
    {"geev", geev},
    {"gehrd", gehrd},
    {"geqrf", geqrf},
    {"gesdd", gesdd},
    {"gesvd", gesdd},
    {"getrf", getrf},
    {"gtsv", gtsv},
    {"heevd", syevd},
    {"hetrd", sytrd},
    {"orgqr", orgqr},
    {"ormqr", ormqr},
    {"potrf", potrf},
    {"syevd", syevd},
    {"sytrd", sytrd},
    {"trsm", trsm},
    {"ungqr", orgqr},
    {"unmqr", ormqr},
    {"Qr", geqrf, false, false},
    {"ProductOfElementaryHouseholderReflectors", orgqr, false, false},
    {"hilo_lu_pivots_to_permutation_ffi", permutation, false, false},
    {"tridiagonal_solve_perturbed_ffi", perturbed, false},
});

const LapackFunction* function_of(std::string_view target) {
  constexpr std::string_view kPrefix = "lapack_", kEnd = "_ffi";
  std::string_view name = target;
  const bool is_typed = target.starts_with(kPrefix) && target.ends_with(kEnd) && target.size() > 12;
  if (is_typed) name = target.substr(kPrefix.size() + 1, target.size() - kPrefix.size() - 1 - kEnd.size());
  const auto* const found = std::ranges::find_if(
      kFunctions, [&](const LapackFunction& f) { return f.name == name && f.is_typed == is_typed; });
  return found == kFunctions.end() ? nullptr : found;
}

/// Whether LAPACK's columns of such an array are those of a row-major one: the layout swaps the last two dimensions.
bool is_matrix_of_columns(const Shape& shape) {
  const std::span<const int64_t> order = shape.minor_to_major();
  const int64_t rank = shape.rank();
  if (rank < 2 || order[0] != rank - 2 || order[1] != rank - 1) return false;
  for (int64_t d = 2; d < rank; ++d) {
    if (order[static_cast<size_t>(d)] != rank - 1 - d) return false;
  }
  return true;
}

/// Whether the buffers of a call, which are row-major, have the elements that LAPACK sees.
bool fits_layout(const Shape& shape, bool is_matrix) {
  if (!shape.is_array()) return false;
  return is_matrix && shape.element_count() != 0 ? is_matrix_of_columns(shape) : shape.has_default_layout();
}

/// Whether the arrays of a LAPACK call with the batch of `x` have LAPACK's layouts: those of higher rank than a vector
/// are matrices.
bool fits_lapack(const hlo::CustomCallPlan& plan, const Shape& matrix) {
  const auto fits = [&](const Shape& shape) {
    return fits_layout(shape, shape.is_array() && shape.rank() == matrix.rank());
  };
  return std::ranges::all_of(plan.operands, fits) && std::ranges::all_of(plan.results, fits);
}

}  // namespace

std::optional<RoutineCall> custom_call_routine(const RoutineRequest& request) {
  const StatusOr<hlo::CustomCallPlan> plan =
      hlo::plan_custom_call(request.problem.instruction, request.problem.operands);
  if (!plan.ok()) return std::nullopt;
  const LapackFunction* const function = function_of(plan->target);
  if (function == nullptr) return std::nullopt;
  const bool is_of_pivots = plan->operands[0].element_type() == ElementType::kS32;
  if (!is_of_pivots && !is_linalg_type(plan->operands[0].element_type())) return std::nullopt;
  const bool is_tridiagonal = plan->operands.size() == 4;
  const Shape& matrix = plan->operands[is_tridiagonal ? 3 : 0];
  if (function->by_columns && (matrix.rank() < 2 || !fits_lapack(*plan, matrix))) return std::nullopt;
  return function->routine({*plan});
}

std::optional<RoutineCall> cholesky_routine(const RoutineRequest& request) {
  const Shape& x = request.problem.operands[0];
  if (!is_linalg_type(x.element_type())) return std::nullopt;
  const bool lower = hlo::attributes_of<hlo::CholeskyAttributes>(request.problem.instruction).lower;
  return call_of(Routine::kCholesky, runtime::CholeskyProblem{x.element_type(), columns_of(x), lower, false},
                 count_of(x));
}

std::optional<RoutineCall> triangular_solve_routine(const RoutineRequest& request) {
  const Shape& b = request.problem.operands[1];
  if (!is_linalg_type(b.element_type())) return std::nullopt;
  const auto& a = hlo::attributes_of<hlo::TriangularSolveAttributes>(request.problem.instruction);
  using hlo::MatrixTranspose;
  return call_of(Routine::kTriangularSolve,
                 runtime::TriangularSolveProblem{b.element_type(), rows_of(b), columns_of(b), a.left_side, a.lower,
                                                 a.unit_diagonal, a.transpose_a != MatrixTranspose::kNoTranspose,
                                                 a.transpose_a == MatrixTranspose::kAdjoint},
                 count_of(b));
}

}  // namespace hilo::cpu
