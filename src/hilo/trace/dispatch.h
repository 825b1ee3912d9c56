// SPDX-License-Identifier: Apache-2.0
// trace/dispatch.h -- operations run one by one: each becomes a small compiled computation, which is kept.
#pragma once

#include <functional>
#include <string>

#include "hilo/base/memoize.h"
#include "hilo/client/computation_builder.h"
#include "hilo/trace/trace.h"

namespace hilo {

/// What an operation has beside its operands.
struct PrimitiveParams {
  hlo::AttributesPtr attributes;
  std::optional<Shape> declared;  ///< the result, for ops whose shape doesn't follow from their operands
};

/// Writes a primitive as HLO: gets its parameters, returns the root.
using TranslationRule = std::function<StatusOr<hlo::InstructionId>(
    ComputationBuilder& builder, std::span<const hlo::InstructionId> operands, const PrimitiveParams& params)>;
/// Shapes of the results, by rules that know what the user meant.
/// Errors    throws hilo::Error
using AbstractEval = std::function<std::vector<Shape>(std::span<const Shape> operands, const PrimitiveParams& params)>;

/// An operation as the dispatcher sees it. Compared by address: a primitive lives as long as the process.
struct Primitive {
  std::string name;
  hlo::Opcode attributes_of;    ///< the op whose attribute struct the params hold
  TranslationRule translation;  ///< empty: the primitive can't be compiled
  AbstractEval abstract_eval;
};

/// The primitive of an opcode.
const Primitive& primitive_of(hlo::Opcode opcode);

/// How `primitive` is written as HLO.
/// Errors    throws UNIMPLEMENTED naming primitive and platform if there is no rule
const TranslationRule& translation_rule(const Primitive& primitive);

/// The primitive alone as a computation of the client, one parameter a shape; not compiled. Memoised.
/// Errors    throws: of translation_rule; if building fails, the error of abstract_eval, which is run to get a better one,
///           or else that of building
LocalComputation primitive_computation(const Primitive& primitive, std::span<const Shape> shapes,
                                       const PrimitiveParams& params = {});
CacheInfo primitive_computation_cache_info();

/// Makes arrays of what a computation returned.
using ResultHandler = std::vector<Array> (*)(std::span<BufferPtr> buffers, bool weak_type, bool committed);
/// The handler for results of this shape: an array, or a tuple of arrays.
/// Errors    throws UNIMPLEMENTED for a shape that no operation returns
ResultHandler result_handler(const Shape& result_shape);

/// A primitive ready to run.
struct CompiledPrimitive {
  LocalComputation computation;
  hlo::Opcode opcode;
  ResultHandler handle_result;
};
using PrimitiveCallable = std::shared_ptr<const CompiledPrimitive>;

/// Runs it; results are weakly typed as is_weak_result has it.
/// Errors    throws those of LocalComputation::execute; FAILED_PRECONDITION for a tracer
std::vector<Array> execute_compiled_primitive(const CompiledPrimitive& compiled, std::span<const Array> operands);

/// The operation's primitive, compiled with get_compile_options() for operands of these shapes. Memoised.
/// Errors    throws those of primitive_computation and LocalComputation::compile
/// Cost      some 50 ns when known
PrimitiveCallable xla_primitive_callable(const Primitive& primitive, std::span<const Array> operands,
                                         const PrimitiveParams& params = {});
CacheInfo xla_primitive_callable_cache_info();

}  // namespace hilo
