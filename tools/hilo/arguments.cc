// SPDX-License-Identifier: Apache-2.0
#include "tools/hilo/arguments.h"

#include <fmt/format.h>

#include "hilo/io/npy.h"
#include "tools/hilo/interrupt.h"
#include "tools/hilo/random_input.h"

namespace hilo::tool {

void add_argument_options(CLI::App& app, ArgumentOptions& options) {
  app.add_option("--input", options.inputs, "An argument as .npy; once per argument, in order")
      ->expected(1)
      ->take_all()
      ->type_name("FILE");
  app.add_option(
         "--random", options.seed,
         "Arguments without --input are random: floats uniform in [-1, 1), integers 0..9, pred by bit; the same "
         "on every machine. Replica r takes SEED + r")
      ->type_name("SEED");
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
