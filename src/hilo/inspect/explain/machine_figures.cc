// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/explain/machine_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <sstream>

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/base/files.h"
#include "hilo/client/disk_cache.h"
#include "hilo/hlo/text/parser.h"

namespace hilo {
namespace {

constexpr std::string_view kFile = "machine_figures.txt";  // in the folder of the disk cache
constexpr double kMinMeasuredNanoseconds = 30e6;           // nanoseconds for which each program is run
constexpr int64_t kMinRuns = 5;

using Clock = std::chrono::steady_clock;

double nanoseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

/// Returns a program with this body on x, an array of a shape without layout: "f32[64]".
hlo::Module module_of(std::string_view shape, std::string_view body) {
  return *hlo::parse_module(
      fmt::format("HloModule figure\n\nENTRY main {{\n  x = {} parameter(0)\n{}}}\n", shape, body));
}

/// Returns the nanoseconds of the fastest of several runs on zeros. `executor`: null for all threads.
StatusOr<double> fastest(Client& client, const hlo::Module& module, Executor* executor) {
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<Executable> program, client.compile(module, {}, nullptr));
  HILO_ASSIGN_OR_RETURN(const BufferPtr x,
                        buffer_from_literal(*program->devices()[0], Literal(program->argument_shapes()[0])));
  std::vector<BufferPtr> results(1);
  ExecuteOptions options;
  options.executor = executor;
  double least = HUGE_VAL;
  const Clock::time_point begin = Clock::now();
  for (int64_t runs = 0; runs < kMinRuns || nanoseconds_since(begin) < kMinMeasuredNanoseconds; ++runs) {
    const Clock::time_point start = Clock::now();
    HILO_RETURN_IF_ERROR(program->execute({&x, 1}, results, options));
    least = std::min(least, nanoseconds_since(start));
  }
  return std::max(least, 1.0);
}

std::string negation(std::string_view shape) { return fmt::format("  ROOT y = {} negate(x)\n", shape); }

std::string exponential(std::string_view shape) { return fmt::format("  ROOT y = {} exponential(x)\n", shape); }

constexpr int kPairs = 32;

/// Returns a body with a fixed number of multiply-add pairs per element.
std::string arithmetic(std::string_view shape) {
  std::string body, last = "x";
  for (int k = 0; k < kPairs; ++k) {
    body += fmt::format("  m{0} = {1} multiply({2}, x)\n  a{0} = {1} add(m{0}, x)\n", k, shape, last);
    last = fmt::format("a{}", k);
  }
  return body + fmt::format("  ROOT y = {} negate({})\n", shape, last);
}

std::string product(std::string_view shape) {
  return fmt::format("  ROOT y = {} dot(x, x), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n", shape);
}

/// A figure and the program by which it is measured.
struct Figure {
  std::string_view name;
  double MachineFigures::* field;
  std::string_view shape;  ///< of its argument and its result
  std::string (*body)(std::string_view shape);
  double count;  ///< number of the measured operations in a run; 0: the figure is the run's time
  bool by_all;   ///< uses all threads
};
constexpr double kCached = 1 << 13, kLarge = 1 << 24, kSide = 512;
constexpr double kProduct = 2 * kSide * kSide * kSide;
constexpr Figure kFigures[] = {
    {"call", &MachineFigures::call, "f32[]", negation, 0, false},  // rates don't include the overhead of a call
    {"cache_bytes", &MachineFigures::cache_bytes, "f32[8192]", negation, 8 * kCached, false},
    {"memory_bytes", &MachineFigures::memory_bytes, "f32[16777216]", negation, 8 * kLarge, false},
    {"memory_bytes_all", &MachineFigures::memory_bytes_all, "f32[16777216]", negation, 8 * kLarge, true},
    {"flops_f32", &MachineFigures::flops_f32, "f32[8192]", arithmetic, 2 * kPairs* kCached, false},
    {"flops_f64", &MachineFigures::flops_f64, "f64[8192]", arithmetic, 2 * kPairs* kCached, false},
    {"transcendentals", &MachineFigures::transcendentals, "f32[8192]", exponential, kCached, false},
    {"product_f32", &MachineFigures::product_f32, "f32[512,512]", product, kProduct, true},
    {"product_f64", &MachineFigures::product_f64, "f64[512,512]", product, kProduct, true},
};

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

}  // namespace

StatusOr<MachineFigures> measure_machine(Client& client) {
  ThreadPool own(1);
  MachineFigures figures;
  figures.threads = default_pool().threads();
  for (const Figure& figure : kFigures) {
    const hlo::Module module = module_of(figure.shape, figure.body(figure.shape));
    HILO_ASSIGN_OR_RETURN(const double nanoseconds, fastest(client, module, figure.by_all ? nullptr : &own));
    const double beside_call = std::max(nanoseconds - figures.call, 1.0);
    figures.*figure.field = figure.count == 0 ? nanoseconds : figure.count / beside_call;
  }
  return figures;
}

std::string figures_text(const MachineFigures& figures, std::string_view key) {
  std::string text = fmt::format("{}\nthreads {}\n", key, figures.threads);
  for (const Figure& figure : kFigures) text += fmt::format("{} {}\n", figure.name, figures.*figure.field);
  return text;
}

std::optional<MachineFigures> figures_from_text(std::string_view text, std::string_view key) {
  std::istringstream lines{std::string(text)};
  std::string line, name;
  if (!std::getline(lines, line) || line != key) return std::nullopt;
  MachineFigures figures;
  if (!(lines >> name >> figures.threads) || name != "threads" || figures.threads < 1) return std::nullopt;
  for (const Figure& figure : kFigures) {
    double& value = figures.*figure.field;
    if (!(lines >> name >> value) || name != figure.name || !(value > 0)) return std::nullopt;
  }
  return figures;
}

StatusOr<MachineFigures> machine_figures(Client& client) {
  HILO_ASSIGN_OR_RETURN(DiskCache* const cache, disk_cache());
  HILO_ASSIGN_OR_RETURN(const cpu::Isa isa, cpu::selected_isa());
  const std::string key =
      fmt::format("{}, {}, {} threads", processor_name(), cpu::isa_name(isa), default_pool().threads());
  const bool is_kept = cache != nullptr && file_exists(cache->folder());
  const std::string path = is_kept ? fmt::format("{}/{}", cache->folder(), kFile) : "";
  if (is_kept && file_exists(path)) {
    HILO_ASSIGN_OR_RETURN(const std::string text, read_file(path));
    if (const std::optional<MachineFigures> known = figures_from_text(text, key)) return *known;
  }
  HILO_ASSIGN_OR_RETURN(const MachineFigures figures, measure_machine(client));
  if (is_kept) HILO_RETURN_IF_ERROR(write_file_atomic(path, figures_text(figures, key)));
  return figures;
}

}  // namespace hilo
