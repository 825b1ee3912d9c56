// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/translate/translator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "hilo/hlo/ops/reshape.h"
#include "hilo/stablehlo/translate/bounded.h"
#include "hilo/stablehlo/translate/calls.h"
#include "hilo/stablehlo/translate/elements.h"
#include "hilo/stablehlo/translate/probes.h"
#include "hilo/stablehlo/translate/quantized.h"
#include "hilo/stablehlo/translate/refined.h"
#include "hilo/stablehlo/translate/translate.h"

namespace hilo::stablehlo {
namespace {

/// Floats of 6 bits can be moved but not computed with.
Status check_six_bits(const ModuleTree& tree, const Operation& operation) {
  for (uint32_t i = 0; i < operation.results.count; ++i) {
    const Type& type = tree.type_of(tree.result(operation, i));
    if (type.six_bits != SixBits::kNone && operation.name != "stablehlo.constant" && operation.name != "func.call")
      return unimplemented(
          fmt::format("{}: HLO has no floats of 6 bits, so nothing can be computed in them", type.spelled));
  }
  return ok_status();
}

}  // namespace

std::string_view symbol_name(const ModuleTree& tree, const Operation& operation) {
  const Attribute* const name = tree.find(operation, "sym_name");
  return name == nullptr ? std::string_view() : std::string_view(name->text);
}

Status Translator::run(const Operation& function, bool entry) {
  const std::string name(symbol_name(tree, function));
  if (function.regions.count != 1) {
    return at(function, invalid_argument(fmt::format("function @{} has no body", name)));
  }
  const Region& body = tree.regions[function.regions.begin];
  hlo::Builder builder(name.empty() ? "main" : name);
  const bool checks = entry && options.checks != nullptr;
  if (checks) entry_builder = &builder;
  if (options.checks != nullptr && body.arguments.count == 0) data_builder = &builder;
  builder.set_annotations(annotations_of(function.location));
  for (uint32_t i = 0; i < body.arguments.count; ++i) {
    const ValueId value = body.arguments.begin + i;
    if (!tree.type_of(value).bounds.empty()) {
      return at(function, unimplemented(fmt::format("argument {} has type {}: arguments of bounded size", i,
                                                    tree.type_of(value).spelled)));
    }
    StatusOr<Shape> shape = argument_shape(value, i, entry ? options.arguments : std::vector<Shape>());
    if (!shape.ok()) return at(function, shape.status().with_context(fmt::format("argument {}", i)));
    set(builder, value, builder.parameter(*shape));
  }
  std::vector<hlo::InstructionId> results;
  HILO_RETURN_IF_ERROR(translate_block(builder, body, results));
  if (checks) results = checked;
  entry_builder = data_builder = nullptr;
  const hlo::InstructionId root = packed(builder, results);
  StatusOr<hlo::ComputationPtr> computation = std::move(builder).build(root);
  if (!computation.ok()) return at(function, computation.status());
  computations[symbol_name(tree, function)] = *std::move(computation);
  return ok_status();
}

void Translator::set(const hlo::Builder& builder, ValueId value, hlo::InstructionId id) {
  ids[value] = id;
  if (!refines()) return;
  shapes[value] = builder.shape(id);
  const hlo::Instruction& instruction = builder.instruction(id);
  if (instruction.opcode == hlo::Opcode::kConstant && instruction.shape.element_count() <= 64)
    constants.insert_or_assign(value, hlo::attributes_of<hlo::ConstantAttributes>(instruction).value);
  else constants.erase(value);
}

StatusOr<Shape> Translator::shape_of(ValueId value) {
  const TypeId type = tree.values[value].type;
  std::optional<Shape>& known = type_shapes[type];
  if (!known) {
    HILO_ASSIGN_OR_RETURN(known, stablehlo::shape_of(tree, type));
  }
  return *known;
}

StatusOr<Shape> Translator::argument_shape(ValueId value, uint32_t i, std::span<const Shape> arguments) {
  if (arguments.empty()) return shape_of(value);
  if (i >= arguments.size()) return invalid_argument(fmt::format("got {} arguments; wanted more", arguments.size()));
  const Type& type = tree.type_of(value);
  const Shape& given = arguments[i];
  bool fits = given.is_array() && type.kind == TypeKind::kTensor && given.element_type() == type.element &&
              given.rank() == std::ssize(type.dimensions);
  for (int64_t d = 0; fits && d < given.rank(); ++d) {
    const int64_t declared = type.dimensions[d];
    fits = declared == kDynamic || declared == given.dimension(d);
  }
  if (!fits) return invalid_argument(fmt::format("got {}, wanted {}", given.to_string(), type.spelled));
  return given;
}

StatusOr<hlo::ComputationPtr> Translator::function(std::string_view name) const {
  const auto found = computations.find(name);
  if (found == computations.end()) return not_found(fmt::format("function @{} doesn't exist", name));
  return found->second;
}

Captures Translator::captures_of(std::initializer_list<const Region*> regions) const {
  std::vector<ValueId> outside;
  for (const Region* region : regions) {
    if (region->first == kNone) continue;
    for (OperationId id = region->first; id < tree.operations[region->last].nested_end; ++id) {
      const Operation& operation = tree.operations[id];
      for (uint32_t i = 0; i < operation.operands.count; ++i) {
        const ValueId value = tree.operand(operation, i);
        // Values are numbered in the order of the text, so a region's own values have numbers from its first argument
        // on.
        if (value < region->arguments.begin) outside.push_back(value);
      }
    }
  }
  std::sort(outside.begin(), outside.end());
  outside.erase(std::unique(outside.begin(), outside.end()), outside.end());
  Captures captures;
  for (ValueId value : outside) {
    const OperationId definer = tree.values[value].definer;
    const bool constant = definer != kNone && tree.operations[definer].name.ends_with(".constant");
    (constant ? captures.constants : captures.others).push_back(value);
  }
  return captures;
}

StatusOr<hlo::ComputationPtr> Translator::region(const std::string& name, const Region& region, Parameters parameters,
                                                 const Captures& captures, bool carry, std::span<const Shape> arguments,
                                                 std::vector<Recording>* recorded) {
  hlo::Builder builder(name);
  std::vector<ValueId> inputs;
  for (uint32_t i = 0; i < region.arguments.count; ++i) inputs.push_back(region.arguments.begin + i);
  const auto is_size = [&](ValueId value) { return refines() && constants.contains(value); };
  if (parameters == Parameters::kEach && !std::ranges::all_of(captures.others, is_size)) {
    return unimplemented("the region captures a value that is not a constant, which HLO doesn't allow here");
  }
  std::vector<std::pair<ValueId, hlo::InstructionId>> outside;  // instructions of captured values outside of the region
  for (const auto* list : {&captures.others, &captures.constants}) {
    for (ValueId value : *list) outside.emplace_back(value, ids[value]);
  }
  inputs.insert(inputs.end(), captures.others.begin(), captures.others.end());
  for (const ValueId value : inputs) {
    if (!tree.type_of(value).bounds.empty())
      return unimplemented(fmt::format("a region on a value of bounded size: {}", tree.type_of(value).spelled));
  }
  std::vector<Shape> input_shapes;
  for (uint32_t i = 0; i < inputs.size(); ++i) {
    const bool captured = i >= region.arguments.count;
    if (refines() && (captured || !arguments.empty())) {
      input_shapes.push_back(captured ? shapes[inputs[i]] : arguments[i]);
      continue;
    }
    HILO_ASSIGN_OR_RETURN(const Shape shape, shape_of(inputs[i]));
    input_shapes.push_back(shape);
  }
  if (recorded != nullptr) {
    for (const Recording& r : *recorded) {
      input_shapes.push_back(Shape::scalar(ElementType::kS32));
      input_shapes.insert(input_shapes.end(), r.passes, r.shape);
    }
  }
  std::vector<hlo::InstructionId> before;  // recorded values before this pass
  if (parameters == Parameters::kEach || input_shapes.size() == 1) {
    const size_t own = parameters == Parameters::kEach ? region.arguments.count : inputs.size();  // sizes are constants
    for (size_t i = 0; i < own; ++i) ids[inputs[i]] = builder.parameter(input_shapes[i]);
  } else {
    const hlo::InstructionId tuple = builder.parameter(Shape::tuple(input_shapes));
    for (size_t i = 0; i < inputs.size(); ++i) {
      HILO_ASSIGN_OR_RETURN(ids[inputs[i]], builder.get_tuple_element(tuple, i));
    }
    for (size_t i = inputs.size(); i < input_shapes.size(); ++i) {
      HILO_ASSIGN_OR_RETURN(const hlo::InstructionId id, builder.get_tuple_element(tuple, i));
      before.push_back(id);
    }
  }
  if (refines()) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const auto known = i < region.arguments.count ? constants.end() : constants.find(inputs[i]);
      if (known != constants.end()) ids[inputs[i]] = builder.constant(known->second);
      else set(builder, inputs[i], ids[inputs[i]]);
    }
  }
  std::vector<Recording>* const around = std::exchange(recordings, carry ? recorded : nullptr);
  for (ValueId value : captures.constants) {
    HILO_RETURN_IF_ERROR(translate_operation(builder, tree.operations[tree.values[value].definer]));
  }
  std::vector<hlo::InstructionId> results;
  HILO_RETURN_IF_ERROR(translate_block(builder, region, results));
  if (carry) {
    for (ValueId value : captures.others) results.push_back(ids[value]);
    if (recorded != nullptr) {
      HILO_ASSIGN_OR_RETURN(const std::vector<hlo::InstructionId> after, next_recorded(builder, *recorded, before));
      results.insert(results.end(), after.begin(), after.end());
    }
  }
  recordings = around;
  for (const auto& [value, id] : outside) ids[value] = id;
  const hlo::InstructionId root = packed(builder, results);
  return std::move(builder).build(root);
}

namespace {

/// Returns a key of numbers that is equal for identical bodies. Empty for a body with nested regions or captured
/// values.
std::vector<uint64_t> body_key(const ModuleTree& tree, const Region& body) {
  if (body.first == kNone) return {};
  const auto text = [](std::string_view interned) { return reinterpret_cast<uintptr_t>(interned.data()); };
  constexpr size_t kUsual = 32;  // typical length of a key: a body of one op
  std::vector<uint64_t> key;
  key.reserve(kUsual);
  key.push_back(body.arguments.count);
  for (uint32_t i = 0; i < body.arguments.count; ++i) key.push_back(tree.values[body.arguments.begin + i].type);
  for (OperationId id = body.first; id != kNone; id = tree.operations[id].next) {
    const Operation& operation = tree.operations[id];
    if (operation.regions.count != 0) return {};
    key.insert(key.end(), {text(operation.name), operation.location, operation.operands.count, operation.results.count,
                           operation.attributes.count});
    for (uint32_t i = 0; i < operation.operands.count; ++i) {
      const ValueId value = tree.operand(operation, i);
      if (value < body.arguments.begin) return {};
      key.push_back(value - body.arguments.begin);
    }
    for (uint32_t i = 0; i < operation.results.count; ++i) key.push_back(tree.values[tree.result(operation, i)].type);
    for (const NamedAttribute& own : tree.attributes_of(operation)) key.insert(key.end(), {text(own.name), own.value});
  }
  return key;
}

}  // namespace

StatusOr<hlo::ComputationPtr> Translator::body(const std::string& name, const Region& region) {
  std::pair key(name, refines() ? std::vector<uint64_t>() : body_key(tree, region));
  if (const auto known = bodies.find(key); known != bodies.end()) return known->second;
  HILO_ASSIGN_OR_RETURN(hlo::ComputationPtr made,
                        this->region(name, region, Parameters::kEach, captures_of({&region})));
  if (!key.second.empty()) bodies.emplace(std::move(key), made);
  return made;
}

Status Translator::translate_block(hlo::Builder& builder, const Region& region,
                                   std::vector<hlo::InstructionId>& results) {
  for (OperationId id = region.first; id != kNone; id = tree.operations[id].next) {
    const Operation& operation = tree.operations[id];
    if (id != region.last) {
      HILO_RETURN_IF_ERROR(translate_operation(builder, operation));
      continue;
    }
    if (!operation.name.ends_with(".return"))
      return at(operation, invalid_argument("a region doesn't end in a return"));
    for (uint32_t i = 0; i < operation.operands.count; ++i) {
      hlo::InstructionId value = ids[tree.operand(operation, i)];
      if (value == hlo::kNoInstruction)
        return at(operation, invalid_argument("returns a value that isn't defined here"));
      if (has_bounds && inlined_depth == 0) {
        const OpRow none{};
        HILO_ASSIGN_OR_RETURN(value, zero_beyond({*this, builder, operation, none}, tree.operand(operation, i)));
      }
      results.push_back(value);
    }
    return ok_status();
  }
  return invalid_argument("a region is empty; wanted a return");
}

const OpRow* Translator::row_of(const Operation& operation) {
  const auto [row, is_new] = rows.emplace(operation.name.data(), nullptr);
  if (is_new) row->second = find_row(operation.name);
  return row->second;
}

Status Translator::translate_operation(hlo::Builder& builder, const Operation& operation) {
  const OpRow* const row = row_of(operation);
  if (row == nullptr) return at(operation, unimplemented("this operation is not supported"));
  builder.set_annotations(annotations_of(operation.location));
  const OpContext op{*this, builder, operation, *row};
  if (has_six_bit_types) {
    if (const Status status = check_six_bits(tree, operation); !status.ok()) return at(operation, status);
  }
  const bool on_stored = row->translate == translate_quantize || row->translate == translate_dequantize ||
                         row->translate == translate_bitcast || row->translate == translate_call;
  const bool on_real = has_quantized_types && !on_stored && is_quantized(tree, operation);
  Status done = on_real ? translate_on_real_values(op) : has_bounds ? translate_bounded(op) : row->translate(op);
  if (done.ok() && refines()) done = fold_results(op);
  return at(operation, done);
}

Status Translator::at(const Operation& operation, const Status& status) {
  if (status.ok() || placed) return status;
  placed = true;  // enclosing operations add nothing
  const Location& location = tree.locations[operation.location];
  std::string what(operation.name);
  if (!location.file.empty()) what += fmt::format(" ({}:{})", location.file, location.line);
  if (operation.line != 0) what = fmt::format("{}:{}:{}: {}", tree.source, operation.line, operation.column, what);
  return status.with_context(what);
}

hlo::AnnotationsPtr Translator::annotations_of(LocationId id) {
  if (id == 0) return nullptr;
  hlo::AnnotationsPtr& known = annotations[id];
  if (known == nullptr) {
    const Location& location = tree.locations[id];
    auto made = std::make_shared<hlo::Annotations>();
    made->op_name = location.name;
    made->source_file = location.file;
    made->source_line = location.line;
    known = std::move(made);
  }
  return known;
}

hlo::InstructionId packed(hlo::Builder& builder, std::span<const hlo::InstructionId> values) {
  return values.size() == 1 ? values[0] : builder.tuple(values);
}

}  // namespace hilo::stablehlo
