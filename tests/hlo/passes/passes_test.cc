// SPDX-License-Identifier: Apache-2.0
// Golden cases of the passes: tests/hlo/passes/<pass>/*.hlo, separated by a line "// -----". Each case runs its
// folder's pass and compares the text with the CHECK lines. It also compares the results on fixed inputs before and
// after the pass.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>
#include <tuple>

#include "hilo/hlo/eval/evaluator.h"
#include "hilo/hlo/passes/pass_list.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"
#include "hilo/hlo/verify/verifier.h"
#include "tests/paths.h"

namespace hilo::hlo {
namespace {

namespace fs = std::filesystem;

struct Case {
  std::string pass, file, text;
  int first_line;  // the first line of the case in its file
};

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<Case> split(const std::string& pass, const fs::path& file) {
  constexpr std::string_view kSeparator = "// -----\n";
  const std::string text = read_file(file);
  std::vector<Case> cases;
  int line = 1;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(kSeparator, begin), text.size());
    cases.push_back({pass, file.filename().string(), text.substr(begin, end - begin), line});
    line += static_cast<int>(
                std::count(text.begin() + static_cast<long>(begin), text.begin() + static_cast<long>(end), '\n')) +
            1;
    begin = end + kSeparator.size();
  }
  return cases;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const auto& folder : fs::directory_iterator(fs::path(tests::kSourceDir) / "tests/hlo/passes")) {
    if (!folder.is_directory()) continue;
    for (const auto& file : fs::directory_iterator(folder)) {
      if (file.path().extension() != ".hlo") continue;
      for (Case& c : split(folder.path().filename().string(), file.path())) cases.push_back(std::move(c));
    }
  }
  std::sort(cases.begin(), cases.end(), [](const Case& a, const Case& b) {
    return std::tie(a.pass, a.file, a.first_line) < std::tie(b.pass, b.file, b.first_line);
  });
  return cases;
}

/// The path of FileCheck: Debian's name in PATH, or LLVM 19's folder.
std::string file_check() {
  std::vector<fs::path> folders = {"/usr/lib/llvm-19/bin"};
  std::istringstream path(getenv("PATH") == nullptr ? "" : getenv("PATH"));
  for (std::string folder; std::getline(path, folder, ':');) folders.emplace_back(folder);
  for (const char* name : {"FileCheck-19", "FileCheck"}) {
    for (const fs::path& folder : folders) {
      if (fs::exists(folder / name)) return (folder / name).string();
    }
  }
  return {};
}

/// The output of FileCheck; "" if all CHECK lines match.
std::string check_lines(const Case& c, const std::string& printed) {
  const std::string program = file_check();
  if (program.empty()) return "FileCheck is not installed (package llvm-19-tools)";
  const fs::path folder =
      fs::path(testing::TempDir()) / ("golden_" + c.pass + "_" + c.file + "_" + std::to_string(c.first_line));
  fs::create_directories(folder);
  std::ofstream(folder / "case.hlo") << c.text;
  std::ofstream(folder / "printed.hlo") << printed;
  const std::string command = program + " '" + (folder / "case.hlo").string() + "' --input-file '" +
                              (folder / "printed.hlo").string() + "' > '" + (folder / "said").string() + "' 2>&1";
  const bool matches = std::system(command.c_str()) == 0;  // NOLINT(cert-env33-c): the only program of these tests
  const std::string said = matches ? std::string() : read_file(folder / "said") + "\nthe pass made\n" + printed;
  fs::remove_all(folder);
  return said;
}

/// Generates the same numbers on every machine: floats in [-1,1), integers 0..9, bits.
class Inputs {
 public:
  Literal make(const Shape& shape) {
    if (shape.is_tuple()) {
      std::vector<Literal> elements;
      for (const Shape& e : shape.tuple_elements()) elements.push_back(make(e));
      return Literal::tuple(std::move(elements));
    }
    Literal literal(shape.with_default_layout());
    if (!shape.is_array()) return literal;
    visit_element_type(shape.element_type(), [&]<typename T>() { fill<T>(literal.data<T>()); }, [] {});
    return literal;
  }

 private:
  template <typename T>
  void fill(std::span<T> values) {
    for (T& value : values) {
      if constexpr (std::is_same_v<T, bool>) value = next() % 2 == 0;
      else if constexpr (std::is_integral_v<T>) value = static_cast<T>(next() % 10);
      else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) value = static_cast<T>(unit());
      else value = T(static_cast<float>(unit()));
    }
  }
  double unit() { return static_cast<double>(next() >> 40) / static_cast<double>(1 << 23) - 1.0; }
  uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  uint64_t state_ = 1;
};

/// Integers and bits must be equal, floats within a few ulp, NaNs at the same positions.
void expect_same_meaning(const Literal& before, const Literal& after) {
  ASSERT_TRUE(before.shape().compatible(after.shape()))
      << before.shape().to_string() << " became " << after.shape().to_string();
  if (before.is_tuple()) {
    for (size_t i = 0; i < before.elements().size(); ++i)
      expect_same_meaning(before.elements()[i], after.elements()[i]);
    return;
  }
  if (before.identical(after) || !is_floating(before.shape().element_type())) {
    EXPECT_TRUE(before.identical(after)) << before.to_string(20) << " became " << after.to_string(20);
    return;
  }
  const double tolerance = element_size_bytes(before.shape().element_type()) == 2 ? 1e-2 : 1e-5;
  for (int64_t i = 0; i < before.shape().element_count(); ++i) {
    const double x = element_as_double(before, i), y = element_as_double(after, i);
    if (std::isnan(x) && std::isnan(y)) continue;
    EXPECT_TRUE(x == y || std::abs(x - y) <= tolerance * std::max(std::abs(x), std::abs(y)))
        << "element " << i << ": " << x << " became " << y;
  }
}

void PrintTo(const Case& c, std::ostream* out) { *out << c.pass << "/" << c.file << ":" << c.first_line; }

class Golden : public testing::TestWithParam<Case> {};

TEST_P(Golden, TextAndMeaning) {
  const Case& c = GetParam();
  const StatusOr<PassEntry> pass = find_pass(c.pass);
  ASSERT_TRUE(pass.ok()) << pass.status().to_string();
  // so that line numbers in messages are those of the file
  const StatusOr<Module> before =
      parse_module(std::string(static_cast<size_t>(c.first_line - 1), '\n') + c.text, {.source = c.file});
  ASSERT_TRUE(before.ok()) << before.status().to_string();
  Module after = *before;
  const StatusOr<bool> changed = pass->run(after);
  ASSERT_TRUE(changed.ok()) << changed.status().to_string();
  const Status valid = verify(after);
  ASSERT_TRUE(valid.ok()) << valid.to_string();
  const std::string printed = print_module(after);
  if (const std::string said = check_lines(c, printed); !said.empty()) ADD_FAILURE() << said;

  const StatusOr<Module> again = parse_module(printed);
  ASSERT_TRUE(again.ok()) << again.status().to_string() << "\n" << printed;
  EXPECT_EQ(again->entry->fingerprint(), after.entry->fingerprint()) << printed;

  Inputs inputs;
  std::vector<Literal> arguments;
  for (const Shape& shape : before->entry->parameter_shapes()) arguments.push_back(inputs.make(shape));
  const StatusOr<Literal> expected = evaluate(*before, arguments);
  ASSERT_TRUE(expected.ok()) << expected.status().to_string();
  const StatusOr<Literal> actual = evaluate(after, arguments);
  ASSERT_TRUE(actual.ok()) << actual.status().to_string();
  expect_same_meaning(*expected, *actual);
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.pass + "_" + fs::path(info.param.file).stem().string() + "_line" +
                     std::to_string(info.param.first_line);
  std::replace_if(name.begin(), name.end(), [](char ch) { return !isalnum(static_cast<unsigned char>(ch)); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Passes, Golden, testing::ValuesIn(all_cases()), case_name);

TEST(GoldenCases, AreFound) { EXPECT_GT(all_cases().size(), 0u); }

}  // namespace
}  // namespace hilo::hlo
