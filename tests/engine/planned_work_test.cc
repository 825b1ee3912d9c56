// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/planned_work.h"

#include <gtest/gtest.h>

#include "hilo/hlo/text/parser.h"
#include "tests/support/clients.h"

namespace hilo::engine {
namespace {

/// Records observer events in order: "kernel y+z 120 x2". Consecutive runs of a unit are counted.
class Recorder final : public ExecutionObserver {
 public:
  void on_unit(const ExecutionUnit& unit, const UnitTimes& times) override {
    EXPECT_GE(times.duration, 0);
    std::string text = unit.kind;
    for (size_t k = 0; k < unit.instructions.size(); ++k) text += (k == 0 ? " " : "+") + unit.instructions[k]->name;
    units.push_back(text + " " + std::to_string(static_cast<int64_t>(unit.bytes)));
  }
  std::vector<std::string> units;
};

/// Runs a program on zeros, with and without an observer.
std::vector<std::string> units_of(const std::string& text) {
  const StatusOr<hlo::Module> module = hlo::parse_module("HloModule m\n\n" + text);
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  const auto executable = tests::cpu_client()->compile(*module, {}, nullptr);
  EXPECT_TRUE(executable.ok()) << executable.status().to_string();
  std::vector<BufferPtr> arguments, results((*executable)->result_shapes().size());
  for (const Shape& shape : (*executable)->argument_shapes()) arguments.push_back(tests::cpu_buffer(Literal(shape), 0));
  Recorder recorder;
  ExecuteOptions options;
  options.observer = &recorder;
  EXPECT_TRUE((*executable)->execute(arguments, results, options).ok());
  const size_t told = recorder.units.size();
  EXPECT_TRUE((*executable)->execute(arguments, results).ok());
  EXPECT_EQ(recorder.units.size(), told) << "told though nobody asked";
  EXPECT_LE(told, (*executable)->units().size()) << "all that runs is planned";
  return recorder.units;
}

using Units = std::vector<std::string>;

TEST(PlannedWork, AFusedKernelNamesItsInstructionsAndCountsItsTrafficOnce) {
  EXPECT_EQ(units_of("ENTRY main {\n x = f32[10] parameter(0)\n y = f32[10] multiply(x, x)\n"
                     " ROOT z = f32[10] add(y, x)\n}\n"),
            Units{"kernel y+z 80"});
}

TEST(PlannedWork, AReduceIsPartOfTheKernelThatItIsFusedInto) {
  EXPECT_EQ(units_of("sum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n"
                     "ENTRY main {\n x = f32[4,8] parameter(0)\n zero = f32[] constant(0)\n"
                     " r = f32[4] reduce(x, zero), dimensions={1}, to_apply=sum\n"
                     " w = f32[4,8] broadcast(r), dimensions={0}\n ROOT y = f32[4,8] divide(x, w)\n}\n"),
            Units{"kernel r+y 256"});
}

/// The forms of a program's kernels, as planned.
std::vector<std::string> forms_of(const std::string& text) {
  const StatusOr<hlo::Module> module = hlo::parse_module("HloModule m\n\n" + text);
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  const auto executable = tests::cpu_client()->compile(*module, {}, nullptr);
  EXPECT_TRUE(executable.ok()) << executable.status().to_string();
  std::vector<std::string> forms;
  for (const ExecutionUnit& unit : (*executable)->units()) forms.push_back(unit.form);
  return forms;
}

TEST(PlannedWork, AKernelsFormSaysWhatItReduces) {
  const auto reduced = [](const std::string& dimensions, const std::string& result) {
    return "sum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n"
           "ENTRY main {\n x = f32[40,50] parameter(0)\n zero = f32[] constant(0)\n ROOT r = f32[" +
           result + "] reduce(x, zero), dimensions={" + dimensions + "}, to_apply=sum\n}\n";
  };
  EXPECT_EQ(forms_of("ENTRY main {\n x = f32[9] parameter(0)\n ROOT y = f32[9] negate(x)\n}\n"), Units{"map"});
  EXPECT_EQ(forms_of(reduced("1", "40")), Units{"row"});
  EXPECT_EQ(forms_of(reduced("0", "50")), Units{"col"});
  EXPECT_EQ(forms_of(reduced("0,1", "")), Units{"full"});
}

TEST(PlannedWork, ALibraryCallIsNamedByItsOpcode) {
  EXPECT_EQ(units_of("ENTRY main {\n x = f32[60,70] parameter(0)\n y = f32[70,80] parameter(1)\n"
                     " ROOT z = f32[60,80] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n"),
            Units{"dot z " + std::to_string(4 * (60 * 70 + 70 * 80 + 60 * 80))});
}

TEST(PlannedWork, ASliceCountsOnlyWhatItReads) {
  EXPECT_EQ(units_of("ENTRY main {\n x = f32[1000] parameter(0)\n s = f32[10] slice(x), slice={[5:15]}\n"
                     " ROOT y = f32[10] negate(s)\n}\n"),
            Units{"kernel y 80"});
}

TEST(PlannedWork, ALoopThatIsOneFunctionIsOneUnit) {
  EXPECT_EQ(units_of("body {\n c = (s32[], f32[9]) parameter(0)\n i = s32[] get-tuple-element(c), index=0\n"
                     " one = s32[] constant(1)\n n = s32[] add(i, one)\n x = f32[9] get-tuple-element(c), index=1\n"
                     " y = f32[9] add(x, x)\n ROOT t = (s32[], f32[9]) tuple(n, y)\n}\n"
                     "condition {\n c = (s32[], f32[9]) parameter(0)\n i = s32[] get-tuple-element(c), index=0\n"
                     " ten = s32[] constant(10)\n ROOT p = pred[] compare(i, ten), direction=LT\n}\n"
                     "ENTRY main {\n i = s32[] parameter(1)\n x = f32[9] parameter(0)\n"
                     " t = (s32[], f32[9]) tuple(i, x)\n"
                     " w = (s32[], f32[9]) while(t), condition=condition, body=body\n"
                     " ROOT r = f32[9] get-tuple-element(w), index=1\n}\n")
                .back(),
            "loop w 80");
}

}  // namespace
}  // namespace hilo::engine
