// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/collective_shapes.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/ops/checks.h"
#include "hilo/hlo/ops/collective.h"
#include "hilo/hlo/ops/dimension_checks.h"
#include "hilo/types/checked.h"

namespace hilo::hlo {
namespace {

/// The ids that groups may have.
enum class GroupRule : uint8_t {
  kAnyIds,    ///< some replicas may be in no group
  kEveryone,  ///< all ids from 0 on, each once
  kUniform,   ///< as kEveryone, and all groups have the same size
};

size_t id_count(const Int64Lists& groups) {
  size_t count = 0;
  for (const Int64List& group : groups) count += group.size();
  return count;
}

Status check_groups(const CollectiveAttributes& attributes, GroupRule rule) {
  const Int64Lists& groups = attributes.replica_groups;
  const auto fail = [](std::string text) { return invalid_argument("replica_groups: " + std::move(text)); };
  const int64_t count = id_count(groups);
  Int64List ids;
  for (const Int64List& group : groups) {
    if (group.empty()) return fail("a group is empty");
    for (int64_t id : group) {
      // all_reduce_c3, all_gather_c4, all_to_all_c7, reduce_scatter_c5, collective_broadcast_c2
      if (id < 0 || (rule != GroupRule::kAnyIds && id >= count)) {
        return fail(fmt::format("{} is out of range; wanted {}", id,
                                rule == GroupRule::kAnyIds
                                    ? std::string("a number from 0 on")
                                    : fmt::format("each of the ids 0 to {} once; got {} ids", count - 1, count)));
      }
      ids.push_back(id);
    }
    if (rule == GroupRule::kUniform && group.size() != groups[0].size()) {
      return fail(
          fmt::format("groups differ in size; got {} and {}", list_to_string(groups[0]), list_to_string(group)));
    }
  }
  std::ranges::sort(ids);
  // all_reduce_c1, all_gather_c2, all_to_all_c5, reduce_scatter_c3, collective_broadcast_c1
  if (const auto twice = std::ranges::adjacent_find(ids); twice != ids.end())
    return fail(fmt::format("{} appears twice in the groups", *twice));
  // all_reduce_c4, all_gather_c5, reduce_scatter_c6
  if (attributes.use_global_device_ids && attributes.channel_id <= 0) {
    return invalid_argument(
        fmt::format("use_global_device_ids: needs a channel_id above 0; got {}", attributes.channel_id));
  }
  return ok_status();
}

Status check_has_operands(const ShapeRuleInput& input) {
  return input.operands.empty() ? invalid_argument("got no operands, wanted at least one") : ok_status();
}

std::vector<Shape> row_major(std::span<const Shape> shapes) {
  std::vector<Shape> results;
  for (const Shape& shape : shapes) results.push_back(shape.with_default_layout());
  return results;
}

/// Checks that the reducer's parameters and result are scalars of the operands' type. all_reduce_c5, reduce_scatter_c7
Status check_reducer(const ShapeRuleInput& input, const ComputationPtr& to_apply) {
  for (const Shape& operand : input.operands) {
    const Shape scalar = Shape::scalar(operand.element_type());
    HILO_RETURN_IF_ERROR(check_called("to_apply", to_apply, std::array{scalar, scalar}, scalar));
  }
  return ok_status();
}

Status check_one_dimension(const Int64List& dimensions, std::span<const Shape> operands) {
  if (dimensions.size() != 1) {
    return invalid_argument(fmt::format("dimensions: got {}, wanted exactly one", list_to_string(dimensions)));
  }
  for (const Shape& operand : operands) HILO_RETURN_IF_ERROR(check_dimension("dimensions", dimensions[0], operand));
  return ok_status();
}

/// Returns the size of a group: that of the groups, or without groups the ratio of the sizes before and after.
StatusOr<int64_t> group_size(const ShapeRuleInput& input, int64_t dimension, bool grows) {
  const Int64Lists& groups = attributes_of<CollectiveAttributes>(input).replica_groups;
  if (!groups.empty()) return std::ssize(groups[0]);
  if (input.declared == nullptr)
    return invalid_argument(
        "the result's shape must be stated if replica_groups={} leaves the number of replicas open");
  const Shape& result = input.declared->is_tuple() && input.declared->tuple_size() > 0
                            ? input.declared->tuple_element(0)
                            : *input.declared;
  if (!result.is_array() || result.rank() != input.operands[0].rank()) {
    return invalid_argument(
        fmt::format("the result is {}, wanted the rank of {}", result.to_string(), input.operands[0].to_string()));
  }
  const int64_t before = input.operands[0].dimension(dimension), after = result.dimension(dimension);
  const int64_t large = grows ? after : before, small = grows ? before : after;
  if (large == 0 && small == 0) return 1;
  if (small == 0 || large % small != 0) {
    return invalid_argument(fmt::format("dimension {} is {} in the operand and {} in the result; wanted a multiple",
                                        dimension, before, after));
  }
  return large / small;
}

/// Returns the operands' shapes with `dimension` multiplied or divided by `factor`.
StatusOr<Shape> with_scaled_dimension(const ShapeRuleInput& input, int64_t dimension, int64_t factor, bool grows) {
  std::vector<Shape> results;
  for (const Shape& operand : input.operands) {
    std::vector<int64_t> sizes(operand.dimensions().begin(), operand.dimensions().end());
    int64_t& size = sizes[dimension];
    if (!grows && size % factor != 0) {  // reduce_scatter_c1
      return invalid_argument(fmt::format("dimension {} of {} isn't divisible by the {} members of a group", dimension,
                                          operand.to_string(), factor));
    }
    const auto scaled = grows ? checked_mul(size, factor) : std::optional(size / factor);
    if (!scaled) return invalid_argument(fmt::format("dimension {} of the result doesn't fit int64", dimension));
    size = *scaled;
    HILO_ASSIGN_OR_RETURN(const Shape result, Shape::make_array(operand.element_type(), sizes));
    results.push_back(result);
  }
  return one_or_tuple(results);
}

}  // namespace

StatusOr<Shape> infer_all_reduce(const ShapeRuleInput& input) {
  HILO_RETURN_IF_ERROR(check_has_operands(input));
  HILO_RETURN_IF_ERROR(check_groups(attributes_of<CollectiveAttributes>(input), GroupRule::kEveryone));
  HILO_RETURN_IF_ERROR(check_reducer(input, attributes_of<AllReduceAttributes>(input).to_apply));
  return one_or_tuple(row_major(input.operands));  // all_reduce_c6, all_reduce_c7
}

StatusOr<Shape> infer_reduce_scatter(const ShapeRuleInput& input) {
  const auto& attributes = attributes_of<ReduceScatterAttributes>(input);
  HILO_RETURN_IF_ERROR(check_has_operands(input));
  HILO_RETURN_IF_ERROR(check_groups(attributes, GroupRule::kUniform));
  HILO_RETURN_IF_ERROR(check_one_dimension(attributes.dimensions, input.operands));  // reduce_scatter_c2
  HILO_RETURN_IF_ERROR(check_reducer(input, attributes.to_apply));
  HILO_ASSIGN_OR_RETURN(const int64_t members, group_size(input, attributes.dimension(), false));
  return with_scaled_dimension(input, attributes.dimension(), members, false);  // reduce_scatter_c8, reduce_scatter_c9
}

StatusOr<Shape> infer_all_gather(const ShapeRuleInput& input) {
  const auto& attributes = attributes_of<AllGatherAttributes>(input);
  HILO_RETURN_IF_ERROR(check_has_operands(input));
  HILO_RETURN_IF_ERROR(check_groups(attributes, GroupRule::kUniform));
  HILO_RETURN_IF_ERROR(check_one_dimension(attributes.dimensions, input.operands));  // all_gather_c1
  HILO_ASSIGN_OR_RETURN(const int64_t members, group_size(input, attributes.dimension(), true));
  return with_scaled_dimension(input, attributes.dimension(), members, true);  // all_gather_c6
}

StatusOr<Shape> infer_all_to_all(const ShapeRuleInput& input) {
  const auto& attributes = attributes_of<AllToAllAttributes>(input);
  HILO_RETURN_IF_ERROR(check_has_operands(input));
  HILO_RETURN_IF_ERROR(check_groups(attributes, GroupRule::kUniform));
  const Int64Lists& groups = attributes.replica_groups;
  if (attributes.dimensions.empty()) {
    if (!groups.empty() && groups[0].size() != input.operands.size()) {  // all_to_all_c8
      return invalid_argument(fmt::format("got {} operands for the {} members of a group; wanted one each",
                                          input.operands.size(), groups[0].size()));
    }
    for (const Shape& operand : input.operands) {
      if (operand.compatible(input.operands[0])) continue;
      return invalid_argument(fmt::format("operands differ in shape; got {}", shapes_to_string(input.operands)));
    }
    return Shape::tuple(row_major(input.operands));
  }
  if (input.operands.size() != 1) {
    return invalid_argument(fmt::format("got {} operands, wanted 1 if there are dimensions", input.operands.size()));
  }
  HILO_RETURN_IF_ERROR(check_one_dimension(attributes.dimensions, input.operands));  // all_to_all_c1, all_to_all_c3
  const int64_t size = input.operands[0].dimension(attributes.dimensions[0]);
  if (!groups.empty() && size % std::ssize(groups[0]) != 0) {  // all_to_all_c2
    return invalid_argument(fmt::format("dimension {} of {} isn't divisible by the {} members of a group",
                                        attributes.dimensions[0], input.operands[0].to_string(), groups[0].size()));
  }
  return input.operands[0].with_default_layout();  // all_to_all_c9
}

StatusOr<Shape> infer_collective_permute(const ShapeRuleInput& input) {
  HILO_RETURN_IF_ERROR(check_has_operands(input));
  Int64List sources, targets;
  for (const auto& [source, target] : attributes_of<CollectivePermuteAttributes>(input).source_target_pairs) {
    if (source < 0 || target < 0) {  // collective_permute_c4
      return invalid_argument(
          fmt::format("source_target_pairs: {{{},{}}} is out of range; wanted numbers from 0 on", source, target));
    }
    sources.push_back(source);
    targets.push_back(target);
  }
  const auto check_unique = [](std::string_view what, Int64List ids) -> Status {
    std::ranges::sort(ids);
    const auto twice = std::ranges::adjacent_find(ids);
    if (twice == ids.end()) return ok_status();
    return invalid_argument(fmt::format("source_target_pairs: {} is {} twice", *twice, what));
  };
  HILO_RETURN_IF_ERROR(check_unique("source", std::move(sources)));  // collective_permute_c2
  HILO_RETURN_IF_ERROR(check_unique("target", std::move(targets)));  // collective_permute_c3
  return one_or_tuple(row_major(input.operands));                    // collective_permute_c5
}

StatusOr<Shape> infer_collective_broadcast(const ShapeRuleInput& input) {
  HILO_RETURN_IF_ERROR(check_has_operands(input));
  HILO_RETURN_IF_ERROR(check_groups(attributes_of<CollectiveAttributes>(input), GroupRule::kAnyIds));
  return one_or_tuple(row_major(input.operands));  // collective_broadcast_c3
}

StatusOr<Shape> infer_id(const ShapeRuleInput&) { return Shape::scalar(ElementType::kU32); }

}  // namespace hilo::hlo
