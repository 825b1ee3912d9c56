// SPDX-License-Identifier: Apache-2.0
// Which results may alias donated arguments.
#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

/// "0<1 2<0": result 0 may alias argument 1, result 2 argument 0.
std::string donations_of(const std::string& text, const std::string& header = "HloModule m") {
  const hlo::Module module = parsed(header + "\n\n" + text);
  const StatusOr<PlannedProgram> program = plan_steps(module, TestTarget());
  EXPECT_TRUE(program.ok()) << program.status().to_string();
  std::string out;
  for (const DonationPair& pair : program->plan.donations)
    out += fmt::format("{}{}<{}", out.empty() ? "" : " ", pair.result, pair.argument);
  return out;
}

TEST(Donations, AResultMayBeInAnArgumentThatIsReadFirst) {
  EXPECT_EQ(donations_of("ENTRY main {\n x = f32[8] parameter(0)\n y = f32[8] parameter(1)\n"
                         " ROOT z = f32[8] add(x, y)\n}\n"),
            "0<0 0<1");
  // Reads in reverse order: element 0 is written before it is read.
  EXPECT_EQ(donations_of("ENTRY main {\n x = f32[8] parameter(0)\n ROOT z = f32[8] reverse(x), dimensions={0}\n}\n"),
            "");
  EXPECT_EQ(donations_of("ENTRY main {\n x = f32[8] parameter(0)\n ROOT z = f64[8] convert(x)\n}\n"), "")
      << "another size";
}

TEST(Donations, AnArgumentThatIsReadLaterStays) {
  const std::string two =
      "ENTRY main {\n x = f32[8] parameter(0)\n s = f32[8] sort(x), dimensions={0}, to_apply=less\n";
  EXPECT_EQ(donations_of(kLess + two + " ROOT z = f32[8] sine(s)\n}\n"), "0<0");
  EXPECT_EQ(donations_of(kLess + two +
                         " z = f32[8] sine(s)\n r = f32[8] sort(z), dimensions={0}, to_apply=less\n"
                         " w = f32[8] add(r, x)\n ROOT t = (f32[8], f32[8]) tuple(z, w)\n}\n"),
            "1<0");
  // One loop reads the argument and writes both results.
  EXPECT_EQ(donations_of(kLess + two +
                         " z = f32[8] sine(s)\n w = f32[8] add(s, x)\n"
                         " ROOT t = (f32[8], f32[8]) tuple(z, w)\n}\n"),
            "0<0 1<0");
}

TEST(Donations, AnAliasOfTheProgramIsFirst) {
  EXPECT_EQ(donations_of("ENTRY main {\n x = f32[8] parameter(0)\n y = f32[8] parameter(1)\n"
                         " ROOT z = f32[8] add(x, y)\n}\n",
                         "HloModule m, input_output_alias={ {}: (1, {}, may-alias) }"),
            "0<1 0<0 0<1");
}

TEST(Donations, AResultThatIsAnArgumentMayBeThatOne) {
  EXPECT_EQ(donations_of("ENTRY main {\n x = f32[8] parameter(0)\n ROOT z = f32[8] copy(x)\n}\n"), "0<0");
  EXPECT_EQ(donations_of("ENTRY main {\n x = f32[8] parameter(0)\n ROOT t = (f32[8], f32[8]) tuple(x, x)\n}\n"), "")
      << "twice";
}

}  // namespace
}  // namespace hilo::engine
