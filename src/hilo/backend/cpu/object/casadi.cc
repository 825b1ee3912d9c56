// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/object/casadi.h"

#include <fmt/format.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <array>

#include "hilo/backend/cpu/object/services.h"

namespace hilo::cpu {
namespace {

using llvm::Function, llvm::Value;

constexpr std::array kEndings = {"",         "_work",     "_n_in",        "_n_out",
                                 "_name_in", "_name_out", "_sparsity_in", "_sparsity_out",
                                 "_incref",  "_decref",   "_checkout",    "_release"};
constexpr int64_t kDouble = sizeof(double);

/// The numbers by which CasADi describes a matrix: rows, columns, then the begin of each column, then the row of each
/// nonzero. Of a dense one: rows, columns, 1.
std::vector<uint64_t> pattern_of(const CasadiMatrix& matrix) {
  std::vector<uint64_t> numbers = {static_cast<uint64_t>(matrix.rows), static_cast<uint64_t>(matrix.columns)};
  if (std::ssize(matrix.entries) == matrix.rows * matrix.columns) {
    numbers.push_back(1);
    return numbers;
  }
  size_t at = 0;
  for (int64_t column = 0; column <= matrix.columns; ++column) {
    while (at < matrix.entries.size() && matrix.entries[at].second < column) ++at;
    numbers.push_back(at);
  }
  for (const auto& [row, column] : matrix.entries) numbers.push_back(static_cast<uint64_t>(row));
  return numbers;
}

class CasadiEmitter {
 public:
  CasadiEmitter(llvm::Module& module, const CasadiFunction& function, const CInterface& interface, int64_t arena_bytes)
      : module_(module), f_(function), interface_(interface), arena_bytes_(arena_bytes), ir_(module.getContext()) {}

  void emit() {
    emit_call();
    emit_work();
    emit_number("_n_in", f_.arguments.size());
    emit_number("_n_out", f_.results.size());
    emit_table("_name_in", f_.arguments, [this](const CasadiMatrix& m) { return text(m.name); });
    emit_table("_name_out", f_.results, [this](const CasadiMatrix& m) { return text(m.name); });
    emit_table("_sparsity_in", f_.arguments, [this](const CasadiMatrix& m) { return pattern(m); });
    emit_table("_sparsity_out", f_.results, [this](const CasadiMatrix& m) { return pattern(m); });
    for (const char* ending : {"_incref", "_decref"}) {
      begin(ending, ir_.getVoidTy(), {});
      ir_.CreateRetVoid();
    }
    begin("_checkout", ir_.getInt32Ty(), {});
    ir_.CreateRet(ir_.getInt32(0));
    begin("_release", ir_.getVoidTy(), {ir_.getInt32Ty()});
    ir_.CreateRetVoid();
  }

 private:
  Function* begin(const char* ending, llvm::Type* result, llvm::ArrayRef<llvm::Type*> parameters) {
    auto* type = llvm::FunctionType::get(result, parameters, false);
    Function* function = Function::Create(type, Function::ExternalLinkage, f_.name + ending, module_);
    ir_.SetInsertPoint(llvm::BasicBlock::Create(module_.getContext(), "", function));
    return function;
  }
  Value* number(int64_t value) { return ir_.getInt64(static_cast<uint64_t>(value)); }
  llvm::Constant* constant(llvm::Constant* value) {
    return new llvm::GlobalVariable(module_, value->getType(), true, llvm::GlobalValue::InternalLinkage, value,
                                    f_.name + ".casadi");
  }
  llvm::Constant* text(const std::string& text) {
    return constant(llvm::ConstantDataArray::getString(module_.getContext(), text));
  }
  llvm::Constant* pattern(const CasadiMatrix& matrix) {
    const std::vector<uint64_t> numbers = pattern_of(matrix);
    return constant(llvm::ConstantDataArray::get(module_.getContext(), llvm::ArrayRef(numbers)));
  }

  void emit_number(const char* ending, size_t value) {
    begin(ending, ir_.getInt64Ty(), {});
    ir_.CreateRet(number(static_cast<int64_t>(value)));
  }

  /// Emits a function from the number of a matrix to an address; null for other numbers.
  template <typename Of>
  void emit_table(const char* ending, const std::vector<CasadiMatrix>& matrices, const Of& of) {
    Function* function = begin(ending, ir_.getPtrTy(), {ir_.getInt64Ty()});
    Value* found = llvm::ConstantPointerNull::get(ir_.getPtrTy());
    for (size_t k = 0; k < matrices.size(); ++k) {
      Value* is_this = ir_.CreateICmpEQ(function->getArg(0), number(static_cast<int64_t>(k)));
      found = ir_.CreateSelect(is_this, of(matrices[k]), found);
    }
    ir_.CreateRet(found);
  }

  /// Doubles of the work vector before the memory for results: the arena, wherever its alignment begins.
  int64_t arena_doubles() const {
    return arena_bytes_ == 0 ? 0 : (arena_bytes_ + kDouble - 1) / kDouble + kArenaAlignment / kDouble;
  }
  int64_t result_doubles() const {
    int64_t count = 0;
    for (const CasadiMatrix& result : f_.results) count += std::ssize(result.entries);
    return count;
  }

  void emit_work() {
    llvm::Type* pointer = ir_.getPtrTy();
    Function* function = begin("_work", ir_.getInt32Ty(), {pointer, pointer, pointer, pointer});
    const std::array<int64_t, 4> sizes = {std::ssize(f_.arguments), std::ssize(f_.results), 0,
                                          arena_doubles() + result_doubles()};
    for (unsigned k = 0; k < sizes.size(); ++k) {
      auto* store = llvm::BasicBlock::Create(module_.getContext(), "", function);
      auto* next = llvm::BasicBlock::Create(module_.getContext(), "", function);
      ir_.CreateCondBr(ir_.CreateIsNull(function->getArg(k)), next, store);
      ir_.SetInsertPoint(store);
      ir_.CreateStore(number(sizes[k]), function->getArg(k));
      ir_.CreateBr(next);
      ir_.SetInsertPoint(next);
    }
    ir_.CreateRet(ir_.getInt32(0));
  }

  /// Returns a pointer of a list of pointers, or `otherwise` if it is null.
  Value* entry(Value* list, size_t k, Value* otherwise) {
    Value* p = ir_.CreateLoad(ir_.getPtrTy(), ir_.CreateConstGEP1_64(ir_.getPtrTy(), list, k));
    return ir_.CreateSelect(ir_.CreateIsNull(p), otherwise, p);
  }

  llvm::Constant* zeros() {
    int64_t most = 1;
    for (size_t k = 0; k < interface_.arguments.size(); ++k) most = std::max(most, std::ssize(f_.arguments[k].entries));
    return constant(
        llvm::ConstantAggregateZero::get(llvm::ArrayType::get(ir_.getDoubleTy(), static_cast<uint64_t>(most))));
  }

  /// int NAME(const double** arg, double** res, long long* iw, double* w, int mem)
  void emit_call() {
    llvm::Type* pointer = ir_.getPtrTy();
    Function* function = begin("", ir_.getInt32Ty(), {pointer, pointer, pointer, pointer, ir_.getInt32Ty()});
    Value* work = function->getArg(3);
    const size_t arguments = interface_.arguments.size(), results = interface_.results.size();
    Value* pointers = ir_.CreateAlloca(llvm::ArrayType::get(pointer, arguments + results + 1));
    Value* zero = zeros();
    for (size_t k = 0; k < arguments; ++k)
      ir_.CreateStore(entry(function->getArg(0), k, zero), ir_.CreateConstGEP1_64(pointer, pointers, k));
    int64_t place = arena_doubles();
    for (size_t k = 0; k < results; ++k) {
      Value* dropped = ir_.CreateConstGEP1_64(ir_.getDoubleTy(), work, static_cast<uint64_t>(place));
      ir_.CreateStore(entry(function->getArg(1), k, dropped), ir_.CreateConstGEP1_64(pointer, pointers, arguments + k));
      place += std::ssize(f_.results[k].entries);
    }
    const uint64_t low = kArenaAlignment - 1;
    Value* address = ir_.CreateAdd(ir_.CreatePtrToInt(work, ir_.getInt64Ty()), ir_.getInt64(low));
    Value* arena = ir_.CreateIntToPtr(ir_.CreateAnd(address, ir_.getInt64(~low)), pointer);
    auto* type = llvm::FunctionType::get(ir_.getInt32Ty(), {pointer, pointer, pointer, pointer}, false);
    const llvm::FunctionCallee call = module_.getOrInsertFunction(interface_.name + "_call", type);
    Value* none = llvm::ConstantPointerNull::get(ir_.getPtrTy());
    ir_.CreateRet(ir_.CreateCall(call, {pointers, ir_.CreateConstGEP1_64(pointer, pointers, arguments), arena, none}));
  }

  llvm::Module& module_;
  const CasadiFunction& f_;
  const CInterface& interface_;
  const int64_t arena_bytes_;
  llvm::IRBuilder<> ir_;
};

bool has_vectors(std::span<const CasadiMatrix> matrices, const std::vector<CArray>& arrays) {
  return std::ranges::equal(matrices, arrays, [](const CasadiMatrix& matrix, const CArray& array) {
    return array.shape == Shape::array(ElementType::kF64, {std::ssize(matrix.entries)});
  });
}

}  // namespace

std::vector<std::string> casadi_names(const CasadiFunction& function) {
  std::vector<std::string> names;
  for (const char* ending : kEndings) names.push_back(function.name + ending);
  return names;
}

Status check_casadi(const CasadiFunction& function, const CInterface& interface) {
  if (!is_c_identifier(function.name))
    return invalid_argument(
        fmt::format("writing an object: CasADi's name isn't an identifier of C; got '{}'", function.name));
  if (function.arguments.size() < interface.arguments.size() ||
      !has_vectors(std::span(function.arguments).first(interface.arguments.size()), interface.arguments) ||
      !has_vectors(function.results, interface.results))
    return internal_error("writing an object: the matrices for CasADi aren't those of the program");
  return ok_status();
}

void emit_casadi(llvm::Module& module, const CasadiFunction& function, const CInterface& interface,
                 int64_t arena_bytes) {
  CasadiEmitter(module, function, interface, arena_bytes).emit();
}

}  // namespace hilo::cpu
