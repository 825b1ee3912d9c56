// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/linalg.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/checks.h"
#include "hilo/hlo/ops/ext/linalg_decompose.h"
#include "hilo/hlo/ops/op_sharding.h"

namespace hilo::hlo {

ElementType complex_type_of(ElementType type) {
  return type == ElementType::kF32 ? ElementType::kC64 : type == ElementType::kF64 ? ElementType::kC128 : type;
}

namespace {

constexpr AttributeField kOrmqrFields[] = {
    field<&OrmqrAttributes::left>("left", FieldShow::kAlways),
    field<&OrmqrAttributes::transpose>("transpose", FieldShow::kAlways),
};
constexpr AttributeField kQrFields[] = {field<&QrAttributes::full_matrices>("full_matrices", FieldShow::kAlways)};
constexpr AttributeField kTriangleFields[] = {field<&TriangleAttributes::lower>("lower", FieldShow::kAlways)};
constexpr AttributeField kSvdFields[] = {
    field<&SvdAttributes::full_matrices>("full_matrices", FieldShow::kAlways),
    field<&SvdAttributes::compute_uv>("compute_uv", FieldShow::kAlways),
};
constexpr AttributeField kEigFields[] = {
    field<&EigAttributes::compute_left_eigenvectors>("compute_left_eigenvectors", FieldShow::kAlways),
    field<&EigAttributes::compute_right_eigenvectors>("compute_right_eigenvectors", FieldShow::kAlways),
    field<&EigAttributes::enable_eigvec_derivs>("enable_eigvec_derivs", FieldShow::kUnlessDefault),
};
constexpr AttributeField kSchurFields[] = {
    field<&SchurAttributes::compute_schur_vectors>("compute_schur_vectors", FieldShow::kAlways)};

/// The sizes of a batch of matrices.
struct Matrices {
  ElementType type;
  std::vector<int64_t> batch;
  int64_t rows, columns;
  int64_t least() const { return std::min(rows, columns); }

  StatusOr<Shape> of(ElementType element, std::initializer_list<int64_t> inner) const {
    std::vector<int64_t> sizes = batch;
    sizes.insert(sizes.end(), inner);
    return Shape::make_array(element, sizes);
  }
};

StatusOr<Matrices> matrices_in(const ShapeRuleInput& input, size_t k, bool square = false) {
  const Shape& x = input.operands[k];
  const bool lapack =
      x.element_type() == ElementType::kF32 || x.element_type() == ElementType::kF64 || is_complex(x.element_type());
  if (!lapack) {
    return invalid_argument(fmt::format(
        "wrong element type; operand {} is {}; wanted f32, f64, c64 or c128. Hint: convert", k, x.to_string()));
  }
  if (x.rank() < 2)
    return invalid_argument(fmt::format("operand {} is {}; wanted at least 2 dimensions", k, x.to_string()));
  const auto sizes = x.dimensions();
  Matrices m{x.element_type(), {sizes.begin(), sizes.end() - 2}, sizes[sizes.size() - 2], sizes.back()};
  if (!square || m.rows == m.columns) return m;
  return invalid_argument(
      fmt::format("operand {} is {}; wanted square matrices in the last two dimensions", k, x.to_string()));
}

/// Returns the shapes, or the first error.
StatusOr<Shape> results(std::initializer_list<StatusOr<Shape>> list) {
  std::vector<Shape> shapes;
  for (const StatusOr<Shape>& shape : list) {
    HILO_RETURN_IF_ERROR(shape.status());
    shapes.push_back(*shape);
  }
  return one_or_tuple(shapes);
}

Status check_operand(const ShapeRuleInput& input, size_t k, const StatusOr<Shape>& expected) {
  HILO_RETURN_IF_ERROR(expected.status());
  if (input.operands[k].compatible(*expected)) return ok_status();
  return invalid_argument(
      fmt::format("operand {} is {}; wanted {}", k, input.operands[k].to_string(), expected->to_string()));
}

StatusOr<Shape> infer_lu(const ShapeRuleInput& input) {
  HILO_ASSIGN_OR_RETURN(const Matrices x, matrices_in(input, 0));
  return results(
      {x.of(x.type, {x.rows, x.columns}), x.of(ElementType::kS32, {x.least()}), x.of(ElementType::kS32, {x.rows})});
}

StatusOr<Shape> infer_geqrf(const ShapeRuleInput& input) {
  HILO_ASSIGN_OR_RETURN(const Matrices x, matrices_in(input, 0));
  return results({x.of(x.type, {x.rows, x.columns}), x.of(x.type, {x.least()})});
}

StatusOr<Shape> infer_geqp3(const ShapeRuleInput& input) {
  HILO_ASSIGN_OR_RETURN(const Matrices x, matrices_in(input, 0));
  HILO_RETURN_IF_ERROR(check_operand(input, 1, x.of(ElementType::kS32, {x.columns})));
  return results({x.of(x.type, {x.rows, x.columns}), x.of(ElementType::kS32, {x.columns}), x.of(x.type, {x.least()})});
}

/// Checks that there are as many reflectors as taus: the last dimension of operand 1.
StatusOr<int64_t> reflectors(const ShapeRuleInput& input, const Matrices& x) {
  const int64_t count = input.operands[1].rank() == 0 ? -1 : input.operands[1].dimensions().back();
  HILO_RETURN_IF_ERROR(check_operand(input, 1, x.of(x.type, {std::clamp<int64_t>(count, 0, x.least())})));
  return count;
}

StatusOr<Shape> infer_householder_product(const ShapeRuleInput& input) {
  HILO_ASSIGN_OR_RETURN(const Matrices x, matrices_in(input, 0));
  HILO_RETURN_IF_ERROR(reflectors(input, x).status());
  if (x.rows >= x.columns) return results({x.of(x.type, {x.rows, x.columns})});
  return invalid_argument(
      fmt::format("operand 0 is {}; wanted at least as many rows as columns", input.operands[0].to_string()));
}

StatusOr<Shape> infer_ormqr(const ShapeRuleInput& input) {
  HILO_ASSIGN_OR_RETURN(const Matrices x, matrices_in(input, 0));
  HILO_ASSIGN_OR_RETURN(const Matrices c, matrices_in(input, 2));
  HILO_RETURN_IF_ERROR(reflectors(input, x).status());
  const bool left = attributes_of<OrmqrAttributes>(input).left;
  HILO_RETURN_IF_ERROR(
      check_operand(input, 2, left ? x.of(x.type, {x.rows, c.columns}) : x.of(x.type, {c.rows, x.rows})));
  return results({c.of(c.type, {c.rows, c.columns})});
}

StatusOr<Shape> infer_qr(const ShapeRuleInput& input) {
  HILO_ASSIGN_OR_RETURN(const Matrices x, matrices_in(input, 0));
  const int64_t k = attributes_of<QrAttributes>(input).full_matrices ? x.rows : x.least();
  return results({x.of(x.type, {x.rows, k}), x.of(x.type, {k, x.columns})});
}

StatusOr<Shape> infer_eigh(const ShapeRuleInput& input) {
  HILO_ASSIGN_OR_RETURN(const Matrices x, matrices_in(input, 0, true));
  return results({x.of(x.type, {x.rows, x.rows}), x.of(real_type_of(x.type), {x.rows})});
}

StatusOr<Shape> infer_tridiagonal(const ShapeRuleInput& input) {
  HILO_ASSIGN_OR_RETURN(const Matrices x, matrices_in(input, 0, true));
  const int64_t less = std::max<int64_t>(x.rows - 1, 0);
  const ElementType real = real_type_of(x.type);
  return results({x.of(x.type, {x.rows, x.rows}), x.of(real, {x.rows}), x.of(real, {less}), x.of(x.type, {less})});
}

StatusOr<Shape> infer_svd(const ShapeRuleInput& input) {
  const auto& a = attributes_of<SvdAttributes>(input);
  HILO_ASSIGN_OR_RETURN(const Matrices x, matrices_in(input, 0));
  const StatusOr<Shape> s = x.of(real_type_of(x.type), {x.least()});
  if (!a.compute_uv) return results({s});
  const int64_t left = a.full_matrices ? x.rows : x.least(), right = a.full_matrices ? x.columns : x.least();
  return results({s, x.of(x.type, {x.rows, left}), x.of(x.type, {right, x.columns})});
}

StatusOr<Shape> infer_eig(const ShapeRuleInput& input) {
  const auto& a = attributes_of<EigAttributes>(input);
  HILO_ASSIGN_OR_RETURN(const Matrices x, matrices_in(input, 0, true));
  const ElementType type = complex_type_of(x.type);
  const StatusOr<Shape> values = x.of(type, {x.rows}), vectors = x.of(type, {x.rows, x.rows});
  if (a.compute_left_eigenvectors && a.compute_right_eigenvectors) return results({values, vectors, vectors});
  return a.compute_left_eigenvectors || a.compute_right_eigenvectors ? results({values, vectors}) : results({values});
}

StatusOr<Shape> infer_schur(const ShapeRuleInput& input) {
  HILO_ASSIGN_OR_RETURN(const Matrices x, matrices_in(input, 0, true));
  const StatusOr<Shape> square = x.of(x.type, {x.rows, x.rows});
  return attributes_of<SchurAttributes>(input).compute_schur_vectors ? results({square, square}) : results({square});
}

StatusOr<Shape> infer_hessenberg(const ShapeRuleInput& input) {
  HILO_ASSIGN_OR_RETURN(const Matrices x, matrices_in(input, 0, true));
  return results({x.of(x.type, {x.rows, x.rows}), x.of(x.type, {std::max<int64_t>(x.rows - 1, 0)})});
}

constexpr OpDef plain(Opcode opcode, std::string_view name, int arity, StatusOr<Shape> (*infer)(const ShapeRuleInput&),
                      StatusOr<ComputationPtr> (*decompose)(const Instruction&, std::span<const Shape>),
                      std::string_view spec, AttributesDef attributes = {}) {
  return {.opcode = opcode,
          .name = name,
          .arity = arity,
          .operand_types = kInexact | kSignedSet,
          .traits = kExtension,
          .cost = CostClass::kHero,
          .sharding = kOverMatrices,
          .infer_shape = infer,
          .attributes = attributes,
          .decompose = decompose,
          .spec = spec};
}

}  // namespace

HILO_DEFINE_OP(ext_lu_op, plain(kExtLu, "hilo.lu", 1, infer_lu, decompose_lu, "jax.lax.linalg.lu"))
HILO_DEFINE_OP(ext_geqrf_op, plain(kExtGeqrf, "hilo.geqrf", 1, infer_geqrf, decompose_geqrf, "jax.lax.linalg.geqrf"))
HILO_DEFINE_OP(ext_geqp3_op, plain(kExtGeqp3, "hilo.geqp3", 2, infer_geqp3, decompose_geqp3, "jax.lax.linalg.geqp3"))
HILO_DEFINE_OP(ext_householder_product_op,
               plain(kExtHouseholderProduct, "hilo.householder_product", 2, infer_householder_product,
                     decompose_householder_product, "jax.lax.linalg.householder_product"))
HILO_DEFINE_OP(ext_ormqr_op, plain(kExtOrmqr, "hilo.ormqr", 3, infer_ormqr, decompose_ormqr, "jax.lax.linalg.ormqr",
                                   attributes_def<OrmqrAttributes>(kOrmqrFields)))
HILO_DEFINE_OP(ext_qr_op, plain(kExtQr, "hilo.qr", 1, infer_qr, decompose_qr, "jax.lax.linalg.qr",
                                attributes_def<QrAttributes>(kQrFields)))
HILO_DEFINE_OP(ext_eigh_op, plain(kExtEigh, "hilo.eigh", 1, infer_eigh, decompose_eigh, "jax.lax.linalg.eigh",
                                  attributes_def<TriangleAttributes>(kTriangleFields)))
HILO_DEFINE_OP(ext_tridiagonal_op,
               plain(kExtTridiagonal, "hilo.tridiagonal", 1, infer_tridiagonal, decompose_tridiagonal,
                     "jax.lax.linalg.tridiagonal", attributes_def<TriangleAttributes>(kTriangleFields)))
HILO_DEFINE_OP(ext_svd_op, plain(kExtSvd, "hilo.svd", 1, infer_svd, decompose_svd, "jax.lax.linalg.svd",
                                 attributes_def<SvdAttributes>(kSvdFields)))
HILO_DEFINE_OP(ext_eig_op, plain(kExtEig, "hilo.eig", 1, infer_eig, decompose_eig, "jax.lax.linalg.eig",
                                 attributes_def<EigAttributes>(kEigFields)))
HILO_DEFINE_OP(ext_schur_op, plain(kExtSchur, "hilo.schur", 1, infer_schur, decompose_schur, "jax.lax.linalg.schur",
                                   attributes_def<SchurAttributes>(kSchurFields)))
HILO_DEFINE_OP(ext_hessenberg_op, plain(kExtHessenberg, "hilo.hessenberg", 1, infer_hessenberg, decompose_hessenberg,
                                        "jax.lax.linalg.hessenberg"))

}  // namespace hilo::hlo
