// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <set>

#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/ext/known_calls.h"
#include "hilo/hlo/ops/ext/linalg.h"
#include "hilo/hlo/ops/linalg.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/hlo/passes/lapack_call.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {
namespace {

using Id = InstructionId;
using Ids = std::vector<InstructionId>;

int64_t rows(const Shape& x) { return x.dimension(x.rank() - 2); }
int64_t columns(const Shape& x) { return x.dimension(x.rank() - 1); }

/// Converts the calls of one computation.
class Raiser {
 public:
  explicit Raiser(const ComputationPtr& source)
      : b_(source, {.share = false, .rule = forward_tuples}), users_(source->size()) {
    for (const Instruction& i : source->instructions()) {
      for (Id operand : i.operands) users_[operand].push_back(i.id);
    }
  }

  StatusOr<ComputationPtr> run() {
    for (const Instruction& i : b_.source().instructions()) {
      const std::optional<LapackCall> call = lapack_call(i);
      if (call && call->instruction->operands.size() <= 3 && raise(*call)) continue;
      if (replaced_.contains(i.id)) continue;
      if (is_known_call(i)) HILO_RETURN_IF_ERROR(write_out(i));
      else b_.copy(i);
    }
    return b_.finish();
  }

 private:
  /// Replaces a call that plain HLO can express, such as a sharding annotation.
  Status write_out(const Instruction& i) {
    std::vector<Shape> operands;
    for (Id operand : i.operands) operands.push_back(b_.source().instruction(operand).shape);
    HILO_ASSIGN_OR_RETURN(const ComputationPtr body, decompose_known_call(i, operands));
    b_.at(i);
    b_.replace(i.id, b_.splice(body, b_.mapped(i.operands)));
    return ok_status();
  }

  bool raise(const LapackCall& call) {
    const Instruction& i = *call.instruction;
    const Shape& x = b_.source().instruction(i.operands[0]).shape;
    if (x.rank() < 2 || rows(x) == 0 || columns(x) == 0) return false;
    b_.at(i);
    const std::string& r = call.routine;
    if (r == "potrf") return raise_cholesky(call, x);
    if (r == "trsm") return raise_triangular_solve(call);
    if (r == "getrf") return raise_lu(i);
    if (r == "syevd" || r == "heevd") return raise_eigh(call);
    if (r == "gesdd") return raise_svd(call, x);
    if (r == "geev") return raise_eig(call, x);
    if (r == "geqrf") return raise_qr(i, x);
    return false;
  }

  /// Returns an info of zero. Where LAPACK fails, these ops return NaN.
  Id no_failure(const Shape& info) { return b_.splat(info, filled(Shape::scalar(info.element_type()), 0)); }
  const Shape& result(const Instruction& i, int64_t k) const { return i.shape.tuple_element(k); }
  bool is_used(const Instruction& i, int64_t k) const {
    return std::any_of(users_[i.id].begin(), users_[i.id].end(), [&](Id user) {
      const Instruction& u = b_.source().instruction(user);
      return u.opcode != Opcode::kGetTupleElement || (attributes_of<GetTupleElementAttributes>(u).index == k &&
                                                      (!users_[user].empty() || user == b_.source().root_id()));
    });
  }
  void replace_tuple(const Instruction& i, const Ids& elements) { b_.replace(i.id, b_.tuple(elements)); }

  bool raise_cholesky(const LapackCall& call, const Shape&) {
    const Instruction& i = *call.instruction;
    CholeskyAttributes attributes;
    attributes.lower = call.letter("uplo") == 'L';
    const Id factor = b_.add(Opcode::kCholesky, {b_.mapped(i.operands[0])}, shared_attributes(attributes));
    replace_tuple(i, {factor, no_failure(result(i, 1))});
    return true;
  }

  bool raise_triangular_solve(const LapackCall& call) {
    const Instruction& i = *call.instruction;
    if (i.operands.size() != 2 || !i.shape.is_array()) return false;
    b_.replace(i.id,
               b_.add(Opcode::kTriangularSolve, b_.mapped(i.operands), shared_attributes(triangular_solve_of(call))));
    return true;
  }

  bool raise_lu(const Instruction& i) {
    const Id lu = b_.add(kExtLu, {b_.mapped(i.operands[0])});
    const Id pivots = b_.get_tuple_element(lu, 1);
    const Id from_one =
        b_.add(Opcode::kAdd, {pivots, b_.splat(b_.shape(pivots), filled(Shape::scalar(ElementType::kS32), 1))});
    replace_tuple(i, {b_.get_tuple_element(lu, 0), from_one, no_failure(result(i, 2))});
    return true;
  }

  bool raise_eigh(const LapackCall& call) {
    const Instruction& i = *call.instruction;
    if (call.letter("mode") != 'V') return false;
    TriangleAttributes attributes;
    attributes.lower = call.letter("uplo") == 'L';
    const Id eigh = b_.add(kExtEigh, {b_.mapped(i.operands[0])}, shared_attributes(attributes));
    replace_tuple(i, {b_.get_tuple_element(eigh, 0), b_.get_tuple_element(eigh, 1), no_failure(result(i, 2))});
    return true;
  }

  /// Results: (overwritten x, s, U, V^H, info). The first one is unused.
  bool raise_svd(const LapackCall& call, const Shape& x) {
    const Instruction& i = *call.instruction;
    const char mode = call.letter("mode");
    if (is_used(i, 0) || (mode == 'N' && (is_used(i, 2) || is_used(i, 3)))) return false;
    SvdAttributes attributes;
    attributes.compute_uv = mode != 'N';
    attributes.full_matrices = mode == 'A';
    const Id svd = b_.add(kExtSvd, {b_.mapped(i.operands[0])}, shared_attributes(attributes));
    const auto zeros = [&](const Shape& shape) {
      return b_.splat(shape, filled(Shape::scalar(shape.element_type()), 0));
    };
    const bool uv = attributes.compute_uv;
    const Id values = uv ? b_.get_tuple_element(svd, 0) : b_.shape(svd).is_tuple() ? b_.get_tuple_element(svd, 0) : svd;
    replace_tuple(i, {zeros(x), values, uv ? b_.get_tuple_element(svd, 1) : zeros(result(i, 2)),
                      uv ? b_.get_tuple_element(svd, 2) : zeros(result(i, 3)), no_failure(result(i, 4))});
    return true;
  }

  /// Results: (parts of the values, left vectors, right vectors, info). Values of complex matrices have only one part.
  bool raise_eig(const LapackCall& call, const Shape& x) {
    const Instruction& i = *call.instruction;
    const int64_t parts = is_complex(x.element_type()) ? 1 : 2;
    EigAttributes attributes;
    attributes.compute_left_eigenvectors = call.letter("compute_left") == 'V';
    attributes.compute_right_eigenvectors = call.letter("compute_right") == 'V';
    if ((!attributes.compute_left_eigenvectors && is_used(i, parts)) ||
        (!attributes.compute_right_eigenvectors && is_used(i, parts + 1)))
      return false;
    const Id eig = b_.add(kExtEig, {b_.mapped(i.operands[0])}, shared_attributes(attributes));
    const bool is_tuple = b_.shape(eig).is_tuple();
    int64_t next = 0;
    const auto take = [&] { return is_tuple ? b_.get_tuple_element(eig, next++) : eig; };
    const Id values = take();
    Ids elements = {values};
    if (parts == 2) elements = {b_.add(Opcode::kReal, {values}), b_.add(Opcode::kImag, {values})};
    for (int64_t k = 0; k < 2; ++k) {
      const bool there = k == 0 ? attributes.compute_left_eigenvectors : attributes.compute_right_eigenvectors;
      const Shape& shape = result(i, parts + k);
      elements.push_back(there ? take() : b_.splat(shape, filled(Shape::scalar(shape.element_type()), 0)));
    }
    elements.push_back(no_failure(result(i, parts + 2)));
    replace_tuple(i, elements);
    return true;
  }

  // geqrf(x) -> (reflectors below R, taus), then orgqr(reflectors, taus) -> Q. JAX selects R from the first result by
  // position. A matrix with R above zeros is therefore a valid replacement.

  /// Returns the only get-tuple-element of a result; nullptr if there isn't exactly one.
  const Instruction* only_element(const Instruction& i, int64_t k) const {
    const Instruction* found = nullptr;
    for (Id user : users_[i.id]) {
      const Instruction& u = b_.source().instruction(user);
      if (u.opcode != Opcode::kGetTupleElement) return nullptr;
      if (attributes_of<GetTupleElementAttributes>(u).index != k) continue;
      if (found != nullptr) return nullptr;
      found = &u;
    }
    return found;
  }

  /// Returns the orgqr call whose operands are `factors` (or a slice or padding of it) and `taus`.
  const Instruction* product_of(const Instruction& factors, const Instruction& taus) const {
    if (users_[taus.id].size() != 1) return nullptr;
    const Instruction& user = b_.source().instruction(users_[taus.id][0]);
    const std::optional<LapackCall> call = lapack_call(user);
    if (!call || (call->routine != "orgqr" && call->routine != "ungqr") || user.operands.size() != 2) return nullptr;
    const Instruction& operand = b_.source().instruction(user.operands[0]);
    if (operand.id == factors.id) return &user;
    const bool view = operand.opcode == Opcode::kSlice || operand.opcode == Opcode::kPad;
    return view && operand.operands[0] == factors.id && users_[operand.id].size() == 1 ? &user : nullptr;
  }

  /// Returns whether the value depends only on constants and positions.
  bool depends_on_position_only(Id id, int depth = 0) const {
    const Instruction& i = b_.source().instruction(id);
    if (i.opcode == Opcode::kConstant || i.opcode == Opcode::kIota) return true;
    if (i.operands.empty() || depth > 16) return false;
    return std::ranges::all_of(i.operands, [&](Id operand) { return depends_on_position_only(operand, depth + 1); });
  }

  /// Returns whether all users of `id` except the product select by position.
  bool is_read_by_position(Id id, Id product) const {
    return id != b_.source().root_id() && std::all_of(users_[id].begin(), users_[id].end(), [&](Id user) {
             const Instruction& u = b_.source().instruction(user);
             if (user == product) return true;
             if (u.opcode == Opcode::kSlice || u.opcode == Opcode::kPad) return is_read_by_position(user, product);
             return u.opcode == Opcode::kSelect && u.operands[0] != id && depends_on_position_only(u.operands[0]);
           });
  }

  /// Returns R with zeros below it, `row_count` rows in total.
  Id over_zeros(Id r, int64_t row_count) {
    const Shape shape = b_.shape(r);
    if (rows(shape) == row_count) return r;
    PadAttributes padding;
    padding.padding.resize(shape.rank());
    padding.padding[padding.padding.size() - 2].high = row_count - rows(shape);
    const Literal zero = filled(Shape::scalar(shape.element_type()), 0);
    return b_.add(Opcode::kPad, {r, b_.constant(zero)}, shared_attributes(padding));
  }

  bool raise_qr(const Instruction& i, const Shape& x) {
    const Instruction *factors = only_element(i, 0), *taus = only_element(i, 1);
    if (factors == nullptr) return false;
    const bool has_product = taus != nullptr && !users_[taus->id].empty();
    const Instruction* product = has_product ? product_of(*factors, *taus) : nullptr;
    if (has_product != (product != nullptr)) return false;
    if (!is_read_by_position(factors->id, has_product ? product->id : kNoInstruction)) return false;
    const int64_t least = std::min(rows(x), columns(x)), width = has_product ? columns(product->shape) : least;
    if (width != rows(x) && width != least) return false;
    QrAttributes attributes;
    attributes.full_matrices = width != least;
    const Id qr = b_.add(kExtQr, {b_.mapped(i.operands[0])}, shared_attributes(attributes));
    replace_tuple(i, {over_zeros(b_.get_tuple_element(qr, 1), rows(x)), no_failure(result(i, 1))});
    if (!has_product) return true;
    replaced_.insert(product->id);
    b_.replace(product->id, b_.get_tuple_element(qr, 0));
    return true;
  }

  RewriteBuilder b_;
  std::vector<Ids> users_;
  std::set<Id> replaced_;
};

StatusOr<ComputationPtr> raise_in(const ComputationPtr& source) {
  return has_opcode(*source, Opcode::kCustomCall) ? Raiser(source).run() : source;
}

}  // namespace

StatusOr<bool> raise_linalg(Module& module) { return rewrite_computations(module, raise_in); }

}  // namespace hilo::hlo
