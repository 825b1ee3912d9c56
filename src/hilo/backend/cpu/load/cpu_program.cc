// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/load/cpu_program.h"

#include <alloca.h>
#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/backend/cpu/load/saved_program.h"
#include "hilo/base/floating_point.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/custom_call_registry.h"
#include "hilo/types/checked.h"

namespace hilo::cpu {

using engine::DonationPair, engine::LibraryCall, engine::PlannedWork, engine::Slot, engine::SlotSource;

namespace {

constexpr size_t kSlotsOnStack = 1024;
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
      small_(is_small_program(program_)) {
  for (const Shape& shape : signature_.result_shapes) result_bytes_.push_back(shape.byte_size());
}

CpuProgram::~CpuProgram() { delete spare_arena_.load(); }

StatusOr<AlignedBuffer> CpuProgram::borrow_arena() {
  if (program_.plan.arena_bytes == 0) return AlignedBuffer();
  if (AlignedBuffer* spare = spare_arena_.exchange(nullptr, std::memory_order_acquire)) {
    AlignedBuffer arena = std::move(*spare);
    delete spare;
    return arena;
  }
  return allocate_buffer(program_.plan.arena_bytes);
}

void CpuProgram::return_arena(AlignedBuffer arena) {
  if (arena.data() == nullptr) return;
  AlignedBuffer* expected = nullptr;
  auto* mine = new (std::nothrow) AlignedBuffer(std::move(arena));
  if (mine != nullptr && !spare_arena_.compare_exchange_strong(expected, mine, std::memory_order_release)) delete mine;
}

Status CpuProgram::run(std::span<const BufferPtr> arguments, std::span<BufferPtr> results,
                       std::span<const bool> donated, const RunContext& context) {
  HILO_ASSIGN_OR_RETURN(AlignedBuffer arena, borrow_arena());
  const Status status = run_in(arena, arguments, results, donated, context);
  return_arena(std::move(arena));
  return status;
}

Status CpuProgram::run_in(AlignedBuffer& arena, std::span<const BufferPtr> arguments, std::span<BufferPtr> results,
                          std::span<const bool> donated, const RunContext& context) {
  const std::vector<uint32_t> used_arguments = donated_arguments(program_, signature_, arguments, donated);
  const auto argument_of = [&](size_t r) { return used_arguments.empty() ? kNone : used_arguments[r]; };
  // Everything that can fail is done before an argument is consumed.
  for (size_t r = 0; r < results.size(); ++r) {
    if (argument_of(r) != kNone) continue;
    HILO_ASSIGN_OR_RETURN(AlignedBuffer memory, allocate_buffer(result_bytes_[r]));
    results[r] = std::make_shared<HostBuffer>(signature_.result_shapes[r], std::move(memory), context.device);
  }
  const size_t count = program_.plan.slots.size();
  std::vector<void*> heap(count > kSlotsOnStack ? count : 0);
  void** slots =
      count > kSlotsOnStack ? heap.data() : static_cast<void**>(alloca(sizeof(void*) * std::max<size_t>(count, 1)));
  std::vector<void*> argument_data(donated.empty() ? 0 : arguments.size());
  std::vector<AlignedBuffer> donated_memory(argument_data.size());  // donated memory, alive until the end
  if (!donated.empty()) {
    for (size_t a = 0; a < arguments.size(); ++a) argument_data[a] = host(arguments[a]).mutable_data();
    for (size_t r = 0; r < results.size(); ++r) {
      if (used_arguments[r] != kNone)  // its memory is set below: only allocation can fail
        results[r] = std::make_shared<HostBuffer>(signature_.result_shapes[r], AlignedBuffer(), context.device);
    }
    for (size_t a = 0; a < donated.size(); ++a) {
      if (donated[a]) donated_memory[a] = host(arguments[a]).take_memory();
    }
    for (size_t r = 0; r < results.size(); ++r) {
      if (used_arguments[r] != kNone) host(results[r]).fill(std::move(donated_memory[used_arguments[r]]));
    }
  }
  for (size_t s = 0; s < count; ++s) {
    const Slot& slot = program_.plan.slots[s];
    const size_t index = slot.index;
    switch (slot.source) {
      case SlotSource::kArgument:
        slots[s] = donated.empty() ? host(arguments[index]).mutable_data() : argument_data[index];
        break;
      case SlotSource::kResult: slots[s] = host(results[index]).mutable_data(); break;
      case SlotSource::kConstant:
        slots[s] = const_cast<std::byte*>(program_.plan.constants[index].bytes().data());
        break;
      case SlotSource::kArena: slots[s] = arena.data() + index; break;
      case SlotSource::kMoving: slots[s] = nullptr; break;
    }
  }
  const FloatingPointScope control(program_underflow());
  const CallContext call{context.stop_word, program_.plan.forks ? &default_pool() : nullptr, context.communicator};
  StepContext steps{program_, slots, call, context.observer, {}};
  if (context.observer != nullptr) steps.units = units();
  const Status status = run_steps(program_.plan.steps, steps);
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
  return save_program(signature_, program_.plan, module_->proto());
}

ExecutableStatistics CpuProgram::statistics() const {
  ExecutableStatistics s;
  s.kernel_count = program_.kernels.size() + program_.loops.size();
  s.kernels_compiled = compiled_;
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
  for (const std::shared_ptr<CompiledCode>& code : program_.code) s.code_bytes += std::ssize(*code);
  s.compile_milliseconds = milliseconds_;
  return s;
}

}  // namespace hilo::cpu
