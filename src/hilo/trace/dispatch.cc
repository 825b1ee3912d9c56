// SPDX-License-Identifier: Apache-2.0
#include "hilo/trace/dispatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "hilo/base/sizes.h"
#include "hilo/client/compile.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ir/held_bytes.h"
#include "hilo/trace/placement.h"

namespace hilo {

static int64_t held_bytes(const std::shared_ptr<const LocalComputation>& computation) {
  return hlo::held_bytes(computation->module().entry);
}
static int64_t held_bytes(const PrimitiveCallable& callable) {
  return hlo::held_bytes(callable->computation.module().entry) + held_bytes(callable->computation.executable());
}

namespace {

using hlo::InstructionId;
using hlo::Opcode;

/// The key of a primitive's program. `Shapes` is the representation of the operands' shapes.
template <typename Shapes, typename Params>
struct KeyOf {
  const Primitive* primitive;
  Shapes shapes;
  Params params;
  bool x64;
  uint64_t client;
};
using Key = KeyOf<std::vector<Shape>, PrimitiveParams>;
using ShapesKey = KeyOf<std::span<const Shape>, const PrimitiveParams&>;
using ArraysKey = KeyOf<std::span<const Array>, const PrimitiveParams&>;

const Shape& as_shape(const Shape& shape) { return shape; }
const Shape& as_shape(const Array& array) { return array.impl().aval.shape; }

struct HashKey {
  template <typename AnyKey>
  size_t operator()(const AnyKey& key) const {
    using memoize_detail::mix;
    size_t h = mix(std::hash<const void*>()(key.primitive), key.client * 2 + (key.x64 ? 1 : 0));
    for (const auto& operand : key.shapes) h = mix(h, as_shape(operand).hash());
    if (key.params.declared) h = mix(h, key.params.declared->hash());
    if (key.params.attributes != nullptr) {
      h = mix(h, hlo::fields_hash(hlo::op_def(key.primitive->attributes_of).attributes.fields, *key.params.attributes));
    }
    return h;
  }
};

bool same_params(const Primitive& primitive, const PrimitiveParams& a, const PrimitiveParams& b) {
  if (a.declared != b.declared) return false;
  if (a.attributes == b.attributes) return true;
  if (a.attributes == nullptr || b.attributes == nullptr) return false;
  return hlo::fields_equal(hlo::op_def(primitive.attributes_of).attributes.fields, *a.attributes, *b.attributes);
}

struct EqualKeys {
  template <typename A, typename B>
  bool operator()(const A& a, const B& b) const {
    return a.primitive == b.primitive && a.x64 == b.x64 && a.client == b.client &&
           std::ranges::equal(a.shapes, b.shapes,
                              [](const auto& x, const auto& y) { return as_shape(x) == as_shape(y); }) &&
           same_params(*a.primitive, a.params, b.params);
  }
};

template <typename Value>
using PrimitiveTable = MemoTable<Key, Value, HashKey, EqualKeys>;

auto& computations() {
  static auto* const table = new PrimitiveTable<std::shared_ptr<const LocalComputation>>;
  return *table;
}
auto& callables() {
  static auto* const table = new PrimitiveTable<PrimitiveCallable>;
  return *table;
}

/// Returns the value of a key, from the table or computed by `make`.
template <typename Value, typename AnyKey, typename Make>
Value remembered(PrimitiveTable<Value>& table, const AnyKey& expected, Make&& make) {
  if (std::optional<Value> known = table.find(expected)) return *std::move(known);
  std::vector<Shape> shapes;
  for (const auto& operand : expected.shapes) shapes.push_back(as_shape(operand));
  Value value = make(shapes);
  return table.insert(Key{expected.primitive, std::move(shapes), expected.params, expected.x64, expected.client},
                      std::move(value));
}

/// Translates an op that exists in HLO to itself.
StatusOr<InstructionId> translate_op(Opcode opcode, ComputationBuilder& builder,
                                     std::span<const InstructionId> operands, const PrimitiveParams& params) {
  const Operation operation{opcode, {}, params.attributes, params.declared};
  HILO_ASSIGN_OR_RETURN(const std::vector<InstructionId> leaves, append_operation(builder, operation, operands));
  return pack(builder, leaves);
}

std::vector<Shape> eval_op_shapes(Opcode opcode, std::span<const Shape> operands, const PrimitiveParams& params) {
  std::vector<Shape> shapes;
  for (const Aval& aval : result_avals({opcode, {}, params.attributes, params.declared}, operands))
    shapes.push_back(aval.shape);
  return shapes;
}

/// Whether an op belongs to the structure of computations; a trace never binds such ops.
bool is_structure(Opcode opcode) {
  return opcode == Opcode::kParameter || opcode == Opcode::kTuple || opcode == Opcode::kGetTupleElement;
}

Primitive make_primitive(Opcode opcode) {
  Primitive primitive{std::string(hlo::opcode_name(opcode)), opcode, {}, {}};
  if (!is_structure(opcode)) {
    primitive.translation = [opcode](ComputationBuilder& builder, std::span<const InstructionId> operands,
                                     const PrimitiveParams& params) {
      return translate_op(opcode, builder, operands, params);
    };
  }
  primitive.abstract_eval = [opcode](std::span<const Shape> operands, const PrimitiveParams& params) {
    return eval_op_shapes(opcode, operands, params);
  };
  return primitive;
}

StatusOr<LocalComputation> build_primitive(const Primitive& primitive, std::span<const Shape> shapes,
                                           const PrimitiveParams& params) {
  const TranslationRule& translate = translation_rule(primitive);
  HILO_ASSIGN_OR_RETURN(ComputationBuilder builder, make_computation_builder("primitive_computation"));
  std::vector<InstructionId> parameters;
  for (const Shape& shape : shapes) {
    HILO_ASSIGN_OR_RETURN(const InstructionId id, builder.parameter_with_shape(shape));
    parameters.push_back(id);
  }
  HILO_ASSIGN_OR_RETURN(const InstructionId root, translate(builder, parameters, params));
  return std::move(builder).build(root);
}

PrimitiveCallable compile_primitive(const Primitive& primitive, std::span<const Shape> shapes,
                                    const PrimitiveParams& params) {
  const LocalComputation built = primitive_computation(primitive, shapes, params);
  const ResultHandler handle_result = result_handler(built.return_value_shape());
  StatusOr<LocalComputation> compiled = built.compile(shapes, or_throw(get_compile_options()));
  if (!compiled.ok()) or_throw(compiled.status().with_context(at_user_line("op by op")));
  return std::make_shared<const CompiledPrimitive>(
      CompiledPrimitive{*std::move(compiled), primitive.attributes_of, handle_result});
}

std::vector<Array> handle_array(std::span<BufferPtr> buffers, bool weak_type, bool committed) {
  return {array_from_buffer(std::move(buffers[0]), weak_type, committed)};
}

std::vector<Array> handle_tuple(std::span<BufferPtr> buffers, bool weak_type, bool committed) {
  std::vector<Array> arrays;
  arrays.reserve(buffers.size());
  for (BufferPtr& buffer : buffers) arrays.push_back(array_from_buffer(std::move(buffer), weak_type, committed));
  return arrays;
}

}  // namespace

const Primitive& primitive_of(Opcode opcode) {
  static const auto* const all = [] {
    auto* const primitives = new std::vector<Primitive>;
    for (size_t i = 0; i < hlo::kOpcodeCount; ++i) primitives->push_back(make_primitive(static_cast<Opcode>(i)));
    return primitives;
  }();
  return (*all)[ordinal(opcode)];
}

const TranslationRule& translation_rule(const Primitive& primitive) {
  if (!primitive.translation) {
    or_throw(unimplemented(fmt::format("primitive '{}' has no translation rule for platform {}", primitive.name,
                                       default_platform_name())));
  }
  return primitive.translation;
}

LocalComputation primitive_computation(const Primitive& primitive, std::span<const Shape> shapes,
                                       const PrimitiveParams& params) {
  const ShapesKey expected{&primitive, shapes, params, memoize_detail::x64_of_key(), client_generation()};
  return *remembered(computations(), expected, [&](std::span<const Shape>) {
    StatusOr<LocalComputation> built = build_primitive(primitive, shapes, params);
    if (!built.ok()) {
      primitive.abstract_eval(shapes, params);  // reports a better error
      or_throw(built.status());
    }
    return std::make_shared<const LocalComputation>(std::move(*built));
  });
}

CacheInfo primitive_computation_cache_info() { return computations().info(); }

ResultHandler result_handler(const Shape& result_shape) {
  if (result_shape.is_tuple()) return handle_tuple;
  if (result_shape.is_array()) return handle_array;
  or_throw(unimplemented(fmt::format("a result of shape {} is no array", result_shape.to_string())));
  return nullptr;
}

std::vector<Array> execute_compiled_primitive(const CompiledPrimitive& compiled, std::span<const Array> operands) {
  constexpr size_t kOnStack = 4;
  std::array<BufferPtr, kOnStack> few;
  std::vector<BufferPtr> many;
  Executable& executable = *compiled.computation.executable();
  const size_t results = executable.result_shapes().size();
  if (results > kOnStack) many.resize(results);
  const std::span<BufferPtr> out = many.empty() ? std::span(few).first(results) : std::span(many);
  for (const Array& operand : operands) {
    if (is_concrete(operand)) continue;
    or_throw(failed_precondition("a tracer made at " + static_cast<const Tracer&>(operand.impl()).location +
                                 " was used outside of the trace that created it"));
  }
  const StatusOr<bool> committed =
      run_on_arrays(executable, {operands}, {}, out, [&] { return compiled.computation.module(); });
  if (!committed.ok()) or_throw(committed.status().with_context(at_user_line("op by op")));
  return compiled.handle_result(out, is_weak_result(compiled.opcode, operands), *committed);
}

PrimitiveCallable xla_primitive_callable(const Primitive& primitive, std::span<const Array> operands,
                                         const PrimitiveParams& params) {
  const ArraysKey expected{&primitive, operands, params, memoize_detail::x64_of_key(), client_generation()};
  return remembered(callables(), expected,
                    [&](std::span<const Shape> shapes) { return compile_primitive(primitive, shapes, params); });
}

CacheInfo xla_primitive_callable_cache_info() { return callables().info(); }

}  // namespace hilo
