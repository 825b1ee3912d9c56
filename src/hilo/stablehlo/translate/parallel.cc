// SPDX-License-Identifier: Apache-2.0
// interpreter.run_parallel: concurrent processes. If all run the same function, they become replicas. Others may only
// communicate by infeed, send and recv. They run one after the other, because a value taken from a queue is one that
// another process has put there.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/stablehlo/translate/manual.h"

namespace hilo::stablehlo {

using hlo::InstructionId;
using hlo::Opcode;

namespace {

std::vector<std::string_view> symbols_of(const OpContext& op, std::string_view name) {
  std::vector<std::string_view> symbols;
  const Attribute* const list = op.find(name);
  if (list == nullptr) return symbols;
  for (AttributeId id : list->elements) {
    const Attribute& element = op.tree().attributes[id];
    if (element.kind != AttributeKind::kArray) symbols.push_back(element.text);
    for (AttributeId inner : element.elements) symbols.push_back(op.tree().attributes[inner].text);
  }
  return symbols;
}

StatusOr<InstructionId> with_leading_one(const OpContext& op, InstructionId value) {
  const Shape shape = op.builder.shape(value);
  std::vector<int64_t> sizes = {1};
  sizes.insert(sizes.end(), shape.dimensions().begin(), shape.dimensions().end());
  return op.builder.add(Opcode::kReshape, {value}, nullptr, shape.with_dimensions(sizes));
}

/// Selects the device's own value from one value per device.
StatusOr<InstructionId> own_value(const OpContext& op, const std::vector<InstructionId>& values) {
  const Shape shape = op.builder.shape(values[0]);
  if (shape.is_tuple()) return unimplemented("a process with a tuple argument");
  if (!shape.is_array()) return values[0];
  std::vector<InstructionId> rows;
  for (InstructionId value : values) {
    HILO_ASSIGN_OR_RETURN(const InstructionId row, with_leading_one(op, value));
    rows.push_back(row);
  }
  HILO_ASSIGN_OR_RETURN(const InstructionId all,
                        op.builder.add(Opcode::kConcatenate, rows, std::make_shared<hlo::ConcatenateAttributes>()));
  std::vector<int64_t> numbers(values.size());
  std::iota(numbers.begin(), numbers.end(), int64_t{0});
  auto attributes = std::make_shared<hlo::DynamicSliceAttributes>();
  attributes->sizes = {1};
  HILO_ASSIGN_OR_RETURN(const InstructionId device, device_entry(op, numbers));
  std::vector<InstructionId> operands = {all, device};
  for (int64_t d = 0; d < shape.rank(); ++d) {
    attributes->sizes.push_back(shape.dimension(d));
    operands.push_back(op.builder.constant(Literal::scalar(int32_t{0})));
  }
  HILO_ASSIGN_OR_RETURN(const InstructionId row,
                        op.builder.add(Opcode::kDynamicSlice, operands, std::move(attributes)));
  return op.builder.add(Opcode::kReshape, {row}, nullptr, shape);
}

/// Defines results from the values of all devices.
Status define_from_all(const OpContext& op, InstructionId value, uint32_t first, uint32_t step) {
  const Shape shape = op.builder.shape(value);
  if (shape.is_tuple()) return unimplemented("a process with a tuple result");
  const int64_t devices = op.translator.devices.grid.count();
  hlo::Int64Lists everyone(1);
  for (int64_t device = 0; device < devices; ++device) everyone[0].push_back(device);
  InstructionId all = value;
  if (shape.is_array()) {
    HILO_ASSIGN_OR_RETURN(const InstructionId row, with_leading_one(op, value));
    HILO_ASSIGN_OR_RETURN(all, join_devices(op, row, 0, everyone));
  }
  for (int64_t device = 0; device < devices; ++device) {
    InstructionId one = all;
    if (shape.is_array()) {
      auto slice = std::make_shared<hlo::SliceAttributes>();
      slice->ranges.push_back({device, device + 1, 1});
      for (int64_t d = 0; d < shape.rank(); ++d) slice->ranges.push_back({0, shape.dimension(d), 1});
      HILO_ASSIGN_OR_RETURN(const InstructionId row, op.builder.add(Opcode::kSlice, {all}, std::move(slice)));
      HILO_ASSIGN_OR_RETURN(one, op.builder.add(Opcode::kReshape, {row}, nullptr, shape));
    }
    op.define(first + static_cast<uint32_t>(device) * step, one);
  }
  return ok_status();
}

Status run_as_replicas(const OpContext& op, std::string_view name) {
  const auto devices = static_cast<uint32_t>(op.translator.devices.grid.count());
  if (op.operation.operands.count % devices != 0 || op.operation.results.count % devices != 0)
    return invalid_argument(fmt::format("{} processes can't divide the operands and results evenly", devices));
  const uint32_t arguments = op.operation.operands.count / devices, results = op.operation.results.count / devices;
  HILO_ASSIGN_OR_RETURN(const InstructionIds operands, op.operands());
  std::vector<InstructionId> own;
  for (uint32_t i = 0; i < arguments; ++i) {
    std::vector<InstructionId> values;
    for (uint32_t device = 0; device < devices; ++device) values.push_back(operands[device * arguments + i]);
    HILO_ASSIGN_OR_RETURN(const InstructionId value, own_value(op, values));
    own.push_back(value);
  }
  auto call = std::make_shared<hlo::CallAttributes>();
  HILO_ASSIGN_OR_RETURN(call->to_apply, op.translator.function(name));
  HILO_ASSIGN_OR_RETURN(const InstructionId called, op.builder.add(Opcode::kCall, own, std::move(call)));
  for (uint32_t i = 0; i < results; ++i) {
    InstructionId value = called;
    if (results > 1) {
      HILO_ASSIGN_OR_RETURN(value, op.builder.get_tuple_element(called, i));
    }
    HILO_RETURN_IF_ERROR(define_from_all(op, value, i, results));
  }
  return ok_status();
}

/// Inlines the process's function. Its operands and results begin at `argument` and `result` of the operation's.
Status run_here(const OpContext& op, const Operation& function, uint32_t argument, uint32_t result) {
  const Region& body = op.tree().regions[function.regions.begin];
  for (uint32_t i = 0; i < body.arguments.count; ++i) {
    HILO_ASSIGN_OR_RETURN(const InstructionId value, op.operand(argument + i));
    op.translator.set(op.builder, body.arguments.begin + i, value);
  }
  std::vector<InstructionId> results;
  HILO_RETURN_IF_ERROR(op.translator.translate_block(op.builder, body, results));
  for (uint32_t i = 0; i < results.size(); ++i) op.define(result + i, results[i]);
  return ok_status();
}

/// Returns whether the queues contain everything that the function takes from them.
bool is_ready(const OpContext& op, OperationId function) {
  std::unordered_map<int64_t, size_t> wanted;
  for (OperationId id = function + 1; id < op.tree().operations[function].nested_end; ++id) {
    const Operation& inner = op.tree().operations[id];
    if (inner.name != "stablehlo.recv") continue;
    const Attribute* const channel = op.tree().find(inner, "channel_id");
    ++wanted[channel == nullptr ? 0 : channel->integer];
  }
  for (const auto& [channel, count] : wanted) {
    if (op.translator.queues.channels[channel].size() < count) return false;
  }
  return true;
}

struct Process {
  OperationId function;
  uint32_t argument, result;  ///< index of its first argument and result
  bool done = false;
};

Status run_in_turn(const OpContext& op, const std::vector<std::string_view>& names) {
  std::vector<Process> processes;
  uint32_t argument = 0, result = 0;
  for (std::string_view name : names) {
    const OperationId id = find_function(op.tree(), name);
    if (id == kNone) return not_found(fmt::format("function @{} doesn't exist", name));
    const Operation& function = op.tree().operations[id];
    if (function.regions.count != 1) return invalid_argument(fmt::format("function @{} has no body", name));
    const Region& body = op.tree().regions[function.regions.begin];
    if (body.last == kNone) return invalid_argument(fmt::format("function @{} is empty", name));
    processes.push_back({id, argument, result});
    argument += body.arguments.count;
    result += op.tree().operations[body.last].operands.count;
  }
  if (argument != op.operation.operands.count || result != op.operation.results.count)
    return invalid_argument("the numbers of the processes' arguments and results don't match the operation");
  Queues& queues = op.translator.queues;
  queues.builder = &op.builder;
  for (std::string_view name : symbols_of(op, "infeed")) queues.infeed.push_back(name);
  for (size_t left = processes.size(); left > 0;) {
    const size_t before = left;
    for (Process& process : processes) {
      if (process.done || !is_ready(op, process.function)) continue;
      HILO_RETURN_IF_ERROR(run_here(op, op.tree().operations[process.function], process.argument, process.result));
      process.done = true;
      --left;
    }
    if (left == before) return unimplemented("processes that wait for each other in a cycle");
  }
  queues.builder = nullptr;
  return ok_status();
}

/// Queues may be used in the bodies of processes, but not in nested regions or in called functions.
Status check_queues(const OpContext& op) {
  if (op.translator.queues.builder == &op.builder) return ok_status();
  return unimplemented("outside of a process's body of interpreter.run_parallel");
}

Status define_token(const OpContext& op, uint32_t i) {
  HILO_ASSIGN_OR_RETURN(const InstructionId token, op.builder.add(Opcode::kAfterAll, {}));
  op.define(i, token);
  return ok_status();
}

/// Defines the results: the values from the queue, and a token.
Status define_taken(const OpContext& op, const std::vector<InstructionId>& values) {
  if (op.operation.results.count != values.size() + 1)
    return invalid_argument(fmt::format("the queue has {} values here", values.size()));
  for (uint32_t i = 0; i < values.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(const Shape wanted, op.result_shape(i));
    if (op.builder.shape(values[i]) != wanted) {
      return invalid_argument(
          fmt::format("the queue has {} here; wanted {}", op.builder.shape(values[i]).to_string(), wanted.to_string()));
    }
    op.define(i, values[i]);
  }
  return define_token(op, op.operation.results.count - 1);
}

}  // namespace

Status translate_run_parallel(const OpContext& op) {
  if (op.translator.entry_builder != nullptr && op.translator.entry_builder != &op.builder)
    return unimplemented("processes inside a called function or a region");
  if (op.translator.queues.builder != nullptr) return unimplemented("processes inside a process");
  const std::vector<std::string_view> names = symbols_of(op, "programs");
  if (!op.translator.devices.inlined.empty()) return run_in_turn(op, names);
  const bool alike = std::all_of(names.begin(), names.end(), [&](std::string_view name) { return name == names[0]; });
  if (!alike || std::ssize(names) != op.translator.devices.grid.count())
    return unimplemented("two run_parallel operations of different kinds");
  return run_as_replicas(op, names[0]);
}

/// Puts its operands, except the token, into the channel's queue.
Status translate_send(const OpContext& op) {
  HILO_RETURN_IF_ERROR(check_queues(op));
  HILO_ASSIGN_OR_RETURN(const int64_t channel, op.integer("channel_id", 0));
  HILO_ASSIGN_OR_RETURN(InstructionIds values, op.operands());
  if (values.empty()) return invalid_argument("wanted a token");
  values.pop_back();
  op.translator.queues.channels[channel].emplace_back(values.begin(), values.end());
  return define_token(op, 0);
}

Status translate_recv(const OpContext& op) {
  HILO_RETURN_IF_ERROR(check_queues(op));
  HILO_ASSIGN_OR_RETURN(const int64_t channel, op.integer("channel_id", 0));
  auto& queue = op.translator.queues.channels[channel];
  if (queue.empty()) return failed_precondition(fmt::format("nothing has been sent to channel {}", channel));
  const std::vector<InstructionId> values = std::move(queue.front());
  queue.erase(queue.begin());
  return define_taken(op, values);
}

Status translate_infeed(const OpContext& op) {
  HILO_RETURN_IF_ERROR(check_queues(op));
  std::vector<std::string_view>& infeed = op.translator.queues.infeed;
  if (infeed.empty()) return failed_precondition("the infeed's queue is empty");
  auto call = std::make_shared<hlo::CallAttributes>();
  HILO_ASSIGN_OR_RETURN(call->to_apply, op.translator.function(infeed.front()));
  infeed.erase(infeed.begin());
  HILO_ASSIGN_OR_RETURN(const InstructionId called, op.builder.add(Opcode::kCall, {}, std::move(call)));
  const Shape shape = op.builder.shape(called);
  std::vector<InstructionId> values;
  if (!shape.is_tuple()) values.push_back(called);
  for (int64_t i = 0; shape.is_tuple() && i < shape.tuple_size(); ++i) {
    HILO_ASSIGN_OR_RETURN(const InstructionId element, op.builder.get_tuple_element(called, i));
    values.push_back(element);
  }
  return define_taken(op, values);
}

/// No operation reads this queue.
Status translate_outfeed(const OpContext& op) {
  HILO_RETURN_IF_ERROR(check_queues(op));
  return define_token(op, 0);
}

/// Printed values aren't part of the results, so nothing is printed.
Status translate_print(const OpContext& op) { return op.operand(0).status(); }

}  // namespace hilo::stablehlo
