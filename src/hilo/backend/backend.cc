// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/backend.h"

#include <algorithm>

#include "hilo/backend/run_collective.h"
#include "hilo/base/out_of_memory.h"

namespace hilo {
namespace {

std::string argument_text(size_t i, const std::string& name) {
  return "argument " + std::to_string(i) + (name.empty() ? "" : " '" + name + "'");
}

/// Holds a run's arguments until it has ended: alone those that it donates, which it takes or leaves alive.
class ArgumentHolds {
 public:
  ArgumentHolds(std::span<const BufferPtr> arguments, std::span<const bool> donated)
      : arguments_(arguments), donated_(donated) {}
  ArgumentHolds(const ArgumentHolds&) = delete;
  ArgumentHolds& operator=(const ArgumentHolds&) = delete;
  ~ArgumentHolds() {
    for (size_t i = 0; i < held_; ++i) {
      if (is_donated(i)) arguments_[i]->keep();
      else arguments_[i]->end_use();
    }
  }

  bool is_donated(size_t i) const { return i < donated_.size() && donated_[i]; }
  /// The next argument. False if someone holds it: another run, or this one, which got it twice.
  bool hold_next() {
    const BufferPtr& buffer = arguments_[held_];
    if (!(is_donated(held_) ? buffer->try_donate() : buffer->try_use())) return false;
    ++held_;
    return true;
  }
  /// The argument before `i` that is the same buffer, or `i`.
  size_t first_like(size_t i) const {
    return static_cast<size_t>(
        std::find(arguments_.begin(), arguments_.begin() + static_cast<int64_t>(i), arguments_[i]) -
        arguments_.begin());
  }

 private:
  std::span<const BufferPtr> arguments_;
  std::span<const bool> donated_;
  size_t held_ = 0;
};

}  // namespace

std::string CompileOptions::to_string() const {
  const auto text = [](const auto& value) { return value ? "\"" + *value + "\"" : std::string("unset"); };
  return "{generate_hlo_graph: " + text(generate_hlo_graph) +
         ", dump_unoptimized_hlo_proto_to: " + text(dump_unoptimized_hlo_proto_to) +
         ", dump_optimized_hlo_proto_to: " + text(dump_optimized_hlo_proto_to) +
         ", dump_per_pass_hlo_proto_to: " + text(dump_per_pass_hlo_proto_to) +
         ", hlo_profile: " + (hlo_profile ? "true" : "false") +
         ", result_shape: " + (result_shape ? result_shape->to_string_with_layout() : "unset") +
         ", replica_count: " + std::to_string(replica_count) + ", limits: " + limits.to_string() + "}";
}

void Executable::set_signature(const hlo::Module& module, int64_t replica_count, double run_seconds) {
  run_seconds_ = run_seconds;
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
  }
  ArgumentHolds holds(arguments, options.donated);
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (holds.hold_next()) continue;
    const size_t k = holds.first_like(i);
    if (k == i || arguments[i]->state() != BufferState::kLive)
      return not_free(*arguments[i], argument_text(i, argument_names_[i])).with_context("Execute '" + name_ + "'");
    const bool twice = holds.is_donated(i) && holds.is_donated(k);
    return fail(std::string(twice ? "Attempt to donate the same buffer twice" : "a donated buffer is also read") +
                " (arguments " + std::to_string(k) + " and " + std::to_string(i) + ")");
  }
  const DeadlineWatch watch(options.cancellation, deadline_of(options));
  const StopScope scope(watch.word());
  const Status status = run(arguments, results, options);
  // What was left out is never called a result: a word that is set once stays so.
  if (!status.ok() || !stop_requested()) return status;
  return stop_status().with_context("Execute '" + name_ + "'");
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

}  // namespace hilo
