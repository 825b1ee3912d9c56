// SPDX-License-Identifier: Apache-2.0
// Functions of jax.export with symbolic sizes, at sizes 1, 2, 7 and 33, compared with JAX's results.
// tests/golden/record_open_sizes.py recorded files and values.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "hilo/import/load.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/paths.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

constexpr double kTolerance = 2e-5;  // relative to the sum of magnitudes

const std::string kTests = std::string(tests::kSourceDir) + "/tests/";

std::string file(const std::string& name) { return kTests + "import/data/open/" + name + ".jax"; }

/// Splits a line at " | ".
std::vector<std::string> parts_of(const std::string& line) {
  std::vector<std::string> parts;
  for (size_t at = 0; at != std::string::npos;) {
    const size_t end = line.find(" | ", at);
    parts.push_back(line.substr(at, end == std::string::npos ? end : end - at));
    at = end == std::string::npos ? end : end + 3;
  }
  return parts;
}

/// The lines of each name, in the order of the file.
std::vector<std::pair<std::string, std::vector<std::vector<std::string>>>> recorded() {
  std::vector<std::pair<std::string, std::vector<std::vector<std::string>>>> all;
  std::ifstream in(kTests + "golden/open_sizes.txt");
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> parts = parts_of(line);
    if (all.empty() || all.back().first != parts[0]) all.emplace_back(parts[0], 0);
    all.back().second.push_back(std::move(parts));
  }
  return all;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& [name, lines] : recorded()) all.push_back(name);
  return all;
}

/// The element at index k, as in record_open_sizes.py: depends on the type and its suffix.
double place_value(const std::string& type, const std::string& suffix, int64_t k, int64_t argument) {
  if (suffix.starts_with('%')) return static_cast<double>((7 * k + 3) % std::stoll(suffix.substr(1)));
  if (type == "pred") return k % 3 == 0 ? 1 : 0;
  if (type.starts_with('u')) return static_cast<double>((k * 13 + argument) % 200);
  if (type.starts_with('i')) return static_cast<double>((k * 13 + argument) % 200 - 100);
  const auto place = static_cast<double>((k * 37 + 11 * argument) % 64);
  if (suffix == "+") return (place + 8) / 32;
  return suffix == "u" ? (place - 32) / 40 : (place - 32) / 16;
}

/// The argument of a type "f32[7,3]%5".
Array argument_of(const std::string& text, int64_t number) {
  const size_t open = text.find('['), close = text.find(']');
  const std::string type = text.substr(0, open), suffix = text.substr(close + 1);
  std::vector<int64_t> sizes;
  std::istringstream list(text.substr(open + 1, close - open - 1));
  for (std::string size; std::getline(list, size, ',');) sizes.push_back(std::stoll(size));
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  std::vector<float> values;
  for (int64_t k = 0; k < count; ++k) values.push_back(static_cast<float>(place_value(type, suffix, k, number)));
  const std::map<std::string, ScalarType> types = {
      {"f32", numpy::float32}, {"bf16", numpy::bfloat16}, {"f16", numpy::float16}, {"i32", numpy::int32},
      {"i8", numpy::int8},     {"u8", numpy::uint8},      {"u32", numpy::uint32},  {"pred", numpy::bool_}};
  return numpy::array(values).reshape(sizes).astype(types.at(type));
}

/// Compares with the recorded form of a result.
void expect_like(const Array& got, const std::string& wanted) {
  std::istringstream in(wanted);
  std::string shape;
  double sum = 0, magnitude = 0;
  in >> shape >> sum >> magnitude;
  std::string sizes;
  for (const int64_t size : got.shape()) sizes += (sizes.empty() ? "" : ",") + std::to_string(size);
  EXPECT_EQ("[" + sizes + "]", shape);
  std::vector<double> numbers;
  if (is_complex(got.dtype())) {
    const std::vector<double> re = numpy::real(got).to_vector<double>(), im = numpy::imag(got).to_vector<double>();
    for (size_t i = 0; i < re.size(); ++i) numbers.insert(numbers.end(), {re[i], im[i]});
  } else {
    numbers = got.to_vector<double>();
  }
  double own_sum = 0, own_magnitude = 0;
  for (size_t k = 0; k < numbers.size(); ++k) {
    own_sum += numbers[k] * static_cast<double>(static_cast<int64_t>(k * 29 % 31) - 15) / 16;
    own_magnitude += std::abs(numbers[k]);
  }
  EXPECT_NEAR(own_sum, sum, kTolerance * (magnitude + 1));
  EXPECT_NEAR(own_magnitude, magnitude, kTolerance * (magnitude + 1));
}

class OpenSizes : public testing::TestWithParam<std::string> {};

TEST_P(OpenSizes, GiveWhatJaxGives) {
  const auto f = load<std::vector<Array>>(file(GetParam()));
  for (const auto& [name, lines] : recorded()) {
    if (name != GetParam()) continue;
    for (const std::vector<std::string>& line : lines) {
      SCOPED_TRACE(line[1]);
      std::vector<Array> arguments;
      std::istringstream types(line[1]);
      for (std::string type; types >> type;) arguments.push_back(argument_of(type, std::ssize(arguments)));
      if (line[2] == "refused") {
        error_of([&] { f(arguments); }, StatusCode::kInvalidArgument);
        continue;
      }
      const std::vector<Array> results = f(arguments);
      ASSERT_EQ(results.size(), line.size() - 2);
      for (size_t i = 0; i < results.size(); ++i) expect_like(results[i], line[i + 2]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Recorded, OpenSizes, testing::ValuesIn(names()), [](const auto& test) { return test.param; });

Array counted(int64_t count) { return numpy::arange(count).astype(numpy::float32); }

TEST(OpenSizesOf, ImpossibleCallsSayBothNumbers) {
  const auto error = [](const char* name, const auto&... x) {
    return error_of([&] { load(file(name))(x...); }, StatusCode::kInvalidArgument);
  };
  const auto expect = [](const std::string& got, const std::string& wanted) {
    EXPECT_NE(got.find(wanted), std::string::npos) << got;
  };
  expect(error("dot_mv", counted(6).reshape({2, 3}), counted(4)), "'args[1]': dimension 0 is 4, wanted c = 3");
  expect(error("move_reshape_split", counted(7)), "dimension 0 is 7, wanted 2*b, which is 6 for b = 3 and 8 for 4");
  expect(error("size_derived_sum", counted(7), counted(3), counted(5)), "dimension 0 is 7, wanted c + b = 8");
  expect(error("size_constrained", counted(2)), "'b - 4' to be greater or equal to 0, but found -2.");
  expect(error("size_constrained", counted(2)), "Got arguments f32[2]");
  expect(error("cumulative_sum", counted(0)), "dimension args[0].shape[0] (= 0)");
}

TEST(OpenSizesOf, TransformationsTakeThem) {
  const auto f = load(file("cumulative_sum"));
  const auto loss = [&](const Array& x) { return numpy::sum(numpy::square(f(x))); };
  EXPECT_EQ(grad(loss)(counted(3)).to_vector<float>(), (std::vector<float>{8, 8, 6}));
  EXPECT_EQ(jit(grad(loss))(counted(2)).to_vector<float>(), (std::vector<float>{2, 2}));
  EXPECT_EQ(vmap(f)(numpy::stack({counted(3), counted(3) * 2.0f})).to_vector<float>(),
            (std::vector<float>{0, 1, 3, 0, 2, 6}));
  const auto solve = load(file("linalg_solve_open"));
  const Array b = counted(3), slope = grad([&](const Array& y) { return numpy::sum(solve(b, y)); })(b);
  EXPECT_NEAR(slope.to_vector<float>()[0], 0.2, 1e-5);  // row sums of (b b^T + 5 I)^-1
  EXPECT_NEAR(slope.to_vector<float>()[2], 0.2 - 2 * 3 / 50.0, 1e-5);
}

}  // namespace
}  // namespace hilo
