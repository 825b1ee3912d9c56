// SPDX-License-Identifier: Apache-2.0
// hilo's texts don't depend on the program's locale, for example with a decimal comma and points between thousands.
#include <gtest/gtest.h>

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <locale>
#include <sstream>

#include "hilo/base/files.h"
#include "hilo/base/flags.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"
#include "hilo/io/csv.h"
#include "hilo/io/npy.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/jit.h"

namespace hilo {
namespace {

constexpr char kLocale[] = R"(comment_char %
escape_char /
LC_NUMERIC
decimal_point ","
thousands_sep "."
grouping 3;3
END LC_NUMERIC
)";

struct Comma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

/// Every text that hilo writes or reads, one per line.
std::string all_texts(const std::string& folder) {
  std::string text;
  const Array x = numpy::array({1234567.5, -0.25, 1e-7});
  std::ostringstream stream;  // uses the global locale
  stream << x << ' ' << jit([](Array y) { return y * 1.5f; })(x);
  text += stream.str() + "\n" + x.to_literal().to_string() + "\n";

  const StatusOr<hlo::Module> module = hlo::parse_module(
      "HloModule m\nENTRY e {\n  c = f32[2] constant({1234.5, 1e-07})\n  ROOT i = s32[1234567] iota(), "
      "iota_dimension=0\n}\n");
  text += module.ok() ? hlo::print_module(*module) : module.status().to_string();
  text += make_hlo([](Array y) { return y * 0.125 + 12345.5; })(x);

  const StatusOr<Literal> table = io::parse_csv("1.5,2000.25\n3e-2,-4.125\n", "t.csv");
  text += table.ok() ? table->to_string() : table.status().to_string();
  text += "\n" + io::parse_csv("1,5;2\n", "t.csv").status().to_string() + "\n";

  const std::string path = folder + "/a.npy";
  const Literal written(Shape::array(ElementType::kF32, {1234, 2}));
  text += io::write_npy(path, written).to_string();
  const StatusOr<std::string> bytes = read_file(path);
  text += bytes.ok() ? bytes->substr(10, 118) : bytes.status().to_string();
  const StatusOr<Literal> read = io::read_npy(path);
  text += read.ok() ? read->shape().to_string() : read.status().to_string();

  text += "\n" + config().set("jax_replica_count", "1.000").to_string() + "\n";
  text += Shape::make_array(ElementType::kF32, std::vector<int64_t>{int64_t{1} << 40, -1234567}).status().to_string();
  return text;
}

TEST(Manners, LocalesChangeNoText) {
  const std::string folder = testing::TempDir() + "hilo_manners_locale";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string wanted = all_texts(folder);
  EXPECT_NE(wanted.find("1234567.5"), std::string::npos) << wanted;

  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Comma));
  const std::string under_cpp_locale = all_texts(folder);
  std::locale::global(before);
  EXPECT_EQ(under_cpp_locale, wanted);

  // A locale of the C library, compiled here because a machine may have none.
  ASSERT_TRUE(write_file_atomic(folder + "/comma.src", kLocale).ok());
  const std::string command = "localedef --no-archive -c -i '" + folder + "/comma.src' '" + folder + "/xx_XX'";
  static_cast<void>(std::system((command + " >/dev/null 2>&1").c_str()));  // it warns of missing categories
  ASSERT_EQ(::setenv("LOCPATH", folder.c_str(), 1), 0);
  ASSERT_NE(std::setlocale(LC_ALL, "xx_XX"), nullptr) << command;
  ASSERT_STREQ(std::localeconv()->decimal_point, ",");
  const std::string under_c_locale = all_texts(folder);
  std::setlocale(LC_ALL, "C");
  ::unsetenv("LOCPATH");
  EXPECT_EQ(under_c_locale, wanted);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace hilo
