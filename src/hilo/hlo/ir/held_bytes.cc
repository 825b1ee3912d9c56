// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ir/held_bytes.h"

#include <unordered_set>

namespace hilo::hlo {
namespace {

constexpr int64_t kAttributes = 128;  // bytes of an attribute struct and its reference count

int64_t bytes_of_instruction(const Instruction& instruction) {
  int64_t bytes = sizeof(Instruction) + static_cast<int64_t>(instruction.name.capacity()) +
                  static_cast<int64_t>(instruction.operands.size_bytes());
  if (instruction.attributes == nullptr) return bytes;
  for (const AttributeField& field : instruction.def().attributes.fields) {
    if (field.kind != FieldKind::kLiteral) continue;
    for (const Shape& leaf : field_value<Literal>(field, *instruction.attributes).shape().leaves())
      bytes += leaf.byte_size();
  }
  return bytes + kAttributes;
}

}  // namespace

int64_t held_bytes(const ComputationPtr& computation) {
  if (computation == nullptr) return 0;
  int64_t bytes = 0;
  std::unordered_set<const Computation*> seen = {computation.get()};
  std::vector<const Computation*> waiting = {computation.get()};
  while (!waiting.empty()) {
    const Computation* next = waiting.back();
    waiting.pop_back();
    for (const Instruction& i : next->instructions()) {
      bytes += bytes_of_instruction(i);
      for (const ComputationPtr& called : called_computations(i)) {
        if (seen.insert(called.get()).second) waiting.push_back(called.get());
      }
    }
  }
  return bytes;
}

}  // namespace hilo::hlo
