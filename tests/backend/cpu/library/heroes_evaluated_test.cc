// SPDX-License-Identifier: Apache-2.0
// The programs that the engine runs itself, and those that it passes to the slow reference evaluator.
// docs/contributing/engine.md lists the latter.
#include <fmt/format.h>

#include "hilo/hlo/text/parser.h"
#include "tests/backend/cpu/engine_check.h"

namespace hilo::cpu {
namespace {

int64_t evaluated_in(const hlo::Module& module) {
  const auto executable = tests::cpu_client()->compile(module, {}, nullptr);
  EXPECT_TRUE(executable.ok()) << executable.status().to_string();
  return executable.ok() ? (*executable)->statistics().evaluated_count : -1;
}

/// sample() for narrow types too. Integers have any size if `large`.
Literal argument(const Shape& shape, unsigned seed, bool large) {
  if (large && is_integer(shape.element_type()) && element_type_info(shape.element_type()).bits >= 8) {
    Literal bits(shape);
    std::mt19937 random(seed);
    for (std::byte& b : bits.mutable_bytes()) b = static_cast<std::byte>(random());
    return bits;
  }
  const Shape wide = Shape::array(ElementType::kF32, shape.dimensions());
  return *hlo::convert_literal(sample(wide, seed), shape.element_type());
}

/// Expects that the engine runs the whole program, with the reference's result.
void runs(const std::string& text, double tolerance = 1e-5, bool large = false) {
  const StatusOr<hlo::Module> module = hlo::parse_module(text);
  ASSERT_TRUE(module.ok()) << module.status().to_string() << "\n" << text;
  std::vector<Literal> arguments;
  for (const Shape& shape : module->entry->parameter_shapes())
    arguments.push_back(argument(shape, static_cast<unsigned>(arguments.size()) + 1, large));
  EXPECT_EQ(evaluated_in(*module), 0) << text;
  check(*module, arguments, tolerance);
}

// ---- convolutions
// ----------------------------------------------------------------------------------------------------

std::string shape_text(std::string_view type, const std::vector<int64_t>& sizes) {
  return fmt::format("{}[{}]", type, fmt::join(sizes, ","));
}

/// A random convolution of the types: 1 to 5 dimensions in any order, with strides, paddings, dilations and groups.
std::string convolution_text(std::mt19937& random, std::string_view lhs, std::string_view rhs, std::string_view out) {
  const auto pick = [&](int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random()) % (most - least + 1);
  };
  const auto rank = static_cast<size_t>(pick(1, 5));
  std::string window[5] = {"size=", " stride=", " pad=", " lhs_dilate=", " rhs_dilate="}, reversal = " rhs_reversal=";
  std::vector<int64_t> sizes, taps, counts;
  for (size_t d = 0; d < rank; ++d) {
    const int64_t size = pick(1, rank > 3 ? 3 : 6), tap = pick(1, 3), stride = pick(1, 2), low = pick(0, 2),
                  high = pick(0, 2), base = pick(0, 3) == 0 ? pick(2, 3) : 1, dilation = pick(1, 2);
    const int64_t padded = (size - 1) * base + 1 + low + high, reach = (tap - 1) * dilation + 1;
    sizes.push_back(size);
    taps.push_back(tap);
    counts.push_back(padded < reach ? 0 : (padded - reach) / stride + 1);
    const std::string texts[] = {fmt::format("{}", tap), fmt::format("{}", stride), fmt::format("{}_{}", low, high),
                                 fmt::format("{}", base), fmt::format("{}", dilation)};
    for (size_t k = 0; k < 5; ++k) window[k] += (d == 0 ? "" : "x") + texts[k];
    reversal += (d == 0 ? "" : "x") + std::to_string(pick(0, 1));
  }
  const int64_t form = pick(0, 3), groups = form < 2 ? 1 : pick(2, 3);
  const int64_t inputs = pick(1, 4), outputs = pick(1, 4) * groups, batch = pick(1, 3);
  const std::string digits = std::string("01234").substr(0, rank);
  std::string labels[3] = {digits + "bf", digits + "io", digits + "bf"};
  std::vector<int64_t> extents[3];
  for (int k = 0; k < 3; ++k) {
    std::shuffle(labels[k].begin(), labels[k].end(), random);
    for (const char c : labels[k]) {
      const size_t d = c >= '0' && c <= '9' ? static_cast<size_t>(c - '0') : 0;
      const int64_t feature = k == 0 ? inputs * (form == 2 ? groups : 1) : outputs;
      extents[k].push_back(c == 'b'   ? batch * (k == 0 && form == 3 ? groups : 1)
                           : c == 'f' ? feature
                           : c == 'i' ? inputs
                           : c == 'o' ? outputs
                                      : (k == 0   ? sizes
                                         : k == 1 ? taps
                                                  : counts)[d]);
    }
  }
  const std::string grouped = form == 2   ? fmt::format(", feature_group_count={}", groups)
                              : form == 3 ? fmt::format(", batch_group_count={}", groups)
                                          : "";
  return fmt::format(
      "HloModule convolution\nENTRY e {{\n  x = {} parameter(0)\n  k = {} parameter(1)\n  ROOT y = {} convolution(x, "
      "k), "
      "window={{{}{}{}{}{}{}}}, dim_labels={}_{}->{}{}\n}}\n",
      shape_text(lhs, extents[0]), shape_text(rhs, extents[1]), shape_text(out, extents[2]), window[0], window[1],
      window[2], window[3], window[4], reversal, labels[0], labels[1], labels[2], grouped);
}

TEST(Evaluated, NoConvolutionOfAnyTypeAndRank) {
  struct Types {
    const char *lhs, *rhs, *out;
  };
  constexpr Types kAll[] = {{"f32", "f32", "f32"},
                            {"f64", "f64", "f64"},
                            {"bf16", "bf16", "bf16"},
                            {"f8e4m3fn", "f8e4m3fn", "f8e4m3fn"},
                            {"f8e5m2", "f8e5m2", "f32"},
                            {"f8e4m3fn", "f8e5m2", "bf16"},
                            {"f4e2m1fn", "f4e2m1fn", "f32"},
                            {"f16", "f32", "f32"},
                            {"f32", "f32", "f64"},
                            {"c64", "c64", "c64"},
                            {"c64", "c64", "c128"},
                            {"s8", "s8", "s32"},
                            {"s8", "s8", "s8"},
                            {"u8", "u8", "s32"},
                            {"u8", "u8", "u8"},
                            {"s4", "s4", "s32"},
                            {"u4", "u4", "u4"},
                            {"s16", "s16", "s16"},
                            {"s16", "s16", "s32"},
                            {"s32", "s32", "s32"},
                            {"u32", "u32", "u32"},
                            {"s64", "s64", "s64"},
                            {"u64", "u64", "u64"},
                            {"s8", "s32", "s32"},
                            {"s8", "s8", "f32"},
                            {"s32", "s32", "s64"},
                            {"pred", "pred", "pred"},
                            {"pred", "pred", "s32"}};
  std::mt19937 random(40);
  for (const Types& types : kAll) {
    for (int turn = 0; turn < 6; ++turn) {
      const bool narrow = types.out[0] == 'b' || std::string_view(types.out).starts_with("f8");
      runs(convolution_text(random, types.lhs, types.rhs, types.out), narrow ? 1e-2 : 1e-5, turn % 2 == 1);
    }
  }
}

TEST(Evaluated, NoConvolutionOfBytesWithManyChannels) {
  std::mt19937 random(41);
  const auto pick = [&](int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random()) % (most - least + 1);
  };
  for (const char* types : {"s8 s8 s32", "u8 u8 u32", "s8 s8 s8", "s16 s16 s32", "u8 u8 s16"}) {
    for (int turn = 0; turn < 8; ++turn) {
      const std::string text(types), lhs = text.substr(0, text.find(' ')), out = text.substr(text.rfind(' ') + 1);
      const int64_t inputs = pick(4, 40), outputs = pick(8, 70), batch = pick(1, 3), stride = pick(1, 3),
                    dilation = pick(1, 2), low = pick(0, 3), high = pick(-1, 3), x = pick(6, 20), y = pick(4, 9);
      const auto count = [&](int64_t size, int64_t taps) {
        return (size + low + high - (taps - 1) * dilation - 1) / stride + 1;
      };
      const bool channels_first = turn % 2 == 1;
      const auto array = [&](int64_t b, int64_t f, int64_t s, int64_t t) {
        return channels_first ? fmt::format("[{},{},{},{}]", b, f, s, t) : fmt::format("[{},{},{},{}]", b, s, t, f);
      };
      runs(fmt::format("HloModule c\nENTRY e {{\n  x = {0}{1} parameter(0)\n  k = {0}[3,2,{2},{3}] parameter(1)\n"
                       "  ROOT y = {4}{5} convolution(x, k), window={{size=3x2 stride={6}x{6} pad={7}_{8}x{7}_{8} "
                       "rhs_dilate={9}x{9} rhs_reversal={10}x0}}, dim_labels={11}_01io->{11}\n}}\n",
                       lhs, array(batch, inputs, x, y), inputs, outputs, out,
                       array(batch, outputs, count(x, 3), count(y, 2)), stride, low, high, dilation,
                       turn % 3 == 0 ? 1 : 0, channels_first ? "bf01" : "b01f"),
           0, true);
    }
  }
}

/// BLAS doesn't support matrices whose lines are reversed in memory.
TEST(Evaluated, NoConvolutionWithAReversedKernelThatCoversTheInput) {
  for (const char* type : {"f32", "f64", "pred", "s8", "c64"}) {
    for (const char* reversal : {"0", "1"}) {
      runs(
          fmt::format("HloModule c\nENTRY e {{\n  x = {0}[1,3,2] parameter(0)\n  k = {0}[1,2,2] parameter(1)\n"
                      "  ROOT y = {0}[1,2,2] convolution(x, k), window={{size=2 rhs_dilate=2 rhs_reversal={1}}}, "
                      "dim_labels=f0b_i0o->0bf\n}}\n",
                      type, reversal));
    }
  }
}

TEST(Evaluated, NoConvolutionOfALargeWindowOrOfManyPhases) {
  const auto convolution = [](const char* x, const char* k, const char* y, const char* window, const char* labels) {
    return fmt::format(
        "HloModule c\nENTRY e {{\n  x = {} parameter(0)\n  k = {} parameter(1)\n  ROOT y = {} convolution(x, k), "
        "window={{{}}}, dim_labels={}\n}}\n",
        x, k, y, window, labels);
  };
  runs(convolution("f32[8,4,3,3]", "f32[1,10,10,8]", "f32[1,12,12,4]", "size=10x10 pad=9_9x9_9", "fb01_o01i->f01b"));
  runs(convolution("f32[2,7,3]", "f32[40,3,5]", "f32[2,46,5]", "size=40 pad=39_39", "b0f_0io->b0f"));
  runs(convolution("f64[2,5,3]", "f64[30,3,5]", "f64[2,18,5]", "size=30 stride=2 pad=29_30", "b0f_0io->b0f"));
  runs(convolution("f32[2,3,3,6]", "f32[9,9,2,6]", "f32[2,11,11,6]", "size=9x9 pad=8_8x8_8",
                   "b01f_01io->b01f, feature_group_count=3"));
  runs(convolution("f32[1,3,3,1]", "f32[2,2,1,1]", "f32[1,80,80,1]", "size=2x2 pad=0_0x0_0 lhs_dilate=40x40",
                   "b01f_01io->b01f"));
}

TEST(Evaluated, ALargeWindowMultipliesPaddingWithWeightsThatAreNotFinite) {
  const StatusOr<hlo::Module> module = hlo::parse_module(
      "HloModule c\nENTRY e {\n  x = f32[1,2,1] parameter(0)\n  k = f32[12,1,2] parameter(1)\n"
      "  ROOT y = f32[1,13,2] convolution(x, k), window={size=12 pad=11_11}, dim_labels=b0f_0io->b0f\n}\n");
  ASSERT_TRUE(module.ok());
  for (const int bad : {0, 1, 2}) {
    std::vector<Literal> arguments = samples(*module);
    if (bad == 1) arguments[0].data<float>()[1] = std::numeric_limits<float>::infinity();
    if (bad == 2) arguments[1].data<float>()[3] = std::numeric_limits<float>::quiet_NaN();
    check(*module, arguments);
  }
}

// ---- functions of scalars
// --------------------------------------------------------------------------------------------

constexpr const char* kBits =
    "  p = s32[] bitcast-convert(a)\n  q = s32[] bitcast-convert(b)\n  m = s32[] {}(p, q)\n"
    "  ROOT r = f32[] bitcast-convert(m)\n";
constexpr const char* kExtreme =
    "  p = s32[] bitcast-convert(a)\n  q = s32[] bitcast-convert(b)\n  c = pred[] compare({}), direction={}\n"
    "  ROOT r = f32[] select(c, {})\n";
constexpr const char* kBytes =  // reads bytes through an array
    "  p = u8[4] bitcast-convert(a)\n  q = u8[4] bitcast-convert(b)\n  m = u8[4] maximum(p, q)\n"
    "  ROOT r = f32[] bitcast-convert(m)\n";
constexpr const char* kBranch =
    "  c = pred[] compare(a, b), direction=LT\n"
    "  ROOT r = f32[] conditional(c, a, b), true_computation=yes, false_computation=no\n";

/// Checks `program` with each form of a function f of two f32.
void with_functions(const std::string& program) {
  const std::string branches =
      "yes {\n  a = f32[] parameter(0)\n  ROOT r = f32[] negate(a)\n}\nno {\n  a = f32[] parameter(0)\n"
      "  ROOT r = f32[] abs(a)\n}\n";
  for (const std::string& body :
       {fmt::format(fmt::runtime(kBits), "xor"), fmt::format(fmt::runtime(kBits), "maximum"),
        fmt::format(fmt::runtime(kExtreme), "p, q", "GT", "a, b"),
        fmt::format(fmt::runtime(kExtreme), "q, p", "LE", "a, b"),
        fmt::format(fmt::runtime(kExtreme), "p, q", "GE", "b, a"), std::string(kBytes), std::string(kBranch)}) {
    runs("HloModule m\n" + branches + "f {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n" + body + "}\n" +
             program,
         0);
  }
}

TEST(Evaluated, NoReduction) {
  for (const char* form : {"f32[40,30] parameter(0)|f32[40]|{1}", "f32[40,30] parameter(0)|f32[30]|{0}",
                           "f32[7,5,3] parameter(0)|f32[5]|{0,2}", "f32[1000] parameter(0)|f32[]|{0}",
                           "f32[6,0] parameter(0)|f32[6]|{1}", "f32[6,4] parameter(0)|f32[6,4]|{}"}) {
    const std::string text(form);
    const size_t first = text.find('|'), second = text.find('|', first + 1);
    with_functions(fmt::format(
        "ENTRY e {{\n  x = {}\n  z = f32[] constant(1.5)\n  ROOT y = {} reduce(x, z), dimensions={}, to_apply=f\n}}\n",
        text.substr(0, first), text.substr(first + 1, second - first - 1), text.substr(second + 1)));
  }
}

TEST(Evaluated, NoWindow) {
  for (const char* form : {"f32[4,9,8,3]|f32[4,7,6,3]|size=1x3x3x1", "f32[30]|f32[25]|size=6",
                           "f32[9,9]|f32[5,5]|size=3x3 stride=2x2 pad=1_1x1_1", "f32[50,2]|f32[3,2]|size=48x1"}) {
    const std::string text(form);
    const size_t first = text.find('|'), second = text.find('|', first + 1);
    with_functions(
        fmt::format("ENTRY e {{\n  x = {} parameter(0)\n  z = f32[] constant(1.5)\n  ROOT y = {} "
                    "reduce-window(x, z), window={{{}}}, to_apply=f\n}}\n",
                    text.substr(0, first), text.substr(first + 1, second - first - 1), text.substr(second + 1)));
  }
}

TEST(Evaluated, NoMapNorScatter) {
  with_functions(
      "ENTRY e {\n  x = f32[20,30] parameter(0)\n  y = f32[20,30] parameter(1)\n"
      "  ROOT s = f32[20,30] map(x, y), dimensions={0,1}, to_apply=f\n}\n");
  with_functions(
      "ENTRY e {\n  x = f32[20,4] parameter(0)\n  i = s32[30,1] parameter(1)\n  u = f32[30,4] parameter(2)\n"
      "  ROOT s = f32[20,4] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f\n}\n");
}

TEST(Evaluated, NoSelectAndScatter) {
  struct Form {
    const char *type, *array, *source, *window;
  };
  constexpr Form kForms[] = {{"f32", "4,9,9,3", "4,8,8,3", "size=1x2x2x1"},
                             {"f32", "9,9", "5,5", "size=3x3 stride=2x2 pad=1_1x1_1"},
                             {"f32", "100", "3", "size=98"},
                             {"s32", "20,6", "9,6", "size=3x1 stride=2x1"},
                             {"f64", "30", "12", "size=4 stride=3 pad=4_5"},
                             {"bf16", "9,9", "4,4", "size=2x2 stride=2x2"},
                             {"f8e4m3fn", "9,9", "4,4", "size=2x2 stride=2x2"},
                             {"c64", "9,9", "4,4", "size=2x2 stride=2x2"}};
  for (const Form& f : kForms) {
    const bool complex = f.type[0] == 'c';
    const std::string selects[] = {
        complex ? "  p = f32[] real(a)\n  q = f32[] imag(b)\n  ROOT g = pred[] compare(p, q), direction=GE\n"
                : "  z = T[] constant(0)\n  ROOT g = pred[] compare(a, z), direction=GE\n",
        complex ? "  ROOT g = pred[] compare(a, b), direction=NE\n" : "  ROOT g = pred[] compare(b, a), direction=GT\n",
        complex ? "  ROOT g = pred[] constant(false)\n" : "  ROOT g = pred[] compare(a, b), direction=GE\n"};
    for (std::string select : selects) {
      for (const char* scatter : {"add", "multiply"}) {
        for (size_t at; (at = select.find("T[]")) != std::string::npos;) select.replace(at, 1, f.type);
        runs(fmt::format(
                 "HloModule s\npick {{\n  a = {0}[] parameter(0)\n  b = {0}[] parameter(1)\n{1}}}\nput {{\n  a = {0}[] "
                 "parameter(0)\n  b = {0}[] parameter(1)\n  ROOT r = {0}[] {2}(a, b)\n}}\nENTRY e {{\n  x = {0}[{3}] "
                 "parameter(0)\n  u = {0}[{4}] parameter(1)\n  z = {0}[] parameter(2)\n  ROOT s = {0}[{3}] "
                 "select-and-scatter(x, u, z), window={{{5}}}, select=pick, scatter=put\n}}\n",
                 f.type, select, scatter, f.array, f.source, f.window),
             f.type[0] == 'b' || f.type[1] == '8' ? 5e-2 : 1e-5);
      }
    }
  }
}

TEST(Evaluated, NoSort) {
  const std::string orders[] = {
      "  p = s32[] bitcast-convert(a)\n  q = s32[] bitcast-convert(b)\n  ROOT g = pred[] compare(p, q), direction=LT\n",
      "  p = s32[] bitcast-convert(a)\n  q = s32[] bitcast-convert(b)\n  ROOT g = pred[] compare(q, p), direction=LT\n",
      "  p = u32[] bitcast-convert(a)\n  q = u32[] bitcast-convert(b)\n  c = u32[] constant(24)\n"
      "  r = u32[] shift-right-logical(p, c)\n  s = u32[] shift-right-logical(q, c)\n"
      "  ROOT g = pred[] compare(r, s), direction=GT\n",
      "  p = f32[] sine(a)\n  q = f32[] sine(b)\n  ROOT g = pred[] compare(p, q), direction=LT\n",
      "  p = f32[] sine(a)\n  q = f32[] cosine(b)\n  ROOT g = pred[] compare(p, q), direction=LT\n",  // not an order
      "  p = s32[] add(i, i)\n  q = s32[] add(j, j)\n  ROOT g = pred[] compare(p, q), direction=GT\n",
      "  e = pred[] compare(a, b), direction=EQ\n  l = pred[] compare(a, b), direction=LT\n"
      "  m = pred[] compare(i, j), direction=LT\n  ROOT g = pred[] select(e, m, l)\n",
      "  p = u8[4] bitcast-convert(a)\n  q = u8[4] bitcast-convert(b)\n  r = u8[1] slice(p), slice={[2:3]}\n"
      "  s = u8[1] slice(q), slice={[2:3]}\n  t = u8[] reshape(r)\n  u = u8[] reshape(s)\n"
      "  ROOT g = pred[] compare(t, u), direction=LT\n"};
  for (const std::string& order : orders) {
    for (const char* stable : {"true", "false"}) {
      for (const char* shape : {"3,100|1", "40,5|0", "1,700|1"}) {
        const std::string text(shape), sizes = text.substr(0, text.find('|'));
        runs(
            fmt::format("HloModule s\nbefore {{\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  i = s32[] "
                        "parameter(2)\n  j = s32[] parameter(3)\n{0}}}\nENTRY e {{\n  x = f32[{1}] parameter(0)\n  y = "
                        "s32[{1}] parameter(1)\n  ROOT s = (f32[{1}], s32[{1}]) sort(x, y), dimensions={{{2}}}, "
                        "is_stable={3}, to_apply=before\n}}\n",
                        order, sizes, text.substr(text.find('|') + 1), stable),
            0);
      }
    }
  }
  runs(
      "HloModule s\nbefore {\n  a = c128[] parameter(0)\n  b = c128[] parameter(1)\n  p = f64[] real(a)\n  q = f64[] "
      "real(b)\n"
      "  ROOT g = pred[] compare(p, q), direction=LT\n}\nENTRY e {\n  x = c128[50] parameter(0)\n"
      "  ROOT s = c128[50] sort(x), dimensions={0}, is_stable=true, to_apply=before\n}\n",
      0);
}

// ---- evaluated by the reference
// --------------------------------------------------------------------------------------

/// Each program is a line of docs/contributing/engine.md.
TEST(Evaluated, IsWhatTheDocumentationLists) {
  const char* const programs[] = {
      // A function whose values don't fit in registers.
      "HloModule a\nf {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = f32[500] broadcast(a), "
      "dimensions={}\n"
      "  i = f32[500] iota(), iota_dimension=0\n  s = f32[500] sort(i), dimensions={0}, to_apply=g\n"
      "  t = f32[1] slice(s), slice={[3:4]}\n  u = f32[] reshape(t)\n  ROOT r = f32[] add(b, u)\n}\n"
      "g {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = pred[] compare(a, b), direction=LT\n}\n"
      "ENTRY e {\n  x = f32[20,4] parameter(0)\n  z = f32[] constant(0)\n  ROOT y = f32[20] reduce(x, z), "
      "dimensions={1}, "
      "to_apply=f\n}\n",
      // Bitcast of elements narrower than a byte to wider ones.
      "HloModule b\nENTRY e {\n  x = s4[6,2] parameter(0)\n  ROOT y = s8[6] bitcast-convert(x)\n}\n"};
  for (const char* text : programs) {
    const StatusOr<hlo::Module> module = hlo::parse_module(text);
    ASSERT_TRUE(module.ok()) << module.status().to_string() << text;
    EXPECT_EQ(evaluated_in(*module), 1) << text;
  }
}

}  // namespace
}  // namespace hilo::cpu
