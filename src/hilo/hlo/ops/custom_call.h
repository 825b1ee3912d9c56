// SPDX-License-Identifier: Apache-2.0
// hlo/ops/custom_call.h -- custom-call: a function outside of the program, found by name when it is compiled.
#pragma once

#include "hilo/hlo/ops/custom_call_registry.h"
#include "hilo/hlo/ops/not_yet.h"

namespace hilo::hlo {

/// XLA has many attributes for this op, most of them for calls that its own passes create. They are stored as written.
struct CustomCallAttributes : RawAttributes {
  using Base = RawAttributes;
  std::string backend_config;  ///< as in HLO text: a dictionary in braces, or a quoted string
  /// Layouts of results, minor dimension first, one list per leaf; empty: row-major. They are not in the instruction's
  /// shape, because its users treat everything as row-major. HLO text and proto show them in the shape.
  Int64Lists result_layouts;
};

const OpDef& custom_call_op();

/// Options of a custom call.
struct CustomCallOptions {
  std::string target;
  std::string backend_config;
  bool has_side_effect = false;
  Int64Lists operand_layouts = {}, result_layouts = {};  ///< one per leaf, or none
  /// Result leaves that share memory with an operand: {result, operand}.
  Int64Pairs aliases = {};
};

/// Returns the attributes of a call with the typed FFI on these `operands`.
std::shared_ptr<const CustomCallAttributes> make_custom_call(const CustomCallOptions& options,
                                                             std::span<const Shape> operands, size_t result_count);

/// Returns the value of attribute `key`, for attributes that are stored as HLO text; "" if it is missing.
std::string_view custom_call_text(const CustomCallAttributes& attributes, std::string_view key);

/// Returns the options of a custom call, the inverse of make_custom_call. backend_config has no quotes.
/// Errors    UNIMPLEMENTED for aliases inside nested tuples
StatusOr<CustomCallOptions> custom_call_options(const CustomCallAttributes& attributes);

/// Returns the target's name, unescaped; "" if none exists.
std::string custom_call_target(const CustomCallAttributes& attributes);

/// Moves the layouts of a shape, where HLO text and proto have them, to the attributes.
void take_result_layouts(Shape& shape, CustomCallAttributes& attributes);

/// Returns the instruction's shape as HLO text and proto show it.
Shape shown_shape(const Instruction& instruction);

/// A call with all facts that don't depend on values.
struct CustomCallPlan {
  std::string target;
  std::shared_ptr<const CustomCallHandler> handler;
  std::vector<CustomCallAttribute> attributes;
  std::string backend_config;
  std::vector<Shape> operands, results;  ///< leaves, with the layouts that the handler requests
  Int64Pairs aliases;                    ///< result leaf, operand leaf
};

/// Finds the handler of a call and checks its attributes.
/// Errors    NOT_FOUND for a target without handler, INVALID_ARGUMENT for attributes that don't fit
StatusOr<CustomCallPlan> plan_custom_call(const Instruction& instruction, std::span<const Shape> operands);

/// Calls the handler on row-major leaves. Arrays for which it requests another layout are copied before and after. An
/// exception of the handler becomes an INTERNAL error.
Status run_custom_call(const CustomCallPlan& plan, void* const* operands, void* const* results);

}  // namespace hilo::hlo
