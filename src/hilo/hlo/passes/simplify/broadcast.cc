// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/simplify/dimensions.h"
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {

InstructionId simplify_broadcast(RewriteBuilder& b, const RewriteNode& n) {
  const InstructionId x = n.operand(0);
  const RewriteNode& from = b.node(x);
  const Int64List& dimensions = attributes_of<BroadcastAttributes>(n).dimensions;
  // The shape stays -> x.
  if (from.shape == n.shape && is_identity_order(dimensions)) return x;
  // broadcast(broadcast(x)) -> broadcast(x).
  if (from.opcode == Opcode::kBroadcast) {
    Int64List composed = attributes_of<BroadcastAttributes>(from).dimensions;
    for (int64_t& d : composed) d = dimensions[d];
    return broadcast(b, from.operand(0), std::move(composed), n.shape);
  }
  // broadcast(iota) -> iota.
  if (from.opcode == Opcode::kIota) {
    const int64_t at = dimensions[attributes_of<IotaAttributes>(from).dimension];
    return b.add(Opcode::kIota, {}, make<IotaAttributes>([&](auto& a) { a.dimension = at; }), n.shape);
  }
  // Only inserts dimensions of size 1, in the same order -> reshape.
  const bool keeps_order = std::is_sorted(dimensions.begin(), dimensions.end());
  if (keeps_order && from.shape.element_count() == n.shape.element_count() && n.shape.element_count() != 0 &&
      !from.shape.is_scalar()) {
    return b.add(Opcode::kReshape, {x}, nullptr, n.shape);
  }
  return kNoInstruction;
}

}  // namespace hilo::hlo
