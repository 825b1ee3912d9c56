// SPDX-License-Identifier: Apache-2.0
// Loops as steps: their carries, and the buffers that an iteration swaps.
#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

TEST(Loops, ALoopUpdatesItsCarryInPlaceWhereItStarts) {
  const std::string text = plan_of(
      "cond {\n p = (s32[], f32[8]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"
      " n = s32[] constant(9)\n ROOT c = pred[] compare(i, n), direction=LT\n}\n"
      "body {\n p = (s32[], f32[8]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"
      " x = f32[8] get-tuple-element(p), index=1\n one = s32[] constant(1)\n j = s32[] add(i, one)\n"
      " y = f32[8] sine(x)\n ROOT t = (s32[], f32[8]) tuple(j, y)\n}\n"
      "ENTRY main {\n x = f32[8] parameter(0)\n zero = s32[] constant(0)\n"
      " t = (s32[], f32[8]) tuple(zero, x)\n w = (s32[], f32[8]) while(t), condition=cond, body=body\n"
      " ROOT r = f32[8] get-tuple-element(w), index=1\n}\n");
  EXPECT_NE(text.find("{kind = while}"), std::string::npos) << text;
  EXPECT_NE(text.find("{kind = copy  a = 0  b = 6  bytes = 32}"), std::string::npos) << text;
  EXPECT_EQ(text.find("swaps = [\n    {now"), std::string::npos) << "both carries are updated in place\n" << text;
}

/// Arena bytes of a loop over (counter, f32[1024], f32[1024]). `step` computes `u` and `v`, the next values of the
/// arrays.
int64_t arena_bytes_of_loop(const std::string& step) {
  const std::string text =
      plan_of(kSum +
              "cond {\n p = (s32[], f32[1024], f32[1024]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"
              " n = s32[] constant(9)\n ROOT c = pred[] compare(i, n), direction=LT\n}\n"
              "body {\n p = (s32[], f32[1024], f32[1024]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"
              " x = f32[1024] get-tuple-element(p), index=1\n y = f32[1024] get-tuple-element(p), index=2\n"
              " one = s32[] constant(1)\n j = s32[] add(i, one)\n" +
              step +
              " ROOT t = (s32[], f32[1024], f32[1024]) tuple(j, u, v)\n}\n"
              "ENTRY main {\n x = f32[1024] parameter(0)\n y = f32[1024] parameter(1)\n zero = s32[] constant(0)\n"
              " t = (s32[], f32[1024], f32[1024]) tuple(zero, x, y)\n"
              " w = (s32[], f32[1024], f32[1024]) while(t), condition=cond, body=body\n"
              " a = f32[1024] get-tuple-element(w), index=1\n b = f32[1024] get-tuple-element(w), index=2\n"
              " ROOT r = (f32[1024], f32[1024]) tuple(a, b)\n}\n");
  const std::string name = "arena_bytes = ";
  const size_t at = text.find(name);
  return at == std::string::npos ? 0 : std::stoll(text.substr(at + name.size()));
}

TEST(Loops, ACarryWhoseRowIsReadOnceIsUpdatedInPlace) {
  // `u` has a second buffer.
  EXPECT_LE(arena_bytes_of_loop(" xy = f32[1024] multiply(x, y)\n zero = f32[] constant(0)\n"
                                " s = f32[] reduce(xy, zero), dimensions={0}, to_apply=sum\n v = f32[1024] add(x, y)\n"
                                " u = f32[1024] broadcast(s), dimensions={}\n"),
            4096 + 512);
}

TEST(Loops, ACarryThatIsUpdatedInPlaceHasOneStretchOfMemory) {
  constexpr int64_t kCarry = 4096, kScalars = 512;
  EXPECT_LE(arena_bytes_of_loop(" u = f32[1024] sine(x)\n v = f32[1024] cosine(y)\n"), kScalars);
  // One loop reads both and writes both.
  EXPECT_LE(arena_bytes_of_loop(" u = f32[1024] add(x, y)\n v = f32[1024] multiply(x, y)\n"), kScalars);
  // A carry that is not updated in place has a second buffer; each iteration swaps the two.
  EXPECT_GE(arena_bytes_of_loop(" u = f32[1024] add(x, y)\n v = f32[1024] reverse(x), dimensions={0}\n"), kCarry);
  EXPECT_GE(arena_bytes_of_loop(" u = f32[1024] copy(y)\n v = f32[1024] copy(x)\n"), 2 * kCarry);
}

/// An element is read before it is written, in the same turn.
TEST(Loops, ASliceThatIsReadAndWrittenIsUpdatedInPlace) {
  constexpr int64_t kCarry = 4096, kScalars = 512;
  const auto from = [](const std::string& start) {
    return arena_bytes_of_loop(" e = f32[4] dynamic-slice(x, " + start +
                               "), dynamic_slice_sizes={4}\n d = f32[4] add(e, e)\n"
                               " u = f32[1024] dynamic-update-slice(x, d, i)\n v = f32[1024] cosine(y)\n");
  };
  EXPECT_LE(from("i"), kScalars);
  EXPECT_GE(from("j"), kCarry) << "elements of another place may be written before they are read";
}

TEST(Loops, AnElementThatNeverChangesIsTheOperand) {
  const std::string text = plan_of(
      "cond {\n p = (s32[], f32[8]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"
      " n = s32[] constant(9)\n ROOT c = pred[] compare(i, n), direction=LT\n}\n"
      "body {\n p = (s32[], f32[8]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"
      " x = f32[8] get-tuple-element(p), index=1\n one = s32[] constant(1)\n j = s32[] add(i, one)\n"
      " ROOT t = (s32[], f32[8]) tuple(j, x)\n}\n"
      "ENTRY main {\n x = f32[8] parameter(0)\n zero = s32[] constant(0)\n"
      " t = (s32[], f32[8]) tuple(zero, x)\n w = (s32[], f32[8]) while(t), condition=cond, body=body\n"
      " ROOT r = s32[] get-tuple-element(w), index=0\n}\n");
  EXPECT_EQ(text.find("bytes = 32"), std::string::npos) << "x is copied\n" << text;
}

}  // namespace
}  // namespace hilo::engine
