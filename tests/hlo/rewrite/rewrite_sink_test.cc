// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/rewrite/rewrite_sink.h"

#include <gtest/gtest.h>

#include "hilo/hlo/text/parser.h"

namespace hilo::hlo {
namespace {

const Module& module() {
  static const Module m = parse_module(
                              "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  n = s32[2] parameter(1)\n  ROOT t "
                              "= (f32[2], s32[2]) tuple(x, n)\n}\n")
                              .value();
  return m;
}

TEST(RewriteSink, ExpressionsBecomeInstructionsOfTheBuilder) {
  RewriteBuilder builder(module().entry);
  builder.copy_all();
  RewriteSink sink(builder);
  const Exprs values = sink.at_all(std::vector<InstructionId>{builder.mapped(0), builder.mapped(0)});
  const Expr sum = values[0] + values[1];
  EXPECT_EQ(builder.opcode(sum.id), Opcode::kAdd);
  EXPECT_EQ(sum.shape().to_string(), "f32[2]");
}

TEST(RewriteSink, AnErrorIsTheBuildersToo) {
  RewriteBuilder builder(module().entry);
  builder.copy_all();
  RewriteSink sink(builder);
  (void)(sink.at(builder.mapped(0)) + sink.at(builder.mapped(1)));
  EXPECT_FALSE(sink.status().ok());
  EXPECT_FALSE(builder.finish().ok());
}

}  // namespace
}  // namespace hilo::hlo
