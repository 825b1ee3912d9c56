// SPDX-License-Identifier: Apache-2.0
#include "tests/support/recorded_shardings.h"

#include <fstream>

#include "hilo/stablehlo/devices/propagation.h"
#include "hilo/stablehlo/reader.h"
#include "hilo/stablehlo/translate/translate.h"
#include "tests/paths.h"

namespace hilo::tests {

std::vector<RecordedSharding> recorded_shardings(const std::string& file) {
  std::ifstream lines(std::string(kSourceDir) + "/tests/golden/" + file);
  std::vector<RecordedSharding> programs;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("=== ")) {
      programs.push_back({line.substr(4), {}, {}});
      std::getline(lines, programs.back().wanted);
    } else {
      programs.back().code += line + "\n";
    }
  }
  return programs;
}

StatusOr<std::unique_ptr<AnnotatedProgram>> read_annotated(const std::string& code) {
  auto program = std::make_unique<AnnotatedProgram>();
  HILO_ASSIGN_OR_RETURN(program->tree, stablehlo::read_tree(code, "program"));
  HILO_ASSIGN_OR_RETURN(program->module, stablehlo::translate(program->tree));
  stablehlo::EntryValues parameters, results;
  for (const hlo::InstructionId id : program->module.entry->parameters())
    parameters.shapes.push_back(program->module.entry->instruction(id).shape);
  results.shapes = program->module.entry->result_shape().leaves();
  parameters.free.assign(parameters.shapes.size(), false);
  results.free.assign(results.shapes.size(), true);
  HILO_ASSIGN_OR_RETURN(program->request,
                        stablehlo::propagation_request(program->tree, std::move(parameters), std::move(results)));
  return program;
}

Literal random_array(const Shape& shape, std::mt19937& random) {
  Literal value(shape.with_default_layout());
  visit_element_type(
      shape.element_type(),
      [&]<typename T>() {
        for (T& element : value.data<T>()) {
          const auto number = static_cast<int>(random() % 2048);
          if constexpr (std::is_same_v<T, bool>) element = number % 2 == 0;
          else if constexpr (std::is_integral_v<T>) element = static_cast<T>(number % 7);
          else element = static_cast<T>(static_cast<float>(number - 1024) / 1024.0F);
        }
      },
      [] {});
  return value;
}

}  // namespace hilo::tests
