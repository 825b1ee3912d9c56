// SPDX-License-Identifier: Apache-2.0
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>

#include <bit>
#include <string>

#include "hilo/backend/cpu/emit/math.h"

namespace hilo::cpu {

using llvm::Value;

// Operands are in the order in which maxps and minps return the second one if either is NaN.
Value* at_least(SimdBuilder& b, Value* x, double least) {
  Value* bound = constant(b, x, least);
  return b.ir().CreateSelect(b.ir().CreateFCmpOGT(bound, x), bound, x);
}

Value* at_most(SimdBuilder& b, Value* x, double most) {
  Value* bound = constant(b, x, most);
  return b.ir().CreateSelect(b.ir().CreateFCmpOLT(bound, x), bound, x);
}

Value* is_nan(SimdBuilder& b, Value* x) { return b.ir().CreateFCmpUNO(x, x); }

Value* equals(SimdBuilder& b, Value* x, double value) { return b.ir().CreateFCmpOEQ(x, constant(b, x, value)); }

// Adding 1.5 * 2^(mantissa bits) leaves the integer in the low bits of the sum, where 1.5 has zeros.
Rounded round_product(SimdBuilder& b, Value* a, double factor) {
  auto& ir = b.ir();
  Value* magic = constant(b, a, is_f64(a) ? 0x1.8p52 : 0x1.8p23);
  Value* sum = b.mul_add(a, constant(b, a, factor), magic);
  return {ir.CreateFSub(sum, magic), b.bits(sum)};
}

Value* power_of_two(SimdBuilder& b, Value* n) {
  const bool wide = n->getType()->getScalarSizeInBits() == 64;
  Value* biased = b.ir().CreateAdd(n, b.int_like(n, wide ? 1023 : 127));
  return b.from_bits(b.ir().CreateShl(biased, wide ? 52 : 23));
}

namespace {

/// Emits vscalef on one register of 64 bytes.
Value* scalef_register(SimdBuilder& b, Value* y, Value* n) {
  auto& ir = b.ir();
  constexpr int kCurrentRounding = 4;
  const bool wide = is_f64(y);
  const llvm::Intrinsic::ID id =
      wide ? llvm::Intrinsic::x86_avx512_mask_scalef_pd_512 : llvm::Intrinsic::x86_avx512_mask_scalef_ps_512;
  Value* all = llvm::Constant::getAllOnesValue(ir.getIntNTy(wide ? 8 : 16));
  return ir.CreateIntrinsic(id, {}, {y, n, y, all, ir.getInt32(kCurrentRounding)});
}

bool fits_registers(SimdBuilder& b, Value* y, int* lanes_per_register) {
  *lanes_per_register = is_f64(y) ? 8 : 16;
  return b.isa() == Isa::kAvx512 && b.lanes() % *lanes_per_register == 0;
}

Value* concatenate_halves(llvm::IRBuilder<>& ir, std::vector<Value*> parts, int lanes) {
  while (parts.size() > 1) {
    std::vector<int> order;
    for (int i = 0; i < 2 * lanes; ++i) order.push_back(i);
    std::vector<Value*> joined;
    for (std::size_t k = 0; k + 1 < parts.size(); k += 2) {
      joined.push_back(ir.CreateShuffleVector(parts[k], parts[k + 1], order));
    }
    parts = std::move(joined);
    lanes *= 2;
  }
  return parts[0];
}

Value* scalef(SimdBuilder& b, Value* y, Value* n, int width) {
  std::vector<Value*> parts;
  for (int start = 0; start < b.lanes(); start += width) {
    std::vector<int> order;
    for (int i = 0; i < width; ++i) order.push_back(start + i);
    parts.push_back(scalef_register(b, b.ir().CreateShuffleVector(y, order), b.ir().CreateShuffleVector(n, order)));
  }
  return concatenate_halves(b.ir(), std::move(parts), width);
}

}  // namespace

// Multiplies in two steps, so that both factors are normal. The sum rounds once, as 1 + y would; so does the second
// product.
Value* scale_next_to_one(SimdBuilder& b, Value* y, const Rounded& n) {
  auto& ir = b.ir();
  int width = 0;
  if (fits_registers(b, y, &width)) return scalef(b, ir.CreateFAdd(y, constant(b, y, 1.0)), n.value, width);
  const unsigned mantissa_bits = is_f64(y) ? 52 : 23;
  Value* one = b.bits(constant(b, y, 1.0));
  Value* half = ir.CreateShl(ir.CreateLShr(n.integer, b.int_like(n.integer, 1)), mantissa_bits);
  Value* rest = ir.CreateSub(ir.CreateShl(n.integer, mantissa_bits), half);
  Value* factor = b.from_bits(ir.CreateAdd(half, one));
  return ir.CreateFMul(b.mul_add(y, factor, factor), b.from_bits(ir.CreateAdd(rest, one)));
}

DoubleDouble select(SimdBuilder& b, Value* condition, const DoubleDouble& yes, const DoubleDouble& no) {
  return {b.ir().CreateSelect(condition, yes.high, no.high), b.ir().CreateSelect(condition, yes.low, no.low)};
}

DoubleDouble two_product(SimdBuilder& b, Value* x, Value* y) {
  Value* product = b.ir().CreateFMul(x, y);
  return {product, b.mul_add(x, y, b.ir().CreateFNeg(product))};
}

DoubleDouble two_sum(SimdBuilder& b, Value* x, Value* y) {
  auto& ir = b.ir();
  Value *sum = ir.CreateFAdd(x, y), *of_y = ir.CreateFSub(sum, x);
  return {sum, ir.CreateFAdd(ir.CreateFSub(x, ir.CreateFSub(sum, of_y)), ir.CreateFSub(y, of_y))};
}

DoubleDouble fast_two_sum(SimdBuilder& b, Value* x, Value* y) {
  auto& ir = b.ir();
  Value* sum = ir.CreateFAdd(x, y);
  return {sum, ir.CreateFAdd(ir.CreateFSub(x, sum), y)};
}

DoubleDouble quotient(SimdBuilder& b, const DoubleDouble& x, const DoubleDouble& y) {
  auto& ir = b.ir();
  Value *high = ir.CreateFDiv(x.high, y.high), *minus = ir.CreateFNeg(high);
  Value* rest = ir.CreateFAdd(b.mul_add(minus, y.high, x.high), b.mul_add(minus, y.low, x.low));
  return {high, ir.CreateFDiv(rest, y.high)};
}

DoubleDouble square_root(SimdBuilder& b, const DoubleDouble& x) {
  auto& ir = b.ir();
  Value* high = b.sqrt(x.high);
  Value* rest = ir.CreateFAdd(b.mul_add(ir.CreateFNeg(high), high, x.high), x.low);
  Value* low = ir.CreateFDiv(rest, ir.CreateFAdd(high, high));
  return {high, ir.CreateSelect(equals(b, high, 0), b.f64(0), low)};
}

Split split_normal(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  const bool wide = is_f64(x);
  Value* all = b.bits(x);
  // Counting exponents from sqrt(1/2) instead of 1 centers the mantissa on 1.
  Value* origin = wide ? b.int_like(all, std::bit_cast<std::uint64_t>(0x1.6a09e667f3bcdp-1))
                       : b.int_like(all, std::bit_cast<std::uint32_t>(0x1.6a09e6p-1f));
  const unsigned mantissa_bits = wide ? 52 : 23;
  Value* exponent = ir.CreateAShr(ir.CreateSub(all, origin), mantissa_bits);
  Value* mantissa = b.from_bits(ir.CreateSub(all, ir.CreateShl(exponent, mantissa_bits)));
  Value* magic = constant(b, x, wide ? 0x1.8p52 : 0x1.8p23);
  return {mantissa, ir.CreateFSub(b.from_bits(ir.CreateAdd(exponent, b.bits(magic))), magic)};
}

Split split(SimdBuilder& b, Value* x) {
  auto& ir = b.ir();
  const bool wide = is_f64(x);
  const int lift = wide ? 54 : 25;
  Value* denormal = ir.CreateFCmpOLT(x, constant(b, x, wide ? 0x1p-1022 : 0x1p-126));
  Value* lifted = ir.CreateSelect(denormal, ir.CreateFMul(x, constant(b, x, wide ? 0x1p54 : 0x1p25)), x);
  const Split parts = split_normal(b, lifted);
  Value* offset = ir.CreateSelect(denormal, constant(b, x, -lift), constant(b, x, 0.0));
  return {parts.mantissa, ir.CreateFAdd(parts.exponent, offset)};
}

Value* call_by_lanes(SimdBuilder& b, const std::string& symbol, ElementType type, std::span<Value* const> operands) {
  auto& ir = b.ir();
  const std::int64_t bytes = std::int64_t{b.lanes()} * element_size_bytes(type);
  Value* zero = b.index(0);
  Values arguments;
  for (Value* operand : operands) {
    arguments.push_back(b.stack(bytes));
    b.store(type, operand, arguments.back(), zero);
  }
  if (operands.size() == 1) arguments.push_back(arguments[0]);
  Value* result = b.stack(bytes);
  arguments.insert(arguments.end(), {result, b.index(b.lanes())});
  llvm::Type* pointer = ir.getPtrTy();
  auto* signature = llvm::FunctionType::get(ir.getVoidTy(), {pointer, pointer, pointer, ir.getInt64Ty()}, false);
  llvm::Module* module = ir.GetInsertBlock()->getModule();
  ir.CreateCall(module->getOrInsertFunction(symbol, signature), arguments)->setDoesNotThrow();
  return b.load(type, result, zero);
}

Value* call_scalar(SimdBuilder& b, std::string_view name, Value* x, Value* y) {
  const bool wide = is_f64(x);
  const std::array<Value*, 2> operands = {x, y};
  return call_by_lanes(b, "hilo_" + std::string(name) + (wide ? "_f64" : "_f32"),
                       wide ? ElementType::kF64 : ElementType::kF32, std::span(operands).first(y == nullptr ? 1 : 2));
}

Value* by_type(SimdBuilder& b, std::string_view name, Value* x, UnaryCode of_double, UnaryCode of_single) {
  if (!is_f64(x)) return of_single(b, x);
  return has_fma(b.isa()) ? of_double(b, x) : call_scalar(b, name, x, nullptr);
}

Value* replace_by_scalar(SimdBuilder& b, Value* fast, Value* mask, std::string_view name, Value* x, Value* y) {
  auto slow = [&] { return Values{b.ir().CreateSelect(mask, call_scalar(b, name, x, y), fast)}; };
  return b.if_else(b.any(mask), slow, [&] { return Values{fast}; })[0];
}

}  // namespace hilo::cpu
