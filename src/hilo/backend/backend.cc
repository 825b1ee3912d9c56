// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/backend.h"

#include "hilo/backend/run_collective.h"
#include "hilo/base/out_of_memory.h"

namespace hilo {
namespace {

std::string argument_text(size_t i, const std::string& name) {
  return "argument " + std::to_string(i) + (name.empty() ? "" : " '" + name + "'");
}

}  // namespace

std::string CompileOptions::to_string() const {
  const auto text = [](const auto& value) { return value ? "\"" + *value + "\"" : std::string("unset"); };
  return "{generate_hlo_graph: " + text(generate_hlo_graph) +
         ", dump_unoptimized_hlo_proto_to: " + text(dump_unoptimized_hlo_proto_to) +
         ", dump_optimized_hlo_proto_to: " + text(dump_optimized_hlo_proto_to) +
         ", dump_per_pass_hlo_proto_to: " + text(dump_per_pass_hlo_proto_to) +
         ", hlo_profile: " + (hlo_profile ? "true" : "false") +
         ", result_shape: " + (result_shape ? result_shape->to_string_with_layout() : "unset") +
         ", replica_count: " + std::to_string(replica_count) + "}";
}

void Executable::set_signature(const hlo::Module& module, int64_t replica_count) {
  name_ = module.name;
  replica_count_ = replica_count;
  needs_others_ = replica_count > 1 && depends_on_replicas(module);
  for (hlo::InstructionId id : module.entry->parameters()) {
    const hlo::Instruction& parameter = module.entry->instruction(id);
    for (const Shape& leaf : parameter.shape.leaves()) {
      argument_shapes_.push_back(leaf);
      argument_names_.push_back(parameter.name);
    }
  }
  result_shape_ = module.entry->result_shape();
  result_shapes_ = result_shape_.leaves();
}

hlo::Cost Executable::cost_analysis() const {
  const hlo::ComputationPtr& entry = optimized_module().entry;
  return hlo::CostAnalysis(entry).of(*entry);
}

MemoryAnalysis Executable::memory_analysis() const {
  const ExecutableStatistics s = statistics();
  MemoryAnalysis m{.alias_bytes = s.alias_bytes,
                   .temporary_bytes = s.temporary_bytes,
                   .constant_bytes = s.constant_bytes,
                   .code_bytes = s.code_bytes};
  for (const Shape& shape : argument_shapes_) m.argument_bytes += shape.byte_size();
  for (const Shape& shape : result_shapes_) m.output_bytes += shape.byte_size();
  m.peak_bytes = m.argument_bytes + m.output_bytes + m.temporary_bytes;
  return m;
}

Status Executable::execute(std::span<const BufferPtr> arguments, std::span<BufferPtr> results,
                           const ExecuteOptions& options) try {
  const auto fail = [&](const std::string& text) { return invalid_argument("Execute '" + name_ + "': " + text); };
  if (arguments.size() != argument_shapes_.size()) {
    return fail("got " + std::to_string(arguments.size()) + " arguments, compiled for " +
                std::to_string(argument_shapes_.size()));
  }
  if (results.size() != result_shapes_.size()) {
    return fail("room for " + std::to_string(results.size()) + " results, the program has " +
                std::to_string(result_shapes_.size()));
  }
  const int64_t replicas = options.communicator != nullptr ? options.communicator->size() : 1;
  if ((options.communicator != nullptr || needs_others_) && replicas != replica_count_) {
    return fail("compiled for " + std::to_string(replica_count_) + " replicas that meet; got " +
                std::to_string(replicas) + ". Hint: run all replicas together");
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == nullptr) return fail(argument_text(i, argument_names_[i]) + " is null");
    if (arguments[i]->shape() != argument_shapes_[i]) {
      const Shape &got = arguments[i]->shape(), &wanted = argument_shapes_[i];
      const bool layouts = got.compatible(wanted);  // the only difference
      return fail(argument_text(i, argument_names_[i]) + " is " +
                  (layouts ? got.to_string_with_layout() : got.to_string()) + ", compiled for " +
                  (layouts ? wanted.to_string_with_layout() : wanted.to_string()));
    }
    if (arguments[i]->replica() != options.replica) {
      return fail(argument_text(i, argument_names_[i]) + " is a buffer of replica " +
                  std::to_string(arguments[i]->replica()) + ", the program runs on replica " +
                  std::to_string(options.replica));
    }
    if (arguments[i]->state() != BufferState::kLive) {
      return check_live(*arguments[i], argument_text(i, argument_names_[i])).with_context("Execute '" + name_ + "'");
    }
  }
  for (size_t i = 0; i < options.donated.size(); ++i) {
    if (!options.donated[i]) continue;
    for (size_t k = 0; k < arguments.size(); ++k) {
      if (k == i || arguments[k] != arguments[i]) continue;
      const bool twice = k < options.donated.size() && options.donated[k];
      return fail(std::string(twice ? "Attempt to donate the same buffer twice" : "a donated buffer is also read") +
                  " (arguments " + std::to_string(i) + " and " + std::to_string(k) + ")");
    }
  }
  return run(arguments, results, options);
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

}  // namespace hilo
