// SPDX-License-Identifier: Apache-2.0
// c/transform.cc -- derivatives and batches of programs.
#include <fmt/format.h>

#include "hilo/c/guarded.h"
#include "hilo/c/staged.h"
#include "hilo/import/callable.h"
#include "hilo/import/with_gradients.h"
#include "hilo/transform/vmap.h"

namespace hilo::c {
namespace {

using Arrays = std::vector<Array>;
using ProgramPtr = std::shared_ptr<Program>;

/// Numbers results without a name as the program without the transformation does.
void name_results(Program& program, const Program& before, std::span<const std::string> more) {
  for (size_t k = 0; k < program.results.size(); ++k)
    program.results[k].name = k < before.results.size() ? before.results[k].name : more[k - before.results.size()];
}

StatusOr<ProgramPtr> differentiated(const Program& program, std::span<const size_t> arguments) {
  if (program.executable != nullptr) return staged(program).status();
  std::vector<int64_t> numbers;
  std::vector<std::string> names;
  for (const size_t argument : arguments) {
    const bool exists = argument < program.arguments.size();
    numbers.push_back(exists ? static_cast<int64_t>(argument) : std::ssize(program.arguments));
    if (exists) names.push_back("grad " + program.arguments[argument].name);
  }
  HILO_RETURN_IF_ERROR(check_gradients(program.arguments, program.results, numbers, "hilo_grad", program.name));
  auto derivative = std::make_shared<Program>(program);
  derivative->run = with_gradients(program.run, std::move(numbers));
  HILO_RETURN_IF_ERROR(stage_in_place(*derivative));
  name_results(*derivative, program, names);
  return derivative;
}

/// Adds the batch's dimension to an argument.
StatusOr<LoadedValue> batched_argument(const LoadedValue& argument, size_t index, int64_t batch, int32_t axis) {
  if (axis == -1) return argument;
  if (!argument.shape.is_array())
    return invalid_argument(fmt::format("hilo_vmap: argument {} is {}, with open sizes. Hint: hilo_load_options.shapes",
                                        index, argument.type));
  if (axis < 0 || axis > argument.shape.rank())
    return invalid_argument(fmt::format("hilo_vmap: argument {} is {}; got axis {}; wanted -1 to {}", index,
                                        argument.type, axis, argument.shape.rank()));
  std::vector<int64_t> dimensions(argument.shape.dimensions().begin(), argument.shape.dimensions().end());
  dimensions.insert(dimensions.begin() + axis, batch);
  HILO_ASSIGN_OR_RETURN(const Shape shape, Shape::make_array(argument.shape.element_type(), dimensions));
  return loaded_value(argument.name, shape);
}

StatusOr<ProgramPtr> batched_program(const Program& program, int64_t batch, const int32_t* axes) {
  if (batch < 1) return invalid_argument(fmt::format("hilo_vmap: got a batch of {}; wanted at least 1", batch));
  auto result = std::make_shared<Program>(program);
  std::vector<AxisTree> parts;
  for (size_t k = 0; k < program.arguments.size(); ++k) {
    const int32_t axis = axes == nullptr ? 0 : axes[k];
    HILO_ASSIGN_OR_RETURN(result->arguments[k], batched_argument(program.arguments[k], k, batch, axis));
    parts.push_back(axis == -1 ? AxisTree(std::nullopt) : AxisTree(axis));
  }
  const VmapOptions options = {.in_axes = std::vector{AxisTree(std::move(parts))}, .axis_size = batch};
  result->run = [run = program.run, options](std::span<const Array> leaves) {
    return vmap([&run](const Arrays& all) { return run(all); }, options)(Arrays(leaves.begin(), leaves.end()));
  };
  HILO_RETURN_IF_ERROR(stage_in_place(*result));
  name_results(*result, program, {});
  return result;
}

}  // namespace

extern "C" {

int hilo_grad(const hilo_program* program, const size_t* arguments, size_t count, hilo_program** derivative,
              char** error) {
  return guarded(error, [&]() -> Status {
    if (derivative == nullptr) return null_parameter("hilo_grad", "derivative");
    *derivative = nullptr;
    if (program == nullptr) return null_parameter("hilo_grad", "program");
    if (arguments == nullptr && count != 0) return null_parameter("hilo_grad", "arguments");
    HILO_ASSIGN_OR_RETURN(ProgramPtr made, differentiated(*program->program, {arguments, count}));
    *derivative = new hilo_program{std::move(made)};
    return ok_status();
  });
}

int hilo_vmap(const hilo_program* program, int64_t batch, const int32_t* axes, hilo_program** batched, char** error) {
  return guarded(error, [&]() -> Status {
    if (batched == nullptr) return null_parameter("hilo_vmap", "batched");
    *batched = nullptr;
    if (program == nullptr) return null_parameter("hilo_vmap", "program");
    HILO_ASSIGN_OR_RETURN(ProgramPtr made, batched_program(*program->program, batch, axes));
    *batched = new hilo_program{std::move(made)};
    return ok_status();
  });
}

}  // extern "C"

}  // namespace hilo::c
