// SPDX-License-Identifier: Apache-2.0
// Custom calls of GSPMD for shardings. @Sharding states one. Between @SPMDFullToShardShape and @SPMDShardToFullShape
// devices work on their parts.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "hilo/stablehlo/devices/op_sharding.h"
#include "hilo/stablehlo/translate/calls.h"
#include "hilo/stablehlo/translate/data.h"
#include "hilo/stablehlo/translate/device_parts.h"
#include "hilo/stablehlo/translate/plain.h"

namespace hilo::stablehlo {

using hlo::InstructionId;

namespace {

constexpr std::string_view kOpenDimensions = "unspecified_dims=[";

/// Returns the sharding in the operation's mhlo.sharding for an array of this rank.
StatusOr<OpSharding> sharding_attribute_of(const ModuleTree& tree, const Operation& operation, int64_t rank) {
  const Attribute* const attribute = tree.find(operation, kOpSharding);
  if (attribute == nullptr) return invalid_argument(fmt::format("attribute '{}' is missing", kOpSharding));
  return read_op_sharding(attribute->text, rank);
}

/// Opens dimensions for propagation: `unspecified_dims=[0,1]` in the call's configuration.
Status open_dimensions(std::string_view config, Sharding& sharding) {
  const size_t found = config.find(kOpenDimensions);
  if (found == std::string_view::npos) return ok_status();
  const char* at = config.data() + found + kOpenDimensions.size();
  const char* const end = config.data() + config.size();
  while (at < end && *at != ']') {
    int64_t dimension = -1;
    const auto [stop, error] = std::from_chars(at, end, dimension);
    if (error != std::errc() || dimension < 0 || dimension >= std::ssize(sharding.dimensions))
      return invalid_argument(fmt::format("backend_config '{}': wanted dimensions of the operand", config));
    sharding.dimensions[dimension].open = true;
    at = stop < end && *stop == ',' ? stop + 1 : stop;
  }
  return ok_status();
}

/// Returns the sharding of `whole` into parts of shape `part`. A dimension with the same size in both isn't split
/// manually, even if the sharding splits it.
StatusOr<DeviceParts> parts_of(const OpContext& op, const Sharding& sharding, const Shape& whole, const Shape& part) {
  DeviceParts parts;
  Sharding cut = sharding;
  const int64_t devices = sharding.mesh.device_count(), wanted = op.translator.devices.grid.count();
  if (devices != 1 && devices != wanted)
    return unimplemented(fmt::format("a sharding over {} of {} devices", devices, wanted));
  const bool same_rank = whole.is_array() && part.is_array() && whole.rank() == part.rank();
  for (size_t d = 0; d < sharding.dimensions.size(); ++d) {
    const bool is_manual = !same_rank || whole.dimension(d) != part.dimension(d);
    if (!is_manual) cut.dimensions[d].axes.clear();
    HILO_ASSIGN_OR_RETURN(DimensionSplit split, split_dimension(sharding.mesh, cut.dimensions[d].axes));
    parts.dimensions.push_back(std::move(split));
  }
  cut.replicated.clear();  // GSPMD treats all axes as manual
  for (const MeshAxis& axis : cut.mesh.axes) {
    const auto cuts = [&](const DimensionSharding& dimension) {
      return std::ranges::find(dimension.axes, axis.name, &AxisReference::name) != dimension.axes.end();
    };
    if (std::ranges::none_of(cut.dimensions, cuts)) cut.replicated.push_back({axis.name});
  }
  parts.manual = to_string(cut);
  HILO_ASSIGN_OR_RETURN(parts.summands, split_dimension(sharding.mesh, sharding.unreduced));
  parts.reduction = sharding.reduction;
  parts.sharding = to_string(sharding);
  HILO_RETURN_IF_ERROR(check_parts(parts, whole, part));
  return parts;
}

/// On one device, parts equal wholes.
bool is_alone(const OpContext& op) { return op.translator.devices.grid.count() == 1; }

int64_t rank_of(const Shape& shape) { return shape.is_array() ? shape.rank() : 0; }

}  // namespace

Status translate_sharding_note(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionId operand, op.operand(0));
  const Shape shape = op.builder.shape(operand);
  if (op.find(kOpSharding) == nullptr || !shape.is_array()) return translate_identity(op);
  HILO_ASSIGN_OR_RETURN(OpSharding sharding, sharding_attribute_of(op.tree(), op.operation, shape.rank()));
  if (sharding.manual) return translate_identity(op);
  HILO_RETURN_IF_ERROR(open_dimensions(op.text("backend_config"), sharding.sharding));
  HILO_ASSIGN_OR_RETURN(const InstructionId id, add_constraint(op, operand, to_string(sharding.sharding)));
  op.define(0, id);
  return ok_status();
}

Status translate_full_to_shard(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionId whole, op.operand(0));
  HILO_ASSIGN_OR_RETURN(const Shape part, op.result_shape());
  const Shape shape = op.builder.shape(whole);
  if (is_alone(op) && shape == part) return translate_identity(op);
  const OperationId definer = op.tree().values[op.tree().operand(op.operation, 0)].definer;
  if (definer == kNone || op.tree().find(op.tree().operations[definer], kOpSharding) == nullptr)
    return unimplemented("the operand must be a result of @Sharding, which specifies the parts");
  HILO_ASSIGN_OR_RETURN(const OpSharding sharding,
                        sharding_attribute_of(op.tree(), op.tree().operations[definer], rank_of(shape)));
  HILO_ASSIGN_OR_RETURN(const DeviceParts parts, parts_of(op, sharding.sharding, shape, part));
  HILO_ASSIGN_OR_RETURN(const InstructionId own, cut_part(op, whole, parts, part));
  op.define(0, own);
  return ok_status();
}

Status translate_shard_to_full(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionId part, op.operand(0));
  HILO_ASSIGN_OR_RETURN(const Shape whole, op.result_shape());
  const Shape shape = op.builder.shape(part);
  if (is_alone(op) && shape == whole) return translate_identity(op);
  HILO_ASSIGN_OR_RETURN(const OpSharding sharding, sharding_attribute_of(op.tree(), op.operation, rank_of(whole)));
  HILO_ASSIGN_OR_RETURN(const DeviceParts parts, parts_of(op, sharding.sharding, whole, shape));
  HILO_ASSIGN_OR_RETURN(const InstructionId joined, join_parts(op, part, parts));
  op.define(0, joined);
  return ok_status();
}

}  // namespace hilo::stablehlo
