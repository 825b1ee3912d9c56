// SPDX-License-Identifier: Apache-2.0
// Programs of JAX and what XLA makes of their shardings: tests/golden/record_shardings.py.
#include "hilo/hlo/sharding/propagate.h"

#include <gtest/gtest.h>

#include <fstream>

#include "hilo/stablehlo/devices/propagation.h"
#include "hilo/stablehlo/reader.h"
#include "hilo/stablehlo/translate/translate.h"
#include "tests/paths.h"

namespace hilo::hlo {
namespace {

struct Recorded {
  std::string name, wanted, code;
};

std::vector<Recorded> recorded_programs() {
  std::ifstream file(std::string(tests::kSourceDir) + "/tests/golden/shardings.txt");
  std::vector<Recorded> programs;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("=== ")) {
      programs.push_back({line.substr(4), {}, {}});
      std::getline(file, programs.back().wanted);
    } else {
      programs.back().code += line + "\n";
    }
  }
  return programs;
}

std::string text_of(const std::vector<Sharding>& shardings) {
  std::string text;
  for (const Sharding& sharding : shardings) {
    text += text.empty() ? "[" : " [";
    for (const DimensionSharding& dimension : sharding.dimensions) {
      text += "{";
      for (const AxisReference& axis : dimension.axes) text += (text.back() == '{' ? "" : ",") + axis.name;
      text += "}";
    }
    text += "]";
  }
  return text;
}

size_t leaf_count(const Shape& shape) { return shape.is_tuple() ? static_cast<size_t>(shape.tuple_size()) : 1; }

StatusOr<PropagatedShardings> propagated(const std::string& code, bool free_parameters = false) {
  HILO_ASSIGN_OR_RETURN(const stablehlo::ModuleTree tree, stablehlo::read_tree(code, "program"));
  HILO_ASSIGN_OR_RETURN(const Module module, stablehlo::translate(tree));
  const size_t parameters = module.entry->parameters().size(), results = leaf_count(module.entry->result_shape());
  HILO_ASSIGN_OR_RETURN(const PropagationRequest request,
                        stablehlo::propagation_request(tree, std::vector<bool>(parameters, free_parameters),
                                                       std::vector<bool>(results, true)));
  return propagate_shardings(module, request);
}

TEST(Propagate, ResultsAreShardedAsXlaShardsThem) {
  const std::vector<Recorded> programs = recorded_programs();
  ASSERT_GE(programs.size(), 120u);
  for (const Recorded& program : programs) {
    const StatusOr<PropagatedShardings> made = propagated(program.code);
    ASSERT_TRUE(made.ok()) << program.name << ": " << made.status().to_string();
    EXPECT_EQ(text_of(made->results), program.wanted) << program.name;
  }
}

}  // namespace
}  // namespace hilo::hlo
