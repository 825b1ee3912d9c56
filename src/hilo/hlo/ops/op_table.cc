// SPDX-License-Identifier: Apache-2.0
// hlo/ops/op_table.cc -- the one table from opcodes to their definitions, expanded from the three op lists.
#include <array>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/collective.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/convolution.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/ext/async.h"
#include "hilo/hlo/ops/ext/batch_norm.h"
#include "hilo/hlo/ops/ext/cumulative.h"
#include "hilo/hlo/ops/ext/custom_rules.h"
#include "hilo/hlo/ops/ext/custom_vjp.h"
#include "hilo/hlo/ops/ext/dynamic_shape.h"
#include "hilo/hlo/ops/ext/elementwise.h"
#include "hilo/hlo/ops/ext/fma.h"
#include "hilo/hlo/ops/ext/fusion.h"
#include "hilo/hlo/ops/ext/known_calls.h"
#include "hilo/hlo/ops/ext/linalg.h"
#include "hilo/hlo/ops/ext/map.h"
#include "hilo/hlo/ops/ext/named_axis.h"
#include "hilo/hlo/ops/ext/ragged_dot.h"
#include "hilo/hlo/ops/ext/rng.h"
#include "hilo/hlo/ops/ext/scaled_dot.h"
#include "hilo/hlo/ops/ext/scan.h"
#include "hilo/hlo/ops/ext/select_and_gather_add.h"
#include "hilo/hlo/ops/ext/stochastic_convert.h"
#include "hilo/hlo/ops/ext/stop_gradient.h"
#include "hilo/hlo/ops/ext/xla_scan.h"
#include "hilo/hlo/ops/fft.h"
#include "hilo/hlo/ops/gather.h"
#include "hilo/hlo/ops/linalg.h"
#include "hilo/hlo/ops/not_yet.h"
#include "hilo/hlo/ops/random.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/reduce_window.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/scatter.h"
#include "hilo/hlo/ops/select_and_scatter.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/hlo/ops/sort.h"
#include "hilo/hlo/ops/top_k.h"
#include "hilo/hlo/ops/transfer.h"

namespace hilo::hlo {
namespace {

using OpTable = std::array<const OpDef*, kOpcodeCount>;

const OpDef* entry(Opcode, std::string_view, const OpDef& (*definition)()) { return &definition(); }
const OpDef* entry(Opcode opcode, std::string_view name, const OpDef& (*definition)(Opcode, std::string_view)) {
  return &definition(opcode, name);
}
const OpDef* entry(Opcode opcode, std::string_view, const OpDef& (*definition)(Opcode)) { return &definition(opcode); }

OpTable make_table() {
  OpTable table = {
#define HILO_ELEMENTWISE(enumerator, name, ...) entry(Opcode::k##enumerator, name, elementwise_op),
#include "hilo/hlo/ir/elementwise.inc"
#undef HILO_ELEMENTWISE
#define HILO_STRUCTURAL(enumerator, name, definition) entry(Opcode::k##enumerator, name, definition),
#include "hilo/hlo/ir/structural.inc"
#undef HILO_STRUCTURAL
#define HILO_EXTENSION(enumerator, name) &ext_##name##_op(),
#define HILO_EXTENSION_ELEMENTWISE(enumerator, name, ...) &ext_##name##_op(),
#include "hilo/hlo/ir/extensions.inc"
  };
  table[static_cast<size_t>(Opcode::kCustomCall)] = &custom_or_known_call_op();  // which needs what stands above ops
  return table;
}

}  // namespace

const OpDef& op_def(Opcode opcode) {
  static const OpTable table = make_table();
  return *table[static_cast<size_t>(opcode)];
}

}  // namespace hilo::hlo
