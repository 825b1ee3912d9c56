// SPDX-License-Identifier: Apache-2.0
// bench/reading.cc -- how fast programs are read: one of 5,000 operations in each form that hilo reads. StableHLO has
// two rows: "parsed" is what a tree of the program costs, "to HLO" that and its translation. Whatever ends in HLO is
// checked.
//   reading [FOLDER]    prints "row<TAB>bytes<TAB>microseconds" a line; the files go to FOLDER, for others to read
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "hilo/base/files.h"
#include "hilo/hlo/proto/reader.h"
#include "hilo/hlo/proto/writer.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"
#include "hilo/stablehlo/reader.h"
#include "hilo/stablehlo/translate/translate.h"
#include "hilo/stablehlo/write/write_tree.h"

using namespace hilo;

namespace {

constexpr int kLayers = 500;  // of ten operations each

/// Layers of typical operations of JAX's programs: products, broadcasts, reductions, selections, slices.
std::string program() {
  std::string text =
      "HloModule reading\n\nsum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, "
      "b)\n}\n\n"
      "ENTRY main {\n  x0 = f32[8,16] parameter(0)\n  w = f32[16,16] parameter(1)\n  zero = f32[] constant(0)\n"
      "  zeros = f32[8,16] broadcast(zero), dimensions={}\n";
  for (int i = 0; i < kLayers; ++i) {
    text += fmt::format(
        "  d{0} = f32[8,16] dot(x{0}, w), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n"
        "  t{0} = f32[8,16] tanh(d{0})\n"
        "  r{0} = f32[8] reduce(t{0}, zero), dimensions={{1}}, to_apply=sum\n"
        "  b{0} = f32[8,16] broadcast(r{0}), dimensions={{0}}\n"
        "  m{0} = pred[8,16] compare(t{0}, zeros), direction=GT\n"
        "  q{0} = f32[8,16] select(m{0}, b{0}, t{0})\n"
        "  l{0} = f32[4,16] slice(q{0}), slice={{[0:4], [0:16]}}\n"
        "  h{0} = f32[4,16] slice(q{0}), slice={{[4:8], [0:16]}}\n"
        "  k{0} = f32[8,16] concatenate(h{0}, l{0}), dimensions={{0}}\n"
        "  x{1} = f32[8,16] add(k{0}, x{0})\n",
        i, i + 1);
  }
  return text + fmt::format("  ROOT out = f32[8,16] negate(x{})\n}}\n", kLayers);
}

/// Median of reads over about a second, at least 5.
double microseconds(const std::function<bool()>& read) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> samples;
  const Clock::time_point begin = Clock::now();
  while (samples.size() < 5 || Clock::now() - begin < std::chrono::seconds(1)) {
    const Clock::time_point start = Clock::now();
    if (!read()) return 0;
    samples.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  std::ranges::nth_element(samples, samples.begin() + static_cast<long>(samples.size() / 2));
  return samples[samples.size() / 2];
}

bool parse_stablehlo(const std::string& data) { return stablehlo::read_tree(data, "program").ok(); }

bool stablehlo_to_hlo(const std::string& data) {
  const StatusOr<stablehlo::ModuleTree> tree = stablehlo::read_tree(data, "program");
  return tree.ok() && stablehlo::translate(*tree).ok();
}

bool hlo_text_to_hlo(const std::string& data) { return hlo::parse_module(data).ok(); }
bool hlo_proto_to_hlo(const std::string& data) { return hlo::from_proto(data).ok(); }

}  // namespace

int main(int argc, char** argv) {
  const StatusOr<hlo::Module> module = hlo::parse_module(program());
  if (!module.ok()) return 1;
  const StatusOr<std::string> text = stablehlo::write_text(*module), bytes = stablehlo::write_bytecode(*module);
  const StatusOr<std::string> proto = hlo::to_proto(*module);
  if (!text.ok() || !bytes.ok() || !proto.ok()) return 1;
  const std::map<std::string, std::string> files = {{"program.mlir", *text},
                                                    {"program.mlirbc", *bytes},
                                                    {"program.hlo", hlo::print_module(*module)},
                                                    {"program.hlo.pb", *proto}};
  for (const auto& [name, data] : files) {
    if (argc > 1 && !write_file_atomic(fmt::format("{}/{}", argv[1], name), data).ok()) return 1;
  }
  struct Row {
    const char *file, *what;
    bool (*read)(const std::string&);
  };
  constexpr Row kRows[] = {
      {"program.mlir", "parsed", parse_stablehlo},   {"program.mlir", "to HLO", stablehlo_to_hlo},
      {"program.mlirbc", "parsed", parse_stablehlo}, {"program.mlirbc", "to HLO", stablehlo_to_hlo},
      {"program.hlo", "to HLO", hlo_text_to_hlo},    {"program.hlo.pb", "to HLO", hlo_proto_to_hlo},
  };
  for (const Row& row : kRows) {
    const std::string& data = files.at(row.file);
    std::printf("%s %s\t%zu\t%.1f\n", row.file, row.what, data.size(), microseconds([&] { return row.read(data); }));
  }
  return 0;
}
