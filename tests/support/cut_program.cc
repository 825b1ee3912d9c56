// SPDX-License-Identifier: Apache-2.0
#include "tests/support/cut_program.h"

#include <gtest/gtest.h>

#include <random>

#include "hilo/hlo/partition/partition.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"
#include "hilo/inspect/bisect/agreement.h"
#include "hilo/inspect/bisect/reduce.h"
#include "tests/support/clients.h"
#include "tests/support/partitioned.h"
#include "tests/support/recorded_shardings.h"

namespace hilo::tests {
namespace {

hlo::Mesh four() {
  hlo::Mesh mesh;
  mesh.axes = {{"x", 4}};
  return mesh;
}

hlo::Sharding cut_along(const Shape& shape, int64_t dimension) {
  hlo::Sharding sharding;
  sharding.mesh = four();
  sharding.dimensions.resize(static_cast<size_t>(shape.rank()));
  if (dimension >= 0) sharding.dimensions[static_cast<size_t>(dimension)].axes = {{"x"}};
  return sharding;
}

std::string text_of(const hlo::PartitionReport& report) {
  std::string text;
  for (const hlo::Transfer& transfer : report.transfers)
    text += (text.empty() ? "" : ", ") + std::string(hlo::opcode_name(transfer.opcode)) + " " +
            std::to_string(transfer.bytes);
  for (const hlo::WholeOp& whole : report.whole_ops) text += "; whole: " + whole.instruction;
  return text;
}

}  // namespace

std::string sent_by(const std::string& entry, const CutDimensions& parameters, const CutDimensions& results) {
  const StatusOr<hlo::Module> module = hlo::parse_module("HloModule m\n" + entry);
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  if (!module.ok()) return "";
  hlo::PropagationRequest request;
  request.mesh = four();
  const std::vector<Shape> given = module->entry->parameter_shapes(), made = module->entry->result_shape().leaves();
  for (size_t i = 0; i < given.size(); ++i) request.parameters.push_back(cut_along(given[i], parameters.at(i)));
  for (size_t i = 0; i < made.size(); ++i) request.results.push_back(cut_along(made[i], results.at(i)));
  request.free_parameters.resize(given.size());
  request.free_results.resize(made.size());
  std::mt19937 random(1);
  hlo::Invocation whole{*module, {}};
  for (const Shape& shape : given) whole.arguments.push_back(random_array(shape, random));
  std::string sent;
  const auto run = [&](const hlo::Module& program,
                       const std::vector<Literal>& arguments) -> StatusOr<std::vector<Literal>> {
    HILO_ASSIGN_OR_RETURN(const hlo::PartitionedProgram partitioned, hlo::partition(program, request));
    sent = text_of(partitioned.report);
    return run_partitioned(*cpu_client(), partitioned, request.mesh, arguments, program.entry->result_shape());
  };
  EXPECT_EQ(hlo::disagreement(whole, run), "") << hlo::print_module(*module);
  return sent;
}

}  // namespace hilo::tests
