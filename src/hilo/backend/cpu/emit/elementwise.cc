// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/elementwise.h"

#include <fmt/format.h>

#include <limits>

#include "hilo/backend/cpu/emit/complex.h"
#include "hilo/backend/cpu/emit/convert.h"
#include "hilo/backend/cpu/emit/integer.h"
#include "hilo/backend/cpu/emit/math.h"
#include "hilo/backend/cpu/emit/quick_mark.h"
#include "hilo/hlo/ir/extensions.h"

namespace hilo::cpu {
namespace {

using hlo::Opcode;
using llvm::Value;

/// The arguments of one op's emission.
struct Emission {
  SimdBuilder& b;
  Opcode opcode;
  ElementType type;
  const hlo::Attributes* attributes;
  std::span<Value* const> operands;

  llvm::IRBuilder<>& ir() const { return b.ir(); }
  Value* x() const { return operands[0]; }
  Value* y() const { return operands[1]; }
  bool real() const { return is_floating(type); }
};

Value* emit_add(const Emission& e) {
  if (e.type == ElementType::kPred) return e.ir().CreateOr(e.x(), e.y());
  return e.real() ? e.ir().CreateFAdd(e.x(), e.y()) : e.ir().CreateAdd(e.x(), e.y());
}

Value* emit_multiply(const Emission& e) {
  if (e.type == ElementType::kPred) return e.ir().CreateAnd(e.x(), e.y());
  return e.real() ? e.ir().CreateFMul(e.x(), e.y()) : e.ir().CreateMul(e.x(), e.y());
}

Value* emit_abs(const Emission& e) {
  if (e.real()) return e.b.abs(e.x());
  if (!is_signed_integer(e.type)) return e.x();
  return e.ir().CreateBinaryIntrinsic(llvm::Intrinsic::abs, e.x(), e.ir().getFalse());  // abs(MIN) is MIN
}

Value* emit_integer_sign(const Emission& e) {
  Value* zero = e.b.int_like(e.x(), 0);
  Value* one = e.b.int_like(e.x(), 1);
  Value* positive = e.ir().CreateSelect(e.ir().CreateICmpNE(e.x(), zero), one, zero);
  if (!is_signed_integer(e.type)) return positive;
  return e.ir().CreateSelect(e.ir().CreateICmpSLT(e.x(), zero), e.b.int_like(e.x(), ~std::uint64_t{0}), positive);
}

Value* emit_count_leading_zeros(const Emission& e) {
  return e.ir().CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, e.x(), e.ir().getFalse());
}

Value* emit_is_finite(const Emission& e) {
  return e.ir().CreateFCmpOLT(e.b.abs(e.x()), e.b.float_like(e.x(), std::numeric_limits<double>::infinity()));
}

Value* emit_clamp(const Emission& e) {
  Value* raised = emit_maximum(e.b, e.type, e.operands[1], e.operands[0]);
  return emit_minimum(e.b, e.type, raised, e.operands[2]);
}

Status not_elementwise(Opcode opcode) {
  return internal_error(
      fmt::format("{}: not an elementwise op, which the vector emitter needs", hlo::opcode_name(opcode)));
}

/// Returns the exact result in registers; the caller rounds f16 and bf16. Over 60 lines because it is a table with one
/// line per op.
StatusOr<Value*> emit_op(const Emission& e, ElementType result_type) {
  SimdBuilder& b = e.b;
  auto& ir = b.ir();
  if (e.opcode == hlo::kExtFma) return b.fma(e.operands[0], e.operands[1], e.operands[2]);
  switch (e.opcode) {
    case Opcode::kAbs: return emit_abs(e);
    case Opcode::kAcos: return emit_acos(b, e.x());
    case Opcode::kAcosh: return emit_acosh(b, e.x());
    case Opcode::kAdd: return emit_add(e);
    case Opcode::kAnd: return ir.CreateAnd(e.x(), e.y());
    case Opcode::kAsin: return emit_asin(b, e.x());
    case Opcode::kAsinh: return emit_asinh(b, e.x());
    case Opcode::kAtan: return emit_atan(b, e.x());
    case Opcode::kAtan2: return emit_atan2(b, e.x(), e.y());
    case Opcode::kAtanh: return emit_atanh(b, e.x());
    case Opcode::kCbrt: return emit_cbrt(b, e.x());
    case Opcode::kCeil: return emit_ceil(b, e.x());
    case Opcode::kClamp: return emit_clamp(e);
    case Opcode::kClz: return emit_count_leading_zeros(e);
    case Opcode::kCompare:
      return emit_compare(b, e.type, static_cast<const hlo::CompareAttributes&>(*e.attributes), e.x(), e.y());
    case Opcode::kComplex: return join(b, {e.x(), e.y()});
    case Opcode::kConvert: return emit_convert(b, e.type, result_type, e.x());
    case Opcode::kCopy: return e.x();
    case Opcode::kCos: return emit_cos(b, e.x());
    case Opcode::kCosh: return emit_cosh(b, e.x());
    case Opcode::kDivide: return e.real() ? ir.CreateFDiv(e.x(), e.y()) : emit_integer_divide(b, e.type, e.x(), e.y());
    case Opcode::kErf: return emit_erf(b, e.x());
    case Opcode::kExp: return emit_exp(b, e.x());
    case Opcode::kExpm1: return emit_expm1(b, e.x());
    case Opcode::kFloor: return emit_floor(b, e.x());
    case Opcode::kImag: return b.float_like(e.x(), 0.0);
    case Opcode::kIsFinite: return emit_is_finite(e);
    case Opcode::kLog: return emit_log(b, e.x());
    case Opcode::kLog1p: return emit_log1p(b, e.x());
    case Opcode::kLogistic: return emit_logistic(b, e.x());
    case Opcode::kMaximum: return emit_maximum(b, e.type, e.x(), e.y());
    case Opcode::kMinimum: return emit_minimum(b, e.type, e.x(), e.y());
    case Opcode::kMulhi: return emit_multiply_high(b, e.type, e.x(), e.y());
    case Opcode::kMultiply: return emit_multiply(e);
    case Opcode::kNegate: return e.real() ? ir.CreateFNeg(e.x()) : ir.CreateNeg(e.x());
    case Opcode::kNot: return ir.CreateNot(e.x());
    case Opcode::kOr: return ir.CreateOr(e.x(), e.y());
    case Opcode::kPopcnt: return ir.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, e.x());
    case Opcode::kPower: return e.real() ? emit_pow(b, e.x(), e.y()) : emit_integer_power(b, e.type, e.x(), e.y());
    case Opcode::kReal: return e.x();
    case Opcode::kReducePrecision:
      return emit_reduce_precision(b, e.type, static_cast<const hlo::ReducePrecisionAttributes&>(*e.attributes), e.x());
    case Opcode::kRemainder:
      return e.real() ? emit_fmod(b, e.x(), e.y()) : emit_integer_remainder(b, e.type, e.x(), e.y());
    case Opcode::kRoundNearestAfz: return emit_round_away(b, e.x());
    case Opcode::kRoundNearestEven: return emit_round_even(b, e.x());
    case Opcode::kRsqrt: return emit_rsqrt(b, e.x());
    case Opcode::kSelect: return ir.CreateSelect(e.operands[0], e.operands[1], e.operands[2]);
    case Opcode::kShiftLeft: return emit_shift(b, Shift::kLeft, e.x(), e.y());
    case Opcode::kShiftRightArithmetic: return emit_shift(b, Shift::kRightArithmetic, e.x(), e.y());
    case Opcode::kShiftRightLogical: return emit_shift(b, Shift::kRightLogical, e.x(), e.y());
    case Opcode::kSign: return e.real() ? emit_sign(b, e.x()) : emit_integer_sign(e);
    case Opcode::kSin: return emit_sin(b, e.x());
    case Opcode::kSinh: return emit_sinh(b, e.x());
    case Opcode::kSqrt: return b.sqrt(e.x());
    case Opcode::kSubtract: return e.real() ? ir.CreateFSub(e.x(), e.y()) : ir.CreateSub(e.x(), e.y());
    case Opcode::kTan: return emit_tan(b, e.x());
    case Opcode::kTanh: return emit_tanh(b, e.x());
    case Opcode::kXor: return ir.CreateXor(e.x(), e.y());
#define HILO_STRUCTURAL(enumerator, ...) case Opcode::k##enumerator:
#include "hilo/hlo/ir/structural.inc"
#undef HILO_STRUCTURAL
      return not_elementwise(e.opcode);
  }
  return not_elementwise(e.opcode);
}

/// Whether the op is one of the functions of math.h, which are long.
bool is_function(const Emission& e) {
  return !hlo::is_extension(e.opcode) && op_def(e.opcode).cost == hlo::CostClass::kTranscendental && e.real();
}

/// Emits the call, and the function if the module doesn't have it. The result has the type of the operands.
StatusOr<Value*> emit_called(const Emission& e, ElementType result_type) {
  llvm::Module& module = *e.ir().GetInsertBlock()->getModule();
  llvm::Type* const type = e.x()->getType();
  const std::string name = fmt::format("{}.{}x{}", hlo::opcode_name(e.opcode), element_type_name(e.type), e.b.lanes());
  llvm::Function* function = module.getFunction(name);
  if (function == nullptr) {
    const std::vector<llvm::Type*> types(e.operands.size(), type);
    function = llvm::Function::Create(llvm::FunctionType::get(type, types, false), llvm::Function::InternalLinkage,
                                      name, module);
    llvm::IRBuilder<> ir(llvm::BasicBlock::Create(module.getContext(), "", function));
    SimdBuilder inner(ir, e.b.isa(), e.b.lanes());
    Values operands;
    for (llvm::Argument& argument : function->args()) operands.push_back(&argument);
    HILO_ASSIGN_OR_RETURN(Value * result, emit_op({inner, e.opcode, e.type, e.attributes, operands}, result_type));
    ir.CreateRet(result);
  }
  return e.ir().CreateCall(function, llvm::ArrayRef<Value*>(e.operands.data(), e.operands.size()));
}

}  // namespace

int natural_lanes(Isa isa, ElementType type) {
  const int bytes = computes_in_f32(type) ? 4 : element_size_bytes(type);
  return bytes <= 0 ? 1 : std::max(1, vector_bytes(isa) / bytes);
}

Status check_elementwise_types(Opcode opcode, ElementType operand_type, ElementType result_type) {
  for (ElementType type : {operand_type, result_type}) {
    if (has_register(type)) continue;
    return unimplemented(
        fmt::format("{}: the CPU engine has no arithmetic on {}; got an operand or result of that type",
                    hlo::opcode_name(opcode), element_type_name(type)));
  }
  return ok_status();
}

StatusOr<Value*> emit_elementwise(SimdBuilder& b, Opcode opcode, ElementType operand_type, ElementType result_type,
                                  const hlo::Attributes* attributes, std::span<Value* const> operands, bool is_called) {
  HILO_RETURN_IF_ERROR(check_elementwise_types(opcode, operand_type, result_type));
  const bool needs_attributes = opcode == Opcode::kCompare || opcode == Opcode::kReducePrecision;
  if (needs_attributes && attributes == nullptr) {
    return internal_error(fmt::format("{}: its attributes are missing", hlo::opcode_name(opcode)));
  }
  if (opcode != Opcode::kConvert && is_complex(operand_type))
    return emit_complex(b, opcode, operand_type, attributes, operands);
  const Emission emission{b, opcode, operand_type, attributes, operands};
  const bool calls = is_function(emission) && (is_called || is_quick(*b.ir().GetInsertBlock()->getModule()));
  HILO_ASSIGN_OR_RETURN(Value * result, calls ? emit_called(emission, result_type) : emit_op(emission, result_type));
  const bool keeps_values = opcode == Opcode::kSelect || opcode == Opcode::kCopy || opcode == Opcode::kConvert;
  return keeps_values ? result : b.round_to(result_type, result);
}

}  // namespace hilo::cpu
