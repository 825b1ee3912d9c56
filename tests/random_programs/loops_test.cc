// SPDX-License-Identifier: Apache-2.0
// Random loops with carries that follow from one another: maps of the same arrays, short sums, products, rows that are
// read and updated, histories that move by one. The numbers are small and whole, so that the CPU engine and the
// reference evaluator have the same bits in any order of sums.
//   HILO_LOOP_PROGRAMS   number of programs (default 600)
//   HILO_LOOP_SEED       the first seed (default 0)
//   HILO_LOOP_SHOW       set: prints each program before it runs
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>
#include <set>

#include "hilo/device/buffer.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"
#include "tests/support/clients.h"
#include "tests/support/number.h"
#include "tests/support/number_from.h"
#include "tests/support/random_program.h"
#include "tests/support/run_literals.h"

namespace hilo::tests {
namespace {

enum Kind : uint8_t { kNumber, kVector, kMatrix };

/// Writes a program as text: a computation from carries to carries, which the entry repeats or calls once.
class LoopWriter {
 public:
  explicit LoopWriter(unsigned seed) : random_(seed) {
    type_ = pick<const char*>({"f32", "f32", "f64", "s32"});
    n_ = pick<int64_t>({1, 2, 3, 5, 8, 16, 17, 31, 32, 64, 100, 128, 200});
    m_ = pick<int64_t>({1, 2, 3, 4, 8});
  }

  std::string program() {
    carries_ = {kNumber, kVector, kVector, kMatrix};
    for (unsigned k = draw(9); k > 0; --k)
      carries_.push_back(pick<Kind>({kNumber, kNumber, kNumber, kVector, kVector, kVector, kMatrix}));
    const std::string carry = tuple_type();
    const std::string text = fmt::format(
        "HloModule loops\n\nadd {{\n a = {0}[] parameter(0)\n b = {0}[] parameter(1)\n ROOT c = {0}[] add(a, b)\n}}\n"
        "max {{\n a = {0}[] parameter(0)\n b = {0}[] parameter(1)\n ROOT c = {0}[] maximum(a, b)\n}}\n"
        "test {{\n p = {1} parameter(0)\n i = s32[] get-tuple-element(p), index=0\n"
        " end = s32[] constant({2})\n ROOT c = pred[] compare(i, end), direction=LT\n}}\n",
        type_, carry, 1 + draw(5));
    return text + body(carry) + entry(carry);
  }

 private:
  unsigned draw(unsigned below) { return static_cast<unsigned>(random_() % below); }
  template <typename T> T pick(std::initializer_list<T> from) {
    return from.begin()[draw(static_cast<unsigned>(from.size()))];
  }

  std::string shape(Kind kind) const {
    if (kind == kNumber) return type_ + "[]";
    return kind == kVector ? fmt::format("{}[{}]", type_, n_) : fmt::format("{}[{},{}]", type_, m_, n_);
  }

  std::string tuple_type() const {
    std::string text = "(s32[]";
    for (const Kind kind : carries_) text += ", " + shape(kind);
    return text + ")";
  }

  /// One of the values of this kind, more often one of the last.
  std::string any(Kind kind) {
    const std::vector<std::string>& all = values_[kind];
    const size_t last = draw(2) == 0 ? std::min<size_t>(all.size(), 4) : all.size();
    return *read_.insert(all[all.size() - 1 - draw(static_cast<unsigned>(last))]).first;
  }

  /// The last value of this kind that nothing reads; otherwise any.
  std::string unread(Kind kind) {
    for (size_t k = values_[kind].size(); k-- > 0;) {
      if (read_.insert(values_[kind][k]).second) return values_[kind][k];
    }
    return any(kind);
  }

  std::string line(const std::string& type, const std::string& op) {
    const std::string name = fmt::format("v{}", ++count_);
    text_ += fmt::format(" {} = {} {}\n", name, type, op);
    return name;
  }

  /// Adds a value. One that may grow is limited to small numbers.
  void add(Kind kind, const std::string& op, bool grows = false) {
    std::string name = line(shape(kind), op);
    if (grows) name = line(shape(kind), fmt::format("clamp(low, {}, high)", name));
    values_[kind].push_back(name);
  }

  std::string spread(Kind kind) {
    if (kind == kNumber) return any(kNumber);
    const bool is_row = kind == kMatrix && draw(2) == 0;
    return line(shape(kind), is_row ? fmt::format("broadcast({}), dimensions={{1}}", any(kVector))
                                    : fmt::format("broadcast({}), dimensions={{}}", any(kNumber)));
  }

  void add_map(Kind kind) {
    const std::string x = any(kind);
    if (draw(5) == 0) return add(kind, fmt::format("{}({})", pick<const char*>({"negate", "abs", "sign"}), x));
    if (draw(6) == 0) {
      const std::string half = kind == kNumber ? "two" : fmt::format("two_{}", kind == kVector ? "v" : "m");
      const std::string quotient = line(shape(kind), fmt::format("divide({}, {})", x, half));
      return type_ == "s32" ? add(kind, fmt::format("negate({})", quotient))
                            : add(kind, fmt::format("floor({})", quotient));
    }
    const std::string y = draw(3) == 0 ? spread(kind) : any(kind);
    add(kind, fmt::format("{}({}, {})", pick<const char*>({"add", "subtract", "multiply", "maximum", "minimum"}), x, y),
        true);
  }

  void add_number() {
    const char* const reducer = pick<const char*>({"add", "add", "max"});
    switch (draw(6)) {
      case 0:
        return add(kNumber,
                   fmt::format("dot({}, {}), lhs_contracting_dims={{0}}, rhs_contracting_dims={{0}}", any(kVector),
                               any(kVector)),
                   true);
      case 1:
        return add(kNumber, fmt::format("reduce({}, zero), dimensions={{0,1}}, to_apply={}", any(kMatrix), reducer),
                   true);
      case 2: return add_map(kNumber);
      case 3: {
        const std::string one =
            line(type_ + "[1]", fmt::format("dynamic-slice({}, place), dynamic_slice_sizes={{1}}", any(kVector)));
        return add(kNumber, fmt::format("reshape({})", one));
      }
      default:
        return add(kNumber, fmt::format("reduce({}, zero), dimensions={{0}}, to_apply={}", any(kVector), reducer),
                   true);
    }
  }

  void add_vector() {
    switch (draw(8)) {
      case 0: return add(kVector, fmt::format("reverse({}), dimensions={{0}}", any(kVector)));
      case 1: {
        const std::string row =
            line(fmt::format("{}[1,{}]", type_, n_),
                 fmt::format("dynamic-slice({}, row, zero_s32), dynamic_slice_sizes={{1,{}}}", any(kMatrix), n_));
        return add(kVector, fmt::format("reshape({})", row));
      }
      case 2: {
        const std::string rest =
            line(fmt::format("{}[{}]", type_, n_ - 1), fmt::format("slice({}), slice={{[1:{}]}}", any(kVector), n_));
        const std::string one = line(type_ + "[1]", fmt::format("reshape({})", any(kNumber)));
        return add(kVector, fmt::format("concatenate({}, {}), dimensions={{0}}", rest, one));
      }
      case 3:
        return add(kVector,
                   fmt::format("reduce({}, zero), dimensions={{0}}, to_apply={}", any(kMatrix),
                               pick<const char*>({"add", "max"})),
                   true);
      default: return add_map(kVector);
    }
  }

  void add_matrix() {
    const std::string one = line(fmt::format("{}[1,{}]", type_, n_), fmt::format("reshape({})", any(kVector)));
    switch (draw(4)) {
      case 0:
      case 1: return add(kMatrix, fmt::format("dynamic-update-slice({}, {}, row, zero_s32)", any(kMatrix), one));
      case 2: {
        const std::string rest = line(fmt::format("{}[{},{}]", type_, m_ - 1, n_),
                                      fmt::format("slice({}), slice={{[1:{}],[0:{}]}}", any(kMatrix), m_, n_));
        return add(kMatrix, fmt::format("concatenate({}, {}), dimensions={{0}}", rest, one));
      }
      default: return add_map(kMatrix);
    }
  }

  std::string body(const std::string& carry) {
    text_ = fmt::format(
        "body {{\n p = {0} parameter(0)\n i = s32[] get-tuple-element(p), index=0\n one = s32[] constant(1)\n"
        " zero_s32 = s32[] constant(0)\n next = s32[] add(i, one)\n zero = {1}[] constant(0)\n"
        " two = {1}[] constant(2)\n low = {1}[] constant(-8)\n high = {1}[] constant(8)\n"
        " rows = s32[] constant({2})\n row = s32[] remainder(i, rows)\n"
        " places = s32[] constant({3})\n place = s32[] remainder(i, places)\n"
        " two_v = {4} broadcast(two), dimensions={{}}\n two_m = {5} broadcast(two), dimensions={{}}\n",
        carry, type_, m_, n_, shape(kVector), shape(kMatrix));
    for (size_t k = 0; k < carries_.size(); ++k) add(carries_[k], fmt::format("get-tuple-element(p), index={}", k + 1));
    for (unsigned k = 6 + draw(20); k > 0; --k) {
      const unsigned which = draw(7);
      if (which < 3) add_number();
      else if (which < 6) add_vector();
      else add_matrix();
    }
    text_ += fmt::format(" ROOT r = {} tuple(next", carry);
    for (const Kind kind : carries_) text_ += ", " + (draw(5) == 0 ? any(kind) : unread(kind));
    return text_ + ")\n}\n";
  }

  std::string entry(const std::string& carry) {
    std::string text = "ENTRY main {\n i = s32[] constant(0)\n", first = "i";
    for (size_t k = 0; k < carries_.size(); ++k) {
      text += fmt::format(" p{0} = {1} parameter({0})\n", k, shape(carries_[k]));
      first += fmt::format(", p{}", k);
    }
    text += fmt::format(" t = {} tuple({})\n ROOT w = {} ", carry, first, carry);
    return text + (draw(4) == 0 ? "call(t), to_apply=body\n}\n" : "while(t), condition=test, body=body\n}\n");
  }

  std::mt19937 random_;
  std::string type_;
  int64_t n_, m_;
  std::vector<Kind> carries_;
  std::vector<std::string> values_[3];  ///< names by kind
  std::set<std::string> read_;
  std::string text_;
  int64_t count_ = 0;
};

RandomProgram random_loop(unsigned seed) {
  LoopWriter writer(seed);
  const std::string text = writer.program();
  StatusOr<hlo::Module> module = hlo::parse_module(text);
  EXPECT_TRUE(module.ok()) << "seed " << seed << ": " << module.status().to_string() << "\n" << text;
  if (!module.ok()) return {};
  RandomProgram program{*std::move(module), {}};
  std::mt19937 random(seed);
  for (const Shape& parameter : program.module.entry->parameter_shapes()) {
    Literal literal(parameter);
    for (int64_t k = 0; k < parameter.element_count(); ++k) {
      store_whole(literal, k, static_cast<int64_t>(random() % 9) - 4);
    }
    program.arguments.push_back(std::move(literal));
  }
  return program;
}

StatusOr<std::vector<Literal>> run_on_engine(const hlo::Module& module, const std::vector<Literal>& arguments) {
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<Executable> executable,
                        cpu_client()->compile(module, without_straight_lines(), nullptr));
  return run_literals(*executable, arguments);
}

class RandomLoops : public testing::TestWithParam<unsigned> {};

constexpr unsigned kParts = 6;

TEST_P(RandomLoops, GiveOnTheEngineWhatTheyGiveOnTheReference) {
  const unsigned count = number_from("HILO_LOOP_PROGRAMS", 600), begin = number_from("HILO_LOOP_SEED", 0);
  const hlo::CompareOptions exact{.exact = [](const hlo::Instruction&) { return true; }};
  int differing = 0;
  for (unsigned seed = begin + count * GetParam() / kParts;
       seed < begin + count * (GetParam() + 1) / kParts && differing < 3; ++seed) {
    const RandomProgram program = random_loop(seed);
    if (program.module.entry == nullptr) break;
    if (std::getenv("HILO_LOOP_SHOW") != nullptr) std::cout << hlo::print_module(program.module) << std::endl;
    const std::string text = hlo::disagreement(program, run_on_engine, exact);
    if (text.empty()) continue;
    ++differing;
    ADD_FAILURE() << "seed " << seed << ": " << text << "\n" << hlo::print_module(program.module);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomLoops, testing::Range(0u, kParts));

}  // namespace
}  // namespace hilo::tests
