// SPDX-License-Identifier: Apache-2.0
// rules/callback.cc -- rules of host functions. Debug callbacks see only values; others have no derivative. A batch is
// one call per example, or one call with an additional axis.
#include "hilo/rules/batch_by_scan.h"
#include "hilo/rules/named_rules.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"
#include "hilo/transform/callback_rules.h"

namespace hilo::rules {
namespace {

using callback_detail::CallbackFacts;
using callback_detail::Kind;

JvpResult jvp(const Operation& operation, std::span<const Tangent>) {
  const CallbackFacts facts = callback_detail::callback_facts(operation);
  if (facts.kind == Kind::kDebug) {
    JvpResult result{bind(operation), {}};
    result.tangents.resize(result.primals.size());
    return result;
  }
  const bool pure = facts.kind == Kind::kPure;
  or_throw(unimplemented(at_user_line(pure ? "pure_callback" : "io_callback") + ": " +
                         (pure ? "Pure callbacks do not support JVP. Hint: use custom_jvp or custom_vjp to use "
                                 "callbacks while taking gradients"
                               : "IO callbacks do not support JVP. Hint: use stop_gradient on the arguments")));
  __builtin_unreachable();
}

/// Makes one call for the whole batch; results have the batch axis in front.
BatchResult in_one_call(const Operation& operation, std::span<const BatchDim> dims, int64_t axis_size, bool broadcast) {
  std::vector<Array> operands;
  for (size_t i = 0; i < dims.size(); ++i)
    operands.push_back(batch_axis_at(operation.operands[i], dims[i], 0, broadcast ? axis_size : 1));
  std::vector<Shape> results;
  for (const Shape& s : attributes_of<hlo::CustomRulesAttributes>(operation).to_apply->result_shape().leaves()) {
    std::vector<int64_t> sizes(s.dimensions().begin(), s.dimensions().end());
    sizes.insert(sizes.begin(), axis_size);
    results.push_back(Shape::array(s.element_type(), sizes));
  }
  BatchResult out{callback_detail::bind_callback(callback_detail::callback_of(operation), operands, results), {}};
  out.dims.assign(out.results.size(), 0);
  return out;
}

BatchResult batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
  const CallbackFacts facts = callback_detail::callback_facts(operation);
  if (facts.ordered) {
    or_throw(unimplemented(at_user_line(facts.kind == Kind::kDebug ? "debug::callback" : "io_callback") +
                           ": Cannot `vmap` ordered callbacks"));
  }
  switch (facts.vmap_method) {
    case VmapMethod::kSequential: return batch_by_scan(operation, dims, context);
    case VmapMethod::kExpandDims: return in_one_call(operation, dims, context.axis_size, false);
    case VmapMethod::kBroadcastAll: return in_one_call(operation, dims, context.axis_size, true);
    case VmapMethod::kNone: break;
  }
  or_throw(unimplemented(at_user_line("pure_callback") +
                         ": vmap is only supported for the `pure_callback` with `vmap_method` specified. Hint: "
                         "{.vmap_method = VmapMethod::kSequential}"));
  __builtin_unreachable();
}

}  // namespace

const CustomRules* callback_rules(std::string_view rules) {
  static const CustomRules kRules{jvp, {}, {}, batch};
  return rules == kCallback ? &kRules : nullptr;
}

}  // namespace hilo::rules
