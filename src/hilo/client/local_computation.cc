// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/local_computation.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/base/out_of_memory.h"
#include "hilo/client/compile.h"
#include "hilo/hlo/ir/entry_shapes.h"

namespace hilo {
namespace {

bool is_permutation_of_dimensions(std::span<const int64_t> order) {
  std::vector<int64_t> sorted(order.begin(), order.end());
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

/// Returns the shape with every array leaf laid out by `layout_fn`. A null function changes nothing.
StatusOr<Shape> laid_out(const Shape& shape, const LayoutFunction& layout_fn) {
  if (!layout_fn) return shape;
  Status failed;
  const Shape result = shape.map_leaves([&](const Shape& leaf) {
    if (!leaf.is_array()) return leaf;
    const std::optional<Shape> answer = layout_fn(leaf);
    if (!answer) return leaf;
    if (answer->compatible(leaf) && is_permutation_of_dimensions(answer->minor_to_major())) return *answer;
    failed = invalid_argument(fmt::format("layout_fn: got {} for {}; wanted the same shape with another layout.",
                                          answer->to_string_with_layout(), leaf.to_string_with_layout()));
    return leaf;
  });
  if (!failed.ok()) return failed;
  return result;
}

Status check_argument_shapes(const LocalComputation& computation, std::span<const Shape> arguments) {
  const std::vector<Shape> wanted = computation.parameter_shapes();
  const std::string said = fmt::format("Compile '{}'", computation.module().name);
  if (arguments.size() != wanted.size()) {
    return invalid_argument(
        fmt::format("{}: got {} argument shapes; wanted {}.", said, arguments.size(), wanted.size()));
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (arguments[i].compatible(wanted[i])) continue;
    return invalid_argument(fmt::format("{}: argument shape {} doesn't match its parameter; got {}; wanted {}.", said,
                                        i, arguments[i].to_string(), wanted[i].to_string()));
  }
  return ok_status();
}

}  // namespace

StatusOr<LocalComputation> LocalComputation::uncompiled(hlo::Module module) try {
  if (module.entry == nullptr)
    return invalid_argument(fmt::format("module '{}' has no entry computation", module.name));
  HILO_ASSIGN_OR_RETURN(BackendTarget backend, get_backend());
  return LocalComputation(std::move(module), std::move(backend));
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

Shape LocalComputation::return_value_shape() const { return entry_result_shape(module_); }

std::vector<Shape> LocalComputation::parameter_shapes() const { return entry_parameter_shapes(module_); }

StatusOr<LocalComputation> LocalComputation::compile(std::span<const Shape> argument_shapes,
                                                     const std::optional<CompileOptions>& compile_options,
                                                     const LayoutFunction& layout_fn) const try {
  if (is_compiled()) return failed_precondition("Attempt to compile a compiled local XLA computation.");
  HILO_RETURN_IF_ERROR(check_argument_shapes(*this, argument_shapes));
  std::vector<Shape> arguments;
  for (const Shape& shape : argument_shapes) {
    HILO_ASSIGN_OR_RETURN(const Shape argument, laid_out(shape, layout_fn));
    arguments.push_back(argument);
  }
  CompileOptions options = compile_options.value_or(CompileOptions{});
  HILO_ASSIGN_OR_RETURN(options.result_shape, laid_out(return_value_shape(), layout_fn));

  LocalComputation compiled(with_entry_shapes(module_, arguments, *options.result_shape), backend_);
  HILO_ASSIGN_OR_RETURN(compiled.executable_, compile_module(compiled.module_, options));
  return compiled;
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

StatusOr<std::vector<BufferPtr>> LocalComputation::execute(std::span<const BufferPtr> arguments,
                                                           const ExecuteOptions& options) const try {
  if (!is_compiled()) return failed_precondition("Attempt to execute an uncompiled local XLA computation.");
  std::vector<BufferPtr> results(executable_->result_shapes().size());
  HILO_RETURN_IF_ERROR(executable_->execute(arguments, results, options));
  return results;
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

StatusOr<LocalComputation> compile_under_flags(hlo::Module module,
                                               const std::function<void(CompileOptions&)>& change) try {
  HILO_ASSIGN_OR_RETURN(const LocalComputation computation, LocalComputation::uncompiled(std::move(module)));
  HILO_ASSIGN_OR_RETURN(std::optional<CompileOptions> options, get_compile_options());
  if (change) change(options ? *options : options.emplace());
  return computation.compile(computation.parameter_shapes(), options);
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

}  // namespace hilo
