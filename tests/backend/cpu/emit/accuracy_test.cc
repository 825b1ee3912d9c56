// SPDX-License-Identifier: Apache-2.0
// Errors of elementary and special functions, compared with MPFR. The engine on every instruction set and the reference
// evaluator stay within emit/accuracy.h, and the last recorded errors are no larger than XLA's.
//   HILO_ACCURACY_SAMPLES   samples per type; 65536 is every number of f16 and bf16
//                           (default 4,000, fewer where MPFR takes milliseconds)
//   HILO_ACCURACY_RECORD    appends the greatest errors to this file, in the form of tests/golden/hilo_accuracy.txt:
//                           the engine with fused products, without them, and the reference
//   HILO_ACCURACY_FOLDER    writes arguments and exact values there for tests/interop/accuracy.py
#include "hilo/backend/cpu/emit/accuracy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <limits>
#include <map>
#include <random>
#include <sstream>

#include "hilo/base/files.h"
#include "tests/backend/cpu/engine_check.h"
#include "tests/paths.h"
#include "tests/support/clients.h"
#include "tests/support/true_value.h"

namespace hilo::cpu {
namespace {

using tests::FloatFormat;
using tests::kFloatFormats;
using tests::TrueNumber;

size_t sample_count(Opcode opcode) {
  const char* const text = std::getenv("HILO_ACCURACY_SAMPLES");
  const size_t count = text != nullptr ? std::stoul(text) : 4000;
  if (opcode == hlo::kExtZeta || opcode == hlo::kExtPolygamma) return count / (text != nullptr ? 8 : 40);
  return text == nullptr && tests::is_slow_to_know(opcode) ? count / 8 : count;
}

/// The nearest number of the format.
double rounded(const FloatFormat& f, double x) {
  if (f.type == ElementType::kF64) return x;
  const auto narrow = static_cast<float>(x);
  if (f.type == ElementType::kF16) return static_cast<double>(static_cast<float>(float16(narrow)));
  if (f.type == ElementType::kBf16) return static_cast<double>(static_cast<float>(bfloat16(narrow)));
  return static_cast<double>(narrow);
}

double from_bits(const FloatFormat& f, uint64_t bits) {
  if (f.type == ElementType::kF64) return std::bit_cast<double>(bits);
  if (f.type == ElementType::kF32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  if (f.type == ElementType::kBf16) return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  return static_cast<float>(std::bit_cast<float16>(static_cast<uint16_t>(bits)));
}

/// Critical arguments: ends of domains and of ranges, the ends of the format, and the negative of each.
std::vector<double> special_values(const FloatFormat& f) {
  const double least = std::ldexp(1.0, f.least), great = std::ldexp(2.0 - std::ldexp(1.0, 1 - f.digits), f.greatest);
  std::vector<double> values = {0,
                                1,
                                0.5,
                                1.5,
                                2,
                                3,
                                4.05,
                                9.01,
                                1e30,
                                88.72,
                                88.73,
                                103.3,
                                103.9,
                                104.1,
                                709.78,
                                709.79,
                                745.1,
                                745.2,
                                65536,
                                1048576,
                                1e-20,
                                1e5,
                                0.999,
                                1.001,
                                1.4616321449683623,
                                least,
                                great,
                                least / 2,
                                least * 0.75,
                                least * std::ldexp(1.0, 1 - f.digits),
                                std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::quiet_NaN()};
  for (double& v : values) v = rounded(f, v);
  const size_t positive = values.size();
  for (size_t k = 0; k < positive; ++k) values.push_back(-values[k]);
  return values;
}

struct Arguments {
  std::vector<double> x, y;
};

/// Numbers of all magnitudes, and around common arguments. For 16-bit formats every number, or each n-th.
std::vector<double> numbers(const FloatFormat& f, size_t count, std::mt19937_64& random) {
  std::vector<double> values;
  if (f.digits < 24) {
    const size_t step = std::max<size_t>(1, (size_t{1} << 16) / count) | 1;
    for (uint64_t bits = 0; bits < 1u << 16; bits += step) values.push_back(from_bits(f, bits));
    return values;
  }
  constexpr double kRanges[] = {0.01, 0.9, 1.1, 3, 20, 120, 800, 3e5};
  while (values.size() < count) {
    values.push_back(from_bits(f, random()));
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    values.push_back(rounded(f, std::round(unit * 20000) * 1.5707963267948966));  // near zeros of sine and cosine
    for (const double range : kRanges)
      values.push_back(rounded(f, (static_cast<double>(random() >> 11) * 0x1p-52 - 1) * range));
  }
  return values;
}

/// Arguments of zeta and polygamma: x > 1 or an integer, q positive.
Arguments zeta_arguments(const FloatFormat& f, Opcode opcode, size_t count) {
  std::mt19937_64 random(3);
  Arguments a;
  for (size_t k = 0; k < count; ++k) {
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    const double whole = static_cast<double>(1 + random() % 10);
    a.x.push_back(opcode == hlo::kExtPolygamma ? whole : std::max(rounded(f, 1.1 + 30 * unit), 1.125));
    a.y.push_back(rounded(f, 0.05 + static_cast<double>(random() >> 11) * 0x1p-53 * (k % 2 == 0 ? 3 : 100)));
  }
  return a;
}

Arguments arguments(const FloatFormat& f, Opcode opcode) {
  if (opcode == hlo::kExtZeta || opcode == hlo::kExtPolygamma) return zeta_arguments(f, opcode, sample_count(opcode));
  std::mt19937_64 random(1);
  const std::vector<double> special = special_values(f);
  Arguments a = {numbers(f, sample_count(opcode), random), {}};
  if (hlo::op_def(opcode).arity == 1) {
    a.x.insert(a.x.end(), special.begin(), special.end());
    return a;
  }
  a.y = numbers(f, sample_count(opcode), random);
  std::shuffle(a.y.begin(), a.y.end(), random);
  for (const double x : special) {
    for (const double y : special) {
      a.x.push_back(x);
      a.y.push_back(y);
    }
  }
  return a;
}

Literal literal_of(const FloatFormat& f, const std::vector<double>& values) {
  Literal literal(Shape::array(f.type, {static_cast<int64_t>(values.size())}));
  visit_element_type(
      f.type,
      [&]<typename T>() {
        const auto out = literal.data<T>();
        for (size_t i = 0; i < values.size(); ++i) {
          if constexpr (std::is_floating_point_v<T>) out[i] = static_cast<T>(values[i]);
          else if constexpr (std::is_constructible_v<T, float>) out[i] = T(static_cast<float>(values[i]));
        }
      },
      [] {});
  return literal;
}

hlo::Module program_of(const FloatFormat& f, Opcode opcode, int64_t count) {
  Builder b("accuracy");
  std::vector<InstructionId> operands;
  for (int k = 0; k < hlo::op_def(opcode).arity; ++k) operands.push_back(b.parameter(Shape::array(f.type, {count})));
  const InstructionId root = must(b.add(opcode, operands));
  return module_of(std::move(b), root);
}

/// A function in a format, its arguments and its exact values.
struct Case {
  const FloatFormat& format;
  Opcode opcode;
  Arguments arguments;
  std::vector<TrueNumber> truth;

  Case(const FloatFormat& f, Opcode op) : format(f), opcode(op), arguments(cpu::arguments(f, op)), truth(size()) {
    for (size_t i = 0; i < size(); ++i) tests::true_value(op, arguments.x[i], y(i), truth[i]);
  }
  size_t size() const { return arguments.x.size(); }
  double y(size_t i) const { return arguments.y.empty() ? 0 : arguments.y[i]; }
  std::string name() const {
    return std::string(hlo::opcode_name(opcode)) + " " + std::string(element_type_name(format.type));
  }
};

double greatest_error(const Case& c, const Literal& got, double bound, const std::string& where) {
  double worst = 0;
  size_t at = 0;
  FloatFormat format = c.format;
  if (std::ranges::find(kCancelling, c.opcode) != kCancelling.end()) format.least = 0;
  for (size_t i = 0; i < c.size(); ++i) {
    const double error = tests::ulps_off(format, element_as_double(got, static_cast<int64_t>(i)), c.truth[i]);
    if (error > worst) {
      worst = error;
      at = i;
    }
  }
  EXPECT_LE(worst, bound) << c.name() << " on " << where << " at " << c.arguments.x[at] << ", " << c.y(at) << ": got "
                          << element_as_double(got, static_cast<int64_t>(at)) << "; wanted "
                          << mpfr_get_d(c.truth[at].get(), MPFR_RNDN);
  return worst;
}

/// Writes x, y and the exact value as two doubles, one array after the other.
void write_for_others(const Case& c) {
  const char* const folder = std::getenv("HILO_ACCURACY_FOLDER");
  if (folder == nullptr) return;
  std::vector<double> all = c.arguments.x;
  for (size_t i = 0; i < c.size(); ++i) all.push_back(c.y(i));
  std::vector<double> low;
  TrueNumber rest;
  for (const TrueNumber& truth : c.truth) {
    all.push_back(mpfr_get_d(truth.get(), MPFR_RNDN));
    mpfr_sub_d(rest.get(), truth.get(), all.back(), MPFR_RNDN);
    low.push_back(mpfr_get_d(rest.get(), MPFR_RNDN));
  }
  all.insert(all.end(), low.begin(), low.end());
  std::ofstream out(std::string(folder) + "/" + std::string(hlo::opcode_name(c.opcode)) + "." +
                        std::string(element_type_name(c.format.type)),
                    std::ios::binary);
  out.write(reinterpret_cast<const char*>(all.data()), static_cast<std::streamsize>(all.size() * sizeof(double)));
  EXPECT_TRUE(out.good());
}

struct Measured {
  double fused = 0, unfused = 0, reference = 0;
};

Measured measure(const Accuracy& row, const FloatFormat& f) {
  const Case c(f, row.opcode);
  write_for_others(c);
  const hlo::Module module = program_of(f, row.opcode, static_cast<int64_t>(c.size()));
  std::vector<Literal> inputs = {literal_of(f, c.arguments.x)};
  if (!c.arguments.y.empty()) inputs.push_back(literal_of(f, c.arguments.y));
  Measured measured;
  const StatusOr<Literal> reference = hlo::evaluate(module, inputs);
  EXPECT_TRUE(reference.ok()) << c.name() << ": " << reference.status().to_string();
  if (!reference.ok()) return measured;
  measured.reference = greatest_error(c, *reference, row.reference_ulps(f.type), "the reference");
  on_every_isa([&](Isa isa) {
    auto executable = tests::cpu_client()->compile(module, {}, nullptr);
    ASSERT_TRUE(executable.ok()) << executable.status().to_string();
    const std::vector<Literal> got = run(**executable, inputs);
    ASSERT_EQ(got.size(), 1u);
    double& greatest = has_fma(isa) ? measured.fused : measured.unfused;
    greatest = std::max(greatest, greatest_error(c, got[0], row.ulps(f.type), std::string(isa_name(isa))));
  });
  if (!has_fma(supported_isas().back())) measured.fused = measured.unfused;
  return measured;
}

std::string digits(double error) {
  std::ostringstream text;
  text.precision(3);
  if (error < 1000) text << std::fixed;
  else text << std::scientific;
  text << error;
  return text.str();
}

class AccuracyOf : public testing::TestWithParam<Accuracy> {};

TEST_P(AccuracyOf, StaysWithinTheTableOnEveryInstructionSetAndOnTheReference) {
  std::string fused, unfused, reference;
  for (const FloatFormat& f : kFloatFormats) {
    const Measured measured = measure(GetParam(), f);
    fused += " " + digits(measured.fused);
    unfused += " " + digits(measured.unfused);
    reference += " " + digits(measured.reference);
  }
  if (const char* const file = std::getenv("HILO_ACCURACY_RECORD"))
    std::ofstream(file, std::ios::app) << hlo::opcode_name(GetParam().opcode) << fused << unfused << reference << "\n";
}

INSTANTIATE_TEST_SUITE_P(Rows, AccuracyOf, testing::ValuesIn(kAccuracy), [](const auto& info) {
  std::string name(hlo::opcode_name(info.param.opcode));
  for (char& c : name) c = c == '-' || c == '.' ? '_' : c;
  return name;
});

using Recorded = std::map<std::string, std::vector<double>>;

Recorded recorded(const std::string& file) {
  const StatusOr<std::string> text = read_file(std::string(tests::kSourceDir) + "/tests/golden/" + file);
  EXPECT_TRUE(text.ok()) << text.status().to_string();
  Recorded rows;
  std::istringstream lines(text.ok() ? *text : "");
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    for (std::string word; words >> word;) rows[name].push_back(std::stod(word));
  }
  return rows;
}

/// Both were measured with the same arguments on a machine with fused products. XLA's errors exclude denormal arguments
/// and values, which it flushes.
TEST(Accuracy, IsNoWorseThanXlas) {
  const Recorded ours = recorded("hilo_accuracy.txt"), theirs = recorded("xla_accuracy.txt");
  for (const Accuracy& row : kAccuracy) {
    const std::string name(hlo::opcode_name(row.opcode));
    ASSERT_TRUE(ours.contains(name)) << name << " was never measured: HILO_ACCURACY_RECORD";
    ASSERT_TRUE(theirs.contains(name)) << name << " was never measured: tests/interop/accuracy.py --record";
    for (size_t k = 0; k < std::size(kFloatFormats); ++k) {
      const double own = ours.at(name).at(k), xla = theirs.at(name).at(k);
      const double unfused = ours.at(name).at(k + std::size(kFloatFormats));
      EXPECT_LE(std::max(own, unfused), row.ulps(kFloatFormats[k].type)) << name << " was measured beyond its bound";
      EXPECT_LE(own, std::max(1.02 * xla, xla + 0.02))
          << name << " of " << element_type_name(kFloatFormats[k].type) << ": " << own << "; XLA " << xla;
    }
  }
}

}  // namespace
}  // namespace hilo::cpu
