// SPDX-License-Identifier: Apache-2.0
// c/function.cc -- compiles programs, and calls them on the caller's memory.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hilo/base/files.h"
#include "hilo/c/guarded.h"
#include "hilo/c/run.h"
#include "hilo/c/sized_function.h"
#include "hilo/c/staged.h"
#include "hilo/c/struct_size.h"
#include "hilo/client/local_computation.h"
#include "hilo/transform/compiler_options.h"

namespace hilo::c {
namespace {

StatusOr<CompilerOptions> named_options(const hilo_compile_options& options) {
  if (options.flags == nullptr && options.flag_count != 0) return null_parameter("hilo_compile_options", "flags");
  CompilerOptions named;
  for (size_t k = 0; k < options.flag_count; ++k) {
    if (options.flags[k] == nullptr) return null_parameter("hilo_compile_options", fmt::format("flags[{}]", k));
    const std::string_view flag = options.flags[k];
    const size_t equals = flag.find('=');
    if (equals == std::string_view::npos)
      return invalid_argument(fmt::format("hilo_compile_options: got '{}'; wanted NAME=VALUE", flag));
    named[std::string(flag.substr(0, equals))] = flag.substr(equals + 1);
  }
  return named;
}

/// Adds the options that have fields, unless they are named.
Status add_effort(const hilo_compile_options& options, CompilerOptions& named) {
  if (options.effort < HILO_EFFORT_DEFAULT || options.effort > HILO_EFFORT_BEST)
    return invalid_argument(fmt::format("hilo_compile_options: got effort {}", options.effort));
  constexpr double kMaxBudget = 1e9;  // seconds
  if (!(options.budget >= 0 && options.budget <= kMaxBudget))
    return invalid_argument(fmt::format("hilo_compile_options: got a budget of {} s", options.budget));
  if (options.effort != HILO_EFFORT_DEFAULT)
    named.emplace("hilo_effort", options.effort == HILO_EFFORT_FASTEST ? "fastest" : "best");
  if (options.no_tiers != 0) named.emplace("hilo_tiers", "false");
  if (options.budget > 0)
    named.emplace("hilo_budget_milliseconds", fmt::format("{:.0f}", std::ceil(options.budget * 1e3)));
  return ok_status();
}

StatusOr<std::shared_ptr<Executable>> compiled(const Program& program, const CompilerOptions& options) {
  if (program.executable != nullptr) {
    if (options.empty()) return program.executable;
    return invalid_argument(
        fmt::format("hilo_compile: {} is compiled already; got options of a compilation", program.name));
  }
  hlo::Module module;
  module.name = program.name;
  HILO_ASSIGN_OR_RETURN(module.entry, staged(program));
  HILO_ASSIGN_OR_RETURN(const LocalComputation computation,
                        compile_under_flags(std::move(module), [&](CompileOptions& compile) {
                          if (!options.empty()) set_compiler_options(options, compile);
                        }));
  return computation.executable();
}

std::vector<MemoryRule> rules_of(std::span<const Shape> shapes) {
  std::vector<MemoryRule> rules;
  for (const Shape& shape : shapes)
    rules.push_back({shape.byte_size(), static_cast<uintptr_t>(element_size_bytes(shape.element_type())) - 1});
  return rules;
}

/// The options of a program with buckets.
StatusOr<JitOptions> bucket_options(const Program& program, const hilo_compile_options& options,
                                    CompilerOptions named) {
  if (options.buckets == nullptr) return null_parameter("hilo_compile_options", "buckets");
  JitOptions jit{.compiler_options = std::move(named),
                 .buckets = {options.buckets, options.buckets + options.bucket_count}};
  for (size_t k = 0; options.bucket_axes != nullptr && k < program.arguments.size(); ++k) {
    const int32_t axis = options.bucket_axes[k];
    if (axis < -1) return invalid_argument(fmt::format("hilo_compile_options: got axis {} of argument {}", axis, k));
    jit.bucket_axes.push_back(axis == -1 ? std::optional<int>() : axis);
  }
  return jit;
}

Status make_sized(const Program& program, const hilo_compile_options& options, CompilerOptions named,
                  Function& function) {
  HILO_ASSIGN_OR_RETURN(JitOptions jit, bucket_options(program, options, std::move(named)));
  HILO_ASSIGN_OR_RETURN(function.sized, sized_function(program, std::move(jit)));
  function.arguments.resize(program.arguments.size());
  function.results.resize(program.results.size());
  return ok_status();
}

StatusOr<std::shared_ptr<const Function>> function_of(const Program& program, const hilo_compile_options& options) {
  if (options.threads < 0)
    return invalid_argument(fmt::format("hilo_compile_options: got {} threads", options.threads));
  HILO_ASSIGN_OR_RETURN(CompilerOptions named, named_options(options));
  HILO_RETURN_IF_ERROR(add_effort(options, named));
  auto function = std::make_shared<Function>();
  if (options.threads != 0) function->pool = std::make_unique<ThreadPool>(options.threads);
  if (options.bucket_count != 0) {
    HILO_RETURN_IF_ERROR(make_sized(program, options, std::move(named), *function));
    return std::shared_ptr<const Function>(std::move(function));
  }
  HILO_ASSIGN_OR_RETURN(function->executable, compiled(program, named));
  const Executable& executable = *function->executable;
  function->arguments = rules_of(executable.argument_shapes());
  function->results = rules_of(executable.result_shapes());
  const auto is_plain = [](const Shape& shape) { return shape.is_array() && shape.has_default_layout(); };
  function->direct = executable.runs_directly() && std::ranges::all_of(executable.argument_shapes(), is_plain) &&
                     std::ranges::all_of(executable.result_shapes(), is_plain);
  return std::shared_ptr<const Function>(std::move(function));
}

/// Checks that each address with elements exists and is aligned.
Status check_addresses(std::string_view what, std::span<const MemoryRule> rules, const void* const* addresses) {
  if (addresses == nullptr && !rules.empty()) return null_parameter("hilo_call", fmt::format("{}s", what));
  for (size_t k = 0; k < rules.size(); ++k) {
    if (rules[k].bytes == 0) continue;
    if (addresses[k] == nullptr) return null_parameter("hilo_call", fmt::format("{} {}", what, k));
    if ((reinterpret_cast<uintptr_t>(addresses[k]) & rules[k].mask) != 0)
      return invalid_argument(fmt::format("hilo_call: {} {} is at address {}; wanted a multiple of {}", what, k,
                                          fmt::ptr(addresses[k]), rules[k].mask + 1));
  }
  return ok_status();
}

bool overlap(const void* a, int64_t a_bytes, const void* b, int64_t b_bytes) {
  const auto first = reinterpret_cast<uintptr_t>(a), second = reinterpret_cast<uintptr_t>(b);
  return a_bytes != 0 && b_bytes != 0 && first < second + static_cast<uintptr_t>(b_bytes) &&
         second < first + static_cast<uintptr_t>(a_bytes);
}

/// Checks that a result overlaps no argument and no other result.
Status check_overlaps(const Function& function, const void* const* arguments, void* const* results) {
  for (size_t r = 0; r < function.results.size(); ++r) {
    const int64_t bytes = function.results[r].bytes;
    for (size_t k = 0; k < function.arguments.size(); ++k) {
      if (overlap(results[r], bytes, arguments[k], function.arguments[k].bytes))
        return invalid_argument(fmt::format("hilo_call: result {} overlaps argument {}", r, k));
    }
    for (size_t k = 0; k < r; ++k) {
      if (overlap(results[r], bytes, results[k], function.results[k].bytes))
        return invalid_argument(fmt::format("hilo_call: results {} and {} overlap", k, r));
    }
  }
  return ok_status();
}

/// A result without elements may have no address, which run_directly() would take as a request for a buffer.
std::vector<std::byte*> addresses_of(const Function& function, void* const* results) {
  static std::byte nothing[64];
  std::vector<std::byte*> addresses;
  for (size_t r = 0; r < function.results.size(); ++r)
    addresses.push_back(results[r] == nullptr ? nothing : static_cast<std::byte*>(results[r]));
  return addresses;
}

std::optional<Status> run_at(const Function& function, const void* const* arguments, void* const* results) {
  const std::span inputs(reinterpret_cast<const std::byte* const*>(arguments), function.arguments.size());
  const auto run = [&](std::byte* const* outputs) {
    // Addresses that aren't null are only read.
    return function.executable->run_directly({inputs, {const_cast<std::byte**>(outputs), function.results.size()}, {}});
  };
  if (std::find(results, results + function.results.size(), nullptr) == results + function.results.size())
    return run(reinterpret_cast<std::byte* const*>(results));
  return run(addresses_of(function, results).data());
}

Status checked_call(const Function& function, const void* const* arguments, void* const* results) {
  if (function.sized != nullptr)
    return invalid_argument("hilo_call: the sizes of the arrays are open. Hint: hilo_call_buffers");
  HILO_RETURN_IF_ERROR(check_addresses("argument", function.arguments, arguments));
  HILO_RETURN_IF_ERROR(check_addresses("result", function.results, results));
  HILO_RETURN_IF_ERROR(check_overlaps(function, arguments, results));
  if (function.direct) {
    const ExecutorScope threads(function.pool.get());
    const std::optional<Status> status = run_at(function, arguments, results);
    if (status) return *status;  // otherwise the device runs something else first
  }
  return run_with_copies(function, arguments, results);
}

int call_pointer(const void* const* arguments, void* const* results, void* context) {
  return guarded(nullptr, [&] {
    if (context == nullptr) return null_parameter("hilo_pointer", "context");
    return checked_call(*static_cast<const Function*>(context), arguments, results);
  });
}

}  // namespace

extern "C" {

int hilo_compile(const hilo_program* program, const hilo_compile_options* options, hilo_function** function,
                 char** error) {
  return guarded(error, [&]() -> Status {
    if (function == nullptr) return null_parameter("hilo_compile", "function");
    *function = nullptr;
    if (program == nullptr) return null_parameter("hilo_compile", "program");
    HILO_ASSIGN_OR_RETURN(const hilo_compile_options own, read_struct(options, "hilo_compile_options"));
    HILO_ASSIGN_OR_RETURN(std::shared_ptr<const Function> made, function_of(*program->program, own));
    *function = new hilo_function{*program, std::move(made)};
    return ok_status();
  });
}

void hilo_function_free(hilo_function* function) { delete function; }

const hilo_program* hilo_function_program(const hilo_function* function) {
  return function == nullptr ? nullptr : &function->program;
}

int hilo_save(const hilo_function* function, const char* path, char** error) {
  return guarded(error, [&]() -> Status {
    if (function == nullptr) return null_parameter("hilo_save", "function");
    if (path == nullptr) return null_parameter("hilo_save", "path");
    if (function->function->sized != nullptr) return unimplemented("hilo_save: a function with buckets");
    HILO_ASSIGN_OR_RETURN(const std::string bytes, function->function->executable->serialize());
    return write_file_atomic(path, bytes);
  });
}

int hilo_call(const hilo_function* function, const void* const* arguments, size_t argument_count, void* const* results,
              size_t result_count, char** error) {
  return guarded(error, [&]() -> Status {
    if (function == nullptr) return null_parameter("hilo_call", "function");
    const Function& called = *function->function;
    HILO_RETURN_IF_ERROR(check_counts("hilo_call", called, argument_count, result_count));
    return checked_call(called, arguments, results);
  });
}

hilo_pointer hilo_function_pointer(const hilo_function* function, void** context) {
  if (context == nullptr) return nullptr;
  *context = function == nullptr ? nullptr : const_cast<Function*>(function->function.get());
  return function == nullptr ? nullptr : call_pointer;
}

}  // extern "C"

}  // namespace hilo::c
