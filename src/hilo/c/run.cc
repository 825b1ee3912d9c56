// SPDX-License-Identifier: Apache-2.0
#include "hilo/c/run.h"

#include <fmt/format.h>

#include "hilo/c/guarded.h"
#include "hilo/c/sized_function.h"
#include "hilo/import/callable.h"

namespace hilo::c {

using Buffers = std::vector<BufferPtr>;

Status check_counts(std::string_view what, const Function& function, size_t arguments, size_t results) {
  if (arguments != function.arguments.size())
    return invalid_argument(fmt::format("{}: got {} arguments; wanted {}", what, arguments, function.arguments.size()));
  if (results != function.results.size())
    return invalid_argument(fmt::format("{}: got {} results; wanted {}", what, results, function.results.size()));
  return ok_status();
}

Status run_with_copies(const Function& function, const void* const* arguments, void* const* results) {
  Executable& executable = *function.executable;
  Buffers inputs, outputs(function.results.size());
  for (size_t k = 0; k < function.arguments.size(); ++k) {
    HILO_ASSIGN_OR_RETURN(BufferPtr input,
                          executable.devices()[0]->from_host({.shape = executable.argument_shapes()[k],
                                                              .data = static_cast<const std::byte*>(arguments[k])}));
    inputs.push_back(std::move(input));
  }
  HILO_RETURN_IF_ERROR(executable.execute(inputs, outputs, {.executor = function.pool.get()}));
  for (size_t r = 0; r < outputs.size(); ++r) {
    if (function.results[r].bytes == 0) continue;
    HILO_ASSIGN_OR_RETURN(const BufferUse use, BufferUse::of(outputs[r], "result"));
    HILO_RETURN_IF_ERROR(outputs[r]->read(static_cast<std::byte*>(results[r])).await());
  }
  return ok_status();
}

namespace {

/// Returns the arguments of a call.
StatusOr<Buffers> buffers_of(std::string_view what, const Function& function, const hilo_buffer* const* arguments,
                             size_t argument_count, hilo_buffer** results, size_t result_count) {
  HILO_RETURN_IF_ERROR(check_counts(what, function, argument_count, result_count));
  if (arguments == nullptr && argument_count != 0) return null_parameter(what, "arguments");
  if (results == nullptr && result_count != 0) return null_parameter(what, "results");
  std::fill_n(results, result_count, nullptr);
  Buffers inputs;
  for (size_t k = 0; k < argument_count; ++k) {
    if (arguments[k] == nullptr) return null_parameter(what, fmt::format("argument {}", k));
    inputs.push_back(arguments[k]->buffer);
  }
  return inputs;
}

/// Creates the handles of results: all or none.
void give(Buffers buffers, hilo_buffer** results) {
  std::vector<std::unique_ptr<hilo_buffer>> handles;
  for (BufferPtr& buffer : buffers) {
    LoadedValue value = loaded_value("", buffer->shape());
    handles.push_back(std::make_unique<hilo_buffer>(std::move(buffer), std::move(value)));
  }
  for (size_t r = 0; r < handles.size(); ++r) results[r] = handles[r].release();
}

Buffers run_sized(const Function& function, const Buffers& inputs) {
  const ExecutorScope threads(function.pool.get());
  return call_sized(*function.sized, inputs);
}

}  // namespace

extern "C" {

int hilo_call_buffers(const hilo_function* function, const hilo_buffer* const* arguments, size_t argument_count,
                      hilo_buffer** results, size_t result_count, char** error) {
  return guarded(error, [&]() -> Status {
    if (function == nullptr) return null_parameter("hilo_call_buffers", "function");
    const Function& called = *function->function;
    HILO_ASSIGN_OR_RETURN(const Buffers inputs,
                          buffers_of("hilo_call_buffers", called, arguments, argument_count, results, result_count));
    if (called.sized != nullptr) {
      give(run_sized(called, inputs), results);
      return ok_status();
    }
    Buffers outputs(result_count);
    HILO_RETURN_IF_ERROR(called.executable->execute(inputs, outputs, {.executor = called.pool.get()}));
    give(std::move(outputs), results);
    return ok_status();
  });
}

int hilo_start(const hilo_function* function, const hilo_buffer* const* arguments, size_t argument_count,
               hilo_buffer** results, size_t result_count, hilo_run** run, char** error) {
  return guarded(error, [&]() -> Status {
    if (run != nullptr) *run = nullptr;
    if (function == nullptr) return null_parameter("hilo_start", "function");
    const std::shared_ptr<const Function>& called = function->function;
    HILO_ASSIGN_OR_RETURN(const Buffers inputs,
                          buffers_of("hilo_start", *called, arguments, argument_count, results, result_count));
    auto handle = std::make_unique<hilo_run>();
    if (called->sized != nullptr) {
      give(run_sized(*called, inputs), results);
      if (run != nullptr) *run = handle.release();
      return ok_status();
    }
    Buffers outputs(result_count);
    const DeviceRun one = {inputs, outputs};
    HILO_ASSIGN_OR_RETURN(
        handle->event, called->executable->launch({&one, 1}, {.executor = called->pool.get(), .asynchronous = true}));
    handle->event.on_ready([called](const Status&) {});  // keeps the pool
    give(std::move(outputs), results);
    if (run != nullptr) *run = handle.release();
    return ok_status();
  });
}

int hilo_run_has_ended(const hilo_run* run) { return run == nullptr || run->event.is_ready() ? 1 : 0; }

int hilo_run_wait(const hilo_run* run, double seconds, char** error) {
  return guarded(error, [&]() -> Status {
    if (run == nullptr) return null_parameter("hilo_run_wait", "run");
    if (!(seconds >= 0)) return invalid_argument(fmt::format("hilo_run_wait: got {} seconds", seconds));
    return run->event.await(nullptr, deadline_in(seconds));
  });
}

void hilo_run_free(hilo_run* run) { delete run; }

}  // extern "C"

}  // namespace hilo::c
