// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/scalar_program.h"

#include <fmt/format.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <bit>
#include <map>
#include <mutex>

#include "hilo/backend/cpu/emit/elementwise.h"
#include "hilo/backend/cpu/emit/simd.h"
#include "hilo/backend/cpu/jit.h"
#include "hilo/backend/cpu/region_ops.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/reshape.h"

namespace hilo::cpu {

using hlo::attributes_of;
using hlo::Opcode;
using llvm::Value;

namespace {

constexpr size_t kMaxOps = 4000;  // code is one function; larger bodies run from the step list
constexpr int kMaxDepth = 16;

bool is_scalar_shape(const Shape& shape) {
  if (shape.is_tuple()) {
    for (const Shape& leaf : shape.leaves()) {
      if (!is_scalar_shape(leaf)) return false;
    }
    return true;
  }
  return shape.is_scalar();
}

bool is_scalar_op(Opcode opcode) {
  return is_elementwise(opcode) || opcode == Opcode::kParameter || opcode == Opcode::kConstant ||
         opcode == Opcode::kTuple || opcode == Opcode::kGetTupleElement || opcode == Opcode::kCall ||
         opcode == Opcode::kWhile || opcode == Opcode::kConditional || opcode == Opcode::kOptimizationBarrier ||
         opcode == Opcode::kReshape || opcode == Opcode::kBroadcast || opcode == Opcode::kIota;
}

bool is_scalar_program(const hlo::Computation& computation, size_t& ops, int depth) {
  ops += computation.size();
  if (ops > kMaxOps || depth > kMaxDepth) return false;
  for (const hlo::Instruction& i : computation.instructions()) {
    if (!is_scalar_op(i.opcode) || !is_scalar_shape(i.shape)) return false;
    if (i.opcode == Opcode::kConstant && !splat_bits(attributes_of<hlo::ConstantAttributes>(i).value)) return false;
    for (const hlo::ComputationPtr& called : called_computations(i)) {
      if (!is_scalar_program(*called, ops, depth + 1)) return false;
    }
  }
  return true;
}

/// Emits computations over scalar registers. Recursion is over the nesting of calls, which is_scalar_program bounds.
class ScalarEmitter {
 public:
  ScalarEmitter(SimdBuilder& b, Value* cancel_word, llvm::BasicBlock* cancelled)
      : b_(b), cancel_word_(cancel_word), cancelled_(cancelled) {}

  Values emit(const hlo::Computation& computation, const std::vector<Values>& arguments) {
    std::vector<Values> leaves(computation.size());
    for (const hlo::Instruction& i : computation.instructions())
      leaves[i.id] = emit_instruction(computation, i, leaves, arguments);
    return leaves[computation.root_id()];
  }

  Values emit_loop(const hlo::Computation& condition, const hlo::Computation& body, const Values& initial) {
    return b_.while_loop(
        initial, [&](const Values& carry) { return emit(condition, {carry})[0]; },
        [&](const Values& carry) {
          Values next = emit(body, {carry});
          poll();
          return next;
        });
  }

  const Status& status() const { return status_; }

 private:
  /// Leaves the function if somebody asked for it.
  void poll() {
    llvm::IRBuilder<>& ir = b_.ir();
    llvm::LoadInst* word = ir.CreateLoad(ir.getInt32Ty(), cancel_word_);
    word->setAtomic(llvm::AtomicOrdering::Monotonic);
    word->setAlignment(llvm::Align(4));
    llvm::BasicBlock* go_on = llvm::BasicBlock::Create(ir.getContext(), "", ir.GetInsertBlock()->getParent());
    ir.CreateCondBr(ir.CreateICmpEQ(word, ir.getInt32(0)), go_on, cancelled_);
    ir.SetInsertPoint(go_on);
  }

  Value* constant(const hlo::Instruction& i) {
    const ElementType type = i.shape.element_type();
    const uint64_t bits = splat_bits(attributes_of<hlo::ConstantAttributes>(i).value).value_or(0);
    llvm::Type* scalar = b_.register_scalar(type);
    if (type == ElementType::kF64) return llvm::ConstantFP::get(scalar, std::bit_cast<double>(bits));
    if (type == ElementType::kF32)
      return llvm::ConstantFP::get(b_.ir().getContext(),
                                   llvm::APFloat(std::bit_cast<float>(static_cast<uint32_t>(bits))));
    if (computes_in_f32(type))
      return llvm::ConstantFP::get(b_.ir().getContext(), llvm::APFloat(widened_bits(type, bits)));
    if (type == ElementType::kPred) return b_.ir().getInt1(bits != 0);
    return llvm::ConstantInt::get(scalar, llvm::APInt(64, bits).zextOrTrunc(scalar->getIntegerBitWidth()));
  }

  Values emit_instruction(const hlo::Computation& computation, const hlo::Instruction& i,
                          const std::vector<Values>& leaves, const std::vector<Values>& arguments) {
    Values operands;
    for (hlo::InstructionId o : i.operands) operands.insert(operands.end(), leaves[o].begin(), leaves[o].end());
    switch (i.opcode) {  // NOLINT: the ops of is_scalar_op
      case Opcode::kParameter: return arguments[static_cast<size_t>(attributes_of<hlo::ParameterAttributes>(i).number)];
      case Opcode::kConstant: return {constant(i)};
      case Opcode::kIota: return {llvm::Constant::getNullValue(b_.register_type(i.shape.element_type()))};
      case Opcode::kTuple:
      case Opcode::kReshape:
      case Opcode::kBroadcast:
      case Opcode::kCopy:
      case Opcode::kOptimizationBarrier: return operands;
      case Opcode::kGetTupleElement: {
        const Shape& tuple = computation.instruction(i.operands[0]).shape;
        const int64_t index = attributes_of<hlo::GetTupleElementAttributes>(i).index;
        size_t begin = 0;
        for (int64_t k = 0; k < index; ++k)
          begin += tuple.tuple_element(k).is_tuple() ? tuple.tuple_element(k).leaves().size() : 1;
        const size_t count = i.shape.is_tuple() ? i.shape.leaves().size() : 1;
        return Values(operands.begin() + static_cast<std::ptrdiff_t>(begin),
                      operands.begin() + static_cast<std::ptrdiff_t>(begin + count));
      }
      case Opcode::kCall: {
        std::vector<Values> inner;
        for (hlo::InstructionId o : i.operands) inner.push_back(leaves[o]);
        return emit(*attributes_of<hlo::CallAttributes>(i).to_apply, inner);
      }
      case Opcode::kWhile: {
        const auto& a = attributes_of<hlo::WhileAttributes>(i);
        return emit_loop(*a.condition, *a.body, operands);
      }
      case Opcode::kConditional: return emit_conditional(i, leaves);
      default: break;
    }
    const size_t data = i.opcode == Opcode::kSelect ? 1 : 0;
    const ElementType type = computation.instruction(i.operands[data]).shape.element_type();
    StatusOr<Value*> value = emit_elementwise(b_, i.opcode, type, i.shape.element_type(), i.attributes.get(), operands);
    if (value.ok()) return {*value};
    if (status_.ok()) status_ = value.status().with_context(describe(i));
    return {llvm::Constant::getNullValue(b_.register_type(i.shape.element_type()))};
  }

  Values emit_conditional(const hlo::Instruction& i, const std::vector<Values>& leaves) {
    const auto& a = attributes_of<hlo::ConditionalAttributes>(i);
    Value* selector = leaves[i.operands[0]][0];
    return emit_branch(i, a, leaves, selector, 0);
  }

  /// Branch k, or one of those after it; the number of branches bounds the recursion.
  Values emit_branch(const hlo::Instruction& i, const hlo::ConditionalAttributes& a, const std::vector<Values>& leaves,
                     Value* selector, size_t k) {
    const auto run = [&](size_t branch) { return emit(*a.branches[branch], {leaves[i.operands[1 + branch]]}); };
    if (k + 1 == a.branches.size()) return run(k);
    Value* chosen =
        a.predicated ? selector : b_.ir().CreateICmpEQ(selector, llvm::ConstantInt::get(selector->getType(), k));
    return b_.if_else(chosen, [&] { return run(k); }, [&] { return emit_branch(i, a, leaves, selector, k + 1); });
  }

  SimdBuilder& b_;
  Value* cancel_word_;
  llvm::BasicBlock* cancelled_;
  Status status_;
};

std::vector<Shape> leaves_of(const std::vector<Shape>& shapes) {
  std::vector<Shape> leaves;
  for (const Shape& shape : shapes) {
    const std::vector<Shape> inner = shape.is_tuple() ? shape.leaves() : std::vector<Shape>{shape};
    leaves.insert(leaves.end(), inner.begin(), inner.end());
  }
  return leaves;
}

/// Compiles `emit(arguments by parameter)`, which returns the results' leaves.
template <typename Emit>
StatusOr<ScalarProgram> compile(Isa isa, const std::vector<Shape>& parameters, const std::vector<Shape>& results,
                                const Emit& emit) {
  llvm::LLVMContext context;
  llvm::Module module("scalar", context);
  HILO_RETURN_IF_ERROR(prepare_module(module, isa));
  llvm::IRBuilder<> ir(context);
  llvm::Type* pointer = ir.getPtrTy();
  auto* type = llvm::FunctionType::get(ir.getInt32Ty(), {pointer, pointer, pointer}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "scalar", module);
  ir.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
  llvm::BasicBlock* cancelled = llvm::BasicBlock::Create(context, "cancelled", function);
  SimdBuilder b(ir, isa, 1);
  const auto slot = [&](unsigned argument, size_t k) {
    return ir.CreateLoad(pointer, ir.CreateConstGEP1_64(pointer, function->getArg(argument), k));
  };
  std::vector<Values> arguments;
  size_t next = 0;
  for (const Shape& parameter : parameters) {
    arguments.emplace_back();
    for (const Shape& leaf : leaves_of({parameter}))
      arguments.back().push_back(b.load_scalar(leaf.element_type(), slot(0, next++), b.index(0)));
  }
  ScalarEmitter emitter(b, function->getArg(2), cancelled);
  const Values values = emit(emitter, arguments);
  HILO_RETURN_IF_ERROR(emitter.status());
  const std::vector<Shape> leaves = leaves_of(results);
  for (size_t k = 0; k < leaves.size(); ++k)
    b.store_scalar(leaves[k].element_type(), values[k], slot(1, k), b.index(0));
  ir.CreateRet(ir.getInt32(0));
  ir.SetInsertPoint(cancelled);
  ir.CreateRet(ir.getInt32(1));
  ScalarProgram program;
  HILO_ASSIGN_OR_RETURN(program.code, compile_module(module, isa));
  program.function = reinterpret_cast<ScalarFunction>(program.code->lookup("scalar"));
  return program;
}

struct Cache {
  std::mutex mutex;
  std::map<std::string, ScalarProgram> programs;
};

Cache& cache() {
  static Cache* instance = new Cache;
  return *instance;
}

template <typename Make>
StatusOr<ScalarProgram> cached(const std::string& key, const Make& make) {
  {
    const std::scoped_lock lock(cache().mutex);
    if (const auto it = cache().programs.find(key); it != cache().programs.end()) return it->second;
  }
  HILO_ASSIGN_OR_RETURN(const ScalarProgram program, make());
  const std::scoped_lock lock(cache().mutex);
  return cache().programs.emplace(key, program).first->second;
}

std::string key_of(Isa isa, const hlo::Computation& c) {
  return fmt::format("{} {:x} {:x}", isa_name(isa), c.fingerprint().high, c.fingerprint().low);
}

}  // namespace

bool is_scalar_program(const hlo::Computation& computation) {
  size_t ops = 0;
  return is_scalar_program(computation, ops, 0);
}

StatusOr<ScalarProgram> compile_scalar_program(const hlo::Computation& computation, Isa isa) {
  return cached(key_of(isa, computation), [&] {
    return compile(isa, computation.parameter_shapes(), {computation.result_shape()},
                   [&](ScalarEmitter& emitter, const std::vector<Values>& arguments) {
                     return emitter.emit(computation, arguments);
                   });
  });
}

StatusOr<ScalarProgram> compile_scalar_loop(const hlo::Computation& condition, const hlo::Computation& body, Isa isa) {
  return cached("loop " + key_of(isa, condition) + " " + key_of(isa, body), [&] {
    return compile(isa, body.parameter_shapes(), {body.result_shape()},
                   [&](ScalarEmitter& emitter, const std::vector<Values>& arguments) {
                     return emitter.emit_loop(condition, body, arguments[0]);
                   });
  });
}

}  // namespace hilo::cpu
