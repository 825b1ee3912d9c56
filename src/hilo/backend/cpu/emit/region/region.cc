// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/region/region.h"

#include <llvm/IR/Module.h>

#include "hilo/backend/cpu/emit/jit.h"
#include "hilo/backend/cpu/emit/region/facts.h"
#include "hilo/backend/cpu/emit/region/loop_forms.h"
#include "hilo/backend/cpu/emit/region/nodes.h"

namespace hilo::cpu {
namespace {

using llvm::Value;

/// Emits the code inside the loops over the outer dimensions.
void emit_inside(RegionState& s) {
  load_row_columns(s);
  if (s.region.has_row()) row_stages(s);
  store_row_columns(s);
  store_outputs(s, false, 0);
}

/// Emits the loop over outer dimension k, in the form that fits it, including its contents.
void emit_outer(RegionState& s, const RegionCall& call, size_t k) {
  if (k == s.region.row_begin) return emit_inside(s);
  Value* const from = k == 0 ? call.begin : s.scalar.index(0);
  Value* const to = k == 0 ? call.end : s.extent(k);
  const size_t vectors = s.facts.shape.vector_dimension;
  const auto inside_of = [&](size_t innermost) {
    return [&s, &call, innermost] {
      emit_level(s, static_cast<int>(innermost));
      emit_outer(s, call, innermost + 1);
    };
  };
  if (s.facts.shape.block_rows > 1 && k == block_dimension(s.region)) return block_loops(s, from, to);
  if (k + 1 == vectors && is_transposing(s)) return tile_loops(s, from, to, inside_of(vectors));
  if (s.is_folded() && s.is_vector(k)) return folded_loop(s, from, to, inside_of(k + 1));
  if (!s.facts.cuts[k].empty()) return cut_loop(s, k, from, to, inside_of(k));
  plain_loop(s, k, from, to, s.is_vector(k) ? s.facts.shape.lanes : 1, inside_of(k));
}

StatusOr<Values> emit_loops_of(llvm::IRBuilder<>& ir, Isa isa, const Region& region, RegionFacts facts,
                               RegionCall call) {
  RegionState s(ir, isa, region, std::move(facts), std::move(call.buffers), std::move(call.known));
  make_tiles(s);
  make_row_columns(s);
  emit_level(s, -1);
  emit_outer(s, call, 0);
  HILO_RETURN_IF_ERROR(s.status);
  return std::move(s.stored);
}

}  // namespace

StatusOr<Values> emit_loops(llvm::IRBuilder<>& ir, Isa isa, const Region& region, RegionCall call) {
  const std::optional<engine::RegionColumns> columns = columns_of(region, isa);
  if (!columns) return emit_loops_of(ir, isa, region, analyse_region(region, isa), std::move(call));
  const size_t inputs = region.inputs.size();
  RegionCall by_column{{call.buffers.begin(), call.buffers.begin() + std::ssize(region.inputs)}, call.begin, call.end};
  by_column.known = std::move(call.known);
  for (uint32_t output : columns->outputs) by_column.buffers.push_back(call.buffers[inputs + output]);
  RegionFacts facts = analyse_columns(columns->region, isa);
  HILO_RETURN_IF_ERROR(emit_loops_of(ir, isa, columns->region, std::move(facts), std::move(by_column)).status());
  return Values(region.outputs.size());
}

Status emit_region(llvm::Module& module, Isa isa, const Region& region, const std::string& name) {
  llvm::IRBuilder<> ir(module.getContext());
  llvm::Type* pointer = ir.getPtrTy();
  auto* function = begin_function(ir, module, name, ir.getVoidTy(), {pointer, ir.getInt64Ty(), ir.getInt64Ty()});
  RegionCall call{{}, function->getArg(1), function->getArg(2)};
  for (size_t k = 0; k < region.inputs.size() + region.outputs.size(); ++k) {
    call.buffers.push_back(ir.CreateLoad(pointer, ir.CreateConstGEP1_64(pointer, function->getArg(0), k)));
  }
  HILO_RETURN_IF_ERROR(emit_loops(ir, isa, region, std::move(call)).status());
  ir.CreateRetVoid();
  return ok_status();
}

StatusOr<std::string> region_text(const Region& region, Isa isa) {
  return module_text("region", isa, [&](llvm::Module& module) { return emit_region(module, isa, region, "region"); });
}

}  // namespace hilo::cpu
