// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/profile/profile.h"

#include <gtest/gtest.h>

#include "hilo/base/files.h"
#include "hilo/client/compile.h"
#include "hilo/hlo/text/parser.h"
#include "tests/support/clients.h"

namespace hilo {
namespace {

Profile sample() {
  Profile profile{.module = "step", .runs = 2, .wall_nanoseconds = 4000};
  profile.rows.push_back({.kind = "dot",
                          .name = "z",
                          .lines = {"dot 'z' (train.cc:41)"},
                          .scope = "jit(step)/loss",
                          .calls = 2,
                          .nanoseconds = 3000,
                          .flops = 6000,
                          .bytes = 1500});
  profile.rows.push_back({.kind = "kernel",
                          .name = "b",
                          .lines = {"exponential 'a'", "add 'b'"},
                          .calls = 2,
                          .nanoseconds = 800,
                          .flops = 10,
                          .transcendentals = 10,
                          .bytes = 80});
  profile.events.push_back({0, 0, 0, 1500});
  profile.events.push_back({1, 1, 1500, 400.5});
  profile.compile_steps.push_back({"simplify", 0.5, 4096});
  return profile;
}

TEST(Profile, TableShowsTimeShareRatesAndTheFusedOps) {
  EXPECT_EQ(profile_table(sample()),
            "profile of step: 2 runs, 2.00 us each; units take 95.0 % of it\n"
            "      time  share     calls  GFLOP/s     GB/s  what\n"
            "   3.00 us  78.9%         2     4.00     1.00  dot z\n"
            "                                                dot 'z' (train.cc:41)\n"
            "    800 ns  21.1%         2     0.05     0.20  kernel b\n"
            "                                                exponential 'a'\n"
            "                                                add 'b'\n"
            "   0.50 ms        +4096 bytes  simplify\n");
}

TEST(Profile, TableSaysWhatIsNotCompiled) {
  Profile profile = sample();
  profile.evaluated_count = 2;
  EXPECT_NE(profile_table(profile).find(" of it\ninstructions run by the reference evaluator: 2\n      time"),
            std::string::npos)
      << profile_table(profile);
}

TEST(Profile, JsonHoldsEveryNumber) {
  EXPECT_EQ(profile_json({sample()}),
            R"([{"module":"step","runs":2,"wall_nanoseconds":4000,"evaluated":0,"rows":[)"
            R"x({"kind":"dot","name":"z","operations":["dot 'z' (train.cc:41)"],"scope":"jit(step)/loss","calls":2,)x"
            R"("nanoseconds":3000,"flops":6000,"transcendentals":0,"bytes":1500},)"
            "\n"
            R"({"kind":"kernel","name":"b","operations":["exponential 'a'","add 'b'"],"scope":"","calls":2,)"
            R"("nanoseconds":800,"flops":10,"transcendentals":10,"bytes":80}],)"
            R"("compile":[{"name":"simplify","milliseconds":0.500,"bytes":4096}]}])"
            "\n");
}

TEST(Profile, TraceHasABarARunInMicroseconds) {
  EXPECT_EQ(profile_trace({sample()}),
            R"({"traceEvents":[{"ph":"M","name":"process_name","pid":0,"args":{"name":"step"}},)"
            "\n"
            R"({"ph":"X","name":"dot z","cat":"dot","pid":0,"tid":0,"ts":0.000,"dur":1.500},)"
            "\n"
            R"({"ph":"X","name":"kernel b","cat":"kernel","pid":0,"tid":1,"ts":1.500,"dur":0.401}],)"
            R"("displayTimeUnit":"ns"})"
            "\n");
}

TEST(Profile, StacksFollowTheNameStack) {
  EXPECT_EQ(profile_stacks({sample()}), "step;jit(step);loss;dot z 3000\nstep;kernel b 800\n");
}

TEST(Profile, TheFlameGraphIsAsWideAsTheTimes) {
  const std::string svg = profile_flame({sample()});
  const auto holds = [&](std::string_view part) { return svg.find(part) != std::string::npos; };
  EXPECT_TRUE(holds("<title>all: 0.004 ms, 100.0 %</title><rect x=\"10.0\" y=\"10\" width=\"1000.0\"")) << svg;
  EXPECT_TRUE(holds("<title>loss: 0.003 ms, 78.9 %</title><rect x=\"10.0\" y=\"70\" width=\"789.5\"")) << svg;
  EXPECT_TRUE(holds("<title>kernel b: 0.001 ms, 21.1 %</title><rect x=\"799.5\" y=\"50\" width=\"210.5\"")) << svg;
  EXPECT_TRUE(holds(">dot z</text>")) << svg;
}

TEST(Profile, TextsOfTheProgramCannotBreakTheFormats) {
  Profile profile{.module = "a\"b;c\n"};
  profile.rows.push_back({.kind = "kernel", .name = "x\x01;y"});
  EXPECT_NE(profile_json({profile}).find(R"("module":"a\"b;c\u000a")"), std::string::npos);
  EXPECT_NE(profile_json({profile}).find(R"("name":"x\u0001;y")"), std::string::npos);
  EXPECT_EQ(profile_stacks({profile}), "a\"b:c ;kernel x\x01:y 0\n");
  profile.rows[0].nanoseconds = 1;
  EXPECT_NE(profile_flame({profile}).find("<title>a&quot;b;c\n: 0.000 ms"), std::string::npos);
}

std::unique_ptr<Executable> profiled_program() {
  const StatusOr<hlo::Module> module = hlo::parse_module(
      "HloModule work\n\nENTRY main {\n x = f32[64,64] parameter(0)\n"
      " d = f32[64,64] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
      "metadata={op_name=\"jit(f)/dot\" source_file=\"f.cc\" source_line=7}\n"
      " e = f32[64,64] exponential(d)\n ROOT y = f32[64,64] add(e, x)\n}\n");
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  auto executable = tests::cpu_client()->compile(*module, {}, nullptr);
  EXPECT_TRUE(executable.ok());
  return profiled(*std::move(executable), {{"simplify", 1, 2}});
}

void run(Executable& executable) {
  const std::vector<BufferPtr> arguments = {tests::argument_of(executable, Literal(executable.argument_shapes()[0]))};
  std::vector<BufferPtr> results(1);
  ASSERT_TRUE(executable.execute(arguments, results).ok());
}

class ProfileOfAProgram : public testing::Test {
 protected:
  void SetUp() override { clear_profiles(); }
  void TearDown() override { clear_profiles(); }
};

TEST_F(ProfileOfAProgram, TakesWhatIsDonatedAsTheProgramDoes) {
  const auto executable = profiled_program();
  const BufferPtr arguments[] = {tests::argument_of(*executable, Literal(executable->argument_shapes()[0]))};
  std::vector<BufferPtr> results(1);
  const bool donated[] = {true};
  ExecuteOptions options;
  options.donated = donated;
  const Status status = executable->execute(arguments, results, options);
  EXPECT_TRUE(status.ok()) << status.to_string();
  EXPECT_EQ(arguments[0]->state(), BufferState::kDonated);
}

TEST_F(ProfileOfAProgram, CountsRunsOperationsAndBytes) {
  const auto executable = profiled_program();
  for (int i = 0; i < 3; ++i) run(*executable);
  const std::vector<Profile> all = profiles();
  ASSERT_EQ(all.size(), 1u);
  const Profile& profile = all[0];
  EXPECT_EQ(profile.module, "work");
  EXPECT_EQ(profile.runs, 3);
  ASSERT_EQ(profile.rows.size(), 2u);
  double sum = 0;
  for (const ProfileRow& row : profile.rows) {
    EXPECT_EQ(row.calls, 3);
    EXPECT_GT(row.nanoseconds, 0);
    sum += row.nanoseconds;
    if (row.kind == "dot") {
      EXPECT_EQ(row.flops, 2.0 * 64 * 64 * 64);
      EXPECT_EQ(row.bytes, 3.0 * 4 * 64 * 64);
      EXPECT_EQ(row.lines, std::vector<std::string>{"dot 'd' (f.cc:7)"});
      EXPECT_EQ(row.scope, "jit(f)/dot");
    } else {
      EXPECT_EQ(row.flops, 64 * 64);
      EXPECT_EQ(row.transcendentals, 64 * 64);
      EXPECT_EQ(row.lines, (std::vector<std::string>{"exponential 'e'", "add 'y'"}));
    }
  }
  EXPECT_LE(sum, profile.wall_nanoseconds);
  EXPECT_EQ(profile.events.size(), 6u);
}

/// A loop of 5 iterations over x, with source lines.
constexpr const char* kLoopProgram = R"(HloModule loop
body {
  c = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(c), index=0
  x = f32[8] get-tuple-element(c), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one), metadata={source_file="f.cc" source_line=3}
  y = f32[8] sine(x), metadata={source_file="f.cc" source_line=4}
  ROOT r = (s32[], f32[8]) tuple(next, y)
}
condition {
  c = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(c), index=0
  n = s32[] constant(5)
  ROOT less = pred[] compare(i, n), direction=LT, metadata={source_file="f.cc" source_line=2}
}
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  p = f32[8] parameter(0)
  zero = s32[] constant(0)
  init = (s32[], f32[8]) tuple(zero, p)
  turns = (s32[], f32[8]) while(init), condition=condition, body=body, metadata={source_file="f.cc" source_line=1}
  last = f32[8] get-tuple-element(turns), index=1
  start = f32[] constant(0)
  ROOT total = f32[] reduce(last, start), dimensions={0}, to_apply=add, metadata={source_file="f.cc" source_line=5}
})";

/// The profile of one run.
Profile profile_on(Client& engine, const char* text) {
  const StatusOr<hlo::Module> module = hlo::parse_module(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  auto executable = engine.compile(*module, {}, nullptr);
  EXPECT_TRUE(executable.ok()) << executable.status().to_string();
  run(*profiled(*std::move(executable), {}));
  return profiles().back();
}

const ProfileRow* row_named(const Profile& profile, std::string_view kind, std::string_view name) {
  for (const ProfileRow& row : profile.rows) {
    if (row.kind == kind && row.name.starts_with(name)) return &row;
  }
  return nullptr;
}

TEST_F(ProfileOfAProgram, CountsWhatTheEvaluatorRuns) {
  // The CPU engine's library has no function for 4-bit elements.
  constexpr const char* kNarrow =
      "HloModule narrow\n\nENTRY main {\n x = s4[8,2] parameter(0)\n ROOT y = s8[8] bitcast-convert(x)\n}\n";
  EXPECT_EQ(profile_on(*tests::cpu_client(), kNarrow).evaluated_count, 1);
  EXPECT_EQ(profile_on(*tests::cpu_client(), kLoopProgram).evaluated_count, 0);
  EXPECT_EQ(profile_on(*tests::reference_client(), kNarrow).evaluated_count, 0) << "it is what it is for";
}

TEST_F(ProfileOfAProgram, OnTheReferenceHasARowForEveryOpThatRan) {
  const Profile profile = profile_on(*tests::reference_client(), kLoopProgram);
  EXPECT_EQ(profile.runs, 1);
  const ProfileRow* const sine = row_named(profile, "sine", "y");
  ASSERT_NE(sine, nullptr);
  EXPECT_EQ(sine->calls, 5);
  EXPECT_EQ(sine->lines, std::vector<std::string>{"sine 'y' (f.cc:4)"});
  EXPECT_EQ(sine->transcendentals, 8);
  EXPECT_EQ(sine->bytes, 64);
  const ProfileRow* const total = row_named(profile, "reduce", "total");
  ASSERT_NE(total, nullptr);
  EXPECT_EQ(total->calls, 1);
  EXPECT_EQ(row_named(profile, "add", "s"), nullptr) << "the body of a reduction is part of it";
  EXPECT_EQ(row_named(profile, "while", "turns"), nullptr) << "what a loop runs has rows of its own";
  double sum = 0;
  for (const ProfileRow& row : profile.rows) sum += row.nanoseconds;
  EXPECT_LE(sum, profile.wall_nanoseconds);
}

TEST_F(ProfileOfAProgram, OfALoopThatIsOneFunctionListsItsOpsAndLines) {
  const Profile profile = profile_on(*tests::cpu_client(), kLoopProgram);
  const ProfileRow* loop = nullptr;
  for (const ProfileRow& row : profile.rows) {
    if (row.kind == "loop") loop = &row;
  }
  ASSERT_NE(loop, nullptr) << profile_table(profile);
  for (const char* line : {"f.cc:1", "f.cc:3", "f.cc:4"}) {
    bool found = false;
    for (const std::string& text : loop->lines) found = found || text.find(line) != std::string::npos;
    EXPECT_TRUE(found) << line << "\n" << profile_table(profile);
  }
  for (const std::string& text : loop->lines) EXPECT_EQ(text.find("parameter"), std::string::npos) << text;
}

TEST_F(ProfileOfAProgram, StaysWhenTheExecutableIsGone) {
  run(*profiled_program());
  ASSERT_EQ(profiles().size(), 1u);
  EXPECT_EQ(profiles()[0].runs, 1);
  EXPECT_EQ(profiles()[0].compile_steps[0].name, "simplify");
}

TEST_F(ProfileOfAProgram, GoesToAFolderInFourForms) {
  run(*profiled_program());
  const std::string folder = testing::TempDir() + "hilo_profile_test";
  ASSERT_TRUE(write_profiles(folder).ok());
  EXPECT_EQ(*read_file(folder + "/profile.txt"), profile_table(profiles()[0]));
  EXPECT_EQ(*read_file(folder + "/profile.json"), profile_json(profiles()));
  EXPECT_EQ(*read_file(folder + "/trace.json"), profile_trace(profiles()));
  EXPECT_EQ(*read_file(folder + "/stacks.folded"), profile_stacks(profiles()));
}

TEST_F(ProfileOfAProgram, TimesPassesAndKernels) {
  const StatusOr<hlo::Module> module = hlo::parse_module(
      "HloModule m\n\nENTRY main {\n x = f32[7] parameter(0)\n c = f32[7] cosine(x)\n"
      " ROOT y = f32[7] subtract(c, x)\n}\n");
  ASSERT_TRUE(module.ok());
  CompileOptions options;
  options.hlo_profile = true;
  const auto executable = compile_observed(*tests::cpu_client(), *module, options);
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  const std::vector<Profile> all = profiles();  // iterating over a member of a temporary would be a dangling reference
  ASSERT_EQ(all.size(), 1u);
  std::vector<std::string> names;
  for (const CompileStep& step : all[0].compile_steps) names.push_back(step.name);
  EXPECT_EQ(names.front(), "pass normalize_layouts");
  EXPECT_EQ(names.back(), "code region0.cosine.subtract");
  EXPECT_GT(all[0].compile_steps.back().bytes, 0);
}

TEST_F(ProfileOfAProgram, ResolvesTheLinesOfStackFrames) {
  const StatusOr<hlo::Module> module = hlo::parse_module(
      "HloModule m\n\nFileNames\n1 \"train.py\"\n\nFileLocations\n1 {file_name_id=1 line=41}\n\n"
      "StackFrames\n1 {file_location_id=1}\n\nENTRY main {\n  x = f32[8] parameter(0)\n"
      "  ROOT y = f32[8] negate(x), metadata={stack_frame_id=1}\n}\n");
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  const auto executable = profiled(*tests::cpu_client()->compile(*module, {}, nullptr), {});
  run(*executable);
  EXPECT_EQ(profiles()[0].rows[0].lines, std::vector<std::string>{"negate 'y' (train.py:41)"});
}

}  // namespace
}  // namespace hilo
