// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/write/write_tree.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/base/out_of_memory.h"
#include "hilo/base/sizes.h"
#include "hilo/hlo/ir/expanded_size.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/stablehlo/translate/op_rows.h"
#include "hilo/stablehlo/write/calls.h"
#include "hilo/stablehlo/write/rows.h"
#include "hilo/stablehlo/write/text_writer.h"
#include "hilo/stablehlo/write/tree_writer.h"
#include "hilo/stablehlo/write/write_context.h"

namespace hilo::stablehlo {

using hlo::Instruction;
using hlo::Opcode;

namespace {

/// Returns the number of leaves before element `index` of a tuple.
uint32_t leaf_offset(const Shape& tuple, int64_t index) {
  size_t offset = 0;
  for (int64_t i = 0; i < index; ++i)
    offset += tuple.tuple_element(i).is_tuple() ? tuple.tuple_element(i).leaves().size() : 1;
  return static_cast<uint32_t>(offset);
}

uint32_t leaf_count(const Shape& shape) { return shape.is_tuple() ? size32(shape.leaves()) : 1; }

/// Converts a name to one that MLIR accepts without quotes.
std::string symbol_of(std::string_view name) {
  std::string symbol;
  for (char c : name) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '$';
    symbol += plain ? c : '_';
  }
  if (symbol.empty() || (symbol[0] >= '0' && symbol[0] <= '9') || symbol[0] == '.' || symbol[0] == '$')
    symbol.insert(symbol.begin(), '_');
  return symbol;
}

}  // namespace

void Body::define(hlo::InstructionId id, std::span<const ValueId> leaves) {
  values[id] = {size32(pool), size32(leaves)};
  pool.insert(pool.end(), leaves.begin(), leaves.end());
}

const std::string& TreeWriter::function(const hlo::ComputationPtr& computation) {
  const auto [number, is_new] = numbers.emplace(computation->fingerprint(), functions.size());
  if (is_new) {
    const std::string wanted = functions.empty() ? "main" : symbol_of(computation->name());
    std::string name = wanted;
    for (int n = names[wanted]; n > 0 && names.contains(name = fmt::format("{}_{}", wanted, n)); ++n) names[wanted] = n;
    ++names[wanted];
    if (name != wanted) names.emplace(name, 1);
    functions.push_back({computation, std::move(name)});
  }
  return functions[number->second].name;
}

StatusOr<std::vector<TypeId>> TreeWriter::leaf_types(const Shape& shape) {
  std::vector<TypeId> types;
  if (!shape.is_tuple() && shape.is_array()) return std::vector<TypeId>{builder.type(shape)};
  for (const Shape& leaf : shape.leaves()) {
    if (!leaf.is_array() && !leaf.is_token())
      return unimplemented(fmt::format("StableHLO has no type for {}", leaf.to_string()));
    types.push_back(builder.type(leaf));
  }
  return types;
}

LocationId TreeWriter::location(const Instruction& instruction) {
  const hlo::Annotations* const annotations = instruction.annotations.get();
  if (annotations == nullptr || (annotations->op_name.empty() && annotations->source_file.empty())) return 0;
  const auto [known, is_new] = locations.emplace(annotations, static_cast<LocationId>(builder.tree.locations.size()));
  if (is_new) {
    builder.tree.locations.push_back({builder.tree.intern(annotations->op_name),
                                      builder.tree.intern(annotations->source_file), annotations->source_line});
  }
  return known->second;
}

std::vector<ValueId> TreeWriter::append(Body& body, const NewOperation& operation, LocationId where) {
  const OperationId id = builder.begin(operation, where);
  builder.end(id, {}, body.region);
  std::vector<ValueId> results;
  for (uint32_t i = 0; i < operation.results.size(); ++i)
    results.push_back(builder.tree.result(builder.tree.operations[id], i));
  return results;
}

StatusOr<ValueId> TreeWriter::pack(Body& body, const Shape& shape, std::span<const ValueId> leaves) {
  if (!shape.is_tuple()) return leaves[0];
  NewOperation tuple{"stablehlo.tuple"};
  for (int64_t i = 0; i < shape.tuple_size(); ++i) {
    const uint32_t count = leaf_count(shape.tuple_element(i));
    HILO_ASSIGN_OR_RETURN(const ValueId element, pack(body, shape.tuple_element(i), leaves.first(count)));
    tuple.operands.push_back(element);
    leaves = leaves.subspan(count);
  }
  HILO_RETURN_IF_ERROR(leaf_types(shape).status());
  tuple.results = {builder.type(shape)};
  return append(body, tuple, 0)[0];
}

Status TreeWriter::unpack(Body& body, const Shape& shape, ValueId value, std::vector<ValueId>& leaves) {
  if (!shape.is_tuple()) {
    leaves.push_back(value);
    return ok_status();
  }
  for (int64_t i = 0; i < shape.tuple_size(); ++i) {
    NewOperation element{"stablehlo.get_tuple_element", {value}, {}, {builder.type(shape.tuple_element(i))}};
    builder.put(element, "index", i);
    HILO_RETURN_IF_ERROR(unpack(body, shape.tuple_element(i), append(body, element, 0)[0], leaves));
  }
  return ok_status();
}

StatusOr<Region> TreeWriter::region(const hlo::Computation& computation) {
  Body body{computation, builder.begin_region()};
  body.values.resize(computation.size());
  for (hlo::InstructionId id : computation.parameters()) {
    HILO_ASSIGN_OR_RETURN(const std::vector<TypeId> types, leaf_types(computation.instruction(id).shape));
    std::vector<ValueId> leaves;
    for (TypeId type : types) leaves.push_back(builder.argument(body.region, type));
    body.define(id, leaves);
  }
  HILO_RETURN_IF_ERROR(write_body(body));
  builder.end(builder.begin({"stablehlo.return",
                             {body.leaves(computation.root_id()).begin(), body.leaves(computation.root_id()).end()}}),
              {}, body.region);
  return builder.tree.regions[body.region];
}

StatusOr<Region> TreeWriter::region_on(const hlo::Computation& computation, std::span<const ValueId> captured) {
  Body body{computation, builder.begin_region()};
  body.values.resize(computation.size());
  for (hlo::InstructionId id : computation.parameters()) {
    const uint32_t count = leaf_count(computation.instruction(id).shape);
    body.define(id, captured.first(count));
    captured = captured.subspan(count);
  }
  HILO_RETURN_IF_ERROR(write_body(body));
  builder.end(builder.begin({"stablehlo.return",
                             {body.leaves(computation.root_id()).begin(), body.leaves(computation.root_id()).end()}}),
              {}, body.region);
  return builder.tree.regions[body.region];
}

Status TreeWriter::write_function(size_t number, RegionId module) {
  const Function function = functions[number];
  const hlo::Computation& computation = *function.computation;
  const bool entry = number == 0;
  Body body{computation, kNone};
  body.values.resize(computation.size());
  NewOperation operation{"func.func"};
  std::vector<TypeId> inputs, results;
  for (hlo::InstructionId id : computation.parameters()) {
    const Shape& shape = computation.instruction(id).shape;
    HILO_ASSIGN_OR_RETURN(const std::vector<TypeId> types, leaf_types(shape));
    if (entry && shape.is_tuple()) inputs.push_back(builder.type(shape));
    else inputs.insert(inputs.end(), types.begin(), types.end());
  }
  const Shape& result = computation.result_shape();
  if (entry && result.is_tuple()) {
    HILO_RETURN_IF_ERROR(leaf_types(result).status());
    for (const Shape& element : result.tuple_elements()) results.push_back(builder.type(element));
  } else {
    HILO_ASSIGN_OR_RETURN(results, leaf_types(result));
  }
  builder.put(operation, "sym_name", function.name);
  Attribute type;
  type.kind = AttributeKind::kType;
  type.type = builder.function_type(inputs, results);
  builder.put_attribute(operation, "function_type", builder.tree.add(type));
  builder.put(operation, "sym_visibility", entry ? "public" : "private");
  if (entry && !facts.arguments.empty())
    builder.put_attribute(operation, "arg_attrs", builder.tree.add_array(facts.arguments));
  if (entry && !facts.results.empty())
    builder.put_attribute(operation, "res_attrs", builder.tree.add_array(facts.results));
  const OperationId id = builder.begin(operation);
  body.region = builder.begin_region();
  std::vector<ValueId> arguments;
  for (TypeId input : inputs) arguments.push_back(builder.argument(body.region, input));
  size_t next = 0;
  for (hlo::InstructionId parameter : computation.parameters()) {
    const Shape& shape = computation.instruction(parameter).shape;
    std::vector<ValueId> leaves;
    if (entry) {
      HILO_RETURN_IF_ERROR(unpack(body, shape, arguments[next++], leaves));
    } else {
      for (uint32_t n = leaf_count(shape); n > 0; --n) leaves.push_back(arguments[next++]);
    }
    body.define(parameter, leaves);
  }
  HILO_RETURN_IF_ERROR(write_body(body));
  NewOperation end{"func.return"};
  std::span<const ValueId> leaves = body.leaves(computation.root_id());
  const std::vector<ValueId> own(leaves.begin(), leaves.end());
  leaves = own;
  if (entry && result.is_tuple()) {
    for (const Shape& element : result.tuple_elements()) {
      HILO_ASSIGN_OR_RETURN(const ValueId value, pack(body, element, leaves.first(leaf_count(element))));
      end.operands.push_back(value);
      leaves = leaves.subspan(leaf_count(element));
    }
  } else {
    end.operands = own;
  }
  builder.end(builder.begin(end), {}, body.region);
  const Region made = builder.tree.regions[body.region];
  builder.end(id, std::span(&made, 1), module);
  return ok_status();
}

Status TreeWriter::write_body(Body& body) {
  if (++depth > kMaxNesting)
    return resource_exhausted(
        fmt::format("computations nested deeper than {} don't fit StableHLO's regions", kMaxNesting));
  if ((written += body.computation.size()) > most_written)
    return resource_exhausted(fmt::format(
        "shared computations become separate regions; got more than {} instructions in total", most_written));
  for (const Instruction& instruction : body.computation.instructions()) {
    if (instruction.opcode == Opcode::kParameter) continue;
    const Status status = write_instruction(body, instruction);
    if (!status.ok()) return status.with_context(hlo::describe(instruction));
  }
  --depth;
  return ok_status();
}

Status TreeWriter::write_instruction(Body& body, const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kTuple: {
      std::vector<ValueId> leaves;
      for (hlo::InstructionId operand : instruction.operands) {
        const std::span<const ValueId> own = body.leaves(operand);
        leaves.insert(leaves.end(), own.begin(), own.end());
      }
      body.define(instruction.id, leaves);
      return ok_status();
    }
    case Opcode::kGetTupleElement: {
      const Shape& tuple = body.computation.instruction(instruction.operands[0]).shape;
      const int64_t index = hlo::attributes_of<hlo::GetTupleElementAttributes>(instruction).index;
      const Range all = body.values[instruction.operands[0]];
      body.values[instruction.id] = {all.begin + leaf_offset(tuple, index), leaf_count(instruction.shape)};
      return ok_status();
    }
    case Opcode::kCopy:
    case Opcode::kAddDependency: body.values[instruction.id] = body.values[instruction.operands[0]]; return ok_status();
    default: break;
  }
  WriteContext context{*this, body, instruction};
  for (const OpRow* row : rows_of(instruction.opcode)) {
    context.row = row;
    HILO_ASSIGN_OR_RETURN(const bool done, inverse_of (*row)(context));
    if (done) return ok_status();
  }
  context.row = nullptr;
  if (instruction.opcode == Opcode::kTopK) return write_top_k(context).status();
  HILO_ASSIGN_OR_RETURN(const bool done, write_decomposition(context));
  return done ? ok_status() : unimplemented("StableHLO has no such operation");
}

std::vector<ValueId> WriteContext::operands(size_t first) const {
  std::vector<ValueId> all;
  for (size_t i = first; i < instruction.operands.size(); ++i) {
    const std::span<const ValueId> own = body.leaves(instruction.operands[i]);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

StatusOr<NewOperation> WriteContext::operation() const {
  NewOperation made;
  const bool has_dialect = row->name.find('.') != std::string_view::npos;
  made.name = has_dialect ? std::string(row->name) : fmt::format("stablehlo.{}", row->name);
  made.operands = operands();
  HILO_ASSIGN_OR_RETURN(made.results, writer.leaf_types(instruction.shape));
  return made;
}

Status WriteContext::add(const NewOperation& operation) const {
  body.define(instruction.id, writer.append(body, operation, writer.location(instruction)));
  return ok_status();
}

Status WriteContext::add(const NewOperation& operation, std::span<const hlo::ComputationPtr> computations) const {
  const OperationId id = builder().begin(operation, writer.location(instruction));
  std::vector<Region> regions;
  for (const hlo::ComputationPtr& computation : computations) {
    HILO_ASSIGN_OR_RETURN(const Region region, writer.region(*computation));
    regions.push_back(region);
  }
  builder().end(id, regions, body.region);
  std::vector<ValueId> results;
  for (uint32_t i = 0; i < operation.results.size(); ++i)
    results.push_back(builder().tree.result(builder().tree.operations[id], i));
  body.define(instruction.id, results);
  return ok_status();
}

StatusOr<ModuleTree> write_tree(const hlo::Module& module, bool portable) {
  TreeWriter writer;
  writer.portable = portable;
  writer.most_written = hlo::max_expanded_instructions(module);
  NewOperation root{"builtin.module"};
  if (!module.name.empty()) writer.builder.put(root, "sym_name", symbol_of(module.name));
  HILO_ASSIGN_OR_RETURN(writer.facts, kept_facts(module, portable, writer.builder));
  root.attributes.insert(root.attributes.end(), writer.facts.own.begin(), writer.facts.own.end());
  const OperationId id = writer.builder.begin(root);
  const RegionId top = writer.builder.begin_region();
  for (const ModuleFacts::Mesh& mesh : writer.facts.meshes) {
    NewOperation operation{"sdy.mesh"};
    writer.builder.put_attribute(operation, "mesh", mesh.mesh);
    writer.builder.put_attribute(operation, "sym_name", mesh.name);
    writer.builder.end(writer.builder.begin(operation), {}, top);
  }
  writer.function(module.entry);
  for (size_t i = 0; i < writer.functions.size(); ++i) HILO_RETURN_IF_ERROR(writer.write_function(i, top));
  const Region region = writer.builder.tree.regions[top];
  writer.builder.end(id, std::span(&region, 1), kNone);
  return std::move(writer.builder.tree);
}

StatusOr<std::string> write_text(const hlo::Module& module) try {
  HILO_ASSIGN_OR_RETURN(const ModuleTree tree, write_tree(module));
  return print_tree(tree);
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

}  // namespace hilo::stablehlo
