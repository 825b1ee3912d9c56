// SPDX-License-Identifier: Apache-2.0
// trace/dispatch.h -- eager execution: each operation is a small compiled computation, which is cached.
#pragma once

#include <functional>
#include <string>

#include "hilo/base/memoize.h"
#include "hilo/client/computation_builder.h"
#include "hilo/trace/trace.h"

namespace hilo {

/// Parameters of an operation besides its operands.
struct PrimitiveParams {
  hlo::AttributesPtr attributes;
  std::optional<Shape> declared;  ///< result of ops whose shape doesn't follow from their operands
};

/// Writes a primitive as HLO from its parameters; returns the root.
using TranslationRule = std::function<StatusOr<hlo::InstructionId>(
    ComputationBuilder& builder, std::span<const hlo::InstructionId> operands, const PrimitiveParams& params)>;
/// Returns the shapes of the results; its errors describe the user's mistake.
/// Errors     throws hilo::Error
using AbstractEval = std::function<std::vector<Shape>(std::span<const Shape> operands, const PrimitiveParams& params)>;

/// An operation as the dispatcher represents it. Compared by address: a primitive lives as long as the process.
struct Primitive {
  std::string name;
  hlo::Opcode attributes_of;    ///< op to whose attribute struct the params belong
  TranslationRule translation;  ///< empty: the primitive can't be compiled
  AbstractEval abstract_eval;
};

const Primitive& primitive_of(hlo::Opcode opcode);

/// Returns the rule that writes `primitive` as HLO.
/// Errors     throws UNIMPLEMENTED naming primitive and platform if there is no rule
const TranslationRule& translation_rule(const Primitive& primitive);

/// Returns the primitive as a computation of the client with one parameter per shape, not compiled. Memoised.
/// Errors     throws those of translation_rule. If building fails, throws the error of abstract_eval if it has one,
///            otherwise that of building.
LocalComputation primitive_computation(const Primitive& primitive, std::span<const Shape> shapes,
                                       const PrimitiveParams& params = {});
CacheInfo primitive_computation_cache_info();

/// Creates arrays from the results of a computation.
using ResultHandler = std::vector<Array> (*)(std::span<BufferPtr> buffers, bool weak_type, bool committed);
/// Returns the handler for results of this shape: an array, or a tuple of arrays.
/// Errors     throws UNIMPLEMENTED for a shape that no operation returns
ResultHandler result_handler(const Shape& result_shape);

/// A primitive ready to run.
struct CompiledPrimitive {
  LocalComputation computation;
  hlo::Opcode opcode;
  ResultHandler handle_result;
};
using PrimitiveCallable = std::shared_ptr<const CompiledPrimitive>;

/// Runs the primitive; is_weak_result determines whether results are weakly typed.
/// Errors     throws those of LocalComputation::execute; FAILED_PRECONDITION for a tracer
std::vector<Array> execute_compiled_primitive(const CompiledPrimitive& compiled, std::span<const Array> operands);

/// Returns the operation's primitive, compiled with get_compile_options() for operands of these shapes. Memoised.
/// Errors     throws those of primitive_computation and LocalComputation::compile
/// Cost       about 50 ns if cached
PrimitiveCallable xla_primitive_callable(const Primitive& primitive, std::span<const Array> operands,
                                         const PrimitiveParams& params = {});
CacheInfo xla_primitive_callable_cache_info();

}  // namespace hilo
