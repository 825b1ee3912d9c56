// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "hilo/hlo/eval/evaluator.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/types/narrow_float.h"
#include "tests/support/random_program.h"

namespace hilo::tests {
namespace {

using hlo::Computation;
using hlo::ComputationPtr;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::Opcode;

/// Beyond this a rounding decides between a number and infinity.
double nearly_infinite(ElementType type) {
  if (is_narrow_float(type)) return narrow_largest(narrow_format(type)) / 2;
  return type == ElementType::kF16 ? 6e3 : type == ElementType::kF64 || type == ElementType::kC128 ? 1e300 : 1e36;
}

/// The greatest finite magnitude of a value; of a tuple, of all its leaves.
double greatest(const Literal& value) {
  double most = 0;
  for (const Literal& leaf : leaves_of(value)) {
    const ElementType type = leaf.shape().element_type();
    if (!is_floating(type) && !is_complex(type)) continue;
    for (int64_t i = 0; i < leaf.shape().element_count(); ++i) {
      const Wide x = wide_at(leaf, i);
      for (const long double part : {x.real(), x.imag()}) {
        if (std::isfinite(part)) most = std::max(most, static_cast<double>(std::abs(part)));
      }
    }
  }
  return most;
}

/// One run of the reference: what each instruction of the entry gives, and the greatest value behind it.
struct Reference {
  std::vector<Literal> values;
  std::vector<double> scales;
};

StatusOr<Reference> run_reference(const RandomProgram& program) {
  const Computation& entry = *program.module.entry;
  Reference run;
  run.values.resize(entry.size());
  run.scales.resize(entry.size());
  hlo::EvaluateOptions options;
  options.observe = [&](const Instruction& i, const Literal& value) {
    if (i.id < entry.size() && &entry.instruction(i.id) == &i) run.values[i.id] = value;
  };
  HILO_RETURN_IF_ERROR(hlo::evaluate(entry, std::span<const Literal>(program.arguments), options).status());
  for (const Instruction& i : entry.instructions()) {
    run.scales[i.id] = greatest(run.values[i.id]);
    for (InstructionId operand : i.operands) run.scales[i.id] = std::max(run.scales[i.id], run.scales[operand]);
  }
  return run;
}

bool near(long double got, long double wanted, double scale, ElementType type) {
  if (got == wanted || (std::isnan(got) && std::isnan(wanted))) return true;
  const double limit = nearly_infinite(type);
  if (!std::isfinite(got) || !std::isfinite(wanted)) return scale > limit;
  return std::abs(got - wanted) <= tolerance_of(type) * std::max(1.0, scale);
}

std::string compared(const Literal& got, const Literal& wanted, bool exact, double scale) {
  const ElementType type = wanted.shape().element_type();
  if (exact || tolerance_of(type) == 0) return difference(got, wanted, 0);
  if (got.shape() != wanted.shape()) return "the shape is " + got.shape().to_string();
  for (int64_t i = 0; i < wanted.shape().element_count(); ++i) {
    const Wide a = wide_at(got, i), b = wide_at(wanted, i);
    if (near(a.real(), b.real(), scale, type) && near(a.imag(), b.imag(), scale, type)) continue;
    return fmt::format("element {}: got {}, wanted {}", i, got.to_string(40), wanted.to_string(40));
  }
  return "";
}

/// The results of the entry: elements of the root, or the root.
std::vector<InstructionId> results_of(const Computation& entry) {
  const Instruction& root = entry.root();
  if (root.opcode == Opcode::kTuple) return {root.operands.begin(), root.operands.end()};
  return {entry.root_id()};
}

struct Finding {
  InstructionId result;
  std::string text;
};

std::optional<Finding> first_finding(const RandomProgram& program, const Engine& engine) {
  const Computation& entry = *program.module.entry;
  const StatusOr<Reference> reference = run_reference(program);
  const std::vector<InstructionId> results = results_of(entry);
  if (!reference.ok()) return Finding{results[0], "reference: " + reference.status().to_string()};
  const StatusOr<std::vector<Literal>> got = engine(program.module, leaves_of(program.arguments));
  if (!got.ok()) return Finding{results[0], "engine: " + got.status().to_string()};
  size_t leaf = 0;
  for (InstructionId result : results) {
    const bool exact = entry.instruction(result).name.starts_with(kExactName);
    for (const Literal& wanted : leaves_of(reference->values[result])) {
      if (leaf == got->size()) return Finding{result, "the engine gives too few results"};
      const std::string text = compared((*got)[leaf++], wanted, exact, reference->scales[result]);
      if (!text.empty()) return Finding{result, entry.instruction(result).name + ": " + text};
    }
  }
  return std::nullopt;
}

/// The part of the program that `result` needs, with the instructions in `known` as parameters of these values.
RandomProgram part_of(const RandomProgram& program, InstructionId result,
                      const std::unordered_map<InstructionId, Literal>& known) {
  const Computation& entry = *program.module.entry;
  std::vector<bool> needed(entry.size());
  needed[result] = true;
  for (InstructionId id = result + 1; id-- > 0;) {
    if (!needed[id] || known.contains(id)) continue;
    for (InstructionId operand : entry.instruction(id).operands) needed[operand] = true;
  }
  RandomProgram part;
  hlo::ComputationDraft draft("main");
  std::vector<InstructionId> moved(entry.size());
  const auto parameter = [&](const Instruction& i, Literal value) {
    auto number = std::make_shared<hlo::ParameterAttributes>();
    number->number = static_cast<int64_t>(part.arguments.size());
    moved[i.id] = draft.append(Opcode::kParameter, value.shape(), {}, std::move(number), i.name);
    part.arguments.push_back(std::move(value));
  };
  for (const Instruction& i : entry.instructions()) {
    if (!needed[i.id]) continue;
    if (const auto it = known.find(i.id); it != known.end()) {
      parameter(i, it->second);
    } else if (i.opcode == Opcode::kParameter) {
      parameter(i, program.arguments[static_cast<size_t>(hlo::attributes_of<hlo::ParameterAttributes>(i).number)]);
    } else {
      std::vector<InstructionId> operands;
      for (InstructionId operand : i.operands) operands.push_back(moved[operand]);
      moved[i.id] = draft.append_copy(i, operands);
    }
  }
  StatusOr<ComputationPtr> built = std::move(draft).finish(moved[result]);
  if (!built.ok()) throw std::logic_error(built.status().to_string());
  part.module.name = program.module.name;
  part.module.entry = *std::move(built);
  return part;
}

}  // namespace

double tolerance_of(ElementType type) {
  switch (type) {
    case ElementType::kF64:
    case ElementType::kC128: return 1e-11;
    case ElementType::kF32:
    case ElementType::kC64: return 1e-4;
    case ElementType::kF16: return 2e-2;
    case ElementType::kBf16: return 1e-1;
    default: return 2 * epsilon_of(type);  // two steps of a narrow float, 0 for what isn't rounded
  }
}

StatusOr<std::vector<Expected>> expected_of(const RandomProgram& program) {
  const Computation& entry = *program.module.entry;
  HILO_ASSIGN_OR_RETURN(const Reference reference, run_reference(program));
  std::vector<Expected> all;
  for (InstructionId result : results_of(entry)) {
    const bool exact = entry.instruction(result).name.starts_with(kExactName);
    for (Literal& leaf : leaves_of(reference.values[result]))
      all.push_back({std::move(leaf), exact, reference.scales[result]});
  }
  return all;
}

std::string disagreement(const RandomProgram& program, const Engine& engine) {
  const std::optional<Finding> finding = first_finding(program, engine);
  return finding ? finding->text : "";
}

RandomProgram reduced(RandomProgram program, const Engine& engine) {
  std::optional<Finding> finding = first_finding(program, engine);
  if (!finding) return program;
  RandomProgram smaller = part_of(program, finding->result, {});
  if (first_finding(smaller, engine)) program = std::move(smaller);
  // From the last instruction on: what need not be computed becomes an argument, and all behind it goes.
  for (InstructionId id = program.module.entry->root_id(); id-- > 0;) {
    if (id >= program.module.entry->size() || program.module.entry->instruction(id).opcode == Opcode::kParameter)
      continue;
    const StatusOr<Reference> reference = run_reference(program);
    if (!reference.ok()) break;
    smaller = part_of(program, program.module.entry->root_id(), {{id, reference->values[id]}});
    if (!first_finding(smaller, engine)) continue;
    program = std::move(smaller);
    id = program.module.entry->root_id();
  }
  return program;
}

int64_t op_count(const Computation& computation) {
  return std::ranges::count_if(computation.instructions(), [](const Instruction& i) {
    return i.opcode != Opcode::kParameter && i.opcode != Opcode::kTuple && i.opcode != Opcode::kGetTupleElement &&
           i.opcode != Opcode::kCopy;
  });
}

}  // namespace hilo::tests
