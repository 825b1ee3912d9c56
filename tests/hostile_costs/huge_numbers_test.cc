// SPDX-License-Identifier: Apache-2.0
// Small programs of every op with huge numbers. Each compiles within 1 GiB, or is rejected before it allocates memory.
//
// HILO_HUGE_PROGRAMS=N tests N changes of every sample (make fuzz) and limits each to two seconds of CPU time;
// HILO_HUGE_SEED sets the seed. By default, the test tries a few changes with a fixed seed and only detects programs
// that hang.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <random>
#include <regex>

#include "hilo/base/caches.h"
#include "hilo/base/out_of_memory.h"
#include "hilo/hlo/cost/cost.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/proto/reader.h"
#include "hilo/hlo/proto/writer.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"
#include "tests/support/clients.h"
#include "tests/support/samples.h"
#include "tests/support/status_cell.h"

namespace hilo::tests {
namespace {

constexpr int64_t kMemory = int64_t{1} << 30;  // in addition to the memory of the process at its start
constexpr double kMaxSeconds = 2;              // CPU time, if it is limited
constexpr rlim_t kHangs = 60;                  // CPU seconds after which a batch counts as hung
constexpr int kFewChanges = 4;

constexpr std::string_view kHuge[] = {"2147483647", "2147483648",          "1099511627776", "4611686018427387904",
                                      "1000003",    "9223372036854775807", "33554393",      "65537",
                                      "1000000007", "4294967296"};

int64_t number_of(const char* variable, int64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoll(text);
}

bool is_wide() { return std::getenv("HILO_HUGE_PROGRAMS") != nullptr; }

/// The ranges of integers in a text that are not part of a name or of a fraction.
std::vector<std::pair<size_t, size_t>> numbers_in(std::string_view text) {
  std::vector<std::pair<size_t, size_t>> found;
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '%';
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (!std::isdigit(static_cast<unsigned char>(text[i])) || (i > 0 && is_part(text[i - 1]))) continue;
    size_t end = i;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
    const bool by_x = end < text.size() && text[end] == 'x';  // as in window={size=3x3}
    if (end == text.size() || by_x || !is_part(text[end])) found.emplace_back(i, end);
    i = end;
  }
  return found;
}

/// Replaces one number, all numbers equal to it, or both, by huge ones.
std::string with_huge_numbers(std::string text, std::mt19937& random) {
  const auto pick = [&](size_t count) { return random() % count; };
  const auto replace = [&](bool all) {
    const auto found = numbers_in(text);
    if (found.empty()) return;
    const auto [begin, end] = found[pick(found.size())];
    const std::string old = text.substr(begin, end - begin);
    const std::string_view huge = kHuge[pick(std::size(kHuge))];
    for (size_t k = found.size(); k-- > 0;) {
      const auto [b, e] = found[k];
      if (all ? text.compare(b, e - b, old) == 0 : b == begin) text.replace(b, e - b, huge);
    }
  };
  switch (pick(4)) {
    case 0: replace(false); break;
    case 1: replace(true), replace(false); break;
    case 2: replace(true), replace(true); break;
    default: replace(true);
  }
  return text;
}

/// Removes the types of parameters and results of computations, which follow from the instructions.
std::string without_signatures(const std::string& text) {
  static const std::regex signature(R"(\n((?:ENTRY )?%[^ ]+) \([^\n]*\{)");
  return std::regex_replace(text, signature, "\n$1 {");
}

/// The module. If only declared shapes are wrong, they are replaced by inferred ones, so that changed sizes reach the
/// engine.
StatusOr<hlo::Module> parsed(std::string& text) {
  static const std::regex mismatch(R"((\d+):\d+\): declared shape is (.*); the operands imply (.*))");
  constexpr int kMaxRepairs = 12;
  StatusOr<hlo::Module> module = hlo::parse_module(text);
  for (int k = 0; k < kMaxRepairs && !module.ok(); ++k) {
    std::smatch found;
    const std::string message(module.status().message());
    if (!std::regex_search(message, found, mismatch)) break;
    size_t begin = 0;
    for (int line = std::stoi(found[1]); line > 1; --line) begin = text.find('\n', begin) + 1;
    begin = text.find(" = ", begin) + 3;
    const size_t space = text.find(' ', begin), end = text[begin] == '(' ? text.find(") ", begin) + 1 : space;
    text.replace(begin, end - begin, found[3]);
    module = hlo::parse_module(text);
  }
  return module;
}

/// Runs a program through texts, messages, costs and the engine. Returns the problem, or "".
std::string problem_of(std::string text, bool& compiled) {
  const Status no_memory = out_of_memory();
  const auto says = [&](const Status& status) {
    return status.message().find(no_memory.message()) != std::string::npos;
  };
  const StatusOr<hlo::Module> module = parsed(text);
  if (!module.ok()) return says(module.status()) ? "read: " + module.status().to_string() : "";
  (void)hlo::print_module(*module);
  const StatusOr<std::string> bytes = hlo::to_proto(*module);
  const Status again = bytes.ok() ? hlo::from_proto(*bytes).status() : bytes.status();
  if (says(again)) return "proto: " + again.to_string();
  (void)hlo::CostAnalysis(module->entry).of(*module->entry);
  const Status status = cpu_client()->compile(*module, {}, nullptr).status();
  compiled = status.ok();
  return says(status) ? "compile: " + status.to_string() : "";
}

/// The state of a batch of programs that runs in a child process.
struct Report {
  int64_t tried, compiled;
  double worst_seconds;
  char text[1 << 14];     ///< the current program
  char problem[1 << 12];  ///< empty without an error
};

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void limit_process() {
  const rlimit core{0, 0}, time{kHangs, kHangs};
  ::setrlimit(RLIMIT_CORE, &core);
  ::setrlimit(RLIMIT_CPU, &time);
  std::ifstream file("/proc/self/status");
  int64_t kib = 0;
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("VmData:")) kib = std::atoll(line.c_str() + 7);
  const auto bytes = static_cast<rlim_t>(kib * 1024 + kMemory);
  const rlimit data{bytes, bytes};
  ::setrlimit(RLIMIT_DATA, &data);
}

void run_batch(const std::vector<std::string>& texts, Report& report) {
  limit_process();
  for (const std::string& text : texts) {
    std::strncpy(report.text, text.c_str(), sizeof(report.text) - 1);
    const double began = processor_seconds();
    bool compiled = false;
    std::string problem = problem_of(text, compiled);
    const double took = processor_seconds() - began;
    report.worst_seconds = std::max(report.worst_seconds, took);
    if (problem.empty() && is_wide() && took > kMaxSeconds) problem = fmt::format("took {:.1f} s", took);
    ++report.tried;
    report.compiled += compiled;
    if (!problem.empty()) {
      std::strncpy(report.problem, problem.c_str(), sizeof(report.problem) - 1);
      return;
    }
    clear_caches();
  }
}

/// `changes` changed samples for each sample of an opcode.
std::vector<std::string> hostile_texts(hlo::Opcode opcode, int64_t changes, int64_t seed) {
  std::vector<std::string> texts;
  for (const ElementType type : {ElementType::kF32, ElementType::kS32, ElementType::kC64, ElementType::kPred}) {
    for (const Sample& sample : samples_of(opcode, type, 7, Values::kSmooth)) {
      const StatusOr<hlo::ComputationPtr> computation = computation_of(sample);
      if (!computation.ok()) continue;  // no such instruction: see tests/status
      const std::string text = without_signatures(hlo::print_module(module_of(*computation)));
      if (text.size() > 4096) continue;
      std::mt19937 random(static_cast<unsigned>(seed * 1000 + static_cast<int64_t>(texts.size())));
      for (int64_t k = 0; k < changes; ++k) texts.push_back(with_huge_numbers(text, random));
    }
  }
  return texts;
}

/// The totals over all batches.
struct Count {
  int64_t tried = 0, compiled = 0, problems = 0;
  double worst = 0;
};

/// Runs the texts in child processes. After a crash or a problem, the next process continues with the following text.
void try_all(const std::string& name, std::vector<std::string> texts, Count& count) {
  constexpr int64_t kMaxProblems = 100;
  auto* const report =
      static_cast<Report*>(::mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  while (!texts.empty() && count.problems < kMaxProblems) {
    std::memset(report, 0, sizeof(Report));
    const pid_t child = ::fork();
    if (child == 0) {
      run_batch(texts, *report);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    const bool fell = !WIFEXITED(status);
    const int64_t done = std::min(report->tried + (fell ? 1 : 0), std::ssize(texts));
    count.tried += done;
    count.compiled += report->compiled;
    count.worst = std::max(count.worst, report->worst_seconds);
    if (fell || report->problem[0] != '\0') {
      ++count.problems;
      ADD_FAILURE() << name << ": " << (fell ? fmt::format("signal {}", WTERMSIG(status)) : report->problem) << "\n"
                    << report->text;
    }
    texts.erase(texts.begin(), texts.begin() + done);
  }
  ::munmap(report, sizeof(Report));
}

TEST(HugeNumbers, OfSamplesCostNoMemoryAndEnd) {
  const int64_t changes = number_of("HILO_HUGE_PROGRAMS", kFewChanges), seed = number_of("HILO_HUGE_SEED", 0);
  Count count;
  (void)cpu_client();
  for (int k = 0; k < hlo::kOpcodeCount; ++k) {
    const auto opcode = static_cast<hlo::Opcode>(k);
    try_all(std::string(hlo::opcode_name(opcode)), hostile_texts(opcode, changes, seed + k), count);
  }
  fmt::print("{} programs, {} of them compiled, {:.2f} s for the slowest\n", count.tried, count.compiled, count.worst);
  EXPECT_GT(count.compiled, count.tried / 20) << "next to none of the programs compiles";
}

/// Programs that once used gigabytes or seconds, or that crashed.
TEST(HugeNumbers, OfTheseProgramsCostNoMemoryAndEnd) {
  const char* const kPrograms[] = {
      // Tables for a line of prime length.
      R"(HloModule m
ENTRY e { p = c64[] parameter(0) a = c64[16777213] broadcast(p), dimensions={} ROOT f = c64[16777213] fft(a), fft_type=FFT, fft_length={16777213} })",
      R"(HloModule m
ENTRY e { p = f64[2,33554426] parameter(0) ROOT f = c128[2,16777214] fft(p), fft_type=RFFT, fft_length={33554426} })",
      R"(HloModule m
ENTRY e { p = c64[268435456] parameter(0) ROOT f = c64[268435456] fft(p), fft_type=IFFT, fft_length={268435456} })",
      // Tables for the terms of a sum.
      R"(HloModule m
ENTRY e { p = f32[4,1000000007,5] parameter(0) q = f32[1000000007,4,3] parameter(1)
  ROOT c = f32[3,2,4] convolution(p, q), window={size=3 pad=1_1 rhs_dilate=2}, dim_labels=bf0_io0->0bf, batch_group_count=2 })",
      R"(HloModule m
ENTRY e { p = f32[1,100,100,100,1] parameter(0) k = f32[3,3,3,1,1] parameter(1)
  ROOT r = f32[1,99001,99001,99001,1] convolution(p, k), window={size=3x3x3 lhs_dilate=1000x1000x1000 pad=1_1x1_1x1_1}, dim_labels=b012f_012io->b012f })",
      // A flag for each member of an axis.
      R"(HloModule m
ENTRY e { p = f32[3] parameter(0) ROOT q = f32[3] hilo.ppermute(p), axis_name=i, axis_size=4611686018427387904, permutation={{0,1},{1,0}} })",
      // Sums of sizes that overflow 64 bits.
      R"(HloModule m
cond { c = (s32[], pred[9223372036854775807]) parameter(0) i = s32[] get-tuple-element(c), index=0 k = s32[] constant(3) ROOT r = pred[] compare(i, k), direction=LT }
body { c = (s32[], pred[9223372036854775807]) parameter(0) i = s32[] get-tuple-element(c), index=0 o = s32[] constant(1) j = s32[] add(i, o)
  x = pred[9223372036854775807] get-tuple-element(c), index=1 y = pred[9223372036854775807] not(x) ROOT t = (s32[], pred[9223372036854775807]) tuple(j, y) }
ENTRY e { t = (s32[], pred[9223372036854775807]) parameter(0) ROOT w = (s32[], pred[9223372036854775807]) while(t), condition=cond, body=body })",
      // Constant values whose computation doesn't end.
      R"(HloModule m
forever { p = f32[] parameter(0) ROOT r = pred[] constant(true) }
next { p = f32[] parameter(0) ROOT r = f32[] add(p, p) }
hang { a = f32[] parameter(0) b = f32[] parameter(1) w = f32[] while(a), condition=forever, body=next ROOT r = f32[] add(w, b) }
ENTRY e { c = f32[4] constant({1, 2, 3, 4}) z = f32[] constant(0) ROOT r = f32[] reduce(c, z), dimensions={0}, to_apply=hang })",
  };
  Count count;
  (void)cpu_client();
  try_all("program", {std::begin(kPrograms), std::end(kPrograms)}, count);
  EXPECT_EQ(count.tried, std::ssize(kPrograms));
}

}  // namespace
}  // namespace hilo::tests
