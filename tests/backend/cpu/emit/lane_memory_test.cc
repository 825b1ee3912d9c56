// SPDX-License-Identifier: Apache-2.0

#include <random>

#include "tests/backend/cpu/loop_check.h"

namespace hilo::cpu {
namespace {

/// A drawn scan: a loop over states, xs and ys. A turn reads slices of the xs, and writes one slice of the ys.
class ScanWriter {
 public:
  ScanWriter(unsigned seed, int64_t batch, int64_t turns) : random_(seed), batch_(batch), turns_(turns) {
    type_ = any({"f32", "f64", "s32", "s8", "u16", "c64", "f16"});
    states_ = batch_ == 1 ? std::vector<int64_t>{pick(1, 8)} : std::vector<int64_t>{batch_};
    if (batch_ > 1 && flip()) states_.insert(states_.begin() + pick(0, 1), pick(1, 5));
    at_ = pick(0, static_cast<int>(states_.size()));
    rows_x_ = pick(1, 2);
  }

  std::string text() {
    const std::vector<int64_t> xs = with(turns_ + pick(0, 2)), ys = with(turns_ + pick(0, 1));
    const std::vector<int64_t> part_x = with(rows_x_), part_y = with(1);
    const std::string state = shape(states_), index = any({"s32", "s64", "u32", "s8"});
    const bool reads_ys = flip(), computed = flip();
    std::string s = fmt::format("HloModule scan\nbody {{\n  p = ({0}[], {1}, {2}, {3}) parameter(0)\n", index, state,
                                shape(xs), shape(ys));
    const auto leaf = [&](std::string_view name, const std::string& of, int k) {
      s += fmt::format("  {} = {} get-tuple-element(p), index={}\n", name, of, k);
    };
    leaf("i", index + "[]", 0);
    leaf("h", state, 1);
    leaf("xs", shape(xs), 2);
    leaf("ys", shape(ys), 3);
    s += fmt::format("  one = {0}[] constant(1)\n  three = {0}[] constant(3)\n  last = {0}[] constant({1})\n", index,
                     turns_ - 1);
    s += fmt::format("  next = {0}[] add(i, one)\n  back = {0}[] subtract(last, i)\n", index);
    s += fmt::format("  before = {0}[] subtract(i, three)\n  zero = {0}[] constant(0)\n", index);
    const auto slice = [&](std::string_view name, const char* array, const std::vector<int64_t>& of,
                           const std::vector<int64_t>& part, const char* start) {
      s += fmt::format("  {0}_part = {1} dynamic-slice({2}, {3}), dynamic_slice_sizes={{{4}}}\n", name, shape(part),
                       array, starts(of.size(), start), numbers(part));
    };
    slice("x", "xs", xs, part_x, any({"i", "back", "before", "three"}));
    std::vector<int64_t> first = part_x;
    first[at_] = 1;
    s += fmt::format("  x_row = {} slice(x_part), slice={{{}}}\n", shape(first), ranges(first));
    s += fmt::format("  x = {} reshape(x_row)\n", state);
    std::string add = "x";
    if (reads_ys) {
      slice("y", "ys", ys, part_y, any({"i", "before", "back"}));
      s += fmt::format("  y = {0} reshape(y_part)\n  xy = {0} add(x, y)\n", state);
      add = "xy";
    }
    s += fmt::format("  half = {0}[] constant({1})\n  halves = {2} broadcast(half), dimensions={{}}\n", type_,
                     is_whole()       ? "2"
                     : type_ == "c64" ? "(0.5, 0.5)"
                                      : "0.5",
                     state);
    s += fmt::format("  old = {0} multiply(h, halves)\n  new = {0} add(old, {1})\n", state, add);
    s += fmt::format("  row = {} reshape(new)\n", shape(part_y));
    s += fmt::format("  written = {} dynamic-update-slice(ys, row, {})\n", shape(ys),
                     starts(ys.size(), any({"i", "back", "before"})));
    s += fmt::format("  ROOT t = ({0}[], {1}, {2}, {3}) tuple(next, new, xs, written)\n}}\n", index, state, shape(xs),
                     shape(ys));
    s += fmt::format("condition {{\n  p = ({0}[], {1}, {2}, {3}) parameter(0)\n", index, state, shape(xs), shape(ys));
    leaf("i", index + "[]", 0);
    s += fmt::format("  n = {0}[] constant({1})\n  ROOT c = pred[] compare(i, n), direction=LT\n}}\n", index, turns_);
    s += fmt::format(
        "ENTRY main {{\n  start = {0}[] constant(0)\n  h = {1} parameter(0)\n  xs0 = {2} parameter(1)\n"
        "  ys0 = {3} parameter(2)\n",
        index, state, shape(xs), shape(ys));
    for (const auto& [name, of] : {std::pair("xs", &xs), std::pair("ys", &ys)})
      s += fmt::format("  {0} = {1} {2}({0}0)\n", name, shape(*of), computed && !is_unsigned() ? "negate" : "copy");
    s += fmt::format(
        "  init = ({0}[], {1}, {2}, {3}) tuple(start, h, xs, ys)\n"
        "  w = ({0}[], {1}, {2}, {3}) while(init), condition=condition, body=body\n",
        index, state, shape(xs), shape(ys));
    const bool keeps_xs = flip();
    s += fmt::format("  end = {} get-tuple-element(w), index=1\n  out = {} get-tuple-element(w), index=3\n", state,
                     shape(ys));
    s += fmt::format("  same = {0} get-tuple-element(w), index=2\n", shape(xs));
    s += fmt::format("  ROOT r = ({0}, {1}, {2}) tuple(end, out, {3})\n}}\n", state, shape(ys), shape(xs),
                     keeps_xs ? "same" : "xs");
    return s;
  }

 private:
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool flip() { return pick(0, 1) == 1; }
  const char* any(std::initializer_list<const char*> list) {
    return list.begin()[pick(0, static_cast<int>(list.size()) - 1)];
  }
  bool is_unsigned() const { return type_[0] == 'u'; }
  bool is_whole() const { return type_[0] == 'u' || type_[0] == 's'; }

  /// The states' dimensions and `extent` for the turns.
  std::vector<int64_t> with(int64_t extent) const {
    std::vector<int64_t> dimensions = states_;
    dimensions.insert(dimensions.begin() + at_, extent);
    return dimensions;
  }
  std::string numbers(const std::vector<int64_t>& list) const { return fmt::format("{}", fmt::join(list, ",")); }
  std::string shape(const std::vector<int64_t>& list) const { return fmt::format("{}[{}]", type_, numbers(list)); }
  std::string ranges(const std::vector<int64_t>& list) const {
    std::string text;
    for (int64_t e : list) text += fmt::format("{}[0:{}]", text.empty() ? "" : ", ", e);
    return text;
  }
  std::string starts(size_t rank, const char* start) const {
    std::string text;
    for (size_t d = 0; d < rank; ++d)
      text += fmt::format("{}{}", d == 0 ? "" : ", ", d == static_cast<size_t>(at_) ? start : "zero");
    return text;
  }

  std::mt19937 random_;
  std::string type_;
  int64_t batch_, turns_, rows_x_ = 1;
  std::vector<int64_t> states_;
  int at_;  // the dimension of the turns
};

TEST(LaneMemory, ReadsAndWritesSlicesOfScans) {
  constexpr int64_t kBatches[] = {1, 17, 20, 64, 100, 777}, kTurns[] = {3, 18, 41};
  int in_registers = 0, all = 0;
  for (unsigned seed = 0; seed < 8; ++seed) {
    for (int64_t batch : kBatches) {
      for (int64_t turns : kTurns) {
        const std::string text = ScanWriter(seed, batch, turns).text();
        SCOPED_TRACE(text);
        const hlo::Module module = parsed(text);
        ASSERT_NE(module.entry, nullptr);
        in_registers += lives_in_registers(module);
        ++all;
        check(module, 1e-2);
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GE(in_registers, all * 9 / 10);
}

TEST(LaneMemory, GivesTheSameBitsWithAnyThreads) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    const std::string text = ScanWriter(seed, 3001, 100).text();
    SCOPED_TRACE(text);
    const hlo::Module module = parsed(text);
    EXPECT_TRUE(lives_in_registers(module));
    auto executable = tests::cpu_client()->compile(module, tests::without_straight_lines(), nullptr);
    ASSERT_TRUE(executable.ok()) << executable.status().to_string();
    expect_same_bits_with_any_threads(**executable, samples(module));
  }
}

}  // namespace
}  // namespace hilo::cpu
