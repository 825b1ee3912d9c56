// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/simd.h"

#include <bit>

#include "hilo/backend/cpu/emit/numbers.h"

namespace hilo::cpu {

using llvm::Value;
using llvm::Intrinsic::ID;

bool has_register(ElementType type) { return is_array_type(type); }

bool is_narrow_integer(ElementType type) { return is_integer(type) && element_type_info(type).bits < 8; }

bool computes_in_f32(ElementType type) { return is_floating(type) && element_type_info(type).bits < 32; }

float widened_bits(ElementType type, std::uint64_t bits) {
  if (type == ElementType::kF16) return half_bits_to_float(static_cast<std::uint16_t>(bits));
  if (type == ElementType::kBf16) return bfloat16_bits_to_float(static_cast<std::uint16_t>(bits));
  return narrow_value(narrow_format(type), static_cast<std::uint8_t>(bits));
}

llvm::Type* SimdBuilder::memory_scalar(ElementType type) {
  if (type == ElementType::kF32) return ir_.getFloatTy();
  if (type == ElementType::kF64) return ir_.getDoubleTy();
  return ir_.getIntNTy(static_cast<unsigned>(element_size_bytes(type)) * 8);
}

llvm::Type* SimdBuilder::register_scalar(ElementType type) {
  if (type == ElementType::kPred) return ir_.getInt1Ty();
  if (computes_in_f32(type)) return ir_.getFloatTy();
  if (is_narrow_integer(type)) return ir_.getIntNTy(static_cast<unsigned>(element_type_info(type).bits));
  return memory_scalar(type);
}

llvm::Type* SimdBuilder::wide(llvm::Type* scalar) {
  if (lanes_ == 1) return scalar;
  return llvm::FixedVectorType::get(scalar, static_cast<unsigned>(lanes_));
}

llvm::Constant* SimdBuilder::f32(float value) { return llvm::ConstantFP::get(wide(ir_.getFloatTy()), value); }
llvm::Constant* SimdBuilder::f64(double value) { return llvm::ConstantFP::get(wide(ir_.getDoubleTy()), value); }

llvm::Constant* SimdBuilder::i32(std::int64_t value) {
  return llvm::ConstantInt::get(wide(ir_.getInt32Ty()), static_cast<std::uint64_t>(value), true);
}

llvm::Constant* SimdBuilder::i64(std::int64_t value) {
  return llvm::ConstantInt::get(wide(ir_.getInt64Ty()), static_cast<std::uint64_t>(value), true);
}

llvm::Constant* SimdBuilder::boolean(bool value) { return llvm::ConstantInt::get(wide(ir_.getInt1Ty()), value); }

llvm::Constant* SimdBuilder::constant(ElementType type, std::uint64_t bits) {
  llvm::Type* const number = register_type(type);
  if (type == ElementType::kPred) return boolean(bits != 0);
  if (type == ElementType::kF64) return llvm::ConstantFP::get(number, llvm::APFloat(std::bit_cast<double>(bits)));
  if (type == ElementType::kF32)
    return llvm::ConstantFP::get(number, llvm::APFloat(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
  if (computes_in_f32(type)) return llvm::ConstantFP::get(number, llvm::APFloat(widened_bits(type, bits)));
  return llvm::ConstantInt::get(number, llvm::APInt(64, bits).zextOrTrunc(number->getScalarSizeInBits()));
}

llvm::Constant* SimdBuilder::int_like(Value* like, std::uint64_t value) {
  const unsigned width = like->getType()->getScalarSizeInBits();
  return llvm::ConstantInt::get(like->getType(), llvm::APInt(64, value).trunc(width));
}

llvm::Constant* SimdBuilder::float_like(Value* like, double value) {
  return llvm::ConstantFP::get(like->getType(), value);
}

llvm::Constant* SimdBuilder::lane_numbers(llvm::Type* number) {
  check_number_type(number, lanes_);
  std::vector<llvm::Constant*> lanes;
  for (int i = 0; i < lanes_; ++i) lanes.push_back(llvm::ConstantInt::get(number, static_cast<std::uint64_t>(i)));
  return lanes_ == 1 ? lanes[0] : llvm::ConstantVector::get(lanes);
}

Value* SimdBuilder::splat(Value* scalar) {
  return lanes_ == 1 ? scalar : ir_.CreateVectorSplat(static_cast<unsigned>(lanes_), scalar);
}

Value* SimdBuilder::reverse(Value* value) {
  if (lanes_ == 1) return value;
  std::vector<int> order;
  for (int i = lanes_ - 1; i >= 0; --i) order.push_back(i);
  return ir_.CreateShuffleVector(value, order);
}

Value* SimdBuilder::any(Value* mask) {
  if (lanes_ == 1) return mask;
  if (is_arm(isa_)) return ir_.CreateOrReduce(mask);  // no instruction collects one bit of each lane
  Value* packed = ir_.CreateBitCast(mask, ir_.getIntNTy(static_cast<unsigned>(lanes_)));
  return ir_.CreateICmpNE(packed, llvm::ConstantInt::get(packed->getType(), 0));
}

Value* SimdBuilder::first_lanes(Value* count) {
  Value* limit = splat(ir_.CreateTrunc(count, ir_.getInt32Ty()));
  return ir_.CreateICmpULT(lane_numbers(ir_.getInt32Ty()), limit);
}

Value* SimdBuilder::fma(Value* a, Value* b, Value* c) {
  return ir_.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
}

Value* SimdBuilder::mul_add(Value* a, Value* b, Value* c) {
  return has_fma(isa_) ? fma(a, b, c) : ir_.CreateFAdd(ir_.CreateFMul(a, b), c);
}

namespace {

template <typename T>
Value* horner(SimdBuilder& b, Value* x, std::span<const T> coefficients) {
  Value* sum = b.float_like(x, static_cast<double>(coefficients.back()));
  for (std::size_t k = coefficients.size() - 1; k-- > 0;) {
    sum = b.mul_add(sum, x, b.float_like(x, static_cast<double>(coefficients[k])));
  }
  return sum;
}

}  // namespace

Value* SimdBuilder::polynomial(Value* x, std::span<const float> coefficients) { return horner(*this, x, coefficients); }
Value* SimdBuilder::polynomial(Value* x, std::span<const double> coefficients) {
  return horner(*this, x, coefficients);
}

Value* SimdBuilder::copysign(Value* magnitude, Value* sign) {
  return ir_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, magnitude, sign);
}

Value* SimdBuilder::bits(Value* value) {
  const unsigned width = value->getType()->getScalarSizeInBits();
  return ir_.CreateBitCast(value, value->getType()->getWithNewType(ir_.getIntNTy(width)));
}

Value* SimdBuilder::from_bits(Value* value) {
  llvm::Type* scalar = value->getType()->getScalarSizeInBits() == 64 ? ir_.getDoubleTy() : ir_.getFloatTy();
  return ir_.CreateBitCast(value, value->getType()->getWithNewType(scalar));
}

llvm::BasicBlock* SimdBuilder::new_block(const char* name) {
  return llvm::BasicBlock::Create(ir_.getContext(), name, ir_.GetInsertBlock()->getParent());
}

namespace {

/// Returns the values in the form in which they pass from block to block: long masks as bytes. Without registers for
/// masks, LLVM would pass each of more than 16 lanes in a separate register.
Values passed(llvm::IRBuilder<>& ir, Isa isa, Values values) {
  constexpr int kWithMaskRegisters = 64, kBytesOfRegister = 16;
  if (vector_bytes(isa) == kWithMaskRegisters) return values;
  for (Value*& value : values) {
    const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
    if (type == nullptr || !type->getElementType()->isIntegerTy(1) || type->getNumElements() <= kBytesOfRegister)
      continue;
    value = ir.CreateSExt(value, type->getWithNewBitWidth(8));
  }
  return values;
}

/// Returns what was passed, in the types of `like`.
Values received(llvm::IRBuilder<>& ir, const std::vector<llvm::PHINode*>& phis, const Values& like) {
  Values values(phis.begin(), phis.end());
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values[k]->getType() == like[k]->getType()) continue;
    values[k] = ir.CreateICmpSLT(values[k], llvm::Constant::getNullValue(values[k]->getType()));
  }
  return values;
}

std::vector<llvm::PHINode*> phis_of(llvm::IRBuilder<>& ir, const Values& initial, llvm::BasicBlock* from) {
  std::vector<llvm::PHINode*> phis;
  for (Value* value : initial) {
    llvm::PHINode* phi = ir.CreatePHI(value->getType(), 2);
    phi->addIncoming(value, from);
    phis.push_back(phi);
  }
  return phis;
}

void close_phis(const std::vector<llvm::PHINode*>& phis, const Values& next, llvm::BasicBlock* from) {
  for (std::size_t k = 0; k < phis.size(); ++k) phis[k]->addIncoming(next[k], from);
}

}  // namespace

// The test is at the end of the body, so that a turn has one branch. A guard before the loop skips empty loops.
Values SimdBuilder::counted_loop(Value* begin, Value* end, Value* step, const Values& initial,
                                 const std::function<Values(Value*, const Values&)>& body) {
  llvm::BasicBlock* before = ir_.GetInsertBlock();
  llvm::BasicBlock* turn = new_block("turn");
  llvm::BasicBlock* after = new_block("after");
  const Values first = passed(ir_, isa_, initial);
  ir_.CreateCondBr(ir_.CreateICmpSLT(begin, end), turn, after);
  ir_.SetInsertPoint(turn);
  llvm::PHINode* i = ir_.CreatePHI(begin->getType(), 2);
  i->addIncoming(begin, before);
  const std::vector<llvm::PHINode*> carried = phis_of(ir_, first, before);
  const Values next = passed(ir_, isa_, body(i, received(ir_, carried, initial)));
  Value* following = ir_.CreateAdd(i, step);
  llvm::BasicBlock* latch = ir_.GetInsertBlock();
  ir_.CreateCondBr(ir_.CreateICmpSLT(following, end), turn, after);
  i->addIncoming(following, latch);
  close_phis(carried, next, latch);
  ir_.SetInsertPoint(after);
  const std::vector<llvm::PHINode*> results = phis_of(ir_, first, before);
  close_phis(results, next, latch);
  return received(ir_, results, initial);
}

void SimdBuilder::for_each(Value* begin, Value* end, Value* step, const std::function<void(Value*)>& body) {
  counted_loop(begin, end, step, {}, [&](Value* i, const Values&) {
    body(i);
    return Values{};
  });
}

Values SimdBuilder::while_loop(const Values& initial, const std::function<Value*(const Values&)>& condition,
                               const std::function<Values(const Values&)>& body) {
  llvm::BasicBlock* before = ir_.GetInsertBlock();
  llvm::BasicBlock* test = new_block("test");
  llvm::BasicBlock* turn = new_block("turn");
  llvm::BasicBlock* after = new_block("after");
  const Values first = passed(ir_, isa_, initial);
  ir_.CreateBr(test);
  ir_.SetInsertPoint(test);
  const std::vector<llvm::PHINode*> phis = phis_of(ir_, first, before);
  const Values carried = received(ir_, phis, initial);
  ir_.CreateCondBr(condition(carried), turn, after);
  ir_.SetInsertPoint(turn);
  const Values next = passed(ir_, isa_, body(carried));
  close_phis(phis, next, ir_.GetInsertBlock());
  ir_.CreateBr(test);
  ir_.SetInsertPoint(after);
  return carried;
}

Values SimdBuilder::if_else(Value* condition, const std::function<Values()>& then,
                            const std::function<Values()>& otherwise) {
  llvm::BasicBlock* yes = new_block("then");
  llvm::BasicBlock* no = new_block("else");
  llvm::BasicBlock* after = new_block("after");
  ir_.CreateCondBr(condition, yes, no);
  ir_.SetInsertPoint(yes);
  const Values first = then();
  const Values first_passed = passed(ir_, isa_, first);
  llvm::BasicBlock* yes_end = ir_.GetInsertBlock();
  ir_.CreateBr(after);
  ir_.SetInsertPoint(no);
  const Values second = passed(ir_, isa_, otherwise());
  llvm::BasicBlock* no_end = ir_.GetInsertBlock();
  ir_.CreateBr(after);
  ir_.SetInsertPoint(after);
  const std::vector<llvm::PHINode*> results = phis_of(ir_, first_passed, yes_end);
  close_phis(results, second, no_end);
  return received(ir_, results, first);
}

void SimdBuilder::leave_if_cancelled(Value* word, llvm::BasicBlock* cancelled) {
  llvm::LoadInst* loaded = ir_.CreateLoad(ir_.getInt32Ty(), word);
  loaded->setAtomic(llvm::AtomicOrdering::Monotonic);
  loaded->setAlignment(llvm::Align(4));
  llvm::BasicBlock* go_on = new_block("");
  ir_.CreateCondBr(ir_.CreateICmpEQ(loaded, ir_.getInt32(0)), go_on, cancelled);
  ir_.SetInsertPoint(go_on);
}

void SimdBuilder::branch(Value* condition, const std::function<void()>& then, const std::function<void()>& otherwise) {
  const auto without_values = [](const std::function<void()>& code) {
    return [&code] {
      code();
      return Values{};
    };
  };
  if_else(condition, without_values(then), without_values(otherwise));
}

llvm::Function* begin_function(llvm::IRBuilder<>& ir, llvm::Module& module, const std::string& name, llvm::Type* result,
                               llvm::ArrayRef<llvm::Type*> parameters) {
  auto* type = llvm::FunctionType::get(result, parameters, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  ir.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", function));
  return function;
}

}  // namespace hilo::cpu
