// SPDX-License-Identifier: Apache-2.0
// Every collective on both engines, over element types and 1 to 8 replicas. Expected is the result of one program on
// the arguments of all replicas.
#include "hilo/backend/host/host_run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "hilo/backend/cpu/cpu_engine.h"
#include "hilo/backend/host/host_client.h"
#include "hilo/backend/reference/reference_engine.h"
#include "hilo/hlo/eval/evaluator.h"
#include "hilo/hlo/ops/custom_call_registry.h"
#include "hilo/hlo/text/parser.h"
#include "tests/backend/cpu/engine_check.h"
#include "tests/support/clients.h"

namespace hilo {
namespace {

using cpu::sample;

hlo::Module parsed(const std::string& text) {
  StatusOr<hlo::Module> module = hlo::parse_module(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string() << "\n" << text;
  return module.ok() ? *std::move(module) : hlo::Module();
}

StatusOr<std::unique_ptr<Executable>> compiled(Client& engine, const std::string& text, int64_t replicas) {
  CompileOptions options;
  options.replica_count = replicas;
  return engine.compile(parsed(text), options, nullptr);
}

std::vector<std::vector<BufferPtr>> buffers_of(const Executable& executable, const std::vector<Literal>& one_each) {
  std::vector<std::vector<BufferPtr>> arguments;
  for (size_t r = 0; r < one_each.size(); ++r)
    arguments.push_back({*buffer_from_literal(*executable.devices()[r], one_each[r])});
  return arguments;
}

/// The results of each replica, flat, or the error.
StatusOr<std::vector<std::vector<Literal>>> run(Client& engine, const std::string& text,
                                                const std::vector<Literal>& arguments) {
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<Executable> executable,
                        compiled(engine, text, static_cast<int64_t>(arguments.size())));
  HILO_ASSIGN_OR_RETURN(const auto results, execute_replicas(*executable, buffers_of(*executable, arguments)));
  std::vector<std::vector<Literal>> literals;
  for (const std::vector<BufferPtr>& replica : results) {
    literals.emplace_back();
    for (const BufferPtr& buffer : replica) literals.back().push_back(*literal_from_buffer(*buffer));
  }
  return literals;
}

struct Case {
  ElementType type;
  std::vector<int64_t> group;  ///< one group of all replicas, in any order

  size_t count() const { return group.size(); }
  std::string name() const { return std::string(element_type_name(type)); }
  std::string array(int64_t rows, int64_t columns) const { return fmt::format("{}[{},{}]", name(), rows, columns); }
  std::string groups() const { return fmt::format("{{{{{}}}}}", fmt::join(group, ",")); }
  std::string reducer(std::string_view op) const {
    return fmt::format("reducer {{\n x = {0}[] parameter(0)\n y = {0}[] parameter(1)\n ROOT r = {0}[] {1}(x, y)\n}}\n",
                       name(), op);
  }
};

/// A program of one collective on f[6n,3] of the case's type.
std::string replicated(const Case& c, const std::string& result, const std::string& op, const std::string& attributes,
                       const std::string& reducer = "") {
  const auto n = static_cast<int64_t>(c.count());
  return fmt::format("HloModule m\n{}ENTRY main {{\n p = {} parameter(0)\n ROOT r = {} {}(p), {}\n}}\n", reducer,
                     c.array(2 * n, 3 * n), result, op, attributes);
}

/// The expected result of member `place`: lines that compute "r" from p0, p1, ... in the group's order.
std::vector<Literal> wanted(const Case& c, const std::vector<Literal>& inputs, int64_t place,
                            const std::string& lines) {
  const auto n = static_cast<int64_t>(c.count());
  std::string text = "HloModule w\nENTRY main {\n";
  std::vector<Literal> ordered;
  for (size_t k = 0; k < c.count(); ++k) {
    text += fmt::format(" p{} = {} parameter({})\n", k, c.array(2 * n, 3 * n), k);
    ordered.push_back(inputs[static_cast<size_t>(c.group[k])]);
  }
  const StatusOr<Literal> value = hlo::evaluate(parsed(text + lines + "}\n"), ordered);
  EXPECT_TRUE(value.ok()) << value.status().to_string() << text << lines << place;
  std::vector<Literal> leaves;
  if (value.ok()) cpu::flatten(*value, leaves);
  return leaves;
}

/// Appends "s0 = op(p0, p1)", "s1 = op(s0, p2)", ... and returns the last name.
std::string fold(const Case& c, std::string_view op, std::string& lines) {
  const auto n = static_cast<int64_t>(c.count());
  std::string last = "p0";
  for (size_t k = 1; k < c.count(); ++k) {
    lines += fmt::format(" s{} = {} {}({}, p{})\n", k, c.array(2 * n, 3 * n), op, last, k);
    last = fmt::format("s{}", k);
  }
  return last;
}

void expect_equal(const Case& c, const std::string& text,
                  const std::function<std::string(int64_t place)>& lines_of_place) {
  const auto n = static_cast<int64_t>(c.count());
  std::vector<Literal> inputs;
  for (int64_t r = 0; r < n; ++r)
    inputs.push_back(sample(Shape::array(c.type, {2 * n, 3 * n}), 17 + static_cast<unsigned>(r)));
  for (const ClientPtr& engine : tests::engine_clients()) {
    for (int repeat = 0; repeat < 3; ++repeat) {
      const auto got = run(*engine, text, inputs);
      ASSERT_TRUE(got.ok()) << engine->platform_name() << ": " << got.status().to_string() << "\n" << text;
      for (int64_t place = 0; place < n; ++place) {
        const auto r = static_cast<size_t>(c.group[static_cast<size_t>(place)]);
        const std::vector<Literal> right = wanted(c, inputs, place, lines_of_place(place));
        ASSERT_EQ((*got)[r].size(), right.size());
        for (size_t i = 0; i < right.size(); ++i) {
          EXPECT_TRUE((*got)[r][i].identical(right[i])) << engine->platform_name() << " replica " << r << "\n"
                                                        << text << (*got)[r][i].to_string() << "\n"
                                                        << right[i].to_string();
        }
      }
    }
  }
}

std::vector<std::string_view> reducers_of(ElementType type) {
  if (type == ElementType::kPred) return {"and", "or", "xor", "maximum"};
  if (is_complex(type)) return {"add", "multiply"};
  if (is_floating(type)) return {"add", "multiply", "maximum", "minimum"};
  return {"add", "multiply", "maximum", "minimum", "and", "or", "xor"};
}

class Collectives : public testing::TestWithParam<ElementType> {
 protected:
  static std::vector<Case> cases() {
    return {{GetParam(), {0}}, {GetParam(), {1, 0}}, {GetParam(), {2, 0, 1}}, {GetParam(), {0, 1, 2, 3, 4, 5, 6, 7}}};
  }
};

TEST_P(Collectives, AllReduceFoldsInTheGroupsOrder) {
  for (const Case& c : cases()) {
    const auto n = static_cast<int64_t>(c.count());
    for (std::string_view op : reducers_of(c.type)) {
      const std::string text = replicated(c, c.array(2 * n, 3 * n), "all-reduce",
                                          "replica_groups=" + c.groups() + ", to_apply=reducer", c.reducer(op));
      expect_equal(c, text, [&](int64_t) {
        std::string lines;
        const std::string last = fold(c, op, lines);
        return lines + fmt::format(" ROOT r = {} copy({})\n", c.array(2 * n, 3 * n), last);
      });
    }
  }
}

TEST_P(Collectives, ReduceScatterGivesEachItsSlice) {
  for (const Case& c : cases()) {
    const auto n = static_cast<int64_t>(c.count());
    for (int64_t dimension : {0, 1}) {
      const int64_t rows = dimension == 0 ? 2 : 2 * n, columns = dimension == 0 ? 3 * n : 3;
      const std::string_view op = reducers_of(c.type)[0];
      const std::string text = replicated(
          c, c.array(rows, columns), "reduce-scatter",
          fmt::format("replica_groups={}, dimensions={{{}}}, to_apply=reducer", c.groups(), dimension), c.reducer(op));
      expect_equal(c, text, [&](int64_t place) {
        std::string lines;
        const std::string last = fold(c, op, lines);
        const int64_t row = dimension == 0 ? 2 * place : 0, column = dimension == 0 ? 0 : 3 * place;
        return lines + fmt::format(" ROOT r = {} slice({}), slice={{[{}:{}], [{}:{}]}}\n", c.array(rows, columns), last,
                                   row, row + rows, column, column + columns);
      });
    }
  }
}

TEST_P(Collectives, AllGatherJoinsInTheGroupsOrder) {
  for (const Case& c : cases()) {
    const auto n = static_cast<int64_t>(c.count());
    for (int64_t dimension : {0, 1}) {
      const std::string result = dimension == 0 ? c.array(2 * n * n, 3 * n) : c.array(2 * n, 3 * n * n);
      std::vector<std::string> names;
      for (size_t k = 0; k < c.count(); ++k) names.push_back(fmt::format("p{}", k));
      expect_equal(c,
                   replicated(c, result, "all-gather",
                              fmt::format("replica_groups={}, dimensions={{{}}}", c.groups(), dimension)),
                   [&](int64_t) {
                     return fmt::format(" ROOT r = {} concatenate({}), dimensions={{{}}}\n", result,
                                        fmt::join(names, ", "), dimension);
                   });
    }
  }
}

TEST_P(Collectives, AllToAllExchangesBlocks) {
  for (const Case& c : cases()) {
    const auto n = static_cast<int64_t>(c.count());
    for (int64_t dimension : {0, 1}) {
      const int64_t rows = dimension == 0 ? 2 : 2 * n, columns = dimension == 0 ? 3 * n : 3;
      expect_equal(c,
                   replicated(c, c.array(2 * n, 3 * n), "all-to-all",
                              fmt::format("replica_groups={}, dimensions={{{}}}", c.groups(), dimension)),
                   [&](int64_t place) {
                     std::string lines;
                     std::vector<std::string> names;
                     const int64_t row = dimension == 0 ? 2 * place : 0, column = dimension == 0 ? 0 : 3 * place;
                     for (size_t k = 0; k < c.count(); ++k) {
                       names.push_back(fmt::format("b{}", k));
                       lines += fmt::format(" b{} = {} slice(p{}), slice={{[{}:{}], [{}:{}]}}\n", k,
                                            c.array(rows, columns), k, row, row + rows, column, column + columns);
                     }
                     return lines + fmt::format(" ROOT r = {} concatenate({}), dimensions={{{}}}\n",
                                                c.array(2 * n, 3 * n), fmt::join(names, ", "), dimension);
                   });
    }
  }
}

TEST_P(Collectives, PermuteAndBroadcastMoveBytes) {
  for (const Case& c : cases()) {
    const auto n = static_cast<int64_t>(c.count());
    const std::string shape = c.array(2 * n, 3 * n);
    expect_equal(c, replicated(c, shape, "collective-broadcast", "replica_groups=" + c.groups()),
                 [&](int64_t) { return fmt::format(" ROOT r = {} copy(p0)\n", shape); });
    // Each member sends to the previous one in the group; the last receives zeros.
    std::string pairs;
    for (size_t k = 1; k < c.count(); ++k)
      pairs += fmt::format("{}{{{},{}}}", k == 1 ? "" : ",", c.group[k], c.group[k - 1]);
    expect_equal(
        c, replicated(c, shape, "collective-permute", "source_target_pairs={" + pairs + "}"), [&](int64_t place) {
          if (place + 1 < n) return fmt::format(" ROOT r = {} copy(p{})\n", shape, place + 1);
          return fmt::format(" ROOT r = {} {}(p0, p0)\n", shape, c.type == ElementType::kPred ? "xor" : "subtract");
        });
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Collectives,
                         testing::Values(ElementType::kPred, ElementType::kS8, ElementType::kU16, ElementType::kS32,
                                         ElementType::kU64, ElementType::kF16, ElementType::kBf16, ElementType::kF32,
                                         ElementType::kF64, ElementType::kC64),
                         [](const auto& info) { return std::string(element_type_name(info.param)); });

TEST(HostRun, SeveralOperandsAndTupleFormsWork) {
  const std::string text = R"(
HloModule m
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = f32[] add(x, y)
}
ENTRY main {
  p = f32[2] parameter(0)
  q = f32[2] multiply(p, p)
  sums = (f32[2], f32[2]) all-reduce(p, q), replica_groups={}, to_apply=add
  swapped = (f32[2], f32[2]) all-to-all(p, q), replica_groups={{0,1}}
  id = u32[] replica-id()
  a = f32[2] get-tuple-element(sums), index=0
  b = f32[2] get-tuple-element(sums), index=1
  c = f32[2] get-tuple-element(swapped), index=0
  d = f32[2] get-tuple-element(swapped), index=1
  ROOT r = (f32[2], f32[2], f32[2], f32[2], u32[]) tuple(a, b, c, d, id)
})";
  const std::vector<Literal> inputs = {Literal::array<float>({2}, {1, 2}), Literal::array<float>({2}, {3, 4})};
  for (const ClientPtr& engine : tests::engine_clients()) {
    const auto got = run(*engine, text, inputs);
    ASSERT_TRUE(got.ok()) << got.status().to_string();
    EXPECT_EQ(Literal::tuple((*got)[0]).to_string(),
              "(f32[2] {4, 6}, f32[2] {10, 20}, f32[2] {1, 2}, f32[2] {3, 4}, u32[] 0)");
    EXPECT_EQ(Literal::tuple((*got)[1]).to_string(),
              "(f32[2] {4, 6}, f32[2] {10, 20}, f32[2] {1, 4}, f32[2] {9, 16}, u32[] 1)");
  }
}

TEST(HostRun, GroupsMeetApart) {
  const std::string text = R"(
HloModule m
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = f32[] add(x, y)
}
ENTRY main {
  p = f32[] parameter(0)
  ROOT r = f32[] all-reduce(p), replica_groups={{0,2},{3,1}}, to_apply=add
})";
  std::vector<Literal> inputs;
  for (float x : {1.0f, 10.0f, 100.0f, 1000.0f}) inputs.push_back(Literal::scalar(x));
  for (const ClientPtr& engine : tests::engine_clients()) {
    const auto got = run(*engine, text, inputs);
    ASSERT_TRUE(got.ok()) << got.status().to_string();
    const float right[] = {101, 1010, 101, 1010};
    for (size_t r = 0; r < 4; ++r) EXPECT_EQ((*got)[r][0].data<float>()[0], right[r]);
  }
}

TEST(HostRun, AnUnusualReducerRunsInTheEvaluator) {
  const std::string text = R"(
HloModule m
norm {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  xx = f32[] multiply(x, x)
  yy = f32[] multiply(y, y)
  sum = f32[] add(xx, yy)
  ROOT r = f32[] sqrt(sum)
}
ENTRY main {
  p = f32[2] parameter(0)
  ROOT r = f32[2] all-reduce(p), replica_groups={}, to_apply=norm
})";
  for (const ClientPtr& engine : tests::engine_clients()) {
    const auto got = run(*engine, text, {Literal::array<float>({2}, {3, 6}), Literal::array<float>({2}, {4, 8})});
    ASSERT_TRUE(got.ok()) << got.status().to_string();
    EXPECT_EQ((*got)[1][0].to_string(), "f32[2] {5, 10}");
  }
}

constexpr std::string_view kLoop = R"(
HloModule m
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = f32[] add(x, y)
}
body {
  c = (s32[], f32[3]) parameter(0)
  i = s32[] get-tuple-element(c), index=0
  x = f32[3] get-tuple-element(c), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  half = f32[] constant(0.5)
  halves = f32[3] broadcast(half), dimensions={}
  y = f32[3] multiply(x, halves)
  sum = f32[3] all-reduce(y), replica_groups={}, to_apply=add
  ROOT r = (s32[], f32[3]) tuple(next, sum)
}
condition {
  c = (s32[], f32[3]) parameter(0)
  i = s32[] get-tuple-element(c), index=0
  n = s32[] constant(20)
  ROOT r = pred[] compare(i, n), direction=LT
}
ENTRY main {
  p = f32[3] parameter(0)
  zero = s32[] constant(0)
  init = (s32[], f32[3]) tuple(zero, p)
  loop = (s32[], f32[3]) while(init), condition=condition, body=body
  ROOT r = f32[3] get-tuple-element(loop), index=1
})";

TEST(HostRun, MeetsInEveryTurnOfALoop) {
  for (const ClientPtr& engine : tests::engine_clients()) {
    const auto got = run(*engine, std::string(kLoop),
                         {Literal::array<float>({3}, {1, 2, 3}), Literal::array<float>({3}, {3, 2, 1})});
    ASSERT_TRUE(got.ok()) << got.status().to_string();
    EXPECT_EQ((*got)[0][0].to_string(), "f32[3] {2, 2, 2}");
    EXPECT_EQ((*got)[1][0].to_string(), "f32[3] {2, 2, 2}");
  }
}

/// Counts collectives, without communication between processes.
class CountingCommunicator final : public Communicator, public CommunicatorGroup {
 public:
  inline static std::atomic<int> meetings{0};
  int64_t rank() const override { return 0; }
  int64_t size() const override { return 2; }
  Status all_reduce(const Meeting&, DeviceBytes in, MutableDeviceBytes out, const Reduction&) override {
    return copy(in, out);
  }
  Status reduce_scatter(const Meeting&, DeviceBytes in, MutableDeviceBytes out, const Reduction&) override {
    return copy(in, out);
  }
  Status all_gather(const Meeting&, DeviceBytes in, MutableDeviceBytes out) override { return copy(in, out); }
  Status all_to_all(const Meeting&, DeviceBytes in, MutableDeviceBytes out) override { return copy(in, out); }
  Status permute(const Meeting&, int64_t, int64_t, DeviceBytes in, MutableDeviceBytes out) override {
    return copy(in, out);
  }
  Status broadcast(const Meeting&, DeviceBytes in, MutableDeviceBytes out) override { return copy(in, out); }
  void abort(const Status&) override {}

  Communicator& of(int64_t) override { return *this; }
  void end(int64_t) override {}
  Status failure() const override { return ok_status(); }

 private:
  static Status copy(DeviceBytes in, MutableDeviceBytes out) {
    ++meetings;
    std::copy_n(in.begin(), std::min(in.size(), out.size()), out.begin());
    return ok_status();
  }
};
std::unique_ptr<CommunicatorGroup> counting_communicators(const RunMembers&) {
  return std::make_unique<CountingCommunicator>();
}

TEST(HostRun, ALoopWhoseResultNobodyReadsStillMeets) {
  std::string text(kLoop);
  text.replace(text.find("  ROOT r = f32[3] get-tuple-element(loop), index=1"), 50, "  ROOT r = f32[3] negate(p)");
  for (HostEngine* engine : {&reference_engine(), &cpu_engine()}) {
    const ClientPtr client = *make_host_client(*engine, {.replica_count = 2, .communicators = counting_communicators});
    const auto executable = compiled(*client, text, 2);
    ASSERT_TRUE(executable.ok()) << executable.status().to_string();
    const Literal x = Literal::array<float>({3}, {1, 2, 3});
    CountingCommunicator::meetings = 0;
    const auto results = execute_replicas(**executable, buffers_of(**executable, {x, x}));
    ASSERT_TRUE(results.ok()) << results.status().to_string();
    EXPECT_EQ(CountingCommunicator::meetings, 2 * 20) << client->platform_name();
    EXPECT_EQ(literal_from_buffer(*(*results)[0][0])->to_string(), "f32[3] {-1, -2, -3}");
  }
}

TEST(HostRun, ReplicasOfAClientWithoutCommunicatorsCannotMeet) {
  const ClientPtr client = *make_host_client(cpu_engine(), {.replica_count = 2});
  const auto executable = compiled(*client, std::string(kLoop), 2);
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  const Literal x = Literal::array<float>({3}, {1, 2, 3});
  const Status status = execute_replicas(**executable, buffers_of(**executable, {x, x})).status();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition) << status.to_string();
}

/// A collective in which only replica 0 takes part.
constexpr std::string_view kDivided = R"(
HloModule m
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = f32[] add(x, y)
}
meets {
  x = f32[] parameter(0)
  ROOT sum = f32[] all-reduce(x), replica_groups={}, to_apply=add
}
stays {
  ROOT x = f32[] parameter(0)
}
ENTRY main {
  p = f32[] parameter(0)
  id = u32[] replica-id()
  zero = u32[] constant(0)
  first = pred[] compare(id, zero), direction=EQ
  ROOT r = f32[] conditional(first, p, p), true_computation=meets, false_computation=stays
})";

TEST(HostRun, ReplicasThatDontComeAreAnErrorAndNoHang) {
  for (const ClientPtr& engine : tests::engine_clients()) {
    const auto got = run(*engine, std::string(kDivided), {Literal::scalar(1.0f), Literal::scalar(2.0f)});
    ASSERT_FALSE(got.ok());
    EXPECT_EQ(got.status().code(), StatusCode::kAborted) << got.status().to_string();
    EXPECT_NE(got.status().message().find("all-reduce 'sum'"), std::string_view::npos) << got.status().to_string();
  }
}

/// Fails on replica 2.
Status fail_on_two(const CustomCallFrame& frame) {
  return frame.context->replica() == 2 ? invalid_argument("not here") : ok_status();
}

TEST(HostRun, AReplicaThatFailsFailsAllWithItsNumber) {
  ASSERT_TRUE(register_custom_call("test_fail_on_two", fail_on_two).ok());
  std::string text(kDivided);
  text.replace(text.find("ROOT x = f32[] parameter(0)"), 27,
               "x = f32[] parameter(0)\n  ROOT c = f32[] custom-call(x), custom_call_target=\"test_fail_on_two\"");
  text.replace(text.find("direction=EQ"), 12, "direction=NE");
  text.replace(text.find("constant(0)"), 11, "constant(2)");  // all replicas but 2 reach the collective
  for (const ClientPtr& engine : tests::engine_clients()) {
    const auto executable = compiled(*engine, text, 3);
    ASSERT_TRUE(executable.ok()) << executable.status().to_string();
    const Literal x = Literal::scalar(1.0f);
    const Status status = execute_replicas(**executable, buffers_of(**executable, {x, x, x})).status();
    EXPECT_EQ(status.code(), StatusCode::kAborted);
    EXPECT_TRUE(status.message().starts_with("replica 2 failed: INVALID_ARGUMENT: ")) << status.to_string();
    EXPECT_NE(status.message().find("not here"), std::string::npos) << status.to_string();
  }
}

TEST(HostRun, ArgumentsAreCheckedBeforeAnyReplicaBegins) {
  for (const ClientPtr& engine : tests::engine_clients()) {
    const auto executable = compiled(*engine, std::string(kLoop), 3);
    ASSERT_TRUE(executable.ok()) << executable.status().to_string();
    const Literal x = Literal::array<float>({3}, {1, 2, 3});
    auto arguments = buffers_of(**executable, {x, x, x});
    ASSERT_TRUE(arguments[2][0]->remove().ok());
    const Status status = execute_replicas(**executable, arguments).status();
    EXPECT_EQ(status.to_string(),
              "INVALID_ARGUMENT: Execute 'm': argument 0 'p': buffer f32[3] has been deleted. Hint: copy it first, or "
              "don't donate it");
    EXPECT_TRUE(arguments[0][0]->try_donate());  // the other buffers have no owner
  }
}

TEST(HostRun, CancellingStopsAllReplicas) {
  for (const ClientPtr& engine : tests::engine_clients()) {
    const auto executable = compiled(*engine, std::string(kLoop), 2);
    ASSERT_TRUE(executable.ok());
    const Literal x = Literal::array<float>({3}, {1, 2, 3});
    CancellationToken token;
    token.cancel();
    ExecuteOptions options;
    options.cancellation = &token;
    EXPECT_EQ(execute_replicas(**executable, buffers_of(**executable, {x, x}), options).status().code(),
              StatusCode::kCancelled);
  }
}

/// Replica 0 waits in a collective; replica 1 computes forever.
constexpr std::string_view kEndless = R"(
HloModule m
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = f32[] add(x, y)
}
same {
  ROOT x = f32[3] parameter(0)
}
for_ever {
  x = f32[3] parameter(0)
  ROOT t = pred[] constant(true)
}
meets {
  x = f32[3] parameter(0)
  ROOT sum = f32[3] all-reduce(x), replica_groups={}, to_apply=add
}
computes {
  x = f32[3] parameter(0)
  ROOT loop = f32[3] while(x), condition=for_ever, body=same
}
ENTRY main {
  p = f32[3] parameter(0)
  id = u32[] replica-id()
  zero = u32[] constant(0)
  first = pred[] compare(id, zero), direction=EQ
  ROOT r = f32[3] conditional(first, p, p), true_computation=meets, false_computation=computes
})";

TEST(HostRun, CancellingReachesAReplicaThatWaitsAndOneThatLoops) {
  for (const ClientPtr& engine : tests::engine_clients()) {
    const auto executable = compiled(*engine, std::string(kEndless), 2);
    ASSERT_TRUE(executable.ok()) << executable.status().to_string();
    const Literal x = Literal::array<float>({3}, {1, 2, 3});
    CancellationToken token;
    ExecuteOptions options;
    options.cancellation = &token;
    Status status;
    std::thread runs(
        [&] { status = execute_replicas(**executable, buffers_of(**executable, {x, x}), options).status(); });
    token.cancel();  // before the replicas start, or while they wait: the run must end
    runs.join();
    EXPECT_EQ(status.code(), StatusCode::kCancelled) << status.to_string();
  }
}

TEST(HostRun, AReplicaThatIsStuckEndsTheOthersAtTheDeadline) {
  for (const ClientPtr& engine : tests::engine_clients()) {
    const auto executable = compiled(*engine, std::string(kEndless), 2);
    ASSERT_TRUE(executable.ok()) << executable.status().to_string();
    const Literal x = sample(Shape::array(ElementType::kF32, {3}), 1);
    ExecuteOptions options;
    options.deadline = deadline_in(0.05);
    const Status status = execute_replicas(**executable, buffers_of(**executable, {x, x}), options).status();
    EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded) << status.to_string();
    EXPECT_NE(status.message().find("timeout of the program"), std::string::npos) << status.to_string();
  }
}

TEST(HostRun, TheHeaderStatesTheNumberOfReplicas) {
  const std::string id = "\nENTRY main {\n ROOT id = u32[] replica-id()\n}\n";
  for (const ClientPtr& engine : tests::engine_clients()) {
    const auto two = compiled(*engine, "HloModule m, replica_count=2" + id, 1);
    ASSERT_TRUE(two.ok()) << two.status().to_string();
    EXPECT_EQ((*two)->replica_count(), 2);
    EXPECT_EQ(execute_replicas(**two, std::vector<std::vector<BufferPtr>>(3)).status().to_string(),
              "INVALID_ARGUMENT: Execute 'm': arguments of 3 replicas, compiled for 2");
    BufferPtr results[1];
    EXPECT_EQ((*two)->execute({}, results).to_string(),
              "INVALID_ARGUMENT: Execute 'm': compiled for 2 replicas with collectives; got 1. Hint: run all replicas "
              "together");
    EXPECT_EQ(compiled(*engine, "HloModule m, replica_count=2" + id, 3).status().to_string(),
              "INVALID_ARGUMENT: module 'm': replica_count=2, but 3 replicas are requested");
    EXPECT_EQ(compiled(*engine, "HloModule m, replica_count=0" + id, 1).status().to_string(),
              "INVALID_ARGUMENT: module 'm': replica_count='0'; wanted a number above 0");
    EXPECT_TRUE(compiled(*engine, "HloModule m, num_partitions=4" + id, 1).ok());
    const std::string part = "\nENTRY main {\n ROOT id = u32[] partition-id()\n}\n";
    EXPECT_EQ(compiled(*engine, "HloModule m, num_partitions=4" + part, 1).status().code(), StatusCode::kUnimplemented);
  }
}

TEST(HostRun, GroupsThatDontFitTheReplicasAreRefusedAtCompileTime) {
  const std::string text = R"(
HloModule m
ENTRY main {
  p = f32[2] parameter(0)
  ROOT all = f32[4] all-gather(p), replica_groups={}, dimensions={0}
})";
  for (const ClientPtr& engine : tests::engine_clients()) {
    EXPECT_TRUE(compiled(*engine, text, 2).ok());
    EXPECT_EQ(compiled(*engine, text, 3).status().to_string(),
              "INVALID_ARGUMENT: all-gather 'all': 3 replicas take part; got f32[2] and the result f32[4]; wanted one "
              "shard per replica");
  }
}

TEST(HostRun, ProgramsThatDontMeetRunAloneToo) {
  const std::string text = "HloModule m\nENTRY main {\n p = f32[] parameter(0)\n ROOT r = f32[] negate(p)\n}\n";
  for (const ClientPtr& engine : tests::engine_clients()) {
    const auto executable = compiled(*engine, text, 4);
    ASSERT_TRUE(executable.ok());
    const BufferPtr arguments[] = {tests::buffer_on(*engine, Literal::scalar(2.0f))};
    BufferPtr results[1];
    ASSERT_TRUE((*executable)->execute(arguments, results).ok());
    EXPECT_EQ(literal_from_buffer(*results[0])->to_string(), "f32[] -2");
  }
}

TEST(HostRun, AsyncPairsMeetInTheirStart) {
  const std::string text =
      "HloModule pairs\nadd { p = f32[] parameter(0)\n q = f32[] parameter(1)\n ROOT s = f32[] add(p, q) }\n"
      "ENTRY main {\n  x = f32[2] parameter(0)\n"
      "  s = f32[2] all-reduce-start(x), replica_groups={}, to_apply=add\n  a = f32[2] all-reduce-done(s)\n"
      "  t = (f32[2], f32[6]) all-gather-start(a), replica_groups={{0,1,2}}, dimensions={0}\n"
      "  b = f32[6] all-gather-done(t)\n"
      "  u = (f32[2], f32[2]) collective-permute-start(x), source_target_pairs={{0,1},{1,2},{2,0}}\n"
      "  c = f32[2] collective-permute-done(u)\n  ROOT r = (f32[6], f32[2]) tuple(b, c)\n}\n";
  const std::vector<Literal> arguments = {Literal::array<float>({2}, {1, 2}), Literal::array<float>({2}, {3, 4}),
                                          Literal::array<float>({2}, {5, 6})};
  for (const ClientPtr& engine : tests::engine_clients()) {
    const auto got = run(*engine, text, arguments);
    ASSERT_TRUE(got.ok()) << got.status().to_string();
    for (size_t replica = 0; replica < 3; ++replica) {
      EXPECT_EQ((*got)[replica][0].to_string(), "f32[6] {9, 12, 9, 12, 9, 12}");
      EXPECT_TRUE((*got)[replica][1].identical(arguments[(replica + 2) % 3])) << replica;
    }
  }
}

}  // namespace
}  // namespace hilo
