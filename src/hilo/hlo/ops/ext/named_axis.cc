// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/named_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "hilo/base/text.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ir/module.h"
#include "hilo/hlo/ops/op_sharding.h"

namespace hilo::hlo {
namespace {

template <typename... More>
constexpr auto with_axis_fields(const More&... more) {
  return std::array<AttributeField, 2 + sizeof...(More)>{
      field<&NamedAxisAttributes::axis_name>("axis_name", FieldShow::kAlways),
      field<&NamedAxisAttributes::axis_size>("axis_size", FieldShow::kAlways),
      more...,
  };
}
constexpr auto kAxisFields = with_axis_fields();
constexpr auto kAllGatherFields =
    with_axis_fields(field<&NamedAllGatherAttributes::dimension>("dimension", FieldShow::kAlways));
constexpr auto kPpermuteFields =
    with_axis_fields(field<&PpermuteAttributes::permutation>("permutation", FieldShow::kAlways));
constexpr auto kPsumScatterFields =
    with_axis_fields(field<&PsumScatterAttributes::dimension>("dimension", FieldShow::kAlways));
constexpr auto kAllToAllFields =
    with_axis_fields(field<&NamedAllToAllAttributes::split>("split", FieldShow::kAlways),
                     field<&NamedAllToAllAttributes::concat>("concat", FieldShow::kAlways));

Status check_axis(const ShapeRuleInput& input) {
  const NamedAxisAttributes& axis = attributes_of<NamedAxisAttributes>(input);
  if (!axis.axis_name.empty() && axis.axis_size > 0) return ok_status();
  return invalid_argument(
      fmt::format("axis {} of size {}; wanted a name and a size above 0", quote(axis.axis_name), axis.axis_size));
}

StatusOr<Shape> infer_named_axis(const ShapeRuleInput& input) {
  HILO_RETURN_IF_ERROR(check_axis(input));
  return input.operands[0].with_default_layout();
}

StatusOr<Shape> infer_axis_index(const ShapeRuleInput& input) {
  HILO_RETURN_IF_ERROR(check_axis(input));
  return Shape::scalar(ElementType::kS32);
}

StatusOr<Shape> infer_all_gather(const ShapeRuleInput& input) {
  HILO_RETURN_IF_ERROR(check_axis(input));
  const int64_t dimension = attributes_of<NamedAllGatherAttributes>(input).dimension;
  const Shape& operand = input.operands[0];
  if (dimension < 0 || dimension > operand.rank()) {
    return invalid_argument(fmt::format("dimension {} is out of range; wanted 0 to {} for {}", dimension,
                                        operand.rank(), operand.to_string()));
  }
  std::vector<int64_t> sizes(operand.dimensions().begin(), operand.dimensions().end());
  sizes.insert(sizes.begin() + dimension, attributes_of<NamedAxisAttributes>(input).axis_size);
  return Shape::make_array(operand.element_type(), sizes);
}

/// Returns the operand's sizes without the dimension that has a slice for each member.
StatusOr<std::vector<int64_t>> sizes_without(const ShapeRuleInput& input, std::string_view field, int64_t dimension) {
  const Shape& operand = input.operands[0];
  const int64_t members = attributes_of<NamedAxisAttributes>(input).axis_size;
  if (dimension < 0 || dimension >= operand.rank() || operand.dimension(dimension) != members) {
    return invalid_argument(fmt::format("{}: {} of {} is no dimension of {} slices, one for each member of axis {}",
                                        field, dimension, operand.to_string(), members,
                                        quote(attributes_of<NamedAxisAttributes>(input).axis_name)));
  }
  std::vector<int64_t> sizes(operand.dimensions().begin(), operand.dimensions().end());
  sizes.erase(sizes.begin() + dimension);
  return sizes;
}

StatusOr<Shape> infer_psum_scatter(const ShapeRuleInput& input) {
  HILO_RETURN_IF_ERROR(check_axis(input));
  const int64_t dimension = attributes_of<PsumScatterAttributes>(input).dimension;
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, sizes_without(input, "dimension", dimension));
  return Shape::make_array(input.operands[0].element_type(), sizes);
}

StatusOr<Shape> infer_all_to_all(const ShapeRuleInput& input) {
  HILO_RETURN_IF_ERROR(check_axis(input));
  const auto& attributes = attributes_of<NamedAllToAllAttributes>(input);
  HILO_ASSIGN_OR_RETURN(std::vector<int64_t> sizes, sizes_without(input, "split", attributes.split));
  if (attributes.concat < 0 || attributes.concat > std::ssize(sizes)) {
    return invalid_argument(fmt::format("concat {} is out of range; wanted 0 to {} for {}", attributes.concat,
                                        sizes.size(), input.operands[0].to_string()));
  }
  sizes.insert(sizes.begin() + attributes.concat, attributes.axis_size);
  return Shape::make_array(input.operands[0].element_type(), sizes);
}

StatusOr<Shape> infer_ppermute(const ShapeRuleInput& input) {
  HILO_RETURN_IF_ERROR(check_axis(input));
  const auto& attributes = attributes_of<PpermuteAttributes>(input);
  std::unordered_set<int64_t> sends, receives;
  for (const auto& [source, target] : attributes.permutation) {
    const auto in_axis = [&](int64_t id) { return id >= 0 && id < attributes.axis_size; };
    if (!in_axis(source) || !in_axis(target)) {
      return invalid_argument(fmt::format("permutation: ({}, {}) is out of range for axis {} of size {}", source,
                                          target, quote(attributes.axis_name), attributes.axis_size));
    }
    if (!sends.insert(source).second || !receives.insert(target).second) {
      return invalid_argument(fmt::format(
          "permutation: sources and destinations must be unique; ({}, {}) has one that came before", source, target));
    }
  }
  return input.operands[0].with_default_layout();
}

Status unbound(const Instruction& instruction) {
  return invalid_argument(fmt::format(
      "unbound axis name: {}. Hint: {} needs a surrounding vmap or pmap with that axis_name",
      named_axis_of(instruction.opcode, instruction.attributes.get())->axis_name, opcode_name(instruction.opcode)));
}

StatusOr<Literal> evaluate_one_device(const EvaluateInput& input) { return unbound(input.instruction); }
StatusOr<ComputationPtr> decompose_one_device(const Instruction& instruction, std::span<const Shape>) {
  return unbound(instruction);
}

template <typename T>
OpDef named_axis_def(Opcode opcode, std::string_view name, TypeSet types,
                     StatusOr<Shape> (*infer_shape)(const ShapeRuleInput&), std::span<const AttributeField> fields,
                     std::string_view spec, OpSharding sharding = kUnshared) {
  return {.opcode = opcode,
          .name = name,
          .arity = opcode == kExtAxisIndex ? 0 : 1,
          .operand_types = types,
          .traits = kExtension,
          .cost = CostClass::kHero,
          .sharding = sharding,
          .infer_shape = infer_shape,
          .attributes = attributes_def<T>(fields),
          .evaluate = evaluate_one_device,
          .decompose = decompose_one_device,
          .spec = spec};
}

}  // namespace

HILO_DEFINE_OP(ext_psum_op, named_axis_def<NamedAxisAttributes>(kExtPsum, "hilo.psum", kNumeric, infer_named_axis,
                                                                kAxisFields, "jax.lax.psum", kPointwiseWhole))
HILO_DEFINE_OP(ext_pmax_op, named_axis_def<NamedAxisAttributes>(kExtPmax, "hilo.pmax", kAnyOrdered, infer_named_axis,
                                                                kAxisFields, "jax.lax.pmax", kPointwiseWhole))
HILO_DEFINE_OP(ext_pmin_op, named_axis_def<NamedAxisAttributes>(kExtPmin, "hilo.pmin", kAnyOrdered, infer_named_axis,
                                                                kAxisFields, "jax.lax.pmin", kPointwiseWhole))
HILO_DEFINE_OP(ext_all_gather_op,
               named_axis_def<NamedAllGatherAttributes>(kExtAllGather, "hilo.all_gather", kAnyArray, infer_all_gather,
                                                        kAllGatherFields, "jax.lax.all_gather"))
HILO_DEFINE_OP(ext_ppermute_op,
               named_axis_def<PpermuteAttributes>(kExtPpermute, "hilo.ppermute", kAnyArray, infer_ppermute,
                                                  kPpermuteFields, "jax.lax.ppermute", kPointwiseWhole))
HILO_DEFINE_OP(ext_psum_scatter_op,
               named_axis_def<PsumScatterAttributes>(kExtPsumScatter, "hilo.psum_scatter", kNumeric, infer_psum_scatter,
                                                     kPsumScatterFields, "jax.lax.psum_scatter"))
HILO_DEFINE_OP(ext_all_to_all_op,
               named_axis_def<NamedAllToAllAttributes>(kExtAllToAll, "hilo.all_to_all", kAnyArray, infer_all_to_all,
                                                       kAllToAllFields, "jax.lax.all_to_all"))
HILO_DEFINE_OP(ext_axis_index_op,
               named_axis_def<NamedAxisAttributes>(kExtAxisIndex, "hilo.axis_index", kAnyArray, infer_axis_index,
                                                   kAxisFields, "jax.lax.axis_index"))

const NamedAxisAttributes* named_axis_of(Opcode opcode, const Attributes* attributes) {
  if (opcode < kExtPsum || opcode > kExtAxisIndex) return nullptr;
  return static_cast<const NamedAxisAttributes*>(attributes);
}

bool uses_axis(const ComputationPtr& computation, std::string_view axis_name) {
  const std::vector<ComputationPtr> all = computations_of(computation);
  return std::ranges::any_of(all, [&](const ComputationPtr& c) {
    return std::ranges::any_of(c->instructions(), [&](const Instruction& i) {
      const NamedAxisAttributes* axis = named_axis_of(i.opcode, i.attributes.get());
      return axis != nullptr && axis->axis_name == axis_name;
    });
  });
}

}  // namespace hilo::hlo
