// SPDX-License-Identifier: Apache-2.0
// hlo/ops/custom_call.h -- custom-call: a function outside the program, found by its name when the program is compiled.
#pragma once

#include "hilo/hlo/ops/custom_call_registry.h"
#include "hilo/hlo/ops/not_yet.h"

namespace hilo::hlo {

/// XLA gives this op a score of attributes, most for calls that its own passes make. They are kept as written.
struct CustomCallAttributes : RawAttributes {
  using Base = RawAttributes;
  std::string backend_config;  ///< as HLO text writes it: a dictionary in braces, or a string in quotes
  /// How results lie in memory, minor dimension first, one list a leaf; empty: row-major. It isn't said by the
  /// instruction's shape, since its users take everything as row-major; HLO text and proto show it there.
  Int64Lists result_layouts;
};

const OpDef& custom_call_op();

/// What a call asks for.
struct CustomCallOptions {
  std::string target;
  std::string backend_config;
  bool has_side_effect = false;
  Int64Lists operand_layouts = {}, result_layouts = {};  ///< one a leaf, or none
  /// Result leaves that share memory with an operand: {result, operand}.
  Int64Pairs aliases = {};
};

/// The attributes of a call in the typed FFI's form, of `operands`.
std::shared_ptr<const CustomCallAttributes> make_custom_call(const CustomCallOptions& options,
                                                             std::span<const Shape> operands, size_t result_count);

/// Attributes that HLO text keeps as they are written: the value of `key`, "" if the call hasn't it.
std::string_view custom_call_text(const CustomCallAttributes& attributes, std::string_view key);

/// What a custom call says, the other way of make_custom_call; backend_config without the quotes of a string.
/// Errors    UNIMPLEMENTED for aliases inside nested tuples
StatusOr<CustomCallOptions> custom_call_options(const CustomCallAttributes& attributes);

/// The target's name, unescaped; "" if there is none.
std::string custom_call_target(const CustomCallAttributes& attributes);

/// Moves the layouts of a shape as HLO text and proto have it to the attributes.
void take_result_layouts(Shape& shape, CustomCallAttributes& attributes);

/// The instruction's shape as HLO text and proto show it.
Shape shown_shape(const Instruction& instruction);

/// A call with everything found out that doesn't depend on values.
struct CustomCallPlan {
  std::string target;
  std::shared_ptr<const CustomCallHandler> handler;
  std::vector<CustomCallAttribute> attributes;
  std::string backend_config;
  std::vector<Shape> operands, results;  ///< leaves, with the layouts that the handler wants
  Int64Pairs aliases;                    ///< result leaf, operand leaf
};

/// Errors    NOT_FOUND for a target without handler, INVALID_ARGUMENT for attributes that don't fit
StatusOr<CustomCallPlan> plan_custom_call(const Instruction& instruction, std::span<const Shape> operands);

/// Calls the handler on row-major leaves; what it wants in another order is copied before and after. An exception of the
/// handler becomes INTERNAL.
Status run_custom_call(const CustomCallPlan& plan, void* const* operands, void* const* results);

}  // namespace hilo::hlo
