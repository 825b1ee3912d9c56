// SPDX-License-Identifier: Apache-2.0
// tools/hilo/grad.cc -- `hilo grad FILE`: computes values and vector-Jacobian products of a program.
#include <fmt/format.h>

#include <memory>
#include <vector>

#include "hilo/base/files.h"
#include "hilo/import/load.h"
#include "hilo/io/npy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "tools/hilo/command.h"
#include "tools/hilo/jax_flags.h"

namespace hilo::tool {
namespace {

struct GradOptions {
  std::string file, engine, output_dir;
  std::vector<std::string> inputs, cotangents;
  LoadOptions load;
};

constexpr int64_t kShownElements = 16;
using Arrays = std::vector<Array>;

StatusOr<Arrays> read_arrays(const std::vector<std::string>& paths) {
  Arrays arrays;
  for (const std::string& path : paths) {
    HILO_ASSIGN_OR_RETURN(const Literal literal, io::read_npy(path));
    arrays.push_back(Array::from_literal(literal));
  }
  return arrays;
}

bool differentiable(const Array& a) { return is_floating(a.dtype()) || is_complex(a.dtype()); }

Array ones(const Shape& shape) {
  const Literal one = filled(shape, 1);
  return Array::from_literal(one);
}

/// Prints and writes the selected arrays as NAMEi.
template <typename Wanted>
Status show(const GradOptions& options, std::string_view name, const Arrays& arrays, const Wanted& wanted) {
  if (!options.output_dir.empty()) HILO_RETURN_IF_ERROR(make_directories(options.output_dir));
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (!wanted(i)) continue;
    const Literal value = arrays[i].to_literal();
    HILO_RETURN_IF_ERROR(write_result("", fmt::format("{}{} = {}\n", name, i, value.to_string(kShownElements))));
    if (options.output_dir.empty()) continue;
    HILO_RETURN_IF_ERROR(io::write_npy(fmt::format("{}/{}{}.npy", options.output_dir, name, i), value));
  }
  return ok_status();
}

Status differentiate(const GradOptions& options) {
  HILO_RETURN_IF_ERROR(choose_engine(options.engine));
  HILO_ASSIGN_OR_RETURN(const Arrays inputs, read_arrays(options.inputs));
  HILO_ASSIGN_OR_RETURN(Arrays cotangents, read_arrays(options.cotangents));
  try {
    const auto program = load<Arrays>(options.file, options.load);
    if (cotangents.empty()) {
      for (const Array& output : program(inputs)) cotangents.push_back(ones(output.aval_shape()));
    }
    const auto both = jit([&program](const Arrays& x, const Arrays& ct) {
      const auto [y, pull] = vjp(program, x);
      return std::pair<Arrays, Arrays>(y, std::get<0>(pull(ct)));
    });
    const auto [values, gradients] = both(inputs, cotangents);
    HILO_RETURN_IF_ERROR(show(options, "out", values, [](size_t) { return true; }));
    return show(options, "grad", gradients, [&](size_t i) { return differentiable(inputs[i]); });
  } catch (const Error& error) {
    return error.status();
  }
}

}  // namespace

Command add_grad(CLI::App& parent) {
  auto options = std::make_shared<GradOptions>();
  CLI::App* app = parent.add_subcommand("grad", "Compute the results of a program and the gradients of its inputs");
  app->add_option("FILE", options->file, "HLO text, HloModuleProto, StableHLO, or a file of jax.export")->required();
  app->add_option("--function", options->load.function,
                  "Function of an MLIR module. Default: main, or the only public function")
      ->type_name("NAME");
  app->add_option("--input", options->inputs, "Read an argument from an .npy file; repeat once per argument, in order")
      ->expected(1)
      ->take_all()
      ->type_name("FILE");
  app->add_option("--cotangent", options->cotangents,
                  "Cotangent of a result as .npy; repeat once per result, in order. Default: ones for all results")
      ->expected(1)
      ->take_all()
      ->type_name("FILE");
  app->add_option(
         "--output-dir", options->output_dir,
         "Write each result to outN.npy in this folder, and the gradient of each floating-point input to gradN.npy")
      ->type_name("DIR");
  app->add_option("--engine", options->engine,
                  "Engine: cpu or reference. Default: the flag jax_platform_name, else cpu")
      ->check(CLI::IsMember({"cpu", "reference"}));
  add_jax_flags(*app);
  return {app, [options] { return differentiate(*options); }};
}

}  // namespace hilo::tool
