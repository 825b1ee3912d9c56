// SPDX-License-Identifier: Apache-2.0
// Random programs with random layouts on every instruction, and with bitcasts between layouts. Compares engines with
// the reference evaluator on the program without layouts.
//   HILO_LAYOUT_PROGRAMS   number of programs (default 300)
//   HILO_RANDOM_SEED       the first seed (default 0)
#include <cstdlib>

#include "hilo/device/buffer.h"
#include "hilo/hlo/proto/reader.h"
#include "hilo/hlo/proto/writer.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"
#include "tests/support/clients.h"
#include "tests/support/moved_program.h"
#include "tests/support/number_from.h"
#include "tests/support/random_layouts.h"
#include "tests/support/random_program.h"
#include "tests/support/run_literals.h"

namespace hilo::tests {
namespace {

/// The format in which a program is passed.
enum class Door : uint8_t { kBuilt, kText, kProto, kSaved, kReference };
constexpr unsigned kDoors = 5;

StatusOr<hlo::Module> through(Door door, hlo::Module module) {
  if (door == Door::kText) return hlo::parse_module(hlo::print_module(module));
  if (door != Door::kProto) return module;
  const StatusOr<std::string> bytes = hlo::to_proto(module);
  if (bytes.status().code() == StatusCode::kUnimplemented) return module;  // some ops have no form in that format
  return bytes.ok() ? hlo::from_proto(*bytes) : bytes.status();
}

StatusOr<std::unique_ptr<Executable>> compiled(Door door, const hlo::Module& module) {
  Client& client = door == Door::kReference ? *reference_client() : *cpu_client();
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<Executable> executable, client.compile(module, {}, nullptr));
  if (door != Door::kSaved) return executable;
  HILO_ASSIGN_OR_RETURN(const std::string bytes, executable->serialize());
  return client.load(bytes);
}

StatusOr<std::vector<Literal>> run_through(Door door, const hlo::Module& module,
                                           const std::vector<Literal>& arguments) {
  HILO_ASSIGN_OR_RETURN(const hlo::Module read, through(door, module));
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<Executable> executable, compiled(door, read));
  return run_literals(*executable, arguments);
}

/// Runs the program with the layouts of this seed, in a format selected by the seed.
Engine under_layouts(unsigned seed) {
  return [seed](const hlo::Module& module, const std::vector<Literal>& arguments) {
    return run_through(static_cast<Door>(seed % kDoors), with_random_layouts(module, seed), arguments);
  };
}

TEST(RandomLayouts, ChangeNoValue) {
  const unsigned count = number_from("HILO_LAYOUT_PROGRAMS", 300), begin = number_from("HILO_RANDOM_SEED", 0);
  Coverage coverage;
  int differing = 0;
  for (unsigned seed = begin; seed < begin + count && differing < 5; ++seed) {
    RandomProgram program = random_program(seed, 4 + static_cast<int>(seed % 13), coverage);
    program.module = with_reordered_values(program.module, seed);
    program = nested(program, seed);
    const Engine engine = under_layouts(seed);
    const std::string text = hlo::disagreement(program, engine, by_names());
    if (text.empty()) continue;
    ++differing;
    const RandomProgram small = hlo::reduced(program, engine, by_names());
    ADD_FAILURE() << "seed " << seed << ": " << text << "\nreduced: " << hlo::disagreement(small, engine, by_names())
                  << "\n"
                  << hlo::print_module(with_random_layouts(small.module, seed));
  }
  std::cout << count << " programs, each pair of opcode and type at least " << coverage.least() << " times\n";
}

TEST(RandomLayouts, ChangeNoMoveAndNoReduction) {
  const unsigned count = number_from("HILO_LAYOUT_PROGRAMS", 300), begin = number_from("HILO_RANDOM_SEED", 0);
  int differing = 0;
  for (unsigned seed = begin; seed < begin + count && differing < 5; ++seed) {
    MovedProgram program = moved_program(seed);
    program.program = nested(program.program, seed);
    const Engine engine = under_layouts(seed);
    const std::string text = hlo::disagreement(program.program, engine, compare_options(program));
    if (text.empty()) continue;
    ++differing;
    const RandomProgram small = hlo::reduced(program.program, engine, compare_options(program));
    ADD_FAILURE() << "seed " << seed << ": " << text << "\nreduced:\n"
                  << hlo::print_module(with_random_layouts(small.module, seed));
  }
}

}  // namespace
}  // namespace hilo::tests
