// SPDX-License-Identifier: Apache-2.0
#include "hilo/c/sized_function.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/array/array_impl.h"

namespace hilo::c {
namespace {

using Arrays = std::vector<Array>;
using Arguments = std::tuple<Arrays>;

/// A program as a function of one tree.
struct OfArrays {
  const FlatFunction& run;
  Arrays operator()(const Arrays& leaves) const { return run(leaves); }
};

Status check_buckets(const Program& program, const JitOptions& options) {
  const auto is_closed = [](const LoadedValue& argument) { return argument.shape.is_array(); };
  if (program.executable != nullptr || std::ranges::all_of(program.arguments, is_closed))
    return invalid_argument(
        fmt::format("hilo_compile: {} has known sizes; got buckets, which are for open ones. Hint: export with "
                    "symbolic sizes, and load without hilo_load_options.shapes",
                    program.name));
  if (std::ranges::any_of(options.buckets, [](int64_t bucket) { return bucket < 1; }))
    return invalid_argument("hilo_compile_options: got a bucket of less than 1");
  return ok_status();
}

}  // namespace

StatusOr<std::shared_ptr<const SizedFunction>> sized_function(const Program& program, JitOptions options) {
  HILO_RETURN_IF_ERROR(check_buckets(program, options));
  options.name = program.name;
  return std::make_shared<const SizedFunction>(program.run, jit_detail::State(std::move(options), nullptr, {}));
}

std::vector<BufferPtr> call_sized(const SizedFunction& function, std::span<const BufferPtr> arguments) {
  Arguments all;
  Arrays& leaves = std::get<0>(all);
  for (const BufferPtr& argument : arguments) leaves.push_back(array_from_buffer(argument));
  const OfArrays run{function.run};
  jit_detail::Call call = function.state.describe(
      {&run, &all, jit_detail::run<OfArrays, Arguments, Arrays>, tree_detail::walk_value<Arrays>}, walk_of(all),
      jit_detail::leaf_counts<Arguments>);
  call.argument_leaves.assign(leaves.size(), 1);  // each is an argument of C, and may have its own axis
  std::vector<BufferPtr> results;
  for (const Array& result : jit_detail::call(function.state.cache(), call).leaves)
    results.push_back(buffer_of(result));
  return results;
}

}  // namespace hilo::c
