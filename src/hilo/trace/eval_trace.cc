// SPDX-License-Identifier: Apache-2.0
#include "hilo/trace/eval_trace.h"

#include <mutex>
#include <unordered_map>

#include "hilo/client/platforms.h"
#include "hilo/hlo/ops/reshape.h"

namespace hilo {
namespace {

/// What makes two eager operations the same compiled program.
struct PrimitiveKey {
  Backend* backend;
  hlo::Opcode opcode;
  std::vector<Shape> operands;
  hlo::AttributesPtr attributes;
  std::optional<Shape> declared;

  bool operator==(const PrimitiveKey& other) const {
    if (backend != other.backend || opcode != other.opcode || operands != other.operands || declared != other.declared)
      return false;
    if (attributes == nullptr || other.attributes == nullptr) return attributes == other.attributes;
    return hlo::fields_equal(hlo::op_def(opcode).fields, *attributes, *other.attributes);
  }
};

struct PrimitiveKeyHash {
  size_t operator()(const PrimitiveKey& key) const {
    size_t h = static_cast<size_t>(key.opcode);
    for (const Shape& s : key.operands) h = h * 0x9e3779b97f4a7c15u + s.hash();
    if (key.declared) h = h * 31 + key.declared->hash();
    if (key.attributes != nullptr) h ^= hlo::fields_hash(hlo::op_def(key.opcode).fields, *key.attributes);
    return h;
  }
};

using ExecutablePtr = std::shared_ptr<Executable>;

constexpr size_t kMaxPrimitives = 4096;  // compiled primitives kept

std::mutex cache_mutex;
std::unordered_map<PrimitiveKey, ExecutablePtr, PrimitiveKeyHash>& cache() {
  static auto* map = new std::unordered_map<PrimitiveKey, ExecutablePtr, PrimitiveKeyHash>;
  return *map;
}

/// The operation alone as a program: one parameter an operand.
StatusOr<hlo::Module> primitive_module(const Operation& operation) {
  hlo::Builder builder("primitive_computation");
  std::vector<hlo::InstructionId> parameters;
  for (const Array& a : operation.operands) parameters.push_back(builder.parameter(a.aval_shape()));
  HILO_ASSIGN_OR_RETURN(const std::vector<hlo::InstructionId> leaves, append_operation(builder, operation, parameters));
  const hlo::InstructionId root = pack(builder, leaves);
  hlo::Module module;
  module.name = "primitive_computation";
  HILO_ASSIGN_OR_RETURN(module.entry, std::move(builder).build(root));
  return module;
}

ExecutablePtr primitive_callable(const Operation& operation) {
  Backend* const backend = or_throw(default_backend());
  PrimitiveKey key{backend, operation.opcode, {}, operation.attributes, operation.declared};
  for (const Array& a : operation.operands) key.operands.push_back(a.aval_shape());
  {
    std::lock_guard lock(cache_mutex);
    if (const auto it = cache().find(key); it != cache().end()) return it->second;
  }
  const hlo::Module module = or_throw(primitive_module(operation));
  ExecutablePtr executable = or_throw(backend->compile(module, {}, nullptr));
  std::lock_guard lock(cache_mutex);
  if (cache().size() >= kMaxPrimitives) cache().clear();
  cache().emplace(std::move(key), executable);
  return executable;
}

class EvalTrace final : public Trace {
 public:
  EvalTrace() : Trace(nullptr, "eval") {}

  std::vector<Array> bind(const Operation& operation) override {
    if (operation.opcode == hlo::Opcode::kConstant) {
      return {Array::from_literal(static_cast<const hlo::ConstantAttributes&>(*operation.attributes).value)};
    }
    const std::vector<Aval> avals = result_avals(operation);
    const ExecutablePtr executable = primitive_callable(operation);
    std::vector<BufferPtr> arguments;
    arguments.reserve(operation.operands.size());
    for (const Array& a : operation.operands) {
      if (!is_concrete(a)) {
        or_throw(failed_precondition("a tracer made at " + static_cast<const Tracer&>(a.impl()).location +
                                     " was used outside of the trace that made it"));
      }
      arguments.push_back(buffer_of(a));
    }
    std::vector<BufferPtr> buffers(avals.size());
    or_throw(executable->execute(arguments, buffers));
    std::vector<Array> results;
    results.reserve(avals.size());
    for (size_t i = 0; i < avals.size(); ++i)
      results.push_back(array_from_buffer(std::move(buffers[i]), avals[i].weak_type));
    return results;
  }
};

}  // namespace

Trace& eval_trace() {
  static auto* trace = new EvalTrace;
  return *trace;
}

void clear_primitive_cache() {
  std::lock_guard lock(cache_mutex);
  cache().clear();
}

}  // namespace hilo
