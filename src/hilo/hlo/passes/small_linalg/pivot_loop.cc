// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/small_linalg/pivot_loop.h"

#include <algorithm>
#include <numeric>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/gather.h"
#include "hilo/hlo/ops/scatter.h"
#include "hilo/hlo/ops/slice.h"

namespace hilo::hlo::small_linalg {
namespace {

using Id = InstructionId;

/// What an instruction of the body computes in step i, with p the i-th pivot of each item of the batch.
enum class Meaning {
  kOther,
  kStep,       ///< i in every element
  kPivots,     ///< all pivots
  kPivot,      ///< p
  kOrder,      ///< the permutation, as before the step
  kAtStep,     ///< order[i]
  kAtPivot,    ///< order[p]
  kStepDone,   ///< the permutation after order[i] = order[p]
  kPivotDone,  ///< the permutation after order[p] = order[i]
  kExchanged   ///< the permutation after both
};

/// Wide enough for every index.
bool is_index_type(ElementType type) {
  return type == ElementType::kS32 || type == ElementType::kS64 || type == ElementType::kU32 ||
         type == ElementType::kU64;
}

/// How a gather reads or a scatter writes elements.
struct Indices {
  Id indices;
  const Int64List &map, &batch, &index_batch;
  int64_t index_vector_dim;
};

class Reader {
 public:
  Reader(const Computation& body, const PivotLoop& loop)
      : body_(body), loop_(loop), carry_(body.parameter_shapes()[0]), meanings_(body.size(), Meaning::kOther) {
    const Shape& pivots = carry_.tuple_element(loop.pivots);
    last_ = pivots.rank() - 1;
    items_ = pivots.element_count() / pivots.dimension(last_);
  }

  bool run() {
    for (const Instruction& i : body_.instructions()) meanings_[i.id] = meaning_of(i);
    const Instruction& root = body_.root();
    if (root.opcode != Opcode::kTuple) return false;
    for (int64_t k = 0; k < std::ssize(root.operands); ++k) {
      const Id id = root.operands[k];
      const bool is_right = k == loop_.pivots        ? meanings_[id] == Meaning::kPivots
                            : k == loop_.permutation ? meanings_[id] == Meaning::kExchanged
                                                     : is_next_step(body_.instruction(id));
      if (!is_right) return false;
    }
    return true;
  }

 private:
  const Shape& shape(Id id) const { return body_.instruction(id).shape; }

  Meaning meaning_of(const Instruction& i) const {
    switch (i.opcode) {  // NOLINT: partial on purpose
      case Opcode::kGetTupleElement: return meaning_of_carry(i);
      case Opcode::kConvert: return is_index_type(i.shape.element_type()) ? meanings_[i.operands[0]] : Meaning::kOther;
      case Opcode::kCopy: return meanings_[i.operands[0]];
      case Opcode::kReshape:
      case Opcode::kBroadcast: return meaning_of_view(i);
      case Opcode::kSelect: return is_never(i.operands[0]) ? meanings_[i.operands[2]] : Meaning::kOther;
      case Opcode::kDynamicSlice: return read(i.operands[0], index_of_window(i, i.shape));
      case Opcode::kDynamicUpdateSlice:
        return written(i.operands[0], index_of_window(i, shape(i.operands[1])), i.operands[1]);
      case Opcode::kGather: return meaning_of_gather(i, attributes_of<GatherAttributes>(i));
      case Opcode::kScatter: return meaning_of_scatter(i, attributes_of<ScatterAttributes>(i));
      default: return Meaning::kOther;
    }
  }

  Meaning meaning_of_carry(const Instruction& i) const {
    if (body_.instruction(i.operands[0]).opcode != Opcode::kParameter) return Meaning::kOther;
    const int64_t k = attributes_of<GetTupleElementAttributes>(i).index;
    if (k == loop_.pivots) return Meaning::kPivots;
    if (k == loop_.permutation) return Meaning::kOrder;
    return i.shape.is_scalar() && is_index_type(i.shape.element_type()) ? Meaning::kStep : Meaning::kOther;
  }

  Meaning meaning_of_view(const Instruction& i) const {
    const Meaning x = meanings_[i.operands[0]];
    return x == Meaning::kStep || keeps_order(i, shape(i.operands[0])) ? x : Meaning::kOther;
  }

  /// Whether it is x < 0 for a number that isn't negative: negative indices are counted from the end.
  bool is_never(Id id) const {
    const Instruction& i = body_.instruction(id);
    if (i.opcode != Opcode::kCompare || !is_splat_of(i.operands[1], 0)) return false;
    const Meaning x = meanings_[i.operands[0]];
    return attributes_of<CompareAttributes>(i).direction == ComparisonDirection::kLt &&
           (x == Meaning::kStep || x == Meaning::kPivot);
  }

  bool is_splat_of(Id id, double value) const {
    const Instruction* i = &body_.instruction(id);
    while (i->opcode == Opcode::kBroadcast || i->opcode == Opcode::kReshape) i = &body_.instruction(i->operands[0]);
    if (i->opcode != Opcode::kConstant || !is_index_type(i->shape.element_type())) return false;
    return attributes_of<ConstantAttributes>(*i).value.identical(filled(i->shape, value));
  }

  bool is_next_step(const Instruction& i) const {
    if (i.opcode != Opcode::kAdd) return false;
    const Id x = i.operands[0], y = i.operands[1];
    return (meanings_[x] == Meaning::kStep && is_splat_of(y, 1)) ||
           (meanings_[y] == Meaning::kStep && is_splat_of(x, 1));
  }

  /// Returns the meaning of an index that selects one element of each item: all items have the same index, or
  /// `is_own` each its own one.
  Meaning index_meaning(Id index, bool is_own) const {
    const Meaning x = meanings_[index];
    return x == Meaning::kStep || (x == Meaning::kPivot && (is_own || items_ == 1)) ? x : Meaning::kOther;
  }

  /// Returns the index of a dynamic slice, or update, whose window is one element of each item.
  Meaning index_of_window(const Instruction& i, const Shape& window) const {
    const Shape& array = shape(i.operands[0]);
    for (int64_t d = 0; d < array.rank(); ++d) {
      if (window.dimension(d) != (d == last_ ? 1 : array.dimension(d))) return Meaning::kOther;
    }
    return index_meaning(i.operands.back(), false);
  }

  /// Returns the index of a gather or scatter along the last dimension.
  Meaning index_of(const Indices& x) const {
    if (x.map != Int64List{last_}) return Meaning::kOther;
    const int64_t count = shape(x.indices).element_count();
    if (x.batch.empty()) return count == 1 ? index_meaning(x.indices, false) : Meaning::kOther;
    Int64List all(last_);
    std::iota(all.begin(), all.end(), int64_t{0});
    const bool is_own = x.batch == all && x.index_batch == all && x.index_vector_dim == last_ && count == items_;
    return is_own ? index_meaning(x.indices, true) : Meaning::kOther;
  }

  Meaning meaning_of_gather(const Instruction& i, const GatherAttributes& g) const {
    const Shape& array = shape(i.operands[0]);
    for (int64_t d = 0; d < array.rank(); ++d) {
      const bool is_one = d == last_ || !g.operand_batching_dims.empty();
      if (g.slice_sizes[d] != (is_one ? 1 : array.dimension(d))) return Meaning::kOther;
    }
    return read(i.operands[0], index_of({i.operands[1], g.start_index_map, g.operand_batching_dims,
                                         g.start_indices_batching_dims, g.index_vector_dim}));
  }

  Meaning meaning_of_scatter(const Instruction& i, const ScatterAttributes& g) const {
    if (i.operands.size() != 3 || g.to_apply->root_id() != g.to_apply->parameters()[1]) return Meaning::kOther;
    // With as many updates as items, windows consist of one element of each item.
    if (g.inserted_window_dims != Int64List{last_} || shape(i.operands[2]).element_count() != items_)
      return Meaning::kOther;
    return written(i.operands[0],
                   index_of({i.operands[1], g.scatter_dims_to_operand_dims, g.input_batching_dims,
                             g.scatter_indices_batching_dims, g.index_vector_dim}),
                   i.operands[2]);
  }

  /// Whether an array has the shape of this element of the carry: its last dimension contains one item.
  bool has_shape_of(Id array, int64_t carry) const { return shape(array).compatible(carry_.tuple_element(carry)); }

  Meaning read(Id array, Meaning index) const {
    const Meaning x = meanings_[array];
    if (x == Meaning::kPivots && has_shape_of(array, loop_.pivots))
      return index == Meaning::kStep ? Meaning::kPivot : Meaning::kOther;
    if (x != Meaning::kOrder || !has_shape_of(array, loop_.permutation)) return Meaning::kOther;
    return index == Meaning::kStep ? Meaning::kAtStep : index == Meaning::kPivot ? Meaning::kAtPivot : Meaning::kOther;
  }

  Meaning written(Id array, Meaning index, Id value) const {
    const Meaning x = meanings_[array], v = meanings_[value];
    if (!has_shape_of(array, loop_.permutation)) return Meaning::kOther;
    const bool is_step = index == Meaning::kStep && v == Meaning::kAtPivot,
               is_pivot = index == Meaning::kPivot && v == Meaning::kAtStep;
    if (x == Meaning::kOrder) return is_step ? Meaning::kStepDone : is_pivot ? Meaning::kPivotDone : Meaning::kOther;
    const bool is_both = (x == Meaning::kStepDone && is_pivot) || (x == Meaning::kPivotDone && is_step);
    return is_both ? Meaning::kExchanged : Meaning::kOther;
  }

  const Computation& body_;
  const PivotLoop& loop_;
  Shape carry_;
  std::vector<Meaning> meanings_;
  int64_t last_ = 0, items_ = 0;
};

}  // namespace

bool exchanges_by_pivots(const Computation& body, const PivotLoop& loop) {
  return !body.has_effect() && Reader(body, loop).run();
}

}  // namespace hilo::hlo::small_linalg
