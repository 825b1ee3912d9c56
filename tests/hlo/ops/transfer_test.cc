// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/transfer.h"

#include "tests/hlo/ops/run_text.h"

namespace hilo::hlo {
namespace {

const std::string kToken = "  t = token[] after-all()\n";
const std::string kX = kToken + "  x = f32[2]{0} parameter(0)\n";
const std::string kSent = "(f32[2]{0}, u32[], token[])";

TEST(Infeed, PrintsAsItWasRead) {
  expect_prints_back(kToken + "  ROOT %i = (f32[2]{0}, token[]) infeed(%t), infeed_config=\"abc\"");
}

TEST(Infeed, RefusesWhatHasNoToken) {
  expect_refused(kX + "  ROOT i = (f32[2]{0}, token[]) infeed(x)", "operand 0 is f32[2], wanted a token");
  expect_refused(kToken + "  ROOT i = f32[2]{0} infeed(t)", "wanted (fed values, token[])");           // infeed_c1
  expect_refused(kToken + "  ROOT i = (f32[2]{0}, f32[]) infeed(t)", "wanted (fed values, token[])");  // infeed_c2
}

TEST(Outfeed, PrintsAsItWasRead) {
  expect_prints_back(kX + "  ROOT %o = token[] outfeed(%x, %t), outfeed_shape=f32[2]{0}, outfeed_config=\"q\"");
  expect_refused(kX + "  ROOT o = token[] outfeed(x, x)", "operand 1 is f32[2], wanted a token");
  expect_refused(kX + "  ROOT o = f32[2]{0} outfeed(x, t)", "declared shape");
}

TEST(Send, PairsWithSendDone) {
  expect_prints_back(kX + "  %s = " + kSent +
                     " send(%x, %t), channel_id=1\n  ROOT %d = token[] send-done(%s), channel_id=1");
  expect_refused(kX + "  ROOT s = " + kSent + " send(x, x), channel_id=1", "wanted a token");
  expect_refused(kX + "  ROOT s = (f32[3]{0}, u32[], token[]) send(x, t), channel_id=1", "declared shape");
  expect_refused(kX + "  ROOT d = token[] send-done(x), channel_id=1", "wanted the result of send");
}

TEST(Recv, PairsWithRecvDone) {
  expect_prints_back(kToken + "  %s = " + kSent +
                     " recv(%t), channel_id=2\n  ROOT %d = (f32[2]{0}, token[]) recv-done(%s), channel_id=2");
  expect_refused(kX + "  ROOT r = " + kSent + " recv(x), channel_id=2", "wanted a token");
  expect_refused(kToken + "  ROOT r = (f32[2]{0}, token[]) recv(t), channel_id=2", "wanted (received value");
  expect_refused(kX + "  ROOT d = (f32[2]{0}, token[]) recv-done(x), channel_id=2", "wanted the result of recv");
}

TEST(Transfers, AreRefusedByTheEvaluatorByName) {
  const std::string error = value_of_text(kToken + "  ROOT fed = (f32[2]{0}, token[]) infeed(t)");
  EXPECT_NE(error.find("UNIMPLEMENTED"), std::string::npos) << error;
  EXPECT_NE(error.find("infeed 'fed'"), std::string::npos) << error;
}

}  // namespace
}  // namespace hilo::hlo
