// SPDX-License-Identifier: Apache-2.0
// hlo/ops/collective_shapes.h -- shape rules of collectives. In shape rules, comments such as "all_reduce_c1" name
// constraints of the StableHLO specification.
#pragma once

#include "hilo/hlo/ir/op_def.h"

namespace hilo::hlo {

StatusOr<Shape> infer_all_reduce(const ShapeRuleInput& input);
StatusOr<Shape> infer_reduce_scatter(const ShapeRuleInput& input);
StatusOr<Shape> infer_all_gather(const ShapeRuleInput& input);
StatusOr<Shape> infer_all_to_all(const ShapeRuleInput& input);
StatusOr<Shape> infer_collective_permute(const ShapeRuleInput& input);
StatusOr<Shape> infer_collective_broadcast(const ShapeRuleInput& input);
/// u32[]
StatusOr<Shape> infer_id(const ShapeRuleInput& input);

}  // namespace hilo::hlo
