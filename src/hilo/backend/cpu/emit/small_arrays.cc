// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/small_arrays.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "hilo/backend/cpu/emit/convert.h"
#include "hilo/engine/element_moves.h"
#include "hilo/engine/register_loop.h"
#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/reshape.h"

namespace hilo::cpu {

using hlo::attributes_of;
using hlo::Opcode;
using llvm::Value;

namespace {

using Indices = std::vector<int64_t>;

/// Indices of a small array. The batch dimension has one index.
class Extents {
 public:
  Extents(const Shape& shape, const LaneBatch& batch) : extents_(engine::extents_per_index(shape, batch.size)) {}

  int64_t count() const {
    int64_t count = 1;
    for (int64_t e : extents_) count *= e;
    return count;
  }
  Indices at(int64_t element) const { return engine::indices_of(extents_, element); }
  size_t element(const Indices& indices) const {
    int64_t element = 0;
    for (size_t d = 0; d < extents_.size(); ++d) element = element * extents_[d] + (extents_[d] == 1 ? 0 : indices[d]);
    return static_cast<size_t>(element);
  }
  int64_t operator[](size_t d) const { return extents_[d]; }
  const Indices& all() const { return extents_; }
  size_t rank() const { return extents_.size(); }

 private:
  Indices extents_;
};

/// Emits one instruction, element by element of its result.
class ArrayEmitter {
 public:
  ArrayEmitter(const hlo::Instruction& i, std::span<const SmallArray> operands, const LaneBatch& batch,
               const BuilderFor& builder_for)
      : i_(i), operands_(operands), batch_(batch), builder_for_(builder_for), extents_(i.shape, batch) {
    for (const SmallArray& operand : operands) from_.emplace_back(operand.shape, batch);
  }

  Values emit() {
    if (engine::is_fixed_move(i_.opcode)) return emit_move();
    Values values;
    for (int64_t e = 0; e < extents_.count(); ++e) values.push_back(element(extents_.at(e)));
    return values;
  }

 private:
  Value* operand(size_t k, const Indices& indices) const { return operands_[k].elements[from_[k].element(indices)]; }

  Values emit_move() const {
    std::vector<Indices> operands;
    for (const Extents& extents : from_) operands.push_back(extents.all());
    Values values;
    for (int64_t e = 0; e < extents_.count(); ++e) {
      const engine::ElementSource from = engine::source_of(i_, operands, extents_.all(), e);
      values.push_back(operands_[from.operand].elements[from.element]);
    }
    return values;
  }

  Value* element(const Indices& at) {
    switch (i_.opcode) {  // NOLINT: only ops of emit_small_array
      case Opcode::kIota: return iota(at);
      case Opcode::kDot: return dot(at);
      case Opcode::kDynamicSlice: return dynamic_slice(at);
      case Opcode::kDynamicUpdateSlice: return dynamic_update_slice(at);
      default: return bitcast(at);
    }
  }

  Value* iota(const Indices& at) {
    const size_t d = attributes_of<hlo::IotaAttributes>(i_).dimension;
    const ElementType type = i_.shape.element_type();
    // Along the batch each lane has its own number, so the register is wide even if all operands are scalars.
    const bool is_lane = engine::batch_dimension(i_.shape, batch_.size) == d;
    Values values;
    if (is_lane) values.push_back(batch_.lanes);
    SimdBuilder b = builder_for_(values);
    return emit_convert(b, ElementType::kS64, type, is_lane ? values[0] : b.i64(extents_.rank() == 0 ? 0 : at[d]));
  }

  Value* dot(const Indices& at) {
    const auto& a = attributes_of<hlo::DotAttributes>(i_);
    Indices sides[2] = {Indices(from_[0].rank(), 0), Indices(from_[1].rank(), 0)};
    size_t next = 0;
    for (size_t k = 0; k < a.lhs_batch_dimensions.size(); ++k, ++next)
      sides[0][a.lhs_batch_dimensions[k]] = sides[1][a.rhs_batch_dimensions[k]] = at[next];
    const hlo::Int64List &lhs = a.lhs_contracting_dimensions, &rhs = a.rhs_contracting_dimensions;
    for (const int64_t d : hlo::free_dimensions(operands_[0].shape.rank(), a.lhs_batch_dimensions, lhs))
      sides[0][d] = at[next++];
    for (const int64_t d : hlo::free_dimensions(operands_[1].shape.rank(), a.rhs_batch_dimensions, rhs))
      sides[1][d] = at[next++];
    Value* const zero = llvm::Constant::getNullValue(operands_[0].elements[0]->getType());
    return sum_of_products(lhs, rhs, sides, 0, zero);
  }

  /// Sums over the contracted dimensions from number `k` on, in the order of regions.
  Value* sum_of_products(const hlo::Int64List& lhs, const hlo::Int64List& rhs, Indices (&sides)[2], size_t k,
                         Value* sum) {
    if (k == lhs.size()) {
      Values values{operand(0, sides[0]), operand(1, sides[1]), sum};
      SimdBuilder b = builder_for_(values);
      return b.mul_add(values[0], values[1], values[2]);
    }
    const auto l = static_cast<size_t>(lhs[k]), r = static_cast<size_t>(rhs[k]);
    for (int64_t e = 0; e < from_[0][l]; ++e) {
      sides[0][l] = sides[1][r] = e;
      sum = sum_of_products(lhs, rhs, sides, k + 1, sum);
    }
    return sum;
  }

  /// Returns the dimension along which the slice is shorter than the array; nullopt if they are equal.
  static std::optional<size_t> moving(const Extents& whole, const Extents& part) {
    for (size_t d = 0; d < whole.rank(); ++d) {
      if (whole[d] != part[d]) return d;
    }
    return std::nullopt;
  }

  /// Emits `there` if the slice's first index, clamped to 0..last, is `place`; otherwise `elsewhere`.
  Value* if_it_starts_at(size_t first_start, size_t d, int64_t place, int64_t last, Value* there, Value* elsewhere) {
    const SmallArray& start = operands_[first_start + d];
    const bool with_sign = is_signed_integer(start.shape.element_type());
    Values values{start.elements[0], there, elsewhere};
    SimdBuilder b = builder_for_(values);
    llvm::IRBuilder<>& ir = b.ir();
    Value* const x = values[0];
    Value* const bound = b.int_like(x, static_cast<uint64_t>(place));
    Value* is_here = nullptr;
    if (place == 0) is_here = with_sign ? ir.CreateICmpSLE(x, bound) : ir.CreateICmpEQ(x, bound);
    else if (place == last) is_here = with_sign ? ir.CreateICmpSGE(x, bound) : ir.CreateICmpUGE(x, bound);
    else is_here = ir.CreateICmpEQ(x, bound);
    return ir.CreateSelect(is_here, values[1], values[2]);
  }

  Value* dynamic_slice(Indices at) {
    const std::optional<size_t> d = moving(from_[0], extents_);
    if (!d) return operand(0, at);
    const int64_t last = from_[0][*d] - extents_[*d];
    Value* value = operand(0, at);
    for (int64_t place = 1; place <= last; ++place) {
      ++at[*d];
      value = if_it_starts_at(1, *d, place, last, operand(0, at), value);
    }
    return value;
  }

  Value* dynamic_update_slice(const Indices& at) {
    const std::optional<size_t> d = moving(extents_, from_[1]);
    if (!d) return operand(1, at);
    const int64_t last = extents_[*d] - from_[1][*d];
    Value* value = operand(0, at);
    for (int64_t place = 0; place <= last; ++place) {
      Indices inside = at;
      inside[*d] -= place;
      if (inside[*d] < 0 || inside[*d] >= from_[1][*d]) continue;
      Value* const update = operands_[1].elements[from_[1].element(inside)];
      value = if_it_starts_at(2, *d, place, last, update, value);
    }
    return value;
  }

  static int64_t bits_of(ElementType type) { return element_type_info(type).bits; }

  llvm::Type* whole_number(SimdBuilder& b, ElementType type) {
    return b.wide(b.ir().getIntNTy(static_cast<unsigned>(bits_of(type))));
  }

  /// Splits one element into several along a new dimension. The first has the lowest bits.
  Value* cut_bits(Indices at) {
    const ElementType from = operands_[0].shape.element_type(), to = i_.shape.element_type();
    const int64_t part = at.back();
    at.pop_back();
    Values values{operand(0, at)};
    SimdBuilder b = builder_for_(values);
    Value* const whole = b.ir().CreateBitCast(b.to_memory(from, values[0]), whole_number(b, from));
    Value* const shifted =
        b.ir().CreateLShr(whole, llvm::ConstantInt::get(whole->getType(), static_cast<uint64_t>(part * bits_of(to))));
    Value* const bits = b.ir().CreateTrunc(shifted, whole_number(b, to));
    return b.from_memory(to, b.ir().CreateBitCast(bits, b.wide(b.memory_scalar(to))));
  }

  Value* join_bits(Indices at) {
    const ElementType from = operands_[0].shape.element_type(), to = i_.shape.element_type();
    Values parts;
    at.push_back(0);
    for (; at.back() < bits_of(to) / bits_of(from); ++at.back()) parts.push_back(operand(0, at));
    SimdBuilder b = builder_for_(parts);
    Value* whole = llvm::Constant::getNullValue(whole_number(b, to));
    for (size_t k = 0; k < parts.size(); ++k) {
      Value* const bits = b.ir().CreateBitCast(b.to_memory(from, parts[k]), whole_number(b, from));
      Value* const wide = b.ir().CreateZExt(bits, whole->getType());
      whole = b.ir().CreateOr(
          whole,
          b.ir().CreateShl(wide, llvm::ConstantInt::get(whole->getType(), k * static_cast<size_t>(bits_of(from)))));
    }
    return b.from_memory(to, b.ir().CreateBitCast(whole, b.wide(b.memory_scalar(to))));
  }

  Value* bitcast(const Indices& at) {
    const int64_t from = bits_of(operands_[0].shape.element_type()), to = bits_of(i_.shape.element_type());
    if (from != to) return from > to ? cut_bits(at) : join_bits(at);
    Values values{operand(0, at)};
    SimdBuilder b = builder_for_(values);
    return cast_bits(b, operands_[0].shape.element_type(), i_.shape.element_type(), values[0]);
  }

  const hlo::Instruction& i_;
  std::span<const SmallArray> operands_;
  const LaneBatch& batch_;
  const BuilderFor& builder_for_;
  Extents extents_;
  std::vector<Extents> from_;
};

}  // namespace

Values emit_small_array(const hlo::Instruction& i, std::span<const SmallArray> operands, const LaneBatch& batch,
                        const BuilderFor& builder_for) {
  return ArrayEmitter(i, operands, batch, builder_for).emit();
}

Values emit_small_reduce(const hlo::Instruction& i, std::span<const SmallArray> operands, const LaneBatch& batch,
                         const ReduceBody& body) {
  const auto& dimensions = attributes_of<hlo::ReduceAttributes>(i).dimensions;
  const size_t count = operands.size() / 2;
  const Extents from(operands[0].shape, batch);
  const Extents to(i.shape.is_tuple() ? i.shape.tuple_element(0) : i.shape, batch);
  std::vector<Values> sums(to.count());  // accumulators of each element
  for (Values& sum : sums) {
    for (size_t k = 0; k < count; ++k) sum.push_back(operands[count + k].elements[0]);
  }
  for (int64_t e = 0; e < from.count(); ++e) {
    const Indices at = from.at(e);
    Indices kept;
    for (size_t d = 0; d < at.size(); ++d) {
      if (std::ranges::count(dimensions, d) == 0) kept.push_back(at[d]);
    }
    Values& sum = sums[to.element(kept)];
    Values arguments = sum;
    for (size_t k = 0; k < count; ++k) arguments.push_back(operands[k].elements[e]);
    sum = body(arguments);
  }
  Values values;
  for (size_t k = 0; k < count; ++k) {
    for (const Values& sum : sums) values.push_back(sum[k]);
  }
  return values;
}

Values emit_small_constant(SimdBuilder& b, const Literal& literal, const LaneBatch& batch) {
  const ElementType type = literal.shape().element_type();
  const size_t size = element_size_bytes(type);
  Values values;
  for (int64_t e = 0; e < engine::elements_per_index(literal.shape(), batch.size); ++e) {
    uint64_t bits = 0;
    std::memcpy(&bits, literal.bytes().data() + static_cast<size_t>(e) * size, size);
    values.push_back(b.constant(type, bits));
  }
  return values;
}

}  // namespace hilo::cpu
