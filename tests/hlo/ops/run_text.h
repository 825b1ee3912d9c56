// SPDX-License-Identifier: Apache-2.0
// tests/hlo/ops/run_text.h -- runs one computation from HLO text with the reference evaluator, or checks its error.
#pragma once

#include <gtest/gtest.h>

#include "hilo/hlo/eval/evaluator.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"

namespace hilo::hlo {

/// Parses `body` as the entry computation, after the other `computations`.
inline StatusOr<Module> module_of_text(const std::string& body, const std::string& computations = "") {
  return parse_module("HloModule test\n" + computations + "\nENTRY main {\n" + body + "\n}\n");
}

/// The value as text, or the error.
inline std::string value_of_text(const std::string& body, const std::vector<Literal>& arguments = {},
                                 const std::string& computations = "") {
  const StatusOr<Module> module = module_of_text(body, computations);
  if (!module.ok()) return module.status().to_string();
  const StatusOr<Literal> value = evaluate(*module, arguments);
  return value.ok() ? value->to_string() : value.status().to_string();
}

/// Expects that parsing `body` fails with INVALID_ARGUMENT and a message that contains `part`.
inline void expect_refused(const std::string& body, const std::string& part, const std::string& computations = "") {
  const StatusOr<Module> module = module_of_text(body, computations);
  ASSERT_FALSE(module.ok()) << body;
  EXPECT_EQ(module.status().code(), StatusCode::kInvalidArgument) << module.status().to_string();
  EXPECT_NE(module.status().message().find(part), std::string::npos) << module.status().to_string();
}

/// Expects that the printed entry equals the parsed text, line for line.
inline void expect_prints_back(const std::string& body, const std::string& computations = "") {
  const StatusOr<Module> module = module_of_text(body, computations);
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  const std::string printed = print_module(*module);
  const StatusOr<Module> again = parse_module(printed);
  ASSERT_TRUE(again.ok()) << again.status().to_string() << printed;
  EXPECT_EQ(again->entry->fingerprint(), module->entry->fingerprint());
  EXPECT_NE(printed.find(body.substr(body.rfind("ROOT"))), std::string::npos) << printed;
}

}  // namespace hilo::hlo
