// SPDX-License-Identifier: Apache-2.0
// Random programs over every opcode and type of the op table, on the CPU engine and the reference evaluator.
//   HILO_RANDOM_PLATFORM   a platform that replaces the CPU engine, for example of hilo_pjrt_plugins
//   HILO_RANDOM_AUDIENCE   "others": only ops that XLA for the CPU supports with the same results
//   HILO_RANDOM_PROGRAMS   number of programs (default 150)
//   HILO_RANDOM_SHOW       set: prints each program before it runs
//   HILO_RANDOM_SKIP       number of first programs that are generated but not run (default 0); a program depends on
//                          those before it
//   HILO_RANDOM_SEED       the first seed (default 0)
//   HILO_RANDOM_FOLDER     folder for programs of other engines (default: a temporary folder)
//   HILO_RANDOM_FILES      number of these programs (default 20), in addition to one for every sample
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <set>

#include "hilo/backend/cpu/load/saved_program.h"
#include "hilo/base/files.h"
#include "hilo/client/platforms.h"
#include "hilo/device/buffer.h"
#include "hilo/engine/plan_text.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"
#include "hilo/types/literal_leaves.h"
#include "tests/support/clients.h"
#include "tests/support/number_from.h"
#include "tests/support/program_files.h"
#include "tests/support/run_literals.h"

namespace hilo::tests {
namespace {

using hlo::Opcode;

/// The client that is compared with the reference.
const ClientPtr& compared_client() {
  static const auto* const client = [] {
    const char* const platform = std::getenv("HILO_RANDOM_PLATFORM");
    return platform == nullptr ? &tests::cpu_client() : new ClientPtr(*make_platform_client(platform, {}));
  }();
  return *client;
}

/// Every second program may be a straight line.
StatusOr<std::vector<Literal>> run_on_engine(const hlo::Module& module, const std::vector<Literal>& arguments) {
  const CompileOptions options = module.entry->size() % 2 == 0 ? CompileOptions() : without_straight_lines();
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<Executable> executable,
                        compared_client()->compile(module, options, nullptr));
  return run_literals(*executable, arguments);
}

std::string shown(const RandomProgram& program) {
  std::string text = hlo::print_module(program.module);
  for (size_t i = 0; i < program.arguments.size(); ++i)
    text += "argument " + std::to_string(i) + " = " + program.arguments[i].to_string(64) + "\n";
  return text;
}

/// "add f32, sort u2": each op and type once.
std::string ops_of(const hlo::Module& module) {
  std::set<std::string> ops;
  for (const hlo::ComputationPtr& computation : hlo::computations_of(module)) {
    for (const hlo::Instruction& i : computation->instructions()) {
      for (const Shape& leaf : i.shape.leaves())
        ops.insert(fmt::format("{} {}", hlo::opcode_name(i.opcode), element_type_name(leaf.element_type())));
    }
  }
  return fmt::format("{}", fmt::join(ops, ", "));
}

/// Whether other engines can run the cell. XLA copies past the end of arrays whose size is set at run time.
bool is_for_others(const Cell& cell) { return is_for_xla(cell) && cell.opcode != Opcode::kSetDimensionSize; }

TEST(RandomPrograms, RunOnTheEngineAsOnTheReference) {
  const unsigned count = number_from("HILO_RANDOM_PROGRAMS", 150), begin = number_from("HILO_RANDOM_SEED", 0);
  const unsigned skipped = number_from("HILO_RANDOM_SKIP", 0);
  const char* const given = std::getenv("HILO_RANDOM_AUDIENCE");
  const Audience audience = given == nullptr ? Audience::kEngine : Audience::kOthers;
  Coverage coverage(given == nullptr ? nullptr : is_for_others);
  const bool elsewhere = std::getenv("HILO_RANDOM_PLATFORM") != nullptr;
  int64_t differing = 0, refused = 0;
  for (unsigned seed = begin; seed < begin + count && differing < 5; ++seed) {
    const RandomProgram program = random_program(seed, 4 + static_cast<int>(seed % 13), coverage, audience);
    if (seed - begin < skipped) continue;
    if (elsewhere)
      // the program may crash the process
      std::cout << "program " << seed << ": " << ops_of(program.module) << std::endl;
    if (std::getenv("HILO_RANDOM_SHOW") != nullptr) std::cout << shown(program) << std::endl;
    const std::string text = hlo::disagreement(program, run_on_engine, by_names());
    if (text.empty()) continue;
    if (elsewhere && text.starts_with("engine: ")) {  // other engines don't support every op on every type
      std::cout << "refused: seed " << seed << ": " << text.substr(0, 600) << "\n";
      ++refused;
      continue;
    }
    ++differing;
    ADD_FAILURE() << "seed " << seed << ": " << text << "\nreduced:\n"
                  << shown(hlo::reduced(program, run_on_engine, by_names()));
  }
  std::cout << count << " programs, " << coverage.pairs() << " pairs of opcode and type, each at least "
            << coverage.least() << " times; " << refused << " refused\n";
  EXPECT_LE(refused * 5, count);
  if (std::getenv("HILO_RANDOM_COUNTS") != nullptr) std::cout << coverage.to_string();
  if (count >= 10000) {
    EXPECT_GE(coverage.least(), 20);
  }
}

/// The difference between a program and the program loaded from its bytes; "" if they agree.
StatusOr<std::string> differs_when_loaded(const RandomProgram& program) {
  HILO_ASSIGN_OR_RETURN(const auto compiled, tests::cpu_client()->compile(program.module, {}, nullptr));
  HILO_ASSIGN_OR_RETURN(const std::string bytes, compiled->serialize());
  HILO_ASSIGN_OR_RETURN(const auto loaded, tests::cpu_client()->load(bytes));
  HILO_ASSIGN_OR_RETURN(const std::string again, loaded->serialize());
  HILO_ASSIGN_OR_RETURN(const cpu::SavedProgram saved, cpu::read_program(bytes));
  HILO_ASSIGN_OR_RETURN(const cpu::SavedProgram twice, cpu::read_program(again));
  if (again != bytes)
    return saved.module == twice.module
               ? "its plans differ:\n" + engine::plan_text(saved.plan) + "\n" + engine::plan_text(twice.plan)
               : "its modules differ";
  std::vector<Literal> arguments;
  for (const Literal& argument : program.arguments) {
    const std::vector<Literal> leaves = leaves_of(argument);
    arguments.insert(arguments.end(), leaves.begin(), leaves.end());
  }
  HILO_ASSIGN_OR_RETURN(const std::vector<Literal> wanted, run_literals(*compiled, arguments));
  HILO_ASSIGN_OR_RETURN(const std::vector<Literal> got, run_literals(*loaded, arguments));
  for (size_t k = 0; k < wanted.size(); ++k) {
    if (!got[k].identical(wanted[k])) return "result " + std::to_string(k) + " differs";
  }
  return std::string();
}

TEST(RandomPrograms, AreLoadedAsTheyWereSaved) {
  const unsigned count = number_from("HILO_RANDOM_PROGRAMS", 150), begin = number_from("HILO_RANDOM_SEED", 0);
  Coverage coverage;
  for (unsigned seed = begin; seed < begin + count; ++seed) {
    const RandomProgram program = random_program(seed, 4 + static_cast<int>(seed % 13), coverage);
    const StatusOr<std::string> difference = differs_when_loaded(program);
    ASSERT_TRUE(difference.ok()) << "seed " << seed << ": " << difference.status().to_string() << shown(program);
    EXPECT_EQ(*difference, "") << "seed " << seed << "\n" << shown(program);
  }
}

TEST(RandomPrograms, FindAPlantedWrongKernelAndReduceItToAFewOps) {
  const std::pair<Opcode, Opcode> kPlanted[] = {
      {Opcode::kSubtract, Opcode::kAdd}, {Opcode::kMaximum, Opcode::kMinimum}, {Opcode::kFloor, Opcode::kCeil}};
  for (const auto& [right, wrong] : kPlanted) {
    const Engine engine = evaluator_with(right, wrong);
    bool found = false;
    Coverage coverage;
    for (unsigned seed = 0; seed < 2000 && !found; ++seed) {
      const RandomProgram program = random_program(seed, 12, coverage);
      if (hlo::disagreement(program, engine, by_names()).empty()) continue;
      found = true;
      const RandomProgram small = hlo::reduced(program, engine, by_names());
      EXPECT_NE(hlo::disagreement(small, engine, by_names()), "");
      EXPECT_LE(hlo::op_count(*small.module.entry), 5) << shown(small);
      EXPECT_LE(small.module.entry->size(), 10u) << shown(small);
    }
    EXPECT_TRUE(found) << hlo::opcode_name(right);
  }
}

/// Writes every sample of an op and type that XLA:CPU supports, one program each.
void write_samples(const std::string& folder, int64_t n) {
  for (const Cell& cell : cells()) {
    if (!is_for_xla(cell)) continue;
    const std::vector<Sample> samples = samples_of(cell.opcode, cell.type, n, Values::kSmooth);
    for (size_t k = 0; k < samples.size(); ++k) {
      const std::string name = "sample_" + cell_name(cell) + "_" + std::to_string(k);
      const Status status = write_program(folder, name, program_of(samples[k], cell));
      EXPECT_TRUE(status.ok()) << name << ": " << status.to_string();
    }
  }
}

TEST(RandomPrograms, AreWrittenForOthersToRun) {
  const char* const given = std::getenv("HILO_RANDOM_FOLDER");
  const std::string folder = given != nullptr ? given : testing::TempDir() + "hilo_random_programs";
  ASSERT_TRUE(make_directories(folder).ok());
  const unsigned count = number_from("HILO_RANDOM_FILES", 20);
  Coverage coverage(is_for_others);
  for (unsigned seed = 0; seed < count; ++seed) {
    const RandomProgram program = random_program(seed, 4 + static_cast<int>(seed % 9), coverage, Audience::kOthers);
    const Status status = write_program(folder, "random_" + std::to_string(seed), program);
    ASSERT_TRUE(status.ok()) << "seed " << seed << ": " << status.to_string();
    const StatusOr<std::string> text = read_file(folder + "/random_" + std::to_string(seed) + ".hlo");
    ASSERT_TRUE(text.ok()) << text.status().to_string();
    const StatusOr<hlo::Module> read = hlo::parse_module(*text);
    ASSERT_TRUE(read.ok()) << read.status().to_string();
    EXPECT_EQ(read->entry->fingerprint(), program.module.entry->fingerprint()) << "seed " << seed;
  }
  if (given != nullptr) write_samples(folder, 3);
  else std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace hilo::tests
