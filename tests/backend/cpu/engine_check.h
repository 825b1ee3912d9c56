// SPDX-License-Identifier: Apache-2.0
// tests/backend/cpu/engine_check.h -- compares the CPU engine, on every instruction set, with the reference evaluator.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <random>

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/eval/evaluator.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/text/parser.h"
#include "tests/support/clients.h"

namespace hilo::cpu {

using hlo::Builder;
using hlo::InstructionId;
using hlo::Opcode;

inline InstructionId must(StatusOr<InstructionId> id) {
  EXPECT_TRUE(id.ok()) << id.status().to_string();
  return id.ok() ? *id : 0;
}

inline hlo::Module module_of(Builder builder, InstructionId root, std::string name = "test") {
  hlo::Module module;
  module.name = std::move(name);
  auto entry = std::move(builder).build(root);
  EXPECT_TRUE(entry.ok()) << entry.status().to_string();
  if (entry.ok()) module.entry = *entry;
  return module;
}

/// Small values of any type, the same in every run. Floats are exact in half precision.
inline Literal sample(const Shape& shape, unsigned seed) {
  std::mt19937 random(seed);
  Literal literal(shape);
  visit_element_type(
      shape.element_type(),
      [&]<typename T>() {
        for (T& value : literal.data<T>()) {
          const int pick = static_cast<int>(random() % 33) - 16;
          if constexpr (std::is_same_v<T, bool>) value = pick > 0;
          else if constexpr (std::is_unsigned_v<T>) value = static_cast<T>(pick + 16);
          else if constexpr (std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>)
            value = T(static_cast<float>(pick) / 8);
          else if constexpr (std::is_integral_v<T>) value = static_cast<T>(pick);
          else if constexpr (std::is_floating_point_v<T>) value = static_cast<T>(pick) / 8;
          else value = T(static_cast<float>(pick) / 8, static_cast<float>(pick) / 4);
        }
      },
      [] {});
  return literal;
}

inline void flatten(const Literal& value, std::vector<Literal>& leaves) {
  if (!value.is_tuple()) leaves.push_back(value);
  else
    for (const Literal& element : value.elements()) flatten(element, leaves);
}

inline void expect_near(const Literal& got, const Literal& wanted, double tolerance, const std::string& where) {
  ASSERT_EQ(got.shape().to_string(), wanted.shape().to_string()) << where;
  if (got.identical(wanted)) return;
  const ElementType type = got.shape().element_type();
  if (!is_floating(type)) {
    EXPECT_EQ(got.to_string(64), wanted.to_string(64)) << where;
    EXPECT_TRUE(!is_integer(type)) << where << ": elements differ after those shown";
    return;
  }
  for (int64_t k = 0; k < got.shape().element_count(); ++k) {
    const double a = element_as_double(got, k), b = element_as_double(wanted, k);
    if (std::isnan(a) && std::isnan(b)) continue;
    if (a == b) continue;
    ASSERT_LE(std::abs(a - b), tolerance * std::max(1.0, std::abs(b)))
        << where << ": element " << k << " of " << got.to_string(64) << "\nwanted " << wanted.to_string(64);
  }
}

/// The results of `executable`. Fails the test on an error.
inline std::vector<Literal> run(Executable& executable, const std::vector<Literal>& arguments,
                                const ExecuteOptions& options = {}) {
  std::vector<BufferPtr> buffers, results(executable.result_shapes().size());
  for (const Literal& argument : arguments) buffers.push_back(tests::cpu_buffer(argument));
  const Status status = executable.execute(buffers, results, options);
  EXPECT_TRUE(status.ok()) << status.to_string();
  std::vector<Literal> literals;
  for (const BufferPtr& result : results) {
    if (result != nullptr) literals.push_back(*literal_from_buffer(*result));
  }
  return literals;
}

/// Calls f with HILO_ISA set to each instruction set of this machine, then restores it.
inline void on_every_isa(const std::function<void(Isa)>& f) {
  const char* before = std::getenv("HILO_ISA");
  const std::string saved = before != nullptr ? before : "";
  for (const Isa isa : supported_isas()) {
    setenv("HILO_ISA", std::string(isa_name(isa)).c_str(), 1);
    f(isa);
  }
  if (before != nullptr) setenv("HILO_ISA", saved.c_str(), 1);
  else unsetenv("HILO_ISA");
}

/// Compares the engine with the reference on all instruction sets of this machine. Small programs aren't straight
/// lines, which have tests of their own.
inline void check(const hlo::Module& module, const std::vector<Literal>& arguments, double tolerance = 1e-5) {
  ASSERT_NE(module.entry, nullptr);
  const StatusOr<Literal> wanted = hlo::evaluate(module, arguments);
  ASSERT_TRUE(wanted.ok()) << wanted.status().to_string();
  std::vector<Literal> leaves;
  flatten(*wanted, leaves);
  on_every_isa([&](Isa isa) {
    auto executable = tests::cpu_client()->compile(module, tests::without_straight_lines(), nullptr);
    ASSERT_TRUE(executable.ok()) << executable.status().to_string();
    for (int turn = 0; turn < 2; ++turn) {
      const std::vector<Literal> got = run(**executable, arguments);
      ASSERT_EQ(got.size(), leaves.size());
      for (size_t k = 0; k < got.size(); ++k) {
        expect_near(got[k], leaves[k], tolerance,
                    module.name + " on " + std::string(isa_name(isa)) + ", result " + std::to_string(k));
      }
    }
  });
}

template <typename T>
std::shared_ptr<T> with(const std::function<void(T&)>& set) {
  auto attributes = std::make_shared<T>();
  set(*attributes);
  return attributes;
}

/// sample() for every parameter.
inline std::vector<Literal> samples(const hlo::Module& module, unsigned seed = 1) {
  std::vector<Literal> arguments;
  for (const Shape& shape : module.entry->parameter_shapes()) arguments.push_back(sample(shape, seed++));
  return arguments;
}

inline void check(const hlo::Module& module, double tolerance = 1e-5) { check(module, samples(module), tolerance); }

/// The same for a program in HLO text.
inline void check_text(const std::string& text, double tolerance = 1e-5) {
  const StatusOr<hlo::Module> module = hlo::parse_module(text);
  ASSERT_TRUE(module.ok()) << module.status().to_string() << "\n" << text;
  check(*module, tolerance);
}

/// The product of two matrices, [m, k] and [k, n].
inline std::string product_text(std::string_view type, int64_t m, int64_t k, int64_t n) {
  return fmt::format(R"(HloModule product
ENTRY main {{
  a = {0}[{1},{2}] parameter(0)
  b = {0}[{2},{3}] parameter(1)
  ROOT c = {0}[{1},{3}] dot(a, b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
}}
)",
                     type, m, k, n);
}

}  // namespace hilo::cpu
