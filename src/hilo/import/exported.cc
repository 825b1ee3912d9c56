// SPDX-License-Identifier: Apache-2.0
#include "hilo/import/exported.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/ext/custom_vjp.h"
#include "hilo/import/by_shapes.h"
#include "hilo/import/program.h"
#include "hilo/import/symbolic.h"
#include "hilo/stablehlo/reader.h"
#include "hilo/trace/ops.h"
#include "hilo/trace/rules.h"
#include "hilo/trace/staging_trace.h"

namespace hilo {
namespace {

using stablehlo::ExportedValue;
using stablehlo::JaxExport;

constexpr std::string_view kPlatform = "cpu";

Shape shape_of(const ExportedValue& value) {
  std::vector<int64_t> sizes;
  for (const std::string& text : value.sizes) sizes.push_back(or_throw(evaluate_size(text, {})));
  return or_throw(Shape::make_array(value.type, sizes));
}

bool any_symbolic(const std::vector<ExportedValue>& values) {
  return std::any_of(values.begin(), values.end(), [](const ExportedValue& value) { return value.is_symbolic(); });
}

std::vector<LoadedValue> loaded(const std::vector<ExportedValue>& values) {
  std::vector<LoadedValue> out;
  for (const ExportedValue& value : values) {
    const std::string name = value.path.empty() ? std::to_string(out.size()) : value.path;
    if (value.is_symbolic()) out.push_back({name, Shape(), value.to_string()});
    else out.push_back(loaded_value(name, shape_of(value)));
  }
  return out;
}

/// Returns the index of the platform in the file's list; the module takes it as an argument if there are several.
int32_t platform_index(const JaxExport& exported, const std::string& source) {
  const auto& all = exported.platforms;
  const auto at = std::find(all.begin(), all.end(), kPlatform);
  if (at != all.end()) return static_cast<int32_t>(at - all.begin());
  const auto& disabled = exported.disabled_checks;
  if (all.size() == 1 && std::find(disabled.begin(), disabled.end(), "platform") != disabled.end()) return 0;
  or_throw(failed_precondition(fmt::format("{}: function '{}' was exported for {}; wanted {}. Hint: platforms=['cpu']",
                                           source, exported.function_name, fmt::join(all, ", "), kPlatform)));
  return 0;
}

void check_runs_here(const JaxExport& exported, const std::string& source) {
  if (!exported.ordered_effects.empty()) {
    or_throw(unimplemented(fmt::format("{}: function '{}' has ordered effects, which need Python: {}", source,
                                       exported.function_name, fmt::join(exported.ordered_effects, ", "))));
  }
  if (exported.device_count > 1) {
    or_throw(unimplemented(
        fmt::format("{}: function '{}' is for {} devices", source, exported.function_name, exported.device_count)));
  }
}

/// Returns the module. If `open`, its own types leave sizes unknown; they are taken from those of `inputs` that the
/// module uses.
StatusOr<hlo::Module> module_of(const JaxExport& exported, const std::vector<LoadedValue>& inputs,
                                const std::string& source, bool open) {
  if (!open) return parse_program(exported.module, source);
  HILO_ASSIGN_OR_RETURN(const stablehlo::ModuleTree tree, stablehlo::read_tree(exported.module, source));
  HILO_ASSIGN_OR_RETURN(const stablehlo::EntryTypes types, stablehlo::entry_types(tree));
  std::vector<Shape> arguments;
  if (exported.platforms.size() > 1 && !types.arguments.empty())  // s64 under x64
    arguments.push_back(Shape::scalar(types.arguments[0].element));
  for (size_t index : exported.kept_inputs) arguments.push_back(inputs[index].shape);
  return translated_program(tree, source, "", std::move(arguments));
}

/// Returns the module's entry, as a function of all inputs.
hlo::ComputationPtr entry_of(const JaxExport& exported, const std::vector<LoadedValue>& inputs,
                             const std::string& source, bool open) {
  const int32_t platform = platform_index(exported, source);
  const bool takes_platform = exported.platforms.size() > 1;
  const hlo::ComputationPtr entry = callable_entry(or_throw(module_of(exported, inputs, source, open)));
  const FlatFunction over_all = [&](std::span<const Array> leaves) {
    const std::vector<Shape> expected = parameter_leaves(*entry);
    std::vector<Array> own;
    if (takes_platform && !expected.empty() && is_integer(expected[0].element_type()))
      own.push_back(ops::scalar(platform, expected[0].element_type()));
    for (size_t index : exported.kept_inputs) own.push_back(leaves[index]);
    bool fits = own.size() == expected.size();
    for (size_t i = 0; fits && i < own.size(); ++i) fits = own[i].aval_shape() == expected[i];
    if (!fits) {
      or_throw(invalid_argument(
          fmt::format("{}: function '{}': its module's parameters differ from those that the file specifies", source,
                      exported.function_name)));
    }
    return run_computation(*entry, own);
  };
  return stage(over_all, avals_of(inputs), "load", exported.function_name).computation;
}

/// arguments -> (results, arguments): the arguments are the residuals of the derivative.
hlo::ComputationPtr forward(const hlo::ComputationPtr& primal, const std::vector<Aval>& arguments) {
  const FlatFunction f = [&](std::span<const Array> x) {
    std::vector<Array> out = run_computation(*primal, x);
    out.insert(out.end(), x.begin(), x.end());
    return out;
  };
  return stage(f, arguments, "load", primal->name() + ".fwd", CapturePlace::kLast, /*always_tuple=*/true).computation;
}

/// (arguments, cotangents of differentiable results) -> cotangents of differentiable arguments. JAX's function takes
/// and returns one for each result and argument, with false for those without.
hlo::ComputationPtr backward(const ImportedFunction& vjp, const std::vector<LoadedValue>& inputs,
                             const std::vector<LoadedValue>& outputs, const std::string& name) {
  std::vector<Aval> avals = avals_of(inputs);
  for (const LoadedValue& output : outputs) {
    if (has_tangent(output.shape.element_type())) avals.push_back({output.shape, false});
  }
  const FlatFunction f = [&](std::span<const Array> x) {
    std::vector<Array> all(x.begin(), x.begin() + inputs.size());
    size_t next = inputs.size();
    for (const LoadedValue& output : outputs) {
      if (has_tangent(output.shape.element_type())) all.push_back(x[next++]);
      else all.push_back(zeros_like_aval({output.shape.with_element_type(ElementType::kPred), false}));
    }
    const std::vector<Array> cotangents = vjp.run(all);
    std::vector<Array> out;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (has_tangent(inputs[i].shape.element_type())) out.push_back(cotangents[i]);
    }
    return out;
  };
  return stage(f, avals, "load", name + ".bwd", CapturePlace::kLast, /*always_tuple=*/true).computation;
}

bool any_tangent(const std::vector<LoadedValue>& values) {
  return std::any_of(values.begin(), values.end(),
                     [](const LoadedValue& value) { return has_tangent(value.shape.element_type()); });
}

/// Imports an export without symbolic sizes.
ImportedFunction imported_with_sizes(const JaxExport& exported, const std::string& source, bool use_vjp, bool open) {
  ImportedFunction function{loaded(exported.inputs), loaded(exported.outputs), nullptr};
  const hlo::ComputationPtr primal = entry_of(exported, function.inputs, source, open);
  if (!use_vjp || exported.vjp == nullptr || !any_tangent(function.inputs) || !any_tangent(function.outputs)) {
    function.run = [primal](std::span<const Array> x) { return ops::call(primal, {x.begin(), x.end()}); };
    return function;
  }
  const ImportedFunction vjp = imported_with_sizes(*exported.vjp, source, use_vjp, open);
  auto attributes = std::make_shared<hlo::CustomVjpAttributes>();
  attributes->primal = primal;
  attributes->fwd = forward(primal, avals_of(function.inputs));
  attributes->bwd = backward(vjp, function.inputs, function.outputs, exported.function_name);
  function.run = [attributes = hlo::AttributesPtr(attributes)](std::span<const Array> x) {
    return bind({hlo::kExtCustomVjp, {x.begin(), x.end()}, attributes, std::nullopt});
  };
  return function;
}

/// Returns the function for arguments of these shapes.
FlatFunction at_shapes(const JaxExport& exported, const std::string& source, bool use_vjp,
                       const std::vector<Shape>& shapes) {
  const auto placed = [&](const Status& status) {
    return status.ok() ? status : status.with_context(at_user_line(exported.function_name));
  };
  const StatusOr<Symbols> symbols = solve_sizes(exported.inputs, shapes);
  or_throw(placed(symbols.status()));
  const StatusOr<JaxExport> sized = with_sizes(exported, *symbols);
  if (!sized.ok()) {  // the assertions of the module about its sizes are more precise
    std::vector<LoadedValue> inputs;
    for (const Shape& shape : shapes) inputs.push_back(loaded_value("", shape));
    or_throw(module_of(exported, inputs, source, /*open=*/true).status());
    or_throw(placed(sized.status()));
  }
  return imported_with_sizes(*sized, source, use_vjp, /*open=*/true).run;
}

}  // namespace

ImportedFunction imported(const JaxExport& exported, const std::string& source, bool use_vjp) {
  check_runs_here(exported, source);
  if (!any_symbolic(exported.inputs)) return imported_with_sizes(exported, source, use_vjp, /*open=*/false);
  return {loaded(exported.inputs), loaded(exported.outputs),
          by_shapes([exported, source, use_vjp](const std::vector<Shape>& shapes) {
            return at_shapes(exported, source, use_vjp, shapes);
          })};
}

}  // namespace hilo
