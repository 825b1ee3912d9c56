// SPDX-License-Identifier: Apache-2.0
// Memory accesses of SimdBuilder: loads, stores, tails, gathers, and floats of at most 16 bits.
#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "hilo/backend/cpu/emit/complex.h"
#include "hilo/backend/cpu/emit/narrow_float.h"
#include "hilo/backend/cpu/emit/simd.h"

namespace hilo::cpu {

using llvm::Value;

namespace {

llvm::Align natural(ElementType type) { return llvm::Align(static_cast<std::uint64_t>(element_size_bytes(type))); }

}  // namespace

// AVX-512 masks loads and stores of every width; AVX2 masks whole registers of 4- and 8-byte elements. On other
// machines LLVM would write a branch per lane.
bool SimdBuilder::has_masked_moves(ElementType type) const {
  const int size = element_size_bytes(type);
  if (lanes_ * size < 16 || size > 8) return false;
  if (isa_ == Isa::kAvx512) return true;
  return isa_ == Isa::kAvx2 && size >= 4;
}

Value* SimdBuilder::element_pointer(ElementType type, Value* pointer, Value* at) {
  return ir_.CreateGEP(memory_scalar(type), pointer, at);
}

Value* SimdBuilder::stack(std::int64_t bytes) {
  llvm::BasicBlock& entry = ir_.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilder<> at_entry(&entry, entry.begin());
  auto* slot = at_entry.CreateAlloca(llvm::ArrayType::get(ir_.getInt8Ty(), static_cast<std::uint64_t>(bytes)));
  // smaller blocks aren't aligned: alignment costs the function a few instructions
  constexpr std::int64_t kLarge = 256;
  slot->setAlignment(llvm::Align(bytes >= kLarge ? static_cast<std::uint64_t>(vector_bytes(isa_)) : 16));
  return slot;
}

namespace {

std::vector<int> every_second(int first, int lanes) {
  std::vector<int> order;
  for (int i = 0; i < lanes; ++i) order.push_back(first + 2 * i);
  return order;
}

/// Real and imaginary parts alternate. Two shuffles separate them, so no register of joined numbers is needed.
Value* load_complex(SimdBuilder& b, ElementType type, Value* address, llvm::Align align) {
  auto& ir = b.ir();
  llvm::Type* part = b.memory_scalar(real_type_of(type));
  if (b.lanes() == 1) {
    Value* real = ir.CreateAlignedLoad(part, address, align);
    Value* next = ir.CreateConstGEP1_64(part, address, 1);
    return join(b, {real, ir.CreateAlignedLoad(part, next, llvm::Align(1))});
  }
  auto* both = llvm::FixedVectorType::get(part, 2 * static_cast<unsigned>(b.lanes()));
  Value* raw = ir.CreateAlignedLoad(both, address, align);
  return join(b, {ir.CreateShuffleVector(raw, every_second(0, b.lanes())),
                  ir.CreateShuffleVector(raw, every_second(1, b.lanes()))});
}

/// Returns real and imaginary parts in turn.
Value* in_turn(SimdBuilder& b, Value* value) {
  const ComplexParts parts = parts_of(b, value);
  std::vector<int> order;
  for (int i = 0; i < b.lanes(); ++i) {
    order.push_back(i);
    order.push_back(b.lanes() + i);
  }
  return b.ir().CreateShuffleVector(parts.real, parts.imag, order);
}

void store_complex(SimdBuilder& b, Value* value, Value* address, llvm::Align align) {
  auto& ir = b.ir();
  const ComplexParts parts = parts_of(b, value);
  if (b.lanes() == 1) {
    ir.CreateAlignedStore(parts.real, address, align);
    ir.CreateAlignedStore(parts.imag, ir.CreateConstGEP1_64(parts.real->getType(), address, 1), llvm::Align(1));
    return;
  }
  ir.CreateAlignedStore(in_turn(b, value), address, align);
}

/// Returns each lane of a mask twice.
Value* doubled(SimdBuilder& b, Value* mask) {
  std::vector<int> order;
  for (int i = 0; i < 2 * b.lanes(); ++i) order.push_back(i / 2);
  return b.ir().CreateShuffleVector(mask, order);
}

}  // namespace

Value* SimdBuilder::load(ElementType type, Value* pointer, Value* at) {
  if (is_complex(type)) return load_complex(*this, type, element_pointer(type, pointer, at), natural(type));
  Value* raw = ir_.CreateAlignedLoad(wide(memory_scalar(type)), element_pointer(type, pointer, at), natural(type));
  return from_memory(type, raw);
}

void SimdBuilder::store(ElementType type, Value* value, Value* pointer, Value* at) {
  if (is_complex(type)) return store_complex(*this, value, element_pointer(type, pointer, at), natural(type));
  ir_.CreateAlignedStore(to_memory(type, value), element_pointer(type, pointer, at), natural(type));
}

Value* SimdBuilder::load_tail(ElementType type, Value* pointer, Value* at, Value* count) {
  if (has_masked_moves(type)) return load_masked(type, pointer, at, first_lanes(count));
  const std::int64_t size = element_size_bytes(type);
  llvm::Type* raw_type = wide(memory_scalar(type));
  Value* slot = stack(size * lanes_);
  ir_.CreateAlignedStore(llvm::Constant::getNullValue(raw_type), slot, llvm::Align(1));
  ir_.CreateMemCpy(slot, llvm::Align(1), element_pointer(type, pointer, at), natural(type),
                   ir_.CreateMul(count, index(size)));
  if (is_complex(type)) return load_complex(*this, type, slot, llvm::Align(1));
  return from_memory(type, ir_.CreateAlignedLoad(raw_type, slot, llvm::Align(1)));
}

void SimdBuilder::store_tail(ElementType type, Value* value, Value* pointer, Value* at, Value* count) {
  if (has_masked_moves(type)) {
    Value* const mask = first_lanes(count);
    Value* const raw = to_memory(type, value);
    ir_.CreateMaskedStore(raw, element_pointer(type, pointer, at), natural(type), mask);
    return;
  }
  const std::int64_t size = element_size_bytes(type);
  Value* slot = stack(size * lanes_);
  if (is_complex(type)) store_complex(*this, value, slot, llvm::Align(1));
  else ir_.CreateAlignedStore(to_memory(type, value), slot, llvm::Align(1));
  ir_.CreateMemCpy(element_pointer(type, pointer, at), natural(type), slot, llvm::Align(1),
                   ir_.CreateMul(count, index(size)));
}

namespace {

constexpr int kMaxBranches = 16;  // maximum number of lanes with one branch each

/// Calls visit(i) in a loop for each lane where the mask is true.
void each_lane_of(SimdBuilder& b, Value* mask, const std::function<void(Value* lane)>& visit) {
  auto& ir = b.ir();
  Value* const flags = b.stack(b.lanes());
  b.store(ElementType::kPred, mask, flags, b.index(0));
  b.for_each(b.index(0), b.index(b.lanes()), b.index(1), [&](Value* lane) {
    Value* const is_in =
        ir.CreateICmpNE(ir.CreateLoad(ir.getInt8Ty(), ir.CreateGEP(ir.getInt8Ty(), flags, lane)), ir.getInt8(0));
    b.branch(is_in, [&] { visit(lane); });
  });
}

}  // namespace

// If no instruction takes a mask, a mixed mask runs a branch per lane or a loop over lanes. Mixed masks are rare: of
// the two halves of an array that was rolled, all vectors except one are in either half.
Value* SimdBuilder::load_masked(ElementType type, Value* pointer, Value* at, Value* mask) {
  if (type == ElementType::kC128) {
    const auto both = [&] {
      const ComplexParts all = parts_of(*this, load(type, pointer, at));
      return Values{all.real, all.imag};
    };
    const auto some = [&] {
      SimdBuilder parts = with_lanes(*this, 2 * lanes_);
      Value* const raw = parts.load_masked(ElementType::kF64, pointer, ir_.CreateShl(at, 1), doubled(*this, mask));
      return Values{ir_.CreateShuffleVector(raw, every_second(0, lanes_)),
                    ir_.CreateShuffleVector(raw, every_second(1, lanes_))};
    };
    const Values loaded = if_else(ir_.CreateAndReduce(mask), both, some);
    return join(*this, {loaded[0], loaded[1]});
  }
  llvm::Type* raw_type = wide(memory_scalar(type));
  Value* const nothing = llvm::Constant::getNullValue(raw_type);
  const auto by_lanes = [&] {
    if (lanes_ <= kMaxBranches || has_masked_moves(type))
      return Values{ir_.CreateMaskedLoad(raw_type, element_pointer(type, pointer, at), natural(type), mask, nothing)};
    Value* const slot = stack(element_size_bytes(type) * lanes_);
    ir_.CreateAlignedStore(nothing, slot, llvm::Align(1));
    each_lane_of(*this, mask, [&](Value* lane) {
      Value* const element = ir_.CreateAlignedLoad(
          memory_scalar(type), element_pointer(type, pointer, ir_.CreateAdd(at, lane)), natural(type));
      ir_.CreateAlignedStore(element, element_pointer(type, slot, lane), llvm::Align(1));
    });
    return Values{ir_.CreateAlignedLoad(raw_type, slot, llvm::Align(1))};
  };
  if (has_masked_moves(type)) return from_memory(type, by_lanes()[0]);
  const auto whole = [&] {
    return Values{ir_.CreateAlignedLoad(raw_type, element_pointer(type, pointer, at), natural(type))};
  };
  const auto part = [&] { return if_else(ir_.CreateOrReduce(mask), by_lanes, [&] { return Values{nothing}; }); };
  return from_memory(type, if_else(ir_.CreateAndReduce(mask), whole, part)[0]);
}

Value* SimdBuilder::load_scalar(ElementType type, Value* pointer, Value* at) {
  return with_lanes(*this, 1).load(type, pointer, at);
}

void SimdBuilder::store_scalar(ElementType type, Value* scalar, Value* pointer, Value* at) {
  with_lanes(*this, 1).store(type, scalar, pointer, at);
}

Value* SimdBuilder::gather(ElementType type, Value* pointer, Value* indices, Value* mask,
                           std::span<const std::int64_t> rows) {
  // Instructions exist for elements of 4 and 8 bytes.
  const int size = element_size_bytes(type);
  if (isa_ != Isa::kAvx512 || size < 4 || size > 8) return gather_by_lanes(type, pointer, indices, mask, rows);
  llvm::Type* raw_type = wide(memory_scalar(type));
  Value* every = mask == nullptr ? boolean(true) : mask;
  Value* raw = ir_.CreateMaskedGather(raw_type, element_pointer(type, pointer, indices), natural(type), every,
                                      llvm::Constant::getNullValue(raw_type));
  return from_memory(type, raw);
}

// The indices are stored to memory, from which each lane is loaded: extracting a lane from a register takes two or
// three instructions. Indices that fill 64 bits together stay in the register: LLVM 19 forwards such a store to the
// load of a lane and forgets to drop the other lane's bits.
Value* SimdBuilder::gather_by_lanes(ElementType type, Value* pointer, Value* indices, Value* mask,
                                    std::span<const std::int64_t> rows) {
  llvm::Type* const number = indices->getType()->getScalarType();
  if (mask != nullptr) indices = ir_.CreateSelect(mask, indices, int_like(indices, 0));  // a valid element
  const std::int64_t bytes = static_cast<std::int64_t>(number->getScalarSizeInBits() / 8) * lanes_;
  Value* const places = bytes <= 8 ? nullptr : stack(bytes);
  if (places != nullptr) ir_.CreateAlignedStore(indices, places, llvm::Align(16));
  const auto index_of = [&](int lane) -> Value* {
    if (places == nullptr) return ir_.CreateExtractElement(indices, static_cast<std::uint64_t>(lane));
    return ir_.CreateLoad(number, ir_.CreateConstGEP1_64(number, places, static_cast<std::uint64_t>(lane)));
  };
  const auto load_some = [&](int first, int count) -> Value* {
    llvm::Type* const scalar = memory_scalar(type);
    llvm::Type* const some = count == 1 ? scalar : llvm::FixedVectorType::get(scalar, static_cast<unsigned>(count));
    Value* const at = ir_.CreateZExt(index_of(first), ir_.getInt64Ty());
    return ir_.CreateAlignedLoad(some, element_pointer(type, pointer, at), natural(type));
  };
  const auto is_one_row = [&](int first, int count) {
    if (count == 1) return true;
    return mask == nullptr && !rows.empty() && rows[first] == rows[first + count - 1];
  };
  Value* const raw = gather_halves(0, lanes_, is_one_row, load_some);
  if (mask == nullptr) return from_memory(type, raw);
  return from_memory(type, ir_.CreateSelect(mask, raw, llvm::Constant::getNullValue(raw->getType())));
}

/// Gathers lanes [first, first + count): one load if they are in one row, otherwise two halves.
Value* SimdBuilder::gather_halves(int first, int count, const std::function<bool(int, int)>& is_one_row,
                                  const std::function<Value*(int, int)>& load_some) {
  if (is_one_row(first, count)) return load_some(first, count);
  const int half = count / 2;
  Value* const low = gather_halves(first, half, is_one_row, load_some);
  Value* const high = gather_halves(first + half, half, is_one_row, load_some);
  if (half == 1) {
    llvm::Type* const both = llvm::FixedVectorType::get(low->getType(), 2);
    Value* const begun = ir_.CreateInsertElement(llvm::PoisonValue::get(both), low, std::uint64_t{0});
    return ir_.CreateInsertElement(begun, high, std::uint64_t{1});
  }
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  return ir_.CreateShuffleVector(low, high, order);
}

Value* SimdBuilder::strided_indices(Value* at, Value* stride) {
  return ir_.CreateAdd(splat(at), ir_.CreateMul(lane_numbers(ir_.getInt64Ty()), splat(stride)));
}

/// Loads lane by lane: gather instructions take two to three times as long (Ice Lake, 16 floats: 8.5 ns compared with
/// 16 and, with indices of 64 bits, 27).
Value* SimdBuilder::load_strided(ElementType type, Value* pointer, Value* at, Value* stride, Value* mask) {
  if (mask != nullptr || is_complex(type)) return gather(type, pointer, strided_indices(at, stride), mask);
  llvm::Type* const scalar = memory_scalar(type);
  Value* raw = llvm::PoisonValue::get(wide(scalar));
  for (int lane = 0; lane < lanes_; ++lane) {
    Value* const place = ir_.CreateAdd(at, ir_.CreateMul(stride, index(lane)));
    Value* const element = ir_.CreateAlignedLoad(scalar, element_pointer(type, pointer, place), natural(type));
    raw = ir_.CreateInsertElement(raw, element, static_cast<uint64_t>(lane));
  }
  return from_memory(type, raw);
}

/// Stores in lane order: if positions are equal, the last lane is stored.
void SimdBuilder::store_strided(ElementType type, Value* value, Value* pointer, Value* at, Value* stride) {
  Value* const indices = strided_indices(at, stride);
  ir_.CreateMaskedScatter(to_memory(type, value), element_pointer(type, pointer, indices), natural(type),
                          boolean(true));
}

// Emits two loads of the same power of two: one begins at the first element, the other ends at the last one. Together
// they contain all elements in between.
Value* SimdBuilder::load_shuffled(ElementType type, Value* pointer, Value* at, std::span<const std::int64_t> offsets,
                                  llvm::Constant* mask) {
  const auto counts = [&](std::size_t lane) {
    return mask == nullptr || mask->getAggregateElement(static_cast<unsigned>(lane))->isOneValue();
  };
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), greatest = std::numeric_limits<std::int64_t>::min();
  for (std::size_t lane = 0; lane < offsets.size(); ++lane) {
    if (!counts(lane)) continue;
    least = std::min(least, offsets[lane]);
    greatest = std::max(greatest, offsets[lane]);
  }
  if (least > greatest) return llvm::Constant::getNullValue(register_type(type));
  const std::int64_t span = greatest - least + 1;
  const int64_t width = std::bit_floor(static_cast<std::uint64_t>(span));
  const auto load_from = [&](std::int64_t offset) -> Value* {
    llvm::Type* const some = llvm::FixedVectorType::get(memory_scalar(type), static_cast<unsigned>(width));
    return ir_.CreateAlignedLoad(some, element_pointer(type, pointer, ir_.CreateAdd(at, index(offset))), natural(type));
  };
  Value* const first = load_from(least);
  Value* const last = span == width ? first : load_from(greatest - width + 1);
  std::vector<int> order;
  for (std::size_t lane = 0; lane < offsets.size(); ++lane) {
    const std::int64_t from_first = offsets[lane] - least, from_last = from_first - (span - width);
    if (!counts(lane)) order.push_back(-1);
    else order.push_back(static_cast<int>(from_first < width ? from_first : width + from_last));
  }
  Value* const value = from_memory(type, ir_.CreateShuffleVector(first, last, order));
  if (mask == nullptr) return value;
  return ir_.CreateSelect(mask, value, llvm::Constant::getNullValue(value->getType()));
}

namespace {

constexpr std::uint32_t kF32ExponentBits = 0x7f800000;
constexpr std::uint32_t kMagnitude = 0x7fffffff;

/// Converts f16 bits in i16 lanes to f32, without F16C. Shifting the bits into f32's fields divides by 2^112. Denormals
/// are right because multiplying an f32 denormal by a power of two is exact.
Value* half_to_float(SimdBuilder& b, Value* raw) {
  auto& ir = b.ir();
  Value* wide = ir.CreateZExt(raw, raw->getType()->getWithNewType(ir.getInt32Ty()));
  Value* sign = ir.CreateShl(ir.CreateAnd(wide, b.i32(0x8000)), 16);
  Value* shifted = ir.CreateShl(ir.CreateAnd(wide, b.i32(0x7fff)), 13);
  Value* finite = b.bits(ir.CreateFMul(b.from_bits(shifted), b.f32(0x1p112f)));
  Value* special = ir.CreateOr(shifted, b.i32(kF32ExponentBits));
  Value* is_special = ir.CreateICmpUGE(shifted, b.i32(0x7c00 << 13));
  return b.from_bits(ir.CreateOr(sign, ir.CreateSelect(is_special, special, finite)));
}

/// Converts f32 to f16 bits in i32 lanes, to nearest even, without F16C.
Value* float_to_half(SimdBuilder& b, Value* value) {
  auto& ir = b.ir();
  Value* all = b.bits(value);
  Value* magnitude = ir.CreateAnd(all, b.i32(kMagnitude));
  Value* sign = ir.CreateAnd(ir.CreateLShr(all, 16), b.i32(0x8000));
  // A normal result: rebase the exponent and round at bit 13. A carry correctly increments the exponent.
  Value* rebased = ir.CreateSub(magnitude, b.i32(0x38000000));
  Value* odd = ir.CreateAnd(ir.CreateLShr(rebased, 13), b.i32(1));
  Value* normal = ir.CreateLShr(ir.CreateAdd(ir.CreateAdd(rebased, b.i32(0xfff)), odd), 13);
  // A denormal result: the last bit of 0.5 has the weight 2^-24, f16's smallest value, so the addition rounds at the
  // right bit.
  Value* shifted = ir.CreateFAdd(b.from_bits(magnitude), b.f32(0.5f));
  Value* denormal = ir.CreateSub(b.bits(shifted), b.i32(0x3f000000));
  Value* result = ir.CreateSelect(ir.CreateICmpULT(magnitude, b.i32(0x38800000)), denormal, normal);
  result = ir.CreateSelect(ir.CreateICmpUGE(magnitude, b.i32(0x477ff000)), b.i32(0x7c00), result);
  Value* payload = ir.CreateAnd(ir.CreateLShr(magnitude, 13), b.i32(0x3ff));
  Value* nan = ir.CreateOr(b.i32(0x7e00), payload);
  result = ir.CreateSelect(ir.CreateICmpUGT(magnitude, b.i32(kF32ExponentBits)), nan, result);
  return ir.CreateOr(sign, result);
}

/// Rounds f32 to the nearest bf16, still as f32. A NaN isn't rounded: the NaN of an operation is quiet and keeps that
/// bit.
Value* round_to_bfloat16(SimdBuilder& b, Value* value) {
  auto& ir = b.ir();
  Value* all = b.bits(value);
  Value* odd = ir.CreateAnd(ir.CreateLShr(all, 16), b.i32(1));
  Value* half = ir.CreateSelect(ir.CreateFCmpORD(value, value), ir.CreateAdd(odd, b.i32(0x7fff)), b.i32(0));
  return b.from_bits(ir.CreateAnd(ir.CreateAdd(all, half), b.i32(std::bit_cast<std::int32_t>(0xffff0000u))));
}

}  // namespace

Value* SimdBuilder::from_memory(ElementType type, Value* raw) {
  if (type == ElementType::kPred) return ir_.CreateICmpNE(raw, int_like(raw, 0));
  if (type == ElementType::kBf16) {
    Value* bits32 = ir_.CreateZExt(raw, wide(ir_.getInt32Ty()));
    return from_bits(ir_.CreateShl(bits32, 16));
  }
  if (is_narrow_integer(type)) return ir_.CreateTrunc(raw, register_type(type));
  if (is_narrow_float(type)) return widen_narrow_float(*this, narrow_format(type), raw);
  if (type != ElementType::kF16) return raw;
  if (!has_f16_convert(isa_)) return half_to_float(*this, raw);
  return ir_.CreateFPExt(ir_.CreateBitCast(raw, wide(ir_.getHalfTy())), wide(ir_.getFloatTy()));
}

Value* SimdBuilder::to_memory(ElementType type, Value* value) {
  if (type == ElementType::kPred) return ir_.CreateZExt(value, wide(ir_.getInt8Ty()));
  if (type == ElementType::kBf16) {
    return ir_.CreateTrunc(ir_.CreateLShr(bits(value), 16), wide(ir_.getInt16Ty()));
  }
  if (is_narrow_integer(type)) return ir_.CreateIntCast(value, wide(ir_.getInt8Ty()), is_signed_integer(type));
  if (is_narrow_float(type)) return round_to_narrow_float(*this, narrow_format(type), value);
  if (type != ElementType::kF16) return value;
  if (!has_f16_convert(isa_)) return ir_.CreateTrunc(float_to_half(*this, value), wide(ir_.getInt16Ty()));
  return ir_.CreateBitCast(ir_.CreateFPTrunc(value, wide(ir_.getHalfTy())), wide(ir_.getInt16Ty()));
}

Value* SimdBuilder::round_to(ElementType type, Value* value) {
  if (type == ElementType::kBf16) return round_to_bfloat16(*this, value);
  if (!computes_in_f32(type)) return value;
  return from_memory(type, to_memory(type, value));
}

}  // namespace hilo::cpu
