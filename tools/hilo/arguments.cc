// SPDX-License-Identifier: Apache-2.0
#include "tools/hilo/arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/text/parser.h"
#include "hilo/io/npy.h"
#include "tools/hilo/interrupt.h"
#include "tools/hilo/random_input.h"

namespace hilo::tool {

void add_value_options(CLI::App& app, ArgumentOptions& options) {
  app.add_option("--input", options.inputs, "Read an argument from an .npy file; repeat once per argument, in order")
      ->expected(1)
      ->take_all()
      ->type_name("FILE");
  app.add_option("--random", options.seed,
                 "Seed of the random values for arguments without --input: floats in [-1, 1), integers in 0..9, random "
                 "pred. Values are the same on every machine. Replica r uses SEED + r")
      ->type_name("SEED");
}

void add_argument_options(CLI::App& app, ArgumentOptions& options) {
  add_value_options(app, options);
  add_shape_option(app, options.shapes);
}

void add_shape_option(CLI::App& app, std::vector<std::string>& shapes) {
  app.add_option("--shape", shapes,
                 "Shape of an argument without --input, for example f32[7,3]; repeat once per argument, in order. "
                 "Required if the program has symbolic sizes")
      ->expected(1)
      ->take_all()
      ->type_name("SHAPE");
}

ArgumentShapes argument_shapes(const ArgumentOptions& options) {
  return [options](const stablehlo::EntryTypes& types) -> StatusOr<std::vector<Shape>> {
    std::vector<Shape> shapes;
    for (const std::string& file : options.inputs) {
      HILO_ASSIGN_OR_RETURN(const Literal value, io::read_npy(file));
      shapes.push_back(value.shape());
    }
    for (const std::string& text : options.shapes) {
      HILO_ASSIGN_OR_RETURN(shapes.emplace_back(), hlo::parse_shape(text));
    }
    if (shapes.size() > types.arguments.size())
      return invalid_argument(
          fmt::format("{}: got {} arguments; wanted {}", types.name, shapes.size(), types.arguments.size()));
    for (size_t i = shapes.size(); i < types.arguments.size(); ++i) {
      const stablehlo::Type& type = types.arguments[i];
      const bool open = std::ranges::find(type.dimensions, stablehlo::kDynamic) != type.dimensions.end();
      if (open || type.kind != stablehlo::TypeKind::kTensor)
        return invalid_argument(
            fmt::format("{}: argument {} has type {} with unknown sizes. Hint: --input a.npy or --shape f32[7] for "
                        "each argument, in order",
                        types.name, i, type.spelled));
      HILO_ASSIGN_OR_RETURN(shapes.emplace_back(), Shape::make_array(type.element, type.dimensions));
    }
    return shapes;
  };
}

StatusOr<std::vector<Literal>> read_arguments(const ArgumentOptions& options, const std::string& program,
                                              std::span<const Shape> leaves, int replica) {
  if (options.inputs.size() > leaves.size() || (options.inputs.size() < leaves.size() && !options.seed)) {
    return invalid_argument(
        fmt::format("{}: got {} arguments; wanted {}. Hint: --input a.npy for each, or --random SEED for the rest",
                    program, options.inputs.size(), leaves.size()));
  }
  std::vector<Literal> arguments;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (interrupted()) return cancelled("interrupted");
    StatusOr<Literal> literal =
        i < options.inputs.size()
            ? io::read_npy(options.inputs[i])
            : random_argument(leaves[i].with_default_layout(), *options.seed + static_cast<uint64_t>(replica), i);
    if (!literal.ok()) return literal.status();
    arguments.push_back(*std::move(literal));
  }
  return arguments;
}

}  // namespace hilo::tool
