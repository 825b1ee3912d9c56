// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/pjrt/program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "hilo/backend/packed_elements.h"
#include "hilo/base/text.h"
#include "hilo/hlo/ir/source_lines.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/proto/writer.h"
#include "hilo/hlo/rewrite/rewrite_where.h"
#include "hilo/hlo/text/location_tables.h"
#include "hilo/stablehlo/write/write_tree.h"

namespace hilo::plugins {
namespace {

using hlo::Instruction;
using hlo::InstructionId;
using hlo::Opcode;

/// The version of StableHLO that hilo writes.
constexpr Version kOwnStablehlo = {1, 9, 0};

bool says_shardings(const Instruction& i) {
  return i.annotations != nullptr &&
         (!i.annotations->sharding.empty() || i.annotations->frontend_attributes.find("sdy") != std::string::npos);
}

/// Removes shardings from the computation: each device there has whole arrays, and XLA ends the process on a mesh that
/// it doesn't find.
StatusOr<hlo::ComputationPtr> without_shardings(const hlo::ComputationPtr& computation) {
  if (std::ranges::none_of(computation->instructions(), says_shardings)) return computation;
  hlo::ComputationDraft draft(computation->name());
  for (const Instruction& i : computation->instructions()) {
    const InstructionId id = draft.append_copy(i, i.operands);
    if (!says_shardings(i)) continue;
    hlo::Annotations annotations = *i.annotations;
    annotations.sharding.clear();
    annotations.frontend_attributes.clear();
    draft.mutable_instruction(id).annotations = std::make_shared<const hlo::Annotations>(std::move(annotations));
  }
  return std::move(draft).finish(computation->root_id());
}

/// Whether operand k is a scalar that is used as an array.
bool is_scalar_for_array(const hlo::Computation& computation, const Instruction& i, size_t k) {
  const bool may_be = (i.opcode == Opcode::kSelect && k == 0) || (i.opcode == Opcode::kClamp && k != 1);
  return may_be && i.shape.rank() > 0 && computation.instruction(i.operands[k]).shape.rank() == 0;
}

bool has_scalar_for_array(const hlo::Computation& computation, const Instruction& i) {
  for (size_t k = 0; k < i.operands.size(); ++k) {
    if (is_scalar_for_array(computation, i, k)) return true;
  }
  return false;
}

/// Broadcasts predicates of select and bounds of clamp to the shape of the result. With scalars next to arrays, some
/// compilers generate code that they reject themselves.
StatusOr<hlo::ComputationPtr> without_scalars_for_arrays(const hlo::ComputationPtr& computation) {
  const auto is_affected = [&](const Instruction& i) { return has_scalar_for_array(*computation, i); };
  const auto with_arrays = [&](hlo::RewriteBuilder& b, const Instruction& i) -> StatusOr<InstructionId> {
    std::vector<InstructionId> operands = b.mapped(i.operands);
    for (size_t k = 0; k < operands.size(); ++k) {
      if (!is_scalar_for_array(*computation, i, k)) continue;
      const Shape shape = i.shape.with_element_type(b.shape(operands[k]).element_type());
      operands[k] = b.add(Opcode::kBroadcast, {operands[k]}, std::make_shared<hlo::BroadcastAttributes>(), shape);
    }
    return b.add(i.opcode, operands, i.attributes, i.shape);
  };
  return hlo::rewrite_where(computation, {.share = false}, is_affected, with_arrays);
}

bool cuts_packed_elements(const Instruction& i) {
  if (i.opcode != Opcode::kPad || !is_packed_by_xla(i.shape.element_type())) return false;
  return std::ranges::any_of(hlo::attributes_of<hlo::PadAttributes>(i).padding,
                             [](const hlo::PaddingDimension& edge) { return edge.low < 0 || edge.high < 0; });
}

/// Replaces negative padding by padding and a slice. XLA ends the process when it changes the layout of elements
/// narrower than a byte for GPUs.
StatusOr<InstructionId> pad_and_slice(hlo::RewriteBuilder& b, const Instruction& i) {
  auto added = std::make_shared<hlo::PadAttributes>(hlo::attributes_of<hlo::PadAttributes>(i));
  auto cut = std::make_shared<hlo::SliceAttributes>();
  for (size_t d = 0; d < added->padding.size(); ++d) {
    hlo::PaddingDimension& edge = added->padding[d];
    const int64_t start = std::max<int64_t>(-edge.low, 0);
    cut->ranges.push_back({start, start + i.shape.dimensions()[d], 1});
    edge.low = std::max<int64_t>(edge.low, 0);
    edge.high = std::max<int64_t>(edge.high, 0);
  }
  return b.add(Opcode::kSlice, {b.add(Opcode::kPad, b.mapped(i.operands), added)}, cut);
}

StatusOr<hlo::ComputationPtr> without_cuts_of_packed_elements(const hlo::ComputationPtr& computation) {
  return hlo::rewrite_where(computation, {.share = false}, cuts_packed_elements, pad_and_slice);
}

// ---- Arguments and results, each one array.

bool is_flat(const hlo::Computation& entry) {
  const Shape& result = entry.result_shape();
  const auto is_tuple = [](const Shape& shape) { return shape.is_tuple(); };
  return std::ranges::none_of(entry.parameter_shapes(), is_tuple) &&
         (!result.is_tuple() || std::ranges::none_of(result.tuple_elements(), is_tuple));
}

InstructionId parameter(hlo::ComputationDraft& draft, const Shape& shape, int64_t& next, const std::string& name) {
  if (shape.is_tuple()) {
    std::vector<InstructionId> elements;
    for (const Shape& element : shape.tuple_elements()) elements.push_back(parameter(draft, element, next, name));
    return draft.append(Opcode::kTuple, shape, elements);
  }
  auto attributes = std::make_shared<hlo::ParameterAttributes>();
  attributes->number = next++;
  return draft.append(Opcode::kParameter, shape, {}, std::move(attributes), name);
}

void add_leaves(hlo::ComputationDraft& draft, InstructionId value, std::vector<InstructionId>& leaves) {
  const Shape shape = draft.instruction(value).shape;
  if (!shape.is_tuple()) return leaves.push_back(value);
  for (int64_t i = 0; i < shape.tuple_size(); ++i) {
    auto attributes = std::make_shared<hlo::GetTupleElementAttributes>();
    attributes->index = i;
    const InstructionId operands[] = {value};
    add_leaves(draft, draft.append(Opcode::kGetTupleElement, shape.tuple_element(i), operands, std::move(attributes)),
               leaves);
  }
}

/// Calls `entry` with the leaves of its arguments and returns the leaves of its result.
StatusOr<hlo::ComputationPtr> flat_entry(const hlo::ComputationPtr& entry) {
  hlo::ComputationDraft draft(entry->name() + ".flat");
  std::vector<InstructionId> arguments, leaves;
  int64_t next = 0;
  for (const InstructionId id : entry->parameters())
    arguments.push_back(parameter(draft, entry->instruction(id).shape, next, entry->instruction(id).name));
  auto attributes = std::make_shared<hlo::CallAttributes>();
  attributes->to_apply = entry;
  add_leaves(draft, draft.append(Opcode::kCall, entry->result_shape(), arguments, std::move(attributes)), leaves);
  std::vector<Shape> shapes;
  for (const InstructionId leaf : leaves) shapes.push_back(draft.instruction(leaf).shape);
  const InstructionId root = draft.append(Opcode::kTuple, Shape::tuple(shapes), leaves);
  return std::move(draft).finish(root);
}

/// Returns the number of the array at `path` among the arrays of `shape`; nullopt for a tuple.
std::optional<int64_t> leaf_at(const Shape& shape, std::span<const int64_t> path) {
  if (!shape.is_tuple()) return 0;
  if (path.empty()) return std::nullopt;
  int64_t before = 0;
  for (int64_t i = 0; i < path[0]; ++i) before += std::ssize(shape.tuple_element(i).leaves());
  const std::optional<int64_t> inside = leaf_at(shape.tuple_element(path[0]), path.subspan(1));
  return inside ? std::optional(before + *inside) : std::nullopt;
}

/// Returns the module's aliases between arrays, by the numbers of their leaves. A run decides what it donates, so all
/// of them are optional.
std::vector<hlo::Alias> leaf_aliases(const hlo::Module& module) {
  std::vector<hlo::Alias> aliases;
  const std::span<const InstructionId> parameters = module.entry->parameters();
  const Shape& result = module.entry->result_shape();
  for (const hlo::Alias& alias : module.aliases) {
    const auto shape_of = [&](int64_t i) -> const Shape& { return module.entry->instruction(parameters[i]).shape; };
    const std::optional<int64_t> leaf = leaf_at(shape_of(alias.parameter_number), alias.parameter_index);
    const std::optional<int64_t> target = leaf_at(result, alias.result_index);
    if (!leaf || !target) continue;
    int64_t number = *leaf;
    for (int64_t i = 0; i < alias.parameter_number; ++i) number += std::ssize(shape_of(i).leaves());
    hlo::Alias& flat = aliases.emplace_back();
    flat.parameter_number = number;
    if (result.is_tuple()) flat.result_index = {*target};
  }
  return aliases;
}

/// Whether a header attribute is preserved: source lines, and notes.
bool is_note(const std::string& key) { return key == "frontend_attributes" || hlo::text::is_location_table(key); }

Status check_leaves(const hlo::Module& module) {
  const auto check = [&](const Shape& leaf, std::string_view what) {
    if (leaf.is_array()) return ok_status();
    return unimplemented(
        fmt::format("Compile '{}': {} is a {}; plugins support arrays only", module.name, what, leaf.to_string()));
  };
  for (const Shape& shape : module.entry->parameter_shapes()) {
    for (const Shape& leaf : shape.leaves()) HILO_RETURN_IF_ERROR(check(leaf, "an argument"));
  }
  for (const Shape& leaf : module.entry->result_shape().leaves()) HILO_RETURN_IF_ERROR(check(leaf, "a result"));
  return ok_status();
}

/// Lists the program's custom calls with the user's lines, each once; only those of functions that `message` contains,
/// if it contains one.
std::vector<std::string> custom_calls(const hlo::Module& module, std::optional<std::string_view> message) {
  const hlo::SourceLines lines(module);
  std::vector<std::string> calls;
  for (const hlo::ComputationPtr& computation : hlo::computations_of(module)) {
    for (const Instruction& i : computation->instructions()) {
      if (i.opcode != Opcode::kCustomCall) continue;
      const std::string target = hlo::custom_call_target(hlo::attributes_of<hlo::CustomCallAttributes>(i));
      if (message && message->find(target) == std::string_view::npos) continue;
      std::string call = describe(i, lines);
      if (std::ranges::find(calls, call) == calls.end()) calls.push_back(std::move(call));
    }
  }
  return calls;
}

std::string text_of(const Version& version) { return fmt::format("{}.{}.{}", version[0], version[1], version[2]); }

}  // namespace

StatusOr<hlo::Module> prepared_program(const hlo::Module& module) {
  HILO_RETURN_IF_ERROR(check_leaves(module));
  hlo::Module prepared = module;
  prepared.aliases = leaf_aliases(module);
  std::erase_if(prepared.other_attributes, [](const auto& attribute) {
    return !is_note(attribute.first) || attribute.second.find("sdy") != std::string::npos;
  });
  HILO_RETURN_IF_ERROR(hlo::normalize_layouts(prepared).status());
  HILO_RETURN_IF_ERROR(hlo::normalize_compares(prepared).status());
  prepared.entry_parameter_layouts.reset();
  prepared.entry_result_layout.reset();
  HILO_RETURN_IF_ERROR(hlo::optimize_remat(prepared).status());  // later steps remove the information that this needs
  HILO_RETURN_IF_ERROR(hlo::lower_extensions(prepared).status());
  HILO_RETURN_IF_ERROR(hlo::rewrite_computations(prepared, without_shardings).status());
  HILO_RETURN_IF_ERROR(hlo::rewrite_computations(prepared, without_scalars_for_arrays).status());
  HILO_RETURN_IF_ERROR(hlo::rewrite_computations(prepared, without_cuts_of_packed_elements).status());
  if (!is_flat(*prepared.entry)) {
    HILO_ASSIGN_OR_RETURN(prepared.entry, flat_entry(prepared.entry));
  }
  return prepared;
}

StatusOr<OutgoingProgram> write_program(const hlo::Module& prepared, const Plugin& plugin, ProgramFormat format) {
  if (format == ProgramFormat::kHlo) {
    HILO_ASSIGN_OR_RETURN(std::string code, hlo::to_proto(prepared));
    return OutgoingProgram{"hlo", std::move(code)};
  }
  const Version reads = plugin.stablehlo_version().value_or(kOwnStablehlo);
  if (reads < kOwnStablehlo) {
    return unimplemented(fmt::format("Compile '{}': plugin {} reads StableHLO {}; hilo writes {}", prepared.name,
                                     quote(plugin.path()), text_of(reads), text_of(kOwnStablehlo)));
  }
  HILO_ASSIGN_OR_RETURN(std::string code, stablehlo::write_bytecode(prepared));
  return OutgoingProgram{"mlir", std::move(code)};
}

PJRT_Program raw_program(const OutgoingProgram& outgoing) {
  PJRT_Program raw{};
  raw.struct_size = kPjrtStructSize<PJRT_Program>;
  raw.code = const_cast<char*>(outgoing.code.data());  // compilers only read it
  raw.code_size = outgoing.code.size();
  raw.format = outgoing.format.data();
  raw.format_size = outgoing.format.size();
  return raw;
}

bool is_missing_function(const Status& error) {
  return error.code() == StatusCode::kNotFound || error.code() == StatusCode::kUnimplemented;
}

Status compile_error(const Status& error, const hlo::Module& prepared) {
  const Status named = error.with_context(fmt::format("Compile '{}'", prepared.name));
  if (!is_missing_function(error)) return named;
  std::vector<std::string> calls = custom_calls(prepared, error.message());
  if (calls.empty()) calls = custom_calls(prepared, std::nullopt);
  if (calls.empty()) return named;
  return unimplemented(fmt::format("Compile '{}': the plugin lacks the function of {}: {}", prepared.name,
                                   fmt::join(calls, ", "), error.message()));
}

}  // namespace hilo::plugins
