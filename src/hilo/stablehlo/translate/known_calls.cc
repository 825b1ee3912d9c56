// SPDX-License-Identifier: Apache-2.0
// Custom calls with an equivalent in HLO: annotations for a partitioner or a memory planner, which change no value;
// ApproxTopK; sparse products.
#include <fmt/format.h>

#include "hilo/hlo/ops/slice.h"
#include "hilo/hlo/ops/sort.h"
#include "hilo/stablehlo/devices/sharding.h"
#include "hilo/stablehlo/translate/calls.h"
#include "hilo/stablehlo/translate/data.h"
#include "hilo/stablehlo/translate/plain.h"
#include "hilo/stablehlo/translate/refined.h"
#include "hilo/stablehlo/translate/translate.h"
#include "hilo/stablehlo/translate/windows.h"

namespace hilo::stablehlo {

using hlo::InstructionId;
using hlo::Opcode;

namespace {

/// Translates calls for observers, and for effects that don't exist here: nothing is computed.
Status translate_nothing(const OpContext& op) {
  if (op.operation.results.count == 0) return ok_status();
  return unimplemented(fmt::format("got {} results; wanted none", op.operation.results.count));
}

/// Translates an inspection of a value's sharding. It returns the value or nothing. An unused copy of the value is
/// marked with the caller's data in hexadecimal digits: {hilo.look="00ff"}.
Status translate_look(const OpContext& op) {
  const Attribute* const who = op.find("backend_config");
  if (who != nullptr && who->kind == AttributeKind::kString && !who->text.empty()) {
    HILO_ASSIGN_OR_RETURN(const InstructionId value, op.operand(0));
    std::string digits;
    for (const char byte : who->text) digits += fmt::format("{:02x}", static_cast<uint8_t>(byte));
    op.builder.set_annotations(with_frontend_attributes(op, {{"hilo.look", digits}}));
    const auto copy = op.builder.add(Opcode::kCopy, {value}, nullptr);
    op.builder.set_annotations(op.translator.annotations_of(op.operation.location));
    HILO_RETURN_IF_ERROR(copy.status());
  }
  return op.operation.results.count == 0 ? ok_status() : translate_identity(op);
}

/// Returns the first elements in the comparator's order, as many as the result has. XLA:CPU gives the same result.
Status translate_approx_top_k(const OpContext& op) {
  const uint32_t arrays = op.operation.results.count;
  if (arrays == 0 || op.operand_count() != 2 * arrays)
    return invalid_argument("wanted arrays, as many initial values, and as many results");
  HILO_ASSIGN_OR_RETURN(const int64_t dimension, [&]() -> StatusOr<int64_t> {
    const Attribute* const config = op.find("mhlo.backend_config");
    const Attribute* const found = config == nullptr ? nullptr : op.tree().find(*config, "reduction_dim");
    if (found == nullptr || found->kind != AttributeKind::kInteger) return op.missing("reduction_dim");
    return found->integer;
  }());
  const Attribute* const called = op.find("called_computations");
  if (called == nullptr || called->elements.size() != 1) return op.missing("called_computations");
  auto attributes = std::make_shared<hlo::SortAttributes>();
  attributes->dimensions = {dimension};
  HILO_ASSIGN_OR_RETURN(attributes->to_apply, op.translator.function(op.tree().attributes[called->elements[0]].text));
  std::vector<InstructionId> operands;
  for (uint32_t i = 0; i < arrays; ++i) {
    HILO_ASSIGN_OR_RETURN(const InstructionId operand, op.operand(i));
    operands.push_back(operand);
  }
  HILO_ASSIGN_OR_RETURN(const InstructionId sorted, op.builder.add(Opcode::kSort, operands, std::move(attributes)));
  for (uint32_t i = 0; i < arrays; ++i) {
    InstructionId all = sorted;
    if (arrays > 1) {
      HILO_ASSIGN_OR_RETURN(all, op.builder.get_tuple_element(sorted, i));
    }
    HILO_ASSIGN_OR_RETURN(const Shape result, op.result_shape(i));
    auto slice = std::make_shared<hlo::SliceAttributes>();
    for (int64_t d = 0; d < result.rank(); ++d) slice->ranges.push_back({0, result.dimension(d), 1});
    HILO_ASSIGN_OR_RETURN(const InstructionId first, op.builder.add(Opcode::kSlice, {all}, std::move(slice), result));
    op.define(i, first);
  }
  return ok_status();
}

/// Translates Shardy's annotation of a value, in the frontend attribute `xla.sdy.sharding`.
Status translate_frontend_sharding(const OpContext& op) {
  const Attribute* const frontend = op.find("mhlo.frontend_attributes");
  const Attribute* const text = frontend == nullptr ? nullptr : op.tree().find(*frontend, "xla.sdy.sharding");
  if (text == nullptr) return translate_identity(op);
  HILO_ASSIGN_OR_RETURN(const std::vector<Sharding> shardings, parse_shardings(text->text));
  if (shardings.size() != 1) return invalid_argument("xla.sdy.sharding: wanted one sharding");
  HILO_ASSIGN_OR_RETURN(const InstructionId operand, op.operand(0));
  HILO_ASSIGN_OR_RETURN(const InstructionId id, add_constraint(op, operand, to_string(shardings[0])));
  op.define(0, id);
  return ok_status();
}

/// Translates the beginning or end of a manual computation. On one device, parts equal wholes.
Status translate_part(const OpContext& op) {
  for (uint32_t i = 0; i < op.operation.results.count; ++i) {
    HILO_ASSIGN_OR_RETURN(const InstructionId operand, op.operand(i));
    HILO_ASSIGN_OR_RETURN(const Shape result, op.result_shape(i));
    if (op.builder.shape(operand) != result)
      return unimplemented(
          "manual computations over several devices as custom calls are not supported. Hint: export with "
          "sdy.manual_computation");
  }
  return translate_identity(op);
}

/// Translates ApproxTopK with an additional operand for the number of elements.
Status translate_dynamic_approx_top_k(const OpContext& op) {
  OpContext inner = op;
  inner.operand_limit = 2 * op.operation.results.count;
  return translate_approx_top_k(inner);
}

/// Returns the call as `operation` of its first operand. The second operand has the sizes that the results' types leave
/// open.
StatusOr<OpContext> as_operation(const OpContext& op, std::string_view operation) {
  if (op.operand_count() != 2 || op.operation.results.count != 2)
    return invalid_argument(
        fmt::format("got {} operands and {} results; wanted 2 and 2", op.operand_count(), op.operation.results.count));
  OpContext inner{op.translator, op.builder, op.operation, *find_row(operation)};
  inner.operand_limit = 1;
  return inner;
}

/// Translates rng_bit_generator with an operand for the sizes.
Status translate_dynamic_random_bits(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(OpContext inner, as_operation(op, "stablehlo.rng_bit_generator"));
  if (has_unknown_sizes(op)) {
    HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, constant_operand(op, 1));
    inner.sizes = {op.result_type(0).dimensions, sizes};
  }
  return inner.row.translate(inner);
}

/// Translates top_k with an operand for the number of elements.
Status translate_dynamic_top_k(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(OpContext inner, as_operation(op, "chlo.top_k"));
  if (has_unknown_sizes(op)) {
    HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> k, constant_operand(op, 1));
    HILO_ASSIGN_OR_RETURN(const InstructionId operand, op.operand(0));
    const Shape shape = op.builder.shape(operand);
    if (k.size() != 1 || !shape.is_array() || shape.rank() == 0)
      return invalid_argument("wanted an array of rank 1 or more, and a number");
    std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
    sizes.back() = k[0];
    inner.sizes = {sizes, sizes};
  }
  return inner.row.translate(inner);
}

/// Returns the first operand; the other operands are its sizes.
Status translate_first(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionId operand, op.operand(0));
  op.define(0, operand);
  return ok_status();
}

struct KnownCall {
  std::string_view target;
  Handler translate;
};
constexpr KnownCall kKnownCalls[] = {
    {"ApproxTopK", translate_approx_top_k},
    {"InspectSharding", translate_look},
    {"LayoutConstraint", translate_identity},
    {"MoveToDevice", translate_identity},
    {"MoveToHost", translate_identity},
    {"SPMDFullToShardShape", translate_full_to_shard},
    {"SPMDShardToFullShape", translate_shard_to_full},
    {"ShardBarrierFrom", translate_identity},
    {"ShardBarrierTo", translate_identity},
    {"Sharding", translate_sharding_note},
    {"annotate_device_placement", translate_identity},
    {"cpu_csr_sparse_dense_ffi", translate_sparse_product},
    {kSink, translate_nothing},
    {"stablehlo.dynamic_approx_top_k", translate_dynamic_approx_top_k},
    {"stablehlo.dynamic_reduce_window", translate_dynamic_window},
    {"stablehlo.dynamic_rng_bit_generator", translate_dynamic_random_bits},
    {"stablehlo.dynamic_top_k", translate_dynamic_top_k},
    {"stablehlo.shape_refinement_operand_wrapper", translate_first},
    {"xla.sdy.FuncResultSharding", translate_frontend_sharding},
    {"xla.sdy.GlobalToLocalShape", translate_part},
    {"xla.sdy.LocalToGlobalShape", translate_part},
    {"xla.sdy.PropagationBarrier", translate_identity},
    {"xla.sdy.Sharding", translate_frontend_sharding},
    {"xla.sdy.ShardingGroup", translate_nothing},
};

}  // namespace

Handler known_custom_call(std::string_view target) {
  for (const KnownCall& call : kKnownCalls) {
    if (call.target == target) return call.translate;
  }
  return nullptr;
}

}  // namespace hilo::stablehlo
