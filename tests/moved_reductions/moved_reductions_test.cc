// SPDX-License-Identifier: Apache-2.0
// Random programs that move arrays and reduce them. Compares the CPU engine with the reference evaluator on each
// instruction set, on one thread and on all.
//   HILO_MOVED_PROGRAMS   number of programs (default 2000)
//   HILO_MOVED_SEED       the first seed (default 0)
//   HILO_MOVED_FORMS      "all": each program runs on each instruction set; otherwise on the widest and one other
//   HILO_MOVED_SHOW       set: prints each program before it runs
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <iostream>

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/base/thread_pool.h"
#include "hilo/device/buffer.h"
#include "hilo/types/literal_leaves.h"
#include "tests/support/clients.h"
#include "tests/support/moved_program.h"
#include "tests/support/number_from.h"
#include "tests/support/run_literals.h"

namespace hilo::tests {
namespace {

constexpr unsigned kPerTest = 100;    // programs per test
constexpr int64_t kMaxDiffering = 3;  // per test; each is reduced
constexpr double kSlow = 20;          // compile time in ms per instruction from which a program is reported

/// Generates code for one instruction set during its lifetime.
class UsesIsa {
 public:
  explicit UsesIsa(cpu::Isa isa) {
    const char* const before = std::getenv("HILO_ISA");
    if (before != nullptr) before_ = before;
    ::setenv("HILO_ISA", std::string(cpu::isa_name(isa)).c_str(), 1);
  }
  ~UsesIsa() {
    if (before_) ::setenv("HILO_ISA", before_->c_str(), 1);
    else ::unsetenv("HILO_ISA");
  }
  UsesIsa(const UsesIsa&) = delete;
  UsesIsa& operator=(const UsesIsa&) = delete;

 private:
  std::optional<std::string> before_;
};

/// The instruction sets on which a program runs.
std::vector<cpu::Isa> forms_of(unsigned seed, const std::vector<cpu::Isa>& isas) {
  const char* const forms = std::getenv("HILO_MOVED_FORMS");
  if (isas.size() < 3 || (forms != nullptr && std::string_view(forms) == "all")) return isas;
  return {isas[seed % (isas.size() - 1)], isas.back()};
}

/// The instruction sets up to the one in the environment.
std::vector<cpu::Isa> used_isas() {
  std::vector<cpu::Isa> isas = cpu::supported_isas();
  const StatusOr<cpu::Isa> most = cpu::selected_isa();
  while (most.ok() && isas.back() > *most) isas.pop_back();
  return isas;
}

StatusOr<std::vector<Literal>> run_on_engine(const hlo::Module& module, const std::vector<Literal>& arguments) {
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<Executable> executable,
                        cpu_client()->compile(module, without_straight_lines(), nullptr));
  return run_literals(*executable, arguments);
}

/// The program with the highest compile time (CPU) per instruction.
struct Slowest {
  double milliseconds = 0;
  unsigned seed = 0;
  std::string isa;
};
Slowest& slowest() {
  static Slowest instance;
  return instance;
}

double processor_milliseconds() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

int64_t instructions_of(const hlo::Module& module) {
  int64_t count = 0;
  for (const hlo::ComputationPtr& computation : hlo::computations_of(module)) count += computation->size();
  return count;
}

/// Compiles a program and measures the time.
StatusOr<std::unique_ptr<Executable>> compiled(unsigned seed, const MovedProgram& program, cpu::Isa isa) {
  const double began = processor_milliseconds();
  auto executable = cpu_client()->compile(program.program.module, without_straight_lines(), nullptr);
  const double each = (processor_milliseconds() - began) / static_cast<double>(instructions_of(program.program.module));
  if (each > slowest().milliseconds) slowest() = {each, seed, std::string(isa_name(isa))};
  if (each > kSlow) std::cout << fmt::format("seed {}: {:.1f} ms an instruction on {}\n", seed, each, isa_name(isa));
  return executable;
}

/// The differences on one instruction set; "" if the results agree.
std::string difference_on(cpu::Isa isa, unsigned seed, const MovedProgram& program, std::span<const Literal> wanted) {
  const UsesIsa uses(isa);
  set_default_thread_count(0);
  const auto executable = compiled(seed, program, isa);
  for (const int threads : {0, 1}) {
    set_default_thread_count(threads);
    const StatusOr<std::vector<Literal>> got =
        executable.ok() ? run_literals(**executable, program.program.arguments) : executable.status();
    const std::string text = got.ok() ? difference(program, *got, wanted) : got.status().to_string();
    if (text.empty()) continue;
    return fmt::format("seed {} on {}, {} threads: {}\n{}", seed, isa_name(isa), threads == 0 ? "all" : "1", text,
                       shown(hlo::reduced(program.program, run_on_engine, compare_options(program))));
  }
  return "";
}

class MovedReductions : public testing::TestWithParam<unsigned> {};

TEST_P(MovedReductions, GiveOnTheEngineWhatTheyGiveOnTheReference) {
  const unsigned count = number_from("HILO_MOVED_PROGRAMS", 2000), begin = number_from("HILO_MOVED_SEED", 0);
  const unsigned parts = 2000 / kPerTest, first = begin + count * GetParam() / parts,
                 end = begin + count * (GetParam() + 1) / parts;
  const std::vector<cpu::Isa> isas = used_isas();
  int64_t differing = 0;
  for (unsigned seed = first; seed < end && differing < kMaxDiffering; ++seed) {
    const MovedProgram program = moved_program(seed);
    if (std::getenv("HILO_MOVED_SHOW") != nullptr) std::cout << shown(program.program) << std::endl;
    const StatusOr<std::vector<hlo::Expected>> expected = hlo::expected_of(program.program, compare_options(program));
    ASSERT_TRUE(expected.ok()) << "seed " << seed << ": " << expected.status().to_string() << "\n"
                               << shown(program.program);
    std::vector<Literal> wanted;
    for (const hlo::Expected& result : *expected) wanted.push_back(result.value);
    for (const cpu::Isa isa : forms_of(seed, isas)) {
      const std::string text = difference_on(isa, seed, program, wanted);
      if (text.empty()) continue;
      ADD_FAILURE() << text;
      ++differing;
      break;
    }
  }
  set_default_thread_count(0);
  std::cout << fmt::format("{} programs on {} forms; at most {:.1f} ms an instruction: seed {} on {}\n", end - first,
                           isas.size(), slowest().milliseconds, slowest().seed, slowest().isa);
}

INSTANTIATE_TEST_SUITE_P(Seeds, MovedReductions, testing::Range(0u, 2000 / kPerTest));

}  // namespace
}  // namespace hilo::tests
