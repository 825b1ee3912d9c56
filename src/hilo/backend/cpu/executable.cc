// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/executable.h"

#include <alloca.h>

#include <new>
#include <optional>
#include "hilo/base/floating_point.h"

namespace hilo::cpu {
namespace {

constexpr size_t kSlotsOnStack = 1024;

}  // namespace

CpuExecutable::CpuExecutable(const hlo::Module& asked, int64_t replica_count,
                             std::unique_ptr<const hlo::Module> optimized, Program program, double milliseconds,
                             double run_seconds)
    : module_(std::move(optimized)), program_(std::move(program)), milliseconds_(milliseconds) {
  set_signature(asked, replica_count, run_seconds);
  for (const Shape& shape : result_shapes()) result_bytes_.push_back(static_cast<size_t>(shape.byte_size()));
}

CpuExecutable::~CpuExecutable() { delete spare_arena_.load(); }

StatusOr<AlignedBuffer> CpuExecutable::take_arena() {
  if (program_.arena_bytes == 0) return AlignedBuffer();
  if (AlignedBuffer* spare = spare_arena_.exchange(nullptr, std::memory_order_acquire)) {
    AlignedBuffer arena = std::move(*spare);
    delete spare;
    return arena;
  }
  return allocate_buffer(static_cast<size_t>(program_.arena_bytes));
}

void CpuExecutable::give_arena(AlignedBuffer arena) {
  if (arena.data() == nullptr) return;
  AlignedBuffer* expected = nullptr;
  auto* mine = new (std::nothrow) AlignedBuffer(std::move(arena));
  if (mine != nullptr && !spare_arena_.compare_exchange_strong(expected, mine, std::memory_order_release)) delete mine;
}

Status CpuExecutable::run(std::span<const BufferPtr> arguments, std::span<BufferPtr> results,
                          const ExecuteOptions& options) {
  HILO_ASSIGN_OR_RETURN(AlignedBuffer arena, take_arena());
  const Status status = run_in(arena, arguments, results, options);
  give_arena(std::move(arena));
  return status;
}

Status CpuExecutable::run_in(AlignedBuffer& arena, std::span<const BufferPtr> arguments, std::span<BufferPtr> results,
                             const ExecuteOptions& options) {
  const bool donates = !options.donated.empty();
  std::vector<AlignedBuffer> taken;  // donated memory, alive until the end
  std::vector<uint32_t> takes(donates ? results.size() : 0, ~0u);
  if (donates) {
    std::vector<bool> used(arguments.size(), false);
    for (const DonationPair& pair : program_.donations) {
      if (pair.argument >= options.donated.size() || !options.donated[pair.argument] || used[pair.argument] ||
          takes[pair.result] != ~0u)
        continue;
      if (arguments[pair.argument]->shape().byte_size() != result_shapes()[pair.result].byte_size()) continue;
      used[pair.argument] = true;
      takes[pair.result] = pair.argument;
    }
  }
  // Everything that can fail comes before an argument is taken.
  for (size_t r = 0; r < results.size(); ++r) {
    if (donates && takes[r] != ~0u) continue;
    HILO_ASSIGN_OR_RETURN(AlignedBuffer memory, allocate_buffer(result_bytes_[r]));
    results[r] = std::make_shared<Buffer>(result_shapes()[r], std::move(memory), options.replica);
  }
  const size_t count = program_.slots.size();
  std::vector<void*> heap(count > kSlotsOnStack ? count : 0);
  void** slots =
      count > kSlotsOnStack ? heap.data() : static_cast<void**>(alloca(sizeof(void*) * std::max<size_t>(count, 1)));
  std::vector<void*> argument_data(donates ? arguments.size() : 0);
  std::vector<std::shared_ptr<std::optional<Buffer>>> rooms(
      takes.size());  // for results that take an argument's memory
  if (donates) {
    for (size_t a = 0; a < arguments.size(); ++a) argument_data[a] = const_cast<void*>(arguments[a]->data());
    taken.resize(arguments.size());
    for (size_t r = 0; r < results.size(); ++r) {
      if (takes[r] != ~0u) rooms[r] = std::make_shared<std::optional<Buffer>>();
    }
    for (size_t a = 0; a < options.donated.size(); ++a) {
      if (options.donated[a]) taken[a] = arguments[a]->release(BufferState::kDonated);
    }
    for (size_t r = 0; r < results.size(); ++r) {
      if (takes[r] == ~0u) continue;
      rooms[r]->emplace(result_shapes()[r], std::move(taken[takes[r]]), options.replica);
      results[r] = BufferPtr(rooms[r], &**rooms[r]);
    }
  }
  for (size_t s = 0; s < count; ++s) {
    const Slot& slot = program_.slots[s];
    const size_t index = static_cast<size_t>(slot.index);
    switch (slot.source) {
      case SlotSource::kArgument:
        slots[s] = donates ? argument_data[index] : const_cast<void*>(arguments[index]->data());
        break;
      case SlotSource::kResult: slots[s] = results[index]->mutable_data(); break;
      case SlotSource::kConstant: slots[s] = const_cast<std::byte*>(program_.constants[index].bytes().data()); break;
      case SlotSource::kArena: slots[s] = arena.data() + index; break;
      case SlotSource::kMoving: slots[s] = nullptr; break;
    }
  }
  const FloatingPointScope control(program_underflow());
  Executor* executor = nullptr;
  if (program_.forks) executor = &default_pool();
  RunContext context{program_, slots, stop_word(), executor, options.observer, options.communicator};
  const Status status = run_steps(program_.steps, context);
  return status.ok() ? status : status.with_context("Execute '" + name() + "'");
}

ExecutableStatistics CpuExecutable::statistics() const {
  ExecutableStatistics s;
  s.kernel_count = program_.kernel_count;
  s.kernels_compiled = program_.kernels_compiled;
  s.temporary_bytes = program_.arena_bytes;
  std::vector<bool> taken(argument_shapes().size()), aliased(result_shapes().size());
  for (const DonationPair& pair : program_.donations) {
    if (taken[pair.argument] || aliased[pair.result]) continue;
    taken[pair.argument] = aliased[pair.result] = true;
    s.alias_bytes += result_shapes()[pair.result].byte_size();
  }
  for (const Literal& constant : program_.constants) s.constant_bytes += static_cast<int64_t>(constant.bytes().size());
  for (const std::shared_ptr<CompiledCode>& code : program_.code) s.code_bytes += static_cast<int64_t>(code->size());
  s.compile_milliseconds = milliseconds_;
  return s;
}

}  // namespace hilo::cpu
