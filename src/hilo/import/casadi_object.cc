// SPDX-License-Identifier: Apache-2.0
#include "hilo/import/casadi_object.h"

#include "hilo/base/log.h"
#include "hilo/client/object_under_flags.h"
#include "hilo/import/callable.h"
#include "hilo/import/casadi_program.h"
#include "hilo/trace/ops.h"
#include "hilo/trace/staging_trace.h"

namespace hilo {
namespace {

/// Describes arrays by their paths, or by numbers.
std::vector<LoadedValue> values_of(std::span<const Shape> shapes, const std::vector<std::string>& paths) {
  std::vector<LoadedValue> values;
  for (const Shape& shape : shapes) values.push_back(loaded_value(paths.empty() ? "" : paths[values.size()], shape));
  return values;
}

StatusOr<ObjectFiles> object_of(const CasadiProgram& program, ObjectOptions options) {
  options.name = program.function.name + "_hilo";
  options.argument_paths.clear();
  options.result_paths.clear();
  for (size_t k = 0; k < program.avals.size(); ++k)
    options.argument_paths.push_back(program.function.arguments[k].name);
  for (const CasadiMatrix& result : program.function.results) options.result_paths.push_back(result.name);
  hlo::Module module;
  module.name = program.function.name;
  module.entry = stage(program.run, program.avals, "compile", module.name, CapturePlace::kNone).computation;
  return object_under_flags(module, options);
}

StatusOr<ObjectFiles> derivative_object(const CasadiProgram& derivative, ObjectOptions options) {
  options.casadi = derivative.function;
  return object_of(derivative, std::move(options));
}

/// The second derivative may need operations that objects don't have, or a derivative that doesn't exist.
StatusOr<ObjectFiles> second_derivative(const CasadiProgram& first, const ObjectOptions& options) {
  try {
    return derivative_object(casadi_jacobian(first), options);
  } catch (const Error& error) {
    return error.status();
  }
}

}  // namespace

StatusOr<ObjectFiles> casadi_object(const hlo::Module& module, const ObjectOptions& options) {
  const hlo::ComputationPtr entry = module.entry;
  const FlatFunction run = [entry](std::span<const Array> x) { return ops::call(entry, {x.begin(), x.end()}); };
  const std::vector<LoadedValue> inputs = values_of(parameter_leaves(*entry), options.argument_paths);
  const std::vector<LoadedValue> outputs = values_of(entry->result_shape().leaves(), options.result_paths);
  HILO_ASSIGN_OR_RETURN(CasadiProgram program, casadi_program(options.name, run, inputs, outputs));
  const CasadiProgram first = casadi_jacobian(program);
  ObjectOptions own = options;
  own.test = false;  // the derivatives have other arguments
  own.test_arguments.clear();
  std::vector<std::string> objects, functions;
  const auto add = [&](ObjectFiles files) {
    objects.push_back(std::move(files.object));
    functions.insert(functions.end(), files.functions.begin(), files.functions.end());
  };
  StatusOr<ObjectFiles> second = second_derivative(first, own);
  if (second.ok()) add(*std::move(second));
  else log_warning("{}", second.status().with_context("left out: jac_" + first.function.name).to_string());
  HILO_ASSIGN_OR_RETURN(ObjectFiles slopes, derivative_object(first, own));
  add(std::move(slopes));
  ObjectOptions last = options;
  last.casadi = program.function;
  last.casadi->objects = std::move(objects);
  last.casadi->functions = std::move(functions);
  return object_of(program, last);
}

}  // namespace hilo
