// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/linalg.h"

#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <limits>

#include "hilo/base/stop.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/op_sharding.h"
#include "hilo/types/twins.h"

namespace hilo::hlo {
namespace {

constexpr AttributeField kCholeskyFields[] = {
    field<&CholeskyAttributes::lower>("lower", FieldShow::kUnlessDefault),
};

constexpr std::string_view kTransposes[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
constexpr AttributeField kSolveFields[] = {
    field<&TriangularSolveAttributes::left_side>("left_side", FieldShow::kUnlessDefault),
    field<&TriangularSolveAttributes::lower>("lower", FieldShow::kUnlessDefault),
    field<&TriangularSolveAttributes::unit_diagonal>("unit_diagonal", FieldShow::kUnlessDefault),
    field<&TriangularSolveAttributes::transpose_a>("transpose_a", FieldShow::kUnlessDefault, kTransposes),
};

Status check_square(std::string_view what, const Shape& a) {
  if (a.rank() < 2) return invalid_argument(fmt::format("{} is {}; wanted at least 2 dimensions", what, a.to_string()));
  if (a.dimension(a.rank() - 2) == a.dimension(a.rank() - 1)) return ok_status();
  return invalid_argument(
      fmt::format("{} is {}; wanted square matrices in the last two dimensions", what, a.to_string()));
}

StatusOr<Shape> infer_cholesky(const ShapeRuleInput& input) {
  HILO_RETURN_IF_ERROR(check_square("operand 0", input.operands[0]));  // cholesky_c2, cholesky_c3
  return input.operands[0].with_default_layout();                      // cholesky_c1
}

StatusOr<Shape> infer_triangular_solve(const ShapeRuleInput& input) {
  const auto& attributes = attributes_of<TriangularSolveAttributes>(input);
  const Shape &a = input.operands[0], &b = input.operands[1];
  if (a.element_type() != b.element_type()) {  // triangular_solve_c1
    return invalid_argument(
        fmt::format("operands are {} and {}; wanted one element type", a.to_string(), b.to_string()));
  }
  HILO_RETURN_IF_ERROR(check_square("operand 0", a));
  const int64_t rank = a.rank();
  if (b.rank() != rank) {  // triangular_solve_c2
    return invalid_argument(
        fmt::format("operands are {} and {}; wanted as many dimensions", a.to_string(), b.to_string()));
  }
  for (int64_t d = 0; d < rank - 2; ++d) {  // triangular_solve_c3
    if (a.dimension(d) == b.dimension(d)) continue;
    return invalid_argument(
        fmt::format("operands are {} and {}; they differ in batch dimension {}", a.to_string(), b.to_string(), d));
  }
  const int64_t side = attributes.left_side ? rank - 2 : rank - 1;
  if (a.dimension(rank - 1) != b.dimension(side)) {  // triangular_solve_c3
    return invalid_argument(fmt::format("operands are {} and {}; wanted {} in dimension {} of operand 1", a.to_string(),
                                        b.to_string(), a.dimension(rank - 1), side));
  }
  if (attributes.transpose_a == MatrixTranspose::kInvalid)
    return invalid_argument("transpose_a: got none, wanted NO_TRANSPOSE, TRANSPOSE or ADJOINT");
  return b.with_default_layout();  // triangular_solve_c4
}

double conjugate(double x) { return x; }
std::complex<double> conjugate(std::complex<double> x) { return std::conj(x); }
double real_part(double x) { return x; }
double real_part(std::complex<double> x) { return x.real(); }

/// A row-major matrix of T whose elements are computed with in double.
template <typename T>
struct Matrix {
  using Wide = std::conditional_t<is_complex(element_type_of<T>), std::complex<double>, double>;
  T* data;
  int64_t rows, columns;
  Wide get(int64_t i, int64_t j) const {
    if constexpr (computes_in_float<T>) return static_cast<float>(data[i * columns + j]);
    else return static_cast<Wide>(data[i * columns + j]);
  }
  void set(int64_t i, int64_t j, Wide value) {
    if constexpr (is_complex(element_type_of<T>)) data[i * columns + j] = static_cast<T>(value);
    else if constexpr (computes_in_float<T>) data[i * columns + j] = T(static_cast<float>(value));
    else data[i * columns + j] = static_cast<T>(value);
  }
};

/// Works column by column. `a` contains the operand's triangle and is overwritten by L, or by U = L^H.
template <typename T>
void factor(Matrix<T> a, bool lower) {
  using Wide = typename Matrix<T>::Wide;
  const int64_t n = a.rows;
  std::vector<Wide> l(n * n);
  const auto at = [&](int64_t i, int64_t j) -> Wide& { return l[i * n + j]; };
  bool definite = true;
  const StopFlag stop;
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = j; i < n && !stop.raised(); ++i) {
      Wide sum = lower ? a.get(i, j) : conjugate(a.get(j, i));
      for (int64_t k = 0; k < j; ++k) sum -= at(i, k) * conjugate(at(j, k));
      if (i == j) {
        definite &= real_part(sum) > 0;
        at(i, j) = std::sqrt(real_part(sum));
      } else {
        at(i, j) = sum / at(j, j);
      }
    }
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const Wide value = lower ? at(i, j) : conjugate(at(j, i));
      a.set(i, j, definite ? value : Wide(std::numeric_limits<double>::quiet_NaN()));
    }
  }
}

/// Solves by substitution; element (i, j) of op(a) is a(i, j) or a(j, i).
template <typename T>
void solve(const TriangularSolveAttributes& attributes, Matrix<T> a, Matrix<T> b) {
  using Wide = typename Matrix<T>::Wide;
  const bool transposed = attributes.transpose_a != MatrixTranspose::kNoTranspose;
  const bool conjugated = attributes.transpose_a == MatrixTranspose::kAdjoint;
  // x op(a) = b is equivalent to op(a)^T x^T = b^T.
  const bool swapped = transposed == attributes.left_side;
  const auto coefficient = [&](int64_t i, int64_t j) {
    const Wide value = swapped ? a.get(j, i) : a.get(i, j);
    return conjugated ? conjugate(value) : value;
  };
  const int64_t n = a.rows, others = attributes.left_side ? b.columns : b.rows;
  const bool forward = attributes.lower != swapped;
  std::vector<Wide> x(n);
  const StopFlag stop;
  for (int64_t k = 0; k < others; ++k) {
    const auto place = [&](int64_t i) { return attributes.left_side ? std::pair(i, k) : std::pair(k, i); };
    for (int64_t step = 0; step < n && !stop.raised(); ++step) {
      const int64_t i = forward ? step : n - 1 - step;
      Wide sum = b.get(place(i).first, place(i).second);
      for (int64_t before = 0; before < step; ++before) {
        const int64_t j = forward ? before : n - 1 - before;
        sum -= coefficient(i, j) * x[j];
      }
      x[i] = attributes.unit_diagonal ? sum : sum / coefficient(i, i);
    }
    for (int64_t i = 0; i < n; ++i) b.set(place(i).first, place(i).second, x[i]);
  }
}

/// Calls visit.operator()<T>() for floating-point and complex types.
template <typename Visit>
Status for_inexact(ElementType type, Visit&& visit) {
  const auto reject = [&] {
    return unimplemented(fmt::format("element type {} has no arithmetic here", element_type_name(type)));
  };
  return visit_array_type(
      type,
      [&]<typename T>() -> Status {
        if constexpr (is_floating(element_type_of<T>) || is_complex(element_type_of<T>)) {
          visit.template operator()<T>();
          return ok_status();
        } else {
          return reject();
        }
      },
      reject);
}

template <typename T>
Matrix<T> matrix_of(Literal& literal, int64_t item) {
  const Shape& shape = literal.shape();
  const int64_t rows = shape.dimension(shape.rank() - 2), columns = shape.dimension(shape.rank() - 1);
  return {literal.data<T>().data() + item * rows * columns, rows, columns};
}

int64_t batch_of(const Shape& shape) { return count_of(shape.dimensions().first(shape.dimensions().size() - 2)); }

StatusOr<Literal> evaluate_cholesky(const EvaluateInput& input) {
  Literal result = *input.operands[0];
  if (result.shape().element_count() == 0) return result;
  HILO_RETURN_IF_ERROR(for_inexact(result.shape().element_type(), [&]<typename T>() {
    const bool lower = attributes_of<CholeskyAttributes>(input.instruction).lower;
    for (int64_t item = 0; item < batch_of(result.shape()); ++item) factor(matrix_of<T>(result, item), lower);
  }));
  return result;
}

StatusOr<Literal> evaluate_triangular_solve(const EvaluateInput& input) {
  Literal a = *input.operands[0], result = *input.operands[1];
  if (result.shape().element_count() == 0) return result;
  const auto& attributes = attributes_of<TriangularSolveAttributes>(input.instruction);
  HILO_RETURN_IF_ERROR(for_inexact(result.shape().element_type(), [&]<typename T>() {
    for (int64_t item = 0; item < batch_of(result.shape()); ++item)
      solve(attributes, matrix_of<T>(a, item), matrix_of<T>(result, item));
  }));
  return result;
}

}  // namespace

HILO_DEFINE_OP(cholesky_op, {.opcode = Opcode::kCholesky,
                             .name = "cholesky",
                             .arity = 1,
                             .operand_types = kInexact,
                             .cost = CostClass::kHero,
                             .sharding = kOverMatrices,
                             .infer_shape = infer_cholesky,
                             .attributes = attributes_def<CholeskyAttributes>(kCholeskyFields),
                             .evaluate = evaluate_cholesky,
                             .spec = "cholesky"})

HILO_DEFINE_OP(triangular_solve_op, {.opcode = Opcode::kTriangularSolve,
                                     .name = "triangular-solve",
                                     .arity = 2,
                                     .operand_types = kInexact,
                                     .cost = CostClass::kHero,
                                     .sharding = kOverMatrices,
                                     .infer_shape = infer_triangular_solve,
                                     .attributes = attributes_def<TriangularSolveAttributes>(kSolveFields),
                                     .evaluate = evaluate_triangular_solve,
                                     .spec = "triangular_solve"})

}  // namespace hilo::hlo
