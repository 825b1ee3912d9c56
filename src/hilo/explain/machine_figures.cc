// SPDX-License-Identifier: Apache-2.0
#include "hilo/explain/machine_figures.h"

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
constexpr double kLongEnough = 30e6;                       // nanoseconds that each program is run for
constexpr int64_t kFewestRuns = 5;

using Clock = std::chrono::steady_clock;

struct Figure {
  std::string_view name;
  double MachineFigures::* field;
};
constexpr Figure kFigures[] = {
    {"call", &MachineFigures::call},
    {"cache_bytes", &MachineFigures::cache_bytes},
    {"memory_bytes", &MachineFigures::memory_bytes},
    {"memory_bytes_all", &MachineFigures::memory_bytes_all},
    {"flops_f32", &MachineFigures::flops_f32},
    {"flops_f64", &MachineFigures::flops_f64},
    {"transcendentals", &MachineFigures::transcendentals},
    {"product_f32", &MachineFigures::product_f32},
    {"product_f64", &MachineFigures::product_f64},
};

double nanoseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

/// The body of a program on x, an array of this shape without layout: "f32[64]".
hlo::Module module_of(std::string_view shape, std::string_view body) {
  return *hlo::parse_module(
      fmt::format("HloModule figure\n\nENTRY main {{\n  x = {} parameter(0)\n{}}}\n", shape, body));
}

/// Nanoseconds of the fastest of several runs on zeros. `executor`: null for all threads.
StatusOr<double> fastest(Client& client, const hlo::Module& module, Executor* executor) {
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<Executable> program, client.compile(module, {}, nullptr));
  HILO_ASSIGN_OR_RETURN(const BufferPtr x,
                        buffer_from_literal(*program->devices()[0], Literal(program->argument_shapes()[0])));
  std::vector<BufferPtr> results(1);
  ExecuteOptions options;
  options.executor = executor;
  double least = HUGE_VAL;
  const Clock::time_point begin = Clock::now();
  for (int64_t runs = 0; runs < kFewestRuns || nanoseconds_since(begin) < kLongEnough; ++runs) {
    const Clock::time_point start = Clock::now();
    HILO_RETURN_IF_ERROR(program->execute({&x, 1}, results, options));
    least = std::min(least, nanoseconds_since(start));
  }
  return std::max(least, 1.0);
}

std::string negation(std::string_view shape) { return fmt::format("  ROOT y = {} negate(x)\n", shape); }

/// So many multiplications, each with an addition behind it, an element.
std::string arithmetic(std::string_view shape, int64_t pairs) {
  std::string body;
  std::string last = "x";
  for (int64_t k = 0; k < pairs; ++k) {
    body += fmt::format("  m{0} = {1} multiply({2}, x)\n  a{0} = {1} add(m{0}, x)\n", k, shape, last);
    last = fmt::format("a{}", k);
  }
  return body + fmt::format("  ROOT y = {} negate({})\n", shape, last);
}

std::string product(std::string_view shape) {
  return fmt::format("  ROOT y = {} dot(x, x), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n", shape);
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

}  // namespace

StatusOr<MachineFigures> measure_machine(Client& client) {
  constexpr double kCached = 1 << 13, kFlopsEach = 64, kSide = 512, kLarge = 1 << 24;  // elements
  ThreadPool own(1);
  const auto time = [&](std::string_view shape, std::string body, Executor* executor) {
    return fastest(client, module_of(shape, body), executor);
  };
  MachineFigures figures;
  figures.threads = default_pool().threads();
  HILO_ASSIGN_OR_RETURN(figures.call, time("f32[]", negation("f32[]"), &own));
  // Of what a call takes in any case, the rates know nothing.
  const auto rate = [&](double count, double nanoseconds) { return count / std::max(nanoseconds - figures.call, 1.0); };
  HILO_ASSIGN_OR_RETURN(const double cached, time("f32[8192]", negation("f32[8192]"), &own));
  figures.cache_bytes = rate(8 * kCached, cached);
  HILO_ASSIGN_OR_RETURN(const double one, time("f32[16777216]", negation("f32[16777216]"), &own));
  figures.memory_bytes = rate(8 * kLarge, one);
  HILO_ASSIGN_OR_RETURN(const double all, time("f32[16777216]", negation("f32[16777216]"), nullptr));
  figures.memory_bytes_all = rate(8 * kLarge, all);
  HILO_ASSIGN_OR_RETURN(const double f32, time("f32[8192]", arithmetic("f32[8192]", kFlopsEach / 2), &own));
  figures.flops_f32 = rate(kFlopsEach * kCached, f32);
  HILO_ASSIGN_OR_RETURN(const double f64, time("f64[8192]", arithmetic("f64[8192]", kFlopsEach / 2), &own));
  figures.flops_f64 = rate(kFlopsEach * kCached, f64);
  HILO_ASSIGN_OR_RETURN(const double exponentials, time("f32[8192]", "  ROOT y = f32[8192] exponential(x)\n", &own));
  figures.transcendentals = rate(kCached, exponentials);
  HILO_ASSIGN_OR_RETURN(const double product_f32, time("f32[512,512]", product("f32[512,512]"), nullptr));
  figures.product_f32 = rate(2 * kSide * kSide * kSide, product_f32);
  HILO_ASSIGN_OR_RETURN(const double product_f64, time("f64[512,512]", product("f64[512,512]"), nullptr));
  figures.product_f64 = rate(2 * kSide * kSide * kSide, product_f64);
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
