// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/explain/machine_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <random>
#include <sstream>

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/base/files.h"
#include "hilo/client/disk_cache.h"
#include "hilo/hlo/text/parser.h"

namespace hilo {
namespace {

constexpr std::string_view kFile = "machine_figures.txt";  // in the folder of the disk cache
constexpr double kLong = 30e6, kShort = 3e6;               // nanoseconds for which a program is run at least
constexpr int64_t kMinRuns = 5;

using Clock = std::chrono::steady_clock;

double nanoseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

/// Returns a program with this body on x, an array of a shape without layout: "f32[64]". Bodies may call the
/// computations `less` and `sum` of scalars of type `scalar`.
StatusOr<hlo::Module> module_of(std::string_view shape, std::string_view scalar, std::string_view body) {
  return hlo::parse_module(fmt::format(
      "HloModule figure\n\n"
      "less {{\n  a = {0} parameter(0)\n  b = {0} parameter(1)\n  ROOT c = pred[] compare(a, b), direction=LT\n}}\n\n"
      "sum {{\n  a = {0} parameter(0)\n  b = {0} parameter(1)\n  ROOT c = {0} add(a, b)\n}}\n\n"
      "ENTRY main {{\n  x = {1} parameter(0)\n{2}}}\n",
      scalar, shape, body));
}

/// Returns numbers for which no function is special: positive floats below 1, integers from 1 to 100.
Literal numbers(const Shape& shape) {
  Literal literal(shape);
  std::minstd_rand random(1);
  const auto fill = [&]<typename T>(std::span<T> elements, auto scale) {
    for (T& element : elements) element = static_cast<T>(1 + random() % 100) / scale;
  };
  switch (shape.element_type()) {
    case ElementType::kF32: fill(literal.data<float>(), 101.0f); break;
    case ElementType::kF64: fill(literal.data<double>(), 101.0); break;
    case ElementType::kS32: fill(literal.data<int32_t>(), 1); break;
    case ElementType::kS64: fill(literal.data<int64_t>(), 1); break;
    default: break;  // zeros
  }
  return literal;
}

/// Records the fastest run of any unit.
class FastestUnit final : public ExecutionObserver {
 public:
  void on_unit(const ExecutionUnit&, const UnitTimes& times) override {
    nanoseconds = std::min(nanoseconds, static_cast<double>(times.duration));
  }
  double nanoseconds = HUGE_VAL;
};

/// How a program is measured.
struct Measuring {
  Executor* executor = nullptr;  ///< null: all threads
  double enough = kLong;         ///< nanoseconds for which it is run at least
  ExecutionObserver* observer = nullptr;
};

/// Returns the nanoseconds of the fastest run of a program.
StatusOr<double> fastest(Client& client, const StatusOr<hlo::Module>& parsed, const Measuring& how) {
  HILO_ASSIGN_OR_RETURN(const hlo::Module module, parsed);
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<Executable> program, client.compile(module, {}, nullptr));
  HILO_ASSIGN_OR_RETURN(const BufferPtr x,
                        buffer_from_literal(*program->devices()[0], numbers(program->argument_shapes()[0])));
  std::vector<BufferPtr> results(1);
  ExecuteOptions options;
  options.executor = how.executor;
  options.observer = how.observer;
  double least = HUGE_VAL;
  const Clock::time_point begin = Clock::now();
  for (int64_t runs = 0; runs < kMinRuns || nanoseconds_since(begin) < how.enough; ++runs) {
    const Clock::time_point start = Clock::now();
    HILO_RETURN_IF_ERROR(program->execute({&x, 1}, results, options));
    least = std::min(least, nanoseconds_since(start));
  }
  return least;
}

std::string negation(std::string_view shape) { return fmt::format("  ROOT y = {} negate(x)\n", shape); }

constexpr int kChains = 8, kPairs = 16;

/// Returns a body with a fixed number of multiply-add pairs per element, in chains that don't wait for each other: each
/// begins with another power of x.
std::string arithmetic(std::string_view shape) {
  std::string body, power = "x", sum = "x";
  for (int chain = 0; chain < kChains; ++chain) {
    body += fmt::format("  p{0} = {1} multiply({2}, x)\n", chain, shape, power);
    std::string at = power = fmt::format("p{}", chain);
    for (int k = 0; k < kPairs; ++k) {
      const std::string name = fmt::format("{}_{}", chain, k);
      body += fmt::format("  m{0} = {1} multiply({2}, x)\n  a{0} = {1} add(m{0}, x)\n", name, shape, at);
      at = "a" + name;
    }
    body += fmt::format("  s{0} = {1} add({2}, {3})\n", chain, shape, at, sum);
    sum = fmt::format("s{}", chain);
  }
  return body + fmt::format("  ROOT y = {} negate({})\n", shape, sum);
}

std::string product(std::string_view shape) {
  const std::string_view result = shape.starts_with("s8") ? "s32[512,512]" : shape;
  return fmt::format("  ROOT y = {} dot(x, x), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n", result);
}

std::string sort(std::string_view shape) {
  return fmt::format("  ROOT y = {} sort(x), dimensions={{0}}, to_apply=less\n", shape);
}

std::string fourier(std::string_view shape) {
  return fmt::format("  ROOT y = {} fft(x), fft_type=FFT, fft_length={{1024}}\n", shape);
}

std::string scan(std::string_view shape) {
  return fmt::format(
      "  zero = f32[] constant(0)\n"
      "  ROOT y = {} reduce-window(x, zero), window={{size=8192 pad=8191_0}}, to_apply=sum\n",
      shape);
}

/// Places that no prefetcher guesses, among 8192.
constexpr std::string_view kPlaces =
    "  i = u32[8192,1] iota(), iota_dimension=0\n  f = u32[] constant(2654435761)\n"
    "  g = u32[8192,1] broadcast(f), dimensions={}\n  h = u32[8192,1] multiply(i, g)\n  s = u32[] constant(19)\n"
    "  t = u32[8192,1] broadcast(s), dimensions={}\n  places = u32[8192,1] shift-right-logical(h, t)\n";

std::string gather(std::string_view) {
  return fmt::format(
      "{}  ROOT y = f32[8192] gather(x, places), offset_dims={{}}, collapsed_slice_dims={{0}}, "
      "start_index_map={{0}}, index_vector_dim=1, slice_sizes={{1}}\n",
      kPlaces);
}

std::string scatter(std::string_view) {
  return fmt::format(
      "{}  ROOT y = f32[8192] scatter(x, places, x), update_window_dims={{}}, inserted_window_dims={{0}}, "
      "scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, to_apply=sum\n",
      kPlaces);
}

/// A figure and the program by which it is measured.
struct Figure {
  std::string_view name;
  double MachineFigures::* field;
  std::string_view scalar, shape;  ///< of its argument and its result
  std::string (*body)(std::string_view shape);
  double count;  ///< number of the measured operations in a run
  bool by_all = false;
};
constexpr double kSmall = 1 << 11, kMiddle = 1 << 16, kBig = 1 << 20, kLarge = 1 << 24, kElements = 1 << 13;
constexpr double kFlops = 2.0 * kChains * (kPairs + 1) * kElements, kProduct = 2.0 * 512 * 512 * 512;
constexpr double kTransformed = 16 * 1024 * 10;
constexpr Figure kFigures[] = {
    {"l1_bytes", &MachineFigures::l1_bytes, "f32[]", "f32[2048]", negation, 8 * kSmall},
    {"l2_bytes", &MachineFigures::l2_bytes, "f32[]", "f32[65536]", negation, 8 * kMiddle},
    {"l3_bytes", &MachineFigures::l3_bytes, "f32[]", "f32[1048576]", negation, 8 * kBig},
    {"memory_bytes", &MachineFigures::memory_bytes, "f32[]", "f32[16777216]", negation, 8 * kLarge},
    {"memory_bytes_all", &MachineFigures::memory_bytes_all, "f32[]", "f32[16777216]", negation, 8 * kLarge, true},
    {"flops_f32", &MachineFigures::flops_f32, "f32[]", "f32[8192]", arithmetic, kFlops},
    {"flops_f64", &MachineFigures::flops_f64, "f64[]", "f64[8192]", arithmetic, kFlops},
    {"product_f32", &MachineFigures::product_f32, "f32[]", "f32[512,512]", product, kProduct},
    {"product_f64", &MachineFigures::product_f64, "f64[]", "f64[512,512]", product, kProduct},
    {"product_bf16", &MachineFigures::product_bf16, "f32[]", "bf16[512,512]", product, kProduct},
    {"product_s8", &MachineFigures::product_s8, "f32[]", "s8[512,512]", product, kProduct},
    {"sorted_f32", &MachineFigures::sorted_f32, "f32[]", "f32[65536]", sort, 16 * kMiddle},
    {"sorted_f64", &MachineFigures::sorted_f64, "f64[]", "f64[65536]", sort, 16 * kMiddle},
    {"fourier_c64", &MachineFigures::fourier_c64, "f32[]", "c64[16,1024]", fourier, kTransformed},
    {"fourier_c128", &MachineFigures::fourier_c128, "f32[]", "c128[16,1024]", fourier, kTransformed},
    {"scanned", &MachineFigures::scanned, "f32[]", "f32[8192]", scan, kElements},
    {"gathered", &MachineFigures::gathered, "f32[]", "f32[8192]", gather, kElements},
    {"scattered", &MachineFigures::scattered, "f32[]", "f32[8192]", scatter, kElements},
};

/// The functions that are measured: all elementwise ops that aren't cheap, on floats, and divisions of integers.
struct Function {
  hlo::Opcode opcode;
  ElementType type;
};
std::vector<Function> measured_functions() {
  std::vector<Function> functions;
  for (int k = 0; k < hlo::kElementwiseOpcodeCount; ++k) {
    const auto opcode = static_cast<hlo::Opcode>(k);
    const hlo::CostClass cost = hlo::op_def(opcode).cost;
    if (cost != hlo::CostClass::kExpensive && cost != hlo::CostClass::kTranscendental) continue;
    functions.push_back({opcode, ElementType::kF32});
    functions.push_back({opcode, ElementType::kF64});
    if (opcode != hlo::Opcode::kDivide && opcode != hlo::Opcode::kRemainder) continue;
    functions.push_back({opcode, ElementType::kS32});
    functions.push_back({opcode, ElementType::kS64});
  }
  return functions;
}

StatusOr<hlo::Module> module_of(const Function& function) {
  const std::string_view type = element_type_name(function.type);
  const std::string shape = fmt::format("{}[4096]", type);
  const std::string_view operands = hlo::op_def(function.opcode).arity == 2 ? "x, x" : "x";
  return module_of(shape, fmt::format("{}[]", type),
                   fmt::format("  ROOT y = {} {}({})\n", shape, hlo::opcode_name(function.opcode), operands));
}
constexpr double kFunctionElements = 1 << 12;

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

}  // namespace

std::string function_name(hlo::Opcode opcode, ElementType type) {
  return fmt::format("{}:{}", hlo::opcode_name(opcode), element_type_name(type));
}

std::optional<double> MachineFigures::function_rate(hlo::Opcode opcode, ElementType type) const {
  const auto found = functions.find(function_name(opcode, type));
  return found == functions.end() ? std::nullopt : std::optional(found->second);
}

double MachineFigures::cache_rate(double bytes) const {
  constexpr double kL1 = 32 << 10, kL2 = 1 << 20;
  return bytes <= kL1 ? l1_bytes : bytes <= kL2 ? l2_bytes : l3_bytes;
}

StatusOr<MachineFigures> measure_machine(Client& client) {
  ThreadPool own(1);
  MachineFigures figures;
  figures.threads = default_pool().threads();
  const StatusOr<hlo::Module> smallest = module_of("f32[]", "f32[]", negation("f32[]"));
  HILO_ASSIGN_OR_RETURN(figures.call, fastest(client, smallest, {.executor = &own}));
  FastestUnit unit;
  HILO_RETURN_IF_ERROR(fastest(client, smallest, {.executor = &own, .enough = 0, .observer = &unit}).status());
  figures.unit = std::max(unit.nanoseconds, 1.0);
  const auto rate = [&](double count, double nanoseconds) { return count / std::max(nanoseconds - figures.call, 1.0); };
  for (const Figure& figure : kFigures) {
    const StatusOr<hlo::Module> module = module_of(figure.shape, figure.scalar, figure.body(figure.shape));
    HILO_ASSIGN_OR_RETURN(const double took, fastest(client, module, {.executor = figure.by_all ? nullptr : &own}));
    figures.*figure.field = rate(figure.count, took);
  }
  for (const Function& function : measured_functions()) {
    HILO_ASSIGN_OR_RETURN(const double took,
                          fastest(client, module_of(function), {.executor = &own, .enough = kShort}));
    figures.functions[function_name(function.opcode, function.type)] = rate(kFunctionElements, took);
  }
  return figures;
}

std::string figures_text(const MachineFigures& figures, std::string_view key) {
  std::string text =
      fmt::format("{}\nthreads {}\ncall {}\nunit {}\n", key, figures.threads, figures.call, figures.unit);
  for (const Figure& figure : kFigures) text += fmt::format("{} {}\n", figure.name, figures.*figure.field);
  for (const auto& [name, rate] : figures.functions) text += fmt::format("{} {}\n", name, rate);
  return text;
}

std::optional<MachineFigures> figures_from_text(std::string_view text, std::string_view key) {
  std::istringstream lines{std::string(text)};
  std::string line, name;
  if (!std::getline(lines, line) || line != key) return std::nullopt;
  MachineFigures figures;
  if (!(lines >> name >> figures.threads) || name != "threads" || figures.threads < 1) return std::nullopt;
  const auto read = [&](std::string_view wanted, double& value) {
    return lines >> name >> value && name == wanted && value > 0;
  };
  if (!read("call", figures.call) || !read("unit", figures.unit)) return std::nullopt;
  for (const Figure& figure : kFigures) {
    if (!read(figure.name, figures.*figure.field)) return std::nullopt;
  }
  for (double rate = 0; lines >> name >> rate && rate > 0;) figures.functions[name] = rate;
  const auto is_there = [&](const Function& f) { return figures.function_rate(f.opcode, f.type).has_value(); };
  if (!std::ranges::all_of(measured_functions(), is_there)) return std::nullopt;
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
