// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/known_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "hilo/base/text.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/ext/decomposition.h"
#include "hilo/hlo/ops/ext/linalg.h"
#include "hilo/hlo/ops/sort.h"
#include "hilo/hlo/ops/top_k.h"

namespace hilo::hlo {
namespace {

/// A call, and the computation that replaces it.
struct Call {
  const Instruction& instruction;
  std::span<const Shape> operands;
  const CustomCallAttributes& attributes;
  Decomposition& d;
};
using Meaning = StatusOr<Expr> (*)(const Call&);

Status check_operands(const Call& call, size_t expected) {
  if (call.operands.size() == expected) return ok_status();
  return invalid_argument(fmt::format("got {} operands, wanted {}", call.operands.size(), expected));
}

Status does_not_fit(const Call& call) {
  std::vector<std::string> shapes;
  for (const Shape& operand : call.operands) shapes.push_back(operand.to_string());
  return invalid_argument(fmt::format("declared shape is {}, the operands are {}", call.instruction.shape.to_string(),
                                      join(std::vector<std::string_view>(shapes.begin(), shapes.end()), ", ")));
}

/// Annotations of placement, sharding or layout: returns the operand.
StatusOr<Expr> pass_on(const Call& call) {
  HILO_RETURN_IF_ERROR(check_operands(call, 1));
  if (!call.operands[0].compatible(call.instruction.shape)) return does_not_fit(call);
  return call.d.operand(0);
}

/// Between these calls, devices compute on their shards. On one device a shard is the whole array.
StatusOr<Expr> pass_on_whole(const Call& call) {
  HILO_RETURN_IF_ERROR(check_operands(call, 1));
  if (call.operands[0].compatible(call.instruction.shape)) return call.d.operand(0);
  return unimplemented(fmt::format("from {} to {}: a shard of several devices is not implemented in this version",
                                   call.operands[0].to_string(), call.instruction.shape.to_string()));
}

/// Allocates memory with unspecified values; zeros are valid.
StatusOr<Expr> allocate(const Call& call) {
  if (!call.instruction.shape.is_array()) return does_not_fit(call);
  return full(call.d, call.instruction.shape.with_default_layout(), 0);
}

/// "1,1,100,1e-6": lower triangle, sorted, maximal number of iterations, tolerance. Values are always sorted here.
StatusOr<Expr> eigh(const Call& call) {
  HILO_RETURN_IF_ERROR(check_operands(call, 1));
  const std::string_view config = trimmed(call.attributes.backend_config);
  const size_t first = config.starts_with('"') ? 1 : 0;
  const bool lower = config.size() <= first || config[first] != '0';
  return call.d.add_with<TriangleAttributes>(kExtEigh, {call.d.operand(0)}, [&](auto& a) { a.lower = lower; });
}

StatusOr<Expr> lu(const Call& call) {
  HILO_RETURN_IF_ERROR(check_operands(call, 1));
  return call.d.add(kExtLu, {call.d.operand(0)});
}

/// Returns the largest elements of each row; the result's shape determines their number.
StatusOr<Expr> top_k(const Call& call) {
  HILO_RETURN_IF_ERROR(check_operands(call, 1));
  const Shape& result = call.instruction.shape;
  if (!result.is_tuple() || result.tuple_size() != 2 || result.tuple_element(0).rank() < 1) return does_not_fit(call);
  return call.d.add_with<TopKAttributes>(Opcode::kTopK, {call.d.operand(0)}, [&](auto& a) {
    a.k = result.tuple_element(0).dimension(result.tuple_element(0).rank() - 1);
  });
}

/// Returns the number at "key" in a dictionary.
std::optional<int64_t> number_in(std::string_view config, std::string_view key) {
  size_t at = config.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  at = config.find_first_of("-0123456789", at + key.size());
  int64_t number = 0;
  if (at == std::string_view::npos ||
      std::from_chars(config.data() + at, config.data() + config.size(), number).ec != std::errc())
    return std::nullopt;
  return number;
}

/// Returns the first elements in the comparator's order; the result's shape determines their number. Operands: arrays,
/// then as many initial values.
StatusOr<Expr> approximate_top_k(const Call& call) {
  const std::optional<int64_t> dimension = number_in(call.attributes.backend_config, "reduction_dim");
  if (!dimension) return invalid_argument("reduction_dim of its backend_config is missing");
  if (call.attributes.called.size() != 1) return invalid_argument("its comparator is missing");
  const size_t arrays = call.operands.size() / 2;
  const Exprs& operands = call.d.operands();
  const Expr sorted =
      call.d.add_with<SortAttributes>(Opcode::kSort, Exprs(operands.begin(), operands.begin() + arrays), [&](auto& a) {
        a.dimensions = {*dimension};
        a.to_apply = call.attributes.called[0];
      });
  const Shape& result = call.instruction.shape;
  Exprs first;
  for (size_t k = 0; k < arrays; ++k) {
    const Expr all = arrays == 1 ? sorted : element(sorted, k);
    const bool tuple = result.is_tuple() && static_cast<int64_t>(k) < result.tuple_size();
    const Shape own = tuple ? result.tuple_element(k) : result;
    if (!own.is_array() || *dimension < 0 || *dimension >= own.rank()) return does_not_fit(call);
    first.push_back(slice(all, *dimension, 0, own.dimension(*dimension)));
  }
  return result.is_tuple() ? tuple(call.d, first) : first[0];
}

struct KnownCall {
  std::string_view target;
  Meaning meaning;
};
constexpr KnownCall kKnownCalls[] = {
    {"AllocateBuffer", allocate},
    {"ApproxTopK", approximate_top_k},
    {"CreateBuffer", allocate},
    {"Eigh", eigh},
    {"LayoutConstraint", pass_on},
    {"LuDecomposition", lu},
    {"MoveToDevice", pass_on},
    {"MoveToHost", pass_on},
    {"Pin", pass_on},
    {"SPMDFullToShardShape", pass_on_whole},
    {"SPMDShardToFullShape", pass_on_whole},
    {"ShardBarrierFrom", pass_on},
    {"ShardBarrierTo", pass_on},
    {"Sharding", pass_on},
    {"TopK", top_k},
    {"Unpin", pass_on},
    {"annotate_device_placement", pass_on},
    {"xla.sdy.FuncResultSharding", pass_on},
    {"xla.sdy.PropagationBarrier", pass_on},
    {"xla.sdy.Sharding", pass_on},
};

const KnownCall* find_known(const Instruction& instruction) {
  if (instruction.opcode != Opcode::kCustomCall) return nullptr;
  const std::string target = custom_call_target(attributes_of<CustomCallAttributes>(instruction));
  const KnownCall* const call = std::ranges::find(kKnownCalls, target, &KnownCall::target);
  return call == std::end(kKnownCalls) || find_custom_call(target).ok() ? nullptr : call;
}

StatusOr<Literal> evaluate_known_call(const EvaluateInput& input) {
  if (find_known(input.instruction) == nullptr) return custom_call_op().evaluate(input);
  std::vector<Shape> operands;
  for (const Literal* operand : input.operands) operands.push_back(operand->shape());
  HILO_ASSIGN_OR_RETURN(const ComputationPtr computation, decompose_known_call(input.instruction, operands));
  return input.run(*computation, input.operands);
}

}  // namespace

bool is_known_call(const Instruction& instruction) { return find_known(instruction) != nullptr; }

StatusOr<ComputationPtr> decompose_known_call(const Instruction& instruction, std::span<const Shape> operands) {
  const KnownCall* const call = find_known(instruction);
  if (call == nullptr) return internal_error("a custom call of unknown meaning");
  Decomposition d(instruction, operands);
  HILO_ASSIGN_OR_RETURN(const Expr root,
                        call->meaning({instruction, operands, attributes_of<CustomCallAttributes>(instruction), d}));
  HILO_ASSIGN_OR_RETURN(ComputationPtr computation, std::move(d).finish(root));
  if (computation->result_shape().compatible(instruction.shape)) return computation;
  return invalid_argument(fmt::format("declared shape is {}; the operands imply {}", instruction.shape.to_string(),
                                      computation->result_shape().to_string()));
}

/// custom_call_op() with an evaluation of these calls.
HILO_DEFINE_OP(custom_or_known_call_op, [] {
  OpDef def = custom_call_op();
  def.evaluate = evaluate_known_call;
  return def;
}())

}  // namespace hilo::hlo
