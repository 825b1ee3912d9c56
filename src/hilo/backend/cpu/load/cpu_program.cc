// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/load/cpu_program.h"

#include <alloca.h>
#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/backend/cpu/load/saved_program.h"
#include "hilo/base/floating_point.h"
#include "hilo/base/run_scope.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/custom_call_registry.h"
#include "hilo/types/checked.h"

namespace hilo::cpu {

using engine::DonationPair, engine::LibraryCall, engine::PlannedWork;

namespace {

constexpr size_t kAddressesOnStack = 1024;
constexpr double kSmallBytes = 1 << 16;  // of memory read and written, by a run of a few microseconds
constexpr uint32_t kNone = ~uint32_t{0};

bool is_small_program(const Program& program) {
  if (program.plan.forks || !program.heroes.empty() || !program.plan.loops.empty() || !program.plan.whole_loops.empty())
    return false;
  double bytes = 0;
  for (const PlannedWork& work : program.plan.work) bytes += work.bytes;
  return bytes <= kSmallBytes;
}

/// Returns for every result the donated argument whose memory it uses, or kNone. Empty if no result uses any.
std::vector<uint32_t> donated_arguments(const Program& program, const ProgramSignature& signature,
                                        std::span<const BufferPtr> arguments, std::span<const bool> donated) {
  if (donated.empty()) return {};
  std::vector<uint32_t> used_arguments(signature.result_shapes.size(), kNone);
  std::vector<bool> used(arguments.size(), false);
  for (const DonationPair& pair : program.plan.donations) {
    if (pair.argument >= donated.size() || !donated[pair.argument] || used[pair.argument] ||
        used_arguments[pair.result] != kNone)
      continue;
    if (!host(arguments[pair.argument]).owns_memory()) continue;  // borrowed memory is returned to its owner
    if (arguments[pair.argument]->shape().byte_size() != signature.result_shapes[pair.result].byte_size()) continue;
    used[pair.argument] = true;
    used_arguments[pair.result] = pair.argument;
  }
  return used_arguments;
}

}  // namespace

CpuProgram::CpuProgram(ProgramSignature signature, std::unique_ptr<const ProgramModule> module, Program program,
                       int64_t compiled, double milliseconds)
    : signature_(std::move(signature)),
      module_(std::move(module)),
      program_(std::move(program)),
      compiled_(compiled),
      milliseconds_(milliseconds),
      small_(is_small_program(program_)),
      frames_(program_) {
  for (const Shape& shape : signature_.result_shapes) result_bytes_.push_back(shape.byte_size());
}

void CpuProgram::replace_later(Tier::Generate generate, double seconds) {
  tier_ = std::make_unique<Tier>(program_, std::move(generate), seconds);
}

Status CpuProgram::create_results(std::span<BufferPtr> results, std::span<const uint32_t> used_arguments,
                                  const DevicePtr& device) const {
  for (size_t r = 0; r < results.size(); ++r) {
    const bool reuses = !used_arguments.empty() && used_arguments[r] != kNone;
    AlignedBuffer memory;
    if (!reuses) {
      HILO_ASSIGN_OR_RETURN(memory, allocate_buffer(result_bytes_[r]));
    }
    results[r] = new_host_buffer(signature_.result_shapes[r], std::move(memory), device);
  }
  return ok_status();
}

Status CpuProgram::run(std::span<const BufferPtr> arguments, std::span<BufferPtr> results,
                       std::span<const bool> donated, const RunContext& context) {
  const TierClock clock(tier_.get());
  // Everything that can fail is done before an argument is consumed.
  const std::vector<uint32_t> used_arguments = donated_arguments(program_, signature_, arguments, donated);
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<RunFrame> frame, frames_.take());
  HILO_RETURN_IF_ERROR(create_results(results, used_arguments, context.device));
  const size_t count = arguments.size() + results.size();
  std::vector<std::byte*> heap(count > kAddressesOnStack ? count : 0);
  std::byte** const addresses = count > kAddressesOnStack
                                    ? heap.data()
                                    : static_cast<std::byte**>(alloca(sizeof(std::byte*) * std::max<size_t>(count, 1)));
  for (size_t a = 0; a < arguments.size(); ++a) addresses[a] = host(arguments[a]).mutable_data();
  std::vector<AlignedBuffer> donated_memory(donated.size());  // alive until the end
  for (size_t a = 0; a < donated.size(); ++a) {
    if (donated[a]) donated_memory[a] = host(arguments[a]).take_memory();
  }
  for (size_t r = 0; r < used_arguments.size(); ++r) {
    if (used_arguments[r] != kNone) host(results[r]).fill(std::move(donated_memory[used_arguments[r]]));
  }
  for (size_t r = 0; r < results.size(); ++r) addresses[arguments.size() + r] = host(results[r]).mutable_data();
  const Status status = run_in(code(), *frame, addresses, addresses + arguments.size(), context);
  frames_.give_back(std::move(frame));
  return status;
}

Status CpuProgram::run_at(std::span<const std::byte* const> arguments, std::span<std::byte* const> results,
                          const DevicePtr& device) {
  const TierClock clock(tier_.get());
  const Program& now = code();
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<RunFrame> frame, frames_.take());
  const RunContext context{device, nullptr, stop_word(), kNoDeadline, nullptr, nullptr};
  Status status;
  if (frames_.is_straight() && context.stop_word == nullptr) {
    frames_.place_straight(*frame, arguments.data(), results.data());
    status = run_straight(now, *frame, context);
  } else {
    const RunScope here(&context);
    status = run_in(now, *frame, arguments.data(), results.data(), context);
    // After a stop, results may be incomplete: a stop word, once set, stays set.
    if (status.ok() && stop_requested()) status = stop_status().with_context("Execute '" + signature_.name + "'");
  }
  frames_.give_back(std::move(frame));
  return status;
}

Status CpuProgram::run_in(const Program& code, RunFrame& frame, const std::byte* const* arguments,
                          std::byte* const* results, const RunContext& context) {
  frames_.place(frame, arguments, results);
  const FloatingPointScope control(program_underflow());
  const CallContext call{context.stop_word, code.plan.forks ? &default_pool() : nullptr, context.communicator};
  StepContext steps{code, frame.slots.data(), call, context.observer, {}};
  if (context.observer != nullptr) steps.units = units();
  const Status status = run_steps(code.plan.steps, steps);
  return status.ok() ? status : status.with_context("Execute '" + signature_.name + "'");
}

Status CpuProgram::run_straight(const Program& code, const RunFrame& frame, const RunContext& context) const {
  const FloatingPointScope control(program_underflow());
  if (code.heroes.empty()) return run_straight_steps(code, frame.arguments.data(), frame.slots.data());
  const RunScope here(&context);  // the library may call functions of the user's
  const Status status = run_straight_steps(code, frame.arguments.data(), frame.slots.data());
  return status.ok() ? status : status.with_context("Execute '" + signature_.name + "'");
}

StatusOr<std::string> CpuProgram::serialize() const {
  for (const LibraryCall& call : program_.plan.library_calls) {
    if (call.call == nullptr || call.call->root().opcode != hlo::Opcode::kCustomCall) continue;
    const std::string target =
        hlo::custom_call_target(hlo::attributes_of<hlo::CustomCallAttributes>(call.call->root()));
    if (means_this_process(target))
      return unimplemented(fmt::format("serialize '{}': {} calls a function that exists in this process only ('{}')",
                                       signature_.name, describe(call.call->root()), target));
  }
  return save_program(signature_, code().plan, module_->proto());
}

ExecutableStatistics CpuProgram::statistics() const {
  ExecutableStatistics s;
  s.kernel_count = program_.kernels.size() + program_.loops.size();
  s.kernels_compiled = compiled_;
  const bool replaced = tier_ != nullptr && tier_->is_replaced();
  s.quick_count = replaced ? 0 : quick_;
  s.replacement_count = replaced ? 1 : 0;
  s.program_bytes = module_->held_bytes();
  for (const LibraryCall& c : program_.plan.library_calls) s.evaluated_count += c.symbol == kEvaluate ? 1 : 0;
  s.temporary_bytes = program_.plan.arena_bytes;
  std::vector<bool> donated_memory(signature_.argument_shapes.size()), aliased(signature_.result_shapes.size());
  for (const DonationPair& pair : program_.plan.donations) {
    if (donated_memory[pair.argument] || aliased[pair.result]) continue;
    donated_memory[pair.argument] = aliased[pair.result] = true;
    s.alias_bytes += signature_.result_shapes[pair.result].byte_size();
  }
  for (const Literal& constant : program_.plan.constants) s.constant_bytes += std::ssize(constant.bytes());
  for (const std::unique_ptr<Hero>& hero : program_.heroes)
    s.constant_bytes = checked_add(s.constant_bytes, hero->table_bytes()).value_or(INT64_MAX);
  for (const std::shared_ptr<CompiledCode>& object : code().code) s.code_bytes += std::ssize(*object);
  s.compile_milliseconds = milliseconds_;
  return s;
}

}  // namespace hilo::cpu
